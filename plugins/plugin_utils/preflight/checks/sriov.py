# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SR-IOV of RDMA NICs."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class Sriov(Check):
    """RDMA NICs offer virtual functions."""

    name = "sriov"
    reads = "sriov_totalvfs and the SR-IOV capability of every RDMA NIC"
    why = "containers and virtual machines cannot get a NIC function of their own"
    remedy = "enable SR-IOV in the BIOS"

    def examine(self, view: View) -> Iterator[Outcome]:
        if view.hardware.nics is not None and not view.hardware.nics.sriov:
            yield self.skip("host.hardware.nics.sriov is false")
            return
        if view.virtual:
            yield self.skip("virtual machine: virtual functions are made by the hypervisor")
            return
        if not view.nics:
            yield self.skip("no RDMA NIC found")
        for nic in view.nics:
            total, offered = nic["sriov"]["total"], nic["sriov"]["offered"]
            if total is None:
                actual: str = "not readable (run as root)"
            elif total:
                actual = f"{total} virtual functions"
            else:
                actual = f"none ({offered} offered by the NIC)" if offered else "none, and none offered by the NIC"
            remedy = self.remedy
            if offered == 0:
                remedy = (
                    "set SRIOV_EN and NUM_OF_VFS in nic_firmware_settings (or with mlxconfig, then reset the NIC or"
                    " reboot); or say that it is not needed with host.hardware.nics.sriov"
                )
            yield self.answer(
                view.label(nic), "virtual functions", actual, None if total is None else total > 0, remedy=remedy
            )
