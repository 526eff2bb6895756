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
            known = {
                kind: (now, disk)
                for kind in ("version", "srcversion")
                if (now := module[f"{kind}_loaded"]) and (disk := module[f"{kind}_installed"])
            }
            if not known:
                if module["file"] is None:
                    yield self.answer(
                        name,
                        "an installed file",
                        "loaded, and no file for this kernel",
                        False,
                        why="the module that runs is gone after the next boot",
                        remedy="install its package for the running kernel; waive it where /lib/modules is hidden",
                    )
                continue
            # Either alone may be the same in two builds: sources of two versions, or the version of two sources.
            good = all(now == disk for now, disk in known.values())
            now, disk = known.get("version") or known["srcversion"]
            if not good:
                now, disk = f"{now} loaded", f"{disk} as installed"
                sources = known.get("srcversion", ())
                if "version" in known and len(set(sources)) > 1:
                    now, disk = f"{now} ({sources[0]})", f"{disk} ({sources[1]})"
            yield self.answer(name, disk, now, good)
