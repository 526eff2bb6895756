# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Emulated switches over real SSH, used by real clients."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import asyncssh
import netmiko
import paramiko
import pytest

from lab.client import Lab, LabError, ThreadLab
from lab.eos.device import EosDevice
from lab.eos.shell import EosShell
from lab.server import Clock, Endpoint
from tests.unit.lab.conftest import PORTS


@pytest.fixture
def lab(clock: Clock, tmp_path: Path) -> Iterator[ThreadLab]:
    devices = [EosDevice(f"leaf{n:02}", PORTS, clock=clock) for n in (1, 2)]
    with ThreadLab(devices, clock, tmp_path / "run") as running:
        yield running


def login(lab: ThreadLab, name: str = "leaf01", **settings: object) -> netmiko.BaseConnection:
    options = {"username": "admin", "password": "admin", "fast_cli": True, "conn_timeout": 5, **settings}
    return netmiko.ConnectHandler(device_type="arista_eos", host="127.0.0.1", port=lab.ports[name], **options)


def wait_for_end(connection: netmiko.BaseConnection) -> bytes:
    """Everything that still comes until the connection is gone."""
    channel: paramiko.Channel = connection.remote_conn
    channel.settimeout(5)
    received = b""
    try:
        while data := channel.recv(65536):
            received += data
    except TimeoutError:
        pytest.fail("the connection is still open")
    except OSError:
        pass
    return received


# -- terminal --------------------------------------------------------------------------------------------------
def test_login_and_commands(lab: ThreadLab) -> None:
    connection = login(lab)
    assert connection.find_prompt() == "leaf01#"
    assert "Software image version: 4.32.2F" in connection.send_command("show version")
    assert connection.send_command("show bogus").strip() == "% Invalid input"
    output = connection.send_config_set(["interface Ethernet1/1", "description " + "long " * 60])
    assert "% " not in output
    assert ("   description " + "long " * 59 + "long\n") in lab.running("leaf01")
    connection.disconnect()


def test_a_configuration_session_with_timer(lab: ThreadLab) -> None:
    before = lab.running("leaf01")
    connection = login(lab)
    for line in ("configure session lossless-1", "interface Ethernet1/1", "mtu 9214", "commit timer 00:05:00"):
        connection.send_command(line, expect_string=r"leaf01\S*#")
    assert "mtu 9214" in lab.running("leaf01")
    connection.disconnect()
    assert lab.leftovers("leaf01") == ["session lossless-1 (commit timer)"]
    lab.advance(301)
    assert (lab.running("leaf01"), lab.leftovers("leaf01")) == (before, [])


def test_terminal_details(lab: ThreadLab) -> None:
    """Echo, CRLF, line editing, paging: what a client that reads bytes gets to see."""
    lab.banner("leaf01", motd="Welcome\nto the lab\n")

    async def talk() -> str:
        options = {"username": "admin", "password": "admin", "known_hosts": None}
        async with asyncssh.connect("127.0.0.1", lab.ports["leaf01"], **options) as connection:
            process = await connection.create_process(term_type="vt100", term_size=(80, 24))
            process.stdin.write("shox\x7fw hostname\r\nshow running-config\n")
            seen = await process.stdout.readuntil(" --More-- ")
            process.change_terminal_size(200, 50)
            process.stdin.write("qterminal length 0\nexit\n")
            return seen + await process.stdout.read()

    text = asyncio.run(talk())
    assert text.startswith("Welcome\r\nto the lab\r\nleaf01#sho")
    assert "Hostname: leaf01\r\nFQDN:     leaf01\r\nleaf01#" in text
    assert "Pagination disabled.\r\nleaf01#exit\r\n" in text
    assert "\r\nend" not in text
    assert not re.search(r"(?<!\r)\n", text)


def test_exec_request_and_pipe(lab: ThreadLab) -> None:
    async def talk() -> tuple[str, str]:
        options = {"username": "admin", "password": "admin", "known_hosts": None}
        async with asyncssh.connect("127.0.0.1", lab.ports["leaf01"], **options) as connection:
            one = await connection.run("show hostname")
            two = await connection.run(input="configure\nlldp timer 9\nend\nshow hostname", request_pty=False)
            assert (one.exit_status, two.exit_status) == (0, 0)
            return str(one.stdout), str(two.stdout)

    one, two = asyncio.run(talk())
    assert one == two == "Hostname: leaf01\nFQDN:     leaf01\n"
    assert "lldp timer 9\n" in lab.running("leaf01")


