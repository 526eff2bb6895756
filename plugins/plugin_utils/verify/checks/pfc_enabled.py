# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Priority flow control switched off."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.words import numbers


class PfcEnabled(Check):
    """Priority flow control must be on at every lossless port.

    Reads: whether PFC is configured.
    """

    name = "pfc_enabled"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.lossless_ports:
            if not self.told(port.facts.pfc.enabled) or port.facts.pfc.enabled:
                continue
            yield self.finding(
                port,
                expected=f"PFC on, priority {numbers(port.intended_priorities)}",
                actual="PFC off",
                why="this hop drops RoCE packets under congestion; senders report transport retry count exceeded",
                remedy="apply the intent to the switch (site.yml)",
            )
