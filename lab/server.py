# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts emulated switches behind SSH: one process, one event loop, one loopback port per switch.

Every login gets a :class:`lab.device.Shell` of its device. Faults of the wire (:class:`lab.device.Fault`) are applied
here; what a command does is decided by the platform alone. Nothing that a user types is logged.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import re
import resource
import socket
import struct
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import asyncssh

from lab.device import Device, Fault, Logout, Shell
from lab.exchange import Exchange
from lab.wire.link import WireLink

log = logging.getLogger("lab")
logging.getLogger("asyncssh").setLevel(logging.ERROR)

# Real cryptography, but the cheapest of what every client speaks: hundreds of logins share one or two cores.
_ALGORITHMS = {
    "kex_algs": ["curve25519-sha256", "curve25519-sha256@libssh.org", "ecdh-sha2-nistp256"],
    "encryption_algs": ["aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "aes128-ctr", "aes256-ctr"],
    "mac_algs": ["hmac-sha2-256-etm@openssh.com", "hmac-sha2-256"],
    "compression_algs": ["none"],
}

# What the platform prints on terminals when a link changes state.
_LOG_LINES = {
    "eos": "Nov 29 12:00:01 {name} Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface {port}, changed state to up",
    "nxos": "2026 Nov 29 12:00:01 {name} %ETHPORT-5-IF_UP: Interface {port} is up in Layer3",
    "nvue": "[12345.678901] mlxsw_spectrum3 0000:03:00.0 {port}: link up",
}


class Clock:
    """Seconds that only move forward; ``advance`` lets tests skip waiting."""

    def __init__(self) -> None:
        self.offset = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.offset

    def advance(self, seconds: float) -> None:
        if seconds < 0:
            raise ValueError(f"the clock cannot go back (got {seconds})")
        self.offset += seconds


@dataclass
class Endpoint:
    """One switch on one TCP port, and who may log in."""

    device: Device
    port: int = 0  # 0: any free port; filled in by LabServer.start
    address: str = "127.0.0.1"
    users: dict[str, str] = field(default_factory=lambda: {"admin": "admin"}, repr=False)
    public_keys: list[str] = field(default_factory=list)  # OpenSSH lines, accepted for every user
    cables: dict[str, str] = field(default_factory=dict)  # port: "switch" or "host", what it leads to
    host_key: asyncssh.SSHKey | None = field(default=None, repr=False)
    sessions: set[_Session] = field(default_factory=set, repr=False)
    _options: asyncssh.SSHServerConnectionOptions | None = field(default=None, repr=False)

    def options(self) -> asyncssh.SSHServerConnectionOptions:
        """Connection options, made at the first login: most of several hundred switches are never used at once."""
        if self._options is None:
            self._options = asyncssh.SSHServerConnectionOptions(
                server_factory=lambda: _Login(self),
                server_host_keys=[self.host_key],
                line_editor=False,
                x11_forwarding=False,
                agent_forwarding=False,
                gss_host=None,
                server_version="OpenSSH_8.7",
                **_ALGORITHMS,
            )
        return self._options

    def set_host_key(self, key: asyncssh.SSHKey) -> None:
        self.host_key = key
        self._options = None

    def known_hosts_line(self) -> str:
        public = self.host_key.export_public_key("openssh").decode().split()
        return f"[{self.address}]:{self.port} {public[0]} {public[1]}\n"


class _Login(asyncssh.SSHServer):
    """Authentication of one connection."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._conn: asyncssh.SSHServerConnection | None = None
        self._keys = [asyncssh.import_public_key(line) for line in endpoint.public_keys]

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._conn = conn

    def begin_auth(self, username: str) -> bool:
        if self._endpoint.device.banner and self._conn:
            self._conn.send_auth_banner(self._endpoint.device.banner.rstrip("\n").replace("\n", "\r\n") + "\r\n")
        return True

    def password_auth_supported(self) -> bool:
        return bool(self._endpoint.users)

    def validate_password(self, username: str, password: str) -> bool:
        known = self._endpoint.users.get(username)
        return known is not None and hmac.compare_digest(known.encode(), password.encode())

    def public_key_auth_supported(self) -> bool:
        return bool(self._keys)

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        return key in self._keys

    def session_requested(self) -> _Session:
        return _Session(self._endpoint, self._conn)


class _Session(asyncssh.SSHServerSession):
    """One channel: a terminal (echo, prompt, pager), a plain pipe, or one command."""

    def __init__(self, endpoint: Endpoint, conn: asyncssh.SSHServerConnection) -> None:
        self._endpoint = endpoint
        self._device = endpoint.device
        self._conn = conn
        self._chan: asyncssh.SSHServerChannel | None = None
        self._shell: Shell | None = None
        self._pty = False
        self._commands: list[str] | None = None  # of an exec request
        self._typed = ""  # received, not yet looked at
        self._line = ""  # the line being edited
        self._after_cr = False
        self._eof = False
        self._busy: asyncio.TimerHandle | None = None  # the answer is being held back
        self._page: list[str] = []  # rest of the output behind --More--

    # -- asyncssh ----------------------------------------------------------------------------------------------
    def connection_made(self, chan: asyncssh.SSHServerChannel) -> None:
        self._chan = chan

    def pty_requested(self, term_type: str, term_size: tuple[int, int, int, int], term_modes: dict) -> bool:
        self._pty = True
        return True

    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:
        """Accepted; platforms take their width from their own command."""

    def shell_requested(self) -> bool:
        return True

    def exec_requested(self, command: str) -> bool:
        self._commands = command.splitlines() or [""]
        return True

    def session_started(self) -> None:
        self._device.tick()
        self._shell = self._device.shell(self._conn.get_extra_info("username"))
        self._endpoint.sessions.add(self)
        if self._commands is None:
            if self._pty:
                self._write(self._device.motd and self._device.motd.rstrip("\n") + "\n")
            self._prompt()
        self._pump()

    def data_received(self, data: str, datatype: int | None) -> None:
        self._typed += data
        self._pump()

    def eof_received(self) -> bool:
        self._eof = True
        self._pump()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        if self._busy:
            self._busy.cancel()
        self._endpoint.sessions.discard(self)
        if self._shell:
            self._shell.close()
            self._shell = None

    # -- terminal ----------------------------------------------------------------------------------------------
    def _write(self, text: str) -> None:
        if text and self._chan and not self._chan.is_closing():
            self._chan.write(text.replace("\n", "\r\n") if self._pty else text)

    def _prompt(self) -> None:
        if self._pty and self._shell:
            self._write(self._shell.prompt)

    def _pump(self) -> None:
        """Work on what was received until nothing is left or an answer is being held back."""
        while self._shell and not self._busy:
            if self._commands is not None:
                if not self._commands:
                    return self._exit(getattr(self._shell, "exit_status", 0))
                self._run(self._commands.pop(0))
            elif self._page and self._typed:
                key, self._typed = self._typed[0], self._typed[1:]
                self._turn_page(key)
            elif self._typed:
                self._take()
            elif self._eof:
                if self._line:
                    self._typed = "\n"
                    continue
                return self._exit(0)
            else:
                return None
        return None

    def _take(self) -> None:
        """Take one stretch of printable text or one control character."""
        plain = re.match(r"[^\x00-\x1f\x7f]+", self._typed)
        if plain:
            self._after_cr = False
            self._typed = self._typed[plain.end() :]
            self._line += plain[0]
            self._echo(plain[0])
            return
        key, self._typed = self._typed[0], self._typed[1:]
        if key == "\n" and self._after_cr:
            self._after_cr = False
            return
        self._after_cr = key == "\r"
        if key in "\r\n":
            line, self._line = self._line, ""
            self._echo("\n")
            self._run(line)
        elif key in "\x08\x7f" and self._line:
            self._line = self._line[:-1]
            self._echo("\b \b")
        elif key == "\x15":
            self._echo("\b \b" * len(self._line))
            self._line = ""
        elif key == "\x03":
            self._line = ""
            self._echo("^C\n")
            self._prompt()
        elif key == "\x04" and not self._line:
            self._exit(0)

    def _echo(self, text: str) -> None:
        if self._pty:
            self._write(text)

    # -- commands ----------------------------------------------------------------------------------------------
    def _run(self, line: str) -> None:
        device = self._device
        if device.fault("cut-before", line):
            return self._cut()
        logged_out = False
        try:
            device.tick()
            device.look(line)
            with device.live():
                output = self._shell.run(line)
        except Logout:
            output, logged_out = "", True
        except Exception:
            # The text of the command may hold a secret, so only the traceback is recorded.
            log.exception("%s: a command broke the emulator", device.name)
            output = "% Internal error of the emulator, see the log of the lab"
        if device.fault("cut-after", line):
            return self._cut()
        if device.fault("log-lines", line):
            output = _with_log_lines(device, output)
        slow = device.fault("slow", line)
        if slow:
            loop = asyncio.get_running_loop()
            self._busy = loop.call_later(slow.seconds, self._answer_late, output, logged_out)
            return None
        return self._answer(output, logged_out)

    def _answer_late(self, output: str, logged_out: bool) -> None:
        self._busy = None
        self._answer(output, logged_out)
        self._pump()

    def _answer(self, output: str, logged_out: bool) -> None:
        if output and not output.endswith("\n"):
            output += "\n"
        length = getattr(self._shell, "page_length", 0)
        lines = output.splitlines(keepends=True)
        if self._pty and self._commands is None and length and len(lines) > length:
            self._write("".join(lines[: length - 1]) + " --More-- ")
            self._page = lines[length - 1 :]
            return None
        self._write(output)
        if logged_out:
            return self._exit(0)
        if self._commands is None:
            self._prompt()
        return None

    def _turn_page(self, key: str) -> None:
        step = 1 if key in "\r\n" else 0 if key in "qQ\x03" else getattr(self._shell, "page_length", 24) - 1
        self._write("\r" + " " * 10 + "\r")
        part, self._page = (self._page[:step], self._page[step:]) if step else ([], [])
        self._write("".join(part))
        if self._page:
            self._write(" --More-- ")
        else:
            self._prompt()

    def _exit(self, status: int) -> None:
        if self._chan and not self._chan.is_closing():
            self._chan.exit(status)
        if self._shell:
            self._shell.close()
            self._shell = None

    def _cut(self) -> None:
        """Break the TCP connection as a dead link would: no disconnect message, no more data."""
        abort(self._conn)
        if self._shell:
            self._shell.close()
            self._shell = None


def abort(conn: asyncssh.SSHServerConnection) -> None:
    """Reset the connection (RST instead of an orderly end)."""
    sock = conn.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    conn.abort()


def _with_log_lines(device: Device, output: str) -> str:
    """A syslog line before, inside and after the output."""
    port = next(iter(device.ports), "Ethernet1")
    line = _LOG_LINES.get(device.platform, "%LINK-3-UPDOWN: {port} up").format(name=device.name, port=port)
    lines = output.splitlines()
    middle = len(lines) // 2
    return "\n".join([line, *lines[:middle], line, *lines[middle:], line])


class LabServer:
    """All switches of a lab. Start and stop it inside one event loop."""

    def __init__(self, endpoints: Iterable[Endpoint], clock: Clock, run_dir: Path | None = None) -> None:
        self.endpoints = {e.device.name: e for e in endpoints}
        Exchange(e.device for e in self.endpoints.values())  # the switches of one lab hear each other's routes
        self.clock = clock
        self.run_dir = run_dir  # host keys are kept here; None: keys live as long as the server
        self.on_stop: Callable[[], None] = lambda: None
        self.wire: WireLink | None = None
        self._listeners: list[socket.socket] = []
        self._tasks: set[asyncio.Task] = set()

    async def start(self) -> None:
        """Listen on every port. Raises OSError naming the switch whose port is taken."""
        _raise_file_limit(len(self.endpoints))
        for endpoint in self.endpoints.values():
            endpoint.set_host_key(self._persistent_key(endpoint.device.name))
            listener = socket.socket()
            self._listeners.append(listener)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.setblocking(False)
            try:
                listener.bind((endpoint.address, endpoint.port))
            except OSError as exc:
                await self.stop()
                where = f"{endpoint.address}:{endpoint.port}"
                raise OSError(f"{endpoint.device.name}: cannot listen on {where}: {exc.strerror}") from exc
            listener.listen(64)
            endpoint.port = listener.getsockname()[1]
            self._spawn(self._accept(endpoint, listener))

    async def stop(self) -> None:
        """Stop listening and cut every session."""
        for listener in self._listeners:
            listener.close()
        self._listeners.clear()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for endpoint in self.endpoints.values():
            for session in list(endpoint.sessions):
                session._conn.abort()

    def known_hosts(self) -> str:
        return "".join(e.known_hosts_line() for e in self.endpoints.values())

    def change_host_key(self, name: str, *, restore: bool = False) -> None:
        """Give a switch another host key (an impostor, a replaced supervisor), or its persistent one again."""
        key = self._persistent_key(name) if restore else asyncssh.generate_private_key("ssh-ed25519")
        self.endpoints[name].set_host_key(key)

    def attach_wire(self, wire: WireLink | None) -> None:
        """Work with this data plane from now on, with none if there is no other."""
        if self.wire is not None:
            self.wire.close()
        self.wire = wire
        if wire is not None:
            self._spawn(self._keep_time(wire))

    # -- inside ------------------------------------------------------------------------------------------------
    async def _keep_time(self, wire: WireLink) -> None:
        """Timers that expire while nobody types change what the wire has to do."""
        while self.wire is wire and not wire.closed:
            await asyncio.sleep(1)
            for endpoint in self.endpoints.values():
                with endpoint.device.live():
                    endpoint.device.tick()

    def _spawn(self, coroutine) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _accept(self, endpoint: Endpoint, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            sock, _ = await loop.sock_accept(listener)
            if self._unreachable(endpoint.device):
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                sock.close()
                continue
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._spawn(self._serve(endpoint, sock))

    async def _serve(self, endpoint: Endpoint, sock: socket.socket) -> None:
        # A client that leaves during the handshake or fails to authenticate is the client's business.
        with contextlib.suppress(OSError, asyncssh.Error, asyncio.IncompleteReadError):
            conn = await asyncssh.run_server(sock, config=None, options=endpoint.options())
            await conn.wait_closed()

    def _unreachable(self, device: Device) -> bool:
        now = self.clock()
        return any(fault.kind == "unreachable" and _refuses(fault, now) for fault in device.faults)

    def _persistent_key(self, name: str) -> asyncssh.SSHKey:
        if self.run_dir is None:
            return asyncssh.generate_private_key("ssh-ed25519")
        path = self.run_dir / "hostkeys" / name
        if path.exists():
            return asyncssh.read_private_key(path)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = asyncssh.generate_private_key("ssh-ed25519")
        path.touch(mode=0o600)
        path.write_bytes(key.export_private_key("openssh"))
        return key


def _refuses(fault: Fault, now: float) -> bool:
    """With ``seconds`` the fault lasts that long after the first refused connection, else it counts connections."""
    if not fault.seconds:
        return fault.strikes("")
    if fault.count < 0:
        return False
    if fault.skip > 0:
        fault.skip -= 1
        return False
    until = vars(fault).setdefault("until", now + fault.seconds)
    if now >= until:
        fault.count = -1  # spent
        return False
    return True


def _raise_file_limit(switches: int) -> None:
    """Each switch needs a listening socket and a few sessions."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 256 + 8 * switches
    if soft != resource.RLIM_INFINITY and soft < wanted:
        limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
