# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""BGP sessions, routes, port channels and MLAG of one switch, from its configuration and the state of its ports.

Who answers at the far end and what it announces is in ``PortState.peer_asn`` and ``PortState.announces``, where the
route exchange of the lab puts it (:mod:`lab.exchange`). Where that knows nobody, a stand-in answers on every port that
has light and a neighbour: a BGP speaker with the AS number that is configured here, and an LACP partner.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import IPv4Interface, IPv4Network
from typing import TYPE_CHECKING

from lab.device import PortState
from lab.eos.names import is_address, natural, short
from lab.eos.routing_edit import BGP_KEY, members, prefix_entries
from lab.eos.state import PortStatus, port_config, port_status
from lab.eos.tree import Node, Tree

if TYPE_CHECKING:
    from lab.eos.device import EosDevice


# -- ports -----------------------------------------------------------------------------------------------------
def bundles(device: EosDevice) -> dict[str, dict[str, PortStatus]]:
    """Port channels and their members, those without included."""
    names = [n.text.split()[1] for n in device.tree.root.visible() if n.text.startswith("interface Port-Channel")]
    return {
        name: {
            port: port_status(device.tree, port, device.ports[port])
            for port in sorted(members(device.tree, name.removeprefix("Port-Channel")), key=natural)
            if port in device.ports
        }
        for name in names
    }


def bundled(port: PortStatus, mode: str) -> bool:
    """Whether a member carries traffic: LACP needs a partner."""
    return port.up and (mode == "on" or port.state.peer is not None)


def bundle_status(device: EosDevice, name: str) -> PortStatus:
    """A port channel as one port: the sum of its members."""
    ports = bundles(device).get(name, {})
    modes = members(device.tree, name.removeprefix("Port-Channel"))
    good = [p for n, p in ports.items() if bundled(p, modes[n])]
    state = PortState(link=bool(good), speed=sum(p.speed for p in good) or None)
    for counter in ("rx_packets", "rx_bytes", "tx_packets", "tx_bytes", "rx_errors", "tx_errors", "crc_errors"):
        setattr(state, counter, sum(getattr(p.state, counter) for p in ports.values()))
    return PortStatus(name, port_config(device.tree, name), state)


def is_up(device: EosDevice, name: str) -> bool:
    """Whether an interface of any kind is up."""
    tree = device.tree
    config = port_config(tree, name)
    if config.shutdown:
        return False
    if name in device.ports:
        return port_status(tree, name, device.ports[name]).up
    if name.startswith("Port-Channel"):
        return bundle_status(device, name).up
    if name.startswith("Vlan"):
        return _vlan_up(device, int(name[4:]))
    return tree.root.get(f"interface {name}") is not None


def _vlan_up(device: EosDevice, vlan: int) -> bool:
    if vlan not in device.vlans():
        return False
    section = device.tree.root.get(f"interface Vlan{vlan}")
    if section is not None and section.get("autostate") is not None:
        return True  # "no autostate"
    grouped = {port for ports in bundles(device).values() for port in ports}
    for name in [*device.ports, *bundles(device)]:
        config = port_config(device.tree, name)
        carries = config.access_vlan == vlan if config.mode == "access" else vlan in config.allowed
        if name not in grouped and config.switchport and carries and is_up(device, name):
            return True
    return False


def connected(device: EosDevice) -> dict[IPv4Network, str]:
    """Network -> interface, of the interfaces of the default VRF that are up."""
    found = {}
    for node in device.tree.root.visible():
        if node.kind.mode != "interface" or node.get("vrf") is not None or not is_up(device, node.text.split()[1]):
            continue
        for line in node.visible():
            m = re.match(r"ip address (?:virtual )?(\d[\d.]*/\d+)", line.text)
            if m:
                found[IPv4Interface(m[1]).network] = node.text.split()[1]
    return found


# -- BGP -------------------------------------------------------------------------------------------------------
@dataclass
class Session:
    """One neighbour of the default VRF."""

    name: str  # address as configured, or the interface
    address: str  # as shown
    interface: str  # it is reached over; empty: not directly connected
    asn: int | None
    description: str
    bfd: bool
    state: str = "Idle"
    received: list[str] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)

    @property
    def established(self) -> bool:
        return self.state == "Established"


def process(device: EosDevice) -> Node | None:
    return device.tree.root.get(BGP_KEY)


