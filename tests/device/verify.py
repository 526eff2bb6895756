# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judge what run.sh left behind. Standard library only."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path


def settings(text: str) -> dict[str, str]:
    """nccl.conf as NCCL reads it."""
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))


def reported(log: str) -> dict[str, set[str]]:
    """What NCCL says it took: name to values."""
    found: dict[str, set[str]] = {}
    for name, value in re.findall(r"NCCL INFO (NCCL_\w+) set by environment to (\S+)", log):
        found.setdefault(name, set()).add(value.rstrip("."))
    return found


def check_nccl(log: str, conf: dict[str, str]) -> list[str]:
    """Problems: a setting that NCCL does not report, or reports with another value; no sign of its effect."""
    problems = []
    said = reported(log)
    for name, value in conf.items():
        if name == "NCCL_DEBUG":  # NCCL does not speak of it: that it speaks at all is the proof
            if "NCCL INFO" not in log:
                problems.append(f"{name}: expected lines of level INFO, found none")
        elif said.get(name) != {value}:
            shown = ", ".join(sorted(said.get(name, {"nothing"})))
            problems.append(f"{name}: expected NCCL to report {value}, it reports {shown}")
    if "NCCL_SOCKET_IFNAME" in conf:
        interface = conf["NCCL_SOCKET_IFNAME"].lstrip("=").split(",")[0]
        if f"Bootstrap: Using {interface}:" not in log:
            problems.append(f"NCCL_SOCKET_IFNAME: expected bootstrap over {interface}, found another interface")
    least, most = int(conf.get("NCCL_MIN_NCHANNELS", 1)), int(conf.get("NCCL_MAX_NCHANNELS", 64))
    channels = [int(number) for number in re.findall(r"NCCL INFO (\d+) coll channels", log)]
    if not channels or not all(least <= number <= most for number in channels):
        problems.append(f"channels: expected {least} to {most}, found {channels or 'none'}")
    if not re.search(r"busbw [\d.]+ GB/s", log):
        problems.append("expected an all-reduce that ends, found none")
    return problems


def check_without(log: str, conf: dict[str, str]) -> list[str]:
    """Problems: a setting that NCCL reports though the file is away, so that it did not come from the file."""
    problems = [f"{name}: reported without the file" for name in conf if name in reported(log)]
    if not re.search(r"busbw [\d.]+ GB/s", log):
        problems.append("expected an all-reduce that ends, found none")
    return problems


def check_host(out: Path) -> list[str]:
    """Problems of facts, preflight and the runs of the role."""
    problems = []
    facts = json.loads((out / "host_facts.json").read_text())
    report = json.loads((out / "preflight.json").read_text())
    for name in ("check", "converge", "second"):
        changed = re.findall(r"changed=(\d+) .*?failed=(\d+)", (out / f"{name}.log").read_text())
        wanted = [("0", "0")] if name == "second" else [("1", "0")]
        if changed != wanted:
            problems.append(f"{name} run: expected changed={wanted[0][0]} failed=0, found {changed}")
    if not facts["gpus"] or facts["nvidia"]["version"] != facts["gpus"][0]["driver_version"]:
        problems.append(f"expected one driver version, found {facts['nvidia']['version']} and {facts['gpus']}")
    if [c for c in facts["not_read"]["missing_tools"] if c == "nvidia-smi"]:
        problems.append("expected nvidia-smi, found none")
    bad = {"gpu_count", "pcie_width", "pcie_generation", "fabric_manager", "gpu_driver"}
    by_check: dict[str, list[str]] = {}
    for outcome in report["outcomes"]:
        by_check.setdefault(outcome["check"], []).append(outcome["status"])
        if outcome["check"] in bad and outcome["status"] in ("fail", "unknown"):
            problems.append(f"preflight: {outcome['check']} {outcome['subject']}: {outcome['actual']}")
    for check in ("gpu_count", "pcie_width", "pcie_generation"):
        if "pass" not in by_check.get(check, []):
            problems.append(f"preflight: expected {check} to pass, found {by_check.get(check)}")
    return problems


def main() -> int:
    """``verify.py host|nccl|without OUT``."""
    what, out = sys.argv[1], Path(sys.argv[2])
    if what == "host":
        problems = check_host(out)
    else:
        conf = settings((out / "nccl.conf").read_text())
        log, check = ("allreduce", check_nccl) if what == "nccl" else ("without", check_without)
        problems = check((out / f"{log}.log").read_text(), conf)
    print("\n".join(problems) or f"verify {what}: ok")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
