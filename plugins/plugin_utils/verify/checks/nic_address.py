# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses of the NICs."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class NicAddress(Check):
    """A NIC must have the address of the intent, and no other IPv4 address.

    Reads: addresses of the interface, of its bond, and of its VLANs that the intent gives an address. A second address
    would be a second GID, which RDMA may choose.
    """

    name = "nic_address"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for nic in fabric.nics:
            places = [("", nic.model.address, nic.facts.addresses)] if nic.model.address else []
            vlans = nic.facts.vlans or {}
            places += [
                (f" VLAN {t.vlan}", t.address, vlans[t.vlan].addresses) for t in nic.model.tagged if t.vlan in vlans
            ]
            for name, planned, actual in places:
                if not self.told(actual) or tuple(actual) == (planned,):
                    continue
                yield self.finding(
                    nic,
                    expected=f"{planned}{name}",
                    actual=f"{', '.join(actual) or 'no address'}{name}",
                    why="another address is another GID; RDMA may choose it"
                    if planned in actual
                    else "no peer finds this rail",
                    remedy="apply the intent to the host (site.yml)",
                )
