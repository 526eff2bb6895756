# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cable to the NIC of a machine: a pair of unix datagram sockets, one frame per datagram."""

from __future__ import annotations

import contextlib
import socket
from collections import deque
from collections.abc import Callable
from pathlib import Path

LONGEST = 16384  # bytes of a frame
ROOM = 4096  # frames that wait while the machine is slow; a lossless network has to have some
_BUFFER = 4 << 20


class Nic:
    """Takes frames from ``NAME.wire`` and sends them to ``NAME.vm``, where the machine listens while it runs."""

    def __init__(self, folder: Path, name: str, waiting: Callable[[Nic, bool], None]) -> None:
        self.name = name
        self._theirs = str(folder / f"{name}.vm")
        self._waiting = waiting  # told when frames begin and cease to wait for the machine
        self._queue: deque[bytes] = deque()
        own = folder / f"{name}.wire"
        own.unlink(missing_ok=True)
        self.inward = _socket()
        self.inward.bind(str(own))
        # A socket of its own for the way out: it is connected, hence fast, and survives the machine's restart.
        self.outward = _socket()
        self.take = self.inward.recv

    def send(self, frame: bytes) -> bool:
        """False if there is no room. Without a machine at the far end frames go into the dark, as on a real cable."""
        if self._queue:
            if len(self._queue) >= ROOM:
                return False
            self._queue.append(frame)
            return True
        if not self._sent(frame):
            self._queue.append(frame)
            self._waiting(self, True)
        return True

    def flush(self) -> None:
        """Send what waits, as far as the machine takes it."""
        while self._queue:
            if not self._sent(self._queue[0]):
                return
            self._queue.popleft()
        self._waiting(self, False)

    def _sent(self, frame: bytes) -> bool:
        """False if the machine has to catch up first."""
        try:
            self.outward.send(frame)
        except BlockingIOError:
            return False
        except OSError:  # not connected, or the machine has gone
            with contextlib.suppress(OSError):
                self.outward.connect(self._theirs)
                self.outward.send(frame)
        return True


def _socket() -> socket.socket:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sock.setblocking(False)
    try:
        sock.setsockopt(socket.SOL_SOCKET, 32, _BUFFER)  # SO_SNDBUFFORCE, for root
    except PermissionError:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
    return sock
