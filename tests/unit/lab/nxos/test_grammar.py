# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be typed and what not, with the texts of refusal."""

from __future__ import annotations

import re

import pytest

INVALID = "% Invalid command at '^' marker."
INCOMPLETE = "% Incomplete command at '^' marker."
AMBIGUOUS = "% Ambiguous command at '^' marker."

# Where commands are typed: lines that lead there.
PLACES = {
    "exec": ["end"],
    "config": ["configure terminal"],
    "routed": ["configure terminal", "interface Ethernet1/5", "no switchport"],
    "switched": ["configure terminal", "interface Ethernet1/6"],
    "svi": ["configure terminal", "feature interface-vlan", "interface Vlan10"],
    "vlan": ["configure terminal", "vlan 40"],
    "class-map": ["configure terminal", "class-map type qos match-any X"],
    "qos": ["configure terminal", "class-map X", "policy-map type qos P"],
    "qos-class": ["configure terminal", "policy-map type qos P", "class class-default"],
    "network": ["configure terminal", "policy-map type network-qos N"],
    "network-class": ["configure terminal", "policy-map type network-qos N", "class type network-qos c-8q-nq3"],
    "queuing": ["configure terminal", "policy-map type queuing Q"],
    "out": ["configure terminal", "policy-map type queuing Q", "class type queuing c-out-8q-q3"],
    "in": ["configure terminal", "policy-map type queuing I", "class type queuing c-in-q3"],
    "system": ["configure terminal", "policy-map type network-qos N", "system qos"],
    "schedule": ["configure terminal", "feature scheduler", "scheduler schedule name S"],
}

GOOD = """
config | feature lldp
config | feature nv overlay
config | hostname leaf02
config | vlan 10,20-30
config | no vlan 10
config | interface port-channel7
config | interface loopback3
config | interface e1/1-4,e1/7
config | interface Ethernet 1/1-3, Ethernet 1/5
config | policy-map MYPOLICY
config | class-map match-any M
config | priority-flow-control watch-dog-interval on
config | priority-flow-control watch-dog interval 200
config | priority-flow-control watch-dog shutdown-multiplier 2
config | priority-flow-control auto-restore multiplier 20
config | priority-flow-control fixed-restore multiplier 20
config | ip load-sharing address source-destination port source-destination universal-id 7 rotate 16
config | port-channel load-balance src-dst ip-l4port rotate 4
config | system jumbomtu 9000
config | hardware access-list tcam region ing-sup 512
config | snmp-server location Hall 3, row 7
config | ntp server 192.0.2.9 use-vrf management
config | checkpoint before
config | show running-config
routed | mtu 9000
routed | mtu 1500
routed | ip address 10.9.0.0/31
routed | ip address 10.9.0.1 255.255.255.0
routed | no ip address
routed | speed 400000
routed | speed auto
routed | fec rs-fec
routed | fec off
routed | description any text at all # ! ; | x
routed | priority-flow-control mode on
routed | priority-flow-control mode on send-tlv
routed | no priority-flow-control mode on
routed | priority-flow-control watch-dog-interval on interface-multiplier 3 disable-action
routed | flowcontrol receive on
routed | no shut
routed | shut
routed | no negotiate auto
routed | medium p2p
switched | mtu 9216
switched | mtu 1500
switched | switchport mode trunk
switched | sw acc vl 10
switched | switchport trunk native vlan 20
switched | switchport trunk allowed vlan 10,20-25
switched | switchport trunk allowed vlan add 30
switched | switchport trunk allowed vlan none
switched | spanning-tree port type edge trunk
switched | int e1/7
svi | mtu 9001
svi | ip address 10.8.0.1/24
svi | no shutdown
vlan | name rail-0
vlan | no name
class-map | match dscp 26
class-map | match dscp af31,46,8-10
class-map | match cos 3,4
class-map | description what it is for
qos | class X
qos | class type qos X
qos | class class-default
qos-class | set qos-group 3
qos-class | set dscp 26
network | class type network-qos c-8q-nq7
network-class | mtu 9216
network-class | pause pfc-cos 3
network-class | pause pfc-cos 3 receive
network-class | no pause
queuing | class type queuing c-out-8q-q-default
queuing | class type queuing c-in-q3
out | bandwidth remaining percent 100
out | bandwidth percent 0
out | priority level 1
out | priority
out | random-detect minimum-threshold 150 kbytes maximum-threshold 3 mbytes drop-probability 7 weight 0 ecn
out | random-detect ecn
out | queue-limit dynamic 5
out | shape min 1 gbps max 100 gbps
in | pause buffer-size 27456 pause-threshold 12480 resume-threshold 12480
system | service-policy type network-qos N
system | service-policy type network-qos default-8q-nq-policy
system | service-policy type queuing output default-8q-out-policy
schedule | time start +00:05
schedule | time start +01:02:03
schedule | time start now repeat 0:12:00
exec | show interface status | json
exec | show interface e1/1
exec | show interface ethernet 1/1 priority-flow-control
exec | show queuing interface ethernet 1/1
exec | terminal length 0
exec | terminal width 511
exec | terminal session-timeout 0
exec | copy running-config startup-config
exec | copy r s
exec | sh ver
exec | conf t
exec | show run | section system
"""

