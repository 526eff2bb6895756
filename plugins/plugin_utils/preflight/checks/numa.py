# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NUMA placement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class Numa(Check):
    """NUMA nodes are those of the server type, every GPU and NIC knows its own, and NICs are spread like GPUs."""

    name = "numa"
    reads = "NUMA nodes with memory, numa_node of every GPU and RDMA NIC"
    why = "traffic between GPU and NIC crosses the link between the CPUs, and threads are pinned to the wrong CPU"
    remedy = "check NUMA settings of the BIOS (NPS, SNC, node interleaving off) and in which slots the NICs are"

    def examine(self, view: View) -> Iterator[Outcome]:
        nodes = [node for node in view.facts["memory"]["nodes"] if node["bytes"]]
        wanted = view.hardware.numa_nodes
        if wanted is not None:
            yield self.answer("", f"{wanted} nodes with memory", f"{len(nodes)}", len(nodes) == wanted)
        if len(nodes) < 2:
            if wanted is None:
                yield self.skip("one NUMA node")
            return
        placed = True
        for device in [*view.gpus, *view.nics]:
            node = device["numa_node"]
            known = node is not None and node >= 0
            placed = placed and known
            actual = f"node {node}" if known else "not readable" if node is None else "none"
            yield self.answer(view.label(device), "a NUMA node", actual, None if node is None else known)
        if placed and self._complete(view) and view.gpus and len(view.nics) >= len(nodes):
            gpus, nics = (Counter(d["numa_node"] for d in group) for group in (view.gpus, view.nics))
            lonely = sorted(node for node in gpus if node not in nics)
            actual = ", ".join(f"node {n}: {gpus[n]} GPUs, {nics[n]} NICs" for n in sorted(gpus.keys() | nics.keys()))
            # Without expected numbers: those that do not divide say that something is missing.
            divides = not len(view.gpus) % len(gpus) and not len(view.nics) % len(gpus)
            even = not divides or {gpus[n] * len(view.nics) for n in gpus} == {nics[n] * len(view.gpus) for n in gpus}
            expected = "NICs on the nodes of the GPUs, in proportion"
            yield self.answer("GPUs and NICs", expected, actual, even and not lonely)

    @staticmethod
    def _complete(view: View) -> bool:
        """Where a device is missing, gpu_count and nic_count say so, and no proportion can be asked for."""
        wanted = ((view.gpus, view.hardware.gpus), (view.nics, view.hardware.nics))
        return all(len(found) == profile.count for found, profile in wanted if profile)
