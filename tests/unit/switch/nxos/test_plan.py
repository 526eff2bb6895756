# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Running configuration against intent: exactly which commands, in which order."""

from __future__ import annotations

import re

import pytest

from tests.unit.switch.nxos.support import RUNNING, commands, driver, intended, model_data


def port(name: str, *lines: str) -> list[str]:
    return [f"interface {name}", *lines, "exit"]


def queue(name: str, *lines: str) -> list[str]:
    return ["policy-map type queuing ROCE-EGRESS", f"class type queuing {name}", *lines, "exit", "exit"]


ECN = "random-detect minimum-threshold 150 kbytes maximum-threshold 1500 kbytes drop-probability 100 weight 0 ecn"
ECN_RAW = "random-detect minimum-threshold 150000 bytes maximum-threshold 1500 kbytes drop-probability 100 weight 0 ecn"
NQ = ["policy-map type network-qos ROCE-NETWORK", "class type network-qos c-8q-nq3"]

# (what an operator did: text, replacement in the running configuration; what is typed to put it right)
DRIFT = {
    "nothing": ("leaf03", "leaf03", []),
    # a value that differs is overwritten, never negated first
    "pause on another priority": ("pause pfc-cos 3", "pause pfc-cos 4", [*NQ, "pause pfc-cos 3", "exit", "exit"]),
    "lossless class lost": ("    pause pfc-cos 3\n", "", [*NQ, "pause pfc-cos 3", "exit", "exit"]),
    "mtu of the no-drop class": (
        "    mtu 9216\n    pause",
        "    mtu 1500\n    pause",
        [*NQ, "mtu 9216", "exit", "exit"],
    ),
    "ecn threshold": (ECN_RAW, ECN.replace("150 ", "950 "), queue("c-out-8q-q3", ECN)),
    "ecn lost": (f"    {ECN_RAW}\n", "", queue("c-out-8q-q3", ECN)),
    "red without ecn": (ECN_RAW, ECN.replace(" ecn", ""), queue("c-out-8q-q3", ECN)),
    "another dscp: the right one comes before the wrong one goes": (
        "match dscp 48",
        "match dscp 46",
        ["class-map type qos match-any ROCE-cnp", "match dscp 48", "no match dscp 46", "exit"],
    ),
    "one dscp too many in a list": (
        "match dscp 24,26",
        "match dscp 24-26",
        [
            "class-map type qos match-any ROCE-roce",
            *("match dscp 24", "match dscp 26"),  # on lines of their own, before the whole line goes
            "no match dscp 24-26",
            *("match dscp 24", "match dscp 26"),  # for a release that takes away the values, not the line
            "exit",
        ],
    ),
    "dscp by name": ("match dscp 24,26", "match dscp cs3,af31", []),
    "a queue's share": (
        "c-out-8q-q3\n    bandwidth remaining percent 50",
        "c-out-8q-q3\n    bandwidth remaining percent 40",
        queue("c-out-8q-q3", "bandwidth remaining percent 50"),
    ),
    "the strict queue got a share instead": (
        "priority level 1",
        "bandwidth remaining percent 1",
        queue("c-out-8q-q7", "no bandwidth remaining percent 1", "priority level 1"),
    ),
    "a queue became strict": (
        "c-out-8q-q6\n    bandwidth remaining percent 0",
        "c-out-8q-q6\n    priority level 2",
        queue("c-out-8q-q6", "no priority level 2", "bandwidth remaining percent 0"),
    ),
    "a shaper": (
        "priority level 1\n",
        "priority level 1\n    shape min 0 mbps max 100 mbps\n",
        queue("c-out-8q-q7", "no shape min 0 mbps max 100 mbps"),
    ),
    "qos-group": (
        "set qos-group 3",
        "set qos-group 2",
        ["policy-map type qos ROCE", "class ROCE-roce", "set qos-group 3", "exit", "exit"],
    ),
    "default traffic in the lossless queue": (
        "    set qos-group 7\n",
        "    set qos-group 7\n  class class-default\n    set qos-group 3\n",
        ["policy-map type qos ROCE", "class class-default", "set qos-group 0", "exit", "exit"],
    ),
    "a class of somebody else in our policy goes last": (
        "    set qos-group 7\n",
        "    set qos-group 7\n  class VOICE\n    set qos-group 5\n",
        ["policy-map type qos ROCE", "no class VOICE", "exit"],
    ),
    "another network-qos policy in force": (
        "service-policy type network-qos ROCE-NETWORK",
        "service-policy type network-qos OLD",
        ["system qos", "service-policy type network-qos ROCE-NETWORK", "exit"],
    ),
    "watchdog off": (
        "priority-flow-control watch-dog-interval on\npriority",
        "priority",
        ["priority-flow-control watch-dog-interval on"],
    ),
    "watchdog polls slower": (
        "priority-flow-control watch-dog shutdown",
        "priority-flow-control watch-dog interval 300\npriority-flow-control watch-dog shutdown",
        ["priority-flow-control watch-dog interval 100"],
    ),
    "an object of ours that the intent has not": (
        "system qos\n",
        "policy-map type qos ROCE-old\n  class ROCE-oldclass\n    set qos-group 1\n"
        "class-map type qos match-any ROCE-oldclass\n  match dscp 8\nsystem qos\n",
        ["no policy-map type qos ROCE-old", "no class-map type qos ROCE-oldclass"],
    ),
    "an object with our prefix that serves a foreign port is let alone": (
        "  service-policy type qos input VOICE-IN\n",
        "  service-policy type qos input ROCE-voice\n"
        "class-map type qos match-any ROCE-v\n  match dscp 46\n"
        "policy-map type qos ROCE-voice\n  class ROCE-v\n    set qos-group 5\n",
        [],
    ),
    # ports
    "pfc on a port": (
        "switchport access vlan 100\n  priority-flow-control mode on\n",
        "switchport access vlan 100\n",
        port("Ethernet1/1", "priority-flow-control mode on"),
    ),
    "classification taken off a port": (
        "  mtu 9216\n  service-policy type qos input ROCE\n\ninterface Ethernet1/2",
        "  mtu 9216\n\ninterface Ethernet1/2",
        port("Ethernet1/1", "service-policy type qos input ROCE"),
    ),
    "another classification on a port": (
        "  mtu 9214\n  service-policy type qos input ROCE\n",
        "  mtu 9214\n  service-policy type qos input VOICE-IN\n",
        port("Ethernet1/49", "service-policy type qos input ROCE"),
    ),
    "classification where there should be none": (
        "  fec off\n",
        "  fec off\n  service-policy type qos input ROCE\n",
        port("Ethernet1/3", "no service-policy type qos input ROCE"),
    ),
    "own queuing on a port": (
        "  fec off\n",
        "  fec off\n  service-policy type queuing output OTHER\n",
        port("Ethernet1/3", "no service-policy type queuing output OTHER"),
    ),
    "mtu of one hop": ("  mtu 9214\n", "", port("Ethernet1/49", "mtu 9214")),
    "jumbo frames where 1500 is wanted": ("  fec off\n", "  fec off\n  mtu 9216\n", port("Ethernet1/3", "mtu 1500")),
    "link pause": (
        "  fec off\n",
        "  fec off\n  flowcontrol receive on\n",
        port("Ethernet1/3", "flowcontrol receive off"),
    ),
    "shut down": (
        "  fec rs-fec\n  spanning",
        "  shutdown\n  fec rs-fec\n  spanning",
        port("Ethernet1/1", "no shutdown"),
    ),
    "a routed port is down unless it says otherwise": (
        "  no ip redirects\n  no shutdown\n",
        "  no ip redirects\n",
        port("Ethernet1/49", "no shutdown"),
    ),
    "should be down and is up": ("  fec off\n  shutdown\n", "  fec off\n", port("Ethernet1/3", "shutdown")),
    "vlan of an access port": (
        "access vlan 100",
        "access vlan 101",
        port("Ethernet1/1", "switchport access vlan 100"),
    ),
    "one vlan too many on a trunk": (
        "vlan add 200",
        "vlan add 200,999",
        port("Ethernet1/2", "switchport trunk allowed vlan 100-101,200"),
    ),
    "all vlans on a trunk": (
        "  switchport trunk allowed vlan 100-101\n  switchport trunk allowed vlan add 200\n",
        "",
        port("Ethernet1/2", "switchport trunk allowed vlan 100-101,200"),
    ),
    "address": (
        "ip address 10.0.0.4/31",
        "ip address 10.9.9.1/24",
        port("Ethernet1/49", "ip address 10.0.0.4/31"),
    ),
    "second address": (
        "ip address 10.0.0.4/31\n",
        "ip address 10.0.0.4/31\n  ip address 10.9.9.1/24 secondary\n",
        port("Ethernet1/49", "no ip address 10.9.9.1/24 secondary"),
    ),
    "unnumbered": (
        "  ip address 10.0.0.4/31\n",
        "  ip unnumbered loopback0\n",
        port("Ethernet1/49", "no ip unnumbered loopback0", "ip address 10.0.0.4/31"),
    ),
    "description": ("gpu01 rail0", "do not touch", port("Ethernet1/1", "description gpu01 rail0")),
    "speed and fec": (
        "  speed 25000\n  fec off\n",
        "",
        port("Ethernet1/3", "speed 25000", "fec off"),
    ),
    "forced speed where the optic decides": (
        "  switchport mode trunk\n",
        "  switchport mode trunk\n  speed 100000\n",
        port("Ethernet1/2", "speed auto"),
    ),
    "lldp silenced on a port": (
        "  fec off\n",
        "  fec off\n  no lldp transmit\n",
        port("Ethernet1/3", "lldp transmit"),
    ),
    # the other concerns
    "vlan renamed": ("  name rail1\n", "  name test\n", ["vlan 101", "name rail1", "exit"]),
    "vlan deleted": (
        "vlan 1,10,100-101,200,999",
        "vlan 1,10,100-101,999",
        [],  # the block of VLAN 200 is still there, so it exists
    ),
    "vlan lost its name": ("vlan 101\n  name rail1\n", "", ["vlan 101", "name rail1", "exit"]),
    "lldp timer": ("lldp timer 20", "lldp timer 60", ["lldp timer 20"]),
    "hash without ports keeps seed and rotation": (
        "source-destination port source-destination universal",
        "source-destination universal",
        ["ip load-sharing address source-destination port source-destination universal-id 4711 rotate 12"],
    ),
}


