# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What exists stays: growth, removal, pins, the lock file, and what a change that moves things says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import IntentError
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import PlanError
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.delta import delta
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.design.measures import as_text, from_data
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.plan import Plan
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.site import main, plan_site
from tests.unit.planner.designs import SPLIT_NICS, intent, planned


def problem(data: dict, lock=None) -> str:
    with pytest.raises(PlanError) as caught:
        planned(data, lock)
    assert len(caught.value.problems) == 1
    return caught.value.problems[0][1]


VARIANTS = {
    "access": {},
    "routed": {"hosts": "routed"},
    "unnumbered": {"unnumbered": True},
    "two planes": {"nics": SPLIT_NICS},
    "bonds over two ToRs": {
        "nics": SPLIT_NICS, "twin": "tors", "hosts": "bond", "uplinks": 30, "management": "192.168.0.0/16",
    },
    "leaf-spine": {"layout": "leaf-spine"},
    "three tiers": {"layout": "three-tier"},
    "rail-only": {"layout": "rail-only"},
    "nxos": {"platform": "nxos"},
    "split ports of eos": {"platform": "eos", "profile": {"ports": ["Ethernet1..32/1"], "breakout": 2}},
}  # fmt: skip


@pytest.mark.parametrize("variant", VARIANTS)
def test_growing_from_32_to_96_nodes_changes_nothing_that_exists(variant: str, capsys: pytest.CaptureFixture):
    steps = {nodes: planned(intent(nodes, grow_to=96, **VARIANTS[variant])) for nodes in (32, 48, 64, 96)}
    plans = list(steps.values())
    lines = []
    for (before, old), (after, new) in zip(list(steps.items())[:-1], list(steps.items())[1:], strict=True):
        found = delta(old, new)
        assert found.only_adds, str(found)
        assert len(found.added["host"]) == after - before
        lines.append(f"-- {variant}: {before} to {after} nodes\n{found}")
    assert delta(plans[0], plans[-1]).only_adds
    for name, switch in plans[0].switches.items():  # not only addresses: every port, VLAN, session and filter
        grown = plans[-1].switches[name]
        ports = {p.name: p for p in grown.ports}
        assert [ports[p.name] for p in switch.ports] == list(switch.ports)
        assert (grown.underlay.asn, grown.underlay.router_id) == (switch.underlay.asn, switch.underlay.router_id)
        assert set(switch.underlay.neighbors) <= set(grown.underlay.neighbors)
        assert grown.underlay.announce == switch.underlay.announce
        assert grown.gateways == switch.gateways
    assert all(plans[-1].hosts[name] == host for name, host in plans[0].hosts.items())
    with capsys.disabled():
        print("\n" + "\n".join(lines) if variant == "access" else "")


def test_a_node_at_a_time():
    old = planned(intent(1, grow_to=40))
    for nodes in range(2, 41):
        new = planned(intent(nodes, grow_to=40))
        assert delta(old, new).only_adds
        old = new


def test_a_node_that_is_taken_out_leaves_a_gap():
    whole, gap = planned(intent(40)), planned(intent(40, absent=["gpu07"]))
    found = delta(whole, gap)
    assert not any(found.changed.values())
    assert found.removed["host"] == ["gpu07"]
    assert len(found.removed["cable"]) == 16  # eight cables, told from both ends
    assert all("gpu07" in line for line in found.removed["cable"])


def test_the_measures_are_kept_by_the_lock():
    """Without grow_to the spines are laid out for 32 nodes: the lock says so instead of recabling them."""
    first = planned(intent(32))
    assert first.topology.per_pair == 8
    text = problem(intent(64), first.measures)
    assert text.startswith("spine: expected a spine with 128 ports (16 leafs, 8 links each), found 64")
    anew = planned(intent(64))
    assert delta(first, anew).changed["cable"]  # what the lock prevents


def test_the_lock_keeps_a_site_that_forgot_grow_to():
    built = planned(intent(32, grow_to=96))
    grown = planned(intent(48), built.measures)  # without the lock: 8 spines with 4 links per pair
    assert delta(built, grown).only_adds
    assert grown.topology.per_pair == 2
    assert not delta(built, planned(intent(48))).only_adds


@pytest.mark.parametrize(
    "change, words",
    [
        ({"layout": "leaf-spine"}, None),  # the lock decides about the layout
        ({"nics": {"rail0..3": {}}}, "expected rails 8 as in fabric.lock.yml, found 4"),
        ({"nics": SPLIT_NICS}, "expected twins 1 as in fabric.lock.yml, found 2"),
    ],
)
def test_changes_that_would_move_things_are_refused(change: dict, words: str | None):
    built = planned(intent(32, grow_to=96))
    if words is None:
        assert delta(built, planned(intent(32, **change), built.measures)).only_adds
    else:
        assert problem(intent(32, **change), built.measures).startswith(words)


# -- the file ---------------------------------------------------------------------------------------------------------


def write(folder: Path, data: dict) -> Path:
    file = folder / "fabric.yml"
    file.write_text(yaml.safe_dump(data, sort_keys=False))
    return file


def committed(folder: Path) -> None:
    user = ["-c", "user.name=t", "-c", "user.email=t@example.net"]
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run(["git", "add", "."], cwd=folder, check=True)
    subprocess.run(["git", *user, "commit", "-q", "-m", "built"], cwd=folder, check=True)


