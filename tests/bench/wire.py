# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many frames a second the wire of the lab forwards, beside a bare relay between the same kind of sockets.

    python -m tests.bench.wire [frames] [bytes]

Frames of one host go to another on one emulated leaf: classified by DSCP, learned, counted. The relay only receives and
sends. Both run as processes of their own in the same run; the ratio of their processor time is what compares machines.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lab.eos.device import EosDevice
from lab.server import Clock
from lab.wire import frames, launch
from lab.wire.link import WireLink
from tests.bench.measure import cpu_of

CONFIGURATION = """
vlan 100
interface Ethernet1/1-2/1
qos trust dscp
switchport access vlan 100
"""
RELAY = """
import socket, sys
inward = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
inward.bind(sys.argv[1])
outward = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
outward.connect(sys.argv[2])
print("ready", flush=True)
while True:
    outward.send(inward.recv(16384))
"""
MACS = (b"\x02\x00\x00\x00\x00\x01", b"\x02\x00\x00\x00\x00\x02")


@dataclass(frozen=True)
class Result:
    wall: float
    cpu: float


def main() -> int:
    given = [int(word) for word in sys.argv[1:]]
    count, size = given + [200_000, 1500][len(given) :]
    payload = b"\x45\x68".ljust(size, b"r")
    frame = MACS[1] + MACS[0] + frames.IPV4 + payload
    with tempfile.TemporaryDirectory() as name:
        results = {"bare relay": relay(Path(name), frame, count), "wire": wire(Path(name), frame, count)}
    for title, r in results.items():
        print(
            f"{title:<12} {count / r.wall:>9,.0f} frames/s   {count / r.cpu:>9,.0f} frames per second of processor time"
        )
    print(f"the wire takes {results['wire'].cpu / results['bare relay'].cpu:.2f} times the processor time of the relay")
    return 0


def relay(folder: Path, frame: bytes, count: int) -> Result:
    out = _bound(folder / "relay.out")
    process = subprocess.Popen(
        [sys.executable, "-c", RELAY, str(folder / "relay.in"), str(folder / "relay.out")], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    try:
        return _measure(process.pid, folder / "relay.in", out, frame, count)
    finally:
        process.kill()
        process.wait()


def wire(folder: Path, frame: bytes, count: int) -> Result:
    device = EosDevice("leaf01", ["Ethernet1/1", "Ethernet2/1"], clock=Clock())
    shell = device.shell("admin")
    for line in ("enable", "configure", *CONFIGURATION.strip().splitlines()):
        shell.run(line)
    nics = [{"name": f"h{n}", "switch": "leaf01", "port": f"Ethernet{n}/1"} for n in (1, 2)]
    (folder / "wire").mkdir()
    first, second = (_bound(folder / "wire" / f"h{n}.vm") for n in (1, 2))
    launch.spawn(folder / "wire", {"nics": nics, "links": []})
    link = WireLink(folder / "wire" / "control.sock", [(device, list(device.ports))])
    try:
        second.sendto(MACS[0] + MACS[1] + frame[12:], str(folder / "wire" / "h2.wire"))
        _skip_lldp(first)  # the switch has learned where the receiver is
        pid = int((folder / "wire" / "pid").read_text())
        result = _measure(pid, folder / "wire" / "h1.wire", second, frame, count)
        link.collect()
        counted = device.ports["Ethernet2/1"].classes[3].tx_packets
        if counted != count:
            raise SystemExit(f"bench: the wire counted {counted} frames in class 3, {count} were sent")
        return result
    finally:
        link.close()
        launch.stop(folder)


def _measure(pid: int, into: Path, out: socket.socket, frame: bytes, count: int) -> Result:
    before, started = cpu_of(pid), time.monotonic()
    sender = os.fork()
    if sender == 0:
        _send(into, frame, count)
        os._exit(0)
    buffer = bytearray(16384)
    received = 0
    while received < count:
        length = out.recv_into(buffer)
        received += length == len(frame)  # LLDP is shorter
    wall = time.monotonic() - started
    os.waitpid(sender, 0)
    return Result(wall, cpu_of(pid) - before)


def _send(into: Path, frame: bytes, count: int) -> None:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sock.connect(str(into))
    send: Callable[[bytes], int] = sock.send
    for _ in range(count):
        send(frame)


def _bound(path: Path) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sock.settimeout(30)
    sock.bind(str(path))
    return sock


def _skip_lldp(sock: socket.socket) -> None:
    while sock.recv(16384)[12:14] == frames.LLDP:
        pass


if __name__ == "__main__":
    sys.exit(main())
