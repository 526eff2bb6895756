# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The server process of ``python -m lab up``: host specifications on stdin, ``ready`` on the given descriptor."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from pathlib import Path

from lab import fabric
from lab.control import Control, listen
from lab.server import Clock, LabServer


async def serve(run_dir: Path, tell: int, text: str) -> None:
    clock = Clock()
    server = LabServer(fabric.build(fabric.from_json(text), clock), clock, run_dir)
    await server.start()
    stop = asyncio.Event()
    server.on_stop = stop.set
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    (run_dir / "known_hosts").write_text(server.known_hosts())
    socket_server = await listen(Control(server), run_dir / "control.sock")
    (run_dir / "pid").write_text(f"{os.getpid()}\n")
    os.write(tell, b"ready")
    os.close(tell)
    await stop.wait()
    socket_server.close()
    await server.stop()
    for name in ("pid", "control.sock"):
        (run_dir / name).unlink(missing_ok=True)


def main() -> int:
    run_dir, tell = Path(sys.argv[1]), int(sys.argv[2])
    os.set_inheritable(tell, False)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        asyncio.run(serve(run_dir, tell, sys.stdin.read()))
    except Exception as exc:
        with contextlib.suppress(OSError):  # closed: the one who asked has long been told "ready"
            os.write(tell, f"{type(exc).__name__}: {exc}".encode())
        raise
    return 0


if __name__ == "__main__":
    sys.exit(main())