def test_lock_file_is_written_and_read(tmp_path: Path, monkeypatch, capsys: pytest.CaptureFixture):
    file = write(tmp_path, intent(32, grow_to=96))
    monkeypatch.setattr("sys.argv", ["site", str(file), "--lock"])
    assert main() == 0
    assert "nothing is committed yet" in capsys.readouterr().out
    lock = tmp_path / "fabric.lock.yml"
    assert from_data(yaml.safe_load(lock.read_text())) == plan_site(str(file)).measures
    committed(tmp_path)
    write(tmp_path, intent(33))
    monkeypatch.setattr("sys.argv", ["site", str(file)])
    assert main() == 0
    out = capsys.readouterr().out
    assert "host: 1 added, 0 removed, 0 changed" in out
    assert "switch: 8 added, 0 removed, 0 changed" in out  # the second stripe begins


@pytest.mark.parametrize(
    "text, words",
    [
        ("version: 2\n", "expected version 1 of the lock file"),
        ("version: 1\ndesign: {layout: single}\n", "expected the fields layout, tiers"),
        ("version: 1\nversion: 1\n", "expected each key once"),
    ],
)
def test_damaged_lock_file(tmp_path: Path, text: str, words: str):
    file = write(tmp_path, intent(8))
    (tmp_path / "fabric.lock.yml").write_text(text)
    with pytest.raises(IntentError, match=words):
        plan_site(str(file))


def test_lock_with_a_wrong_number(tmp_path: Path):
    good = as_text(planned(intent(8)).measures)
    with pytest.raises(ValueError, match="expected a number for spines"):
        from_data(yaml.safe_load(good.replace("spines: 0", "spines: two")))


# -- pins -------------------------------------------------------------------------------------------------------------


def cables(plan: Plan, device: str) -> dict[str, str]:
    found = {c.a_port: f"{c.b_device}:{c.b_port}" for c in plan.cables if c.a_device == device}
    return found | {c.b_port: f"{c.a_device}:{c.a_port}" for c in plan.cables if c.b_device == device}


def test_explicit_entries_pin_what_is_generated():
    data = intent(32)
    data["switches"] = {
        "leaf03": {"address": "192.0.2.3", "rack": "x9", "asn": 65003, "loopback": "10.9.9.3", "cable_length": 7}
    }
    data["hosts"] = {"gpu02": {"rack": "x9", "nics": {"rail2": {"address": "10.32.0.60/26"}}}}
    data["links"] = [{"a": "leaf03:swp33", "b": "spine01:swp60", "subnet": "10.200.0.0/31", "cable_length": 12}]
    data["attachments"] = [
        {"host": "gpu03:rail0", "switch": "leaf01:swp20", "vlan": 100},
        {"host": "gpu20:rail0", "switch": "leaf01:swp3", "vlan": 100},
    ]
    plain, pinned = planned(intent(32)), planned(data)
    found = delta(plain, pinned)
    leaf = pinned.switches["leaf03"]
    assert (leaf.underlay.asn, leaf.underlay.router_id) == (65003, "10.9.9.3")
    assert pinned.access["leaf03"].address == "192.0.2.3"
    assert pinned.places["leaf03"] == ("1", "x9")
    assert pinned.hosts["gpu02"].nics[2].address == "10.32.0.60/26"
    assert pinned.hosts["gpu02"].nics[3] == plain.hosts["gpu02"].nics[3]
    assert cables(pinned, "leaf03")["swp33"] == "spine01:swp60"
    assert cables(pinned, "leaf01")["swp20"] == "gpu03:rail0"
    assert cables(pinned, "leaf01")["swp3"] == "gpu20:rail0"
    moved = {line.partition(":")[0] for kind in ("cable", "address") for line in found.changed[kind]}
    assert moved <= {"leaf03", "leaf03 management", "gpu02", "gpu03", "gpu20", "leaf01", "spine01"}


def test_explicit_devices_next_to_a_design():
    data = intent(32, spines=4, grow_to=32)
    data["switches"] = {"leaf90": {"role": "leaf", "profile": "s", "pod": 1}}
    data["hosts"] = {"storage1": {"profile": "gpu"}}
    plan = planned(data)
    assert plan.switches["leaf90"].underlay.asn == 4200100090
    assert "storage1" in plan.hosts


def test_an_explicit_switch_beside_a_design_needs_its_role():
    data = intent(8)
    data["switches"] = {"leaf77": {"address": "192.0.2.77"}}
    assert 'expected field "role" of a switch that the design does not generate' in problem(data)


def test_a_design_as_explicit_entries_is_the_same_fabric():
    """An existing site imports what it has: the same fabric, stated cable by cable."""
    made = planned(intent(16, hosts="routed"))
    data = intent(16)
    del data["design"]
    data["switches"] = {
        name: {"role": s.role, "profile": "s", "pod": made.places[name][0], "rack": made.places[name][1]}
        for name, s in made.switches.items()
    }
    data["hosts"] = {
        name: {"profile": "gpu", "pod": made.places[name][0], "rack": made.places[name][1]} for name in made.hosts
    }
    data["links"] = [
        {"a": a, "b": b, "subnet": c.a_address, "cable_length": c.length}
        for c in made.cables
        if c.kind == "fabric"
        for a, b in (c.key,)
    ]
    data["attachments"] = [
        {"switch": a, "host": b, "mode": "routed", "subnet": c.a_address, "cable_length": c.length}
        for c in made.cables if c.kind == "host" for a, b in (c.key,)
    ]  # fmt: skip
    stated = planned(data)
    for name, host in made.hosts.items():
        assert host.networks == ("10.0.0.0/9",)  # the design keeps all of it for hosts; cables tell only what is in use
        assert stated.hosts[name].model_copy(update={"networks": host.networks}) == host
    for name, switch in made.switches.items():
        own = stated.switches[name]
        assert own.ports == switch.ports
        assert own.underlay.neighbors == switch.underlay.neighbors
        assert own.roce == switch.roce
