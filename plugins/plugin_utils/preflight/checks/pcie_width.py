# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lanes of PCIe links."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class PcieWidth(Check):
    """GPUs and RDMA NICs run on all their lanes.

    The device's own maximum counts unless the server type says another width.
    """

    name = "pcie_width"
    reads = "link status and link capability of the device, and of the port above it"
    why = "half the lanes are half the bandwidth between GPU, NIC and memory"
    remedy = "reseat the card or riser and clean its contacts; if it stays, replace riser or card"

    def examine(self, view: View) -> Iterator[Outcome]:
        answers = [
            self._one(view, device, profile.pcie_width if profile else None) for device, profile in view.with_profile()
        ]
        yield from answers or [self.skip("no GPU and no RDMA NIC found")]

    def _one(self, view: View, device: dict, wanted: int | None) -> Outcome:
        link, smi = device["link"], view.smi_of(device) or {}
        now, most = (link["width"], link["max_width"]) if link else (None, None)
        # A guest may hide the capability; the driver knows.
        now, most = now or smi.get("pcie_link_width_current"), most or smi.get("pcie_link_width_max")
        expected = wanted or most
        if not now or not expected:
            return self.answer(view.label(device), "a full-width link", "link not readable (run as root)", None)
        above = view.slot_of(device)
        slot = above["max_width"] or None if above else None
        if now < expected and slot is not None and slot < expected:
            remedy = f"the slot offers x{slot} only: use another slot, or undo its bifurcation in the BIOS"
            return self.answer(view.label(device), f"x{expected}", f"x{now} in a x{slot} slot", False, remedy=remedy)
        return self.answer(view.label(device), f"x{expected}", f"x{now}", now >= expected)
