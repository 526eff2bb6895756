# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Folded Clos networks of one, two and three tiers, rail-optimised or not, in one or several planes.

Wiring is uniform: a leaf has the same number of links to each of its spines. So the number of spines divides the number
of uplinks, and adding a leaf adds cables and moves none.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.request import (
    WISHED_SPINES,
    Blocked,
    Request,
    SwitchKind,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.topology import Tier, Topology


@dataclass(frozen=True, slots=True)
class _Leafs:
    """How nodes are spread over leafs. Counts are of one twin."""

    stripe_nodes: int
    stripe_leafs: int
    rails_per_leaf: int
    down: int
    up: int

    def stripes(self, nodes: int) -> int:
        return ceil(nodes / self.stripe_nodes)

    def leafs(self, nodes: int) -> int:
        return self.stripes(nodes) * self.stripe_leafs


@dataclass(frozen=True, slots=True)
class _Spines:
    """Tiers above the leafs, of one plane."""

    tiers: int
    of_leaf: int
    per_pair: int
    pods: int
    pod_stripes: int
    down: int
    up: int = 0
    cores_of_spine: int = 0
    per_core: int = 0


def single(want: Request) -> Topology:
    """One switch; one per plane."""
    ports = want.node.nics * (want.twins if want.tors > 1 else 1)
    radix = _radix(want.leaf, want.node.port_speed, "leaf")
    if want.most * ports > radix:
        text = (
            f"expected a single switch with {want.most * ports} ports, found {want.leaf.name} with {radix} at"
            f" {_gbps(want.node.port_speed)}"
        )
        raise Blocked("leaf", text, ("use two tiers", f"at most {radix // ports} nodes"))
    leafs = _Leafs(radix // ports, 1, want.node.nics, radix, 0)
    return _result(want, "single", leafs, _Spines(1, 0, 0, 1, 1, 0))


def rail_only(want: Request) -> Topology:
    """Each rail a network of its own; GPUs reach other rails through NVLink."""
    radix = _radix(want.leaf, want.node.port_speed, "leaf")
    if want.stripe is None and want.most <= radix:
        return _result(want, "rail-only", _Leafs(radix, want.node.nics, 1, radix, 0), _Spines(1, 0, 0, 1, 1, 0))
    down, up = _ports_of_leaf(want)
    leafs = _Leafs(want.stripe or down, want.node.nics, 1, down, up)
    # Each rail has its own spines, so a rail is sized as a fabric of one NIC per node.
    spines = _two_tiers(want, leafs, leafs.stripes(want.most))
    return _result(want, "rail-only", leafs, spines, networks=want.node.nics)


def two_tier(want: Request, *, rails: bool) -> Topology:
    """Leafs and spines."""
    leafs = _leafs(want, rails)
    name = "rail-optimised" if rails else "leaf-spine"
    return _result(want, name, leafs, _two_tiers(want, leafs, leafs.leafs(want.most)))


def three_tier(want: Request, *, rails: bool) -> Topology:
    """Pods of leafs and spines under cores."""
    leafs = _leafs(want, rails)
    spine, core = want.spine_kind, want.core_kind
    radix = _radix(spine, want.link_speed, "spine")
    down = want.spine_down or _share(radix, want.spine_oversubscription)
    up = radix - down if want.spine_down else min(radix - down, ceil(down / want.spine_oversubscription))
    twins = want.twins // want.planes
    pod_stripes = down // (leafs.stripe_leafs * twins)
    if pod_stripes == 0:
        text = (
            f"expected a spine with a port for each of the {leafs.stripe_leafs * twins} leafs of a stripe, found"
            f" {spine.name} with {down}"
        )
        raise Blocked("spine", text, ("a spine with more ports", "several rails on one leaf"))
    stripes = leafs.stripes(want.most)
    pods = ceil(stripes / pod_stripes)
    in_pod = min(stripes, pod_stripes) * leafs.stripe_leafs * twins
    spines = want.spines or _divisor(leafs.up, max(ceil(in_pod * leafs.up / down), want.least_spines))
    if leafs.up % spines or in_pod * (leafs.up // spines) > down:
        raise Blocked("spine", _not_uniform(spines, leafs.up, in_pod, down), ("another number of spines",))
    of_core = _radix(core, want.link_speed, "core")
    if pods > of_core:
        text = f"expected a core with a port for each of {pods} pods, found {core.name} with {of_core}"
        most = of_core * pod_stripes * leafs.stripe_nodes
        raise Blocked("core", text, ("a core with more ports", f"at most {most} nodes", "more planes"))
    cores = _divisor(up, ceil(pods * up / of_core))
    shape = _Spines(3, spines, leafs.up // spines, pods, pod_stripes, down, up, cores, up // cores)
    return _result(want, "rail-optimised" if rails else "three-tier", leafs, shape)


# -- leafs ------------------------------------------------------------------------------------------------------------


def _leafs(want: Request, rails: bool) -> _Leafs:
    down, up = _ports_of_leaf(want)
    nics = want.node.nics
    if not rails:
        nodes = want.stripe or down // nics
        if nodes == 0 or nodes * nics > down:
            # A leaf that has fewer ports than a node has NICs: a node spans leafs, which is a stripe of several leafs.
            return _rail_leafs(want, down, up)
        return _Leafs(nodes, 1, nics, nodes * nics if want.stripe else down, up)
    return _rail_leafs(want, down, up)


def _rail_leafs(want: Request, down: int, up: int) -> _Leafs:
    nics = want.node.nics
    if want.stripe is not None:
        together = want.rails_per_leaf or 1
        if want.stripe * together > down:
            text = (
                f"expected a leaf with {want.stripe * together} ports to hosts for a stripe of {want.stripe} nodes,"
                f" found {down}"
            )
            raise Blocked(
                "leaf", text, ("a smaller stripe", "a leaf with more ports", "more uplinks or oversubscription")
            )
        return _Leafs(want.stripe, ceil(nics / together), together, want.stripe * together, up)
    nodes = min(down, want.most)
    if want.most > down:
        return _Leafs(down, nics, 1, down, up)
    together = max(n for n in range(1, nics + 1) if nics % n == 0 and n * nodes <= down)
    return _Leafs(down // together, nics // together, together, down, up)  # room for as many as there are ports


def _ports_of_leaf(want: Request) -> tuple[int, int]:
    """Links down and up; the most that can go down at the oversubscription."""
    kind, slow, fast = want.leaf, want.node.port_speed, want.link_speed
    down_each, up_each = kind.split(slow), kind.split(fast)
    _radix(kind, slow, "leaf")
    _radix(kind, fast, "leaf")
    if want.down is not None and want.up is not None:
        if ceil(want.down / down_each) + ceil(want.up / up_each) > kind.ports:
            text = (
                f"expected a leaf with {want.down} ports down and {want.up} up, found {kind.name} with"
                f" {kind.radix(slow)} at {_gbps(slow)}"
            )
            raise Blocked("leaf", text, ("a leaf with more ports", "fewer uplinks"))
        return want.down, want.up
    best = (0, 0)
    for front in range(1, kind.ports):
        down, room = front * down_each, (kind.ports - front) * up_each
        if want.down is not None:
            down = min(down, want.down)
        up = want.up if want.up is not None else ceil(round(down * slow / fast / want.oversubscription, 9))
        if up <= room and down > best[0]:
            best = (down, up)
    if best[0] == 0:
        text = f"expected a leaf with ports down and up at {want.oversubscription:g}:1, found {kind.ports} ports"
        raise Blocked("leaf", text, ("a leaf with more ports",))
    return best


# -- spines -----------------------------------------------------------------------------------------------------------


def _two_tiers(want: Request, leafs: _Leafs, count: int) -> _Spines:
    """Spines over ``count`` leafs of one twin."""
    radix = want.spine_down or _radix(want.spine_kind, want.link_speed, "spine")
    count *= want.twins // want.planes
    need = max(ceil(count * leafs.up / radix), want.least_spines)
    spines = want.spines or _divisor(leafs.up, need)
    if spines == 0 or leafs.up % spines or count * (leafs.up // spines) > radix:
        if count > radix:
            text = (
                f"expected a spine with a port for each of {count} leafs, found {want.spine_kind.name} with {radix} at"
                f" {_gbps(want.link_speed)}"
            )
        else:
            text = _not_uniform(spines, leafs.up, count, radix)
        raise Blocked("spine", text, _larger(want, leafs, radix))
    return _Spines(2, spines, leafs.up // spines, 1, leafs.stripes(want.most), radix)


def _larger(want: Request, leafs: _Leafs, radix: int) -> tuple[str, ...]:
    most = radix // (leafs.stripe_leafs * (want.twins // want.planes)) * leafs.stripe_nodes
    return ("three tiers", "a spine with more ports or breakout", "more planes", f"at most {most} nodes")


def _not_uniform(spines: int, up: int, leafs: int, radix: int) -> str:
    if spines and up % spines:
        return f"expected a number of spines that divides the {up} uplinks of a leaf, found {spines}"
    each = up // spines if spines else up
    return f"expected a spine with {leafs * each} ports ({leafs} leafs, {each} links each), found {radix}"


def _divisor(of: int, least: int) -> int:
    """Smallest divisor that is at least ``least``; 0 when there is none."""
    return next((n for n in range(max(least, 1), of + 1) if of % n == 0), 0)


def _share(radix: int, oversubscription: float) -> int:
    return floor(radix * oversubscription / (1 + oversubscription))


def _radix(kind: SwitchKind, speed: int, tier: str) -> int:
    radix = kind.radix(speed)
    if radix == 0:
        text = f"expected ports of {_gbps(speed)} on the {tier}, found {kind.name} with {_gbps(kind.speed)}"
        raise Blocked(tier, text, ("a faster switch", "slower NIC ports (more planes)"))
    return radix


def _gbps(speed: int) -> str:
    return f"{speed // 1000}G"


# -- the whole --------------------------------------------------------------------------------------------------------


def _result(want: Request, layout: str, leafs: _Leafs, spines: _Spines, networks: int = 1) -> Topology:
    """Counts. ``networks``: rails that have spines of their own."""
    node, twins = want.node, want.twins
    stripes = leafs.stripes(want.nodes)
    leaf = stripes * leafs.stripe_leafs * twins
    if spines.tiers == 1:  # the twins of a single switch are its planes
        leaf = leafs.stripe_leafs * want.planes
    pods = ceil(stripes / spines.pod_stripes) if spines.tiers == 3 else 1
    groups = want.planes * networks
    spine = spines.of_leaf * groups * pods
    core = spines.of_leaf * spines.cores_of_spine * want.planes
    host_links = want.nodes * node.nics * twins
    leaf_links, spine_links = leaf * leafs.up, spine * spines.up
    used = leaf_links / spine if spine else 0
    fast = want.link_speed
    tiers = [
        Tier(
            "leaf", want.leaf.name, leaf, leafs.down, leafs.up,
            round(leafs.down * node.port_speed / (leafs.up * fast), 3) if leafs.up else 0,
            leaf * leafs.down - host_links,
        )
    ]  # fmt: skip
    if spine:
        ratio = round(spines.down / spines.up, 3) if spines.up else 0
        free = spine * spines.down - leaf_links
        tiers.append(Tier("spine", want.spine_kind.name, spine, ceil(used), spines.up, ratio, free))
    if core:
        radix = want.core_kind.radix(fast)
        tiers.append(Tier("core", want.core_kind.name, core, pods * spines.per_core, 0, 0, core * radix - spine_links))
    room = _room(want, leafs, spines) - want.nodes
    whole = want.nodes * node.nics * node.speed // 2000
    worst = max((t.oversubscription for t in tiers), default=1)
    notes = []
    if spine and spines.of_leaf < WISHED_SPINES:
        notes.append(
            f"a leaf reaches {spines.of_leaf} spines; with fewer than {WISHED_SPINES} a double failure under load may"
            " start PFC storms"
        )
    if layout == "rail-only":
        notes.append("traffic between rails goes through the GPUs (NVLink, PXN); all-to-all needs care")
    return Topology(
        layout, want.nodes, want.nodes * node.gpus, want.planes, tuple(tiers), leaf, spine, core, pods, stripes,
        leafs.stripe_nodes, leafs.stripe_leafs, leafs.rails_per_leaf, leafs.down, leafs.up, spines.of_leaf,
        spines.per_pair, spines.pod_stripes, spines.up, spines.cores_of_spine, spines.per_core, host_links, leaf_links,
        spine_links, {1: 1, 2: 3, 3: 5}[spines.tiers], int(whole / max(worst, 1)), max(room, 0),
        round(1 - 1 / spines.of_leaf, 4) if spines.of_leaf else 0.0, _leaf_loss(want, leafs), tuple(notes),
    )  # fmt: skip


def _room(want: Request, leafs: _Leafs, spines: _Spines) -> int:
    """Nodes that fit under the spines as they are cabled."""
    if spines.tiers == 1:
        return leafs.stripe_nodes
    if spines.tiers == 2:
        per = leafs.stripe_leafs * (want.twins // want.planes) * spines.per_pair
        return spines.down // per * leafs.stripe_nodes
    return want.core_kind.radix(want.link_speed) // spines.per_core * spines.pod_stripes * leafs.stripe_nodes


def _leaf_loss(want: Request, leafs: _Leafs) -> str:
    share = leafs.rails_per_leaf / want.node.nics / want.twins
    nodes = min(leafs.stripe_nodes, want.nodes)
    if share == 1:
        return f"{nodes} nodes lose the fabric"
    return f"{nodes} nodes lose {share:.1%} of their bandwidth"
