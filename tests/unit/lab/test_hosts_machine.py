# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Around a running machine: QEMU's control socket, the package mirror, keys, known hosts, left-over files."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
import tarfile
import threading
from pathlib import Path
from typing import Any

import pytest

from lab import __main__ as command
from lab.hosts import fleet, machine
from lab.hosts.image import Image
from lab.hosts.machine import Machine
from lab.hosts.needs import HostsError
from lab.hosts.qmp import Qmp
from lab.hosts.spec import MachineSpec


@pytest.fixture
def gpu01(tmp_path: Path) -> Machine:
    one = Machine(MachineSpec("gpu01", ("rail0",), port=2321), tmp_path, Image(tmp_path / "image"), "tcg")
    one.paths.folder.mkdir(parents=True)
    machine.make_key(one.paths.user_key)
    machine.make_key(one.paths.host_key)
    one.paths.described.write_text(one._described)
    return one


# -- QEMU's control socket ---------------------------------------------------------------------------------------
@pytest.fixture
def qemu(tmp_path: Path):
    """A control socket that answers with given lines, one list per request."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(tmp_path / "qmp"))
    server.listen()
    asked: list[dict[str, Any]] = []
    threads = []

    def serve(answers: list[list[dict[str, Any]]]) -> tuple[Path, list[dict[str, Any]]]:
        def run() -> None:
            connection, _ = server.accept()
            with connection, connection.makefile("rwb") as stream:
                stream.write(b'{"QMP": {}}\n')
                stream.flush()
                for lines in [[{"return": {}}], *answers]:
                    asked.append(json.loads(stream.readline()))
                    for line in lines:
                        stream.write(json.dumps(line).encode() + b"\n")
                    stream.flush()

        thread = threading.Thread(target=run)
        thread.start()
        threads.append(thread)
        return tmp_path / "qmp", asked

    yield serve
    for thread in threads:
        thread.join()
    server.close()


def test_events_that_come_before_the_answer_are_kept(qemu) -> None:
    done = {"event": "MIGRATION", "data": {"status": "completed"}}
    path, asked = qemu([[{"event": "STOP"}, {"event": "MIGRATION", "data": {"status": "setup"}}, done, {"return": 7}]])
    with Qmp(path) as monitor:
        assert monitor.do("migrate", uri="exec:cat") == 7
        assert monitor.wait("MIGRATION", status="completed") == {"status": "completed"}
    assert [a["execute"] for a in asked] == ["qmp_capabilities", "migrate"]


def test_refusals_of_qemu_are_told(qemu) -> None:
    path, _ = qemu([[{"error": {"class": "GenericError", "desc": "State blocked"}}]])
    with Qmp(path) as monitor, pytest.raises(HostsError, match="QEMU refused migrate: State blocked"):
        monitor.do("migrate")


def test_a_qemu_that_ends_is_noticed(qemu) -> None:
    path, _ = qemu([])
    with Qmp(path) as monitor, pytest.raises(HostsError, match="QEMU ended while it was asked"):
        monitor.wait("MIGRATION")


# -- package mirror ------------------------------------------------------------------------------------------------
def relay(*folders: Path, requests: bytes) -> bytes:
    done = subprocess.run(
        [sys.executable, str(machine.RELAY), *map(str, folders)], input=requests, capture_output=True, check=True
    )
    return done.stdout


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: mirror\r\n\r\n".encode()


def test_mirror_answers_several_requests_of_one_connection(tmp_path: Path) -> None:
    (tmp_path / "a+b_1.deb").write_bytes(b"package")
    said = relay(tmp_path / "none", tmp_path, requests=get("/a%2bb_1.deb") + get("/absent") + get("/a%2bb_1.deb"))
    assert said.count(b"HTTP/1.1 200 OK") == 2
    assert said.count(b"HTTP/1.1 404") == 1
    assert said.endswith(b"\r\n\r\npackage")


def test_mirror_gives_nothing_outside_its_folder(tmp_path: Path) -> None:
    (tmp_path / "mirror").mkdir()
    (tmp_path / "secret").write_text("secret")
    said = relay(tmp_path / "mirror", requests=get("/../secret") + get("/%2e%2e/secret"))
    assert said.count(b"HTTP/1.1 404") == 2
    assert b"secret\n" not in said


# -- identity ------------------------------------------------------------------------------------------------------
def test_identity_is_all_that_makes_a_machine_itself(gpu01: Machine) -> None:
    with tarfile.open(fileobj=io.BytesIO(gpu01._identity())) as archive:
        modes = {entry.name: entry.mode for entry in archive}
        assert modes["root/.ssh"] == 0o700
        assert modes["etc/ssh/ssh_host_ed25519_key"] == 0o600
        assert archive.extractfile("etc/hostname").read() == b"gpu01\n"
        public = archive.extractfile("root/.ssh/authorized_keys").read()
    assert public == gpu01.paths.user_key.with_suffix(".pub").read_bytes()


def test_keys_are_made_once_per_run_directory(gpu01: Machine) -> None:
    before = gpu01.paths.user_key.read_bytes()
    machine.make_key(gpu01.paths.user_key)
    assert gpu01.paths.user_key.read_bytes() == before
    assert gpu01.paths.user_key.stat().st_mode & 0o777 == 0o600


def test_known_hosts_keeps_the_switches(gpu01: Machine) -> None:
    path = gpu01.paths.known_hosts
    path.write_text("[127.0.0.1]:2221 ssh-ed25519 SWITCH\n[127.0.0.1]:2321 ssh-ed25519 OLD\n")
    fleet._know_hosts([gpu01], path)
    lines = path.read_text().splitlines()
    assert lines[0] == "[127.0.0.1]:2221 ssh-ed25519 SWITCH"
    assert len(lines) == 2
    assert lines[1].startswith("[127.0.0.1]:2321 ssh-ed25519 ")
    assert lines[1].split()[2] == gpu01.paths.host_key.with_suffix(".pub").read_text().split()[1]


# -- stopping ------------------------------------------------------------------------------------------------------
def test_a_recycled_process_number_is_not_stopped(gpu01: Machine) -> None:
    gpu01.paths.pid.write_text(f"{os.getpid()}\n")
    assert not machine.running(gpu01.paths)
    machine.stop(gpu01.paths)  # this test goes on


def test_a_machine_is_stopped_and_waited_for(gpu01: Machine) -> None:
    """The pid file's name on the command line is what tells a machine from another process."""
    words = [sys.executable, "-c", "print(flush=True); input()", str(gpu01.paths.pid)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdout.readline()
    gpu01.paths.pid.write_text(f"{process.pid}\n")
    assert machine.running(gpu01.paths)
    machine.stop(gpu01.paths)
    assert process.wait(10) == -15
    process.stdin.close()
    process.stdout.close()


def test_a_machine_that_does_not_come_up_is_not_left_running(gpu01: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = []
    monkeypatch.setattr(machine, "stop", lambda paths: stopped.append(paths.name))

    def fail() -> None:
        raise HostsError("no boot")

    monkeypatch.setattr(gpu01, "_come_up", fail)
    with pytest.raises(HostsError, match="no boot"):
        gpu01.start()
    assert stopped == ["gpu01", "gpu01"]  # what was there before, and what did not come up


def test_with_secure_boot_every_start_has_variables_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = Image(tmp_path / "image")
    base.secure.mkdir(parents=True)
    (base.secure / "variables.fd").write_bytes(b"keys")
    one = Machine(MachineSpec("gpu01", (), port=2321, secure_boot=True), tmp_path, base, "tcg")
    one.paths.folder.mkdir(parents=True)
    monkeypatch.setattr(machine, "run", lambda *command: None)
    one._launch(base.disk)
    assert one.paths.variables.read_bytes() == b"keys"


def test_why_qemu_does_not_start_is_told(gpu01: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*command: str) -> None:
        if command[0] == "qemu-system-x86_64":
            gpu01.paths.log.write_text("qemu: Could not set up host forwarding rule\n")
            raise HostsError("qemu-system-x86_64 failed: 1")

    monkeypatch.setattr(machine, "run", run)
    with pytest.raises(HostsError, match="gpu01: QEMU does not start: qemu: Could not set up host forwarding rule"):
        gpu01._launch(Path("/image/disk.raw"))


# -- command line --------------------------------------------------------------------------------------------------
def test_unknown_machines_are_named(gpu01: Machine, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--run-dir", str(tmp_path), "console", "gpu02"]) == 1
    assert capsys.readouterr().err == f"lab: no machine 'gpu02' in {tmp_path}; there are: gpu01\n"


def test_console_is_printed(gpu01: Machine, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gpu01.paths.console.write_bytes(b"Linux \xff\n")
    assert command.main(["--run-dir", str(tmp_path), "console", "gpu01"]) == 0
    assert capsys.readouterr().out == "Linux \ufffd\n"


def test_ssh_checks_the_host_key(gpu01: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed: list[str] = []
    monkeypatch.setattr(fleet.os, "execvp", lambda program, words: typed.extend(words))
    command.main(["--run-dir", str(tmp_path), "ssh", "gpu01", "rdma", "link"])
    assert "StrictHostKeyChecking=yes" in typed
    assert f"UserKnownHostsFile={tmp_path}/known_hosts" in typed
    assert typed[-3:] == ["root@127.0.0.1", "rdma", "link"]
