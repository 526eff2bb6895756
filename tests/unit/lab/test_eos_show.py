# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operational state of EOS, as data and as text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from lab.eos.device import EosDevice

CONFIGURATION = (
    "configure",
    "qos profile ROCE", "qos trust dscp", "priority-flow-control on", "priority-flow-control priority 3 no-drop",
    "uc-tx-queue 3", "random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes",
    "random-detect ecn count",
    "interface Ethernet1/1", "description gpu01", "mtu 9214", "service-profile ROCE", "switchport access vlan 100",
    "interface Ethernet2/1", "no switchport", "ip address 10.0.0.0/31", "mtu 9000", "service-profile ROCE",
    "interface Ethernet3/1", "switchport mode trunk", "switchport trunk allowed vlan 100,200", "shutdown",
    "vlan 100", "name rail0",
)  # fmt: skip


@pytest.fixture
def ask(leaf: EosDevice, typed: Callable) -> Callable[[str], Any]:
    """``ask("show version")``: the JSON answer of a configured leaf with traffic."""
    assert set(typed(leaf, *CONFIGURATION)) == {""}
    one, two = leaf.ports["Ethernet1/1"], leaf.ports["Ethernet2/1"]
    one.peer, two.peer = ("gpu01", "rail0"), ("spine01", "Ethernet1/1")
    two.speed = 200_000
    leaf.ports["Ethernet4/1"].link = False
    one.rx_errors, one.crc_errors, one.tx_discards, one.rx_packets = 7, 5, 3, 1000
    lossless = one.classes[3]
    lossless.ecn_marked, lossless.pause_rx, lossless.pause_tx, lossless.drops = 44, 10, 20, 9
    lossless.watchdog_detected, lossless.watchdog_restored = 2, 1
    one.classes[0].pause_rx = 1
    return lambda command: json.loads(typed(leaf, f"{command} | json")[0])


def test_interfaces(ask: Callable) -> None:
    found = ask("show interfaces")["interfaces"]
    assert len(found) == 8
    one, two = found["Ethernet1/1"], found["Ethernet2/1"]
    assert (one["forwardingModel"], one["mtu"], one["bandwidth"]) == ("bridged", 9214, 400_000_000_000)
    assert (two["forwardingModel"], two["mtu"], two["bandwidth"]) == ("routed", 9000, 200_000_000_000)
    assert two["interfaceAddress"][0]["primaryIp"] == {"address": "10.0.0.0", "maskLen": 31}
    assert one["interfaceCounters"]["totalInErrors"] == 7
    assert one["interfaceCounters"]["inputErrorsDetail"]["fcsErrors"] == 5


