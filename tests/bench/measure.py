# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a program and say what it took: wall time, CPU time of its whole process tree, peak memory of the tree."""

from __future__ import annotations

import os
import resource
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PERIOD = 0.25  # seconds between two looks at the memory


@dataclass(frozen=True)
class Usage:
    """What one run took. ``lab_cpu`` is what the emulated switches took meanwhile, on the same cores."""

    wall: float
    cpu: float
    lab_cpu: float
    memory: int | None  # bytes at the peak: resident set of the program plus what only its workers have
    output: str


def run(
    command: Sequence[str], environment: Mapping[str, str], lab: int, *, stdin: str = "", memory: bool = False
) -> Usage:
    """Run to the end; SystemExit with the last lines of its output when it fails."""
    before, lab_before, started = _children(), cpu_of(lab), time.monotonic()
    process = subprocess.Popen(
        command, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    peak: list[int] = []
    watch = threading.Thread(target=_watch, args=(process, peak))
    if memory:
        watch.start()
    output, _ = process.communicate(stdin)
    wall = time.monotonic() - started
    if memory:
        watch.join()
    if process.returncode:
        raise SystemExit(f"bench: {' '.join(command[:4])} ended with {process.returncode}:\n{output[-3000:]}")
    cpu = _children() - before
    return Usage(wall, cpu, cpu_of(lab) - lab_before, max(peak, default=None), output)


def cpu_of(pid: int) -> float:
    """CPU seconds of one process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _watch(process: subprocess.Popen[str], peak: list[int]) -> None:
    while process.poll() is None:
        first, *workers = _tree(process.pid)
        peak.append(_rollup(first, "Rss:") + sum(_rollup(pid, "Private_Clean:", "Private_Dirty:") for pid in workers))
        try:
            process.wait(PERIOD)
        except subprocess.TimeoutExpired:
            continue


def _tree(root: int) -> list[int]:
    """A process and its descendants."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ProcessLookupError):
                continue  # it has just ended
            parents.setdefault(parent, []).append(int(entry.name))
    found = [root]
    for pid in found:
        found += parents.get(pid, [])
    return found


def _rollup(pid: int, *fields: str) -> int:
    """Bytes. Workers are forked: what they share with the program is counted there, once."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (OSError, ProcessLookupError):
        return 0  # it has just ended
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(fields))
