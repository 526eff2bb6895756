# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""MTU of the NICs."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class NicMtu(Check):
    """A NIC must have the MTU of the intent, and so must its VLANs.

    Reads: MTU of the interface and of those of its VLANs. The MTU of the switch port is told with it; a port that is
    unlike its own intent is reported by mtu.
    """

    name = "nic_mtu"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for nic in fabric.nics:
            far = fabric.port_of(nic)
            known = f"; the switch port, {far}, has {far.facts.mtu}" if far is not None and far.facts.mtu else ""
            tagged = {tagged.vlan for tagged in nic.model.tagged}
            vlans = {f" VLAN {n}": v.mtu for n, v in sorted((nic.facts.vlans or {}).items()) if n in tagged}
            for name, actual in {"": nic.facts.mtu, **vlans}.items():
                if not self.told(actual) or actual == nic.model.mtu:
                    continue
                yield self.finding(
                    nic,
                    expected=f"{nic.model.mtu} bytes{name}",
                    actual=f"{actual} bytes{name}",
                    why=(
                        "RDMA falls back to smaller packets, and peers with the full MTU do not get through"
                        if actual < nic.model.mtu
                        else "the fabric may drop what this NIC sends"
                    )
                    + known,
                    remedy="apply the intent to the host (site.yml)",
                )
