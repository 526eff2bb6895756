# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The promises of the README on the lab site: nine switches, three platforms, one intent."""

from __future__ import annotations

import json

ALL = {f"spine0{n}" for n in (1, 2, 3)} | {f"leaf0{n}" for n in (1, 2, 3, 4, 5, 6)}
TO_SPINE01 = {"leaf01": "Ethernet49/1", "leaf02": "Ethernet49/1", "leaf03": "Ethernet1/49", "leaf04": "Ethernet1/49"}
TO_SPINE01 |= {"leaf05": "swp49", "leaf06": "swp49"}
CONSENT = {"switch_allow_disruptive": True}


def _paths(site):
    """Next hops per prefix and switch, read from the switches."""
    run = site.play("playbooks/verify.yml")
    return {host: result["facts"]["paths"] for host, result in run.results("Read").items()}


def _leaf(prefix):
    """Whether a prefix is the loopback of a leaf: the upper half of the loopbacks (docs/planning.md)."""
    return prefix.startswith("10.254.0.") and int(prefix.split(".")[3].split("/")[0]) >= 128


def test_quick_converge_and_rest(site):
    first = site.play("site.yml", **CONSENT)
    assert first.rc == 0, first.output
    assert set(first.changed) == ALL
    second = site.play("site.yml")
    assert second.rc == 0, second.output
    assert second.changed == {}


def test_the_whole_story(site):
    factory = site.running()

    refused = site.play("site.yml")
    assert refused.rc == 2
    assert "may drop traffic or flap links, nothing was done" in refused.output
    assert site.running() == factory

    checked = site.play("site.yml", "--check", "--diff")
    assert checked.rc == 0, checked.output
    assert set(checked.changed) == ALL
    assert site.running() == factory

    first = site.play("site.yml", **CONSENT)
    assert first.rc == 0, first.output
    assert set(first.changed) == ALL
    planned = {h: r["after"] for h, r in first.results("Work out what has to change").items()}
    predicted, done = (
        {h: r["after"] for h, r in run.results("Bring the switch to its intended configuration").items()}
        for run in (checked, first)
    )
    assert done == predicted == planned
    intended = site.running()

    second = site.play("site.yml")
    assert second.rc == 0, second.output
    assert second.changed == {}
    assert site.running() == intended

    broken = site.lab_command("break").splitlines()
    touched = {line.split()[0] for line in broken}
    assert len(broken) >= 6
    platforms = {s["name"]: s["platform"] for s in site.lab.status()}
    assert {platforms[name] for name in touched} == {"eos", "nxos", "nvue"}

    drift = site.play("playbooks/drift.yml")
    assert drift.rc == 2
    assert drift.changed == {}
    report = json.loads((site.inventory.parent / "reports" / "drift.json").read_text())
    assert {s["name"] for s in report["switches"] if s["sections"]} == touched

    limited = site.play("playbooks/drift.yml", "--limit", "spine01:leaf06")
    assert limited.rc == (2 if touched & {"spine01", "leaf06"} else 0)

    corrected = site.play("playbooks/drift.yml", drift_correct=True, **CONSENT)
    assert corrected.rc == 0, corrected.output
    assert set(corrected.changed) == touched
    assert site.running() == intended

    clean = site.play("playbooks/drift.yml")
    assert clean.rc == 0, clean.output

    verified = site.play("playbooks/verify.yml")
    assert verified.rc == 0, verified.output
    assert verified.changed == {}


def test_rollback_gives_back_what_was_before_the_last_run(site):
    factory = site.running()
    assert site.play("site.yml", **CONSENT).rc == 0
    intended = site.running()
    site.lab_command("break")
    broken = site.running()
    assert site.play("site.yml", **CONSENT).rc == 0
    assert site.running() == intended

    assert site.play("playbooks/rollback.yml", **CONSENT).rc == 0
    assert site.running() == broken
    assert site.play("playbooks/rollback.yml", **CONSENT).rc == 0
    assert site.running() == factory
    nothing = site.play("playbooks/rollback.yml")
    assert nothing.rc == 0
    assert nothing.changed == {}


def test_rollback_also_takes_back_what_could_not_be_saved(site):
    factory = site.lab.running("leaf03")
    site.lab.fault("leaf03", "refuse", match="^copy running-config startup-config", count=0)
    failed = site.play("site.yml", "--limit", "leaf03", **CONSENT)
    assert failed.rc == 2, failed.output
    assert "confirmed but not saved" in failed.output
    assert site.lab.running("leaf03") != factory
    site.lab.clear_faults("leaf03")
    rolled = site.play("playbooks/rollback.yml", "--limit", "leaf03", **CONSENT)
    assert rolled.rc == 0, rolled.output
    assert site.lab.running("leaf03") == factory


def test_verify_names_port_and_remedy(site):
    assert site.play("site.yml", **CONSENT).rc == 0
    site.lab.set_port("leaf01", "Ethernet49/1", speed=100000)
    site.lab.set_port("leaf05", "swp49", link=False)
    found = site.play("playbooks/verify.yml")
    assert found.rc == 2
    report = json.loads((site.inventory.parent / "reports" / "verify.json").read_text())
    where = {(f["device"], f["port"], f["check"]) for f in report["findings"]}
    assert any(w[:2] == ("leaf01", "Ethernet49/1") and "speed" in w[2] for w in where), where
    assert any(w[:2] == ("leaf05", "swp49") for w in where), where
    assert all(f["expected"] is not None and f["remedy"] for f in report["findings"])


def test_a_dead_spine_leaves_every_pair_of_leafs_connected(site):
    assert site.play("site.yml", **CONSENT).rc == 0
    whole = _paths(site)
    leafs = [name for name in whole if name.startswith("leaf")]
    for name in leafs:
        others = {prefix: count for prefix, count in whole[name].items() if _leaf(prefix)}
        assert len(others) == len(leafs) - 1
        assert set(others.values()) == {3}, f"{name}: {others}"
    for name in leafs:
        site.lab.set_port(name, TO_SPINE01[name], link=False)
    left = _paths(site)
    for name in leafs:
        lost = {prefix for prefix in whole[name] if _leaf(prefix) and left[name].get(prefix, 0) != 2}
        assert not lost, f"{name}: expected two paths, found { ({p: left[name].get(p) for p in lost}) }"


def test_one_dead_switch_stops_the_run_before_anything_is_touched(site):
    factory = site.running()
    site.lab.fault("leaf04", "unreachable", count=0)
    run = site.play("site.yml", **CONSENT)
    assert run.rc != 0
    assert "leaf04 (127.0.0.1:" in run.output
    assert site.running() == factory
    rest = site.play("site.yml", "--limit", "'all:!leaf04'", **CONSENT)
    assert rest.rc == 0, rest.output
    assert set(rest.changed) == ALL - {"leaf04"}


def test_no_password_at_any_verbosity(site):
    secret = "emulator-only"
    run = site.play("site.yml", "-vvvv", "--diff", **CONSENT)
    assert run.rc == 0
    assert secret not in run.output
    assert secret not in json.dumps(run.events)
    site.lab.change_host_key("leaf02")
    bad = site.play("playbooks/drift.yml", "-vvvv")
    assert bad.rc == 2
    assert secret not in bad.output
    for path in site.folder.rglob("*"):
        if path.is_file() and path.parent.name != "group_vars":
            assert secret not in path.read_text(errors="replace"), path
