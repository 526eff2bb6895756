# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""VLANs and mode of the ports."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Port
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import PortFacts
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.words import numbers

# What a trunk uses for untagged frames when nothing is configured: VLAN 1 on all platforms.
DEFAULT_NATIVE = 1


class Vlan(Check):
    """A port must be in the mode and the VLANs of the intent.

    Reads: mode (routed, access, trunk), access VLAN, allowed VLANs and native VLAN. A trunk without native VLAN in the
    intent must not have another one than the default VLAN 1.
    """

    name = "vlan"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.active_ports:
            facts = port.facts
            if not self.told(facts.mode, facts.vlan if facts.mode == "access" else True):
                continue
            planned, actual = _describe(port.model), _describe(facts)
            if port.model.mode == facts.mode == "trunk" and facts.native_vlan is None:
                actual = _describe(facts, native=port.model.native_vlan)  # not told: taken as planned
            if planned != actual:
                yield self.finding(
                    port,
                    expected=planned,
                    actual=actual,
                    why="frames are dropped or leave the network that isolates training traffic",
                    remedy="apply the intent to the switch (site.yml)",
                )


def _describe(port: Port | PortFacts, native: int | None = None) -> str:
    if port.mode == "access":
        return f"access VLAN {port.vlan}"
    if port.mode == "trunk":
        untagged = port.native_vlan or native or DEFAULT_NATIVE
        return f"trunk VLANs {numbers(port.vlans)} native {untagged}"
    return str(port.mode)
