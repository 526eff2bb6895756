# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cables of the plan: both ends of a link, and of an attachment of a host, compared and filled in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import Path
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner import cabling, mtu
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.addresses import (
    AddressBook,
    network,
    of_cable,
    same_subnet,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import Checks
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.hosts import HostBuilder
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.levels import Value
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.cables import cable_class
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.switches import (
    Bundle,
    PortPlan,
    Session,
    SwitchBuilder,
)


@dataclass(frozen=True, slots=True)
class CablePlan:
    """One cable, as it is bought, labelled and pulled."""

    a_device: str
    a_port: str
    b_device: str
    b_port: str
    kind: str  # fabric, peer, host
    length: int  # metres
    medium: str  # DAC, AEC, AOC, MMF, DR, FR, LR, ZR
    speed: int | None  # Mb/s
    a_address: str | None
    b_address: str | None

    @property
    def label(self) -> str:
        """What stands on both ends."""
        return f"{self.a_device}:{self.a_port} - {self.b_device}:{self.b_port}"

    @property
    def key(self) -> tuple[str, str]:
        """Identity: where it is plugged in."""
        return f"{self.a_device}:{self.a_port}", f"{self.b_device}:{self.b_port}"


@dataclass
class Wiring:
    """Takes the cables of a fabric into its switches and hosts."""

    fabric: Fabric
    builders: dict[str, SwitchBuilder]
    hosts: HostBuilder
    book: AddressBook
    checks: Checks
    cables: list[CablePlan] = field(default_factory=list)

    def link(self, cable: cabling.Cable) -> None:
        """A cable between switches."""
        _link(self, cable)

    def attachment(self, cable: cabling.Cable) -> None:
        """A cable to a host."""
        _attachment(self, cable)

    def note(self, cable: cabling.Cable, kind: str, port: dict[str, Any], far_address: str | None) -> None:
        """Remember a cable for the cabling plan."""
        length, speed = port["cable_length"], port["speed"]
        a, b = cable.a, cable.b
        self.cables.append(
            CablePlan(
                a.device, a.port, b.device, b.port, kind, length, cable_class(length, speed), speed,
                port.get("address"), far_address,
            )
        )  # fmt: skip


def _same(a: PortPlan, b: PortPlan, name: str, ends: tuple[cabling.End, cabling.End], checks: Checks) -> None:
    """Speed or FEC of both ends of a link."""
    left, right = a.values[name], b.values[name]
    if left.value != right.value:
        text = (
            f"expected the same {name} at both ends, found {left.value or 'nothing'} at {ends[0].device}:{a.name} and"
            f" {right.value or 'nothing'} at {ends[1].device}:{b.name} (set one value)"
        )
        near = max((left, right), key=lambda v: len(v.path)).path
        checks.add(near if "ports" in near else ends[0].path[:2], text)


def _vlans_exist(fabric: Fabric, numbers: list[tuple[int | None, Path]], checks: Checks) -> bool:
    fine = True
    for number, path in numbers:
        if number is not None and number not in fabric.vlans:
            checks.add(
                path,
                f"expected a VLAN from vlans ({', '.join(map(str, list(fabric.vlans)[:6])) or 'which is empty'}), found"
                f" {number} (add it to vlans)",
            )
            fine = False
    return fine


def _link(site: Wiring, cable: cabling.Cable) -> None:
    fabric, builders, book, checks = site.fabric, site.builders, site.book, site.checks
    link, ends = cable.stated, (cable.a, cable.b)
    left, right = builders[cable.a.device], builders[cable.b.device]
    a, b = (s.port(e, "uplinks", link.cable_length) for s, e in ((left, cable.a), (right, cable.b)))
    for name in ("speed", "fec", "lossless"):
        _same(a, b, name, ends, checks)
    longest = max((a.values["cable_length"], b.values["cable_length"]), key=lambda v: v.value or 0)
    a.values, b.values = ({**port.values, "cable_length": longest} for port in (a, b))  # one cable has one length
    stated = (a.values["mtu"], b.values["mtu"])
    together = mtu.of_link(a.mtu, b.mtu)
    mtu.both_agree(stated, together, checks)
    a.mtu = b.mtu = together
    modes: list[dict[str, Any]]
    if link.mode == "trunk":
        numbers = [(n, (*cable.path, "vlans", i)) for i, n in enumerate(link.vlans)]
        if not _vlans_exist(fabric, [*numbers, (link.native_vlan, (*cable.path, "native_vlan"))], checks):
            return
        for switch, port, want in ((left, a, stated[0]), (right, b, stated[1])):
            port.mtu = mtu.layer2(switch.platform, together, want, checks)
        more = {"mode": "trunk", "vlans": tuple(sorted(set(link.vlans))), "native_vlan": link.native_vlan}
        modes = [more, more]
    elif link.mode == "peer":
        addresses = _peer_link(site, cable, (left, right))
        if addresses is None:
            return
        for switch, port, want in ((left, a, stated[0]), (right, b, stated[1])):
            port.mtu = mtu.layer2(switch.platform, together, want, checks)
        more = {"mode": "trunk", "vlans": tuple(sorted(set(link.vlans))), "native_vlan": None}
        modes = [more, more]
        left.peers.append((a.name, right.name, addresses[0]))
        right.peers.append((b.name, left.name, addresses[1]))
    else:
        given = of_cable(link.subnet, cable.index, cable.count, cable.path, checks)
        addresses = _routed(cable, (a, b), given, book, checks)
        modes = [{"mode": "routed", "address": address} for address in addresses]
        left.sessions.append(Session(a.name, right.name, _bare(addresses[1])))
        right.sessions.append(Session(b.name, left.name, _bare(addresses[0])))
    left.add(a, {"device": cable.b.device, "port": cable.b.port, "kind": "switch"}, **modes[0])
    right.add(b, {"device": cable.a.device, "port": cable.a.port, "kind": "switch"}, **modes[1])
    site.note(cable, "peer" if link.mode == "peer" else "fabric", left.ports[a.name], modes[1].get("address"))


def _bare(address: str | None) -> str | None:
    return address.partition("/")[0] if address is not None else None


def _peer_link(
    site: Wiring, cable: cabling.Cable, switches: tuple[SwitchBuilder, SwitchBuilder]
) -> tuple[str | None, str | None] | None:
    """Addresses of both ends; None with a problem noted."""
    left, right = switches
    if left.intent.pair is None or left.intent.pair != right.intent.pair:
        text = (
            f"expected the two switches of a pair for mode peer, found {left.name} and {right.name} (set pair on both)"
        )
        site.checks.add((*cable.path, "mode"), text)
        return None
    link = cable.stated
    numbers = [(n, (*cable.path, "vlans", i)) for i, n in enumerate(link.vlans)]
    if not _vlans_exist(site.fabric, numbers, site.checks):
        return None
    # All cables of the peer link form one bundle, which has one address at each end.
    addresses = of_cable(link.subnet, 0, 1, cable.path, site.checks)
    if cable.index == 0 and addresses[0] is not None:
        site.book.add_network(network(addresses[0]), f"the peer link of {left.name}", (*cable.path, "subnet"))
    return addresses


def _routed(
    cable: cabling.Cable,
    ports: tuple[PortPlan, PortPlan],
    given: tuple[str | None, str | None],
    book: AddressBook,
    checks: Checks,
) -> list[str | None]:
    """Addresses of a routed link: those of its network unless a port states its own."""
    found: list[tuple[str | None, Path]] = []
    for port, address in zip(ports, given, strict=True):
        found.append(
            (port.address.value, port.address.path) if port.address.value else (address, (*cable.path, "subnet"))
        )
    (first, path_a), (second, path_b) = found
    if (first is None) != (second is None):
        path = path_b if second else path_a
        checks.add(path, "expected addresses at both ends, found one at this end only (give the link a subnet)")
    new = True
    if first is not None and second is not None:
        near, far = (
            ((second, path_b), (first, path_a)) if ports[1].address.value else ((first, path_a), (second, path_b))
        )
        same_subnet(far, near, checks)
        owner = f"the link {cable.a.device}:{cable.a.port} to {cable.b.device}:{cable.b.port}"
        new = book.add_network(network(first), owner, path_a)
    for end, (address, path) in zip((cable.a, cable.b), found, strict=True):
        if address is not None and new:  # a network that is used twice says it all
            book.add(address, f"{end.device}:{end.port}", path)
    return [first, second]


def _attachment(site: Wiring, cable: cabling.Cable) -> None:
    fabric, builders, hosts, book, checks = site.fabric, site.builders, site.hosts, site.book, site.checks
    entry, switch = cable.stated, builders[cable.a.device]
    port = switch.port(cable.a, "host_ports", entry.cable_length)
    nic = hosts.nics[cable.b.device][cable.b.port]
    if nic.speed.value is not None:
        stated = port.values["speed"]
        if stated.value is None:
            port.values = {**port.values, "speed": nic.speed}
        elif stated.value != nic.speed.value:
            text = (
                f"expected {nic.speed.value}, the speed of NIC {cable.b.device}:{cable.b.port}, found {stated.value} at"
                f" {cable.a.device}:{cable.a.port} (set one value)"
            )
            checks.add(stated.path if "ports" in stated.path else cable.path, text)
    if entry.mode != "routed":
        if port.address.value is not None:
            checks.add(
                port.address.path,
                f"expected no address on a port of mode {entry.mode}, found {port.address.value} (remove it)",
            )
        port.mtu = mtu.layer2(switch.platform, port.mtu, port.values["mtu"], checks)
    host_mtu = hosts.mtu(cable.b.device)
    mtu.host_fits(port.mtu, port.values["mtu"], host_mtu, fabric.policy.mtu_overhead, checks)
    more: dict[str, Any] = {"mode": entry.mode}
    switch_address = None
    if entry.mode == "access":
        vlan = Value(entry.vlan, (*cable.path, "vlan")) if entry.vlan is not None else nic.vlan
        if vlan.value is None:
            checks.add(
                cable.path,
                f"expected a VLAN for mode access, found none here and none at NIC {cable.b.device}:{cable.b.port} (add"
                " vlan)",
            )
            return
        if not _vlans_exist(fabric, [(vlan.value, vlan.path)], checks):
            return
        more["vlan"] = vlan.value
    elif entry.mode == "trunk":
        numbers = [(n, (*cable.path, "vlans", i)) for i, n in enumerate(entry.vlans)]
        if not _vlans_exist(fabric, [*numbers, (entry.native_vlan, (*cable.path, "native_vlan"))], checks):
            return
        more |= {"vlans": tuple(sorted(set(entry.vlans))), "native_vlan": entry.native_vlan}
    else:
        first, second = of_cable(entry.subnet, cable.index, cable.count, cable.path, checks)
        switch_address = port.address.value or first
        path = port.address.path if port.address.value else (*cable.path, "subnet")
        if nic.address.value is None and second is not None:
            nic.address = Value(second, (*cable.path, "subnet"))
        if (switch_address is None) != (nic.address.value is None):
            checks.add(
                cable.path, "expected addresses at both ends, found one at one end only (give the attachment a subnet)"
            )
        elif switch_address is not None:
            same_subnet((switch_address, path), (nic.address.value, nic.address.path), checks)
            owner = f"the attachment of {cable.b.device}:{cable.b.port}"
            if book.add_network(network(switch_address), owner, path):
                book.add(switch_address, f"{cable.a.device}:{cable.a.port}", path)
            else:
                nic.address = Value(None)  # a network that is used twice says it all
        more["address"] = switch_address
    switch.add(port, {"device": cable.b.device, "port": cable.b.port, "kind": "host"}, **more)
    bond = entry.bond + cable.index if entry.bond is not None else None
    if bond is not None:
        _bundle(switch, bond, cable, checks)
    hosts.attach(cable.b.device, cable.b.port, cable.a, switch.ports[port.name], bond)
    site.note(cable, "host", switch.ports[port.name], nic.address.value)


def _bundle(switch: SwitchBuilder, number: int, cable: cabling.Cable, checks: Checks) -> None:
    path = (*cable.path, "bond") if len(cable.path) > 1 else cable.path
    if number > 999:
        checks.add(path, f"expected bonds up to 999, found {number} (count from a smaller number)")
        return
    bundle = switch.bonds.setdefault(number, Bundle(cable.b.device, [], path))
    if bundle.host != cable.b.device:
        text = f"expected a bond of one host, found {number} of {bundle.host} and {cable.b.device} (use another number)"
        checks.add(path, text)
    bundle.members.append(cable.a.port)
