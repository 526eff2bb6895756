# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration of EOS as it is printed back: normal form, existing devices, minimal changes."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab.device import Logout
from lab.eos.device import EosDevice
from lab.eos.tree import VOLATILE, Node
from lab.server import Clock
from tests.unit.lab.conftest import DATA, PORTS

PROFILE = """\
qos profile ROCE
uc-tx-queue 3
random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes
random-detect ecn count
bandwidth percent 50
no priority
priority-flow-control priority 3 no-drop
priority-flow-control on
priority-flow-control pause watchdog
uc-tx-queue 6
priority strict
qos trust dscp
""".splitlines()

QUEUES = """\
   !
   uc-tx-queue 3
      no priority
      bandwidth percent 50
      random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes max-mark-probability 100
      random-detect ecn count
   !
   uc-tx-queue 6
      priority strict
"""
PFC = """\
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control pause watchdog
"""


def section(device: EosDevice, head: str) -> str:
    """One top-level section of the running configuration."""
    text = device.running()
    start = text.index(f"\n{head}\n") + 1
    return text[start : text.index("\n!\n", start) + 1]


def added(before: str, after: str) -> list[str]:
    return [x for x in difflib.ndiff(before.splitlines(), after.splitlines()) if x[0] in "+-"]


# -- normal form -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("release", "body"), [("4.32.2F", QUEUES + "   !\n" + PFC), ("4.35.0F", PFC + QUEUES)], ids=["old", "4.35"]
)
def test_profile_is_printed_in_the_order_of_the_release(clock: Clock, typed: Callable, release: str, body: str) -> None:
    device = EosDevice("leaf01", PORTS, clock=clock, release=release)
    typed(device, "configure", *PROFILE)
    assert section(device, "qos profile ROCE") == f"qos profile ROCE\n   qos trust dscp\n{body}"


def test_port_is_printed_in_fixed_order_whatever_was_typed_first(leaf: EosDevice, typed: Callable) -> None:
    lines = (
        "service-profile ROCE", "ip address 10.0.0.0/31", "no switchport", "error-correction encoding reed-solomon",
        "speed 400g-8", "mtu 9214", "description to spine", "shutdown",
    )  # fmt: skip
    typed(leaf, "configure", "interface Ethernet2/1", *lines)
    assert section(leaf, "interface Ethernet2/1").splitlines()[1:] == [
        "   description to spine",
        "   shutdown",
        "   mtu 9214",
        "   speed 400g-8",
        "   error-correction encoding reed-solomon",
        "   no switchport",
        "   ip address 10.0.0.0/31",
        "   service-profile ROCE",
    ]


def test_a_range_changes_every_port_of_it(leaf: EosDevice, typed: Callable) -> None:
    typed(leaf, "configure", "interface Ethernet2/1-3/1,5/1", "mtu 9000")
    changed = [n for n in PORTS if "mtu 9000" in section(leaf, f"interface {n}")]
    assert changed == ["Ethernet2/1", "Ethernet3/1", "Ethernet5/1"]


DEFAULTS = [
    ("interface Ethernet1/1", "mtu 1500"),
    ("interface Ethernet1/1", "no shutdown"),
    ("interface Ethernet1/1", "switchport"),
    ("interface Ethernet1/1", "switchport mode access"),
    ("interface Ethernet1/1", "switchport access vlan 1"),
    ("interface Ethernet1/1", "switchport trunk allowed vlan all"),
    ("interface Ethernet1/1", "no flowcontrol send"),
    ("interface Ethernet1/1", "flowcontrol receive off"),
    ("interface Ethernet1/1", "speed auto"),
    ("interface Ethernet1/1", "priority-flow-control pause watchdog"),
    ("interface Ethernet1/1", "no priority-flow-control"),
    ("interface Ethernet1/1", "default mtu"),
    ("interface Ethernet1/1", "uc-tx-queue 3"),
    ("", "lldp run"),
    ("", "lldp timer 30"),
    ("", "lldp hold-time 120"),
    ("", "qos map dscp 26 to traffic-class 3"),
    ("", "qos map dscp 0 to traffic-class 1"),
    ("", "qos map cos 0 to traffic-class 1"),
    ("", "qos map traffic-class 3 to tx-queue 3"),
]


