# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bench: how the product compares with its peers, as ratios of one run, and how it grows with the site.

python -m tests.bench.bench [--quick]     needs the virtual environments that tests/bench/run.sh makes
"""

from __future__ import annotations

import argparse
import configparser
import json
import os
import platform
import re
import sys
import time
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench import community, compute
from tests.bench.fabric import PASSWORD, USER
from tests.bench.lab_site import Site, running
from tests.bench.measure import Usage, run

ROOT = Path(__file__).parents[2]
WORK = ROOT / ".cache" / "bench"
REPORT = ROOT / "reports" / "bench.json"
FIRST_PORT = 24000
ROUNDS = 3
NETMIKO_TYPES = {"eos": "arista_eos", "nxos": "cisco_nxos", "nvue": "linux"}
MEGABYTE = 1 << 20

# What the figures have to be, and why: the issue that ordered the bench says so.
AGAINST_NETMIKO = 1.6
AGAINST_COMMUNITY = 0.1

START = [{"name": "Start", "hosts": "localhost", "gather_facts": False, "tasks": []}]
INVENTORY = [{"name": "Inventory", "hosts": "switches", "gather_facts": False, "tasks": []}]
SKIPPED = {"name": "Skip", "lossless.fabric.switch_config": {"state": "rendered"}, "when": False}
TASK = [{"name": "Task", "hosts": "switches", "gather_facts": False, "tasks": [SKIPPED]}]


@dataclass(frozen=True)
class Check:
    """One figure and its limit."""

    what: str
    figure: float
    limit: float

    @property
    def passed(self) -> bool:
        return self.figure <= self.limit


class Bench:
    """All measurements of one run."""

    def __init__(self) -> None:
        settings = configparser.ConfigParser()
        settings.read(ROOT / "ansible.cfg")
        self.forks = settings.getint("defaults", "forks")
        self.environment = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "ANSIBLE_NOCOLOR": "1"}
        self.figures: dict[str, Any] = {}
        self.checks: list[Check] = []

    # -- the measured programs ----------------------------------------------------------------------------------
    def ansible(self, site: Site, playbook: Path, *arguments: str, inventory: str = "", memory: bool = False) -> Usage:
        """ansible-playbook as a user runs it."""
        command = [
            _beside_python("ansible-playbook"),
            "-i",
            inventory or str(site.inventory),
            str(playbook),
            *arguments,
        ]
        return run(command, self.environment, site.pid, memory=memory)

    def no_change(self, site: Site, *arguments: str, expected: int, memory: bool = False) -> Usage:
        """site.yml on switches that are as intended."""
        usage = self.ansible(site, ROOT / "site.yml", *arguments, memory=memory)
        recap = re.findall(r"^\S+ +: ok=1 +changed=0 +unreachable=0 +failed=0 ", usage.output, re.MULTILINE)
        if len(recap) != expected:
            raise SystemExit(
                f"bench: expected {expected} unchanged switches, found {len(recap)}:\n{usage.output[-3000:]}"
            )
        return usage

    def netmiko(self, site: Site) -> Usage:
        """The peer that only logs in and reads."""
        logins = [
            {
                "device_type": NETMIKO_TYPES[s.platform],
                "host": "127.0.0.1",
                "port": s.port,
                "username": USER,
                "password": PASSWORD,
                "alt_key_file": str(site.known_hosts),
            }
            for s in site.switches
        ]
        work = json.dumps({"workers": self.forks, "switches": logins})
        usage = run(
            [sys.executable, str(ROOT / "tests/bench/netmiko_reader.py")], self.environment, site.pid, stdin=work
        )
        if json.loads(usage.output)["switches"] != site.count:
            raise SystemExit(f"bench: netmiko read too little: {usage.output}")
        return usage

    # -- the parts of the bench ---------------------------------------------------------------------------------
    def ratios(self, site: Site, rounds: int) -> Usage:
        """Peers in turn, so that whatever else the machine does meets both. Returns the median run of ours."""
        mine, peer = [], []
        for number in range(rounds):
            peer.append(self.netmiko(site))
            mine.append(self.no_change(site, expected=site.count))
            say(f"  round {number + 1}: site.yml {_short(mine[-1])}; netmiko {_short(peer[-1])}")
        self.figures["no_change"] = [_plain(u) for u in mine]
        nothing_known = self.no_change(site, "-e", "switch_cache=false", expected=site.count)
        say(f"  site.yml when nothing is remembered: {_short(nothing_known)}")
        self.figures["no_change_nothing_remembered"] = _plain(nothing_known)
        self.figures["netmiko"] = [_plain(u) for u in peer]
        for key, unit in (("wall", "wall time"), ("cpu", "CPU time")):
            ratio = median(getattr(u, key) for u in mine) / median(getattr(u, key) for u in peer)
            self.figures[f"{key}_ratio_netmiko"] = ratio
            if key == "wall":
                self.checks.append(Check(f"no-change site.yml / netmiko reading, {unit}", ratio, AGAINST_NETMIKO))
        return sorted(mine, key=lambda usage: usage.wall)[len(mine) // 2]

    def against_community(self, site: Site, limit: int | None) -> None:
        """The same switches, the same QoS lines, through network_cli."""
        chosen = [s for s in site.switches if s.platform in community.PLATFORMS][:limit]
        inventory, playbook = community.write(WORK / "community", site, chosen)
        environment = {**os.environ, "ANSIBLE_CONFIG": str(community.write_config(WORK / "community", self.forks))}
        command = [str(ROOT / ".cache/bench-community/bin/ansible-playbook"), "-i", str(inventory), str(playbook)]
        for switch in chosen:
            site.lab.load(switch.name, site.factory[switch.name])
        push = run(command, environment, site.pid)
        again = run(command, environment, site.pid)
        for switch in chosen:
            site.lab.load(switch.name, site.intended[switch.name])
        names = ":".join(s.name for s in chosen) if limit else "eos:nxos"
        mine = self.no_change(site, "--limit", names, expected=len(chosen))
        say(
            f"  {len(chosen)} switches: site.yml {_short(mine)}; community pushes {_short(push)}, again {_short(again)}"
        )
        self.figures["community"] = {
            "switches": len(chosen),
            "push": _plain(push),
            "again": _plain(again),
            "mine": _plain(mine),
        }
        ratio = mine.wall / push.wall
        self.checks.append(
            Check("no-change site.yml / eos_config and nxos_config, wall time", ratio, AGAINST_COMMUNITY)
        )

    def where_time_goes(self, site: Site) -> None:
        """Start-up, inventory, one task that does nothing; then the pure part per platform, in this process."""
        usages = {}
        for name, play in (("start", START), ("inventory", INVENTORY), ("task", TASK)):
            path = WORK / f"{name}.yml"
            path.write_text(json.dumps(play))
            usages[name] = self.ansible(site, path, inventory="localhost," if name == "start" else "")
        count = site.count
        whole = median(u["cpu"] for u in self.figures["no_change"])
        start, inventory, task = (usages[name].cpu for name in ("start", "inventory", "task"))
        parts = {
            "start of ansible-playbook, once": start,
            "inventory, once": inventory - start,
            "a skipped task per switch (fork, variables, result)": (task - inventory) / count,
            "login, read, compare, result per switch": (whole - task) / count,
        }
        self.figures["cpu_parts"] = parts
        self.figures["compute_ms"] = compute.milliseconds(site)

    def growth(self, sizes: dict[int, Usage]) -> None:
        """Wall time and memory from size to size: at most as much more as there are more switches."""
        self.figures["sizes"] = {str(n): _plain(u) for n, u in sizes.items()}
        numbers = sorted(sizes)
        for small, large in pairwise(numbers):
            factor = large / small
            for what, values in (("time", "wall"), ("memory", "memory")):
                figure = getattr(sizes[large], values) / getattr(sizes[small], values)
                self.checks.append(Check(f"{what}, {large} switches / {small} switches", figure, factor))


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sites, one round: whether the bench itself works")
    quick = parser.parse_args().quick
    sizes = (20, 40, 80) if quick else (50, 200, 800)
    small, middle, large = sizes
    started = time.monotonic()
    bench = Bench()
    WORK.mkdir(parents=True, exist_ok=True)
    used: dict[int, Usage] = {}
    for count in (middle, small, large):
        say(f"{count} switches: starting the lab")
        with running(WORK / str(count), count, FIRST_PORT) as site:
            # Watching the memory takes time of its own: in a run of its own.
            watched = bench.no_change(site, expected=count, memory=True)
            say(f"  with memory watched: {_short(watched)}")
            if count == middle:
                timed = bench.ratios(site, 1 if quick else ROUNDS)
                bench.where_time_goes(site)
                bench.against_community(site, 12 if quick else None)
            else:
                timed = bench.no_change(site, expected=count)
            used[count] = replace(timed, memory=watched.memory)
    bench.growth(used)
    bench.figures |= {
        "machine": machine(),
        "seconds": time.monotonic() - started,
        "forks": bench.forks,
    }
    REPORT.parent.mkdir(exist_ok=True)
    checks = [{**asdict(c), "passed": c.passed} for c in bench.checks]
    REPORT.write_text(json.dumps({"checks": checks, **bench.figures}, indent=2) + "\n")
    show(bench)
    return 0 if all(c.passed for c in bench.checks) else 1


# -- output -----------------------------------------------------------------------------------------------------------
def show(bench: Bench) -> None:
    """The tables."""
    figures = bench.figures
    say("\nMachine")
    for key, value in figures["machine"].items():
        say(f"  {key:<14} {value}")
    say("\nSize    wall s   CPU s   CPU s of the lab   peak memory MiB (program and what its workers add)")
    for count, u in figures["sizes"].items():
        say(f"{count:>4} {u['wall']:>9.1f} {u['cpu']:>7.1f} {u['lab_cpu']:>18.1f} {u['memory'] / MEGABYTE:>17.0f}")
    say("\nWhere the CPU seconds of ansible-playbook go")
    for what, seconds in figures["cpu_parts"].items():
        say(f"  {what:<62} {seconds:>8.3f}")
    say("  of the last line, milliseconds to parse, render and plan (in one process, no SSH):")
    for name, parts in figures["compute_ms"].items():
        say(f"    {name:<5} " + "  ".join(f"{what} {ms:.1f}" for what, ms in parts.items()))
    say(f"\nCPU time, site.yml / netmiko: {figures['cpu_ratio_netmiko']:.2f} (no limit; netmiko compares nothing)")
    other = figures["community"]
    say(
        f"QoS lines by community modules on {other['switches']} switches: {other['push']['wall']:.1f} s to push, "
        f"{other['again']['wall']:.1f} s when they are there; site.yml there: {other['mine']['wall']:.1f} s"
    )
    say(f"\n{'Figure':<62} {'is':>7} {'limit':>7}")
    for check in bench.checks:
        verdict = "pass" if check.passed else "FAIL"
        say(f"{check.what:<62} {check.figure:>7.3f} {check.limit:>7.2f}  {verdict}")
    say(f"\n{REPORT.relative_to(ROOT)} written after {figures['seconds']:.0f} s")


def machine() -> dict[str, Any]:
    """What it was measured on."""
    info = Path("/proc/cpuinfo").read_text()
    model = re.search(r"^model name\s*: (.*)$", info, re.MULTILINE)
    memory = re.search(r"^MemTotal:\s*(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    return {
        "processor": model[1] if model else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory GiB": round(int(memory[1]) / (1 << 20), 1) if memory else None,
        "load before": " ".join(f"{x:.1f}" for x in LOAD),
        "python": platform.python_version(),
        **{name: version(name) for name in ("ansible-core", "netmiko", "paramiko")},
        "switches": "emulated, in one process on the same cores",
    }


def say(text: str) -> None:
    """Progress is visible at once, also in a pipe."""
    print(text, flush=True)


def _short(usage: Usage) -> str:
    memory = f", peak {usage.memory / MEGABYTE:.0f} MiB" if usage.memory else ""
    return f"{usage.wall:.1f} s (CPU {usage.cpu:.1f}, lab {usage.lab_cpu:.1f}{memory})"


def _plain(usage: Usage) -> dict[str, Any]:
    return {key: value for key, value in asdict(usage).items() if key != "output"}


def _beside_python(program: str) -> str:
    return str(Path(sys.executable).with_name(program))


LOAD = os.getloadavg()

if __name__ == "__main__":
    sys.exit(main())
