# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Front ports of a switch profile as the links of a design: names, split where the profile says so."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.switches import SwitchProfile
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.cabling import expand_ports


@dataclass(frozen=True, slots=True)
class Panel:
    """Ports towards hosts (or lower tiers) and towards upper tiers. ``free``: one list for both."""

    down: tuple[str, ...]
    up: tuple[str, ...]
    free: tuple[str, ...]

    @property
    def ports(self) -> int:
        """Links on the whole panel."""
        return len(self.free) or len(self.down) + len(self.up)


def panel(profile: SwitchProfile) -> Panel:
    """ValueError when the profile does not say which ports there are."""
    down, up = _names(profile, profile.host_ports), _names(profile, profile.uplinks)
    every = _names(profile, profile.ports)
    if down and up:
        return Panel(down, up, ())
    if not every:
        raise ValueError("expected ports, or host_ports and uplinks, for a design, found none (list the front ports)")
    if up:
        taken = set(up)
        return Panel(tuple(p for p in every if p not in taken), up, ())
    if down:
        taken = set(down)
        return Panel(down, tuple(p for p in every if p not in taken), ())
    return Panel((), (), every)


def _names(profile: SwitchProfile, texts: list[str] | None) -> tuple[str, ...]:
    if not texts:
        return ()
    return tuple(
        name
        for front in expand_ports(tuple(texts))
        for name in split(profile.platform, front, profile.breakout or 1, profile.lanes or 8)
    )


@cache
def split(platform: str, front: str, parts: int, lanes: int) -> tuple[str, ...]:
    """Names of the parts of a front port.

    NVUE counts parts from 0 (swp1s0), NX-OS from 1 as a third level (Ethernet1/1/1), EOS names the first lane of each
    part (Ethernet1/1 and Ethernet1/5 of eight lanes).
    """
    if parts == 1:
        return (front,)
    if platform == "nvue":
        return tuple(f"{front}s{n}" for n in range(parts))
    if platform == "nxos":
        return tuple(f"{front}/{n}" for n in range(1, parts + 1))
    base = re.sub(r"/1$", "", front)
    step = max(lanes // parts, 1)
    return tuple(f"{base}/{1 + n * step}" for n in range(parts))
