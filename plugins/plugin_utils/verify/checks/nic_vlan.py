# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""VLANs of the NICs."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.words import numbers


class NicVlan(Check):
    """Every tagged VLAN with an address must be an interface of the host, and tagged at the switch port.

    Reads: VLAN interfaces of the NIC or its bond, mode and VLANs of the switch port. What the port is by its own intent
    is left to vlan.
    """

    name = "nic_vlan"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for nic in fabric.nics:
            for tagged in nic.model.tagged:
                if not self.told(nic.facts.vlans) or tagged.vlan in nic.facts.vlans:
                    continue
                far = fabric.port_of(nic)
                carried = far is not None and far.facts.mode == "trunk" and tagged.vlan in far.facts.vlans
                yield self.finding(
                    nic,
                    expected=f"an interface in VLAN {tagged.vlan}",
                    actual=f"VLANs {numbers(nic.facts.vlans)}",
                    why=f"the host has no {tagged.address}"
                    + (f"; the switch port, {far}, carries the VLAN" if carried else ""),
                    remedy="apply the intent to the host (site.yml)",
                )
