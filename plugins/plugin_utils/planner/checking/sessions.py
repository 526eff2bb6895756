# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Both ends of every BGP session agree, and what a switch has to announce passes its filter."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.addresses import network
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking.site import Site
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.findings import Finding


def sessions(site: Site) -> Iterator[Finding]:
    """Address, AS number and BFD of both ends."""
    neighbors = {
        (name, n.port): n
        for name, switch in site.switches.items()
        if switch.underlay is not None
        for n in switch.underlay.neighbors
    }
    for (name, own), neighbor in neighbors.items():
        port = site.ports[name, own]
        if port.mode != "routed":
            text = f"expected a routed port for a BGP session, found mode {port.mode} (change one of them)"
            yield Finding("session-port", "error", name, own, text)
            continue
        if port.peer is None or port.peer.device not in site.switches:
            continue
        back = site.ports.get((port.peer.device, port.peer.port))
        if back is None or back.peer is None or (back.peer.device, back.peer.port) != (name, own):
            continue  # the cable is wrong, which says it all
        place = f"{port.peer.device}:{port.peer.port}"
        far = site.switches[port.peer.device].underlay
        if far is None or (port.peer.device, port.peer.port) not in neighbors:
            text = f"expected a session at the far end too, found none at {place} (configure both ends)"
            yield Finding("session-missing", "error", name, own, text)
            continue
        if neighbor.asn != far.asn:
            text = f"expected AS number {far.asn} of {port.peer.device}, found {neighbor.asn} (correct it)"
            yield Finding("session-asn", "error", name, own, text)
        address = back.address.partition("/")[0] if back.address is not None else None
        if neighbor.address != address:
            text = (
                f"expected neighbour {address or 'unnumbered'} as at {place}, found {neighbor.address or 'unnumbered'}"
            )
            yield Finding("session-address", "error", name, own, f"{text} (correct one end)")
        if (site.switches[name].underlay.bfd is None) != (far.bfd is None):
            text = f"expected BFD at both ends, found it at one end of the link to {place} (set both)"
            yield Finding("session-bfd", "error", name, own, text)


def filters(site: Site) -> Iterator[Finding]:
    """Loopback and host subnets of a switch pass its own filter and those of its neighbours."""
    for name, switch in site.switches.items():
        if switch.underlay is None:
            continue
        own = [(f"{switch.underlay.router_id}/32", "the loopback")]
        own += [(str(network(g.address)), f"VLAN {g.vlan}") for g in switch.gateways]
        for prefix, what in own:
            for part in ("announce", "accept"):
                if not any(_matches(prefix, p.within, p.length) for p in getattr(switch.underlay, part)):
                    text = f"expected {what}, {prefix}, in {part}, found no prefix that matches (add it)"
                    yield Finding("route-filter", "error", name, "", text)


def _matches(prefix: str, within: str, length: int) -> bool:
    net, outer = network(prefix), network(within)
    return net.prefix == length and outer.first <= net.first and net.last <= outer.last
