# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Administrative state."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class AdminState(Check):
    """A port must be enabled or disabled as the intent says.

    Reads: administrative state. EOS also says disabled when the switch itself took the port down after an error.
    """

    name = "admin_state"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.ports:
            if not self.told(port.facts.admin_up) or port.facts.admin_up == port.model.enabled:
                continue
            yield self.finding(
                port,
                expected="enabled" if port.model.enabled else "disabled",
                actual="enabled" if port.facts.admin_up else "disabled",
                why="the link is off" if port.model.enabled else "a port that must be off carries traffic",
                remedy="apply the intent to the switch (site.yml), or correct the port in the intent"
                + ("; if the switch disabled it after an error, remove the cause first" if port.model.enabled else ""),
            )
