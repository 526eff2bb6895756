# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One switch: bridges frames within a VLAN, hands those for its own address to its router, speaks LLDP.

Layer 2 ends at the switch: only routed packets cross a link to another switch.
"""

from __future__ import annotations

from typing import Any

from lab.forwarding import PortForwarding, SwitchForwarding, mac_of
from lab.wire import frames
from lab.wire.frames import ARP, LINK_LOCAL, LLDP, VLAN
from lab.wire.port import Port, tagged
from lab.wire.router import Route, Router

SHORTEST = 20  # bytes of payload: an IPv4 header; hosts do not pad their frames to the 46 of the standard
Neighbour = tuple[str, str]


class Switch:
    """Ports, addresses learned, and the router behind them."""

    def __init__(self, name: str, route: Route) -> None:
        self.name = name
        self.ports: dict[str, Port] = {}
        self.heard: dict[str, Neighbour] = {}  # by port, since last asked
        self.config = SwitchForwarding(name, mac_of(name))
        self.mac = frames.mac_bytes(self.config.mac)
        self.router = Router(self, route)
        self._where: dict[int, dict[bytes, Port]] = {}  # VLAN: address: port

    def configure(self, config: SwitchForwarding) -> None:
        self.config = config
        self.mac = frames.mac_bytes(config.mac)
        for name, port in self.ports.items():
            port.configure(config.ports.get(name, PortForwarding()))
        self._where.clear()  # a switch forgets what it learned on ports that change
        self.router.configure(config)
        self.announce()

    def collect(self) -> dict[str, Any]:
        """What was counted and heard since the last time, by port."""
        found = {name: counts for name, port in self.ports.items() if (counts := port.collect())}
        for name, neighbour in self.heard.items():
            found.setdefault(name, {})["neighbour"] = neighbour
        self.heard.clear()
        return found

    # -- LLDP and flow control ---------------------------------------------------------------------------------
    def announce(self) -> None:
        """Tell the far end of every port what it is connected to."""
        for name, port in self.ports.items():
            if port.config.lldp_transmit:
                text = port.config.description
                port.send_control(frames.lldp(self.mac, self.config.name, name, text, port.mtu, port.untagged))

    def _control(self, port: Port, frame: bytes) -> None:
        port.count_control(frame)
        if frame[12:14] == LLDP and port.config.lldp_receive:
            names = frames.lldp_names(frame, 14)
            if names:
                self.heard[port.name] = names
        elif frame[12:14] == frames.FLOW_CONTROL:
            for priority in frames.paused(frame):
                port.pause_rx[priority] += 1

    # -- bridging ----------------------------------------------------------------------------------------------
    def receive(self, port: Port, frame: bytes) -> None:
        """A frame comes in from the cable."""
        if not port.up:
            return
        if frame[:5] == LINK_LOCAL:
            self._control(port, frame)
            return
        kind, start, vlan = frame[12:14], 14, 0
        if kind == VLAN and len(frame) >= 18:
            kind, start, vlan = frame[16:18], 18, (frame[14] << 8 | frame[15]) & 0xFFF
        if not SHORTEST <= len(frame) - start <= port.mtu:
            port.rx_errors += 1  # a runt or a giant
            return
        queue = port.classify(frame, kind, start)
        port.rx_packets[queue] += 1
        port.rx_bytes[queue] += len(frame)
        target = frame[:6]
        if port.routed:
            if vlan:
                port.rx_discards += 1
            elif target in (self.mac, frames.BROADCAST):
                self.router.receive((port, None), frame, start, kind, queue)
            return
        if vlan == 0:
            vlan = port.untagged
        if vlan not in port.vlans:
            port.rx_discards += 1
            return
        where = self._where.get(vlan)
        if where is None:
            where = self._where[vlan] = {}
        if where.get(frame[6:12]) is not port and not frame[6] & 1:
            where[frame[6:12]] = port
        if target == self.mac:
            self.router.receive((port, vlan), frame, start, kind, queue)
            return
        out = where.get(target)
        if out is not None:
            if out is not port:
                self.forward(out, vlan, frame, start, kind, queue)
            return
        for other in self.ports.values():
            if other is not port and vlan in other.vlans:
                self.forward(other, vlan, frame, start, kind, queue)
        if kind == ARP:
            self.router.receive((port, vlan), frame, start, kind, queue)

    def forward(self, port: Port, vlan: int, frame: bytes, start: int, kind: bytes, queue: int) -> None:
        """Send a frame of a VLAN out of a port, with or without tag as the port has it."""
        payload = len(frame) - start
        if vlan == port.untagged:
            if start == 18:
                frame, start = frame[:12] + frame[16:], 14
        elif start == 14:
            frame, start = tagged(frame, vlan, 0), 18
        elif (frame[14] << 8 | frame[15]) & 0xFFF != vlan:  # a priority tag
            frame = tagged(frame[:12] + frame[16:], vlan, frame[14] >> 5)
        port.send(frame, payload, start, kind, queue)

    def where(self, vlan: int, mac: bytes) -> Port | None:
        """The port behind which an address was seen."""
        return self._where.get(vlan, {}).get(mac)

    def into_vlan(self, vlan: int, frame: bytes, kind: bytes, queue: int) -> None:
        """Send an untagged frame of the router into a VLAN: to where its address was seen, or everywhere."""
        known = self.where(vlan, frame[:6])
        for port in [known] if known is not None else self.ports.values():
            if vlan in port.vlans and not port.routed:
                self.forward(port, vlan, frame, 14, kind, queue)
