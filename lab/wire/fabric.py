# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All switches of a lab, the links between them, and the paths that routed packets take.

A stand-in for route propagation: a switch reaches every network of another one over links on which a BGP session is
established at both ends, by the shortest paths. What emulated switches announce and filter is left to them to show.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from lab.forwarding import SwitchForwarding
from lab.wire import frames
from lab.wire.port import Outlet, Port
from lab.wire.router import Hop
from lab.wire.switch import Switch

End = tuple[str, str]  # switch and port


class RefusedError(Exception):
    """A request that makes no sense: unknown switch, port or operation."""


@dataclass(frozen=True)
class _Link:
    """A link as seen from one end."""

    port: Port
    far: Switch
    far_port: Port

    @property
    def usable(self) -> bool:
        return all(p.up and p.routed and p.config.adjacent for p in (self.port, self.far_port))


class Fabric:
    """Switches by name; each link joins two of their ports."""

    def __init__(self, links: Iterable[tuple[End, End]]) -> None:
        self.switches: dict[str, Switch] = {}
        self._links: dict[str, list[_Link]] = {}
        self._homes: dict[int, list[str]] = {}  # what _home() found
        self._hops: dict[tuple[str, tuple[str, ...]], list[Hop]] = {}  # what _shortest() found
        for one, two in links:
            self._join(one, two)
            self._join(two, one)

    def port(self, switch: str, port: str) -> Port:
        """A port, made when it is first named."""
        found = self.switches.setdefault(switch, Switch(switch, self.route))
        return found.ports.setdefault(port, Port(port))

    def plug(self, end: End, outlet: Outlet) -> None:
        """Connect a port to something outside: a NIC."""
        self.port(*end).outlet = outlet

    def _join(self, end: End, far_end: End) -> None:
        port, far_port = self.port(*end), self.port(*far_end)
        far = self.switches[far_end[0]]
        self._links.setdefault(end[0], []).append(_Link(port, far, far_port))

        def outlet(frame: bytes) -> bool:
            far.receive(far_port, frame)
            return True

        port.outlet = outlet

    # -- requests ----------------------------------------------------------------------------------------------
    def configure(self, config: dict[str, Any]) -> None:
        """``config``: settings in force (SwitchForwarding as JSON) by name of the switch."""
        for name, data in config.items():
            self._switch(name).configure(SwitchForwarding.from_json(data))
        self._homes.clear()
        self._hops.clear()

    def collect(self) -> dict[str, dict[str, Any]]:
        """By switch and port: counts and neighbours since the last time."""
        return {name: found for name, switch in self.switches.items() if (found := switch.collect())}

    def pause(self, switch: str, port: str, priority: int, count: int = 1) -> None:
        """Send pause frames for one priority out of a port, as if its ingress buffer were full."""
        found = self._port(switch, port, priority)
        if priority not in found.config.no_drop:
            raise RefusedError(f"{switch} {port}: priority {priority} is not under flow control; configure it first")
        for _ in range(count):
            found.pause(frames.pause(self.switches[switch].mac, priority), priority)

    def mark(self, switch: str, port: str, queue: int, share: float) -> None:
        """Mark a share of the packets that a queue sends, as if it were congested, while ECN is configured for it."""
        self._port(switch, port, queue).mark(queue, share)

    def announce(self) -> None:
        for switch in self.switches.values():
            switch.announce()

    def _switch(self, name: str) -> Switch:
        if name not in self.switches:
            raise RefusedError(f"no switch {name!r} on the wire; there are: {', '.join(self.switches)}")
        return self.switches[name]

    def _port(self, switch: str, port: str, queue: int) -> Port:
        ports = self._switch(switch).ports
        if port not in ports:
            raise RefusedError(f"{switch} has no port {port!r} on the wire; there are: {', '.join(ports)}")
        if queue not in range(8):
            raise RefusedError(f"{switch} {port}: priorities and classes are 0-7, not {queue}")
        return ports[port]

    # -- paths -------------------------------------------------------------------------------------------------
    def route(self, here: Switch, target: int, packet: bytes) -> Hop | None:
        """The next hop towards an address on another switch; packets of one flow take one of the equal paths."""
        homes = self._home(target)
        if not homes:
            return None
        key = (here.name, tuple(homes))
        if key not in self._hops:
            self._hops[key] = self._shortest(here.name, homes)
        hops = self._hops[key]
        if len(hops) < 2:
            return hops[0] if hops else None
        return hops[crc32(frames.flow_of(packet), crc32(here.name.encode())) % len(hops)]

    def _home(self, target: int) -> list[str]:
        """Switches to which an address belongs; the longest prefix counts."""
        if target not in self._homes:
            best: dict[int, list[str]] = {}
            for name, switch in self.switches.items():
                near = switch.router.connected(target)
                if target in switch.router.own:
                    best.setdefault(0xFFFFFFFF, []).append(name)
                elif near is not None:
                    best.setdefault(near.mask, []).append(name)
            self._homes[target] = best[max(best)] if best else []
        return self._homes[target]

    def _shortest(self, here: str, homes: list[str]) -> list[Hop]:
        """First hops of the shortest paths to the nearest home."""
        distance = dict.fromkeys(homes, 0)
        reached = list(homes)
        for name in reached:
            for link in self._links.get(name, ()):
                if link.usable and link.far.name not in distance:
                    distance[link.far.name] = distance[name] + 1
                    reached.append(link.far.name)
        if here not in distance:
            return []
        return [
            (link.port, link.far.mac)
            for link in self._links.get(here, ())
            if link.usable and distance.get(link.far.name) == distance[here] - 1
        ]
