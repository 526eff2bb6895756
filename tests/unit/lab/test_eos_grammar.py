# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Grammar of EOS: what must be refused, what must be taken, and with which text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lab.eos.device import EosDevice
from lab.server import Clock
from tests.unit.lab.conftest import PORTS

INVALID, INCOMPLETE, AMBIGUOUS = "% Invalid input", "% Incomplete command", "% Ambiguous command"

PORT = ("configure", "interface Ethernet1/1")
PROFILE = ("configure", "qos profile P")
QUEUE = (*PROFILE, "uc-tx-queue 3")
GLOBAL = ("configure",)

REFUSED = [
    # Found in public "RoCE configurations" and never valid, or valid only on EOS of long ago.
    (GLOBAL, "priority-flow-control watchdog action errdisable", INVALID),
    (PORT, "priority-flow-control mode on", INVALID),
    (PORT, "priority-flow-control mode auto", INVALID),
    ((*GLOBAL, "policy-map type quality-of-service X"), "class tx-queue 3", INVALID),
    ((*GLOBAL, "policy-map type quality-of-service X", "class C"), "random-detect ecn", INVALID),
    (GLOBAL, "policy-map type queuing X", INVALID),
    (GLOBAL, "class-map type queuing X", INVALID),
    (PORT, "speed forced 400gfull", INVALID),
    (PORT, "speed 400000", INVALID),
    (PORT, "speed 400g-16", INVALID),
    (PORT, "fec rs", INVALID),
    (PORT, "pause no-drop", INVALID),
    (PORT, "service-policy type queuing output P", INVALID),
    (GLOBAL, "ip hardware fib load-balance distribution dynamic flow-set-size 0", INVALID),
    (GLOBAL, "ip hardware fib load-balance distribution dynamic flow-set-size 8", INVALID),
    (GLOBAL, "qos map traffic-class 3 to uc-tx-queue 3", INVALID),
    # Out of range.
    (PORT, "mtu 9215", INVALID),
    (PORT, "mtu 67", INVALID),
    (PORT, "switchport access vlan 4095", INVALID),
    (PORT, "switchport trunk allowed vlan 0", INVALID),
    (PORT, "ip address 10.0.0.1/33", INVALID),
    (PORT, "ip address 10.0.0.256/24", INVALID),
    (GLOBAL, "vlan 4095", INVALID),
    (GLOBAL, "qos map dscp 64 to traffic-class 3", INVALID),
    (GLOBAL, "qos map dscp 26 to traffic-class 8", INVALID),
    (GLOBAL, "qos map traffic-class 7 to tx-queue 3", INVALID),
    (GLOBAL, "priority-flow-control pause watchdog default timeout 0.001", INVALID),
    (GLOBAL, "priority-flow-control pause watchdog default timeout 61", INVALID),
    (GLOBAL, "priority-flow-control pause watchdog default polling-interval 31", INVALID),
    (GLOBAL, "priority-flow-control pause watchdog action pause", INVALID),
    (GLOBAL, "lldp timer 4", INVALID),
    (PROFILE, "priority-flow-control priority 8 no-drop", INVALID),
    (PROFILE, "priority-flow-control pause watchdog port action errdisable", INVALID),
    (PROFILE, "uc-tx-queue 8", INVALID),
    (QUEUE, "bandwidth percent 0", INVALID),
    (QUEUE, "bandwidth percent 101", INVALID),
    (QUEUE, "random-detect ecn minimum-threshold 1 kbytes maximum-threshold 2 mbytes", INVALID),
    (QUEUE, "random-detect ecn minimum-threshold 1 packets maximum-threshold 2 packets", INVALID),
    (QUEUE, "random-detect ecn minimum-threshold 1 kbytes maximum-threshold 2 kbytes max-mark-probability 0", INVALID),
    ((*PROFILE, "mc-tx-queue 1"), "random-detect ecn count", INVALID),
    # Interfaces that do not exist, lines in the wrong place, misspellings, unfinished lines.
    (GLOBAL, "interface Ethernet99/1", INVALID),
    (GLOBAL, "mtu 9000", INVALID),
    (GLOBAL, "bandwidth percent 10", INVALID),
    (PORT, "ip adress 10.0.0.1/31", INVALID),
    (PORT, "lldp transmitt", INVALID),
    (PORT, "switchport modus trunk", INVALID),
    (PORT, "mtu", INCOMPLETE),
    (PORT, "switchport mode", INCOMPLETE),
    (PROFILE, "priority-flow-control priority 3", INCOMPLETE),
    (GLOBAL, "qos", INCOMPLETE),
    (PORT, "s", AMBIGUOUS),
    (PORT, "switchport t", AMBIGUOUS),
    ((), "show nothing", INVALID),
    ((), "show", INCOMPLETE),
    ((), "interface Ethernet1/1", INVALID),
    ((), "show priority-flow-control | json", "% This is an unconverted command"),
]


