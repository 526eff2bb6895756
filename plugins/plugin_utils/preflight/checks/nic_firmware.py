# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firmware of RDMA NICs."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class NicFirmware(Check):
    """RDMA NICs have the firmware that the server type names for their board, or at least all the same."""

    name = "nic_firmware"
    reads = "fw_ver and board_id of every RDMA device"
    why = "congestion control, adaptive routing and PFC behave differently between firmware versions"
    remedy = "flash the version of the server type (flint or mlxfwmanager), then reset the NIC"

    def examine(self, view: View) -> Iterator[Outcome]:
        wanted = view.hardware.nics.firmware if view.hardware.nics else {}
        entries = [entry for nic in view.nics if (entry := view.rdma_of(nic))]
        if not entries:
            yield self.skip("no RDMA device yet (the driver is not loaded)")
            return
        boards: dict[str, set[str]] = {}
        for entry in entries:
            board, firmware = entry["board_id"] or "unknown board", entry["firmware"]
            boards.setdefault(board, set()).add(firmware or "unknown")
            if board in wanted:
                label = f"NIC {entry['pci']} ({entry['name']}) {board}"
                good = None if firmware is None else firmware == wanted[board]
                yield self.answer(label, wanted[board], firmware or "not readable", good)
            elif wanted:
                label = f"NIC {entry['pci']} ({entry['name']})"
                remedy = f"add {board} to host.hardware.nics.firmware, or replace the NIC"
                yield self.answer(label, f"board {' or '.join(wanted)}", board, False, remedy=remedy)
        if not wanted:
            for board, versions in boards.items():
                actual = ", ".join(sorted(versions))
                yield self.answer(board, "one version", actual, len(versions) == 1, severity="warning")
