# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DKMS."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class Dkms(Check):
    """Modules that DKMS manages are built and installed for the running kernel, and can be built again."""

    name = "dkms"
    reads = "dkms status, headers of the running kernel"
    why = "the module is missing after the next boot or upgrade"
    remedy = (
        "install the headers of the running kernel, then dkms autoinstall; /var/lib/dkms/*/*/build/make.log says why"
    )

    def examine(self, view: View) -> Iterator[Outcome]:
        release, entries = view.facts["kernel"]["release"], view.facts["dkms"]
        names = dict.fromkeys(entry["module"] for entry in entries)
        if not names:
            yield self.skip("DKMS manages no module")
            return
        headers = view.facts["kernel"]["headers"]
        yield self.answer("headers", f"headers of {release}", "installed" if headers else "not installed", headers)
        for name in names:
            here = [e for e in entries if e["module"] == name and e["kernel"] == release]
            states = ", ".join(f"{e['version']} {e['state']}" for e in here) or f"nothing built for {release}"
            yield self.answer(name, "installed", states, any(e["state"] == "installed" for e in here))
