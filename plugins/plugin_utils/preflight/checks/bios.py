# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""BIOS version."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class Bios(Check):
    """The BIOS has the version of the server type."""

    name = "bios"
    severity = "warning"
    reads = "/sys/class/dmi/id/bios_version"
    why = "PCIe, ACS and NUMA settings move between BIOS versions; a fleet with several is hard to debug"
    remedy = "flash the BIOS version of the server type"

    def examine(self, view: View) -> Iterator[Outcome]:
        wanted, found = view.hardware.bios, view.facts["hardware"]["bios_version"]
        if wanted is None:
            yield self.skip("no BIOS version is expected (host.hardware.bios)")
        else:
            yield self.answer("", wanted, found or "not readable", None if found is None else found == wanted)
