# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The interfaces a host is to have: from the NICs of the model and the kernel devices behind them.

Standard library only, Python 3.8: everything in this folder runs on the host.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from ipaddress import IPv4Interface, IPv4Network, ip_address

from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem

# A NIC has a hundred numbers: the first for its untagged side, the next ones for its VLANs. A number is a routing
# table, the priority of the rule that leads to it, and the metric of its routes. Own for each NIC, so that one more
# NIC or VLAN does not renumber the others.
FIRST_TABLE = 1000
STEP = 100
NICS = 64
MAIN = 254
NAME_LENGTH = 15  # IFNAMSIZ without the end
# LACP every second finds a dead link in three; by addresses and ports (UDP source port of RoCEv2) flows spread; a bond
# without links has no carrier.
BOND = {"mode": "802.3ad", "lacp_rate": "fast", "xmit_hash_policy": "layer3+4", "miimon": 100, "min_links": 1}


@dataclass
class Route:
    """A route through an interface: over a gateway, or on the link."""

    to: str
    via: str | None
    table: int
    metric: int


@dataclass
class Interface:
    """One interface of the kernel."""

    name: str
    kind: str  # nic, bond or vlan
    label: str  # name in the model, also of the file
    mtu: int
    now: str | None = None  # name that the NIC has at present, where it will be another
    path: str | None = None  # udev's path of the NIC: its PCI address
    bond: str | None = None  # a member of this bond
    members: list = field(default_factory=list)
    parent: str | None = None
    vlan: int | None = None
    address: str | None = None  # with prefix length
    table: int | None = None
    routes: list = field(default_factory=list)

    @property
    def ip(self):
        """The address without prefix length."""
        return self.address.partition("/")[0] if self.address else None

    @property
    def live(self):
        """Name that the kernel knows at present."""
        return self.now or self.name

    def facts(self):
        """As plain data, for the result and for the next run."""
        return {key: value for key, value in asdict(self).items() if value not in (None, [])}

    def planned(self):
        """The same without what is only so at present."""
        return {key: value for key, value in self.facts().items() if key != "now"}


@dataclass
class Device:
    """The kernel device of a NIC: its name at present and the one it is to have, udev's path."""

    now: str
    name: str
    path: str | None


def build(nics, devices, networks, first_table=FIRST_TABLE):
    """Interfaces in the order NICs, bonds, VLANs. ``devices``: name of a NIC -> its device."""
    if len(nics) > NICS:
        raise Problem(f"at most {NICS} NICs", str(len(nics)), "host.nics", "correct the model")
    reach = [_network(text) for text in networks]
    physical, bonds, vlans, firsts = [], {}, {}, {}
    for index, nic in enumerate(nics):
        device = devices[nic["name"]]
        link = Interface(_name(device.name), "nic", nic["name"], nic["mtu"], path=device.path)
        link.now = device.now if device.now != device.name else None
        physical.append(link)
        carrier = link if nic.get("bond") is None else _member(bonds, link, nic)
        first = firsts.setdefault(carrier.name, first_table + index * STEP)
        _address(carrier, nic.get("address"), nic.get("gateway"), first)
        _vlans(vlans, carrier, nic, first)
    found = physical + list(bonds.values()) + list(vlans.values())
    _routes(found, reach)
    _once(found)
    return found


def tables(first_table=FIRST_TABLE):
    """Numbers of tables and rules that are ours on a host."""
    return range(first_table, first_table + NICS * STEP)


def _network(text):
    try:
        net = IPv4Network(text)
    except ValueError as error:
        raise Problem("an IPv4 network", f"{text!r}: {error}", "host.networks", "correct the model") from error
    if net.prefixlen < 8:
        text = "the rails carry the fabric's own networks only, never a default route; correct the model"
        raise Problem("a network of /8 or smaller", str(net), "host.networks", text)
    return net


def _name(text):
    if len(text) > NAME_LENGTH or "/" in text or not text.strip():
        raise Problem(f"a name of at most {NAME_LENGTH} characters", text, "interface", "shorten the name of the NIC")
    return text


def _member(bonds, link, nic):
    """Make the NIC a member of its bond; the bond."""
    link.bond = _name(f"bond{nic['bond']}")
    bond = bonds.setdefault(link.bond, Interface(link.bond, "bond", link.bond, nic["mtu"]))
    if bond.mtu != nic["mtu"]:
        raise Problem(f"MTU {bond.mtu} on all NICs of {link.bond}", str(nic["mtu"]), link.label, "correct the model")
    bond.members.append(link.name)
    return bond


def _vlans(found, carrier, nic, first):
    """VLAN interfaces of the tagged VLANs. Access and native VLAN are untagged on the wire: no interface."""
    tagged = {entry["vlan"]: entry for entry in nic.get("tagged") or ()}
    numbers = sorted({*(nic.get("vlans") or ()), *tagged} - {nic.get("native_vlan")})
    if len(numbers) >= STEP:
        raise Problem(f"fewer than {STEP} tagged VLANs", str(len(numbers)), nic["name"], "correct the model")
    for position, number in enumerate(numbers, 1):
        name = _name(f"{carrier.label}.{number}")
        new = Interface(name, "vlan", name, nic["mtu"], parent=carrier.name, vlan=number)
        entry = tagged.get(number, {})
        _address(found.setdefault(name, new), entry.get("address"), entry.get("gateway"), first + position)


def _address(link, address, gateway, table):
    """Address, table and the gateway as first route; NICs of one bond say the same or nothing."""
    if address is None:
        return
    if link.address not in (None, address):
        raise Problem(f"one address on {link.name}", f"{link.address} and {address}", link.label, "correct the model")
    try:
        own = IPv4Interface(address)
        hop = ip_address(gateway) if gateway else None
    except ValueError as error:
        raise Problem("an IPv4 address with prefix length", str(error), link.label, "correct the model") from error
    if hop and (hop not in own.network or hop == own.ip):
        raise Problem(f"a gateway in {own.network} beside {own.ip}", str(hop), link.label, "correct the model")
    link.address, link.table = str(own), table
    link.routes = [Route(str(own.network), None, table, table)]
    if hop:
        link.routes.append(Route("gateway", str(hop), table, table))


def _routes(found, reach):
    """Networks of the fabric over the gateway.

    In the NIC's own table, which its address leads to: all. In the main table, which programs use that have not bound
    an address: each network through the NIC that has an address in it, otherwise through all, the first one preferred.
    """
    addressed = [link for link in found if link.address]
    for link in addressed:
        own = IPv4Interface(link.address)
        hop = next((route.via for route in link.routes if route.to == "gateway"), None)
        link.routes = [route for route in link.routes if route.to != "gateway"]
        for net in reach if hop else ():
            if net.subnet_of(own.network):
                continue
            link.routes.append(Route(str(net), hop, link.table, link.table))
            owners = [other for other in addressed if IPv4Interface(other.address).ip in net]
            if link in (owners or addressed):
                link.routes.append(Route(str(net), hop, MAIN, link.table))


def _once(found):
    for key in ("name", "ip"):
        seen = {}
        for link in found:
            value = getattr(link, key)
            if value is None:
                continue
            if value in seen:
                raise Problem(
                    f"each {key} once", f"{value} on {seen[value]} and {link.label}", "host.nics", "correct it"
                )
            seen[value] = link.label
