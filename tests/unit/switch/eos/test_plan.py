# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Running configuration -> exact commands. The switch below is as intended, printed the way EOS prints it."""

from __future__ import annotations

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.driver import REASONS, EosDriver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.ownership import rules
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render
from tests.underlay import with_underlay

ZERO = " ".join(str(v) for v in range(64) if v not in (26, 48) and v // 8 != 1)
RUNNING = f"""! Command: show running-config
! device: leaf01 (DCS-7060DX4-32, EOS-4.32.2F)
!
hostname leaf01
!
banner login
qos map dscp 26 to traffic-class 5
EOF
!
vlan 10,30
!
vlan 100
   name rail0
!
qos map cos 0 2 4 5 7 to traffic-class 0
qos map dscp {ZERO} to traffic-class 0
!
priority-flow-control pause watchdog default timeout 0.20
priority-flow-control pause watchdog default recovery-time 1
priority-flow-control pause watchdog default polling-interval 0.1
priority-flow-control pause watchdog action drop
!
qos profile OTHER
   qos trust cos
!
qos profile ROCE
   qos trust dscp
   !
   uc-tx-queue 0
      no priority
      bandwidth percent 50
   !
   uc-tx-queue 3
      no priority
      bandwidth percent 50
      random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes max-mark-probability 100 weight 0
      random-detect ecn count
   !
   uc-tx-queue 6
      priority strict
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control pause watchdog
!
interface Ethernet1/1
   description gpu01 rail0
   mtu 9214
   speed 400g-8
   error-correction encoding reed-solomon
   switchport access vlan 100
   spanning-tree portfast
   service-profile ROCE
!
interface Ethernet2/1
   mtu 1500
   qos trust cos
!
interface Ethernet49/1
   description spine01 Ethernet1/1
   mtu 9214
   speed 400g-8
   error-correction encoding reed-solomon
   no switchport
   ip address 10.0.0.0/31
   ip ospf area 0.0.0.0
   service-profile ROCE
!
router bgp 65001
   neighbor 10.0.0.1 remote-as 65000
!
end
"""

PROFILE = ("qos profile ROCE",)
QUEUE_3 = (*PROFILE, "uc-tx-queue 3")
ACCESS = ("interface Ethernet1/1",)
UPLINK = ("interface Ethernet49/1",)


def inside(path, *commands):
    """Commands in a section."""
    return [*path, *commands, *["exit"] * len(path)]


@pytest.fixture
def driver(example, switch):
    return EosDriver(switch(example))


@pytest.fixture
def plan(driver):
    intended = driver.intended(render(driver.model, (4, 32)))
    return lambda running: driver.plan(driver.parse(running), intended)


def changed(old: str, new: str, text: str = RUNNING) -> str:
    assert text.count(old) >= 1, old
    return text.replace(old, new, 1)


def at_top(line: str) -> str:
    return changed("hostname leaf01\n", f"hostname leaf01\n{line}\n")


def on_access(line: str) -> str:
    return changed("   spanning-tree portfast\n", f"   spanning-tree portfast\n{line}\n")


def in_profile(line: str) -> str:
    return changed("   priority-flow-control on\n", f"   priority-flow-control on\n{line}\n")


def test_as_intended(plan, driver):
    change = plan(RUNNING)
    assert change.commands == ()
    assert not change
    assert driver.owned(driver.parse(RUNNING)) == change.predicted


ECN = "random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes max-mark-probability 100"
DRIFT = {
    # changed by hand: overwritten in place, nothing is negated
    "dscp moved": (at_top("qos map dscp 26 to traffic-class 4"), ["qos map dscp 26 to traffic-class 3"]),
    "dscp with drop precedence": (
        at_top("qos map dscp 26 48 to traffic-class 4 drop-precedence 2"),
        ["qos map dscp 26 to traffic-class 3", "qos map dscp 48 to traffic-class 6"],
    ),
    "cos moved": (at_top("qos map cos 3 to traffic-class 1"), ["qos map cos 3 to traffic-class 3"]),
    "queue moved": (
        at_top("qos map traffic-class 3 4 to tx-queue 1"),
        ["qos map traffic-class 3 to tx-queue 3", "qos map traffic-class 4 to tx-queue 4"],
    ),
    "ecn thresholds": (changed("maximum-threshold 1500", "maximum-threshold 3000"), inside(QUEUE_3, ECN)),
    "ecn unit": (
        changed("150 kbytes maximum-threshold 1500 kbytes", "1 mbytes maximum-threshold 2 mbytes"),
        inside(QUEUE_3, ECN),
    ),
    "ecn weight": (changed("weight 0", "weight 3"), inside(QUEUE_3, ECN)),
    "weight of a queue": (
        changed("bandwidth percent 50", "bandwidth percent 30"),
        inside((*PROFILE, "uc-tx-queue 0"), "bandwidth percent 50"),
    ),
    "trust": (changed("qos trust dscp", "qos trust cos"), inside(PROFILE, "qos trust dscp")),
    "no trust": (changed("qos trust dscp", "no qos trust"), inside(PROFILE, "qos trust dscp")),
    "pfc lossy": (
        changed("priority 3 no-drop", "priority 3 drop"),
        inside(PROFILE, "priority-flow-control priority 3 no-drop"),
    ),
    "watchdog time": (
        changed("timeout 0.20", "timeout 2"),
        ["priority-flow-control pause watchdog default timeout 0.2"],
    ),
    "watchdog action": (
        changed("action drop", "action notify-only"),
        ["priority-flow-control pause watchdog action drop"],
    ),
    "mtu": (changed("mtu 9214", "mtu 9000"), inside(ACCESS, "mtu 9214")),
    "speed": (changed("speed 400g-8", "speed 200g-4"), inside(ACCESS, "speed 400g-8")),
    "description": (changed("description gpu01 rail0", "description free"), inside(ACCESS, "description gpu01 rail0")),
    "access vlan": (
        changed("switchport access vlan 100", "switchport access vlan 30"),
        inside(ACCESS, "switchport access vlan 100"),
    ),
    "address": (changed("ip address 10.0.0.0/31", "ip address 10.9.9.0/31"), inside(UPLINK, "ip address 10.0.0.0/31")),
    "other profile": (changed("service-profile ROCE", "service-profile OTHER"), inside(ACCESS, "service-profile ROCE")),
    "trunk": (
        changed("switchport access vlan 100", "switchport access vlan 100\n   switchport mode trunk"),
        inside(ACCESS, "no switchport mode"),
    ),
    "vlan name": (changed("name rail0", "name other"), inside(("vlan 100",), "name rail0")),
    "fec changed": (
        changed("encoding reed-solomon", "encoding fire-code"),
        inside(ACCESS, "default error-correction encoding", "error-correction encoding reed-solomon"),
    ),
    "fec off": (
        changed("error-correction encoding reed-solomon", "no error-correction encoding"),
        inside(ACCESS, "default error-correction encoding", "error-correction encoding reed-solomon"),
    ),
    # missing
    "dscp map gone": (
        changed(f"qos map dscp {ZERO} to traffic-class 0\n", ""),
        [f"qos map dscp {ZERO} to traffic-class 0"],
    ),
    "ecn gone": (changed(f"      {ECN} weight 0\n", ""), inside(QUEUE_3, ECN)),
    "count gone": (changed("      random-detect ecn count\n", ""), inside(QUEUE_3, "random-detect ecn count")),
    "pfc gone": (
        changed("   priority-flow-control priority 3 no-drop\n", ""),
        inside(PROFILE, "priority-flow-control priority 3 no-drop"),
    ),
    "pfc off": (changed("   priority-flow-control on\n", ""), inside(PROFILE, "priority-flow-control on")),
    "watchdog gone": (
        changed("   priority-flow-control pause watchdog\n", ""),
        inside(PROFILE, "priority-flow-control pause watchdog"),
    ),
    "attach gone": (changed("   service-profile ROCE\n", ""), inside(ACCESS, "service-profile ROCE")),
    "vlan gone": (changed("vlan 100\n   name rail0\n", ""), inside(("vlan 100",), "name rail0")),
    "vlan among others": (
        changed("vlan 10,30\n!\nvlan 100\n   name rail0\n", "vlan 10,30,99-101\n"),
        inside(("vlan 100",), "name rail0"),
    ),
    "mtu gone": (changed("   mtu 9214\n", ""), inside(ACCESS, "mtu 9214")),
    "switched": (changed("   no switchport\n", ""), inside(UPLINK, "no switchport")),
    "shut": (changed("   mtu 9214\n", "   shutdown\n   mtu 9214\n"), inside(ACCESS, "no shutdown")),
    "lldp off": (at_top("no lldp run"), ["lldp run"]),
    # extra
    "queue not strict": (
        changed("priority strict", "no priority"),
        inside((*PROFILE, "uc-tx-queue 6"), "priority strict"),
    ),
    "second lossless": (
        in_profile("   priority-flow-control priority 4 no-drop"),
        inside(PROFILE, "no priority-flow-control priority 4"),
    ),
    "watchdog of the port": (
        in_profile("   priority-flow-control pause watchdog port action notify-only"),
        inside(PROFILE, "no priority-flow-control pause watchdog port action"),
    ),
    "shape in profile": (in_profile("   shape rate 50 percent"), inside(PROFILE, "no shape rate 50 percent")),
    "shape of a queue": (
        changed("      random-detect ecn count\n", "      random-detect ecn count\n      shape rate 40 percent\n"),
        inside(QUEUE_3, "no shape rate"),
    ),
    "ecn on another queue": (
        changed("   uc-tx-queue 6\n", f"   uc-tx-queue 6\n      {ECN}\n"),
        inside((*PROFILE, "uc-tx-queue 6"), "no random-detect ecn minimum-threshold"),
    ),
    "a queue more": (
        changed("   uc-tx-queue 6\n", "   mc-tx-queue 1\n      no priority\n   uc-tx-queue 6\n"),
        inside((*PROFILE, "mc-tx-queue 1"), "priority strict"),
    ),
    "a profile of ours": (at_top("qos profile ROCE-OLD\n   qos trust cos"), ["no qos profile ROCE-OLD"]),
    "pfc all off": (at_top("priority-flow-control all off"), ["no priority-flow-control all off"]),
    "watchdog override": (
        at_top("priority-flow-control pause watchdog override action drop"),
        ["no priority-flow-control pause watchdog override action drop"],
    ),
    "dscp rewritten": (at_top("qos rewrite dscp"), ["no qos rewrite dscp"]),
    "class to dscp": (at_top("qos map traffic-class 3 to dscp 0"), ["no qos map traffic-class 3 to dscp"]),
    "global ecn": (
        at_top("qos random-detect ecn global-buffer minimum-threshold 1 mbytes maximum-threshold 2 mbytes"),
        ["no qos random-detect ecn global-buffer"],
    ),
    "lldp timer": (at_top("lldp timer 5"), ["no lldp timer"]),
    "lldp hold time, old word": (at_top("lldp holdtime 60"), ["no lldp hold-time"]),
    "link pause": (on_access("   flowcontrol receive on"), inside(ACCESS, "no flowcontrol receive")),
    "l2 mtu": (on_access("   l2 mtu 1500"), inside(ACCESS, "no l2 mtu")),
    "trust of the port": (on_access("   no qos trust"), inside(ACCESS, "default qos trust")),
    "pfc of the port": (
        on_access("   priority-flow-control priority 5 no-drop"),
        inside(ACCESS, "no priority-flow-control priority 5"),
    ),
    "watchdog off on the port": (
        on_access("   no priority-flow-control pause watchdog"),
        inside(ACCESS, "priority-flow-control pause watchdog"),
    ),
    "queue of the port": (
        on_access("   uc-tx-queue 3\n      bandwidth percent 5"),
        inside((*ACCESS, "uc-tx-queue 3"), "no bandwidth percent"),
    ),
    "policy of the port": (
        on_access("   service-policy type qos input PM"),
        inside(ACCESS, "no service-policy type qos input PM"),
    ),
    "lldp silent on the port": (on_access("   no lldp transmit"), inside(ACCESS, "lldp transmit")),
    "second address": (
        changed("   ip ospf area", "   ip address 10.7.7.1/24 secondary\n   ip ospf area"),
        inside(UPLINK, "no ip address 10.7.7.1/24 secondary"),
    ),
    "second fec": (
        changed("encoding reed-solomon\n", "encoding reed-solomon\n   error-correction encoding fire-code\n"),
        inside(ACCESS, "default error-correction encoding", "error-correction encoding reed-solomon"),
    ),
}


@pytest.mark.parametrize("name", DRIFT)
def test_drift(name, plan):
    running, commands = DRIFT[name]
    change = plan(running)
    assert list(change.commands) == commands
    assert change.diffs


SAME = {
    "other defaults spelled out": on_access(
        "   no shutdown\n   switchport\n   switchport mode access\n   no flowcontrol send"
    ),
    "flow control off": on_access("   flowcontrol receive off"),
    "lldp defaults": at_top("lldp run\nlldp timer 30\nlldp hold-time 120"),
    "default maps": at_top("qos map dscp 26 to traffic-class 3\nqos map traffic-class 3 to tx-queue 3"),
    "maps in pieces": changed(f"dscp {ZERO} to", f"dscp 0 to traffic-class 0\nqos map dscp {ZERO[2:]} to"),
    "strict queue unsaid": changed("   uc-tx-queue 6\n      priority strict\n", ""),
    "routed by default": changed(
        "   no switchport\n",
        "",
        changed(
            "   switchport access", "   switchport\n   switchport access", at_top("switchport default mode routed")
        ),
    ),
    "watchdog of the port spelled out": on_access("   priority-flow-control pause watchdog"),
}


@pytest.mark.parametrize("name", SAME)
def test_no_drift(name, plan):
    assert plan(SAME[name]).commands == ()


FOREIGN = (
    at_top("vlan 200\n   name mine"),
    at_top("qos map exp 0 to traffic-class 3"),
    at_top("qos profile OTHER\n   priority-flow-control priority 5 no-drop"),
    at_top("interface Ethernet3/1\n   service-profile OTHER\n   mtu 9000\n   priority-flow-control on"),
    at_top("interface Port-Channel1\n   mtu 9000"),
    at_top("qos profile ROCE-STORAGE\n   qos trust cos\ninterface Ethernet9/1\n   service-profile ROCE-STORAGE"),
    at_top("interface Ethernet1/1.100\n   mtu 9000"),
    on_access("   channel-group 3 mode active"),
    on_access("   ip access-group X in"),
    changed("   name rail0\n", "   name rail0\n   trunk group MLAG\n"),
    at_top("router bgp 65001\n   lldp timer 5\n   qos rewrite dscp"),
)


@pytest.mark.parametrize("running", FOREIGN)
def test_what_is_not_ours_is_neither_seen_nor_touched(running, plan):
    assert plan(running).commands == ()


def test_virgin_switch(plan, driver):
    change = plan("hostname leaf01\n!\ninterface Ethernet1/1\n!\ninterface Ethernet49/1\n!\nend\n")
    commands = list(change.commands)
    assert commands[:4] == [
        "vlan 100",
        "name rail0",
        "exit",
        f"qos map dscp {ZERO} to traffic-class 0",
    ]
    assert commands.index("qos profile ROCE") < commands.index("service-profile ROCE")
    assert commands.index("no switchport") < commands.index("ip address 10.0.0.0/31")
    at = commands.index("uc-tx-queue 6")
    assert commands[at : at + 3] == ["uc-tx-queue 6", "priority strict", "exit"]
    assert not [c for c in commands if c.startswith("no ") and c != "no switchport" and c != "no priority"]
    assert {(d.kind, d.where) for d in change.disruptions} == {
        (kind, f"interface {port}")
        for port, kinds in {
            "Ethernet1/1": ("port-speed", "port-fec", "port-vlan", "pfc"),
            "Ethernet49/1": ("port-speed", "port-fec", "port-mode", "port-address", "pfc"),
        }.items()
        for kind in kinds
    }


def test_a_profile_that_is_written_to_says_which_queues_are_strict(plan):
    emptied = changed("   uc-tx-queue 6\n      priority strict\n", "")
    weight = inside((*PROFILE, "uc-tx-queue 0"), "bandwidth percent 50")[1:-1]
    strict = ["uc-tx-queue 6", "priority strict", "exit"]
    commands = plan(changed("bandwidth percent 50", "bandwidth percent 30", emptied)).commands
    assert list(commands) == inside(PROFILE, *weight, *strict)


def test_strict_queue_with_a_curve(example, switch):
    example["roce"]["classes"][2]["ecn"] = {"min": 1000, "max": 2000}
    driver = EosDriver(switch(example))
    change = driver.plan(driver.parse("end\n"), driver.intended(render(driver.model, (4, 32))))
    at = change.commands.index("uc-tx-queue 6")
    assert change.commands[at + 1] == "priority strict"
    assert change.commands[at + 2].startswith("random-detect ecn minimum-threshold 1 kbytes")


def test_hitless_changes_need_no_consent(plan):
    for name in (
        "ecn thresholds",
        "mtu",
        "description",
        "dscp moved",
        "watchdog time",
        "vlan name",
        "weight of a queue",
    ):
        assert plan(DRIFT[name][0]).disruptions == ()


def test_disruptive_changes_say_where_and_why(plan):
    for name, kind in (
        ("speed", "port-speed"),
        ("pfc of the port", "pfc"),
        ("switched", "port-mode"),
        ("shut", "port-state"),
    ):
        (found,) = plan(DRIFT[name][0]).disruptions
        assert (found.kind, found.reason) == (kind, REASONS[kind])
        assert found.where.startswith("interface Ethernet")
    (found,) = plan(DRIFT["pfc lossy"][0]).disruptions
    assert found.where == "qos profile ROCE"


def test_every_kind_of_disruption_has_a_reason(example, switch):
    driver = EosDriver(switch(with_underlay(example)))

    def kinds(table):
        for rule in table:
            yield rule.disruption
            yield from kinds(rule.children)

    assert {k for k in kinds(rules(driver.model)) if k} == set(REASONS)


def test_back_to_where_it_was(driver, plan):
    """A rollback is a plan towards the owned part of the old configuration; nothing of ours stays."""
    virgin = "hostname leaf01\n!\ninterface Ethernet1/1\n   mtu 9000\n!\ninterface Ethernet49/1\n!\nend\n"
    before = driver.load(driver.dump(driver.owned(driver.parse(virgin))))
    assert before == driver.owned(driver.parse(virgin))
    commands = list(driver.plan(driver.parse(RUNNING), before).commands)
    assert commands[-2:] == ["no qos profile ROCE", "no vlan 100"]
    assert inside(ACCESS, "mtu 9000")[1] in commands
    assert "qos map dscp 8 9 10" not in " ".join(commands)


def test_back_to_two_codes(driver):
    both = changed("encoding reed-solomon\n", "encoding reed-solomon\n   error-correction encoding fire-code\n")
    before = driver.load(driver.dump(driver.owned(driver.parse(both))))
    codes = [f"error-correction encoding {code}" for code in ("fire-code", "reed-solomon")]
    assert list(driver.plan(driver.parse(RUNNING), before).commands) == inside(
        ACCESS, "default error-correction encoding", *codes
    )


def test_dump_is_canonical(driver):
    owned = driver.owned(driver.parse(RUNNING))
    again = driver.load(driver.dump(owned))
    assert again == owned
    assert driver.dump(again) == driver.dump(owned)
    shuffled = changed("   mtu 9214\n", "", RUNNING).replace("   spanning-tree portfast\n", "   mtu 9214\n", 1)
    assert driver.dump(driver.owned(driver.parse(shuffled))) == driver.dump(owned)


def test_unnumbered_port_keeps_its_address(example, switch):
    del example["ports"][1]["address"]
    driver = EosDriver(switch(example))
    running = changed("ip address 10.0.0.0/31", "ip address unnumbered Loopback0")
    assert driver.plan(driver.parse(running), driver.intended(render(driver.model, (4, 32)))).commands == ()


def test_address_goes_when_a_port_becomes_switched(example, switch):
    example["ports"][1] |= {"mode": "access", "vlan": 100}
    del example["ports"][1]["address"]
    driver = EosDriver(switch(example))
    change = driver.plan(driver.parse(RUNNING), driver.intended(render(driver.model, (4, 32))))
    assert list(change.commands) == inside(UPLINK, "switchport", "switchport access vlan 100", "no ip address")


@pytest.mark.parametrize("words", ["forced 100gfull", "100gfull", "100g-4"])
def test_speeds_are_spelled_differently_by_release(words, example, switch):
    for port in example["ports"]:
        port |= {"speed": 100000, "fec": "fc"}
    driver = EosDriver(switch(example))
    running = RUNNING.replace("speed 400g-8", f"speed {words}").replace("reed-solomon", "fire-code")
    assert driver.plan(driver.parse(running), driver.intended(render(driver.model, (4, 32)))).commands == ()


def test_without_a_watchdog_the_profile_says_so(example, switch):
    example["roce"]["pfc_watchdog"]["enabled"] = False
    driver = EosDriver(switch(example))
    change = driver.plan(driver.parse(RUNNING), driver.intended(render(driver.model, (4, 32))))
    assert list(change.commands) == [
        *inside(PROFILE, "no priority-flow-control pause watchdog"),
        *(
            f"no priority-flow-control pause watchdog default {t}"
            for t in ("polling-interval", "recovery-time", "timeout")
        ),
        "no priority-flow-control pause watchdog action",
    ]


def test_old_release_counts_ecn_on_the_port(driver):
    intended = driver.intended(render(driver.model, (4, 28)))
    change = driver.plan(driver.parse(RUNNING), intended)
    port = [inside((*path, "uc-tx-queue 3"), "random-detect ecn count") for path in (ACCESS, UPLINK)]
    assert list(change.commands) == [*inside(QUEUE_3, "no random-detect ecn count"), *port[0], *port[1]]
