# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""hier_config as a second opinion on the planned commands: typed one after the other on the drifted configuration, do
they lead where they should, and is there no moment without PFC, ECN or classification on the way?

Drift is what the edits of tests/fixtures/drift make of a switch that was as intended. Where it should lead is told by a
twin on which only the part of each edit was typed that is not ours.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from hier_config import HConfig, Platform, get_hconfig, get_hconfig_driver
from hier_config.models import IdempotentCommandsRule, MatchRule

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import Change, Driver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.platforms import driver_for
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render
from lab.device import Device
from lab.fabric import SwitchSpec, build
from tests import reading
from tests.drift import Edit, table
from tests.integration.support import NEWEST, PORTS, model

PLATFORMS = ("eos", "nxos")
SEEDS = range(2)
MORE_PORTS = {"eos": ["Ethernet3/1", "Ethernet4/1"], "nxos": ["Ethernet1/3", "Ethernet1/4"]}

# What hier_config cannot know by itself: which lines are one setting, so that the later one takes the earlier one's
# place. The group is the name of the setting; "no" and "default" belong to it where they are values themselves.
SETTINGS = {
    "eos": (
        r"^(mtu|l2 mtu|description|switchport mode|switchport access vlan|switchport trunk (?:native|allowed) vlan"
        r"|flowcontrol \S+|service-profile|service-policy type qos input|qos cos|qos dscp|shape rate|bandwidth percent"
        r"|bandwidth guaranteed|random-detect ecn minimum-threshold|priority-flow-control priority \d|name|state"
        r"|qos map \S+ \d+ to tx-queue|lldp timer|lldp hold-time|priority-flow-control pause watchdog action"
        r"|priority-flow-control pause watchdog default \S+|priority-flow-control pause watchdog port \S+)\b",
        r"^(qos map \S+ \d+) to traffic-class",
        r"^(ip address)(?!.* secondary$)",
        r"^(?:no |default )?(speed|error-correction encoding|qos trust|priority)(?: .*)?$",
        r"^(?:no )?(priority-flow-control pause watchdog)$",
    ),
    "nxos": (
        r"^(mtu|description|speed|fec|switchport mode|switchport access vlan|switchport trunk (?:native|allowed) vlan"
        r"|flowcontrol \S+|priority-flow-control mode|priority-flow-control watch-dog-interval|name|set qos-group"
        r"|priority-flow-control watch-dog \S+|priority-flow-control auto-restore multiplier|random-detect|pause"
        r"|bandwidth|priority level|lldp timer|lldp holdtime|service-policy type (?:network-qos|qos input|queuing \S+)"
        r"|ip load-sharing|congestion-control)\b",
        r"^(ip address)(?!.* secondary$)",
        r"^(match)-(?:any|all)$",
    ),
}
# Settings that are as if nothing was said; whether such a line stays is the switch's affair.
NOTHING_SAID = {
    "eos": "|".join(
        (
            r".* > (priority-flow-control pause watchdog|lldp (transmit|receive)|state active|no shutdown)",
            "lldp run",
            *(f"qos map traffic-class {n} to tx-queue {n}" for n in range(8)),
            *(f"qos map dscp {n} to traffic-class {(1, 0, 2, 3, 4, 5, 6, 7)[n // 8]}" for n in range(64)),
            *(f"qos map cos {n} to traffic-class {(1, 0, 2, 3, 4, 5, 6, 7)[n]}" for n in range(8)),
        )
    ),
    "nxos": r".* > (speed auto|fec auto|mtu 1500|flowcontrol \S+ off|switchport mode access|switchport access vlan 1"
    r"|switchport trunk native vlan 1|switchport trunk allowed vlan 1-4094|priority-flow-control mode auto"
    r"|priority-flow-control watch-dog-interval off|congestion-control tail-drop|lldp (transmit|receive)"
    r"|set qos-group 0)|lldp timer 30|lldp holdtime 120|priority-flow-control watch-dog interval 100"
    r"|priority-flow-control watch-dog shutdown-multiplier 1|priority-flow-control auto-restore multiplier 10"
    r"|priority-flow-control watch-dog-interval off",
}
SECTION = re.compile(
    r"(interface|vlan|qos profile|class-map|policy-map|class|class type \S+|system qos)\b.*|(uc-|mc-)?tx-queue \d"
)
# Lines without which packets of RoCE are lost, for a moment at least.
VITAL = re.compile(
    r"(priority-flow-control (?:mode|priority \d)|priority-flow-control(?= on)|random-detect(?: ecn minimum-threshold)?"
    r"|pause|match|qos map \S+ [\d ]+|qos trust|service-profile|set qos-group"
    r"|service-policy type (?:qos input|network-qos|queuing output))\b"
)


@dataclass
class Case:
    """One drifted switch."""

    edits: list[Edit]
    drifted: str
    wanted: str
    change: Change


def new_device(platform: str, text: str | None = None) -> Device:
    ports = [*PORTS[platform], *MORE_PORTS[platform]]
    spec = SwitchSpec(name="leaf01", platform=platform, release=NEWEST[platform], ports=ports, startup=text)
    return build([spec], lambda: 1_800_000_000.0)[0].device


def type_in(device: Device, lines: Iterable[str]) -> list[str]:
    """What the switch refused."""
    shell = device.shell("operator")
    answers = [(line, shell.run(line)) for line in ("configure terminal", *lines, "end")]
    return [f"{line}: {answer}" for line, answer in answers if re.search(r"(?m)^\s*(% ?\S|ERROR)", answer)]


def planned(driver: Driver, text: str) -> Change:
    return driver.plan(driver.parse(text), driver.intended(render(driver.model, driver.dialect_release)))


