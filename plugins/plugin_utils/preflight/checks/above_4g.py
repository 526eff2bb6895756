# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Above-4G decoding."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View

LIMIT = 1 << 32
LARGE = 256 << 20  # what still fits below 4 GiB beside everything else


class Above4g(Check):
    """Large BARs are placed above 4 GiB, and every BAR is placed."""

    name = "above_4g"
    reads = "BARs of GPUs and RDMA NICs, memory windows of the root bridges"
    why = "GPU memory cannot be mapped: the driver does not start, or GPUDirect RDMA is impossible"
    remedy = "enable Above 4G Decoding (and Resizable BAR) in the BIOS"

    def examine(self, view: View) -> Iterator[Outcome]:
        if not view.hardware.above_4g:
            yield self.skip("host.hardware.above_4g is false")
            return
        devices = [*view.gpus, *view.nics]
        for device in devices:
            yield self._one(view, device)
        if not view.gpus:
            window = view.facts["memory"]["pci_window_above_4g"]
            actual = {True: "there", False: "none", None: "not readable (run as root)"}[window]
            yield self.answer("root bridges", "a memory window above 4 GiB", actual, window)

    def _one(self, view: View, device: dict) -> Outcome:
        label = view.label(device)
        if device["bars"] is None:
            return self.answer(label, "large BARs above 4 GiB", "PCI bus not readable", None)
        if not device["bars"]:
            return self.answer(label, "memory BARs", "none placed", False)
        for bar in device["bars"]:
            if not bar["assigned"]:
                return self.answer(label, "every BAR placed", f"BAR {bar['index']} has no address", False)
        largest = max(device["bars"], key=lambda bar: bar["size"])
        where = f"BAR {largest['index']} of {largest['size'] >> 20} MiB at {largest['start']:#x}"
        good = largest["size"] < LARGE or largest["start"] >= LIMIT
        return self.answer(label, "large BARs above 4 GiB", where, good)
