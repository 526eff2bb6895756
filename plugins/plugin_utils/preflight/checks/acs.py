# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access Control Services between GPUs and NICs."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View

# DirectTrans alone lets peers talk directly.
HARMLESS = {"DirectTrans"}


class Acs(Check):
    """No bridge above a GPU or RDMA NIC redirects traffic between them to the root complex."""

    name = "acs"
    reads = "ACS control register of every bridge above a GPU or RDMA NIC"
    why = "GPUDirect RDMA goes up to the root complex and back instead of through the switch: half the bandwidth"
    remedy = (
        "disable ACS in the BIOS; at run time, and after every boot, setpci -s BRIDGE ECAP_ACS+6.w=0000 for each bridge"
        " (refused by a kernel that Secure Boot locks down)"
    )

    def examine(self, view: View) -> Iterator[Outcome]:
        if view.hardware.acs == "any":
            yield self.skip("host.hardware.acs is any")
            return
        if view.virtual:
            yield self.skip("virtual machine: the hypervisor needs ACS, and sets it")
            return
        bridges = list(view.bridges_above([*view.gpus, *view.nics]))
        if not bridges:
            yield self.skip("no bridge above a GPU or RDMA NIC")
        for bridge in bridges:
            acs = bridge["acs"]
            if acs is None:
                yield self.answer(view.label(bridge), "off", "configuration space not readable (run as root)", None)
                continue
            enabled = [name for name in acs["enabled"] if name not in HARMLESS]
            actual = " ".join(f"{name}+" for name in enabled) if enabled else "off" if acs["present"] else "none"
            yield self.answer(view.label(bridge), "off", actual, not enabled)
