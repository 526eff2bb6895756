# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The router in a switch: gateways of VLANs, routed ports, ARP, ICMP, and IPv4 towards other switches."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Interface
from typing import TYPE_CHECKING

from lab.forwarding import SwitchForwarding
from lab.wire import frames
from lab.wire.frames import ARP, BROADCAST, IPV4
from lab.wire.port import Port

if TYPE_CHECKING:
    from lab.wire.switch import Switch

WAITING = 16  # packets kept for an address while ARP asks for it, the latest

Hop = tuple[Port, bytes]  # port towards another switch, and that switch's MAC address
Route = Callable[["Switch", int, bytes], "Hop | None"]  # (here, target, packet)


@dataclass(frozen=True)
class Interface:
    """Where packets enter and leave the router: a routed port, or a VLAN."""

    address: int
    network: int
    mask: int
    mtu: int
    port: Port | None = None
    vlan: int | None = None

    def holds(self, address: int) -> bool:
        return address & self.mask == self.network


Entrance = tuple[Port, "int | None"]  # port and VLAN (None: the port is routed) that a packet came from


class Router:
    """Addresses of one switch and what it does with packets to and through it."""

    def __init__(self, switch: Switch, route: Route) -> None:
        self._switch = switch
        self._route = route
        self.interfaces: list[Interface] = []
        self._routing = True
        self.own: frozenset[int] = frozenset()
        self._near: dict[int, Interface | None] = {}  # what connected() found
        self._macs: dict[int, bytes] = {}
        self._waiting: dict[int, deque[tuple[bytes, int]]] = {}  # packets and their class, by next hop

    def configure(self, config: SwitchForwarding) -> None:
        ports = self._switch.ports
        self.interfaces = [
            _interface(address, port.mtu, ports[name], None)
            for name, port in config.ports.items()
            if name in ports and port.up and port.routed
            for address in port.addresses
        ]
        for vlan, gateway in config.gateways.items():
            self.interfaces += [_interface(address, gateway.mtu, None, vlan) for address in gateway.addresses]
        loopbacks = {int(IPv4Interface(address).ip) for address in config.loopbacks}
        self._routing = config.routing
        self.own = frozenset({interface.address for interface in self.interfaces} | loopbacks)
        self._near.clear()
        self._macs = {address: mac for address, mac in self._macs.items() if self.connected(address)}
        self._waiting.clear()

    def connected(self, address: int) -> Interface | None:
        """The interface in whose network an address lies; the longest prefix counts."""
        if address not in self._near:
            found = [i for i in self.interfaces if i.holds(address)]
            self._near[address] = max(found, key=lambda i: i.mask, default=None)
        return self._near[address]

    # -- in ----------------------------------------------------------------------------------------------------
    def receive(self, entrance: Entrance, frame: bytes, start: int, kind: bytes, queue: int) -> None:
        if kind == ARP and len(frame) >= start + 28:
            self._arp(entrance, frame[start : start + 28])
        elif kind == IPV4:
            length = frame[start + 2] << 8 | frame[start + 3]  # what follows is padding
            if 20 <= length <= len(frame) - start:
                self._ipv4(entrance, frame[start : start + length], queue)

    def _arp(self, entrance: Entrance, body: bytes) -> None:
        mac, sender, target = body[8:14], int.from_bytes(body[14:18], "big"), int.from_bytes(body[24:28], "big")
        near = next((i for i in self._at(entrance) if i.holds(sender)), None)
        if near is None:
            return
        self._macs[sender] = mac
        for packet, queue in self._waiting.pop(sender, ()):
            self._deliver(near, packet, sender, queue, None)
        if body[7] == 1 and target in self.own and near.holds(target):
            self._emit(near, frames.arp(2, self._switch.mac, target, mac, sender), ARP, 0)

    def _at(self, entrance: Entrance) -> list[Interface]:
        port, vlan = entrance
        return [i for i in self.interfaces if i.vlan == vlan and (vlan is not None or i.port is port)]

    def _ipv4(self, entrance: Entrance, packet: bytes, queue: int) -> None:
        target = int.from_bytes(packet[16:20], "big")
        if target in self.own:
            if packet[9] == 1 and _is_echo(packet):
                self._onward(frames.echo_reply(packet, target), 0, None)
        elif not self._routing:
            return
        elif packet[8] <= 1:
            self._complain(entrance, packet, frames.TIME_EXCEEDED)
        else:
            self._onward(frames.one_hop_less(packet), queue, entrance)

    # -- out ---------------------------------------------------------------------------------------------------
    def _onward(self, packet: bytes, queue: int, entrance: Entrance | None) -> None:
        """Send a packet on its way; ``entrance`` is where it came from, None if the switch made it."""
        target = int.from_bytes(packet[16:20], "big")
        near = self.connected(target)
        if near is not None:
            self._deliver(near, packet, target, queue, entrance)
            return
        hop = self._route(self._switch, target, packet)
        if hop is None:
            self._complain(entrance, packet, frames.UNREACHABLE)
            return
        port, mac = hop
        if len(packet) > port.mtu:
            self._too_big(port, port.mtu, packet, queue, entrance)
            return
        port.send(mac + self._switch.mac + IPV4 + packet, len(packet), 14, IPV4, queue)

    def _deliver(self, near: Interface, packet: bytes, target: int, queue: int, entrance: Entrance | None) -> None:
        """Send a packet to a neighbour, which is asked for its MAC address first."""
        mac = self._macs.get(target)
        if mac is None:
            self._waiting.setdefault(target, deque(maxlen=WAITING)).append((packet, queue))
            self._emit(near, frames.arp(1, self._switch.mac, near.address, BROADCAST, target), ARP, 0)
        elif len(packet) > near.mtu:
            port = near.port or self._switch.where(near.vlan, mac)
            self._too_big(port, near.mtu, packet, queue, entrance)
        else:
            self._emit(near, mac + self._switch.mac + IPV4 + packet, IPV4, queue)

    def _emit(self, near: Interface, frame: bytes, kind: bytes, queue: int) -> None:
        if near.port is not None:
            near.port.send(frame, len(frame) - 14, 14, kind, queue)
        else:
            self._switch.into_vlan(near.vlan, frame, kind, queue)

    # -- errors ------------------------------------------------------------------------------------------------
    def _too_big(self, port: Port | None, mtu: int, packet: bytes, queue: int, entrance: Entrance | None) -> None:
        """Switches do not fragment: the packet is lost, and a sender that forbade fragments is told."""
        if port is not None:
            port.drop(queue)
        if packet[6] & 0x40:
            self._complain(entrance, packet, frames.UNREACHABLE, frames.FRAGMENTATION_NEEDED, mtu)

    def _complain(self, entrance: Entrance | None, packet: bytes, kind: int, code: int = 0, mtu: int = 0) -> None:
        """Tell the sender of a packet what became of it; never about an error, nor about a packet of this switch."""
        if entrance is None or (packet[9] == 1 and not _is_echo(packet)):
            return
        here = [i.address for i in self._at(entrance)] or sorted(self.own)
        if here:
            self._onward(frames.icmp_error(packet, here[0], kind, code, mtu), 0, None)


def _is_echo(packet: bytes) -> bool:
    start = (packet[0] & 15) * 4
    return packet[start : start + 1] == bytes((frames.ECHO,))


def _interface(address: str, mtu: int, port: Port | None, vlan: int | None) -> Interface:
    parsed = IPv4Interface(address)
    return Interface(int(parsed.ip), int(parsed.network.network_address), int(parsed.netmask), mtu, port, vlan)
