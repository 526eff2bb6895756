# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All machines of a lab: ``python -m lab up``, ``down``, ``status``, ``ssh`` and ``console`` for them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn

from lab.hosts import accelerator, image, needs
from lab.hosts.machine import Machine, make_key, running, stop
from lab.hosts.mirror import build as mirror
from lab.hosts.needs import HostsError
from lab.hosts.options import Paths
from lab.hosts.spec import MachineSpec


def up(specs: Iterable[MachineSpec], run_dir: Path) -> None:
    """Start what does not run yet or has changed, all at once; stop what the inventory no longer has."""
    specs = list(specs)
    for name in set(names(run_dir)) - {spec.name for spec in specs}:
        stop(Paths(run_dir.resolve(), name))
    if not specs:
        return
    needs.check()
    base = image.get()
    with image.lock(image.CACHE / "lock"):  # another lab may want the same at this moment
        mirror.get(headers=base.headers)
        accel = accelerator.choose(base)
    machines = [Machine(spec, run_dir, base, accel) for spec in specs]
    make_key(machines[0].paths.user_key)
    waiting = [machine for machine in machines if not machine.runs_as_wanted()]
    with ThreadPoolExecutor(max_workers=len(machines)) as pool:
        list(pool.map(_start, waiting))
    _know_hosts(machines, machines[0].paths.known_hosts)
    for machine in machines:
        print(_line(machine.paths))


def _start(machine: Machine) -> None:
    begun = time.monotonic()
    fresh = not machine.state.exists()
    machine.start()
    how = "first start, state saved" if fresh else "from its saved state"
    print(f"lab: {machine.spec.name} is up after {time.monotonic() - begun:.1f} s ({how})")


def _know_hosts(machines: Iterable[Machine], path: Path) -> None:
    """Beside the switches' keys in known_hosts: the machines'."""
    ours = {}
    for machine in machines:
        kind, key, *_ = machine.paths.host_key.with_suffix(".pub").read_text().split()
        place = f"[{machine.spec.address}]:{machine.spec.port}"
        ours[place] = f"{place} {kind} {key}"
    lines = path.read_text().splitlines() if path.exists() else []
    kept = [line for line in lines if line.partition(" ")[0] not in ours]
    new = path.with_suffix(".new")
    new.write_text("".join(f"{line}\n" for line in [*kept, *ours.values()]))
    new.replace(path)


def names(run_dir: Path) -> list[str]:
    """Machines that were started in a run directory, running or not."""
    return sorted(path.parent.name for path in (run_dir / "hosts").glob("*/machine.json"))


def down(run_dir: Path) -> bool:
    """Stop all; say whether one ran."""
    ran = False
    for name in names(run_dir):
        paths = Paths(run_dir.resolve(), name)
        ran |= running(paths)
        stop(paths)
    return ran


def status(run_dir: Path) -> None:
    for name in names(run_dir):
        print(_line(Paths(run_dir.resolve(), name)))


def _line(paths: Paths) -> str:
    described = json.loads(paths.described.read_text())
    state = "" if running(paths) else "  (not running)"
    return f"{paths.name:<16} {'host':<5} {'debian-12':<10} {described['address']}:{described['port']}{state}"


def ssh(run_dir: Path, name: str, command: list[str]) -> NoReturn:
    """Become an ssh to the machine."""
    os.execvp("ssh", ssh_command(run_dir, name, command))


def ssh_command(run_dir: Path, name: str, command: list[str]) -> list[str]:
    """Log in as root with the key of the lab; the host key has to be the machine's."""
    paths = _known(run_dir, name)
    described = json.loads(paths.described.read_text())
    words = ["ssh", "-i", str(paths.user_key), "-p", str(described["port"]), "-o", "IdentitiesOnly=yes"]
    words += ["-o", f"UserKnownHostsFile={paths.known_hosts}", "-o", "StrictHostKeyChecking=yes"]
    return [*words, f"root@{described['address']}", *command]


def console(run_dir: Path, name: str) -> str:
    """What the machine wrote on its serial console."""
    return _known(run_dir, name).console.read_text(errors="replace")


def _known(run_dir: Path, name: str) -> Paths:
    known = names(run_dir)
    if name not in known:
        raise HostsError(f"no machine {name!r} in {run_dir}; there are: {', '.join(known) or 'none'}")
    return Paths(run_dir.resolve(), name)
