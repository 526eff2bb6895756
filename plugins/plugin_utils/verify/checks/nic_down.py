# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NICs without link."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class NicDown(Check):
    """A NIC that is cabled must have a link.

    Reads: the carrier of the interface. A switch port that is disabled or down is named.
    """

    name = "nic_down"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for nic in fabric.nics:
            if nic.model.peer is None or not self.told(nic.facts.up) or nic.facts.up:
                continue
            far = fabric.port_of(nic)
            peer = f"{nic.model.peer.switch} {nic.model.peer.port}"
            remedy = f"check cable and optics to {peer}, speed and FEC; and that the interface is set up (site.yml)"
            if far is not None and far.facts.admin_up is False:
                remedy = f"enable the far end, {peer}: it is disabled"
            yield self.finding(
                nic,
                expected=f"a link to {peer}",
                actual="no link",
                why="the rail is missing, and every job that uses it",
                remedy=remedy,
            )
