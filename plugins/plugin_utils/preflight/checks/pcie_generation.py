# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed of PCIe links."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.module_utils.host.pci import GENERATIONS
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class PcieGeneration(Check):
    """GPUs and RDMA NICs run at their generation.

    A GPU that saves power lowers its link: with a performance state other than P0 a slow link is no answer.
    """

    name = "pcie_generation"
    reads = "link status and link capability of the device, and of the port above it"
    why = "each generation down halves the bandwidth between GPU, NIC and memory"
    remedy = "set the slot's link speed to Auto in the BIOS; if it stays, reseat the card or riser, then replace it"

    def examine(self, view: View) -> Iterator[Outcome]:
        answers = [
            self._one(view, device, profile.pcie_generation if profile else None)
            for device, profile in view.with_profile()
        ]
        yield from answers or [self.skip("no GPU and no RDMA NIC found")]

    def _one(self, view: View, device: dict, wanted: int | None) -> Outcome:
        link, smi = device["link"] or {}, view.smi_of(device) or {}
        now = GENERATIONS.get(link.get("speed")) or smi.get("pcie_link_gen_current")
        expected = wanted or GENERATIONS.get(link.get("max_speed")) or smi.get("pcie_link_gen_max")
        label = view.label(device)
        if not now or not expected:
            return self.answer(label, "its fastest link", "link not readable (run as root)", None)
        if now < expected and (state := smi.get("pstate")) and state != "P0":
            return self.answer(
                label, f"generation {expected}", f"generation {now}, saving power in state {state}", None
            )
        above = view.slot_of(device)
        slot = GENERATIONS.get(above["max_speed"]) if above else None
        if now < expected and slot is not None and slot < expected:
            remedy = f"the slot offers generation {slot}: use another slot, or raise its speed limit in the BIOS"
            actual = f"generation {now} in a generation {slot} slot"
            return self.answer(label, f"generation {expected}", actual, False, remedy=remedy)
        return self.answer(label, f"generation {expected}", f"generation {now}", now >= expected)
