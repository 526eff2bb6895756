# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NVIDIA driver and Fabric Manager."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class FabricManager(Check):
    """Fabric Manager has exactly the version of the loaded driver, and runs."""

    name = "fabric_manager"
    reads = "version of the loaded driver, nv-fabricmanager --version, state of its service, NVSwitches on the PCI bus"
    why = "CUDA starts on no GPU behind NVSwitches (error 802, system not yet initialized)"
    remedy = "install nvidia-fabricmanager of exactly the driver's version, hold both, restart nvidia-fabricmanager"

    def examine(self, view: View) -> Iterator[Outcome]:
        wanted, nvidia = view.hardware.fabric_manager, view.facts["nvidia"]
        manager = nvidia["fabric_manager"]
        if wanted is False or (wanted is None and not view.nvswitches and manager["version"] is None):
            reason = "host.hardware.fabric_manager is false" if wanted is False else "no NVSwitch on this machine"
            yield self.skip(reason)
            return
        if nvidia["version"] is None:
            yield self.skip("no NVIDIA driver is loaded yet")
            return
        actual = manager["version"] or "not installed"
        yield self.answer("version", nvidia["version"], actual, manager["version"] == nvidia["version"])
        if manager["version"] is not None:
            yield self.answer("service", "active", manager["state"] or "not known", _good(manager["state"]))


def _good(state: str | None) -> bool | None:
    return None if state is None else state == "active"
