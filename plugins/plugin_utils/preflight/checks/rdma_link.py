# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""State and speed of RDMA ports."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight import links
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class RdmaLink(Check):
    """RDMA ports are up at the speed of the model; ports of InfiniBand need a subnet manager."""

    name = "rdma_link"
    severity = "warning"  # before the host's network is set up a port may rightly be down
    reads = "state, physical state, rate and link layer of every RDMA port"
    why = "the rail carries nothing, or less than the plan counts on"
    remedy = "check cable, optic and switch port; for ConnectX ask mlxlink -d NIC -e -c for the reason"

    def examine(self, view: View) -> Iterator[Outcome]:
        entries = [entry for nic in view.nics if (entry := view.rdma_of(nic))]
        if not entries:
            yield self.skip("no RDMA device yet (the driver is not loaded)")
        speeds = self._speeds(view)
        for entry in entries:
            for port in entry["ports"]:
                label = f"{entry['name']}/{port['port']}"
                infiniband = port["link_layer"] == "InfiniBand"
                up = port["state"] == "ACTIVE"
                expected = "ACTIVE"
                actual = f"{port['state']}, {port['physical_state']}, {port['link_layer']}"
                remedy = None
                if infiniband and port["physical_state"] == "LinkUp" and not up:
                    remedy = "the link is up and not active: start a subnet manager for this InfiniBand fabric"
                wanted = speeds.get(entry["pci"])
                if up and wanted and port["rate_mbps"]:
                    expected = f"ACTIVE at {wanted // 1000} Gb/s"
                    actual = f"{port['state']} at {port['rate_mbps'] // 1000} Gb/s, {port['link_layer']}"
                    up = port["rate_mbps"] >= wanted
                if not up and (advice := links.advice(view.facts.get("mlxlink", {}).get(entry["pci"]))):
                    actual += f"; mlxlink: {advice}"
                yield self.answer(label, expected, actual, up, remedy=remedy)

    @staticmethod
    def _speeds(view: View) -> dict[str, int]:
        """Speed by PCI address; one speed for all where the model gives no addresses."""
        nics = view.host.nics if view.host else ()
        by_address = {nic.pci_address: nic.speed for nic in nics if nic.pci_address and nic.speed}
        common = {nic.speed for nic in nics}
        if not by_address and len(common) == 1 and None not in common:
            return {device["address"]: common.copy().pop() for device in view.nics}
        return by_address
