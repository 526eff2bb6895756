# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The planner on a small table of its own, independent of any platform."""

from __future__ import annotations

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.ownership import Own, extract
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.plan import plan
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.tree import Syntax, format_lines, parse, until
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import Disruption, SectionDiff


def each_dscp(line: str) -> list[str]:
    words = line.split()
    end = words.index("to")
    return [f"qos map dscp {dscp} to traffic-class {words[-1]}" for dscp in words[3:end]]


RULES = (
    Own(
        r"qos map dscp (?P<dscp>[\d ]+) to traffic-class \d+",
        "qos",
        key="dscp {dscp}",
        remove="no qos map dscp {dscp}",
        default=lambda g: f"qos map dscp {g['dscp']} to traffic-class {int(g['dscp']) // 8}",
        normalise=each_dscp,
    ),
    Own(
        r"policy ROCE",
        "qos",
        whole=True,
        children=(
            Own(
                r"class \d",
                "qos",
                whole=True,
                children=(Own(r"ecn \d+", "qos", key="ecn", remove="no ecn"),),
            ),
        ),
    ),
    Own(
        r"interface Ethernet[12]",
        "ports",
        children=(
            Own(r"mtu \d+", "ports", key="mtu", remove="no mtu", default="mtu 1500"),
            Own(r"speed .+", "ports", key="speed", remove="no speed", disruption="speed"),
            Own(r"vlan \d+", "ports", key="vlan", remove="no vlan", overwrite=False),
            Own(r"policy \S+", "qos", key="policy", remove="no policy"),
            Own(r"address \S+", "ports", remove_early=True),
        ),
    ),
)
REASONS = {"speed": "the link flaps"}
SYNTAX = Syntax(blocks=(until(r"banner (\w+)", "EOF"),))


def change(running: str, intended: str):
    return plan(extract(parse(running, SYNTAX), RULES), extract(parse(intended, SYNTAX), RULES), REASONS)


CASES = {
    "nothing to do": ("interface Ethernet1\n mtu 9000\n", "interface Ethernet1\n mtu 9000\n", []),
    "overwritten in place, never negated": (
        "interface Ethernet1\n mtu 9000\n",
        "interface Ethernet1\n mtu 9214\n",
        ["interface Ethernet1", "mtu 9214", "exit"],
    ),
    "hidden default is absence": ("interface Ethernet1\n", "interface Ethernet1\n mtu 1500\n", []),
    "back to the default": ("interface Ethernet1\n mtu 9000\n", "", ["interface Ethernet1", "no mtu", "exit"]),
    "removed first where the platform wants it": (
        "interface Ethernet1\n vlan 10\n",
        "interface Ethernet1\n vlan 20\n",
        ["interface Ethernet1", "no vlan", "vlan 20", "exit"],
    ),
    "early removal, then additions, then removals": (
        "interface Ethernet1\n address a\n speed 1\n",
        "interface Ethernet1\n mtu 9000\n",
        ["interface Ethernet1", "no address a", "mtu 9000", "no speed", "exit"],
    ),
    "a port that is not ours is not touched": ("interface Ethernet3\n mtu 9000\n", "", []),
    "an unowned line of our port is not touched": ("interface Ethernet1\n ospf area 0\n", "", []),
    "grouped lines are compared one by one, and what is the default is restored": (
        "qos map dscp 1 2 26 to traffic-class 0\n",
        "qos map dscp 26 to traffic-class 3\n",
        ["no qos map dscp 26"],
    ),
    "a changed member of a group": (
        "qos map dscp 26 27 to traffic-class 5\n",
        "qos map dscp 27 to traffic-class 5\nqos map dscp 26 to traffic-class 4\n",
        ["qos map dscp 26 to traffic-class 4"],
    ),
    "our object is created before it is attached": (
        "interface Ethernet1\n",
        "policy ROCE\n class 3\n  ecn 1\ninterface Ethernet1\n policy ROCE\n",
        ["policy ROCE", "class 3", "ecn 1", "exit", "exit", "interface Ethernet1", "policy ROCE", "exit"],
    ),
    "and detached before it is removed": (
        "policy ROCE\n class 3\n  ecn 1\ninterface Ethernet1\n policy ROCE\n",
        "",
        ["interface Ethernet1", "no policy", "exit", "no policy ROCE"],
    ),
    "an extra part of our object goes": (
        "policy ROCE\n class 3\n  ecn 1\n class 4\n",
        "policy ROCE\n class 3\n  ecn 1\n",
        ["policy ROCE", "no class 4", "exit"],
    ),
    "an unknown line in our object goes": (
        "policy ROCE\n class 3\n  ecn 1\n  police 5\n",
        "policy ROCE\n class 3\n  ecn 1\n",
        ["policy ROCE", "class 3", "no police 5", "exit", "exit"],
    ),
    "text in a banner is no configuration": ("banner motd\ninterface Ethernet1\n mtu 1\nEOF\n", "", []),
}


@pytest.mark.parametrize("name", CASES)
def test_commands(name):
    running, intended, commands = CASES[name]
    result = change(running, intended)
    assert list(result.commands) == commands
    assert bool(result) == bool(commands)


def test_dscp_default_restored_when_a_group_member_is_extra():
    result = change("qos map dscp 26 to traffic-class 5\n", "")
    assert result.commands == ("no qos map dscp 26",)
    assert result.diffs == (SectionDiff("qos", (), ("qos map dscp 26 to traffic-class 5",), ()),)


def test_differences_are_grouped_by_concern_and_section():
    result = change("interface Ethernet1\n mtu 9000\n policy X\n", "interface Ethernet1\n mtu 9214\n policy ROCE\n")
    assert set(result.diffs) == {
        SectionDiff("ports", ("interface Ethernet1",), ("mtu 9000",), ("mtu 9214",)),
        SectionDiff("qos", ("interface Ethernet1",), ("policy X",), ("policy ROCE",)),
    }


def test_disruptive_lines_are_named_with_their_port():
    result = change("interface Ethernet2\n speed 100\n", "interface Ethernet2\n speed 400\n")
    assert result.disruptions == (Disruption("speed", "interface Ethernet2", "the link flaps"),)


def test_a_section_written_twice_is_one_section():
    twice = "interface Ethernet1\n mtu 9000\ninterface Ethernet1\n speed 1\n"
    assert change(twice, "interface Ethernet1\n mtu 9000\n speed 1\n").commands == ()


def test_tree_prints_what_it_read():
    text = "a\n b\n  c\n d\ne\n"
    assert "\n".join(format_lines(parse(text, SYNTAX), " ")) + "\n" == text
