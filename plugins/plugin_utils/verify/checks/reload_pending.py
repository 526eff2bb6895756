# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration that waits for a reload."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class ReloadPending(Check):
    """What a switch was told about balancing its load is in force.

    Reads: the switch's own list of lines that come into force with a reload (NX-OS: dynamic load balancing), where the
    model wants adaptive routing.
    """

    name = "reload_pending"
    severity = "warning"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for device in fabric.devices.values():
            if device.model.underlay is None or not device.model.underlay.adaptive_routing:
                continue
            pending = device.facts.reload_pending if device.facts else None
            if not self.told(pending) or not pending:
                continue
            yield self.finding(
                device,
                expected="nothing that waits for a reload",
                actual="; ".join(pending),
                why="flows are still spread by their hash alone",
                remedy="copy running-config startup-config, then reload the switch at a time when it may be away",
            )
