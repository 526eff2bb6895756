# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Design -> sizing request -> topology and measures, with what the lock file fixes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.design import Design
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.hosts import NicValues
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import show
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.ranges import expand
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.values import SPEED
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import Checks
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.design.measures import Measures, measures_of
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.design.panel import Panel, panel
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.choose import CANDIDATES, choose, compare
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.request import (
    Blocked,
    NodeKind,
    Request,
    SwitchKind,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.topology import Topology

DESIGN = ("design",)


@dataclass(frozen=True)
class Sized:
    """A design that fits."""

    topology: Topology
    measures: Measures
    nodes: int
    nics: dict[tuple[int, int], str]  # (rail, twin) -> name
    leafs: list[tuple[str, Panel]]  # profiles, dealt out
    spines: list[tuple[str, Panel]]
    cores: list[tuple[str, Panel]]
    candidates: dict[str, Topology]


def nic_place(name: str, values: NicValues | None) -> tuple[int, int] | None:
    """Rail and twin of a NIC port; None when its name has no number and no rail is stated."""
    plane = values.plane if values is not None else None
    if values is not None and values.rail is not None:
        return values.rail, plane or 0
    numbers = re.findall(r"\d+", name)
    if not numbers:
        return None
    return int(numbers[0] if plane is not None else numbers[-1]), plane or 0


def size(fabric: Fabric, lock: Measures | None, checks: Checks) -> Sized | None:
    """The topology of a design; None with a problem noted."""
    design = fabric.design
    kinds = {tier: _panels(fabric, design, tier, checks) for tier in ("leaf", "spine", "core")}
    nics, speed, gpus = _nics(fabric, design, checks)
    if checks.found:
        return None
    rails, twins = max(r for r, _ in nics) + 1, max(t for _, t in nics) + 1
    if set(nics) != {(r, t) for r in range(rails) for t in range(twins)}:
        text = (
            f"expected NICs of rails 0 to {rails - 1} with planes 0 to {twins - 1}, found others (name them rail0..7)"
        )
        checks.add(("host_profiles", design.node, "nics"), text)
        return None
    nodes = design.nodes if design.nodes is not None else ceil(design.gpus / (gpus or rails))
    node = NodeKind(gpus or rails, rails, speed * twins, twins)
    request = _request(fabric, node, nodes, kinds, lock)
    try:
        topology = choose(request) if lock is None else _locked(lock)(request)
    except Blocked as error:
        checks.add(DESIGN, f"{error.tier}: {error}")
        return None
    found = measures_of(topology, rails, twins)
    if lock is not None and found != lock:
        names = [n for n in Measures.__slots__ if getattr(found, n) != getattr(lock, n)]
        was, now = getattr(lock, names[0]), getattr(found, names[0])
        text = (
            f"expected {names[0]} {was} as in fabric.lock.yml, found {now} (undo the change, or remove fabric.lock.yml"
            " to plan the fabric anew, which moves cables and addresses)"
        )
        checks.add(DESIGN, text)
        return None
    leafs, spines, cores = kinds["leaf"], kinds["spine"], kinds["core"]
    return Sized(topology, found, nodes, nics, leafs, spines, cores, compare(request))


def _locked(lock: Measures):
    name = lock.layout
    if name == "rail-optimised":
        name += ", three tiers" if lock.tiers == 3 else ", two tiers"
    return CANDIDATES.get(name, choose)


def _request(fabric: Fabric, node: NodeKind, nodes: int, kinds: dict, lock: Measures | None) -> Request:
    """Panels are lists of links that exist already, so every switch has as many ports as it has names."""
    design = fabric.design
    link = _speed(fabric, design.leaf[0]) or node.port_speed
    fastest = max(link, node.port_speed)  # the ports of a leaf may have two speeds
    leaf, spine, core = (min((p for _, p in kinds[t]), key=lambda p: p.ports) for t in ("leaf", "spine", "core"))
    down = up = None
    stripe, together = design.stripe, None
    if lock is not None:
        stripe, together, up = lock.stripe_nodes, lock.rails_per_leaf, lock.leaf_uplinks
        down = lock.stripe_nodes * lock.rails_per_leaf
    elif leaf.down:
        down = len(leaf.down)
        used = stripe * (1 if design.layout != "leaf-spine" else node.nics) if stripe else down
        up = design.uplinks or min(len(leaf.up), ceil(used * node.port_speed / link / design.oversubscription))
        if stripe is not None:
            down = used
    elif design.uplinks:
        up = design.uplinks
        down = min(leaf.ports - up, int(up * link * design.oversubscription / node.port_speed))
    reserved = design.peer_links if design.hosts == "bond" else 0
    return Request(
        node,
        nodes,
        SwitchKind("/".join(dict.fromkeys(n for n, _ in kinds["leaf"])), leaf.ports - reserved, fastest),
        SwitchKind("/".join(dict.fromkeys(n for n, _ in kinds["spine"])), spine.ports, link),
        SwitchKind("/".join(dict.fromkeys(n for n, _ in kinds["core"])), core.ports, link),
        design.layout,
        design.oversubscription,
        grow_to=design.grow_to,
        down=down,
        up=up,
        spine_down=len(spine.down) or None,
        uplink_speed=link,
        tors=node.planes if design.twin == "tors" else 1,
        stripe=stripe,
        rails_per_leaf=together,
        spines=lock.spines if lock is not None and lock.tiers > 1 else design.spines,
    )


def _speed(fabric: Fabric, profile: str) -> int | None:
    kind = fabric.switch_profiles[profile]
    stated = kind.uplink_speed or kind.speed or fabric.policy.speed
    return SPEED[stated] if stated else None


def _panels(fabric: Fabric, design: Design, tier: str, checks: Checks) -> list[tuple[str, Panel]]:
    names = {
        "leaf": design.leaf,
        "spine": design.spine or design.leaf,
        "core": design.core or design.spine or design.leaf,
    }[tier]
    found = []
    for name in names:
        profile = fabric.switch_profiles.get(name)
        if profile is None:
            known = ", ".join(fabric.switch_profiles) or "which is empty"
            text = f"expected one of switch_profiles ({known}), found {show(name)} (correct the name or add it)"
            checks.add((*DESIGN, tier), text)
            continue
        try:
            found.append((name, panel(profile)))
        except ValueError as error:
            checks.add(("switch_profiles", name), str(error))
    return found


def _nics(fabric: Fabric, design: Design, checks: Checks) -> tuple[dict[tuple[int, int], str], int, int | None]:
    profile = fabric.host_profiles.get(design.node)
    if profile is None:
        known = ", ".join(fabric.host_profiles) or "which is empty"
        text = f"expected one of host_profiles ({known}), found {show(design.node)} (correct the name or add it)"
        checks.add((*DESIGN, "node"), text)
        return {}, 0, None
    found: dict[tuple[int, int], str] = {}
    speeds = set()
    for stated, values in profile.nics.items():
        path = ("host_profiles", design.node, "nics", stated)
        try:
            names = expand(stated)
        except ValueError as error:
            checks.add(path, str(error))
            continue
        for name in names:
            place = nic_place(name, values)
            if place is None:
                checks.add(path, f"expected a rail or a number in the name, found {show(name)} (add rail)")
            elif found.setdefault(place, name) != name:
                text = f"expected one NIC of rail {place[0]} and plane {place[1]}, found {found[place]} and {name}"
                checks.add(path, f"{text} (correct rail or plane)")
            speeds.add(values.speed or fabric.policy.speed)
    if len(speeds) != 1 or None in speeds:
        text = "expected one speed for all NICs of a design, found " + (
            ", ".join(sorted(s or "none" for s in speeds)) or "none"
        )
        checks.add(("host_profiles", design.node, "nics"), f"{text} (set speed in the profile or the policy)")
        return found, 0, profile.gpus
    return found, SPEED[speeds.pop()], profile.gpus
