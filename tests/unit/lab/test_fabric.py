# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From an inventory to running switches: host variables, front panels, command line."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import netmiko
import pytest
import yaml

from lab import fabric
from lab.__main__ import main
from lab.fabric import REPOSITORY, InventoryError
from lab.server import Clock


def hostvars(**changes: object) -> dict:
    return {
        "ansible_host": "127.0.0.1",
        "ansible_port": 2201,
        "ansible_user": "fabric",
        "ansible_password": "a password",
        "switch": {
            "name": "leaf01",
            "platform": "eos",
            "asic": "tomahawk4",
            "release": "4.32.2F",
            "ports": [
                {"name": "Ethernet1/1", "peer": {"device": "gpu01", "port": "rail0", "kind": "host"}},
                {"name": "Ethernet70/1", "peer": {"device": "spine01", "port": "Ethernet1/1"}},
                {"name": "Ethernet3/1"},
            ],
        },
    } | changes


def test_a_switch_from_its_host_variables(clock: Clock) -> None:
    (endpoint,) = fabric.build([fabric.spec_of("leaf01", hostvars())], clock)
    device = endpoint.device
    assert (endpoint.address, endpoint.port, endpoint.users) == ("127.0.0.1", 2201, {"fabric": "a password"})
    assert (device.name, device.platform, device.release, device.asic) == ("leaf01", "eos", "4.32.2F", "tomahawk4")
    assert list(device.ports)[:2] == ["Ethernet1/1", "Ethernet2/1"]
    assert len(device.ports) == 65
    assert device.ports["Ethernet1/1"].peer == ("gpu01", "rail0")
    assert [n for n, p in device.ports.items() if p.link] == ["Ethernet1/1", "Ethernet3/1", "Ethernet70/1"]
    assert endpoint.cables == {"Ethernet1/1": "host", "Ethernet70/1": "switch"}
    assert "a password" not in repr(endpoint) + repr(fabric.spec_of("leaf01", hostvars()))


def test_json_keeps_everything() -> None:
    spec = fabric.spec_of("leaf01", hostvars())
    assert fabric.from_json(fabric.as_json([spec])) == [spec]


def test_public_key_beside_the_private_one(tmp_path: Path) -> None:
    (tmp_path / "id.pub").write_text("ssh-ed25519 AAAA robot\n")
    spec = fabric.spec_of("leaf01", hostvars(ansible_ssh_private_key_file=str(tmp_path / "id")))
    assert spec.public_keys == ["ssh-ed25519 AAAA robot"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"switch": {"platform": "junos"}}, "leaf01: switch.platform is 'junos', expected one of eos, nxos, nvue"),
        ({"ansible_password": "{{ vault }}"}, "leaf01: ansible_password is a template"),
    ],
)
def test_unusable_host_variables(changes: dict, message: str) -> None:
    with pytest.raises(InventoryError, match=message):
        fabric.spec_of("leaf01", hostvars(**changes))


@pytest.mark.parametrize(
    ("platform", "used", "first", "last"),
    [
        ("eos", ["Ethernet49/1"], "Ethernet1/1", "Ethernet64/1"),
        ("eos", ["Ethernet3"], "Ethernet1", "Ethernet64"),
        ("eos", [], "Ethernet1/1", "Ethernet64/1"),
        ("nxos", ["Ethernet1/1"], "Ethernet1/1", "Ethernet1/64"),
        ("nvue", ["swp2s0"], "swp1", "swp64"),
    ],
)
def test_front_panels(platform: str, used: list[str], first: str, last: str) -> None:
    panel = fabric.front_panel(platform, used)
    assert (panel[0], panel[-1]) == (first, last)
    assert set(used) <= set(panel)
    assert panel == sorted(panel, key=fabric.natural)


