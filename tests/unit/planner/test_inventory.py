# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Ansible sees: groups, host variables, group_vars next to the file, and how long it takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.load import load_host, load_switch

ROOT = Path(__file__).parents[3]
TOOL = Path(sys.executable).parent / "ansible-inventory"


def ansible_inventory(*arguments: str | Path) -> str:
    run = subprocess.run(
        [TOOL, *arguments],
        cwd=ROOT,
        env={**os.environ, "ANSIBLE_NOCOLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "WARNING" not in run.stderr, run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def lab() -> dict[str, Any]:
    return json.loads(ansible_inventory("-i", "inventories/lab/fabric.yml", "--list"))


def test_groups_of_the_lab(lab: dict[str, Any]):
    assert lab["switches"]["children"] == ["leafs", "spines", "superspines"]
    assert lab["leafs"]["hosts"] == [f"leaf0{n}" for n in range(1, 7)]
    assert lab["nxos"]["hosts"] == ["spine02", "leaf03", "leaf04"]
    assert lab["racks"]["children"] == ["rack_core", "rack_r1", "rack_r2", "rack_r3"]
    assert lab["rack_r2"]["hosts"] == ["leaf03", "leaf04", "gpu03", "gpu04", "gpu08"]
    assert lab["wave_canary"]["hosts"] == ["leaf01"]
    assert lab["waves"]["children"] == ["wave_canary", "wave_a", "wave_b"]
    assert lab["rollout"]["children"] == ["rollout_canary", "rollout_a", "rollout_b", "rollout_hosts"]
    assert not any(lab.get(f"rollout_{w}", {}).get("hosts") for w in ("canary", "a", "b", "hosts"))
    assert len(lab["gpu_hosts"]["hosts"]) == 9
    assert not lab.get("managed_hosts", {}).get("hosts")  # the lab has no machines: names at the far end of cables


def test_host_variables_of_the_lab(lab: dict[str, Any]):
    variables = lab["_meta"]["hostvars"]
    leaf = variables["leaf03"]
    assert (leaf["ansible_host"], leaf["ansible_port"], leaf["switch_wave"]) == ("127.0.0.1", 2206, "b")
    assert leaf["ansible_connection"] == "lossless.fabric.switch"
    assert leaf["ansible_user"] == "fabric"  # group_vars next to the file
    assert load_switch(leaf["switch"], "leaf03").platform == "nxos"
    assert "address" in leaf["switch"]["ports"][0]  # defaults are written out
    assert load_host(variables["gpu08"]["host"], "gpu08").nics[1].peer.switch == "leaf04"
    assert "switch" not in variables["gpu08"]


def test_the_example_is_a_site_of_its_own():
    graph = ansible_inventory("-i", "inventories/example/fabric.yml", "--graph")
    assert "|  |--@leafs:\n  |  |  |--leaf01\n  |  |  |--leaf02" in graph
    assert "gpu04" in graph


def test_a_thousand_switches(tmp_path: Path):
    """968 leafs with 32 uplinks and 32 hosts each, 32 spines with 968 ports: 93,000 ports, as one file of ranges."""
    lines = ["plugin: lossless.fabric.fabric", "fabric: big", "policy: {speed: 400G, fec: rs}"]
    lines += ["vlans: {100: {name: rail0}}", "switch_profiles: {leaf: {platform: eos}, spine: {platform: nvue}}"]
    lines += ["switches:"]
    lines += [f"  spine{s:02d}: {{role: spine, profile: spine}}" for s in range(32)]
    lines += [f"  leaf{n:04d}: {{role: leaf, profile: leaf, rack: r{n // 2}, pair: r{n // 2}}}" for n in range(968)]
    lines += ["links:"]
    for n in range(968):
        for s in range(32):
            at = (n * 32 + s) * 2
            subnet = f"10.{at >> 16}.{at >> 8 & 255}.{at & 255}/31"
            lines.append(f"  - {{a: leaf{n:04d}:Ethernet{33 + s}/1, b: spine{s:02d}:swp{n + 1}, subnet: {subnet}}}")
    lines += ["host_profiles: {gpu: {nics: {rail0..7: {vlan: 100}}}}", "hosts:"]
    lines += [f"  gpu{n:04d}x1..4: {{profile: gpu}}" for n in range(968)]
    lines += ["attachments:"]
    lines += [f"  - {{host: gpu{n:04d}x1..4:rail0..7, switch: leaf{n:04d}:Ethernet1..32/1}}" for n in range(968)]
    site = tmp_path / "fabric.yml"
    site.write_text("\n".join(lines) + "\n")
    code = (
        "import sys, time; start = time.process_time()\n"
        "from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.site import plan_site\n"
        "plan = plan_site(sys.argv[1])\n"
        "print(len(plan.switches), sum(len(s.ports) for s in plan.switches.values()), len(plan.hosts))\n"
        "print(time.process_time() - start)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "collections")}
    run = subprocess.run(
        [sys.executable, "-c", code, site], env=environment, capture_output=True, text=True, check=True, timeout=300
    )
    sizes, seconds = run.stdout.splitlines()
    assert sizes == "1000 92928 3872"
    # Measured at 5 s of CPU on a slow core; the limit only catches something quadratic.
    assert float(seconds) < 30
