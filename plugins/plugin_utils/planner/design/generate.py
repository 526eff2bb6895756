# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sized design -> switches, hosts, VLANs and cables.

Everything is computed from a number: node n, leaf l, spine s. Numbers count from 0 here, from 1 in names. The formulas
use the measures alone, so a node that is added gets the next places and nothing else moves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.fabric import Fabric, VlanIntent
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.hosts import HostIntent, NicValues
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.switches import GatewayIntent, SwitchIntent
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.addresses import Network, network
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.cabling import (
    Cable,
    End,
    MadeAttachment,
    MadeLink,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import Checks
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.design import numbering
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.design.numbering import NoRoom, share, text
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.design.panel import Panel
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.design.size import DESIGN, Sized


@dataclass
class Generated:
    """What a design stands for, as if it had been written."""

    sized: Sized
    switches: dict[str, SwitchIntent] = field(default_factory=dict)
    hosts: dict[str, HostIntent] = field(default_factory=dict)
    vlans: dict[int, VlanIntent] = field(default_factory=dict)
    links: list[Cable] = field(default_factory=list)
    attachments: list[Cable] = field(default_factory=list)


def generate(fabric: Fabric, sized: Sized, checks: Checks) -> Generated | None:
    """None with a problem noted."""
    try:
        return _Generator(fabric, sized).run()
    except NoRoom as error:
        checks.add(DESIGN, str(error))
        return None


@dataclass(frozen=True)
class _Leaf:
    """Place of a leaf."""

    number: int
    name: str
    stripe: int
    index: int  # in the stripe, of its twin
    twin: int
    pod: int
    profile: str
    down: tuple[str, ...]
    up: tuple[str, ...]
    peer: tuple[str, ...]


class _Generator:
    def __init__(self, fabric: Fabric, sized: Sized) -> None:
        self.fabric, self.sized = fabric, sized
        self.design, self.m = fabric.design, sized.measures
        self.links_net = network(self.design.links)
        self.made = Generated(sized)
        # Twins in planes of their own share no spine; twins as ToRs do.
        self.shared = self.m.twins // self.m.planes
        self.rail_only = self.m.layout == "rail-only"

    def run(self) -> Generated:
        self._vlans()
        leafs = self.leafs
        if self.m.tiers > 1:
            self._spines()
            for leaf in leafs.values():
                self._uplinks(leaf)
            if self.m.tiers > 2:
                self._cores()
        for leaf in leafs.values():
            self.made.switches[leaf.name] = self._leaf_intent(leaf)
        if self.design.hosts == "bond":
            self._peer_links()
        for node in range(self.sized.nodes):
            self._node(node)
        self.made.switches = dict(sorted(self.made.switches.items(), key=lambda item: _ORDER[item[1].role]))
        return self.made

    # -- names and places ---------------------------------------------------------------------------------------------

    def _name(self, kind: str, number: int) -> str:
        names = self.design.names
        return f"{getattr(names, kind)}{number + 1:0{names.digits}d}"

    @cached_property
    def leafs(self) -> dict[tuple[int, int, int], _Leaf]:
        """By stripe, index and twin."""
        m, found = self.m, {}
        stripes = -(-self.sized.nodes // m.stripe_nodes)
        twins = m.planes if m.tiers == 1 and m.layout == "single" else m.twins
        for stripe in range(stripes):
            profile, panel = self.sized.leafs[stripe % len(self.sized.leafs)]
            down, up, peer = self._panel(panel)
            for index in range(m.stripe_leafs):
                for twin in range(twins):
                    number = (stripe * m.stripe_leafs + index) * twins + twin
                    pod = stripe // m.pod_stripes if m.pod_stripes else 0
                    name = self._name("leaf", number)
                    found[stripe, index, twin] = _Leaf(number, name, stripe, index, twin, pod, profile, down, up, peer)
        return found

    def _panel(self, panel: Panel) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Ports down, up and to the partner: from a free panel, hosts take the first ports and uplinks the last."""
        peers = self.design.peer_links if self.design.hosts == "bond" else 0
        if panel.free:
            up = self.m.leaf_uplinks
            end = len(panel.free) - peers
            return panel.free[: end - up], panel.free[end - up : end], panel.free[end:]
        return panel.down, panel.up[: len(panel.up) - peers], panel.up[len(panel.up) - peers :]

    def _leaf_of(self, node: int, rail: int, twin: int) -> _Leaf:
        if self.m.layout == "single":  # one switch per plane; as ToRs both ports end on the same one
            twin = twin if self.m.planes > 1 else 0
        return self.leafs[node // self.m.stripe_nodes, rail // self.m.rails_per_leaf, twin]

    def _rack_of_node(self, node: int) -> str:
        return f"r{node // self.design.rack + 1}"

    def _rack_of_leaf(self, leaf: _Leaf) -> str:
        """In the rack of its nodes when the stripe stands in one rack, else in a rack of its stripe."""
        if self.m.stripe_nodes <= self.design.rack:
            return self._rack_of_node(leaf.stripe * self.m.stripe_nodes)
        return f"s{leaf.stripe + 1}"

    # -- switches -----------------------------------------------------------------------------------------------------

    def _switch(self, role: str, kind: str, number: int, profile: str, pod: int | None, **more) -> SwitchIntent:
        address = None
        if self.design.management is not None:
            address = numbering.management(self.design.management, role, number + 1)
        place = {"pod": None if pod is None else str(pod + 1), **more}
        return SwitchIntent.model_construct(role=role, profile=profile, address=address, **place)

    def _leaf_intent(self, leaf: _Leaf) -> SwitchIntent:
        more = {"rack": self._rack_of_leaf(leaf)}
        if self.shared > 1:  # two ToRs of the same NICs back each other up
            more["pair"] = f"p{leaf.number // self.shared + 1}"
        underlay = self.fabric.underlay
        if self.design.hosts != "routed" and underlay is not None and underlay.enabled:
            more["gateways"] = self._gateways(leaf)
        return self._switch("leaf", "leaf", leaf.number, leaf.profile, leaf.pod, **more)

    def _spines(self) -> None:
        m = self.m
        pods = max(leaf.pod for leaf in self.leafs.values()) + 1
        groups = m.rails if self.rail_only else pods
        for group in range(groups):
            for spine in range(m.spines):
                profile, _ = self.sized.spines[spine % len(self.sized.spines)]
                for plane in range(m.planes):
                    number = self._spine_number(group, spine, plane)
                    pod = 0 if self.rail_only else group
                    intent = self._switch("spine", "spine", number, profile, pod, rack="core")
                    self.made.switches[self._name("spine", number)] = intent

    def _spine_number(self, group: int, spine: int, plane: int) -> int:
        """``group``: pod, or rail of a rail-only fabric."""
        return (group * self.m.spines + spine) * self.m.planes + plane

    def _cores(self) -> None:
        m = self.m
        pods = max(leaf.pod for leaf in self.leafs.values()) + 1
        part = share(self.links_net, 4, 2)
        for spine in range(m.spines):
            up = self._spine_up(spine)
            for core in range(m.cores):
                profile, panel = self.sized.cores[(spine * m.cores + core) % len(self.sized.cores)]
                ports = panel.free or (*panel.down, *panel.up)
                for plane in range(m.planes):
                    number = (spine * m.cores + core) * m.planes + plane
                    name = self._name("core", number)
                    self.made.switches[name] = self._switch("superspine", "core", number, profile, None, rack="core")
                    for pod in range(pods):
                        below = self._spine_number(pod, spine, plane)
                        for link in range(m.per_core):
                            at = core * m.per_core + link
                            self._link(
                                self._name("spine", below), up[at], name, ports[pod * m.per_core + link], part,
                                below * m.spine_uplinks + at, self.design.cables.core,
                            )  # fmt: skip

    def _spine_up(self, spine: int) -> tuple[str, ...]:
        _, panel = self.sized.spines[spine % len(self.sized.spines)]
        return panel.up if panel.up else panel.free[len(panel.free) - self.m.spine_uplinks :]

    # -- cables between switches --------------------------------------------------------------------------------------

    def _uplinks(self, leaf: _Leaf) -> None:
        m = self.m
        part = share(self.links_net, 0, 4)
        stripe = leaf.stripe - leaf.pod * m.pod_stripes
        plane = leaf.twin if m.planes > 1 else 0
        seat, group = stripe, leaf.index  # rail-only: spines of the rail
        if not self.rail_only:
            seat, group = stripe * m.stripe_leafs + leaf.index, leaf.pod
        if self.shared > 1:
            seat = seat * self.shared + leaf.twin
        for spine in range(m.spines):
            _, panel = self.sized.spines[spine % len(self.sized.spines)]
            ports = panel.down or panel.free
            far = self._name("spine", self._spine_number(group, spine, plane))
            for link in range(m.per_pair):
                at = spine * m.per_pair + link
                self._link(
                    leaf.name, leaf.up[at], far, ports[seat * m.per_pair + link], part,
                    leaf.number * m.leaf_uplinks + at, self.design.cables.spine,
                )  # fmt: skip

    def _link(self, a: str, port_a: str, b: str, port_b: str, part: numbering.Part, index: int, length: int) -> None:
        subnet = None
        if not self.design.unnumbered:
            subnet = f"{text(part.at(2 * index, 2, f'the link {a}:{port_a} to {b}:{port_b}'))}/31"
        stated = MadeLink(subnet, length)
        self.made.links.append(Cable(End(a, port_a, DESIGN), End(b, port_b, DESIGN), stated, DESIGN, 0, 1))

    def _peer_links(self) -> None:
        part = share(self.links_net, 6, 2)
        vlans = sorted(self.design.first_vlan + rail for rail in range(self.m.rails))
        for (stripe, index, twin), leaf in self.leafs.items():
            if twin:
                continue
            other = self.leafs[stripe, index, 1]
            number = leaf.number // self.shared
            subnet = f"{text(part.at(2 * number, 2, f'the peer link of {leaf.name}'))}/31"
            own = vlans[index * self.m.rails_per_leaf : (index + 1) * self.m.rails_per_leaf]
            count = len(leaf.peer)
            for at, (a, b) in enumerate(zip(leaf.peer, other.peer, strict=True)):
                stated = MadeLink(subnet, self.design.cables.peer, "peer", tuple(own))
                ends = End(leaf.name, a, DESIGN), End(other.name, b, DESIGN)
                self.made.links.append(Cable(*ends, stated, DESIGN, at, count))

    # -- hosts --------------------------------------------------------------------------------------------------------

    def _vlans(self) -> None:
        if self.design.hosts == "routed":
            return
        for rail in range(self.m.rails):
            number = self.design.first_vlan + rail
            if number in self.fabric.vlans:
                continue
            net = numbering.rail_network(self.design.rails, rail, self.m.rails)
            if self.m.rail_prefix < net.prefix:
                raise NoRoom(
                    f"expected rails to have room for a /{self.m.rail_prefix} per leaf, found {self.design.rails}"
                    f" divided among {self.m.rails} rails (use a larger network)"
                )
            part = max(self.m.rail_prefix, net.prefix)
            self.made.vlans[number] = VlanIntent.model_construct(name=f"rail{rail}", subnet=str(net), part=part)

    def _part(self, rail: int, leaf: _Leaf) -> Network | None:
        """The subnet of a rail on a leaf; None for a VLAN that has none."""
        number = self.design.first_vlan + rail
        vlan = self.made.vlans.get(number) or self.fabric.vlans[number]
        if vlan.subnet is None:
            return None
        net = network(vlan.subnet)
        if vlan.part is None:
            return net
        seat = leaf.stripe if self.design.hosts == "bond" else leaf.stripe * self.m.twins + leaf.twin
        size = 1 << 32 - vlan.part
        whole = numbering.Part(net.first, net.last - net.first + 1)
        return Network(whole.at(seat * size, size, f"the subnet of rail {rail} on {leaf.name}"), vlan.part)

    def _gateways(self, leaf: _Leaf) -> dict[int, GatewayIntent]:
        """The last usable address of the subnet; in a pair both answer for it and have the two below."""
        found = {}
        for rail in range(leaf.index * self.m.rails_per_leaf, (leaf.index + 1) * self.m.rails_per_leaf):
            net = self._part(rail, leaf) if rail < self.m.rails else None
            if net is None:
                continue
            last, virtual = net.last - 1, None
            if self.design.hosts == "bond":
                last, virtual = net.last - 2 - leaf.twin, text(net.last - 1)
            intent = GatewayIntent.model_construct(address=f"{text(last)}/{net.prefix}", virtual=virtual)
            found[self.design.first_vlan + rail] = intent
        return found

    def _node(self, node: int) -> None:
        name = self._name("node", node)
        if name in self._absent:
            return
        design, m = self.design, self.m
        seat = node % m.stripe_nodes
        nics: dict[str, NicValues] = {}
        leaf = None
        for (rail, twin), nic in self.sized.nics.items():
            leaf = self._leaf_of(node, rail, twin)
            place = seat * m.rails_per_leaf + rail % m.rails_per_leaf
            if m.layout == "single" and self.shared > 1:
                place = place * self.shared + twin
            entry = {"mode": "access", "cable_length": design.cables.host}
            if design.hosts == "routed":
                index = (node * m.rails + rail) * m.twins + twin
                whole = network(design.rails)
                part = numbering.Part(whole.first, whole.last - whole.first + 1)
                entry |= {"mode": "routed", "subnet": f"{text(part.at(2 * index, 2, f'the NICs of {name}'))}/31"}
            else:
                entry["vlan"] = design.first_vlan + rail
                net = self._part(rail, leaf)
                if design.hosts == "bond":
                    entry["bond"] = place + 1
                if net is not None and not (design.hosts == "bond" and twin):
                    room = numbering.Part(net.first, net.last - net.first - (3 if design.hosts == "bond" else 1))
                    nics[nic] = NicValues.model_construct(
                        address=f"{text(room.at(seat + 1, 1, f'{name}:{nic}'))}/{net.prefix}"
                    )
            port = leaf.down[place]
            stated = MadeAttachment(**entry)
            ends = End(leaf.name, port, DESIGN), End(name, nic, DESIGN)
            self.made.attachments.append(Cable(*ends, stated, DESIGN, 0, 1))
        address = None
        if design.management is not None:
            address = numbering.management(design.management, "host", node + 1)
        self.made.hosts[name] = HostIntent.model_construct(
            profile=design.node, address=address, rack=self._rack_of_node(node), pod=str(leaf.pod + 1), nics=nics
        )

    @cached_property
    def _absent(self) -> frozenset[str]:
        return frozenset(self.design.absent)


_ORDER = {"superspine": 0, "spine": 1, "leaf": 2}


def merged(fabric: Fabric, made: Generated) -> Fabric:
    """The intent with what the design stands for; what is stated explicitly wins, field by field."""
    switches = {n: _pinned(made_one, fabric.switches.get(n)) for n, made_one in made.switches.items()}
    switches |= {n: s for n, s in fabric.switches.items() if n not in switches}
    return fabric.model_copy(update={"switches": switches, "vlans": {**made.vlans, **fabric.vlans}})


def _pinned(made: SwitchIntent, stated: SwitchIntent | None) -> SwitchIntent:
    if stated is None:
        return made
    update = {name: getattr(stated, name) for name in stated.model_fields_set}
    if "gateways" in update:
        update["gateways"] = {**made.gateways, **update["gateways"]}
    return made.model_copy(update=update)


def free_of(cables: list[Cable], explicit: list[Cable]) -> list[Cable]:
    """Generated cables that touch no port and no NIC of an explicit one."""
    taken = {(end.device, end.port) for cable in explicit for end in (cable.a, cable.b)}
    if not taken:
        return cables
    return [c for c in cables if (c.a.device, c.a.port) not in taken and (c.b.device, c.b.port) not in taken]