@pytest.mark.parametrize("what", DRIFT)
def test_drift_is_put_right_with_exactly_these_commands(what):
    text, replacement, expected = DRIFT[what]
    assert text in RUNNING
    assert commands(RUNNING.replace(text, replacement, 1)) == expected


# What is not ours, changed in every way: no command, no diff.
FOREIGN = [
    ("router-id 10.0.0.13", "router-id 10.0.0.99"),
    ("  vn-segment 10100\n", ""),
    ("  spanning-tree port type edge\n", "  spanning-tree port type network\n"),
    ("  match dscp 46\n", "  match dscp 40\n"),
    ("interface Ethernet1/4\n", "interface Ethernet1/4\n  shutdown\n"),
    ("  mtu 9000\n", ""),
    ("vlan 1,10,100-101,200,999", "vlan 1,10,100-101,200"),
    ("snmp-server community REMOVED group network-operator\n", ""),
    ("hostname leaf03", "hostname other"),
    ("universal-id 4711 rotate 12", "universal-id 1"),
    ("system qos\n", "system qos\n  service-policy type qos input VOICE-IN\n"),
    ("feature vpc\n", "feature vpc\nfeature nv overlay\n"),
    (" Authorised use only", "  priority-flow-control mode off\n Authorised use only"),
]


