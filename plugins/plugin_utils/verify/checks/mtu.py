# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""MTU of the ports."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class Mtu(Check):
    """A port must have the MTU of the intent.

    Reads: MTU in bytes of IP packet.
    """

    name = "mtu"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.active_ports:
            actual, planned = port.facts.mtu, port.model.mtu
            if not self.told(actual) or actual == planned:
                continue
            far = fabric.far(port) or fabric.nic_at(port)
            known = f"; the far end, {far}, has {far.facts.mtu}" if far is not None and far.facts.mtu else ""
            yield self.finding(
                port,
                expected=f"{planned} bytes",
                actual=f"{actual} bytes",
                why=(
                    f"packets above {actual} bytes are lost at this hop"
                    if actual < planned
                    else "the two ends of the link may differ"
                )
                + known,
                remedy="apply the intent to the switch (site.yml)",
            )