BAD = f"""
config | lldp timer 30 | {INVALID}
config | ptp domain 0 | {INVALID}
config | interface Vlan10 | {INVALID}
config | scheduler job name J | {INVALID}
config | qos map dscp 26 to traffic-class 3 | {INVALID}
config | qos profile ROCE | {INVALID}
config | priority-flow-control watch-dog interval 10 | % Invalid number, range is (100-1000) at '^' marker.
config | priority-flow-control watchdog action drop | {INVALID}
config | priority-flow-control pause watchdog action drop | {INVALID}
config | vlan 4095 | % Invalid range at '^' marker.
config | vlan 5000 | % Invalid range at '^' marker.
config | vlan 20-10 | % Invalid range at '^' marker.
config | vlan 4000 | ERROR: VLAN(s) 4000 are reserved for internal use
config | no vlan 1 | ERROR: Vlan 1 is a default VLAN and can not be deleted
config | interface Ethernet1/99 | % Invalid interface format at '^' marker.
config | interface swp1 | {INVALID}
config | class-map type qos match-any class-default | ERROR: Class-map class-default is system defined
config | class-map type network-qos c-8q-nq3 | ERROR: Class-map c-8q-nq3 is system defined
config | class-map type queuing c-out-8q-q3 | ERROR: Class-map c-out-8q-q3 is system defined
config | class-map type queuing MINE | ERROR: User defined class-maps of type queuing are not supported
config | policy-map type queuing default-8q-out-policy | ERROR: Policy-map default-8q-out-policy is system defined
config | policy-map type network_qos N | {INVALID}
config | no policy-map type qos NOPE | ERROR: Policy-map NOPE of type qos does not exist
config | system jumbomtu 9999 | % Invalid number, range is (1500-9216) at '^' marker.
config | system jumbomtu | {INCOMPLETE}
config | feature | {INCOMPLETE}
config | feature roce | {INVALID}
config | s | {AMBIGUOUS}
config | ip load-sharing address source-ip | {INVALID}
routed | mtu 99999 | % Invalid number, range is (576-9216) at '^' marker.
routed | mtu 9215 | ERROR: Ethernet1/5: MTU must be an even number on L3 interfaces
routed | mtu | {INCOMPLETE}
routed | mtu jumbo | {INVALID}
routed | mtu 9216 9216 | {INVALID}
routed | switchport access vlan 10 | ERROR: Ethernet1/5: not a switching port
routed | ip address 10.0.0.0 | {INCOMPLETE}
routed | ip address 10.0.0.0/33 | {INVALID}
routed | ip address 192.0.2.77/24 | accepted, another vrf
routed | speed 400g | {INVALID}
routed | speed forced 100gfull | {INVALID}
routed | fec rs | {AMBIGUOUS}
routed | error-correction encoding reed-solomon | {INVALID}
routed | priority-flow-control on | {INVALID}
routed | priority-flow-control mode maybe | {INVALID}
routed | priority-flow-control priority 3 no-drop | {INVALID}
routed | service-profile ROCE | {INVALID}
routed | service-policy type network-qos N | {INVALID}
routed | service-policy type qos input NOPE | ERROR: Policy-map NOPE of type qos does not exist
routed | service-policy type qos output NOPE | {INVALID}
routed | qos trust dscp | {INVALID}
routed | lldp transmit | {INVALID}
routed | sh | {AMBIGUOUS}
switched | mtu 9000 | ERROR: Ethernet1/6: MTU on L2 interfaces can only be set to default or system-jumboMTU
switched | ip address 10.0.0.1/24 | {INVALID}
switched | switchport mode trnk | {INVALID}
switched | switchport access vlan 5000 | % Invalid number, range is (1-4094) at '^' marker.
switched | switchport trunk allowed vlan 1-5000 | % Invalid range at '^' marker.
class-map | match dscp 64 | % Invalid range at '^' marker.
class-map | match cos 8 | % Invalid range at '^' marker.
class-map | match traffic-class 3 | {INVALID}
class-map | no match dscp 24 | ERROR: The match criterion does not exist in this class-map
qos | class NOPE | ERROR: Class-map NOPE of type qos does not exist
qos | class type queuing c-out-8q-q3 | {INVALID}
qos-class | set qos-group 8 | % Invalid number, range is (0-7) at '^' marker.
qos-class | set traffic-class 3 | {INVALID}
qos-class | bandwidth percent 10 | {INVALID}
qos-class | mtu 9216 | {INVALID}
network | class type network-qos c-8q-nq8 | ERROR: Class-map c-8q-nq8 of type network-qos does not exist
network | class c-8q-nq3 | {INVALID}
network-class | mtu 99999 | % Invalid number, range is (1500-9216) at '^' marker.
network-class | pause no-drop | {INVALID}
network-class | pause pfc-cos 9 | % Invalid number, range is (0-7) at '^' marker.
network-class | pause | {INCOMPLETE}
network-class | bandwidth percent 10 | {INVALID}
network-class | random-detect ecn | {INVALID}
network-class | congestion-control ecn | {INVALID}
queuing | class type queuing tx-queue3 | ERROR: Class-map tx-queue3 of type queuing does not exist
queuing | class c-out-8q-q3 | {INVALID}
out | pause no-drop | {INVALID}
out | pause buffer-size 27456 pause-threshold 12480 resume-threshold 12480 | {INVALID}
out | congestion-control ecn | {INVALID}
out | mtu 9216 | {INVALID}
out | bandwidth remaining percent 150 | % Invalid number, range is (0-100) at '^' marker.
out | bandwidth guaranteed percent 10 | {INVALID}
out | priority strict | {INVALID}
out | priority level 9 | % Invalid number, range is (1-7) at '^' marker.
out | random-detect minimum-threshold 150 kbytes maximum-threshold 3000 kbytes max-mark-probability 100 | {INVALID}
out | random-detect minimum-threshold 150 kbytes maximum-threshold 3000 kbytes drop-probability 7 | {INCOMPLETE}
out | random-detect minimum-threshold 3 mbytes maximum-threshold 150 kbytes drop-probability 7 weight 0 | ERROR: random-
in | priority level 1 | {INVALID}
in | pause buffer-size 100 pause-threshold 200 resume-threshold 50 | ERROR: pause thresholds must satisfy
system | service-policy type network-qos NOPE | ERROR: Policy-map NOPE of type network-qos does not exist
system | service-policy type queuing output NOPE | ERROR: Policy-map NOPE of type queuing does not exist
system | service-policy type network-qos input N | {INVALID}
schedule | time start 00:05 | {INVALID}
schedule | time start +00:00 | {INVALID}
schedule | time start 2020:01:01:00:00 | ERROR: The start time lies in the past
schedule | job name NOPE | ERROR: Job NOPE does not exist
exec | show lldp neighbors | {INVALID}
exec | nv config apply | {INVALID}
exec | configure session S | {INVALID}
exec | sh | {INCOMPLETE}
exec | rollback running-config checkpoint NOPE | ERROR: Checkpoint NOPE does not exist
exec | show interface Ethernet1/99 status | % Invalid interface format at '^' marker.
exec | show running-config foo | {INVALID}
exec | terminal length many | {INVALID}
"""