@pytest.mark.parametrize(("text", "replacement"), FOREIGN)
def test_what_is_not_ours_is_not_seen(text, replacement):
    assert text in RUNNING
    drv = driver()
    change = drv.plan(drv.parse(RUNNING.replace(text, replacement, 1)), intended(drv))
    assert not change
    assert change.commands == ()


def test_every_line_that_the_templates_write_is_owned():
    """Take each owned line away in turn: it must come back, and nothing may be negated."""
    drv = driver()
    full = drv.dump(intended(drv))
    lines = full.splitlines()
    seen = 0
    for number, line in enumerate(lines):
        section = number + 1 < len(lines) and indent(lines[number + 1]) > indent(line)
        if section or line.strip() in ("switchport", "no switchport", "no shutdown"):
            continue  # the last three: see the tests of the layer and of the admin state
        without = "\n".join([*lines[:number], *lines[number + 1 :]])
        typed = drv.plan(drv.parse(without), intended(drv)).commands
        assert line.strip() in typed, f"taking away {line!r} was not noticed"
        assert not [c for c in typed if c.startswith("no ") and c != line.strip()], (line, typed)
        seen += 1
    assert seen > 50


def indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def test_a_virgin_switch_gets_policies_before_they_are_attached():
    typed = commands("version 10.3(4a)\nfeature lldp\n" + "".join(f"interface Ethernet1/{n}\n" for n in (1, 2, 3, 49)))
    first = {line: number for number, line in reversed(list(enumerate(typed)))}
    order = [
        "vlan 100",
        "class-map type qos match-any ROCE-roce",
        "policy-map type qos ROCE",
        "policy-map type network-qos ROCE-NETWORK",
        "policy-map type queuing ROCE-EGRESS",
        "system qos",
        "priority-flow-control watch-dog-interval on",
        "interface Ethernet1/1",
    ]
    assert [first[line] for line in order] == sorted(first[line] for line in order)
    assert not [line for line in typed if line.startswith("no ") and line not in ("no switchport", "no shutdown")]
    assert typed.count("exit") == len(
        [line for line in typed if re.match(r"(vlan|class|policy|system|interface)", line)]
    )


