# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports that hear nobody."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class LldpMissing(Check):
    """A port with link and a known far end must hear it by LLDP.

    Reads: LLDP neighbours, on ports that are up of switches whose LLDP is on. A host that does not speak LLDP is a
    warning: then nothing proves its cabling.
    """

    name = "lldp_missing"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.active_ports:
            peer = port.model.peer
            if peer is None or not port.device.model.lldp.enabled or not self.told(port.facts.oper_up or None):
                continue
            if port.facts.neighbors:
                continue
            yield self.finding(
                port,
                expected=f"{peer.device} {peer.port or ''}".rstrip(),
                actual="no LLDP neighbour",
                why="nothing proves where the cable leads",
                remedy=f"switch LLDP on at {peer.device}"
                + (" (lldpd, or the firmware of the NIC)" if peer.kind == "host" else ", and here"),
                severity="error" if peer.kind == "switch" else "warning",
            )
