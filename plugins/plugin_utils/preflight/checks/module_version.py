# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules loaded against modules installed."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class ModuleVersion(Check):
    """What is loaded is what is installed."""

    name = "module_version"
    reads = "version and srcversion of loaded modules against modinfo"
    why = "an upgrade is not in force yet: user space and kernel do not fit together"
    remedy = "reload the module (openibd restart; or stop what uses the GPUs and reload nvidia), or reboot"

    def examine(self, view: View) -> Iterator[Outcome]:
        loaded = {n: m for n, m in view.facts["modules"].items() if m["loaded"] and not m["builtin"]}
        if not loaded:
            yield self.skip("no module of the stack is loaded yet")
        for name, module in loaded.items():
            pairs = [(module[f"{kind}_loaded"], module[f"{kind}_installed"]) for kind in ("srcversion", "version")]
            now, disk = next(((a, b) for a, b in pairs if a and b), (None, None))
            if now is None:
                if module["file"] is None:
                    yield self.answer(name, "an installed file", "loaded, and no file for this kernel", False)
                continue
            shown = (module["version_loaded"] or now, module["version_installed"] or disk)
            actual = shown[0] if now == disk else f"{shown[0]} loaded ({now})"
            expected = shown[1] if now == disk else f"{shown[1]} as installed ({disk})"
            yield self.answer(name, expected, actual, now == disk)
