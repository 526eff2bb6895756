# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cables that lead elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.cabling import Cabling
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, FabricPort, Finding


class CablingErrors(Check):
    """Every cable must lead to the device and port of the intent.

    Reads: LLDP neighbours. Two cables whose plugs were exchanged are one finding that says so. A port that hears
    nobody is left to lldp_missing. The port of a host is compared only if it says a name that the intent uses, since a
    host may report a MAC address or another interface name.
    """

    name = "cabling"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        cabling = Cabling(fabric)
        wrong: list[FabricPort] = []
        for port in fabric.active_ports:
            if port.model.peer is None or not self.told(port.facts.neighbors or None):
                continue
            if not any(cabling.fits(port.model.peer, heard) for heard in port.facts.neighbors):
                wrong.append(port)
        swapped: set[FabricPort] = set()
        for a, b in _swaps(wrong, cabling):
            ends = {a, b}
            if ends & swapped:
                continue  # the other ends of cables that are reported already
            swapped |= ends | {far for far in (fabric.far(a), fabric.far(b)) if far is not None}
            yield self.finding(
                a,
                expected=f"{a} to {_far(a)}, {b} to {_far(b)}",
                actual=f"{a} to {_far(b)}, {b} to {_far(a)}",
                why="two cables are swapped; traffic takes paths that nobody planned",
                remedy=f"exchange the plugs at {a} and {b}, or correct the cabling in the intent",
            )
        for port in wrong:
            if port not in swapped:
                yield self.finding(
                    port,
                    expected=_far(port),
                    actual=", ".join(cabling.text(heard) for heard in port.facts.neighbors),
                    why="the cable leads elsewhere; traffic takes paths that nobody planned",
                    remedy=f"move the cable of {port} to {_far(port)}, or correct the cabling in the intent",
                )


def _swaps(wrong: list[FabricPort], cabling: Cabling) -> Iterator[tuple[FabricPort, FabricPort]]:
    """Pairs of ports that each hear the far end of the other; first those on one device, where plugs are exchanged."""
    expecting: dict[str, list[FabricPort]] = {}
    for port in wrong:
        expecting.setdefault(_label(port.model.peer.device), []).append(port)
    pairs = [
        (a, b)
        for a in wrong
        for heard in a.facts.neighbors
        for b in expecting.get(_label(cabling.device(heard)), ())
        if a is not b
        and cabling.fits(b.model.peer, heard)
        and any(cabling.fits(a.model.peer, other) for other in b.facts.neighbors)
    ]
    yield from sorted(pairs, key=lambda pair: pair[0].device is not pair[1].device)


def _label(device: str) -> str:
    return device.lower().split(".")[0]


def _far(port: FabricPort) -> str:
    peer = port.model.peer
    return f"{peer.device} {peer.port or ''}".rstrip()