def test_banner_before_the_password(lab: ThreadLab) -> None:
    lab.banner("leaf01", banner="Authorised people only.\nleaf01# is not a prompt here.")
    transport = paramiko.Transport(("127.0.0.1", lab.ports["leaf01"]))
    transport.connect(username="admin", password="admin")
    assert transport.get_banner() == b"Authorised people only.\r\nleaf01# is not a prompt here.\r\n"
    transport.close()
    assert login(lab).send_command("show hostname").startswith("Hostname")


# -- who may log in --------------------------------------------------------------------------------------------
def test_wrong_credentials(lab: ThreadLab) -> None:
    for options in ({"password": "wrong"}, {"username": "nobody"}):
        with pytest.raises(netmiko.NetmikoAuthenticationException):
            login(lab, **options)


def test_public_key(clock: Clock) -> None:
    key, other = asyncssh.generate_private_key("ssh-ed25519"), asyncssh.generate_private_key("ssh-ed25519")
    device = EosDevice("leaf01", PORTS, clock=clock)
    endpoint = Endpoint(device, users={}, public_keys=[key.export_public_key().decode()])

    async def hostname(port: int, private: asyncssh.SSHKey) -> str:
        options = {"username": "robot", "client_keys": [private], "known_hosts": None}
        async with asyncssh.connect("127.0.0.1", port, **options) as connection:
            return str((await connection.run("show hostname")).stdout)

    with ThreadLab([endpoint], clock) as lab:
        assert "leaf01" in asyncio.run(hostname(lab.ports["leaf01"], key))
        with pytest.raises(asyncssh.PermissionDenied):
            asyncio.run(hostname(lab.ports["leaf01"], other))


def test_host_keys_are_checked_and_can_change(lab: ThreadLab) -> None:
    strict = {"ssh_strict": True, "alt_host_keys": True, "alt_key_file": str(lab.run_dir / "known_hosts")}
    login(lab, **strict).disconnect()
    lab.change_host_key("leaf01")
    with pytest.raises((netmiko.NetmikoTimeoutException, paramiko.SSHException)):
        login(lab, **strict)
    login(lab, "leaf02", **strict).disconnect()
    lab.change_host_key("leaf01", restore=True)
    login(lab, **strict).disconnect()


def test_host_keys_survive_a_restart(clock: Clock, tmp_path: Path) -> None:
    lines = []
    for _ in range(2):
        with ThreadLab([EosDevice("leaf01", PORTS, clock=clock)], clock, tmp_path) as lab:
            lines.append(lab.known_hosts().split()[1:])
    assert lines[0] == lines[1]
    assert (tmp_path / "hostkeys" / "leaf01").stat().st_mode & 0o777 == 0o600


# -- faults ----------------------------------------------------------------------------------------------------
def test_cut_before_a_command(lab: ThreadLab) -> None:
    connection = login(lab)
    connection.send_command("configure", expect_string="#")
    lab.fault("leaf01", "cut-before", match="^hostname")
    connection.write_channel("hostname other\n")
    assert b"other" in wait_for_end(connection)  # the echo still comes
    assert "hostname leaf01\n" in lab.running("leaf01")
    login(lab).disconnect()


def test_cut_after_a_command(lab: ThreadLab) -> None:
    connection = login(lab)
    connection.send_command("configure", expect_string="#")
    lab.fault("leaf01", "cut-after", match="^hostname")
    connection.write_channel("hostname other\n")
    assert b"other(config)#" not in wait_for_end(connection)
    assert "hostname other\n" in lab.running("leaf01")


def test_a_fault_strikes_as_often_as_told(lab: ThreadLab) -> None:
    lab.fault("leaf01", "refuse", match="^show", skip=1, count=2)
    connection = login(lab)
    answers = [connection.send_command("show hostname").startswith("% Invalid input") for _ in range(4)]
    assert answers == [False, True, True, False]
    assert lab.status()[0]["faults"] == []


def test_slow(lab: ThreadLab) -> None:
    connection = login(lab)
    lab.fault("leaf01", "slow", match="hostname", seconds=0.7)
    start = time.monotonic()
    assert "leaf01" in connection.send_command("show hostname")
    assert time.monotonic() - start >= 0.7
    start = time.monotonic()
    connection.send_command("show hostname")
    assert time.monotonic() - start < 0.7