@pytest.mark.parametrize(("where", "line"), DEFAULTS, ids=[line for _, line in DEFAULTS])
def test_defaults_are_not_printed(leaf: EosDevice, typed: Callable, where: str, line: str) -> None:
    before = leaf.running()
    assert typed(leaf, "configure", where, line)[-1] == ""
    assert leaf.running() == before


def test_qos_maps_are_grouped_and_sorted(leaf: EosDevice, typed: Callable) -> None:
    typed(
        leaf, "configure",
        "qos map dscp 40 to traffic-class 0",
        "qos map dscp 10 8 44 to traffic-class 5",
        "qos map cos 1 to traffic-class 5",
        "qos map dscp 9 to traffic-class 5",
        "qos map dscp 44 to traffic-class 0",
        "qos map traffic-class 2 to tx-queue 1",
    )  # fmt: skip
    lines = [x for x in leaf.running().splitlines() if x.startswith("qos map")]
    assert lines == [
        "qos map cos 1 to traffic-class 5",
        "qos map dscp 40 44 to traffic-class 0",
        "qos map dscp 8 9 10 to traffic-class 5",
        "qos map traffic-class 2 to tx-queue 1",
    ]
    typed(leaf, "configure", "no qos map dscp 40", "qos map dscp 44 to traffic-class 0", "default qos map dscp 8")
    lines = [x for x in leaf.running().splitlines() if x.startswith("qos map dscp")]
    assert lines == ["qos map dscp 44 to traffic-class 0", "qos map dscp 9 10 to traffic-class 5"]


def test_vlans_without_settings_share_a_line(leaf: EosDevice, typed: Callable) -> None:
    typed(leaf, "configure", "vlan 10-12,30", "vlan 20", "name rail0", "exit", "vlan 11", "name odd")
    heads = [x for x in leaf.running().splitlines() if x.startswith("vlan")]
    assert heads == ["vlan 10,12,30", "vlan 11", "vlan 20", "vlan 999"]
    typed(leaf, "configure", "vlan 11", "no name", "exit", "no vlan 20")
    assert [x for x in leaf.running().splitlines() if x.startswith("vlan")] == ["vlan 10-12,30", "vlan 999"]


def test_allowed_vlans_are_added_and_removed(leaf: EosDevice, typed: Callable) -> None:
    port = ("configure", "interface Ethernet1/1")
    for line, expected in (
        ("switchport trunk allowed vlan 20,10", "10,20"),
        ("switchport trunk allowed vlan add 11-12", "10-12,20"),
        ("switchport trunk allowed vlan remove 10,20", "11-12"),
        ("switchport trunk allowed vlan none", "none"),
        ("switchport trunk allowed vlan except 1-4000", "4001-4094"),
    ):
        assert typed(leaf, *port, line)[-1] == ""
        assert f"   switchport trunk allowed vlan {expected}\n" in leaf.running()
    typed(leaf, *port, "no switchport trunk allowed vlan")
    assert "allowed vlan" not in leaf.running()


def test_error_correction_codes_and_none(leaf: EosDevice, typed: Callable) -> None:
    port = ("configure", "interface Ethernet1/1")
    for line, expected in (
        ("error-correction encoding reed-solomon", ["error-correction encoding reed-solomon"]),
        ("no error-correction encoding", ["no error-correction encoding"]),
        ("error-correction encoding fire-code", ["error-correction encoding fire-code"]),
        ("no error-correction encoding reed-solomon", ["error-correction encoding fire-code"]),
        ("default error-correction encoding", []),
    ):
        typed(leaf, *port, line)
        assert [x.strip() for x in leaf.running().splitlines() if "error-correction" in x] == expected