def test_nothing_lossless_is_ever_negated_before_its_replacement():
    """Whatever an operator did to a line, the commands bring no moment without PFC, ECN or classification."""
    for text, replacement, _ in DRIFT.values():
        typed = commands(RUNNING.replace(text, replacement, 1))
        for line in typed:
            assert not re.match(r"no (pause|random-detect|priority-flow-control|service-policy type network-qos)", line)
            if line.startswith("no match dscp"):
                assert typed.index(line) > 0


def test_shares_shrink_before_others_grow():
    swapped = RUNNING
    for threshold, share in (("166912", 20), ("150000", 80)):
        random_detect = f"\n    random-detect minimum-threshold {threshold}"
        swapped = swapped.replace(f"percent 50{random_detect}", f"percent {share}{random_detect}")
    shares = {"c-out-8q-q-default": 20, "c-out-8q-q3": 80}
    current = ""
    for line in commands(swapped):
        current = line.removeprefix("class type queuing ") if line.startswith("class ") else current
        if line.startswith("bandwidth"):
            shares[current] = int(line.split()[-1])
            assert sum(shares.values()) <= 100, line


def test_a_port_that_changes_its_layer_is_written_anew():
    """The switch drops the lines of the old layer: they are not negated, and all the rest is sent again."""
    routed = RUNNING.replace(
        "  description gpu01 rail0\n  switchport access vlan 100\n",
        "  description gpu01 rail0\n  no switchport\n  ip address 10.1.1.1/24\n",
    ).replace("  spanning-tree port type edge\n", "  no shutdown\n")
    assert commands(routed) == port(
        "Ethernet1/1",
        "switchport",
        "description gpu01 rail0",
        "switchport access vlan 100",
        "speed 400000",
        "fec rs-fec",
        "mtu 9216",
        "priority-flow-control mode on",
        "priority-flow-control watch-dog-interval on",
        "service-policy type qos input ROCE",
        "no shutdown",
    )
    drv = driver()
    change = drv.plan(drv.parse(routed), intended(drv))
    (diff,) = change.diffs
    assert diff.before == ("ip address 10.1.1.1/24", "no switchport")
    assert diff.after == ("switchport", "switchport access vlan 100")
    assert [d.kind for d in change.disruptions] == ["port-mode"]


