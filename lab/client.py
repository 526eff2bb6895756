# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A lab as seen by tests and by the command line: in another process, or in a thread of this one."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lab.device import Device
    from lab.server import Clock, Endpoint


class LabError(Exception):
    """The lab is not running, or refused the request."""


class Lab:
    """Client of the control socket of a lab. Its operations are documented in :mod:`lab.control`."""

    def __init__(self, run_dir: Path) -> None:
        self.run_dir = Path(run_dir)
        self._socket: socket.socket | None = None

    def call(self, op: str, **arguments: Any) -> Any:
        if self._socket is None:
            self._socket = socket.socket(socket.AF_UNIX)
            try:
                self._socket.connect(str(self.run_dir / "control.sock"))
            except OSError as exc:
                self._socket = None
                raise LabError(f"no lab is running in {self.run_dir}: start it with python -m lab up") from exc
            self._stream = self._socket.makefile("rwb")
        self._stream.write(json.dumps({"op": op, **arguments}).encode() + b"\n")
        self._stream.flush()
        line = self._stream.readline()
        if not line:
            self.close()
            raise LabError("the lab ended while it was asked")
        answer = json.loads(line)
        if "error" in answer:
            raise LabError(answer["error"])
        return answer["result"]

    def close(self) -> None:
        if self._socket is not None:
            self._stream.close()
            self._socket.close()
            self._socket = None

    # -- operations --------------------------------------------------------------------------------------------
    def status(self) -> list[dict[str, Any]]:
        return self.call("status")

    def running(self, name: str) -> str:
        return self.call("running", name=name)

    def startup(self, name: str) -> str:
        return self.call("startup", name=name)

    def leftovers(self, name: str) -> list[str]:
        return self.call("leftovers", name=name)

    def execute(self, name: str, *commands: str, user: str = "operator") -> list[str]:
        return self.call("execute", name=name, commands=list(commands), user=user)

    def load(self, name: str, text: str) -> None:
        self.call("load", name=name, text=text)

    def fault(self, name: str, kind: str, **settings: Any) -> None:
        self.call("fault", name=name, kind=kind, **settings)

    def clear_faults(self, name: str | None = None) -> None:
        self.call("clear_faults", name=name)

    def advance(self, seconds: float) -> None:
        self.call("advance", seconds=seconds)

    def set_port(self, name: str, port: str, **values: Any) -> None:
        self.call("set_port", name=name, port=port, values=values)

    def change_host_key(self, name: str, *, restore: bool = False) -> None:
        self.call("host_key", name=name, restore=restore)

    def banner(self, name: str, banner: str | None = None, motd: str | None = None) -> None:
        self.call("banner", name=name, banner=banner, motd=motd)

    def known_hosts(self) -> str:
        return self.call("known_hosts")

    def stop(self) -> None:
        self.call("stop")


class ThreadLab(Lab):
    """A lab in a thread of this process: ``with ThreadLab([EosDevice(...)], clock) as lab``.

    ``lab.ports[name]`` is the TCP port, ``lab.devices[name]`` the device itself. Given a run directory, the control
    socket, host keys and known_hosts are there too, so other processes can use the lab as if it had been started
    by ``python -m lab up``.
    """

    def __init__(self, devices: Iterable[Device | Endpoint], clock: Clock, run_dir: Path | None = None) -> None:
        from lab.control import Control  # with the server comes its cryptography; plain clients start faster without
        from lab.server import Endpoint, LabServer

        super().__init__(run_dir or Path())
        endpoints = [d if isinstance(d, Endpoint) else Endpoint(d) for d in devices]
        self.server = LabServer(endpoints, clock, run_dir)
        self.devices = {e.device.name: e.device for e in endpoints}
        self.ports: dict[str, int] = {}
        self._control = Control(self.server)
        self._keep_files = run_dir is not None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="lab", daemon=True)

    def __enter__(self) -> ThreadLab:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()
        self.ports = {name: e.port for name, e in self.server.endpoints.items()}
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _start(self) -> None:
        from lab.control import listen

        await self.server.start()
        self._socket_server = None
        if self._keep_files:
            self.run_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            (self.run_dir / "known_hosts").write_text(self.server.known_hosts())
            self._socket_server = await listen(self._control, self.run_dir / "control.sock")

    async def _stop(self) -> None:
        if self._socket_server:
            self._socket_server.close()
        await self.server.stop()

    def call(self, op: str, **arguments: Any) -> Any:
        async def run() -> Any:
            return self._control.call(op, **arguments)

        try:
            return asyncio.run_coroutine_threadsafe(run(), self._loop).result()
        except Exception as exc:
            raise LabError(f"{type(exc).__name__}: {exc}") from exc
