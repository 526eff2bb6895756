# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How NICs reach GPU memory."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class Gpudirect(Check):
    """NICs can reach GPU memory: nvidia_peermem is loaded, or the open driver offers DMA-BUF."""

    name = "gpudirect"
    severity = "warning"
    reads = "peer memory modules, flavour of the NVIDIA driver, kernel release"
    why = "without it NCCL copies through host memory: a fraction of the bandwidth"
    remedy = "use the open NVIDIA kernel modules (DMA-BUF), or load nvidia_peermem after the RDMA stack"

    def examine(self, view: View) -> Iterator[Outcome]:
        nvidia = view.facts["nvidia"]
        if nvidia["version"] is None or not view.facts["rdma"]:
            yield self.skip("needs a loaded NVIDIA driver and RDMA devices")
            return
        ways = []
        if nvidia["peer_memory"]:
            ways.append("peer memory module")
        release = tuple(int(part) for part in view.facts["kernel"]["release"].split("-")[0].split(".")[:2])
        if nvidia["open"] and release >= (5, 12):
            ways.append("DMA-BUF")
        yield self.answer("", "DMA-BUF or nvidia_peermem", " and ".join(ways) or "neither", bool(ways))
