# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wire as a process: started from an inventory, stopped, lost, restarted; machines that come and go."""

from __future__ import annotations

import json
import os
import select
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import netmiko
import pytest

from lab.__main__ import main
from lab.client import LabError, ThreadLab
from lab.eos.device import EosDevice
from lab.server import Clock
from lab.wire import frames, launch
from tests.unit.lab.wire import EOS, Host

PORTS = [f"Ethernet{n}/1" for n in range(1, 9)]


def machine(*nics: tuple[str, str]) -> dict[str, Any]:
    peers = [{"name": nic, "peer": {"switch": "leaf01", "port": port}} for nic, port in nics]
    return {"lab_machine": {}, "host": {"nics": [*peers, {"name": "spare", "peer": None}]}}


HOSTVARS = {
    "leaf01": {"switch": {"name": "leaf01", "ports": [
        {"name": "Ethernet1/1", "peer": {"device": "e1", "port": "rail0", "kind": "host"}},
        {"name": "Ethernet7/1", "peer": {"device": "spine01", "port": "swp1", "kind": "switch"}},
        {"name": "Ethernet8/1", "peer": {"device": "elsewhere", "port": "swp1", "kind": "switch"}},
    ]}},
    "spine01": {"switch": {"ports": [{"name": "swp1", "peer": {"device": "leaf01", "port": "Ethernet7/1"}}]}},
    "e1": machine(("rail0", "Ethernet1/1"), ("rail1", "Ethernet2/1")),
    "bare": {"host": {"nics": [{"name": "rail0", "peer": {"switch": "leaf01", "port": "Ethernet4/1"}}]}},
}  # fmt: skip


def cards(lab: ThreadLab) -> tuple[Host, Host]:
    """The two NICs of the machine."""
    folder = lab.run_dir / "wire"
    return Host(folder, "e1", "e1.rail0"), Host(folder, "e2", "e1.rail1")


@pytest.fixture
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThreadLab]:
    clock = Clock()
    run_dir = tmp_path_factory.mktemp("w")
    with ThreadLab([EosDevice("leaf01", PORTS, clock=clock)], clock, run_dir) as running:
        running.execute("leaf01", "enable", "configure", *EOS.strip().splitlines())
        yield running
        launch.stop(run_dir)


@pytest.fixture
def hostvars() -> dict[str, Any]:
    """One switch and one machine."""
    return {name: HOSTVARS[name] for name in ("leaf01", "e1")}


def process(lab: ThreadLab) -> int:
    return int((lab.run_dir / "wire" / "pid").read_text())


def carries(lab: ThreadLab) -> None:
    """A frame from one NIC of the machine reaches the other."""
    one, two = cards(lab)
    frame = one.frame(frames.BROADCAST, one.udp(two))
    one.send(frame)
    assert two.receive() == frame
    for card, name in ((one, "rail0"), (two, "rail1")):
        card.close()
        (lab.run_dir / "wire" / f"e1.{name}.vm").unlink()


def test_what_is_cabled_to_what() -> None:
    plan = launch.topology(HOSTVARS)
    assert plan["nics"] == [
        {"name": "e1.rail0", "switch": "leaf01", "port": "Ethernet1/1"},
        {"name": "e1.rail1", "switch": "leaf01", "port": "Ethernet2/1"},
    ]
    assert plan["links"] == [(("leaf01", "Ethernet7/1"), ("spine01", "swp1"))]


def test_without_machines_there_is_no_wire(tmp_path: Path) -> None:
    launch.start(tmp_path, {"leaf01": HOSTVARS["leaf01"], "bare": HOSTVARS["bare"]})
    assert list(tmp_path.iterdir()) == []


def test_start_carry_stop(lab: ThreadLab, hostvars: dict[str, Any]) -> None:
    launch.start(lab.run_dir, hostvars)
    first = process(lab)
    carries(lab)
    counted = lab.call("port", name="leaf01", port="Ethernet1/1").classes[3]
    assert counted.rx_packets == 1
    carries(lab)  # the machine has started anew
    launch.start(lab.run_dir, hostvars)
    assert process(lab) != first
    carries(lab)
    launch.stop(lab.run_dir)
    assert not (lab.run_dir / "wire" / "pid").exists()
    launch.stop(lab.run_dir)  # nothing to do
    assert "rx_packets" in str(lab.call("port", name="leaf01", port="Ethernet1/1"))


