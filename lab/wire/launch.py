# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts and stops the wire of a running lab, and connects the emulated switches to it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lab import process
from lab.client import Lab, LabError

LONGEST_PATH = 107  # bytes of a unix socket's path, the limit of Linux
Hostvars = Mapping[str, Mapping[str, Any]]


def topology(hostvars: Hostvars) -> dict[str, Any]:
    """NICs of machines with the port they are cabled to, and links between switches."""
    nics = [
        {"name": f"{name}.{nic['name']}", "switch": nic["peer"]["switch"], "port": nic["peer"]["port"]}
        for name, v in sorted(hostvars.items())
        if "lab_machine" in v
        for nic in v["host"]["nics"]
        if nic.get("peer")
    ]
    switches = {v["switch"].get("name", name): v["switch"] for name, v in hostvars.items() if "switch" in v}
    links = set()
    for name, switch in switches.items():
        for port in switch.get("ports", []):
            peer = port.get("peer") or {}
            if peer.get("kind", "switch") == "switch" and peer.get("device") in switches and peer.get("port"):
                links.add(tuple(sorted([(name, port["name"]), (peer["device"], peer["port"])])))
    return {"nics": nics, "links": sorted(links)}


def start(run_dir: Path, hostvars: Hostvars) -> None:
    """Start the wire of the machines in this inventory (nothing to do without any) and wait until it carries frames."""
    plan = topology(hostvars)
    if not plan["nics"]:
        return
    folder = Path(run_dir).resolve() / "wire"
    folder.mkdir(mode=0o700, exist_ok=True)
    longest = max((folder / f"{nic['name']}.wire" for nic in plan["nics"]), key=lambda p: len(str(p)))
    if len(os.fsencode(longest)) > LONGEST_PATH:
        raise LabError(f"{longest}: a socket's path has at most {LONGEST_PATH} bytes; choose a shorter --run-dir")
    stop(run_dir)
    spawn(folder, plan)
    attach(run_dir, plan)


def attach(run_dir: Path, plan: Mapping[str, Any]) -> None:
    """Tell the emulated switches of the wire."""
    ports: dict[str, list[str]] = {}
    ends = [(nic["switch"], nic["port"]) for nic in plan["nics"]] + [end for link in plan["links"] for end in link]
    for switch, port in ends:
        ports.setdefault(switch, []).append(port)
    Lab(run_dir).call("attach_wire", socket=str(Path(run_dir).resolve() / "wire" / "control.sock"), ports=ports)


def spawn(folder: Path, plan: Mapping[str, Any]) -> None:
    said = process.start("lab.wire.daemon", folder, folder / "wire.log", json.dumps(plan))
    if said != "ready":
        raise LabError(f"could not start the wire: {said or 'it ended, see ' + str(folder / 'wire.log')}")


def running(run_dir: Path) -> bool:
    """Whether the wire of this lab runs."""
    return _pid(run_dir) is not None


def stop(run_dir: Path) -> None:
    """End the wire if one runs; the switches go on without it."""
    with contextlib.suppress(LabError):  # no switches, nobody to tell
        Lab(run_dir).call("detach_wire")
    pid = _pid(run_dir)
    if pid is None:
        return
    if not process.end(pid, 10):
        raise LabError(f"the wire (process {pid}) did not end within 10 s")


def _pid(run_dir: Path) -> int | None:
    """The process id of the wire; None if a left-over file names no process, or a stranger."""
    try:
        pid = int((Path(run_dir) / "wire" / "pid").read_text())
        return pid if b"lab.wire.daemon" in Path(f"/proc/{pid}/cmdline").read_bytes() else None
    except (OSError, ValueError):
        return None
