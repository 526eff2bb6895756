# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which topology: the one that was asked for, or the simplest that does not block; and a comparison of all that fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing import clos
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.request import (
    SMALL,
    Blocked,
    Request,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.topology import Topology

CANDIDATES: dict[str, Callable[[Request], Topology]] = {
    "single": clos.single,
    "rail-only": clos.rail_only,
    "rail-optimised, two tiers": lambda want: clos.two_tier(want, rails=True),
    "leaf-spine": lambda want: clos.two_tier(want, rails=False),
    "rail-optimised, three tiers": lambda want: clos.three_tier(want, rails=True),
    "three-tier": lambda want: clos.three_tier(want, rails=False),
}
# What a layout may become, simplest first.
ALLOWED = {
    "single": ("single",),
    "rail-only": ("rail-only",),
    "leaf-spine": ("leaf-spine",),
    "three-tier": ("three-tier",),
    "rail-optimised": ("rail-optimised, two tiers", "rail-optimised, three tiers"),
}


def choose(want: Request) -> Topology:
    """The topology of a request. Blocked names the tier that does not fit and what would help."""
    blocked = []
    for name in _allowed(want):
        try:
            return CANDIDATES[name](want)
        except Blocked as error:
            blocked.append(error)
    last = blocked[-1]
    raise Blocked(last.tier, str(last).rsplit(" (", 1)[0], (*_fixes(want), *(f for f in last.fixes if "most" in f)))


def compare(want: Request) -> dict[str, Topology]:
    """Every candidate that fits, fewest switches first."""
    found = {}
    for name, size in CANDIDATES.items():
        try:
            found[name] = size(want)
        except Blocked:
            continue
    return dict(sorted(found.items(), key=lambda item: (item[1].switches, item[1].cables, item[0])))


def _allowed(want: Request) -> tuple[str, ...]:
    if want.layout != "auto":
        return ALLOWED[want.layout]
    tiers = ("rail-optimised, two tiers", "rail-optimised, three tiers") if want.node.nics > 1 else (
        "leaf-spine", "three-tier"
    )  # fmt: skip
    return ("single", *tiers) if want.most < SMALL and want.tors == 1 else tiers  # two ToRs are two switches


def _fixes(want: Request) -> tuple[str, ...]:
    """Changes that were tried and help."""
    tries = {
        "layout rail-optimised": replace(want, layout="rail-optimised"),
        "layout three-tier": replace(want, layout="three-tier"),
        "layout leaf-spine": replace(want, layout="leaf-spine"),
        **{f"oversubscription {o}": replace(want, oversubscription=float(o)) for o in (2, 3, 4, 8)},
        "a leaf and spine with twice the ports": replace(
            want,
            leaf=replace(want.leaf, ports=2 * want.leaf.ports),
            spine=replace(want.spine_kind, ports=2 * want.spine_kind.ports),
            core=replace(want.core_kind, ports=2 * want.core_kind.ports),
        ),
    }
    helps = []
    for words, changed in tries.items():
        if changed.layout == want.layout and words.startswith("layout"):
            continue
        if words.startswith("oversubscription") and (
            changed.oversubscription <= want.oversubscription or any(h.startswith("oversub") for h in helps)
        ):
            continue
        for name in _allowed(changed):
            try:
                CANDIDATES[name](changed)
            except Blocked:
                continue
            helps.append(words)
            break
    return tuple(helps)