def test_switches_go_on_when_the_wire_dies(lab: ThreadLab, hostvars: dict[str, Any]) -> None:
    launch.start(lab.run_dir, hostvars)
    watch = os.pidfd_open(process(lab))
    os.kill(process(lab), signal.SIGKILL)
    assert select.select([watch], [], [], 10)[0]
    os.close(watch)
    assert lab.execute("leaf01", "enable", "configure", "interface Ethernet1/1", "mtu 2000")[-1] == ""
    with pytest.raises(LabError, match="no wire is attached"):
        lab.call("wire", action="pause", switch="leaf01", port="Ethernet1/1", priority=3)
    launch.start(lab.run_dir, hostvars)
    carries(lab)


def test_frames_wait_for_a_machine_that_is_slow(lab: ThreadLab, hostvars: dict[str, Any]) -> None:
    launch.start(lab.run_dir, hostvars)
    one, two = cards(lab)
    sent = [one.frame(two.mac, one.udp(two, source=n)) for n in range(2000)]
    for frame in sent:
        one.send(frame)
    assert [two.receive() for _ in sent] == sent
    assert lab.call("port", name="leaf01", port="Ethernet2/1").tx_discards == 0


def test_what_an_operator_sees_and_changes_over_ssh(lab: ThreadLab, hostvars: dict[str, Any]) -> None:
    launch.start(lab.run_dir, hostvars)
    operator = netmiko.ConnectHandler(
        device_type="arista_eos", host="127.0.0.1", port=lab.ports["leaf01"], username="admin", password="admin"
    )
    one, two = cards(lab)
    frame = one.frame(frames.BROADCAST, one.udp(two))
    for _ in range(3):
        one.send(frame)
    counters = json.loads(operator.send_command("show interfaces Ethernet1/1 counters | json"))
    assert counters["interfaces"]["Ethernet1/1"]["inUcastPkts"] == 3
    assert [two.receive() for _ in range(3)] == [frame] * 3
    operator.send_config_set(["interface Ethernet2/1", "shutdown"])
    one.send(frame)
    counters = json.loads(operator.send_command("show interfaces Ethernet1/1 counters | json"))
    assert counters["interfaces"]["Ethernet1/1"]["inUcastPkts"] == 4
    assert two.waiting() == []
    operator.disconnect()


def test_a_timer_that_expires_reaches_the_wire(lab: ThreadLab, hostvars: dict[str, Any]) -> None:
    lab.execute(
        "leaf01", "enable", "configure session S", "interface Ethernet1/1", "l2 mtu 1500", "commit timer 00:01:00"
    )
    launch.start(lab.run_dir, hostvars)
    one, two = cards(lab)
    big = one.frame(frames.BROADCAST, one.udp(two, size=4000))
    one.send(big)
    assert lab.call("port", name="leaf01", port="Ethernet1/1").rx_errors == 1
    lab.server.clock.advance(61)  # nobody asks the switch anything
    while frames.MAXIMUM_FRAME_SIZE + (9214 + frames.OVERHEAD).to_bytes(2, "big") not in one.receive(frames.LLDP):
        pass
    one.send(big)
    assert two.receive() == big


def test_a_path_that_is_too_long_is_named(tmp_path: Path, hostvars: dict[str, Any]) -> None:
    run_dir = tmp_path / ("r" * 90)
    run_dir.mkdir()
    with pytest.raises(LabError, match="at most 107 bytes; choose a shorter --run-dir"):
        launch.start(run_dir, hostvars)


def test_congestion_from_the_command_line(
    lab: ThreadLab, hostvars: dict[str, Any], capsys: pytest.CaptureFixture
) -> None:
    launch.start(lab.run_dir, hostvars)
    here = ["--run-dir", str(lab.run_dir)]
    assert main([*here, "pause", "leaf01", "Ethernet1/1", "3", "--count", "5"]) == 0
    assert main([*here, "mark", "leaf01", "Ethernet2/1", "3", "1"]) == 0
    assert lab.call("port", name="leaf01", port="Ethernet1/1").classes[3].pause_tx == 5
    assert main([*here, "mark", "leaf01", "Ethernet2/1", "9", "1"]) == 1
    assert "priorities and classes are 0-7, not 9" in capsys.readouterr().err
