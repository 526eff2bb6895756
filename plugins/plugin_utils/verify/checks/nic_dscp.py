# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DSCP at the NICs."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.words import mapping

# What the model calls cos the kernel calls pcp.
TRUST = {"dscp": "dscp", "cos": "pcp"}


class NicTrust(Check):
    """A NIC must classify what it receives by the field that the intent names.

    Reads: trust of the NIC.
    """

    name = "nic_trust"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for nic in fabric.nics:
            planned, actual = TRUST[nic.device.model.roce.trust], nic.facts.trust
            if not self.told(actual) or actual == planned:
                continue
            yield self.finding(
                nic,
                expected=f"trust {planned}",
                actual=f"trust {actual}",
                why="RoCE packets that arrive do not reach the lossless buffer of the NIC",
                remedy="apply the intent to the host (site.yml)",
            )


class NicDscpMap(Check):
    """A NIC must put the DSCPs of RoCE and CNP into their priorities, and no other DSCP into the lossless one.

    Reads: DSCP map of the NIC, where it trusts DSCP.
    """

    name = "nic_dscp_map"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for nic in fabric.nics:
            roce, actual = nic.device.model.roce, nic.facts.dscp_to_priority
            if roce.trust != "dscp" or nic.facts.trust == "pcp" or not self.told(actual):
                continue
            named = dict.fromkeys(roce.dscp, roce.priority) | dict.fromkeys(roce.cnp_dscp, roce.cnp_priority)
            strangers = [d for d, p in actual.items() if p == roce.priority and d not in named]
            wrong = sorted([d for d, p in named.items() if actual.get(d) != p] + strangers)
            if not wrong:
                continue
            yield self.finding(
                nic,
                expected=f"DSCP {mapping({d: named.get(d, 'another') for d in wrong})}",
                actual=f"DSCP {mapping({d: actual.get(d, 'no priority') for d in wrong})}",
                why=(
                    "RoCE packets that arrive do not reach the lossless buffer of the NIC"
                    if set(wrong) & set(roce.dscp)
                    else "other traffic fills the lossless buffer of the NIC and causes pauses"
                    if strangers
                    else "CNPs wait behind data, and senders slow down too late"
                ),
                remedy="apply the intent to the host (site.yml)",
            )
