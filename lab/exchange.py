# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Route exchange between the emulated switches of one lab, worked out from their LIVE configurations.

Each switch says what it would say: its AS number, its networks after the filter of their redistribution, and per port
with a session the AS number that it expects and what its filters let in and out (``lab/PLATFORM/speaker.py``). A
session is up when both ends have it and agree. Then a path-vector computation: a switch passes on its best path with
its own AS number in front, and nobody takes a path that holds its own. The result is put where the switches look for
it, ``PortState.peer_asn`` and ``PortState.announces``: a wrong AS number, a missing filter or a port that is shut on
one switch changes what the others show. Longer paths than the best are left out, as no switch would use them.

It is worked out when somebody looks at routes and something has changed since, so that it costs nothing otherwise;
with a wire, which forwards by it, after every change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from lab.device import Device

LOOKS = re.compile(r"\bsh\w* .*(bgp|route|rib)|vtysh", re.IGNORECASE)
NOBODY = 0  # AS number of a far end that does not answer

Place = tuple[str, str]  # switch, port
Path = tuple[int, ...]  # AS numbers, the nearest first


@dataclass(frozen=True)
class Session:
    """A session over one port, as far as this end is concerned."""

    asn: int | None  # expected of the far end; None: any
    takes: Callable[[str], bool]  # whether a prefix passes the filter on the way in
    sends: Callable[[str], bool]


@dataclass(frozen=True)
class Speaker:
    """What a switch brings into the exchange."""

    asn: int
    networks: tuple[str, ...]  # its own, after the filter of their redistribution
    sessions: dict[str, Session] = field(default_factory=dict)  # by port


class Exchange:
    """The BGP speakers of one lab."""

    def __init__(self, devices: Iterable[Device]) -> None:
        self.devices = {device.name: device for device in devices}
        # What each switch was when it was last asked, and what it said.
        self._said: dict[str, tuple[object, Speaker | None]] = {}
        for device in self.devices.values():
            device.exchange = self

    def look(self, line: str) -> None:
        """Somebody is about to run this command."""
        if LOOKS.search(line):
            self.refresh()

    def refresh(self) -> None:
        """Have the result in place, if anything has changed."""
        now = {name: _signature(device) for name, device in self.devices.items()}
        changed = [name for name, signature in now.items() if self._said.get(name, (None,))[0] != signature]
        if changed:
            cables = {(n, p): far for n, d in self.devices.items() for p in d.ports if (far := self._far((n, p)))}
            for name, port in cables:
                self.devices[name].ports[port].peer_asn = None  # whoever is there would fit
            for name in changed:
                self._said[name] = (now[name], self.devices[name].speaker())
            self._run(cables)

    def _far(self, place: Place) -> Place | None:
        """The other end of a cable within the lab."""
        peer = self.devices[place[0]].ports[place[1]].peer
        device = self.devices.get(peer[0]) if peer else None
        return peer if device is not None and peer[1] in device.ports else None

    def _run(self, cables: dict[Place, Place]) -> None:
        speakers = {name: speaker for name, (_, speaker) in self._said.items() if speaker is not None}
        ends = {(n, port): session for n, s in speakers.items() for port, session in s.sessions.items()}
        up = {
            here: far
            for here, far in cables.items()
            if here in ends
            and far in ends
            and cables.get(far) == here
            and ends[here].asn in (None, speakers[far[0]].asn)
            and ends[far].asn in (None, speakers[here[0]].asn)
        }
        heard = _paths(speakers, ends, up)
        for (name, port), far in cables.items():
            state = self.devices[name].ports[port]
            state.peer_asn = speakers[far[0]].asn if (name, port) in up else NOBODY
            state.announces = tuple(sorted(heard.get((name, port), ())))
        for device in self.devices.values():
            if device.wire is not None:  # which forwards over ports whose session is up
                device.wire.after(device)


def _signature(device: Device) -> object:
    """Whatever a speaker depends on."""
    return device.configuration(), {port: (state.link, state.peer) for port, state in device.ports.items()}


def _paths(
    speakers: dict[str, Speaker], ends: dict[Place, Session], up: dict[Place, Place]
) -> dict[Place, dict[str, Path]]:
    """What arrives on each port and is of use: prefix -> path. Paths grow by one hop per round, so it comes to rest."""
    best: dict[str, dict[str, int]] = {n: dict.fromkeys(s.networks, 0) for n, s in speakers.items()}
    heard: dict[Place, dict[str, Path]] = {}
    told: dict[str, dict[str, Path]] = {n: dict.fromkeys(s.networks, ()) for n, s in speakers.items()}
    while any(told.values()):
        news: dict[str, dict[str, Path]] = {n: {} for n in speakers}
        for (name, port), far in up.items():
            own = speakers[name].asn
            for prefix, behind in told[far[0]].items():
                path = (speakers[far[0]].asn, *behind)
                if own in path or not ends[far].sends(prefix):
                    continue
                if len(path) > best[name].get(prefix, len(path)):
                    continue
                heard.setdefault((name, port), {})[prefix] = path
                if ends[name, port].takes(prefix) and prefix not in best[name]:
                    news[name].setdefault(prefix, path)
        for name, found in news.items():
            best[name].update({prefix: len(path) for prefix, path in found.items()})
        told = news
    return heard
