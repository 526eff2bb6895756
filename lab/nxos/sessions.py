# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""BGP sessions and routes of one emulated switch, from its configuration and the state of its ports.

A switch knows only itself. Who answers at the far end and what it announces is in ``PortState.peer_asn`` and
``PortState.announces``, where the route exchange of the lab puts it (:mod:`lab.exchange`). Where that knows nobody, a
stand-in answers on every port that has light and a neighbour, with the AS number that is configured here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Interface

from lab.nxos import policy, values
from lab.nxos.device import NxosDevice, Port
from lab.nxos.tree import Node


@dataclass
class Peer:
    """One neighbour of the default VRF."""

    name: str  # as configured: address or interface
    port: Port | None  # where it is
    asn: int | None
    admin_up: bool
    families: dict[str, list[str]] = field(default_factory=dict)  # address family: its lines
    established: bool = False
    routes: list[str] = field(default_factory=list)  # accepted

    @property
    def state(self) -> str:
        if self.established:
            return "Established"
        return "Idle" if not self.admin_up or self.port is None or not self.port.oper_up else "Active"

    @property
    def next_hop(self) -> str:
        """Where its routes point to; unnumbered: the link-local address of the far end."""
        return self.name if self.name[0].isdigit() else link_local(self.port)


def link_local(port: Port) -> str:
    return f"fe80::{values.natural(port.name)[-1][1]:x}"


def process(device: NxosDevice) -> Node | None:
    return next((n for n in device.config.children if n.text.startswith("router bgp ")), None)


def peers(device: NxosDevice) -> list[Peer]:
    """All neighbours of the default VRF and how they are."""
    router = process(device)
    if router is None:
        return []
    found = []
    for node in router.children:
        header = re.match(r"neighbor (\S+)", node.text)
        if header and not re.match(r"\d\S*/|\S*:", header[1]):  # no listeners for a prefix, no IPv6 addresses
            found.append(_peer(device, router, node, header[1]))
    return found


def _peer(device: NxosDevice, router: Node, node: Node, name: str) -> Peer:
    nodes = [node]
    parent = next((line.split()[-1] for line in node.lines() if line.startswith("inherit peer ")), None)
    nodes += router.sections(f"template peer {parent}") if parent else []
    lines = [line for n in nodes for line in n.lines()]
    remote = next((line.split()[1] for line in lines if line.startswith("remote-as ")), None)
    peer = Peer(name, _port(device, name), int(remote) if remote else None, "shutdown" not in lines)
    for family in [c for n in nodes for c in n.children if c.text.startswith("address-family ")]:
        peer.families.setdefault(family.text.removeprefix("address-family "), []).extend(family.lines())
    peer.established = _answers(device, peer)
    if peer.established and "ipv4 unicast" in peer.families:
        filters = [ln.split()[1] for ln in peer.families["ipv4 unicast"] if re.fullmatch(r"route-map \S+ in", ln)]
        announced = sorted(peer.port.state.announces, key=values.natural)
        peer.routes = [r for r in announced if not filters or policy.map_permits(device, filters[0], r)]
    return peer


def _port(device: NxosDevice, name: str) -> Port | None:
    if name[0].isalpha():
        return device.port(name)
    for interface in device.interfaces():
        port = device.port(interface)
        for line in port.lines:
            own = re.match(r"ip address (\d\S+/\d+)", line)
            if own and IPv4Address(name) in IPv4Interface(own[1]).network and str(IPv4Interface(own[1]).ip) != name:
                return port
    return None


def _answers(device: NxosDevice, peer: Peer) -> bool:
    port = peer.port
    if port is None or not port.oper_up or not peer.admin_up or peer.asn is None or not peer.families:
        return False
    if peer.name[0].isalpha() and not any(line.startswith(("ipv6 address", "ipv6 link-local")) for line in port.lines):
        return False  # no link-local address to speak from
    if port.kind == "Ethernet" and (port.state.peer is None or not port.routed):
        return False
    return port.state.peer_asn in (None, peer.asn)


def routes(device: NxosDevice) -> dict[str, list[Peer]]:
    """Prefix -> peers whose route is used: equal paths, at most as many as configured."""
    router = process(device)
    if router is None:
        return {}
    family = next((n for n in router.sections("address-family ipv4 unicast")), None)
    maximum = [int(ln.split()[-1]) for ln in family.lines() if re.match(r"maximum-paths \d", ln)] if family else []
    relaxed = "bestpath as-path multipath-relax" in router.lines()
    own = {str(network) for network, _ in connected(device)}
    table: dict[str, list[Peer]] = {}
    for peer in peers(device):
        for route in peer.routes:
            equal = table.setdefault(route, [])
            if route not in own and (not equal or relaxed or equal[0].asn == peer.asn):
                equal.append(peer)
    limit = maximum[0] if maximum else 1
    found = {route: usable[:limit] for route, usable in table.items() if usable}
    return dict(sorted(found.items(), key=lambda item: values.natural(item[0])))


def connected(device: NxosDevice) -> list[tuple]:
    """Networks of the interfaces that are up, default VRF."""
    found = []
    for name in device.interfaces():
        port = device.port(name)
        if port.value("vrf member", "default") != "default" or not port.oper_up:
            continue
        for line in port.lines:
            own = re.match(r"ip address (\d\S+/\d+)", line)
            if own:
                found.append((IPv4Interface(own[1]).network, port))
    return found
