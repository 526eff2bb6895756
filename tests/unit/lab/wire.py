# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A wired lab for tests: two leafs and a spine of three platforms, configured by typing, and hosts made of sockets."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Iterator
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from lab.client import ThreadLab
from lab.device import PortState
from lab.eos.device import EosDevice
from lab.nvue.device import NvueDevice
from lab.nxos.device import NxosDevice
from lab.server import Clock
from lab.wire import frames, launch
from lab.wire.daemon import Daemon

# Host: switch, port, address. Every switch has two access ports in one VLAN and a trunk.
HOSTS = {
    "e1": ("leaf01", "Ethernet1/1", "10.1.0.1"),
    "e2": ("leaf01", "Ethernet2/1", "10.1.0.2"),
    "e3": ("leaf01", "Ethernet3/1", "10.1.0.3"),
    "x1": ("leaf02", "Ethernet1/1", "10.2.0.1"),
    "x2": ("leaf02", "Ethernet1/2", "10.2.0.2"),
    "x3": ("leaf02", "Ethernet1/3", "10.2.0.3"),
    "n1": ("spine01", "swp1", "10.3.0.1"),
    "n2": ("spine01", "swp2", "10.3.0.2"),
    "n3": ("spine01", "swp3", "10.3.0.3"),
}
LINKS = [
    [("leaf01", "Ethernet7/1"), ("spine01", "swp7")],
    [("leaf01", "Ethernet8/1"), ("spine01", "swp8")],
    [("leaf02", "Ethernet1/8"), ("spine01", "swp9")],
]
GATEWAYS = {"leaf01": "10.1.0.254", "leaf02": "10.2.0.254", "spine01": "10.3.0.254"}

EOS = """
hostname leaf01
vlan 100
vlan 200
qos map dscp 0 to traffic-class 0
qos map cos 0 to traffic-class 0
interface Ethernet1/1-3/1
description a host
qos trust dscp
switchport access vlan 100
priority-flow-control on
priority-flow-control priority 3 no-drop
uc-tx-queue 3
random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes
interface Ethernet3/1
switchport mode trunk
switchport trunk native vlan 100
switchport trunk allowed vlan 100,200
interface Vlan100
mtu 9214
ip address 10.1.0.254/24
interface Ethernet7/1,8/1
no switchport
mtu 9214
interface Ethernet7/1
ip address 10.0.0.0/31
interface Ethernet8/1
ip address 10.0.0.2/31
ip routing
router bgp 65001
neighbor 10.0.0.1 remote-as 65000
neighbor 10.0.0.3 remote-as 65000
"""
NXOS = """
feature lldp
feature bgp
feature interface-vlan
hostname leaf02
vlan 100,200
class-map type qos match-any ROCE
match dscp 26
policy-map type qos IN
class ROCE
set qos-group 3
policy-map type queuing OUT
class type queuing c-out-8q-q3
bandwidth remaining percent 50
random-detect minimum-threshold 150 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn
policy-map type network-qos NETWORK
class type network-qos c-8q-nq3
mtu 9216
pause pfc-cos 3
system qos
service-policy type network-qos NETWORK
service-policy type queuing output OUT
interface Ethernet1/1-3
switchport
mtu 9216
no shutdown
switchport access vlan 100
service-policy type qos input IN
priority-flow-control mode on
interface Ethernet1/3
switchport mode trunk
switchport trunk native vlan 100
switchport trunk allowed vlan 100,200
interface Vlan100
no shutdown
mtu 9216
ip address 10.2.0.254/24
interface Ethernet1/8
no switchport
mtu 9216
ip address 10.0.0.4/31
service-policy type qos input IN
no shutdown
router bgp 65002
neighbor 10.0.0.5
remote-as 65000
address-family ipv4 unicast
"""
NVUE = """
nv set system hostname spine01
nv set bridge domain br_default vlan 100,200
nv set interface swp1-2 bridge domain br_default access 100
nv set interface swp3 bridge domain br_default untagged 100
nv set interface swp3 bridge domain br_default vlan 100,200
nv set interface vlan100 ip address 10.3.0.254/24
nv set interface swp7 ip address 10.0.0.1/31
nv set interface swp8 ip address 10.0.0.3/31
nv set interface swp9 ip address 10.0.0.5/31
nv set qos mapping ROCE trust l3
nv set qos mapping ROCE dscp 26 switch-priority 3
nv set qos congestion-control ROCE traffic-class 3 ecn enable
nv set qos congestion-control ROCE traffic-class 3 min-threshold 150000
nv set qos congestion-control ROCE traffic-class 3 max-threshold 1500000
nv set qos traffic-pool default-lossless memory-percent 50
nv set qos pfc LOSSLESS switch-priority 3
nv set interface swp1-3 qos pfc profile LOSSLESS
nv set interface swp1-3,swp7-9 qos mapping profile ROCE
nv set interface swp1-3,swp7-9 qos congestion-control profile ROCE
nv set router bgp autonomous-system 65000
nv set router bgp router-id 10.9.9.9
nv set vrf default router bgp neighbor 10.0.0.0 remote-as 65001
nv set vrf default router bgp neighbor 10.0.0.2 remote-as 65001
nv set vrf default router bgp neighbor 10.0.0.4 remote-as 65002
nv config apply -y
"""


