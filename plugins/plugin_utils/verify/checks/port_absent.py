# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports that do not exist."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class PortAbsent(Check):
    """A port of the model must exist on the switch.

    Reads: the list of ports. Breakout creates and removes ports, so a missing port usually means another breakout.
    """

    name = "port_absent"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.active_ports:
            if not self.told(port.device.facts):
                continue
            if port.absent:
                yield self.finding(
                    port,
                    expected="a port of this name",
                    actual="no such port",
                    why="the intent describes a port that the switch does not have",
                    remedy="correct the breakout of the switch or the name of the port in the intent",
                )
