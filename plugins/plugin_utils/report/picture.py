# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The topology as SVG: one row per tier. A tier that would not be readable box by box is drawn as groups.

A group is a pod, and where there are too many pods or none, a run of neighbours in the order of the plan. Lines between
groups bear the number of cables; hover shows names.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from html import escape

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.plan import Plan

MOST = 24  # boxes in one row that stay readable
WIDTH = 1400
BOX, ROW = 34, 130
TIERS = ("superspine", "spine", "leaf", "host")
COLOURS = {"superspine": "#d9e2f3", "spine": "#e3eefc", "leaf": "#e7f3e4", "host": "#fdf1dc"}


@dataclass(frozen=True)
class Box:
    """One device or one group of devices."""

    tier: str
    title: str
    members: tuple[str, ...]
    x: float
    y: float
    width: float


def svg(plan: Plan) -> str:
    """The picture."""
    rows = [(tier, _groups(plan, tier)) for tier in TIERS]
    rows = [(tier, groups) for tier, groups in rows if groups]
    boxes: list[Box] = []
    for number, (tier, groups) in enumerate(rows):
        step = WIDTH / len(groups)
        width = min(step * 0.86, 170)
        for index, (title, members) in enumerate(groups):
            boxes.append(Box(tier, title, members, step * (index + 0.5) - width / 2, 30 + number * ROW, width))
    height = 30 + len(rows) * ROW - (ROW - BOX) + 30
    at = {member: box for box in boxes for member in box.members}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img" '
        f'aria-label="Topology of {escape(plan.fabric)}" font-family="Helvetica, Arial, sans-serif">'
    ]
    parts += _lines(_links(plan, at))
    parts += [_box(box) for box in boxes]
    parts.append("</svg>")
    return "\n".join(parts)


def _devices(plan: Plan, tier: str) -> list[str]:
    if tier == "host":
        return list(plan.hosts)
    return [name for name, switch in plan.switches.items() if switch.role == tier]


def _groups(plan: Plan, tier: str) -> list[tuple[str, tuple[str, ...]]]:
    names = _devices(plan, tier)
    if len(names) <= MOST:
        return [(name, (name,)) for name in names]
    pods = {
        member: group.removeprefix("pod_")
        for group, members in plan.groups.items()
        if group.startswith("pod_")
        for member in members
    }
    by_pod: dict[str, list[str]] = {}
    for name in names:
        by_pod.setdefault(pods.get(name, ""), []).append(name)
    if 1 < len(by_pod) <= MOST and "" not in by_pod:
        return [(f"pod {pod}: {_count(tier, len(m))}", tuple(m)) for pod, m in by_pod.items()]
    size = -(-len(names) // 16)
    runs = [names[start : start + size] for start in range(0, len(names), size)]
    return [(f"{run[0]} … {run[-1]}" if len(run) > 1 else run[0], tuple(run)) for run in runs]


def _count(tier: str, number: int) -> str:
    return f"{number} {tier}{'s' if number != 1 else ''}"


def _links(plan: Plan, at: dict[str, Box]) -> Counter[tuple[Box, Box]]:
    links: Counter[tuple[Box, Box]] = Counter()
    for name, switch in plan.switches.items():
        for port in switch.ports:
            if port.peer is None or port.peer.device not in at:
                continue
            here, there = at[name], at[port.peer.device]
            if port.peer.kind == "host" or here.y > there.y:  # each cable once, from the upper end of the picture
                links[(here, there) if here.y < there.y else (there, here)] += 1
    return links


def _lines(links: Counter[tuple[Box, Box]]) -> list[str]:
    parts = []
    busiest = max(links.values(), default=1)
    for (upper, lower), count in links.items():
        x1, y1 = upper.x + upper.width / 2, upper.y + BOX
        x2, y2 = lower.x + lower.width / 2, lower.y
        stroke = 0.6 + 2.4 * count / busiest
        title = f"{upper.title} - {lower.title}: {count} cable{'s' if count != 1 else ''}"
        parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#6b7686" '
            f'stroke-width="{stroke:.1f}" stroke-opacity="0.55"><title>{escape(title)}</title></line>'
        )
    return parts


def _box(box: Box) -> str:
    size = max(7.0, min(13.0, 1.75 * box.width / max(len(box.title), 1)))
    names = ", ".join(box.members[:40]) + (" …" if len(box.members) > 40 else "")
    return (
        f'<g><title>{escape(names)}</title><rect x="{box.x:.1f}" y="{box.y:g}" width="{box.width:.1f}" height="{BOX}" '
        f'rx="6" fill="{COLOURS[box.tier]}" stroke="#3b4252"/><text x="{box.x + box.width / 2:.1f}" '
        f'y="{box.y + BOX / 2 + size / 3:.1f}" text-anchor="middle" font-size="{size:.1f}">{escape(box.title)}</text>'
        "</g>"
    )
