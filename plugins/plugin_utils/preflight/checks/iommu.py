# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IOMMU."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class Iommu(Check):
    """The IOMMU is on (or off, where the server type says so)."""

    name = "iommu"
    reads = "IOMMU units and groups of the kernel"
    why = "without it SR-IOV, interrupt remapping and isolation are missing, and with many CPUs interrupts too"
    remedy = "enable VT-d or AMD-Vi in the BIOS, and on Intel boot with intel_iommu=on"

    def examine(self, view: View) -> Iterator[Outcome]:
        wanted = view.hardware.iommu
        if wanted == "any":
            yield self.skip("host.hardware.iommu is any")
            return
        if view.virtual:
            yield self.skip("virtual machine: the IOMMU is the hypervisor's")
            return
        facts = view.facts["iommu"]
        on = bool(facts["units"]) and bool(facts["groups"])
        actual = f"{len(facts['units'])} units, {len(facts['groups'])} groups" if on else "off"
        if wanted == "off":
            remedy = "disable VT-d or AMD-Vi in the BIOS, or boot with intel_iommu=off or amd_iommu=off"
            why = "the server type is specified without IOMMU"
            yield self.answer("", "off", actual, not on, why=why, remedy=remedy)
        else:
            yield self.answer("", "on", actual, on)
