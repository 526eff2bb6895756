# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""drift_report: states, text, metrics, and the action through ansible-playbook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import CONCERNS
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.drift import Drift
from tests.unit.verify.conftest import Play

CLEAN = {"changed": False, "sections": [], "disruptions": [], "release": "10.4(3)"}
DRIFTED = {
    "changed": True,
    "release": "4.32.2F",
    "sections": [
        {"concern": "ports", "path": ["interface Ethernet1/1"], "before": ["mtu 1500"], "after": ["mtu 9214"]},
        {
            "concern": "qos",
            "path": ["qos profile ROCE", "uc-tx-queue 3"],
            "before": [],
            "after": ["bandwidth percent 50"],
        },
        {"concern": "vlans", "path": [], "before": ["vlan 999"], "after": []},
    ],
    "disruptions": [{"kind": "pfc", "where": "qos profile ROCE", "reason": "buffers are cut anew"}],
}
REFUSED = {"failed": True, "msg": "spine01: 192.0.2.1 port 22:\nconnection refused"}
PLANS = {"leaf10": CLEAN, "spine01": REFUSED, "leaf2": DRIFTED}
TEXT = """\
Drift on 1 of 3 switches; 1 of 3 switches could not be compared.
- is on the switch and not intended, + is intended and not on the switch.

leaf2 (release 4.32.2F): 4 lines in 3 sections
  ports: interface Ethernet1/1
    - mtu 1500
    + mtu 9214
  qos: qos profile ROCE / uc-tx-queue 3
    + bandwidth percent 50
  vlans: (top level)
    - vlan 999
  Correcting may drop traffic or flap links:
    qos profile ROCE: buffers are cut anew [pfc]

Not compared:
  spine01: spine01: 192.0.2.1 port 22: connection refused

Report: reports/drift.json
Correct it: ansible-playbook playbooks/drift.yml -e drift_correct=true --limit leaf2"""
METRICS = """\
# HELP lossless_drift_lines Configuration lines that differ from the intent.
# TYPE lossless_drift_lines gauge
lossless_drift_lines{device="leaf2",concern="vlans"} 1
lossless_drift_lines{device="leaf2",concern="qos"} 1
lossless_drift_lines{device="leaf2",concern="ports"} 2
lossless_drift_lines{device="leaf2",concern="lldp"} 0
lossless_drift_lines{device="leaf2",concern="ecmp"} 0
lossless_drift_lines{device="leaf2",concern="bonds"} 0
lossless_drift_lines{device="leaf2",concern="underlay"} 0
lossless_drift_lines{device="leaf10",concern="vlans"} 0
lossless_drift_lines{device="leaf10",concern="qos"} 0
lossless_drift_lines{device="leaf10",concern="ports"} 0
lossless_drift_lines{device="leaf10",concern="lldp"} 0
lossless_drift_lines{device="leaf10",concern="ecmp"} 0
lossless_drift_lines{device="leaf10",concern="bonds"} 0
lossless_drift_lines{device="leaf10",concern="underlay"} 0
# HELP lossless_drift_devices Switches that differ from the intent.
# TYPE lossless_drift_devices gauge
lossless_drift_devices 1
# HELP lossless_drift_unreachable Switches that could not be compared with the intent.
# TYPE lossless_drift_unreachable gauge
lossless_drift_unreachable 1
# HELP lossless_drift_timestamp_seconds When the switches were compared, seconds since 1970.
# TYPE lossless_drift_timestamp_seconds gauge
lossless_drift_timestamp_seconds 1700000000
"""
REPORT = {
    "name": "Report",
    "lossless.fabric.drift_report": {"report": "reports/drift.json", "metrics": "drift.prom"},
    "run_once": True,
}


def plans(results: dict[str, Any]) -> dict[str, Any]:
    """Host variables as a task with switch_config leaves them."""
    return {name: {"switch_plan": result} for name, result in results.items()}


def test_text() -> None:
    assert Drift(PLANS).text(False, "reports/drift.json") == TEXT


def test_metrics() -> None:
    assert Drift(PLANS).metrics(1_700_000_000) == METRICS


def test_metric_labels_are_escaped() -> None:
    assert 'device="a\\"b\\\\c"' in Drift({'a"b\\c': CLEAN}).metrics(0)


def test_states() -> None:
    results: dict[str, Any] = {
        "a": CLEAN,
        "b": DRIFTED,
        "c": REFUSED,
        "d": {"unreachable": True, "msg": "timed out"},
        "e": None,
        "f": DRIFTED | {"changed": False},  # state planned says changed: false
    }
    states = {s.name: s.state for s in Drift(results).switches}
    assert states == {"a": "in_sync", "b": "drift", "c": "failed", "d": "unreachable", "e": "failed", "f": "drift"}


def test_many_lines_are_cut_in_the_text_only() -> None:
    section = {"concern": "vlans", "path": [], "before": [f"vlan {n}" for n in range(2, 102)], "after": []}
    drift = Drift({"leaf01": CLEAN | {"sections": [section]}})
    text = drift.text(False)
    assert "    and 60 more lines" in text and "vlan 101" not in text
    assert len(drift.document("", False)["switches"][0]["sections"][0]["before"]) == 100


def test_drift_fails_the_run_and_leaves_both_files(play: Play, tmp_path: Path) -> None:
    run = play([REPORT], plans(PLANS))
    assert run.returncode == 2, run.stdout + run.stderr
    shown = [line.strip() for line in run.stdout.splitlines()]
    assert [line.strip() for line in TEXT.splitlines() if line and line.strip() not in shown] == []
    written = json.loads((tmp_path / "reports/drift.json").read_text(encoding="utf-8"))
    assert written["schema"] == {"name": "lossless.fabric/drift", "version": 1}
    assert written["summary"] == {"switches": 3, "in_sync": 1, "drift": 1, "not_compared": 1, "lines": 4}
    assert [s["name"] for s in written["switches"]] == ["leaf2", "leaf10", "spine01"]
    assert written["switches"][0]["sections"] == DRIFTED["sections"]
    metrics = (tmp_path / "drift.prom").read_text(encoding="utf-8").splitlines()
    assert metrics[:-1] == METRICS.splitlines()[:-1]
    assert len([line for line in metrics if line.startswith("lossless_drift_lines{")]) == 2 * len(CONCERNS)


def test_no_drift_passes(play: Play) -> None:
    run = play([REPORT], plans({"leaf01": CLEAN, "leaf02": CLEAN}))
    assert run.returncode == 0, run.stdout + run.stderr
    assert "No drift on 2 switches." in run.stdout and "changed=0" in run.stdout


def test_corrected_drift_passes_but_a_silent_switch_does_not(play: Play) -> None:
    options = REPORT["lossless.fabric.drift_report"] | {"corrected": True}
    correct = {**REPORT, "lossless.fabric.drift_report": options}
    run = play([correct], plans({"leaf01": CLEAN, "leaf02": DRIFTED}))
    assert run.returncode == 0, run.stdout + run.stderr
    assert "This run corrects it." in run.stdout and "- mtu 1500" in run.stdout
    run = play([correct], plans(PLANS))
    assert run.returncode == 2


def test_registered_failure_is_a_line_of_the_report(play: Play) -> None:
    fail = {
        "name": "Compare",
        "ansible.builtin.fail": {"msg": "host key has changed"},
        "register": "switch_plan",
        "failed_when": False,
    }
    run = play([fail, REPORT], {"leaf01": {}})
    assert run.returncode == 2
    assert "leaf01: host key has changed" in run.stdout