def test_status(ask: Callable) -> None:
    found = ask("show interfaces status")["interfaceStatuses"]
    states = {n: (d["linkStatus"], d["lineProtocolStatus"], d["bandwidth"] // 10**9) for n, d in found.items()}
    assert states["Ethernet1/1"] == ("connected", "up", 400)
    assert states["Ethernet2/1"] == ("connected", "up", 200)
    assert states["Ethernet3/1"] == ("disabled", "down", 0)
    assert states["Ethernet4/1"] == ("notconnect", "down", 0)
    modes = [found[f"Ethernet{n}/1"]["vlanInformation"]["interfaceMode"] for n in (1, 2, 3)]
    assert modes == ["bridged", "routed", "trunk"]


def test_switchport(ask: Callable) -> None:
    found = ask("show interfaces Ethernet1/1-3/1 switchport")["switchports"]
    assert list(found) == ["Ethernet1/1", "Ethernet2/1", "Ethernet3/1"]
    assert found["Ethernet1/1"]["switchportInfo"]["accessVlanId"] == 100
    assert found["Ethernet2/1"] == {"enabled": False}
    assert found["Ethernet3/1"]["switchportInfo"]["trunkAllowedVlans"] == "100,200"


def test_counters(ask: Callable) -> None:
    assert ask("show interfaces counters errors")["interfaceErrorCounters"]["Ethernet1/1"]["inErrors"] == 7
    discards = ask("show interfaces counters discards")
    assert (discards["outDiscardsTotal"], discards["interfaces"]["Ethernet1/1"]["outDiscards"]) == (3, 3)
    assert ask("show priority-flow-control counters")["interfaceCounters"]["Ethernet1/1"] == {
        "rxFrames": 11, "txFrames": 20,
    }  # fmt: skip
    assert ask("show priority-flow-control counters watchdog") == {
        "interfaces": {"Ethernet1/1": {"txQueues": {"3": {"stuckCount": 2, "recoveryCount": 1}}}}
    }
    ecn = ask("show qos interfaces ecn counters queue")["intfQueueCounters"]["Ethernet1/1"]["queueCounters"]
    assert (ecn["3"], ecn["2"]) == ("44", "-")
    drops = ask("show interfaces Ethernet1/1 counters queue drops")["interfaces"]["Ethernet1/1"]["trafficClasses"]
    assert drops["TC3"]["egressQueueCounters"]["countersSum"]["droppedPackets"] == 9
    detail = ask("show interfaces counters queue detail")["egressQueueCounters"]["interfaces"]["Ethernet1/1"]
    assert detail["ucastQueues"]["trafficClasses"]["TC3"]["dropPrecedences"]["DP0"]["droppedPackets"] == 9


def test_lldp(ask: Callable, leaf: EosDevice, typed: Callable) -> None:
    assert [
        (n["port"], n["neighborDevice"], n["neighborPort"]) for n in ask("show lldp neighbors")["lldpNeighbors"]
    ] == [
        ("Ethernet1/1", "gpu01", "rail0"),
        ("Ethernet2/1", "spine01", "Ethernet1/1"),
    ]
    (info,) = ask("show lldp neighbors detail")["lldpNeighbors"]["Ethernet2/1"]["lldpNeighborInfo"]
    assert info["neighborInterfaceInfo"]["interfaceId"] == '"Ethernet1/1"'
    typed(leaf, "configure", "interface Ethernet1/1", "no lldp receive")
    assert [n["port"] for n in ask("show lldp neighbors")["lldpNeighbors"]] == ["Ethernet2/1"]
    typed(leaf, "configure", "no lldp run")
    assert ask("show lldp neighbors")["lldpNeighbors"] == []


def test_version_says_that_it_is_a_stand_in(ask: Callable) -> None:
    found = ask("show version")
    assert found["version"] == "4.32.2F"
    assert "Lab-emulated" in found["modelName"]


def test_text_tables(ask: Callable, leaf: EosDevice, typed: Callable) -> None:
    pfc, status, trust, ecn = typed(
        leaf, "show priority-flow-control", "show interfaces status", "show qos interfaces trust",
        "show qos interfaces Ethernet1/1 ecn",
    )  # fmt: skip
    assert re.search(r"^Ethernet1/1 +Yes +3 +Yes +DCBX disabled$", pfc, re.MULTILINE)
    assert re.search(r"^Ethernet5/1 +No +No +DCBX disabled$", pfc, re.MULTILINE)
    assert re.search(r"^Et1/1 +gpu01 +connected +100 +full +400G", status, re.MULTILINE)
    assert re.search(r"^Ethernet1/1 +DSCP +DSCP$", trust, re.MULTILINE)
    assert re.search(r"^Ethernet5/1 +COS +DEFAULT$", trust, re.MULTILINE)
    assert re.search(r"^3 +kbytes +150 +1500 +100$", ecn, re.MULTILINE)


def test_qos_maps_follow_the_configuration(leaf: EosDevice, typed: Callable) -> None:
    (before,) = typed(leaf, "show qos maps")
    assert re.search(r"^ +0 : +1  1  1  1  1  1  1  1  0  0$", before, re.MULTILINE)
    typed(leaf, "configure", "qos map dscp 1 to traffic-class 5", "qos map traffic-class 5 to tx-queue 4")
    (after,) = typed(leaf, "show qos maps")
    assert re.search(r"^ +0 : +1  5  1  1  1  1  1  1  0  0$", after, re.MULTILINE)
    assert re.search(r"^ +tx-queue: +0  1  2  3  4  4  6  7$", after, re.MULTILINE)


@pytest.mark.parametrize(
    "command",
    [
        "show version", "show hostname", "show interfaces", "show interfaces status", "show interfaces switchport",
        "show interfaces counters", "show interfaces counters errors", "show interfaces counters discards",
        "show interfaces counters queue", "show interfaces flow-control", "show priority-flow-control",
        "show priority-flow-control status", "show priority-flow-control counters",
        "show priority-flow-control counters watchdog", "show qos interfaces ecn counters queue", "show qos maps",
        "show qos profile", "show qos profile summary", "show lldp neighbors", "show lldp neighbors detail",
        "show platform trident mmu queue status", "show queue-monitor length status", "show vlan",
        "show configuration sessions", "show running-config", "show startup-config",
        "show running-config interfaces Ethernet1/1", "show running-config section Ethernet1/1",
    ],
)  # fmt: skip
def test_every_show_command_has_text(ask: Callable, leaf: EosDevice, typed: Callable, command: str) -> None:
    (output,) = typed(leaf, command)
    assert output
    assert not output.startswith("%")


def test_pipes(leaf: EosDevice, typed: Callable) -> None:
    (found,) = typed(leaf, "show running-config | section access-list")
    assert found.splitlines()[0] == "ip access-list MGMT-IN"
    assert typed(leaf, "show running-config | include ^hostname") == ["hostname leaf01"]
    assert typed(leaf, "show version | bogus") == ["% Invalid input"]
