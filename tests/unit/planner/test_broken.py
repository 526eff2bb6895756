# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every plan in broken/ has one fault, and that fault is found and named: check, device, port, words.

A file states ``expect`` and a change: ``models`` of a sound plan (what a person may write by hand, or a defect of a
planner), cables ``cut`` out of them, ``panels`` that are smaller, ``intent`` of a sound design, or a ``whole`` intent.
A path is set to a value; null removes what is there, NONE sets null.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.load import load_host, load_switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking import run
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking.run import check
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking.site import Site
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import PlanError
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.findings import Finding
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.plan import Plan, plan
from tests.unit.planner.designs import intent, planned

CHECKING = Path(run.__file__).parent
FILES = sorted((Path(__file__).parent / "broken").glob("*.yml"))
BASES = {
    "rails": lambda: intent(8, nics={"rail0..3": {}}, layout="rail-optimised", stripe=4, spines=2, uplinks=4),
    "bonds": lambda: intent(
        4,
        nics={"rail0p0": {"plane": 0}, "rail0p1": {"plane": 1}},
        stripe=4,
        spines=2,
        uplinks=4,
        twin="tors",
        hosts="bond",
        management="192.168.0.0/16",
    ),
}


@cache
def base(name: str) -> Plan:
    return planned(BASES[name]())


def put(data: Any, path: str, value: Any) -> None:
    """Set the value at "switches.leaf01.ports.swp1.mtu"; lists of named things are found by name, port or id."""
    *steps, last = path.split("/")
    for step in steps:
        data = data[place(data, step)]
    last = place(data, last)
    if value is None:
        del data[last]
    elif isinstance(data, list) and last == len(data):
        data.append(value)
    else:
        data[last] = None if value == "NONE" else value


def place(data: Any, step: str) -> Any:
    if isinstance(data, dict):
        return int(step) if step.isdigit() and int(step) in data else step
    for index, item in enumerate(data):
        if step in (str(item.get("name")), str(item.get("port")), str(item.get("id")), str(item.get("vlan"))):
            return index
    return len(data) if step == "+" else int(step)


def cut(switches: dict[str, Any], a: str, b: str) -> None:
    """Take away every cable between two switches, with its sessions."""
    for name, far in ((a, b), (b, a)):
        switch = switches[name]
        gone = {p["name"] for p in switch["ports"] if p["peer"]["device"] == far}
        assert gone
        switch["ports"] = [p for p in switch["ports"] if p["name"] not in gone]
        sessions = switch["underlay"]["neighbors"]
        switch["underlay"]["neighbors"] = [n for n in sessions if n["port"] not in gone]


def findings(case: dict[str, Any]) -> list[Finding]:
    """What is found in a broken plan; problems of the intent as findings without a check."""
    name = case.get("base", "rails")
    if "intent" in case or "whole" in case:
        data = case.get("whole") or BASES[name]()
        for path, value in case.get("intent", {}).items():
            put(data, path, value)
        try:
            return list(plan(Fabric.model_validate(data)).findings)
        except PlanError as error:
            return [Finding("plan", "error", ".".join(map(str, path)), "", text) for path, text in error.problems]
    sound = base(name)
    switches = {n: s.model_dump(mode="json") for n, s in sound.switches.items()}
    hosts = {n: h.model_dump(mode="json") for n, h in sound.hosts.items()}
    data = {"switches": switches, "hosts": hosts}
    for path, value in case.get("models", {}).items():
        put(data, path, value)
    for ends in case.get("cut", ()):
        cut(switches, *ends.split())
    return list(
        check(
            Site(
                {n: load_switch(s, n) for n, s in switches.items()},
                {n: load_host(h, n) for n, h in hosts.items()},
                {n: sound.numbers[n].switch for n in switches if n in sound.numbers},
                {**sound.panels, **case.get("panels", {})},
                designed=True,
            )
        )
    )


@pytest.mark.parametrize("name", BASES)
def test_the_plans_are_sound_before_they_are_broken(name: str):
    assert base(name).findings == ()


def test_there_are_enough():
    assert len(FILES) >= 30


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_found_and_named(file: Path):
    case = yaml.safe_load(file.read_text())
    want = case["expect"]
    found = findings(case)
    lines = "\n".join(map(str, found))
    assert found, "nothing was found"
    matching = [f for f in found if f.check == want["check"] and f.device == want["device"]]
    assert matching, f"{want['check']} of {want['device']} is missing in:\n{lines}"
    assert any(f.port == want.get("port", "") for f in matching), lines
    assert all(f.severity == want.get("severity", "error") for f in matching)
    assert any(want["words"] in f.text for f in matching), lines
    assert {f.check for f in found} <= {want["check"], *want.get("also", ())}, lines
    for finding in found:
        assert finding.text.startswith("expected") or finding.check == "plan", finding.text
        assert "found" in finding.text
        assert finding.text.endswith(")")


def test_every_check_has_a_broken_plan():
    """A check that no broken plan meets could be removed unnoticed."""
    cases = [yaml.safe_load(file.read_text()) for file in FILES]
    told: set[str] = set()
    for case in cases:
        told |= {f.check for f in findings(case)}
    source = "".join(path.read_text() for path in sorted(CHECKING.glob("*.py")))
    named = set(re.findall(r'Finding\(\s*"([a-z-]+)"', source)) | set(re.findall(r'_other\(\s*"([a-z-]+)"', source))
    assert named - told == set()