@cache
def cases(platform: str, seed: int) -> list[Case]:
    """Every edit of the table once, in random order, one to four at a time."""
    return list(_cases(platform, seed))


def _cases(platform: str, seed: int) -> Iterator[Case]:
    rng = random.Random(f"{platform} {seed}")
    edits = table(platform, NEWEST[platform])
    driver = driver_for(model(platform))
    device = new_device(platform)
    assert type_in(device, planned(driver, device.running()).commands) == []
    for edit in edits.before:
        assert type_in(device, edit.typed) == []
    todo = edits.each(rng)
    while todo:
        twin = new_device(platform, device.running())
        some = [todo.pop() for _ in range(min(len(todo), rng.randint(1, 4)))]
        for edit in some:
            taken = not type_in(device, edit.typed)
            if taken or edit.ours:
                type_in(twin, edit.stays)
        yield Case(some, device.running(), twin.running(), planned(driver, device.running()))
        device = twin


# -- hier_config ------------------------------------------------------------------------------------------------------
def judge(platform: str):
    driver = get_hconfig_driver(Platform.GENERIC)
    for form in SETTINGS[platform]:
        for depth in range(4):
            lineage = (*(MatchRule(re_search="(.*)") for _ in range(depth)), MatchRule(re_search=form))
            driver.rules.idempotent_commands.append(IdempotentCommandsRule(match_rules=lineage))
    return driver


def as_text(statements: Iterable[str]) -> str:
    """Statements as indented lines."""
    tree: dict[str, Any] = {}
    for statement in statements:
        node = tree
        for part in statement.split(" > "):
            node = node.setdefault(part, {})
    return "\n".join(_indented(tree, 0))


def _indented(tree: dict[str, Any], depth: int) -> Iterator[str]:
    for text, below in tree.items():
        yield "  " * depth + text
        yield from _indented(below, depth + 1)


def with_paths(commands: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Each command below the sections in which it is typed."""
    stack: list[str] = []
    for command in commands:
        if command == "exit":
            stack.pop()
        elif SECTION.fullmatch(command):
            stack.append(command)
            yield tuple(stack)
        else:
            yield (*stack, command)


def future(platform: str, running: str, commands: Iterable[str]) -> set[str]:
    """What hier_config makes of the commands, in their order."""
    driver = judge(platform)
    told = [reading.told(platform, path) for path in with_paths(commands)]
    touched = {statement.split(" > ")[0].removeprefix("no ") for each in told for statement in each}
    # It takes a banner for many lines; sections that no command enters only cost time.
    there = {s for s in reading.statements(platform, running) if not s.startswith("banner ")}
    rest = {s for s in there if " > " in s and s.split(" > ")[0] not in touched}
    config = get_hconfig(driver, as_text(sorted(there - rest)))
    for each in told:
        for statement in each:
            *sections, line = statement.split(" > ")
            if line.startswith("default "):
                forget(config, sections, f"(no )?{line.removeprefix('default ')}( .*)?")
                continue
            if line.removeprefix("no ") in ("switchport", "shutdown"):
                forget(config, sections, f"(no )?{line.removeprefix('no ')}")
            if platform == "nxos" and line == "switchport":  # what the switch drops by itself
                forget(config, sections, "(ip|medium) .*")
            config = config.future(get_hconfig(driver, as_text([statement])))
    return rest | set(leaves(config))


def forget(config: HConfig, sections: list[str], form: str) -> None:
    """What hier_config does not know: ``default X`` leaves no value of X, and a negation may be a value itself."""
    for section in config.get_children_deep([MatchRule(equals=text) for text in sections]):
        for child in list(section.children):
            if re.fullmatch(form, child.text):
                child.delete()


def leaves(config: HConfig) -> Iterator[str]:
    for child in config.all_children():
        if not child.children:
            yield " > ".join(child.path())


def substance(platform: str, statements: set[str]) -> set[str]:
    """Without headers and without what is as if it was not said."""
    statements = {" ".join(s.split()) for s in statements if not s.startswith("banner ")}
    headers = {s[: m.start()] for s in statements for m in re.finditer(" > ", s)}
    silent = re.compile(rf"{NOTHING_SAID[platform]}|(interface|policy-map|class-map|system qos)( [^>]*)?")
    return {s for s in statements - headers if not silent.fullmatch(s) and reading.says_something(platform, s)}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("platform", PLATFORMS)
def test_commands_lead_to_the_intent(platform, seed):
    judged = 0
    for case in cases(platform, seed):
        if not case.change:
            continue
        judged += 1
        arrived = substance(platform, future(platform, case.drifted, case.change.commands))
        wanted = substance(platform, reading.statements(platform, case.wanted))
        story = "\n  ".join(["", *map(str, case.edits), "->", *case.change.commands])
        assert sorted(wanted - arrived) == [], f"{story}\nnot there afterwards"
        assert sorted(arrived - wanted) == [], f"{story}\nstill there afterwards"
    assert judged >= 20


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("platform", PLATFORMS)
def test_nothing_vital_is_negated_before_its_replacement(platform, seed):
    for case in cases(platform, seed):
        typed = list(with_paths(case.change.commands))
        for place, path in enumerate(typed):
            negated = VITAL.match(path[-1].removeprefix("no ")) if path[-1].startswith("no ") else None
            if negated:
                before, after = (
                    [p for p in part if p[:-1] == path[:-1] and p[-1].startswith(negated[0])]
                    for part in (typed[:place], typed[place + 1 :])
                )
                assert before or not after, f"{path} comes before {after[0]}: {case.change.commands}"