def asn(bgp: Node) -> int:
    return int(bgp.text.split()[2])


def router_id(device: EosDevice, bgp: Node) -> str:
    """As configured, else the highest address of a loopback, else of any interface."""
    line = bgp.get("router-id")
    if line is not None:
        return line.text.split()[1]
    addresses: dict[bool, list] = {True: [], False: []}
    for node in device.tree.root.visible():
        if node.kind.mode == "interface":
            config = port_config(device.tree, node.text.split()[1])
            addresses[node.text.startswith("interface Loopback")] += [IPv4Interface(a).ip for a in config.addresses]
    best = addresses[True] or addresses[False]
    return str(max(best)) if best else "0.0.0.0"


def sessions(device: EosDevice) -> list[Session]:
    bgp = process(device)
    if bgp is None:
        return []
    found = []
    for node in bgp.visible():
        words = node.text.split()
        if words[:2] == ["neighbor", "interface"]:
            found.append(_unnumbered(device, bgp, words))
    names = {n.text.split()[1] for n in bgp.visible() if n.text.startswith("neighbor ")}
    found += [_numbered(device, bgp, name) for name in sorted(filter(is_address, names), key=natural)]
    return found


def _unnumbered(device: EosDevice, bgp: Node, words: list[str]) -> Session:
    name, group = words[2], words[4]
    port = device.ports.get(name)
    remote = int(words[6]) if words[5] == "remote-as" else port.peer_asn if port else None
    session = Session(
        name, f"{_link_local(name)}%{short(name)}", name, remote, "", value(bgp, [group], "bfd") is not None
    )
    section = device.tree.root.get(f"interface {name}")
    routed = (
        section is not None and section.get("ipv6 enable") is not None and not port_config(device.tree, name).switchport
    )
    ipv6 = device.tree.root.get("ipv6 unicast-routing") is not None
    if routed and ipv6:
        _connect(device, bgp, session, [group], unnumbered=True)
    return session


def _numbered(device: EosDevice, bgp: Node, name: str) -> Session:
    groups = _groups(bgp, name)
    remote = value(bgp, groups, "remote-as")
    interface = next((i for network, i in connected(device).items() if ":" not in name and _in(name, network)), "")
    session = Session(
        name,
        name,
        interface,
        int(remote) if remote else None,
        value(bgp, groups, "description") or "",
        value(bgp, groups, "bfd") is not None,
    )
    if remote is not None:
        session.state = "Active"
        _connect(device, bgp, session, groups, unnumbered=False)
    return session


def _groups(bgp: Node, name: str) -> list[str]:
    """The neighbour and its peer group: where its settings are."""
    member = value(bgp, [name], "peer group")
    return [name, *([member] if member else [])]


def groups_of(bgp: Node, session: Session) -> list[str]:
    """The same for a session; one without address has a group only."""
    line = bgp.get(f"neighbor interface {session.name}")
    return [line.text.split()[4]] if line is not None else _groups(bgp, session.name)


def _connect(device: EosDevice, bgp: Node, session: Session, groups: list[str], *, unnumbered: bool) -> None:
    """Whether the far end answers, and what it sends."""
    if bgp.get("shutdown") is not None or value(bgp, groups, "shutdown") is not None or session.asn is None:
        session.state = "Idle"
        return
    port = device.ports.get(session.interface)
    answers = port is not None and is_up(device, session.interface) and port.peer is not None
    if not answers or port is None or port.peer_asn not in (None, session.asn):
        session.state = "Active"
        return
    session.state = "Established"
    family = bgp.get("address-family ipv4")
    if not _activated(bgp, family, groups):
        return
    if unnumbered and (family is None or value(family, groups, "next-hop address-family ipv6") is None):
        return  # IPv4 routes need an IPv6 next hop here
    session.received = sorted(port.announces, key=natural)
    inbound = value(bgp, groups, "route-map in") or (value(family, groups, "route-map in") if family else None)
    session.accepted = [p for p in session.received if inbound is None or permitted(device.tree, inbound, p)]


def _activated(bgp: Node, family: Node | None, groups: list[str]) -> bool:
    for name in groups if family is not None else ():
        line = family.get(f"neighbor {name} activate")
        if line is not None:
            return not line.text.startswith("no ")
    return _on(bgp, "bgp default ipv4-unicast")


def _on(section: Node, setting: str) -> bool:
    """Something that holds unless "no" says otherwise."""
    line = section.get(setting)
    return line is None or not line.text.startswith("no ")