class Host:
    """A NIC: one socket, one MAC address."""

    def __init__(self, folder: Path, name: str, nic: str | None = None) -> None:
        self.name = name
        nic = nic or name
        switch, _, address = HOSTS[name]
        self.gateway = GATEWAYS[switch]
        self.gateway_address = int(IPv4Address(self.gateway))
        self.mac = b"\x02\x00\x00\x00\x00" + bytes((list(HOSTS).index(name) + 1,))
        self.address = int(IPv4Address(address))
        self._wire = str(folder / f"{nic}.wire")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.settimeout(5)
        self._socket.bind(str(folder / f"{nic}.vm"))

    def close(self) -> None:
        self._socket.close()

    def send(self, frame: bytes) -> None:
        self._socket.sendto(frame, self._wire)

    def receive(self, kind: bytes | None = None) -> bytes:
        """The next frame, LLDP left out unless it is asked for."""
        deadline = time.monotonic() + 5
        while True:
            assert time.monotonic() < deadline, f"{self.name}: no such frame came"
            frame = self._socket.recv(20000)
            if frame[12:14] == kind or (kind is None and frame[12:14] != frames.LLDP):
                return frame

    def waiting(self) -> list[bytes]:
        """What has arrived by now, without LLDP."""
        return [frame for frame in self.everything() if frame[12:14] != frames.LLDP]

    def everything(self) -> list[bytes]:
        """What has arrived by now."""
        found = []
        self._socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                found.append(self._socket.recv(20000))
        self._socket.settimeout(5)
        return found

    # -- what hosts say ----------------------------------------------------------------------------------------
    def frame(self, target: bytes, packet: bytes, vlan: int | None = None) -> bytes:
        tag = b"" if vlan is None else frames.VLAN + struct.pack("!H", 3 << 13 | vlan)
        return target + self.mac + tag + frames.IPV4 + packet

    def udp(
        self, target: Host, size: int = 100, dscp: int = 26, ecn: int = 0, source: int = 50000, **fields: Any
    ) -> bytes:
        """A RoCEv2-like packet of ``size`` bytes."""
        head = struct.pack("!HHHH", source, 4791, size - 20, 0)
        return ip(self.address, target.address, 17, head.ljust(size - 20, b"r"), dscp << 2 | ecn, **fields)

    def resolve(self, address: str) -> bytes:
        """MAC address of a neighbour, asked for with ARP; answers to others in between are answered too."""
        self.send(frames.arp(1, self.mac, self.address, b"\0" * 6, int(IPv4Address(address))))
        while True:
            frame = self.receive(frames.ARP)
            if frame[21] == 2 and frame[28:32] == IPv4Address(address).packed:
                return frame[22:28]

    def ping(self, address: str, mac: bytes, size: int = 56) -> None:
        """Send an ICMP echo request to this MAC address and wait for the answer."""
        request = frames.icmp(frames.ECHO, 0, b"\x12\x34\x00\x01", b"p" * size)
        target = int(IPv4Address(address))
        self.send(self.frame(mac, ip(self.address, target, 1, request)))
        answer = self.receive(frames.IPV4)[14:]
        assert (answer[9], answer[20], answer[24:]) == (1, frames.ECHO_REPLY, request[4:])
        assert answer[12:20] == target.to_bytes(4, "big") + self.address.to_bytes(4, "big")
        assert frames.checksum(answer[:20]) == frames.checksum(answer[20:]) == 0

    def answer_arp(self) -> None:
        """Wait until somebody asks for this host, and answer."""
        while True:
            frame = self.receive(frames.ARP)
            if frame[21] == 1 and frame[38:42] == self.address.to_bytes(4, "big"):
                sender = int.from_bytes(frame[28:32], "big")
                self.send(frames.arp(2, self.mac, self.address, frame[22:28], sender))
                return


