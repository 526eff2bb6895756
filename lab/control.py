# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be done to a running lab from outside, as JSON: one request a line, one answer a line.

Request ``{"op": NAME, ...arguments}``, answer ``{"result": ...}`` or ``{"error": TEXT}``. The same operations are
called directly when the lab runs in the process of the caller (:mod:`lab.client`).
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from lab.device import ClassCounters, Device, Fault, Logout, PortState
from lab.server import LabServer
from lab.wire.link import WireError, WireLink

log = logging.getLogger("lab")


class RefusedError(Exception):
    """The request makes no sense: unknown switch, field or operation."""


class Control:
    """The operations. Every public method ``op_NAME`` is one."""

    def __init__(self, server: LabServer) -> None:
        self._server = server

    def call(self, op: str, **arguments: Any) -> Any:
        method: Callable[..., Any] | None = getattr(self, f"op_{op}", None)
        if method is None:
            known = sorted(n[3:] for n in dir(self) if n.startswith("op_"))
            raise RefusedError(f"unknown operation {op!r}; known: {', '.join(known)}")
        with ExitStack() as stack:
            for endpoint in self._server.endpoints.values():
                endpoint.device.tick()
                stack.enter_context(endpoint.device.live())
            return method(**arguments)

    def _device(self, name: str) -> Device:
        endpoint = self._server.endpoints.get(name)
        if endpoint is None:
            raise RefusedError(f"no switch {name!r} in this lab; there are: {', '.join(self._server.endpoints)}")
        return endpoint.device

    # -- reading -----------------------------------------------------------------------------------------------
    def op_status(self) -> list[dict[str, Any]]:
        return [
            {
                "name": name,
                "platform": e.device.platform,
                "release": e.device.release,
                "address": e.address,
                "port": e.port,
                "sessions": len(e.sessions),
                "faults": [_describe(f) for f in e.device.faults if f.count >= 0],
                "leftovers": e.device.leftovers(),
            }
            for name, e in self._server.endpoints.items()
        ]

    def op_running(self, name: str) -> str:
        return self._device(name).running()

    def op_startup(self, name: str) -> str:
        return self._device(name).startup()

    def op_leftovers(self, name: str) -> list[str]:
        return self._device(name).leftovers()

    def op_known_hosts(self) -> str:
        return self._server.known_hosts()

    def op_cabled_ports(self, name: str, kind: str) -> list[str]:
        """Ports whose cable leads to a ``switch`` or ``host``, in the order of the front panel."""
        cables = self._server.endpoints[name].cables
        return [port for port in self._device(name).ports if cables.get(port) == kind]

    # -- changing ----------------------------------------------------------------------------------------------
    def op_execute(self, name: str, commands: list[str], user: str = "operator") -> list[str]:
        """Type lines into a fresh shell and return what each printed."""
        device = self._device(name)
        shell = device.shell(user)
        answers = []
        try:
            for line in commands:
                device.tick()
                device.look(line)
                answers.append(shell.run(line))
        except Logout:
            answers.append("")
        finally:
            shell.close()
        return answers

    def op_load(self, name: str, text: str) -> None:
        """Become a device that booted with this configuration."""
        self._device(name).load(text)

    def op_fault(self, name: str, kind: str, **settings: Any) -> None:
        unknown = set(settings) - {f.name for f in fields(Fault)}
        if unknown:
            raise RefusedError(f"a fault has no {', '.join(sorted(unknown))}")
        self._device(name).faults.append(Fault(kind, **settings))

    def op_clear_faults(self, name: str | None = None) -> None:
        for device in [self._device(name)] if name else [e.device for e in self._server.endpoints.values()]:
            device.faults.clear()

    def op_advance(self, seconds: float) -> None:
        self._server.clock.advance(seconds)
        for endpoint in self._server.endpoints.values():
            endpoint.device.tick()

    def op_set_port(self, name: str, port: str, values: dict[str, Any]) -> None:
        """Set fields of a PortState; ``"3.ecn_marked"`` is a field of the counters of class 3."""
        state = self._device(name).ports.get(port)
        if state is None:
            raise RefusedError(f"{name} has no port {port!r}")
        for key, value in values.items():
            cls, _, counter = key.rpartition(".")
            if cls and not (cls.isdigit() and int(cls) in state.classes):
                raise RefusedError(f"{name} {port}: no class {cls!r}; classes are 0-7")
            target: PortState | ClassCounters = state.classes[int(cls)] if cls else state
            if counter not in {f.name for f in fields(target)} - {"classes"}:
                raise RefusedError(f"{name} {port}: no field {key!r}")
            setattr(target, counter, tuple(value) if isinstance(value, list) else value)

    def op_port(self, name: str, port: str) -> PortState:
        """A copy of the state (only useful in the same process)."""
        return replace(self._device(name).ports[port])

    # -- wire --------------------------------------------------------------------------------------------------
    def op_attach_wire(self, socket: str, ports: dict[str, list[str]]) -> None:
        """Connect switches to the data plane: ``ports`` that it carries by switch."""
        carried = [(self._device(name), names) for name, names in ports.items()]
        self._server.attach_wire(WireLink(Path(socket), carried))

    def op_detach_wire(self) -> None:
        self._server.attach_wire(None)

    def op_wire(self, action: str, **arguments: Any) -> Any:
        """Have the wire do something: ``pause`` or ``mark`` (:class:`lab.wire.fabric.Fabric`)."""
        if self._server.wire is None or self._server.wire.closed:
            raise RefusedError("no wire is attached: it comes with machines (python -m lab up)")
        return self._server.wire.call(action, **arguments)

    def op_host_key(self, name: str, restore: bool = False) -> None:
        self._device(name)
        self._server.change_host_key(name, restore=restore)

    def op_banner(self, name: str, banner: str | None = None, motd: str | None = None) -> None:
        device = self._device(name)
        device.banner = device.banner if banner is None else banner
        device.motd = device.motd if motd is None else motd

    def op_stop(self) -> None:
        self._server.on_stop()


def _describe(fault: Fault) -> str:
    often = f"{fault.count} times" if fault.count else "always"
    return f"{fault.kind} {fault.match or '(every command)'} {often}"


async def listen(control: Control, path: Path) -> asyncio.AbstractServer:
    """Serve the operations on a unix socket that only the owner can open (its directory has mode 0700)."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                writer.write(json.dumps(_answer(control, line)).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass  # the client left, or the lab ends
        finally:
            writer.close()

    path.unlink(missing_ok=True)
    return await asyncio.start_unix_server(serve, path, limit=16 * 1024 * 1024)


def _answer(control: Control, line: bytes) -> dict[str, Any]:
    try:
        request = json.loads(line)
        return {"result": control.call(request.pop("op"), **request)}
    except (RefusedError, WireError) as exc:
        return {"error": str(exc)}
    except Exception as exc:
        log.exception("a control request failed")
        return {"error": f"{type(exc).__name__}: {exc}"}
