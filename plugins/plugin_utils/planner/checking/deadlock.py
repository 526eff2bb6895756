# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cyclic buffer dependency: a circle of links, each of which may be paused because the next one is.

A lossless link a-b depends on b-c when some shortest path uses both in that order. A circle of dependencies can stop
for ever (PFC deadlock). Paths that go up and then down never close one; a path that goes down and up again may.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking.site import Site
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.findings import Finding

_LEVEL = {"leaf": 0, "spine": 1, "superspine": 2}
Link = tuple[str, str]


def deadlock(site: Site) -> Iterator[Finding]:
    """A circle, or routing that may close one after a failure."""
    graph = site.routed
    level = {name: _LEVEL[switch.role] for name, switch in site.switches.items()}
    if not _tiered(graph, level) or not _regular(graph, level):
        circle = _circle(_dependencies(graph, [n for n in graph if level[n] == 0] or list(graph)))
        if circle:
            words = " > ".join((*circle, circle[0]))
            text = (
                f"expected paths that go up and then down, found a circle of lossless links that wait for each other:"
                f" {words} (remove a link, or take it out of the lossless class)"
            )
            yield Finding("pfc-deadlock", "error", circle[0], "", text)
            return
    for numbers, names in _valleys(site, level).items():
        others = f" by {len(names)} switches" if len(names) > 1 else ""
        text = (
            "expected one AS number on all switches above, so that no path goes down and up again after a failure,"
            f" found {', '.join(map(str, numbers))}{others} (let the spines of a pod share one)"
        )
        yield Finding("valley", "warning", names[0], "", text)


def _tiered(graph: Mapping[str, set[str]], level: Mapping[str, int]) -> bool:
    return all(abs(level[a] - level[b]) == 1 for a, near in graph.items() for b in near)


def _regular(graph: Mapping[str, set[str]], level: Mapping[str, int]) -> bool:
    """Leafs form groups with the same spines, groups share no spine, and all groups reach the same cores."""
    group_of: dict[str, frozenset[str]] = {}
    cores: dict[frozenset[str], frozenset[str]] = {}
    for leaf in (n for n in graph if level[n] == 0):
        group = frozenset(graph[leaf])
        if group in cores:
            continue
        for spine in group:
            if group_of.setdefault(spine, group) != group:
                return False
        cores[group] = frozenset(c for spine in group for c in graph[spine] if level[c] == 2)
    above = {found for found in cores.values() if found}
    return len(above) <= 1


def _dependencies(graph: Mapping[str, set[str]], ends: list[str]) -> dict[Link, set[Link]]:
    """Link -> links that follow it on a shortest path between two of ``ends``."""
    follows: dict[Link, set[Link]] = {}
    sources = set(ends)
    for target in ends:
        distance = {target: 0}
        queue = deque([target])
        while queue:
            node = queue.popleft()
            for near in graph[node]:
                if near not in distance:
                    distance[near] = distance[node] + 1
                    queue.append(near)
        # Walk the shortest paths from the sources towards the target.
        used = [n for n in distance if n in sources and n != target]
        seen = set(used)
        while used:
            node = used.pop()
            for near in graph[node]:
                if distance[near] != distance[node] - 1:
                    continue
                if near != target:
                    following = follows.setdefault((node, near), set())
                    following.update((near, far) for far in graph[near] if distance[far] == distance[near] - 1)
                if near not in seen:
                    seen.add(near)
                    used.append(near)
    return follows


def _circle(follows: Mapping[Link, set[Link]]) -> list[str]:
    """Switches of one circle; empty without."""
    state: dict[Link, int] = {}
    for start in sorted(follows):
        if start in state:
            continue
        state[start] = 1
        stack = [(start, iter(sorted(follows[start])))]
        while stack:
            link, following = stack[-1]
            for after in following:
                if state.get(after) == 1:
                    path = [item[0] for item in stack]
                    return [a for a, _ in path[path.index(after) :]]
                if after not in state and after in follows:
                    state[after] = 1
                    stack.append((after, iter(sorted(follows[after]))))
                    break
            else:
                state[link] = 2
                stack.pop()
    return []


def _valleys(site: Site, level: Mapping[str, int]) -> dict[tuple[int, ...], list[str]]:
    """AS numbers above -> switches that see more than one."""
    found: dict[tuple[int, ...], list[str]] = {}
    for name, switch in site.switches.items():
        if switch.underlay is None:
            continue
        above = {
            far.underlay.asn
            for far in (site.switches[n] for n in site.routed[name] if level[n] > level[name])
            if far.underlay is not None
        }
        if len(above) > 1:
            found.setdefault(tuple(sorted(above)), []).append(name)
    return found
