# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The BGP speaker of an emulated Nexus, for the route exchange of the lab."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from lab.exchange import Session, Speaker
from lab.nxos import policy, sessions
from lab.nxos.device import NxosDevice


def speaker(device: NxosDevice) -> Speaker | None:
    router = sessions.process(device)
    if router is None:
        return None
    family = next(iter(router.sections("address-family ipv4 unicast")), None)
    lines = family.lines() if family else []
    route_map = next((ln.split()[-1] for ln in lines if ln.startswith("redistribute direct route-map ")), None)
    networks = [str(network) for network, _ in sessions.connected(device)] if route_map else []
    peers = {
        peer.port.name: Session(
            peer.asn, *(_filter(device, peer.families.get("ipv4 unicast"), way) for way in ("in", "out"))
        )
        for peer in sessions.peers(device)
        if peer.established and peer.port is not None and peer.asn is not None
    }
    passing = (network for network in networks if policy.map_permits(device, route_map, network))
    return Speaker(int(router.text.split()[-1]), tuple(passing), peers)


def _filter(device: NxosDevice, lines: list[str] | None, way: str) -> Callable[[str], bool]:
    """Without the address family nothing passes, without a route map everything."""
    maps = [line.split()[1] for line in lines or () if re.fullmatch(rf"route-map \S+ {way}", line)]
    return cache(lambda prefix: lines is not None and (not maps or policy.map_permits(device, maps[0], prefix)))
