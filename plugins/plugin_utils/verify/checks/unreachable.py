# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches that gave no facts."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class UnreachableSwitch(Check):
    """A switch must give facts.

    Reads: the outcome of switch_facts. Nothing else is known of such a switch, so all other checks count its ports as
    not checked.
    """

    name = "unreachable"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for device in fabric.devices.values():
            self.checked += 1
            if device.facts is None:
                yield self.finding(
                    device,
                    expected="facts of the switch",
                    actual=device.error or "no facts",
                    why="nothing is known about this switch and the far ends of its links",
                    remedy="make the switch reachable over SSH and verify again",
                )
