# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One SSH login on one switch: send a command, get its output or a typed error.

netmiko opens the connection (host keys, credentials, terminal); reading is our own, because it has to survive banners
full of prompt characters, syslog lines in the middle of output, doubled echoes and a connection that dies.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import paramiko
from netmiko.exceptions import NetmikoAuthenticationException, NetmikoBaseException
from netmiko.ssh_dispatcher import ssh_dispatcher
from paramiko.hostkeys import HostKeyEntry, InvalidHostKey

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import (
    Refused,
    SessionLost,
    Unreachable,
)

ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[=>()][0-9A-Za-z]?|\][^\x07]*\x07)")
# "%LINEPROTO-5-UPDOWN: ..." with any time stamp before it, or "[12345.678] mlxsw ...": log lines that landed in the
# terminal.
SYSLOG = re.compile(
    r"^(?:[^\n%]*%[A-Z][A-Z0-9_]*(?:-[A-Z0-9_]+)*-[0-7]-[A-Z0-9_]+:[^\n]*|\[ *\d+\.\d{3,}\] [^\n]*)$", re.MULTILINE
)
LOGIN = "login"  # what is awaited before the first command
ECHO = 24  # characters of a command that identify its echo, whatever the terminal does to long lines
TAIL = 4096  # a prompt and the log lines behind it fit in here; keeps the search linear in the size of the output


@dataclass(frozen=True)
class Dialect:
    """What a session needs to know of a platform."""

    netmiko_type: str
    # Regular expression of the prompt; group ``host`` is fixed after login so that output cannot look like a prompt.
    prompt: str
    errors: tuple[re.Pattern[str], ...] = ()
    setup: tuple[str, ...] = ()  # commands that switch paging off and make lines wide


# EOS and NX-OS: host name, modes in parentheses, # or >.
CLI_PROMPT = r"(?P<host>[A-Za-z0-9][\w.\-/:]*)(?:\([^()\n]*\))*[#>]"


@dataclass(frozen=True)
class Target:
    """Where and as whom. The password never leaves this object: it has no place in repr, errors or logs."""

    name: str  # inventory name, for messages
    host: str
    port: int = 22
    user: str = ""
    password: str | None = field(default=None, repr=False)
    key_file: str | None = None
    known_hosts: str | None = None  # None: ~/.ssh/known_hosts of the user and of the system
    check_host_key: bool = True
    timeout: float = 30.0  # seconds to connect, and to wait for the output of a quick command

    @property
    def where(self) -> str:
        return f"{self.name} ({self.host}:{self.port})"


class Session:
    """An open login. Use :func:`connect`."""

    def __init__(self, target: Target, dialect: Dialect) -> None:
        self.target = target
        self.dialect = dialect
        self.prompt = ""
        self._buffer = ""
        self._connection = _open(target, dialect)
        self._channel: paramiko.Channel = self._connection.remote_conn
        try:
            self._prompt = re.compile(rf"(?:^|\n)(?P<prompt>{dialect.prompt})[ \t]*$")
            self._read(target.timeout)
            fixed = dialect.prompt.replace(_host_group(dialect.prompt), re.escape(self._host))
            self._prompt = re.compile(rf"(?:^|\n)(?P<prompt>{fixed})[ \t]*$")
            for command in dialect.setup:
                self.send(command)
        except Exception:
            self.close()
            raise

    # -- talking ------------------------------------------------------------------------------------------------
    def send(self, command: str, *, timeout: float | None = None, check: bool = True) -> str:
        """Run one command and return its output without echo and prompt. Raises Refused when the switch says no."""
        self._write(command)
        output = self._strip_echo(self._read(timeout or self.target.timeout, command), command)
        if check:
            self._check(command, output)
        return output

    def configure(self, lines: list[str] | tuple[str, ...], *, timeout: float | None = None) -> None:
        """Type configuration lines one by one; stop at the first that is refused."""
        for line in lines:
            self.send(line, timeout=timeout)

    def close(self) -> None:
        """Leave without waiting for anything."""
        transport = self._channel.get_transport() if self._channel is not None else None
        if transport is not None:
            transport.close()
        self._connection.paramiko_cleanup()

    # -- reading ------------------------------------------------------------------------------------------------
    def _write(self, command: str) -> None:
        try:
            self._channel.sendall((command + "\n").encode())
        except OSError as error:
            raise SessionLost(f"{self.target.where}: the connection ended before {command!r} was sent") from error

    def _read(self, timeout: float, command: str = LOGIN) -> str:
        """Everything up to the next prompt, without it."""
        deadline = time.monotonic() + timeout
        chunks: list[str] = []
        tail = ""
        # A prompt that comes before the echo of the command belongs to something earlier.
        echo = "" if command == LOGIN else command.strip()[:ECHO]
        echoed = not echo
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise SessionLost(
                    f"{self.target.where}: no prompt within {timeout:.0f} s after {command!r}; "
                    f"last line: {_last_line(tail)!r}. Expected something like {self.prompt or self.dialect.prompt!r}"
                )
            self._channel.settimeout(left)
            try:
                data = self._channel.recv(65536)
            except TimeoutError:
                continue
            except OSError as error:
                raise SessionLost(f"{self.target.where}: the connection broke during {command!r}: {error}") from error
            if not data:
                raise SessionLost(f"{self.target.where}: the switch closed the connection during {command!r}")
            text = data.decode("utf-8", "replace")
            chunks.append(text)
            window = tail + text
            echoed = echoed or echo in _clean(window)
            tail = window[-TAIL:]
            found = self._prompt.search(_clean(tail)) if echoed else None
            if found:
                self.prompt = found["prompt"]
                self._host = found["host"]
                output = _clean("".join(chunks))
                return output[: output.rindex(self.prompt)]

    def _strip_echo(self, output: str, command: str) -> str:
        lines = output.split("\n")
        # A slow EOS repeats the echo, the second time behind the prompt.
        while lines and command and lines[0].strip() in (command.strip(), f"{self.prompt}{command}".strip()):
            lines.pop(0)
        return "\n".join(lines).strip("\n")

    def _check(self, command: str, output: str) -> None:
        for pattern in self.dialect.errors:
            found = pattern.search(output)
            if found:
                answer = found[0].strip().splitlines()[0]
                raise Refused(f"{self.target.where}: {command!r} was refused: {answer}", command, answer)


