# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the loss of one device or cable takes with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking.site import Site, majority
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.findings import Finding


def spines(site: Site) -> Iterator[Finding]:
    """Every leaf reaches as many spines as its siblings, and more than one."""
    level = {"leaf": 0, "spine": 1, "superspine": 2}
    for role in ("leaf", "spine"):
        up = {
            name: len([far for far in site.routed[name] if level[site.switches[far].role] > level[role]])
            for name, switch in site.switches.items()
            if switch.role == role
        }
        above = {"leaf": "spine", "spine": "superspine"}[role]
        if not any(up.values()):
            continue
        usual, _ = majority(up)
        for name, count in up.items():
            if count < usual:
                text = f"expected links to {usual} {above}s as its siblings have, found {count} (add the missing link)"
                yield Finding("redundancy", "error", name, "", text)
            elif count == 1:
                text = f"expected links to two {above}s or more, found 1: its loss cuts {name} off (add a {above})"
                yield Finding("single-uplink", "warning", name, "", text)


def single_points(site: Site) -> Iterator[Finding]:
    """Switches whose loss parts leafs from each other."""
    leafs = [name for name, switch in site.switches.items() if switch.role == "leaf"]
    whole = _components(site.routed)
    for name in sorted(_articulation(site.routed)):
        without = {n: near - {name} for n, near in site.routed.items() if n != name}
        left = _components(without)
        if len({left[n] for n in leafs if n != name}) == len({whole[n] for n in leafs if n != name}):
            continue
        text = (
            "expected that the loss of one switch parts nobody, found that all paths of some switches cross it"
            " (add a second)"
        )
        yield Finding("single-point", "warning", name, "", text)


def partition(site: Site) -> Iterator[Finding]:
    """NICs of one name reach each other. Rails and planes of their own do not have to."""
    component = _components(site.routed)
    seen: dict[str, tuple[int, str]] = {}
    told: set[tuple[str, str]] = set()
    leafs_routed = any(site.routed.values())
    for host in site.hosts.values():
        for nic in host.nics:
            if nic.peer is None or nic.peer.switch not in component or not leafs_routed:
                continue
            own = (component[nic.peer.switch], nic.peer.switch)
            first = seen.setdefault(nic.name, own)
            if first[0] != own[0] and (nic.name, own[1]) not in told:
                told.add((nic.name, own[1]))
                text = f"expected a path to {first[1]} for NICs {nic.name}, found none (add links)"
                yield Finding("partition", "error", own[1], "", text)


def bonds(site: Site) -> Iterator[Finding]:
    """A bundle over a pair is on both of its switches, and the pair has a peer link."""
    for name, switch in site.switches.items():
        partners = [n for n, s in site.switches.items() if s.pair == switch.pair and n != name] if switch.pair else []
        for bond in switch.bonds:
            if bond.mlag_id is None or not partners:
                continue
            far = site.switches[partners[0]]
            if not any(b.mlag_id == bond.mlag_id for b in far.bonds):
                text = (
                    f"expected bond with mlag_id {bond.mlag_id} on {partners[0]} too, found none (cable the"
                    " second port)"
                )
                yield Finding("bond-half", "error", name, bond.members[0], text)
        if switch.peer_link is not None and partners:
            far = site.switches[partners[0]].peer_link
            if far is None or far.domain != switch.peer_link.domain or far.mac != switch.peer_link.mac:
                text = f"expected the same domain and MAC address on {partners[0]}, found others (set one value)"
                yield Finding("peer-link", "error", name, "", text)
            elif far.primary == switch.peer_link.primary:
                text = f"expected one primary in the pair, found {name} and {partners[0]} alike (set primary on one)"
                yield Finding("peer-link", "error", name, "", text)


def hosts(site: Site) -> Iterator[Finding]:
    """Hosts whose NICs all end on one leaf; told once per leaf."""
    alone: dict[str, list[str]] = {}
    for name, host in site.hosts.items():
        leafs = {nic.peer.switch for nic in host.nics if nic.peer is not None}
        if len(leafs) == 1:
            alone.setdefault(leafs.pop(), []).append(name)
    for leaf, names in alone.items():
        text = (
            f"expected hosts on two leafs or more, found {len(names)} on this one alone ({names[0]} first): its"
            " loss cuts them off"
        )
        yield Finding("host-one-leaf", "warning", leaf, "", f"{text} (a second leaf, or accept it)")


def _components(graph: Mapping[str, set[str]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for start in graph:
        if start in found:
            continue
        found[start] = number = len(found)
        stack = [start]
        while stack:
            for near in graph[stack.pop()]:
                if near not in found:
                    found[near] = number
                    stack.append(near)
    return found


def _articulation(graph: Mapping[str, set[str]]) -> set[str]:
    """Articulation points (Hopcroft and Tarjan 1973), without recursion."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    found: set[str] = set()
    for root in graph:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        children = 0
        stack = [(root, None, iter(graph[root]))]
        while stack:
            node, parent, nearby = stack[-1]
            for near in nearby:
                if near not in order:
                    order[near] = low[near] = len(order)
                    stack.append((near, node, iter(graph[near])))
                    break
                if near != parent:
                    low[node] = min(low[node], order[near])
            else:
                stack.pop()
                if parent is not None:
                    low[parent] = min(low[parent], low[node])
                    if parent == root:
                        children += 1
                    elif low[node] >= order[parent]:
                        found.add(parent)
        if children > 1:
            found.add(root)
    return found
