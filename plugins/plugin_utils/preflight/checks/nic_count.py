# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Number of RDMA NICs."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class NicCount(Check):
    """Every RDMA NIC of the server type is there."""

    name = "nic_count"
    reads = "PCI devices"
    why = "a rail without NIC halves or stops the traffic of its GPU"
    remedy = "look for the missing NIC in the BIOS (slot disabled, bifurcation), reseat it; correct host.hardware.nics"

    def examine(self, view: View) -> Iterator[Outcome]:
        for nic in view.host.nics if view.host else ():
            if nic.pci_address:
                there = nic.pci_address in view.devices
                actual = "there" if there else "no device"
                yield self.answer(nic.name, f"a NIC at {nic.pci_address}", actual, there)
        for nic in view.nics:
            if nic["fallen"]:
                yield self.answer(
                    view.label(nic), "a device that answers", "fallen off the bus (reads all ones)", False
                )
        if view.hardware.nics is None:
            yield self.skip("no number of NICs is expected (host.hardware.nics)")
            return
        expected, found = view.hardware.nics.count, sum(not nic["fallen"] for nic in view.nics)
        yield self.answer("", f"{expected} RDMA NICs", f"{found} on the PCI bus", found == expected)
