# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IPv4 addresses of routed ports."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Interface

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class Address(Check):
    """A routed port must have the address of the intent and no other IPv4 address.

    Reads: addresses with prefix length. IPv6 addresses are not in the model and are ignored. A port in another mode is
    left to vlan.
    """

    name = "address"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.active_ports:
            facts = port.facts
            if port.model.address is None or facts.mode not in (None, "routed"):
                continue
            told = [a for a in facts.addresses if ":" not in a]
            if not self.told(facts.mode or told or None) or told == [port.model.address]:
                continue
            actual, planned = sorted(IPv4Interface(a) for a in told), IPv4Interface(port.model.address)
            if actual == [planned]:
                continue
            yield self.finding(
                port,
                expected=planned.with_prefixlen,
                actual=", ".join(a.with_prefixlen for a in actual) or "no address",
                why="the far end cannot route over this link" if planned not in actual else "another address answers",
                remedy="apply the intent to the switch (site.yml)",
            )
