# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DSCP map of the switches."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Device, Fabric, Finding
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.words import mapping


class DscpMap(Check):
    """A switch must put every DSCP into the priority of the intent.

    Reads: DSCP map in force, on switches that trust DSCP. A DSCP that no class names belongs to the default class; if
    the platform does not list it, it is there.
    """

    name = "dscp_map"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for device in fabric.devices.values():
            if device.model.roce.trust != "dscp" or not self.told(_in_force(device)):
                continue
            planned, actual = _planned(device), _in_force(device)
            wrong = _differences(device)
            if not wrong:
                continue
            paused = device.lossless_priorities
            if any(planned[d] in paused for d in wrong):
                why = "RoCE packets take a queue that drops"
            elif any(actual.get(d) in paused for d in wrong):
                why = "other traffic fills the lossless queue and causes pauses"
            else:
                why = "packets take another queue than on the rest of the fabric"
            yield self.finding(
                device,
                expected=f"DSCP {mapping({d: planned[d] for d in wrong})}",
                actual=f"DSCP {mapping({d: actual.get(d, 'no class') for d in wrong})}",
                why=why,
                remedy="apply the intent to the switch (site.yml)",
            )


class DscpMapEnds(Check):
    """Two switches with a cable between them must agree on the priority of every DSCP.

    Reads: DSCP maps in force at both ends; each pair of switches once. A switch that is unlike its own intent is left
    to dscp_map.
    """

    name = "dscp_map_ends"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        seen = set()
        for a, b in self.links(fabric):
            pair = (a.device, b.device)
            if pair in seen or any(d.model.roce.trust != "dscp" for d in pair):
                continue
            seen |= {pair, pair[::-1]}
            left, right = (_in_force(d) for d in pair)
            if not self.told(left, right) or any(_differences(d) for d in pair):
                continue
            wrong = [d for d in sorted(set(left) & set(right)) if left[d] != right[d]]
            if wrong:
                yield self.finding(
                    a.device,
                    expected="the same priority for each DSCP at both ends",
                    actual=", ".join(
                        f"{device.name}: DSCP {mapping({d: told[d] for d in wrong})}"
                        for device, told in zip(pair, (left, right), strict=True)
                    ),
                    why="packets change their class on the way and are dropped or paused wrongly",
                    remedy="give both switches the same RoCE classes in the intent",
                )


def _in_force(device: Device) -> dict[int, int] | None:
    return (device.facts.dscp_to_priority or None) if device.facts else None


def _planned(device: Device) -> dict[int, int]:
    classes = device.model.roce.classes
    default = next(c.priority for c in classes if not c.dscp)
    return dict.fromkeys(range(64), default) | {d: c.priority for c in classes for d in c.dscp}


def _differences(device: Device) -> list[int]:
    """DSCP values that are not where they should be."""
    named = {d for c in device.model.roce.classes for d in c.dscp}
    planned, actual = _planned(device), _in_force(device) or {}
    return [d for d in sorted(named | set(actual)) if planned.get(d) != actual.get(d)]
