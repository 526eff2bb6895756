# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How emulated switches and the wire keep each other informed.

Settings go to the wire as soon as something changed, counts and LLDP neighbours come back before anybody looks. Both
are short requests over a unix socket that the wire answers between two frames.
"""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from lab.device import Device, PortState

log = logging.getLogger("lab")
TIMEOUT = 10.0  # seconds; answers take milliseconds unless all processors are busy


class WireError(Exception):
    """The wire is gone or refused a request."""


class WireLink:
    """Client of the wire, shared by the devices that are connected to it."""

    def __init__(self, socket_path: Path, devices: Iterable[tuple[Device, list[str]]]) -> None:
        """``devices``: each with its ports that the wire carries."""
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(TIMEOUT)
        try:
            self._socket.connect(str(socket_path))
        except OSError as exc:
            raise WireError(f"no wire answers on {socket_path}: {exc.strerror}") from exc
        self._stream = self._socket.makefile("rb")
        self._ports = {device.name: (device, ports) for device, ports in devices}
        self._pushed: dict[str, object] = {}
        try:
            for device, _ in self._ports.values():
                self.push(device)
        except WireError:
            self.close()
            raise
        for device, _ in self._ports.values():
            device.wire = self

    @property
    def closed(self) -> bool:
        return self._stream.closed

    def close(self) -> None:
        if self.closed:
            return
        for device, _ in self._ports.values():
            device.wire = None
        self._stream.close()
        self._socket.close()

    def call(self, op: str, **arguments: Any) -> Any:
        try:
            self._socket.sendall(json.dumps({"op": op, **arguments}).encode() + b"\n")
            line = self._stream.readline()
        except OSError as exc:
            line = b""
            log.warning("the wire does not answer: %s", exc)
        if not line:
            self.close()
            raise WireError("the wire has ended; the switches go on without it")
        answer = json.loads(line)
        if "error" in answer:
            raise WireError(answer["error"])
        return answer["result"]

    # -- around commands: a switch goes on when the wire fails -------------------------------------------------
    def before(self) -> None:
        """Something is about to look at counters."""
        self._try(self.collect)

    def after(self, device: Device) -> None:
        """Something may have changed the device."""
        self._try(lambda: self.push(device))

    def _try(self, action: Callable[[], None]) -> None:
        try:
            action()
        except WireError:
            log.exception("the wire does not do its part")

    # -- to the wire -------------------------------------------------------------------------------------------
    def push(self, device: Device) -> None:
        """Send what a switch does with packets, if that may have changed."""
        ports = [port for port in self._ports[device.name][1] if port in device.ports]  # others may come with a split
        states = [(port, device.ports[port]) for port in ports]
        now = device.configuration(), [(port, s.link, s.peer, s.peer_asn) for port, s in states]
        if self._pushed.get(device.name) != now:
            self.call("configure", config={device.name: device.forwarding(ports).as_json()})
            self._pushed[device.name] = now

    # -- from the wire -----------------------------------------------------------------------------------------
    def collect(self) -> None:
        """Bring counters and neighbours of all switches up to date."""
        for name, ports in self.call("collect").items():
            device = self._ports[name][0]
            for port, counts in ports.items():
                if port in device.ports:  # it may just have been joined with others
                    _add(device.ports[port], counts)


def _add(state: PortState, counts: dict[str, Any]) -> None:
    neighbour = counts.pop("neighbour", None)
    if neighbour is not None:
        state.peer = (neighbour[0], neighbour[1])
    for counter, values in counts.pop("classes", {}).items():
        for number, value in enumerate(values):
            setattr(state.classes[number], counter, getattr(state.classes[number], counter) + value)
    for counter, value in counts.items():
        setattr(state, counter, getattr(state, counter) + value)
