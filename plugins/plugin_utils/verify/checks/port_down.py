# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports without link."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class PortDown(Check):
    """A port that is enabled must have a link.

    Reads: administrative and operational state. A port that is disabled unlike the intent is left to admin_state.
    """

    name = "port_down"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.active_ports:
            if port.facts.admin_up is False or not self.told(port.facts.oper_up) or port.facts.oper_up:
                continue
            far = fabric.far(port)
            remedy = (
                f"check cable and optics{f' to {port.model.peer.device}' if port.model.peer else ''}, speed and FEC"
            )
            if far is not None and far.facts.admin_up is False:
                remedy = f"enable the far end, {far}: it is disabled"
            yield self.finding(
                port,
                expected="up",
                actual="down",
                why="the fabric has less bandwidth and fewer paths than planned",
                remedy=remedy,
            )