def test_numbers_are_normalised(leaf: EosDevice, typed: Callable) -> None:
    typed(
        leaf, "configure",
        "priority-flow-control pause watchdog default timeout 0.20",
        "priority-flow-control pause watchdog default recovery-time 1",
    )  # fmt: skip
    assert "watchdog default timeout 0.2\n" in leaf.running()
    assert "watchdog default recovery-time 1.0\n" in leaf.running()


def test_a_line_of_an_outer_mode_leaves_the_inner_one(leaf: EosDevice, typed: Callable) -> None:
    shell = leaf.shell("admin")
    for line in ("configure", "interface Ethernet1/1", "mtu 9000", "vlan 30", "name a", "lldp timer 10"):
        assert shell.run(line) == ""
    assert "lldp timer 10\n" in leaf.running()
    assert shell.run("mtu 9000") == "% Invalid input"


def test_unowned_commands_are_taken(leaf: EosDevice, typed: Callable) -> None:
    lines = (
        "ntp server 192.0.2.200", "snmp-server location elsewhere",
        "router bgp 65000", "neighbor 10.0.0.1 remote-as 65001",
        "ip access-list MGMT-IN", "15 permit icmp any any", "ip route 10.0.0.0/8 192.0.2.9",
        "no ntp server 192.0.2.200",
    )  # fmt: skip
    assert typed(leaf, "configure", *lines) == [""] * 9
    text = leaf.running()
    assert "router bgp 65000\n   neighbor 10.0.0.1 remote-as 65001\n" in text
    assert "   10 permit tcp 192.0.2.0/24 any eq ssh\n   15 permit icmp any any\n   20 deny" in text
    assert "ntp server vrf MGMT 192.0.2.123\n" in text
    assert "192.0.2.200" not in text


# -- existing devices ------------------------------------------------------------------------------------------
def test_a_loaded_configuration_is_printed_back_byte_for_byte(existing: EosDevice) -> None:
    text = (DATA / existing.source).read_text()
    assert existing.running() == "".join(x for x in text.splitlines(keepends=True) if not x.startswith(VOLATILE))
    assert existing.startup() == existing.running()


def lines_of(node: Node, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Node]]:
    for child in node.visible():
        yield path, child
        yield from lines_of(child, (*path, child.text))


def test_every_line_that_is_removed_and_typed_again_returns_to_its_place(existing: EosDevice) -> None:
    """Undoing a change by typing the old lines has to give the old text."""
    before = existing.running()
    tried = 0
    for path, node in list(lines_of(existing.tree.root)):
        if node.children or node.text.startswith(("banner", "!!", "no ", "default ", "end")):
            continue
        if node.text.endswith(" peer group"):
            continue  # takes the lines of its members with it
        answers = []
        for line in (f"no {node.text}", node.text):
            shell = existing.shell("admin")
            answers += [shell.run(x) for x in ("enable", "configure", *path, line)]
        if any(answers):
            continue  # not a command of this grammar; it is kept, and cannot be typed
        tried += 1
        assert existing.running() == before, (path, node.text)
    assert tried >= 15


def test_only_the_changed_lines_change(existing: EosDevice, typed: Callable) -> None:
    before = existing.running()
    port = next(iter(existing.ports))
    assert "9001" not in before
    typed(existing, "configure", f"interface {port}", "mtu 9001", "service-profile NEW", "vlan 777", "name new")
    changes = added(before, existing.running())
    assert sum(x.startswith("-") for x in changes) <= 2  # the former MTU and service profile
    assert {"+    mtu 9001", "+    service-profile NEW", "+ vlan 777", "+    name new"} <= set(changes)
    typed(
        existing,
        "configure",
        "no vlan 777",
        "qos profile X",
        "exit",
        "no qos profile X",
        "lldp timer 7",
        "no lldp timer",
    )
    assert [x for x in added(before, existing.running()) if "vlan 777" in x or "lldp" in x or "profile X" in x] == []


