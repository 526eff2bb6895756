# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The process of the wire: topology on stdin, ``ready`` on the given descriptor, requests on a unix socket.

A request is a JSON line ``{"op": NAME, ...arguments}`` and is answered like those of :mod:`lab.control`. What came in
before a request is forwarded before the answer, so that counts are exact and settings take effect between two frames.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lab.wire.fabric import Fabric, RefusedError
from lab.wire.nic import LONGEST, Nic

log = logging.getLogger("lab.wire")

BURST = 64  # frames taken from one NIC before the others get their turn
ANNOUNCE = 5.0  # seconds between LLDP frames; switches send every 30 s, but nobody waits for the lab
OPERATIONS = ("configure", "collect", "pause", "mark")


class Daemon:
    """One event loop: NICs, and the requests of the emulated switches."""

    def __init__(self, folder: Path, topology: dict[str, Any]) -> None:
        links = [((a, port_a), (b, port_b)) for (a, port_a), (b, port_b) in topology["links"]]
        self.fabric = Fabric(links)
        self._selector = selectors.DefaultSelector()
        self._pumps: list[Callable[[], int]] = []
        self._wake, awake = socket.socketpair()
        self._selector.register(awake, selectors.EVENT_READ, lambda: None)
        self._stopping = False
        for nic in topology["nics"]:
            self._plug(Nic(folder, nic["name"], self._wait), (nic["switch"], nic["port"]))
        path = folder / "control.sock"
        path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        path.chmod(0o600)
        self._listener.listen()
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)

    def _plug(self, nic: Nic, end: tuple[str, str]) -> None:
        port = self.fabric.port(*end)
        self.fabric.plug(end, nic.send)
        receive, take = self.fabric.switches[end[0]].receive, nic.take

        def pump() -> int:
            """Forward what has come in, a burst at most."""
            for n in range(BURST):
                try:
                    frame = take(LONGEST)
                except BlockingIOError:
                    return n
                try:
                    receive(port, frame)
                except Exception:
                    log.exception("%s %s: a frame of %d bytes broke the wire: %s", *end, len(frame), frame[:80].hex())
            return BURST

        self._pumps.append(pump)
        self._selector.register(nic.inward, selectors.EVENT_READ, pump)

    def _wait(self, nic: Nic, waits: bool) -> None:
        if waits:
            self._selector.register(nic.outward, selectors.EVENT_WRITE, nic.flush)
        else:
            self._selector.unregister(nic.outward)

    # -- loop --------------------------------------------------------------------------------------------------
    def run(self) -> None:
        due = time.monotonic() + ANNOUNCE
        while not self._stopping:
            for key, _ in self._selector.select(max(0.0, due - time.monotonic())):
                key.data()
            if time.monotonic() >= due:
                due += ANNOUNCE
                self.fabric.announce()
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        self._selector.close()

    def stop(self, *_: object) -> None:
        self._wake.send(b".")
        self._stopping = True

    # -- requests ----------------------------------------------------------------------------------------------
    def _accept(self) -> None:
        client, _ = self._listener.accept()
        client.settimeout(5)
        stream = client.makefile("rwb")

        def serve() -> None:
            line = stream.readline()
            if not line:
                self._selector.unregister(client)
                stream.close()
                client.close()
                return
            while any(pump() == BURST for pump in self._pumps):
                pass
            with contextlib.suppress(OSError):  # it left; the next readline says so
                stream.write(json.dumps(self._answer(line)).encode() + b"\n")
                stream.flush()

        self._selector.register(client, selectors.EVENT_READ, serve)

    def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            request = json.loads(line)
            op = request.pop("op")
            if op not in OPERATIONS:
                raise RefusedError(f"unknown operation {op!r}; known: {', '.join(OPERATIONS)}")
            return {"result": getattr(self.fabric, op)(**request)}
        except RefusedError as exc:
            return {"error": str(exc)}
        except Exception as exc:
            log.exception("a request failed")
            return {"error": f"{type(exc).__name__}: {exc}"}


def main() -> int:
    folder, tell = Path(sys.argv[1]), int(sys.argv[2])
    os.set_inheritable(tell, False)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        daemon = Daemon(folder, json.load(sys.stdin))
    except Exception as exc:
        os.write(tell, f"{type(exc).__name__}: {exc}".encode())
        raise
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, daemon.stop)
    (folder / "pid").write_text(f"{os.getpid()}\n")
    os.write(tell, b"ready")
    os.close(tell)
    daemon.run()
    (folder / "pid").unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
