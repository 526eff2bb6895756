# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""QEMU's control socket: one command at a time, and events."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from types import TracebackType
from typing import Any

from lab.hosts.needs import HostsError


class Qmp:
    """An open control socket of a running machine."""

    def __init__(self, path: Path, seconds: float = 60) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(seconds)
        self._events: list[dict[str, Any]] = []
        try:
            self._socket.connect(str(path))
            self._stream = self._socket.makefile("rwb")
            self._line()  # the greeting
        except OSError as exc:
            self._socket.close()
            raise HostsError(f"{path}: QEMU does not answer ({exc})") from exc
        self.do("qmp_capabilities")

    def __enter__(self) -> Qmp:
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        self._stream.close()
        self._socket.close()

    def do(self, command: str, **arguments: Any) -> Any:
        self._stream.write(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        self._stream.flush()
        while True:
            said = self._line()
            if "event" in said:
                self._events.append(said)
            elif "error" in said:
                raise HostsError(f"QEMU refused {command}: {said['error']['desc']}")
            else:
                return said["return"]

    def wait(self, event: str, **data: Any) -> dict[str, Any]:
        """The next event of this name whose data has these values."""
        while True:
            said = self._events.pop(0) if self._events else self._line()
            if said.get("event") == event and data.items() <= said.get("data", {}).items():
                return said.get("data", {})

    def _line(self) -> dict[str, Any]:
        line = self._stream.readline()
        if not line:
            raise HostsError("QEMU ended while it was asked")
        return json.loads(line)