def test_log_lines(lab: ThreadLab) -> None:
    connection = login(lab)
    lab.fault("leaf01", "log-lines", match="hostname")
    lines = connection.send_command("show hostname").splitlines()
    assert [("%LINEPROTO-5-UPDOWN" in line) for line in lines] == [True, False, True, False, True]


def test_unreachable(lab: ThreadLab, clock: Clock) -> None:
    open_before = login(lab)
    lab.fault("leaf01", "unreachable", seconds=30)
    for _ in range(2):
        with socket.create_connection(("127.0.0.1", lab.ports["leaf01"])) as sock, pytest.raises(ConnectionError):
            if not sock.recv(1):
                raise ConnectionError
    assert "leaf01" in open_before.send_command("show hostname")  # what is open stays open
    login(lab, "leaf02").disconnect()
    lab.advance(31)
    login(lab).disconnect()


def test_unreachable_for_a_number_of_connections(lab: ThreadLab) -> None:
    lab.fault("leaf01", "unreachable", count=1)
    with pytest.raises((netmiko.NetmikoTimeoutException, paramiko.SSHException, EOFError, OSError)):
        login(lab)
    login(lab).disconnect()


# -- control ---------------------------------------------------------------------------------------------------
def test_the_control_socket_does_the_same(lab: ThreadLab) -> None:
    other = Lab(lab.run_dir)
    assert other.execute("leaf01", "configure", "lldp timer 9", "end") == ["", "", ""]
    assert "lldp timer 9\n" in other.running("leaf01")
    assert "lldp timer 9\n" not in other.startup("leaf01")
    other.set_port("leaf01", "Ethernet1/1", link=False, speed=100000, **{"3.ecn_marked": 5})
    state = lab.devices["leaf01"].ports["Ethernet1/1"]
    assert (state.link, state.speed, state.classes[3].ecn_marked) == (False, 100000, 5)
    other.load("leaf01", "!\nhostname changed\n!\nend\n")
    assert other.running("leaf01") == "!\nhostname changed\n!\nend\n"
    other.close()


@pytest.mark.parametrize(
    ("operation", "arguments", "message"),
    [
        ("running", {"name": "leaf99"}, "no switch 'leaf99' in this lab; there are: leaf01, leaf02"),
        ("explode", {}, "unknown operation 'explode'"),
        ("fault", {"name": "leaf01", "kind": "slow", "color": "red"}, "a fault has no color"),
        ("set_port", {"name": "leaf01", "port": "Ethernet99", "values": {}}, "leaf01 has no port 'Ethernet99'"),
        ("set_port", {"name": "leaf01", "port": "Ethernet1/1", "values": {"9.drops": 1}}, "no class '9'"),
        ("set_port", {"name": "leaf01", "port": "Ethernet1/1", "values": {"sped": 1}}, "no field 'sped'"),
        ("advance", {"seconds": -1}, "the clock cannot go back"),
    ],
)
def test_requests_that_make_no_sense(lab: ThreadLab, operation: str, arguments: dict, message: str) -> None:
    for client in (lab, Lab(lab.run_dir)):
        with pytest.raises(LabError, match=re.escape(message)):
            client.call(operation, **arguments)


def test_a_broken_emulator_says_so_without_the_command(
    lab: ThreadLab, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(EosShell, "_do_show_running", lambda self, match: 1 / 0)
    connection = login(lab)
    assert "Internal error of the emulator" in connection.send_command("show running-config | include hunter2")
    assert connection.find_prompt() == "leaf01#"
    assert "ZeroDivisionError" in caplog.text
    assert "hunter2" not in caplog.text


def test_many_switches_in_one_process(clock: Clock, record_property: Callable) -> None:
    start = time.monotonic()
    devices = [EosDevice(f"leaf{n:03}", [f"Ethernet{p}/1" for p in range(1, 65)], clock=clock) for n in range(200)]
    with ThreadLab(devices, clock) as lab:
        ready = time.monotonic() - start
        print(f"\n200 switches with 64 ports each listen after {ready:.2f} s")
        record_property("seconds", ready)
        assert len(set(lab.ports.values())) == 200

        async def ask(name: str) -> str:
            options = {"username": "admin", "password": "admin", "known_hosts": None}
            async with asyncssh.connect("127.0.0.1", lab.ports[name], **options) as connection:
                return str((await connection.run("show hostname")).stdout)

        async def ask_all() -> list[str]:
            return await asyncio.gather(*(ask(d.name) for d in devices[::4]))

        answers = asyncio.run(ask_all())
        assert [a.split()[1] for a in answers] == [d.name for d in devices[::4]]
    assert ready < 30
