# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Priority flow control not in force."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class PfcOperational(Check):
    """Priority flow control that is configured must be in force.

    Reads: operational state of PFC on ports with link. DCBX may switch it off when the far end does not agree.
    """

    name = "pfc_operational"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.lossless_ports:
            if port.facts.pfc.enabled is False:
                continue  # pfc_enabled
            if not self.told(None if port.down else port.facts.pfc.operational) or port.facts.pfc.operational:
                continue
            peer = f" {port.model.peer.device}" if port.model.peer else ""
            yield self.finding(
                port,
                expected="PFC operational",
                actual="PFC configured, not operational",
                why="this hop drops RoCE packets under congestion",
                remedy=f"check PFC and DCBX of the far end{peer}, and whether the switch has buffers left for it",
            )
