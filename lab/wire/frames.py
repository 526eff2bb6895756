# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes of Ethernet, ARP, IPv4, ICMP, LLDP and priority flow control, as far as a switch reads or writes them.

Sources: RFC 826 (ARP), 791 and 1624 (IPv4 checksum), 792 and 1191 (ICMP), IEEE 802.1AB (LLDP), 802.1Qbb (PFC).
"""

from __future__ import annotations

import struct
from ipaddress import IPv4Address

VLAN = b"\x81\x00"
IPV4 = b"\x08\x00"
IPV6 = b"\x86\xdd"
ARP = b"\x08\x06"
LLDP = b"\x88\xcc"
FLOW_CONTROL = b"\x88\x08"

BROADCAST = b"\xff" * 6
LINK_LOCAL = b"\x01\x80\xc2\x00\x00"  # first five bytes of the addresses that no bridge forwards
LLDP_ADDRESS = LINK_LOCAL + b"\x0e"
PAUSE_ADDRESS = LINK_LOCAL + b"\x01"

OVERHEAD = 22  # maximum frame size over MTU: addresses and type, one VLAN tag, FCS

ECHO_REPLY, UNREACHABLE, ECHO, TIME_EXCEEDED = 0, 3, 8, 11
FRAGMENTATION_NEEDED = 4  # code of UNREACHABLE; 0 is "network", 1 is "host"


def mac_bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))


def checksum(data: bytes) -> int:
    """The Internet checksum of data whose own checksum field is zero."""
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


# -- IPv4 ------------------------------------------------------------------------------------------------------
def one_hop_less(packet: bytes) -> bytes:
    """TTL less one; the checksum follows without adding up the header again (RFC 1624)."""
    total = (packet[10] << 8 | packet[11]) + 0x100
    total = total + (total >= 0xFFFF) & 0xFFFF
    return packet[:8] + bytes((packet[8] - 1, packet[9], total >> 8, total & 0xFF)) + packet[12:]


def congested(frame: bytes, start: int) -> bytes:
    """A frame whose IPv4 header (at ``start``) says congestion experienced."""
    header = bytearray(frame[start : start + max(20, (frame[start] & 15) * 4)])
    header[1] |= 3
    header[10:12] = b"\0\0"
    header[10:12] = checksum(bytes(header)).to_bytes(2, "big")
    return frame[:start] + header + frame[start + len(header) :]


def packet(source: int, target: int, protocol: int, payload: bytes, tos: int = 0) -> bytes:
    head = struct.pack("!BBHHHBBHII", 0x45, tos, 20 + len(payload), 0, 0, 64, protocol, 0, source, target)
    return head[:10] + checksum(head).to_bytes(2, "big") + head[12:] + payload


def icmp(kind: int, code: int, rest: bytes, payload: bytes) -> bytes:
    head = bytes((kind, code, 0, 0)) + rest
    value = checksum(head + payload)
    return head[:2] + value.to_bytes(2, "big") + rest + payload


def echo_reply(request: bytes, source: int) -> bytes:
    """The answer to an ICMP echo request, a whole IPv4 packet."""
    start = (request[0] & 15) * 4
    length = request[2] << 8 | request[3]
    body = icmp(ECHO_REPLY, 0, request[start + 4 : start + 8], request[start + 8 : length])
    return packet(source, int.from_bytes(request[12:16], "big"), 1, body, request[1] & 0xFC)


def icmp_error(cause: bytes, source: int, kind: int, code: int, mtu: int = 0) -> bytes:
    """An error about a packet, with its header and the first eight bytes behind it."""
    quoted = cause[: (cause[0] & 15) * 4 + 8]
    body = icmp(kind, code, struct.pack("!HH", 0, mtu), quoted)
    return packet(source, int.from_bytes(cause[12:16], "big"), 1, body, 0xC0)


def flow_of(packet: bytes) -> bytes:
    """What keeps packets of one flow on one path: protocol, addresses, ports."""
    start = (packet[0] & 15) * 4
    return packet[9:10] + packet[12:20] + (packet[start : start + 4] if packet[9] in (6, 17) else b"")


# -- ARP -------------------------------------------------------------------------------------------------------
def arp(operation: int, mac: bytes, address: int, target_mac: bytes, target: int) -> bytes:
    """A frame without VLAN tag: operation 1 asks, 2 answers."""
    body = struct.pack("!HHBBH6sI6sI", 1, 0x0800, 6, 4, operation, mac, address, target_mac, target)
    to = BROADCAST if operation == 1 else target_mac
    return (to + mac + ARP + body).ljust(60, b"\0")


# -- LLDP ------------------------------------------------------------------------------------------------------
PORT_VLAN = b"\x00\x80\xc2\x01"  # organisation and subtype
MAXIMUM_FRAME_SIZE = b"\x00\x12\x0f\x04"


def _tlv(kind: int, value: bytes) -> bytes:
    return struct.pack("!H", kind << 9 | len(value)) + value


def lldp(mac: bytes, system: str, port: str, description: str, mtu: int, vlan: int | None) -> bytes:
    """What a switch port sends: names, 802.1 port VLAN, 802.3 maximum frame size; bridge and router."""
    frame = LLDP_ADDRESS + mac + LLDP
    frame += _tlv(1, b"\x04" + mac) + _tlv(2, b"\x05" + port.encode()) + _tlv(3, struct.pack("!H", 120))
    frame += _tlv(4, (description or port).encode()[:255]) + _tlv(5, system.encode()) + _tlv(6, b"lab, emulated switch")
    frame += _tlv(7, struct.pack("!HH", 0x14, 0x14))
    if vlan is not None:
        frame += _tlv(127, PORT_VLAN + struct.pack("!H", vlan))
    frame += _tlv(127, MAXIMUM_FRAME_SIZE + struct.pack("!H", mtu + OVERHEAD))
    return frame + _tlv(0, b"")


def lldp_names(frame: bytes, start: int) -> tuple[str, str] | None:
    """(system, port) that a neighbour tells; None if it names no system."""
    system, port = "", ""
    while start + 2 <= len(frame):
        head = frame[start] << 8 | frame[start + 1]
        value = frame[start + 2 : start + 2 + (head & 511)]
        start += 2 + (head & 511)
        if head >> 9 == 0:
            break
        if head >> 9 == 2 and value:
            port = _port_name(value[0], value[1:])
        elif head >> 9 == 5:
            system = value.decode(errors="replace")
    return (system, port) if system else None


def _port_name(subtype: int, value: bytes) -> str:
    if subtype == 3:  # a MAC address
        return value.hex(":")
    if subtype == 4 and value[:1] == b"\x01" and len(value) == 5:
        return str(IPv4Address(value[1:]))
    return value.decode(errors="replace")


# -- priority flow control -------------------------------------------------------------------------------------
def pause(mac: bytes, priority: int, quanta: int = 0xFFFF) -> bytes:
    """Stop (or with 0: resume) one priority."""
    times = [quanta if n == priority else 0 for n in range(8)]
    return (PAUSE_ADDRESS + mac + FLOW_CONTROL + struct.pack("!HH8H", 0x0101, 1 << priority, *times)).ljust(60, b"\0")


def paused(frame: bytes) -> list[int]:
    """Priorities that a frame to PAUSE_ADDRESS stops or resumes; none if it is a pause of the whole link."""
    if frame[14:16] != b"\x01\x01" or len(frame) < 18:
        return []
    return [n for n in range(8) if frame[17] >> n & 1]
