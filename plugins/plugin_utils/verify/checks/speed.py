# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed of the link."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.words import speed


class Speed(Check):
    """A port must come up at the planned speed.

    Reads: speed in force, on ports with link. A port whose speed the intent leaves to the optic has no planned speed.
    """

    name = "speed"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.active_ports:
            planned, actual = port.model.speed, None if port.down else port.facts.speed
            if planned is None or not self.told(actual) or actual == planned:
                continue
            slower = actual < planned
            yield self.finding(
                port,
                expected=speed(planned),
                actual=speed(actual),
                why=f"the port came up at {speed(actual)}, {'slower' if slower else 'faster'} than planned; "
                + ("flows over it hold back every job" if slower else "buffers and thresholds are sized for the plan"),
                remedy="check optics, cable, breakout and auto-negotiation at both ends",
            )