@pytest.mark.parametrize(("way", "line", "answer"), REFUSED, ids=[r[1] or "empty" for r in REFUSED])
def test_refused(leaf: EosDevice, typed: Callable, way: tuple[str, ...], line: str, answer: str) -> None:
    entered = typed(leaf, *way)
    before = leaf.running()
    assert entered == [""] * len(way)
    assert typed(leaf, *way, line)[-1] == answer
    assert leaf.running() == before


def test_thresholds_in_the_wrong_order(leaf: EosDevice, typed: Callable) -> None:
    line = "random-detect ecn minimum-threshold 1500 kbytes maximum-threshold 150 kbytes"
    assert typed(leaf, *QUEUE, line)[-1].startswith("% Minimum threshold")
    assert "random-detect" not in leaf.running()


ABBREVIATED = [
    ("conf", "int et1/1", "desc a b  c", "   description a b  c"),
    ("configure terminal", "interface ethernet 1/1", "mt 9214", "   mtu 9214"),
    ("conf t", "int Eth1/1", "sw acc vl 100", "   switchport access vlan 100"),
    ("conf", "int e1/1", "priority-f on", "   priority-flow-control on"),
    ("conf", "int e1/1", "no sw", "   no switchport"),
    ("conf", "int e1/1", "err enc reed", "   error-correction encoding reed-solomon"),
]


@pytest.mark.parametrize(("configure", "interface", "line", "printed"), ABBREVIATED)
def test_abbreviations(
    leaf: EosDevice, typed: Callable, configure: str, interface: str, line: str, printed: str
) -> None:
    assert typed(leaf, configure, interface, line) == ["", "", ""]
    assert f"interface Ethernet1/1\n{printed}\n!" in leaf.running()


def test_queue_families_depend_on_the_asic(leaf: EosDevice, typed: Callable) -> None:
    assert typed(leaf, *PROFILE, "uc-tx-queue 3", "tx-queue 3")[-2:] == ["", ""]
    leaf.asic = "jericho2"
    assert typed(leaf, *PROFILE, "uc-tx-queue 3")[-1] == INVALID
    assert typed(leaf, *PROFILE, "tx-queue 3")[-1] == ""


def test_ecn_count_in_a_profile_needs_4_31(clock: Clock, typed: Callable) -> None:
    old = EosDevice("old", PORTS, clock=clock, release="4.30.5M")
    assert typed(old, *QUEUE, "random-detect ecn count")[-1] == INVALID
    assert typed(old, *PORT, "uc-tx-queue 3", "random-detect ecn count")[-1] == ""


def test_user_mode_reads_little(existing: EosDevice) -> None:
    shell = existing.shell("ops")  # no "aaa authorization exec default local" in these configurations
    assert shell.prompt.endswith(">")
    assert shell.run("show running-config") == "% Invalid input (privileged mode required)"
    assert shell.run("configure") == "% Invalid input (privileged mode required)"
    assert "EOS" not in shell.run("show hostname")
    shell.run("enable")
    assert shell.prompt.endswith("#")
    assert shell.run("show running-config").endswith("\nend\n")


@pytest.mark.parametrize(
    ("lines", "prompt"),
    [
        ([], "leaf01#"),
        (["configure"], "leaf01(config)#"),
        (["configure", "interface Ethernet1/1"], "leaf01(config-if-Et1/1)#"),
        (["configure", "interface Ethernet1/1-3/1"], "leaf01(config-if-Et1/1-3/1)#"),
        (["configure", "qos profile ROCE"], "leaf01(config-qos-profile-ROCE)#"),
        (["configure", "qos profile ROCE", "uc-tx-queue 3"], "leaf01(config-qos-profile-ROCE-txq-3)#"),
        (["configure", "qos profile ROCE", "uc-tx-queue 3", "exit"], "leaf01(config-qos-profile-ROCE)#"),
        (["configure session lossless-1"], "leaf01(config-s-lossle)#"),
        (["configure session lossless-1", "vlan 10"], "leaf01(config-s-lossle-vlan-10)#"),
        (["configure session lossless-1", "vlan 10", "end"], "leaf01#"),
        (["configure", "hostname other"], "other(config)#"),
    ],
)
def test_prompts(leaf: EosDevice, lines: list[str], prompt: str) -> None:
    shell = leaf.shell("admin")
    for line in lines:
        assert shell.run(line) == ""
    assert shell.prompt == prompt
