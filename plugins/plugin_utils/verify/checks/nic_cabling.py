# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cables of hosts, seen from the host."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.cabling import Cabling
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class NicCabling(Check):
    """The switch port that a NIC hears by LLDP must be the one of the intent.

    Reads: LLDP neighbours on the host, where lldpd runs. A NIC with link that hears nobody is a warning: the firmware
    of the NIC may swallow LLDP.
    """

    name = "nic_cabling"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        cabling = Cabling(fabric)
        for nic in fabric.nics:
            peer, heard = nic.model.peer, nic.facts.neighbors
            if peer is None or nic.facts.up is False or not self.told(heard):
                continue
            if any(cabling.is_port(peer.switch, peer.port, neighbor) for neighbor in heard):
                continue
            yield self.finding(
                nic,
                expected=f"{peer.switch} {peer.port}",
                actual=", ".join(cabling.text(neighbor) for neighbor in heard) or "no LLDP neighbour",
                why=(
                    "the cable leads elsewhere; the rail is not where its peers look for it"
                    if heard
                    else "nothing proves at the host where the cable leads"
                ),
                remedy=(
                    f"move the cable of {nic} to {peer.switch} {peer.port}, or correct the cabling in the intent"
                    if heard
                    else f"switch LLDP on at {peer.switch}; LLDP_NB_RX_MODE of the NIC has to be OFF (nic_firmware)"
                ),
                severity="error" if heard else "warning",
            )
