# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Number of GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class GpuCount(Check):
    """Every GPU of the server type answers on the PCI bus."""

    name = "gpu_count"
    reads = "PCI devices; nvidia-smi where the driver is loaded"
    why = "a job that expects every GPU does not start, or hangs in its first collective"
    remedy = "look for the GPU in dmesg (Xid 79: fallen off the bus), power-cycle the server, then reseat it"

    def examine(self, view: View) -> Iterator[Outcome]:
        fallen = [gpu for gpu in view.gpus if gpu["fallen"]]
        for gpu in fallen:
            yield self.answer(view.label(gpu), "a device that answers", "fallen off the bus (reads all ones)", False)
        if view.hardware.gpus is None:
            yield self.skip("no number of GPUs is expected (host.hardware.gpus)")
            return
        expected, found = view.hardware.gpus.count, len(view.gpus) - len(fallen)
        hidden = any(gpu["address"] not in view.devices for gpu in view.gpus)
        where = "known to the driver" if hidden else "on the PCI bus"
        yield self.answer("", f"{expected} GPUs", f"{found} {where}", found == expected)
        if view.facts["gpus"]:
            answering = len(view.facts["gpus"])
            yield self.answer("nvidia-smi", f"{found} GPUs", f"{answering} answer", answering == found)
