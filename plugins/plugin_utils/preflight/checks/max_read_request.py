# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Size of PCIe read requests."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class MaxReadRequest(Check):
    """RDMA NICs may ask for as much in one read as the server type says."""

    name = "max_read_request"
    severity = "warning"
    reads = "device control register of every RDMA NIC"
    why = "small read requests limit how fast the NIC fetches data to send"
    remedy = (
        "set it in the BIOS, or after every boot with setpci -s NIC CAP_EXP+08.w=5000:F000 (4096 bytes; refused by a"
        " kernel that Secure Boot locks down)"
    )

    def examine(self, view: View) -> Iterator[Outcome]:
        wanted = view.hardware.nics.max_read_request if view.hardware.nics else None
        if wanted is None:
            yield self.skip("no size is expected (host.hardware.nics.max_read_request)")
            return
        if not view.nics:
            yield self.skip("no RDMA NIC found")
        for nic in view.nics:
            found = nic["max_read_request"]
            actual = "configuration space not readable (run as root)" if found is None else f"{found} bytes"
            yield self.answer(
                view.label(nic), f"{wanted} bytes or more", actual, None if found is None else found >= wanted
            )
