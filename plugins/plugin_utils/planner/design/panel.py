# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Front ports of a switch profile as the links of a design: names, split where the profile says so."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.switches import SwitchProfile
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.breakout import split
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
    down, up = _fronts(profile.host_ports), _fronts(profile.uplinks)
    every = _fronts(profile.ports)
    if not every and not (down and up):
        raise ValueError("expected ports, or host_ports and uplinks, for a design, found none (list the front ports)")
    if up and not down:
        down = tuple(p for p in every if p not in set(up))
    elif down and not up:
        up = tuple(p for p in every if p not in set(down))
    if not down:
        return Panel((), (), _split(profile, every))
    return Panel(_split(profile, down), _split(profile, up), ())


def parts_of(profile: SwitchProfile, front: str) -> int:
    """Ports into which a front port is split."""
    parts = profile.breakout or 1
    if profile.uplink_breakout is None or front not in _fronts(profile.uplinks):
        return parts
    return profile.uplink_breakout


def _fronts(texts: list[str] | None) -> tuple[str, ...]:
    return expand_ports(tuple(texts or ()))


def _split(profile: SwitchProfile, fronts: tuple[str, ...]) -> tuple[str, ...]:
    lanes = profile.lanes or 8
    return tuple(n for f in fronts for n in split(profile.platform, f, parts_of(profile, f), lanes))