# -- command line ----------------------------------------------------------------------------------------------
@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    sockets = [socket.socket() for _ in range(3)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    hosts = {}
    for n, s in enumerate(sockets):
        hosts[f"eos{n}"] = {
            "ansible_host": "127.0.0.1", "ansible_port": s.getsockname()[1], "ansible_user": "fabric",
            "ansible_password": "pw",
            "switch": {
                "name": f"eos{n}", "platform": "eos", "release": "4.32.2F",
                "ports": [
                    {"name": "Ethernet1/1", "peer": {"device": "gpu01", "port": "rail0", "kind": "host"}},
                    {"name": "Ethernet2/1", "peer": {"device": "spine01", "port": "Ethernet9/1", "kind": "switch"}},
                ],
            },
        }  # fmt: skip
        s.close()
    path = tmp_path / "hosts.yml"
    path.write_text(yaml.safe_dump({"all": {"hosts": hosts}}))
    return path


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[..., Done]]:
    def call(*arguments: str) -> Done:
        code = main(["--run-dir", str(tmp_path / "run"), *arguments])
        return Done(code, *capsys.readouterr())

    yield call
    call("down")


def test_the_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lab", "--run-dir", str(tmp_path), "status"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"lab: no lab is running in {tmp_path}: start it with python -m lab up\n"


def test_a_day_in_the_life_of_a_lab(run: Callable[..., Done], inventory: Path, tmp_path: Path) -> None:
    assert run("status").returncode == 1
    started = run("up", "--inventory", str(inventory))
    assert started.returncode == 0, started.stderr
    listed = [line.split()[:3] for line in started.stdout.splitlines()]
    assert listed == [[f"eos{n}", "eos", "4.32.2F"] for n in range(3)]
    port = int(started.stdout.split()[3].rpartition(":")[2])
    again = run("up", "--inventory", str(inventory))
    assert again.stdout == started.stdout

    run_dir = tmp_path / "run"
    assert run_dir.stat().st_mode & 0o777 == 0o700
    connection = netmiko.ConnectHandler(
        device_type="arista_eos", host="127.0.0.1", port=port, username="fabric", password="pw",
        ssh_strict=True, alt_host_keys=True, alt_key_file=str(run_dir / "known_hosts"),
    )  # fmt: skip
    assert "sessions 1" in run("status").stdout.splitlines()[0]
    connection.disconnect()

    for n in range(3):
        assert run("run", f"eos{n}", "show", "hostname").stdout == f"Hostname: eos{n}\nFQDN:     eos{n}\n"
    broken = run("break")
    assert broken.returncode == 0, broken.stderr
    assert broken.stdout.splitlines() == [
        "eos0             Ethernet1/1: RoCE profile and PFC removed",
        "eos1             qos profile ROCE queue 3: ECN thresholds set to 3000 and 6000 kbytes",
        "eos1             Ethernet1/1: moved to VLAN 999",
        "eos2             Ethernet2/1: MTU 1500",
    ]
    assert "switchport access vlan 999" in run("run", "eos1", "show running-config interfaces Ethernet1/1").stdout
    assert run("set", "eos0", "port", "Ethernet1/1", "link=false", "3.drops=7").returncode == 0
    assert "notconnect" in run("run", "eos0", "show interfaces Ethernet1/1 status").stdout
    assert "no field" in run("set", "eos0", "port", "Ethernet1/1", "colour=red").stderr
    assert "no switch" in run("run", "eos9", "show version").stderr

    changed = inventory.read_text().replace("4.32.2F", "4.35.0F", 1)
    inventory.write_text(changed)
    restarted = run("up", "--inventory", str(inventory))
    assert restarted.stdout.splitlines()[0] == "lab: the inventory has changed, starting anew"
    assert "4.35.0F" in restarted.stdout

    assert run("down").stdout == "lab: stopped\n"
    assert run("down").stdout == "lab: not running\n"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
    for secret_place in run_dir.rglob("*"):
        if secret_place.is_file():
            assert "pw" not in secret_place.read_text().split()


def test_a_taken_port_is_named(run: Callable[..., Done], inventory: Path) -> None:
    port = yaml.safe_load(inventory.read_text())["all"]["hosts"]["eos1"]["ansible_port"]
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        failed = run("up", "--inventory", str(inventory))
    assert failed.returncode == 1
    assert f"eos1: cannot listen on 127.0.0.1:{port}" in failed.stderr


def test_an_inventory_without_switches(run: Callable[..., Done], tmp_path: Path) -> None:
    empty = tmp_path / "empty.yml"
    empty.write_text("all: {hosts: {server: {}}}\n")
    failed = run("up", "--inventory", str(empty))
    assert failed.returncode == 1
    assert "no host has the variable 'switch'" in failed.stderr
    assert "Traceback" not in failed.stderr
