# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The BGP speaker of an emulated EOS switch, for the route exchange of the lab."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from lab.eos import routing_state as state
from lab.eos.device import EosDevice
from lab.eos.tree import Node
from lab.exchange import Session, Speaker


def speaker(device: EosDevice) -> Speaker | None:
    bgp = state.process(device)
    if bgp is None:
        return None
    line = bgp.get("redistribute connected")
    words = line.text.split() if line is not None and not line.text.startswith("no ") else []

    @cache
    def passes_of(route_map: str | None) -> Callable[[str], bool]:
        return cache(lambda prefix: route_map is None or state.permitted(device.tree, route_map, prefix))

    passes = passes_of(words[words.index("route-map") + 1] if "route-map" in words else None)
    networks = tuple(str(n) for n in state.connected(device) if words and passes(str(n)))
    sessions = {
        s.interface: Session(s.asn, *(passes_of(_map(bgp, s, way)) for way in ("in", "out")))
        for s in state.sessions(device)
        if s.established and s.asn is not None
    }
    return Speaker(state.asn(bgp), networks, sessions)


def _map(bgp: Node, session: state.Session, way: str) -> str | None:
    names = state.groups_of(bgp, session)
    family = bgp.get("address-family ipv4")
    found = state.value(bgp, names, f"route-map {way}")
    return found or (state.value(family, names, f"route-map {way}") if family is not None else None)