def cases(table: str) -> list:
    rows = [line.split(" | ", 1) for line in table.strip().split("\n")]
    return [pytest.param(place, rest, id=f"{place}: {rest}") for place, rest in rows]


def go(bench, place: str) -> None:
    for line in PLACES[place]:
        answer = bench.shell.run(line)
        assert "% " not in answer and "ERROR" not in answer, answer


@pytest.mark.parametrize(("place", "command"), cases(GOOD))
def test_accepted(bench, place, command):
    go(bench, place)
    answer = bench.shell.run(command)
    assert not re.search(r"(?m)^(%|ERROR)", answer), answer


@pytest.mark.parametrize(("place", "rest"), cases(BAD))
def test_refused(bench, place, rest):
    command, _, expected = rest.rpartition(" | ")
    go(bench, place)
    before = bench.device.running()
    answer = bench.shell.run(command)
    if expected.startswith("accepted"):
        assert answer == ""
        return
    assert answer.split("\n")[-1].startswith(expected), answer
    assert bench.device.running() == before


def test_caret_stands_below_the_first_wrong_character(bench):
    go(bench, "network-class")
    line, text = bench.shell.run("pause no-drop").split("\n")
    assert bench.shell.prompt == "leaf01(config-pmap-nqos-c)# "
    assert line == " " * len("leaf01(config-pmap-nqos-c)# pause ") + "^"
    assert text == INVALID


