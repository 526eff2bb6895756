# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A site of 10,000 GPUs: planning alone, and through the inventory plugin, against Ansible's own YAML plugin.

python -m tests.bench.inventory [--nodes 1250] [--runs 3]

1,250 nodes of eight 400G NICs (eight rails) as a design; leafs and spines are 64 x 800G, split into 128 x 400G. The
same hosts, groups and host variables are written as a static YAML inventory. Both are loaded by InventoryManager, each
in a process of its own, in turn, with the same Python. The ratio is of CPU time, because other programs run beside;
wall time and peak memory are shown too. The static file takes minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
LIMIT, PLAN_LIMIT = 1.5, 5.0  # times Ansible's own plugin; seconds of planning

_LOAD = """
import json, resource, sys, time
from ansible.plugins.loader import init_plugin_loader
from ansible.parsing.dataloader import DataLoader
from ansible.inventory.manager import InventoryManager
init_plugin_loader()
wall, cpu = time.perf_counter(), time.process_time()
inventory = InventoryManager(loader=DataLoader(), sources=[sys.argv[1]])
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
assert inventory.hosts, "nothing was loaded"
print(json.dumps({"hosts": len(inventory.hosts), "cpu": cpu, "wall": wall, "memory": memory}))
"""

_PLAN = """
import json, resource, sys, time
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.site import plan_site
wall, cpu = time.perf_counter(), time.process_time()
plan = plan_site(sys.argv[1])
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
ports = sum(len(s.ports) for s in plan.switches.values())
gpus = sum(len(h.nics) for h in plan.hosts.values())
print(json.dumps({"cpu": cpu, "wall": wall, "memory": memory, "switches": len(plan.switches), "ports": ports,
                  "cables": len(plan.cables), "gpus": gpus, "findings": len(plan.findings)}))
"""


def site(nodes: int) -> dict[str, Any]:
    """The intent of the bench."""
    ports = {"asic": "spectrum4", "platform": "nvue", "ports": ["swp1..64"], "breakout": 2}
    return {
        "plugin": "lossless.fabric.fabric",
        "fabric": "bench",
        "policy": {"speed": "400G", "fec": "rs"},
        "underlay": {},
        "switch_profiles": {"switch": ports},
        "host_profiles": {"gpu": {"nics": {"rail0..7": {}}}},
        "design": {"nodes": nodes, "node": "gpu", "leaf": "switch", "names": {"digits": 4}},
    }


def write_static(fabric: Path, static: Path) -> None:
    """The same inventory as plain YAML, made from what the plugin loads."""
    tool = Path(sys.executable).with_name("ansible-inventory")
    command = [tool, "-i", fabric, "--list"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    data = json.loads(run.stdout)
    hostvars = data.pop("_meta")["hostvars"]
    groups: dict[str, Any] = {}
    for name, group in data.items():
        entry: dict[str, Any] = {}
        if group.get("hosts"):
            entry["hosts"] = dict.fromkeys(group["hosts"], None)
        if group.get("children") and name != "all":
            entry["children"] = dict.fromkeys(group["children"], None)
        if name not in ("all", "ungrouped"):
            groups[name] = entry or None
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    static.write_text(yaml.dump({"all": {"hosts": hostvars, "children": groups}}, Dumper=dumper, sort_keys=False))


def measure(code: str, source: Path) -> dict[str, Any]:
    """One run in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "collections"), "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")}
    command = [sys.executable, "-c", code, source]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def main() -> int:
    """Print the table; 1 when a limit is not kept."""
    parser = argparse.ArgumentParser(description="Inventory of 10,000 GPUs")
    parser.add_argument("--nodes", type=int, default=1250)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fabric, static = Path(folder) / "fabric.yml", Path(folder) / "static.yml"
        fabric.write_text(yaml.safe_dump(site(arguments.nodes), sort_keys=False))
        write_static(fabric, static)
        seen: dict[str, list[dict[str, Any]]] = {"planning": [], "fabric.yml": [], "static.yml": []}
        for _ in range(arguments.runs):
            seen["planning"].append(measure(_PLAN, fabric))
            seen["fabric.yml"].append(measure(_LOAD, fabric))
            seen["static.yml"].append(measure(_LOAD, static))
        size = static.stat().st_size / 1e6
    first = seen["planning"][0]
    print(
        f"{first['gpus']} GPUs, {arguments.nodes} nodes, {first['switches']} switches, {first['ports']} ports,"
        f" {first['cables']} cables, {first['findings']} findings; static file {size:.0f} MB"
    )
    print(f"{'':12}{'CPU s':>10}{'wall s':>10}{'MiB':>8}   (median of {arguments.runs})")
    middle = {
        name: {k: median(run[k] for run in runs) for k in ("cpu", "wall", "memory")} for name, runs in seen.items()
    }
    for name, row in middle.items():
        print(f"{name:12}{row['cpu']:10.2f}{row['wall']:10.2f}{row['memory']:8.0f}")
    hosts = {name: runs[0]["hosts"] for name, runs in seen.items() if name != "planning"}
    assert len(set(hosts.values())) == 1, f"expected the same hosts in both, found {hosts}"
    ratio = middle["fabric.yml"]["cpu"] / middle["static.yml"]["cpu"]
    planning = middle["planning"]["cpu"]
    print(
        f"fabric.yml takes {ratio:.2f} times static.yml (limit {LIMIT}); planning {planning:.2f} s (limit {PLAN_LIMIT})"
    )
    return int(ratio > LIMIT or planning > PLAN_LIMIT)


if __name__ == "__main__":
    sys.exit(main())