def value(section: Node, names: list[str], setting: str) -> str | None:
    """The value of a setting of a neighbour, or of its peer group; "" for one without value."""
    for name in names:
        line = section.get(f"neighbor {name} {setting}")
        if line is not None and not line.text.startswith("no "):
            words = line.text.split()[2:]
            if setting.endswith((" in", " out")):
                return words[1]
            return " ".join(words[len(setting.split()) :])
    return None


def _in(address: str, network: IPv4Network) -> bool:
    return IPv4Interface(address).ip in network


def _link_local(interface: str) -> str:
    numbers = [int(n) for n in re.findall(r"\d+", interface)]
    return f"fe80::ff:fe00:{sum(n << (4 * i) for i, n in enumerate(reversed(numbers))):x}"


# -- policy ----------------------------------------------------------------------------------------------------
def permitted(tree: Tree, route_map: str, prefix: str) -> bool:
    """What a route map says to a prefix. One that does not exist lets everything pass."""
    entries = [n for n in tree.root.visible() if n.text.split()[:2] == ["route-map", route_map]]
    for node in sorted(entries, key=lambda n: int(n.text.split()[3])):
        if all(_matches(tree, line.text, prefix) for line in node.visible() if line.text.startswith("match ")):
            return node.text.split()[2] == "permit"
    return not entries


def _matches(tree: Tree, line: str, prefix: str) -> bool:
    words = line.split()
    if words[1:4] != ["ip", "address", "prefix-list"]:
        return False  # nothing else is known of a prefix of the stand-in
    network = IPv4Network(prefix)
    for action, within, *limits in prefix_entries(tree, words[4]).values():
        outer = IPv4Network(within)
        bound = dict(zip(limits[::2], map(int, limits[1::2]), strict=True))
        low = bound.get("ge", bound.get("eq", outer.prefixlen))
        high = bound.get("le", bound.get("eq", 32 if "ge" in bound else outer.prefixlen))
        if network.subnet_of(outer) and low <= network.prefixlen <= high:
            return action == "permit"
    return False


def routes(device: EosDevice) -> dict[str, list[Session]]:
    """Prefix -> sessions whose route is used: equal paths, at most as many as configured."""
    bgp = process(device)
    if bgp is None:
        return {}
    line = bgp.get("maximum-paths")
    limit = int(line.text.split()[-1]) if line is not None else 1
    relaxed = _on(bgp, "bgp bestpath as-path multipath-relax")
    own = {str(network) for network in connected(device)}
    table: dict[str, list[Session]] = {}
    for session in sessions(device):
        for prefix in session.accepted:
            equal = table.setdefault(prefix, [])
            if prefix not in own and (not equal or relaxed or equal[0].asn == session.asn):
                equal.append(session)
    return {prefix: table[prefix][:limit] for prefix in sorted(table, key=natural) if table[prefix]}


# -- MLAG ------------------------------------------------------------------------------------------------------
@dataclass
class Mlag:
    """The MLAG domain as it is now."""

    domain: str
    local_interface: str
    peer_address: str
    peer_link: str
    configured: bool
    link_up: bool
    local_up: bool
    primary: bool

    @property
    def active(self) -> bool:
        return self.configured and self.link_up and self.local_up

    @property
    def state(self) -> str:
        return "disabled" if not self.configured else "active" if self.active else "inactive"


def mlag(device: EosDevice) -> Mlag:
    section = device.tree.root.get("mlag configuration")

    def text(key: str) -> str:
        line = section.get(key) if section is not None else None
        return line.text.removeprefix(f"{key} ") if line is not None else ""

    domain, local, peer, link = (text(k) for k in ("domain-id", "local-interface", "peer-address", "peer-link"))
    configured = all((domain, local, peer, link)) and section is not None and section.get("shutdown") is None
    return Mlag(
        domain,
        local,
        peer,
        link,
        configured,
        configured and is_up(device, link),
        configured and is_up(device, local),
        int(text("primary-priority") or 32767) < 32767,
    )


def mlag_interfaces(device: EosDevice) -> dict[int, str]:
    """Number -> port channel."""
    found = {}
    for name in bundles(device):
        section = device.tree.root.get(f"interface {name}")
        line = section.get("mlag") if section is not None else None
        if line is not None:
            found[int(line.text.split()[1])] = name
    return dict(sorted(found.items()))
