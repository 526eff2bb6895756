# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IOMMU passthrough."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View

# The second is the kernel's general word for it, and the only one on Arm.
PASSTHROUGH = {"iommu=pt", "iommu.passthrough=1"}


class IommuPassthrough(Check):
    """DMA of GPUs and NICs is not translated: ``iommu=pt``, and the groups are of type identity."""

    name = "iommu_passthrough"
    reads = "kernel arguments; type of the IOMMU groups of GPUs and RDMA NICs"
    why = "every DMA is translated: lower bandwidth, and GPUDirect RDMA between devices may fail"
    remedy = "add iommu=pt (on Arm iommu.passthrough=1) to the kernel arguments and reboot"

    def examine(self, view: View) -> Iterator[Outcome]:
        if view.hardware.iommu != "passthrough":
            yield self.skip(f"host.hardware.iommu is {view.hardware.iommu}")
            return
        if view.virtual:
            yield self.skip("virtual machine: the IOMMU is the hypervisor's")
            return
        groups = view.facts["iommu"]["groups"]
        if not groups:
            yield self.skip("the IOMMU is off")
            return
        argument = not PASSTHROUGH.isdisjoint(view.facts["kernel"]["cmdline"])
        numbers = [str(d["iommu_group"]) for d in [*view.gpus, *view.nics] if d["iommu_group"] is not None]
        kinds = {groups.get(number) for number in numbers} - {None} or {k for k in groups.values() if k}
        if not kinds:  # kernels before 5.11 do not say
            yield self.answer("", "iommu=pt", "iommu=pt" if argument else "no iommu=pt", argument)
            return
        actual = f"groups of type {', '.join(sorted(kinds))}, {'with' if argument else 'without'} iommu=pt"
        if kinds == {"identity"} and not argument:
            # The kernel was built so; another kernel may not be.
            yield self.answer("", "iommu=pt", actual, False, severity="warning", why="it holds for this kernel only")
            return
        remedy = None
        if argument and kinds != {"identity"}:
            remedy = "iommu=pt is there but not in force: look for another iommu argument, or a device set to DMA"
        yield self.answer("", "groups of type identity, with iommu=pt", actual, kinds == {"identity"}, remedy=remedy)