def test_prompts(bench):
    seen = {}
    for place in PLACES:
        bench.shell.run("end")
        go(bench, place)
        seen[place] = bench.shell.prompt
    assert seen == {
        "exec": "leaf01# ",
        "config": "leaf01(config)# ",
        "routed": "leaf01(config-if)# ",
        "switched": "leaf01(config-if)# ",
        "svi": "leaf01(config-if)# ",
        "vlan": "leaf01(config-vlan)# ",
        "class-map": "leaf01(config-cmap-qos)# ",
        "qos": "leaf01(config-pmap-qos)# ",
        "qos-class": "leaf01(config-pmap-c-qos)# ",
        "network": "leaf01(config-pmap-nqos)# ",
        "network-class": "leaf01(config-pmap-nqos-c)# ",
        "queuing": "leaf01(config-pmap-que)# ",
        "out": "leaf01(config-pmap-c-que)# ",
        "in": "leaf01(config-pmap-c-que)# ",
        "system": "leaf01(config-sys-qos)# ",
        "schedule": "leaf01(config-schedule)# ",
    }


def test_leaving_modes(bench):
    go(bench, "out")
    for prompt in ("(config-pmap-que)", "(config)", ""):
        bench.shell.run("exit")
        assert bench.shell.prompt == f"leaf01{prompt}# "
    go(bench, "out")
    bench.shell.run("end")
    assert bench.shell.prompt == "leaf01# "


def test_a_global_command_leaves_the_submode(bench):
    go(bench, "out")
    bench.shell.run("class type queuing c-out-8q-q2")
    assert bench.shell.prompt == "leaf01(config-pmap-c-que)# "
    bench.shell.run("interface Ethernet1/1")
    assert bench.shell.prompt == "leaf01(config-if)# "
    bench.shell.run("feature lldp")
    assert bench.shell.prompt == "leaf01(config)# "
    assert bench.device.enabled("lldp")


def test_a_refused_command_keeps_the_mode(bench):
    go(bench, "out")
    bench.shell.run("interface Ethernet1/99")
    assert bench.shell.prompt == "leaf01(config-pmap-c-que)# "
    bench.shell.run("nonsense")
    assert bench.shell.prompt == "leaf01(config-pmap-c-que)# "