def test_defaults_of_the_whole_switch_count():
    """ "no system default switchport" and "system default switchport shutdown" change what an absent line means."""
    bare = "version 10.3(4a)\ninterface Ethernet1/3\n"
    (line,) = [c for c in commands(bare) if c in ("shutdown", "no shutdown")][-1:]
    assert "switchport" not in commands(bare)[commands(bare).index("interface Ethernet1/3") :]
    assert line == "no shutdown"  # of Ethernet1/49
    layer3 = commands("version 10.3(4a)\nno system default switchport\ninterface Ethernet1/3\n")
    inside = layer3[layer3.index("interface Ethernet1/3") :]
    assert inside[1] == "switchport"
    down = commands("version 10.3(4a)\nsystem default switchport shutdown\ninterface Ethernet1/3\n")
    inside = down[down.index("interface Ethernet1/3") : down.index("interface Ethernet1/49")]
    assert "shutdown" not in inside


def test_disruptions_name_what_and_why():
    drv = driver()
    text = RUNNING.replace("pause pfc-cos 3", "pause pfc-cos 4").replace("speed 25000", "speed 10000")
    change = drv.plan(drv.parse(text), intended(drv))
    assert {(d.kind, d.where) for d in change.disruptions} == {
        ("network-qos", "policy-map type network-qos ROCE-NETWORK"),
        ("port-speed", "interface Ethernet1/3"),
    }
    assert all(d.reason.endswith(".") for d in change.disruptions)
    harmless = RUNNING.replace(ECN_RAW, ECN.replace("150 ", "950 ")).replace("gpu01 rail0", "x")
    assert drv.plan(drv.parse(harmless), intended(drv)).disruptions == ()


def test_dump_and_load_are_inverse_and_text_is_equal_exactly_when_configuration_is():
    drv = driver()
    want = intended(drv)
    have = drv.owned(drv.parse(RUNNING))
    assert have == want
    assert drv.dump(have) == drv.dump(want)
    assert drv.load(drv.dump(want)) == want
    other = drv.owned(drv.parse(RUNNING.replace("mtu 9214", "mtu 9216")))
    assert drv.dump(other) != drv.dump(want)
    assert drv.load(drv.dump(other)) == other


def test_the_way_back_to_a_virgin_switch_takes_everything_away_in_reverse_order():
    drv = driver()
    virgin = drv.owned(drv.parse("version 10.3(4a)\n" + "".join(f"interface Ethernet1/{n}\n" for n in (1, 2, 3, 49))))
    typed = list(drv.plan(drv.parse(RUNNING), virgin).commands)
    order = [
        "interface Ethernet1/49",
        "no service-policy type network-qos ROCE-NETWORK",
        "no policy-map type qos ROCE",
        "no vlan 100",
        "no class-map type qos ROCE-roce",
        "no feature lldp",
    ]
    assert [typed.index(line) for line in order] == sorted(typed.index(line) for line in order)
    assert typed[-1] == "no feature lldp"


def test_without_lldp_in_the_model_lldp_is_nobodys_business_of_ours():
    data = model_data()
    data["lldp"]["enabled"] = False
    drv = driver(data)
    assert not [line for line in drv.dump(drv.owned(drv.parse(RUNNING))).splitlines() if "lldp" in line]
    assert commands(RUNNING.replace("feature lldp\n", ""), drv) == []


def test_a_routed_port_without_address_in_the_model_is_addressed_by_somebody_else():
    data = model_data()
    del data["ports"][3]["address"]
    assert commands(RUNNING.replace("ip address 10.0.0.4/31", "ip unnumbered loopback0"), driver(data)) == []