def test_written_out_defaults_are_seen_and_kept(clock: Clock, typed: Callable) -> None:
    device = EosDevice("x", [], clock=clock)
    device.load((DATA / "eos-all-defaults.cfg").read_text())
    before = device.running()
    port = ("configure", "interface Ethernet1/1")
    typed(device, *port, "priority-flow-control on", "priority-flow-control priority 3 no-drop", "mtu 9214")
    changes = added(before, device.running())
    assert [x[2:].strip() for x in changes] == [
        "mtu 9212", "mtu 9214",
        "no priority-flow-control", "priority-flow-control on",
        "no priority-flow-control priority 3", "priority-flow-control priority 3 no-drop",
    ]  # fmt: skip
    typed(device, *port, "no priority-flow-control", "no priority-flow-control priority 3", "mtu 9212")
    assert device.running() == before


def test_clean_config_and_retyping_gives_the_same_text(leaf: EosDevice, typed: Callable) -> None:
    typed(leaf, "configure", *PROFILE, "interface Ethernet1/1", "mtu 9214")
    before = leaf.running()
    lines = [x for x in before.splitlines() if not x.startswith("!")]
    answers = typed(leaf, "configure session full", "rollback clean-config", *lines[:-1], "commit")
    assert answers == [""] * len(answers)
    assert leaf.running() == before


PORT_LINES = [
    "mtu 9214", "mtu 9000", "no mtu", "no switchport", "switchport", "default switchport", "shutdown", "no shutdown",
    "description one", "no description", "speed 400g-8", "no speed", "service-profile A", "no service-profile",
    "switchport access vlan 30", "no switchport access vlan", "switchport mode trunk",
    "switchport trunk allowed vlan 10",
    "switchport trunk allowed vlan add 20", "no switchport trunk allowed vlan", "ip address 10.9.9.1/31",
    "no ip address", "qos trust dscp", "no qos trust", "default qos trust", "priority-flow-control on",
    "no priority-flow-control", "error-correction encoding reed-solomon", "no error-correction encoding",
    "no error-correction encoding fire-code", "uc-tx-queue 3",
    "random-detect ecn count", "no random-detect ecn count", "exit", "no uc-tx-queue 3",
]  # fmt: skip
GLOBAL_LINES = [
    "qos map dscp 26 to traffic-class 3", "qos map dscp 26 27 to traffic-class 5", "no qos map dscp 27",
    "qos map cos 4 to traffic-class 2", "no qos map cos 4", "vlan 20", "vlan 30", "no vlan 20", "no vlan 30", "name x",
    "no name", "qos profile A", "no qos profile A", "priority-flow-control priority 3 no-drop", "tx-queue 2",
    "bandwidth percent 20", "no bandwidth percent", "lldp timer 10", "no lldp timer", "no lldp run", "lldp run",
    "interface Ethernet1/1", "interface Ethernet2/1", "interface Ethernet1", "interface Ethernet2",
    "ntp server 1.1.1.1",
    "no ntp server 1.1.1.1", "priority-flow-control pause watchdog action drop", "end", "configure",
]  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PORT_LINES + GLOBAL_LINES), max_size=30))
def test_whatever_is_typed_reads_back_as_itself(existing: EosDevice, lines: list[str]) -> None:
    """What is printed, loaded and printed again is the same; an aborted session changes nothing."""
    before = existing.running()
    shell = existing.shell("admin")
    for line in ("enable", "configure session try", "interface " + next(iter(existing.ports)), *lines):
        try:
            shell.run(line)
        except Logout:
            shell = existing.shell("admin")
            shell.run("enable")
    session = existing.sessions.get("try")
    assert session is not None
    text = session.tree.text()
    again = EosDevice("again", [], clock=existing.clock, release=existing.release)
    again.load(text)
    assert again.running() == text
    existing.sessions.abort(session)
    shell.run("end")
    typed_directly = existing.running()
    if "configure" not in lines:
        assert typed_directly == before
    existing.load((DATA / existing.source).read_text())
    assert existing.running() == before
