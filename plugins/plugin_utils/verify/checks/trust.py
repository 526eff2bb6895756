# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which field of a packet decides."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class Trust(Check):
    """A lossless port must classify by the field that the intent names.

    Reads: trust of the port. "both" (DSCP for IP, CoS for the rest) is as good as DSCP, since RoCEv2 is IP.
    """

    name = "trust"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.lossless_ports:
            planned, actual = port.device.model.roce.trust, port.facts.trust
            if not self.told(actual) or actual == planned or (actual == "both" and planned == "dscp"):
                continue
            yield self.finding(
                port,
                expected=f"trust {planned}",
                actual=f"trust {actual}",
                why="RoCE packets that enter here do not reach the lossless queue",
                remedy="apply the intent to the switch (site.yml)",
            )
