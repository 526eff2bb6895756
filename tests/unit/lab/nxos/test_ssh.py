# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The emulator behind real SSH, driven by netmiko as any user would."""

from __future__ import annotations

import asyncio
import contextlib
import threading

import asyncssh
import pytest
from netmiko import ConnectHandler

from lab.device import Fault
from lab.nxos.device import NxosDevice
from lab.server import Clock, Endpoint, LabServer

ROCE = """
class-map type qos match-any ROCEv2
  match dscp 26
policy-map type qos QOS
  class ROCEv2
    set qos-group 3
policy-map type network-qos NQ
  class type network-qos c-8q-nq3
    mtu 9216
    pause pfc-cos 3
system qos
  service-policy type network-qos NQ
interface Ethernet1/1
  no switchport
  mtu 9216
  priority-flow-control mode on
  service-policy type qos input QOS
  no shutdown
"""


@pytest.fixture
def lab():
    """One switch on a free port, served by a loop of its own."""
    clock = Clock()
    device = NxosDevice("leaf01", [f"Ethernet1/{n}" for n in range(1, 5)], clock=clock)
    device.motd = "Do not use this prompt: leaf01#\n"
    endpoint = Endpoint(device)
    server = LabServer([endpoint], clock)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(server.start(), loop).result(10)
    yield device, endpoint, clock
    asyncio.run_coroutine_threadsafe(server.stop(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


@contextlib.contextmanager
def login(endpoint):
    with ConnectHandler(
        device_type="cisco_nxos",
        host=endpoint.address,
        port=endpoint.port,
        username="admin",
        password="admin",
        use_keys=False,
    ) as connection:
        yield connection


def test_configure_and_read_back(lab):
    device, endpoint, _ = lab
    with login(endpoint) as connection:
        assert connection.base_prompt == "leaf01"
        connection.send_config_set(ROCE.strip().split("\n"), error_pattern=r"(?m)^(%|ERROR)")
        shown = connection.send_command("show running-config", strip_prompt=True)
        wanted = device.running().strip("\n")
        assert shown.replace("\r", "").strip("\n").endswith(wanted)
        pfc = connection.send_command("show interface priority-flow-control | json", expect_string=r"leaf01# ")
        assert '"oper": "On  (8)"' in pfc
        assert "Copy complete." in connection.save_config()
    assert device.startup() == device.running()


def test_the_first_prompt_stands_on_a_line_of_its_own(lab):
    """As the prompt expression of ansible.netcommon's network_cli wants it."""
    device, endpoint, clock = lab
    device.motd = NxosDevice("leaf02", [], clock=clock).motd

    async def greeting():
        options = {"username": "admin", "password": "admin", "known_hosts": None}
        async with asyncssh.connect(endpoint.address, endpoint.port, **options) as connection:
            process = await connection.create_process(term_type="vt100")
            return await process.stdout.readuntil("# ")

    assert asyncio.run(greeting()).endswith("\r\nleaf01# ")


def test_refused_lines_reach_the_user(lab):
    _, endpoint, _ = lab
    with login(endpoint) as connection:
        answer = connection.send_config_set(["interface Ethernet1/1", "mtu 9000", "pause no-drop"])
    assert "ERROR: Ethernet1/1: MTU on L2 interfaces can only be set to default or system-jumboMTU" in answer
    lines = answer.split("\n")
    at = next(i for i, line in enumerate(lines) if line.endswith("pause no-drop"))
    assert lines[at + 1].index("^") == lines[at].index("pause no-drop")


def test_rollback_chatter_does_not_end_the_read(lab):
    device, endpoint, _ = lab
    with login(endpoint) as connection:
        connection.send_command("checkpoint A")
        before = device.running()
        connection.send_config_set(["vlan 7", "name x"])
        answer = connection.send_command("rollback running-config checkpoint A", expect_string=r"leaf01# ")
        assert "#Generating Rollback Patch" in answer
        assert "Rollback completed successfully." in answer
        connection.send_command("no checkpoint A")
    assert device.running() == before
    assert device.leftovers() == []


def test_the_dead_man_switches_back_over_ssh(lab):
    device, endpoint, clock = lab
    before = device.running()
    with login(endpoint) as connection:
        connection.send_command("checkpoint SAFE")
        connection.send_config_set(
            [
                "feature scheduler",
                "scheduler job name SAFE",
                "rollback running-config checkpoint SAFE",
                "exit",
                "scheduler schedule name SAFE",
                "job name SAFE",
                "time start +00:02",
                "interface Ethernet1/2",
                "shutdown",
            ],
            error_pattern=r"(?m)^(%|ERROR|Error)",
        )
        assert "Yet to be executed" in connection.send_command("show scheduler schedule")
    clock.advance(121)
    with login(endpoint) as connection:
        shown = connection.send_command("show running-config")
    assert shown.replace("\r", "").strip("\n").endswith(before.strip("\n"))
    assert device.leftovers() == ["checkpoint SAFE"]


def test_pages(lab):
    _, endpoint, _ = lab
    with login(endpoint) as connection:
        connection.send_command("terminal length 10")
        first = connection.send_command_timing("show running-config", strip_prompt=False)
        assert "--More--" in first
        assert "router" not in first
        connection.write_channel("q")
        assert connection.find_prompt() == "leaf01#"


def test_log_lines_and_refusals_from_faults(lab):
    device, endpoint, _ = lab
    device.faults += [Fault("log-lines", match="show hostname"), Fault("refuse", match="^vlan 7$")]
    with login(endpoint) as connection:
        assert "%ETHPORT-5-IF_UP" in connection.send_command("show hostname", expect_string=r"leaf01# ")
        assert "ERROR: Command failed" in connection.send_config_set(["vlan 7"])
    assert 7 not in device.vlans()