def test_sums_above_100_are_refused(bench):
    go(bench, "out")
    assert bench.shell.run("bandwidth remaining percent 60") == ""
    bench.shell.run("class type queuing c-out-8q-q-default")
    answer = bench.shell.run("bandwidth remaining percent 41")
    assert answer == "ERROR: Sum of bandwidth of all classes is 101 percent, it can not exceed 100 percent"
    assert bench.shell.run("bandwidth remaining percent 40") == ""
    assert bench.shell.run("bandwidth percent 10").startswith("ERROR: bandwidth percent and bandwidth remaining")


def test_weighted_or_strict(bench):
    go(bench, "out")
    bench.shell.run("priority level 1")
    assert bench.shell.run("bandwidth remaining percent 5").startswith("ERROR: bandwidth and priority")
    bench.shell.run("class type queuing c-out-8q-q7")
    assert bench.shell.run("priority level 1") == "ERROR: priority level 1 is already used by class c-out-8q-q3"


def test_headroom_excludes_scheduling(bench):
    go(bench, "in")
    assert bench.shell.run("pause buffer-size 27456 pause-threshold 12480 resume-threshold 12480") == ""
    assert bench.shell.run("bandwidth percent 10").startswith("ERROR: bandwidth can not be configured")
    assert bench.shell.run("exit") == ""
    assert bench.shell.run("class type queuing c-out-8q-q3").startswith("ERROR: A queuing policy-map can not have")


def test_one_priority_per_class(roce):
    go(roce, "config")
    roce.type("policy-map type network-qos NQ\nclass type network-qos c-8q-nq4")
    assert roce.shell.run("pause pfc-cos 3") == "ERROR: pfc-cos 3 is already used by class c-8q-nq3"
    roce.type("exit\nclass type network-qos c-8q-nq-default")
    assert roce.shell.run("pause pfc-cos 5") == "ERROR: pause is not supported in class c-8q-nq-default"


def test_what_is_used_can_not_be_deleted(roce):
    go(roce, "config")
    assert roce.shell.run("no policy-map type network-qos NQ") == (
        "ERROR: Policy-map NQ is attached to system qos and can not be deleted"
    )
    assert roce.shell.run("no policy-map type qos QOS").startswith("ERROR: Policy-map QOS is attached to interface Eth")
    assert roce.shell.run("no class-map type qos match-any CNP") == (
        "ERROR: Class-map CNP is used by policy-map QOS and can not be deleted"
    )


def test_overlapping_addresses(roce):
    go(roce, "config")
    roce.type("interface Ethernet1/5\nno switchport")
    assert roce.shell.run("ip address 10.0.0.1/31") == "% 10.0.0.1/31 overlaps with address configured on Ethernet1/1"


def test_pfc_and_link_pause_exclude_each_other(roce):
    go(roce, "config")
    roce.shell.run("interface Ethernet1/1")
    assert roce.shell.run("flowcontrol receive on").startswith("ERROR: Ethernet1/1: flowcontrol can not be enabled")
    roce.type("interface Ethernet1/3\nflowcontrol send on")
    assert roce.shell.run("priority-flow-control mode on").startswith(
        "ERROR: Ethernet1/3: priority-flow-control can not"
    )


def test_several_commands_on_one_line(bench):
    bench.shell.run("configure terminal ; interface Ethernet1/1")
    assert bench.shell.prompt == "leaf01(config-if)# "
    assert bench.shell.run("mtu 9216 ; nonsense ; mtu 1500").endswith(INVALID)
    assert bench.device.port("Ethernet1/1").mtu == 9216
    bench.shell.run("description a ; b | c")
    assert bench.section("interface Ethernet1/1") == ["description a ; b | c", "mtu 9216"]


def test_comments_and_blank_lines_do_nothing(bench):
    before = bench.device.running()
    assert [bench.shell.run(line) for line in ("", "! a comment", "# another", "   ")] == [""] * 4
    assert bench.device.running() == before


def test_unstructured_commands_refuse_json(bench):
    assert bench.shell.run("show checkpoint summary | json") == "Error: structured output unsupported"
