# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Version of the NVIDIA driver."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class GpuDriver(Check):
    """The loaded driver has the version of the server type."""

    name = "gpu_driver"
    reads = "version of the loaded nvidia module"
    why = "driver, Fabric Manager, CUDA and peer memory are tested together; a mixed fleet is hard to debug"
    remedy = "install the driver version of the server type, then reload it or reboot"

    def examine(self, view: View) -> Iterator[Outcome]:
        wanted = view.hardware.gpus.driver if view.hardware.gpus else None
        loaded = view.facts["nvidia"]["version"]
        if wanted is None:
            yield self.skip("no driver version is expected (host.hardware.gpus.driver)")
        elif loaded is None:
            yield self.skip("no NVIDIA driver is loaded yet")
        else:
            yield self.answer("", wanted, loaded, loaded == wanted)
