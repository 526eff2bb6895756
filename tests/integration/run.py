# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Playbooks, run through ansible-runner: what they did."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ansible_runner

ROOT = Path(__file__).parents[2]


@dataclass
class Run:
    """What one playbook did."""

    rc: int
    output: str
    stats: dict[str, dict[str, int]]
    events: list[dict[str, Any]] = field(repr=False)

    @property
    def changed(self) -> dict[str, int]:
        """Devices that reported a change, and how many tasks did."""
        return {host: count for host, count in self.stats.get("changed", {}).items() if count}

    def results(self, task: str) -> dict[str, dict[str, Any]]:
        """Result of a task per host; the last one where it ran more than once."""
        return {host: results[-1] for host, results in self.all_results(task).items()}

    def all_results(self, task: str) -> dict[str, list[dict[str, Any]]]:
        """Results of a task per host, in the order in which they came."""
        found: dict[str, list[dict[str, Any]]] = {}
        for data in (event["event_data"] for event in self.events):
            if data.get("task") == task and "res" in data:
                found.setdefault(data["host"], []).append(data["res"])
        return found


def run_playbook(
    folder: Path,
    playbook: Path | str,
    inventory: Path,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    extra: Mapping[str, Any] | None = None,
    seconds: int | None = None,
) -> Run:
    """Run a playbook, by its path in the repository or an absolute one; the folder takes what ansible-runner keeps."""
    # A new folder each time: ansible-runner keeps the arguments of a run and would use them again.
    private = tempfile.mkdtemp(dir=folder, prefix="run-")
    runner = ansible_runner.run(
        private_data_dir=private,
        project_dir=str(ROOT),
        playbook=str(playbook),
        inventory=str(inventory),
        extravars=dict(extra) if extra else None,
        cmdline=" ".join(arguments) or None,
        envvars=dict(environment),
        timeout=seconds,
        quiet=True,
    )
    events = [event for event in runner.events if "event_data" in event]
    return Run(runner.rc, runner.stdout.read(), runner.stats or {}, events)