def _host_group(prompt: str) -> str:
    """The text of the group ``host`` in a prompt expression (it holds no parentheses of its own)."""
    start = prompt.index("(?P<host>")
    return prompt[start + len("(?P<host>") : prompt.index(")", start)]


def _clean(text: str) -> str:
    text = ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "")
    return SYSLOG.sub("", text).rstrip("\n") if "%" in text or "] " in text else text


def _last_line(text: str) -> str:
    lines = _clean(text).strip().splitlines()
    return lines[-1][:200] if lines else ""


def _open(target: Target, dialect: Dialect) -> Any:
    """A netmiko connection whose terminal is not touched yet."""
    base = ssh_dispatcher(dialect.netmiko_type)

    class Connection(base):  # type: ignore[misc,valid-type]
        def _build_ssh_client(self) -> paramiko.SSHClient:
            """With the host keys of this switch alone: paramiko would parse those of all others as well."""
            client = paramiko.SSHClient()
            client.set_missing_host_key_policy(self.key_policy)
            # Without host key checking an unknown key is taken, but one that has changed is still refused.
            _add_host_keys(client.get_host_keys(), target)
            return client

        def _try_session_preparation(self, force_data: bool = True) -> None:
            """Session does this: netmiko's guesses are upset by banners, and its extra newline by exact reading."""

    if target.known_hosts and target.check_host_key and not Path(target.known_hosts).is_file():
        raise Unreachable(
            f"{target.where}: known hosts file {target.known_hosts} does not exist; "
            "expected the host keys of the switches in it (ssh-keyscan, after checking them)",
            permanent=True,
        )
    try:
        return Connection(
            device_type=dialect.netmiko_type,
            host=target.host,
            port=target.port,
            username=target.user,
            password=target.password,
            use_keys=bool(target.key_file),
            key_file=target.key_file,
            allow_agent=not target.password and not target.key_file,
            ssh_strict=target.check_host_key,
            conn_timeout=target.timeout,
            auth_timeout=target.timeout,
            banner_timeout=target.timeout,
        )
    except NetmikoAuthenticationException as error:
        raise Unreachable(
            f"{target.where}: the switch does not accept the credentials of user {target.user!r}; "
            "check ansible_user and ansible_password or ansible_ssh_private_key_file",
            permanent=True,
        ) from error
    except (NetmikoBaseException, paramiko.SSHException, OSError, EOFError) as error:
        reason, permanent = _reason(error, target)
        raise Unreachable(f"{target.where}: {reason}", permanent=permanent) from error


def _add_host_keys(keys: paramiko.HostKeys, target: Target) -> None:
    """The lines of the known hosts file that name the switch, or that may (hashed names)."""
    name = target.host if target.port == paramiko.config.SSH_PORT else f"[{target.host}]:{target.port}"
    path = Path(target.known_hosts or "~/.ssh/known_hosts").expanduser()
    if not path.is_file():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        line = line.strip()
        if line.startswith("#") or (name not in line and "|1|" not in line):
            continue
        try:
            entry = HostKeyEntry.from_line(line, number)
        except InvalidHostKey:
            raise Unreachable(
                f"{target.where}: line {number} of {path} names the switch and holds no host key that can be used "
                "(a marker such as @revoked, or a broken key); correct it",
                permanent=True,
            ) from None
        for hostname in entry.hostnames if entry is not None else ():
            if entry.key.get_name() not in (keys.lookup(hostname) or {}):  # of two keys of a kind the first counts
                keys.add(hostname, entry.key.get_name(), entry.key)


def _reason(error: BaseException, target: Target) -> tuple[str, bool]:
    """One sentence for a connection that could not be made, and whether trying again is pointless."""
    known = target.known_hosts or "~/.ssh/known_hosts"
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, paramiko.BadHostKeyException):
            return (
                "the host key is not the one that is known for this address; "
                f"either the switch was replaced or somebody is in between. Check its key, then correct {known}",
                True,
            )
        if "not found in known_hosts" in str(cause):
            return f"the host key is unknown; check it, then add it to {known} (ssh-keyscan)", True
        if isinstance(cause, ConnectionRefusedError):
            return "connection refused; expected an SSH server there", False
        cause = cause.__cause__ or cause.__context__
    text = " ".join(str(error).split())
    if "TCP connection to device failed" in text:
        return f"no TCP connection within {target.timeout:.0f} s; check address, port and the way to the switch", False
    return text[:300], False


@contextmanager
def connect(target: Target, dialect: Dialect) -> Iterator[Session]:
    """A session that is closed whatever happens."""
    session = Session(target, dialect)
    try:
        yield session
    finally:
        session.close()


__all__ = ["CLI_PROMPT", "Dialect", "Session", "Target", "connect"]
