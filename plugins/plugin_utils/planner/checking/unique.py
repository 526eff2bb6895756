# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses and AS numbers are unique."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking.site import Site
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.findings import Finding


def addresses(site: Site) -> Iterator[Finding]:
    """No address twice; the address that a pair shares is meant to be on two switches."""
    owner: dict[str, tuple[str, str]] = {}
    for address, device, port in _all(site):
        bare = address.partition("/")[0]
        other = owner.setdefault(bare, (device, port))
        if other != (device, port):
            text = f"expected an unused address, found {bare}, which {other[0]}:{other[1]} has (use another)"
            yield Finding("address-twice", "error", device, port, text)


def _all(site: Site) -> Iterator[tuple[str, str, str]]:
    for name, switch in site.switches.items():
        if switch.underlay is not None:
            yield switch.underlay.router_id, name, "loopback"
        for port in switch.ports:
            if port.address is not None:
                yield port.address, name, port.name
        for gateway in switch.gateways:
            yield gateway.address, name, f"vlan{gateway.vlan}"
            if gateway.virtual_address is not None:
                yield gateway.virtual_address, switch.pair or name, f"gateway of vlan{gateway.vlan}"
    for name, host in site.hosts.items():
        for nic in host.nics:
            if nic.address is not None:
                yield nic.address, name, nic.name


def as_numbers(site: Site) -> Iterator[Finding]:
    """Each leaf has its own; spines may share one, and no leaf has theirs."""
    owner: dict[int, tuple[str, str]] = {}
    for name, switch in site.switches.items():
        if switch.underlay is None:
            continue
        other = owner.setdefault(switch.underlay.asn, (name, switch.role))
        if other[0] != name and (switch.role == "leaf" or other[1] != switch.role):
            text = (
                f"expected an AS number of its own, found {switch.underlay.asn}, which {other[0]} has: neither"
                " takes the"
                " other's routes (use another)"
            )
            yield Finding("asn-twice", "error", name, "", text)