def ip(source: int, target: int, protocol: int, payload: bytes, tos: int = 0, ttl: int = 64, df: bool = True) -> bytes:
    head = struct.pack("!BBHHHBBHII", 0x45, tos, 20 + len(payload), 1, df << 14, ttl, protocol, 0, source, target)
    return head[:10] + frames.checksum(head).to_bytes(2, "big") + head[12:] + payload


class Bench:
    """The lab, its hosts, and what tests ask of it."""

    def __init__(self, lab: ThreadLab, hosts: dict[str, Host]) -> None:
        self.lab = lab
        self.hosts = hosts

    def __getattr__(self, name: str) -> Host:
        try:
            return self.hosts[name]
        except KeyError:
            raise AttributeError(name) from None

    def type(self, switch: str, text: str) -> list[str]:
        """Type lines as an operator: in configuration mode, where the platform has one."""
        lines = text.strip("\n").splitlines()
        if switch != "spine01":
            lines = ["enable"] * (switch == "leaf01") + ["configure terminal", *lines]
        answers = self.lab.execute(switch, *lines)
        wrong = [a for a in answers if a.lstrip().startswith(("%", "ERROR", "Error", "Invalid"))]
        assert not wrong, wrong
        return answers

    def show(self, switch: str, command: str) -> str:
        lines = ["enable", command] if switch == "leaf01" else [command]
        return self.lab.execute(switch, *lines)[-1]

    def port(self, host: str) -> PortState:
        """Counters of the port that a host is connected to."""
        switch, port, _ = HOSTS[host]
        return self.lab.call("port", name=switch, port=port)

    def learn(self, *names: str) -> None:
        """Have the switches know where hosts are, and their gateways know them."""
        for name in names:
            self.hosts[name].resolve(self.hosts[name].gateway)
        for name in names:
            self.hosts[name].waiting()


@contextlib.contextmanager
def bench(run_dir: Path) -> Iterator[Bench]:
    """A running lab with everything configured."""
    clock = Clock()
    devices = [
        EosDevice("leaf01", [f"Ethernet{n}/1" for n in range(1, 9)], clock=clock),
        NxosDevice("leaf02", [f"Ethernet1/{n}" for n in range(1, 9)], clock=clock),
        NvueDevice("spine01", [f"swp{n}" for n in range(1, 10)], clock=clock),
    ]
    by_name = {device.name: device for device in devices}
    for one, two in LINKS:
        by_name[one[0]].ports[one[1]].peer, by_name[two[0]].ports[two[1]].peer = two, one
    plan = {"nics": [{"name": n, "switch": s, "port": p} for n, (s, p, _) in HOSTS.items()], "links": LINKS}
    folder = run_dir / "wire"
    folder.mkdir(parents=True)
    daemon = Daemon(folder, plan)
    thread = threading.Thread(target=daemon.run, name="wire")
    hosts = {name: Host(folder, name) for name in HOSTS}
    with ThreadLab(devices, clock, run_dir) as lab:
        thread.start()
        try:
            launch.attach(run_dir, plan)
            wired = Bench(lab, hosts)
            for switch, text in (("leaf01", EOS), ("leaf02", NXOS), ("spine01", NVUE)):
                wired.type(switch, text)
            yield wired
        finally:
            lab.call("detach_wire")
            daemon.stop()
            thread.join()
            for host in hosts.values():
                host.close()
