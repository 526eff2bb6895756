# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Emulated switches that are already as intended: what a no-change run meets."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.site import plan_site
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.platforms import driver_for
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render
from lab.client import Lab
from tests.bench.fabric import BenchSwitch, write_site

READ = {"eos": "show running-config", "nxos": "show running-config", "nvue": "nv config show -o json"}
TYPED = {"eos": ("configure", "end"), "nxos": ("configure terminal", "end"), "nvue": ("", "nv config apply -y")}


class Site:
    """One site of the bench, its lab running."""

    def __init__(self, folder: Path, count: int, first_port: int) -> None:
        self.folder = folder
        self.count = count
        self.switches: list[BenchSwitch] = write_site(folder, count, first_port)
        self.inventory = folder / "fabric.yml"
        self.known_hosts = folder / "known_hosts"
        self.run_dir = Path(mkdtemp(prefix="bench-"))  # short: the path of a Unix socket has a limit
        self.lab = Lab(self.run_dir)
        self.factory: dict[str, str] = {}  # running configurations by switch
        self.intended: dict[str, str] = {}

    def start(self) -> None:
        """Start the switches and bring them to their intended configuration, not over SSH."""
        _lab(self.run_dir, "up", "-i", str(self.inventory))
        self.pid = int((self.run_dir / "pid").read_text())
        self.known_hosts.write_text(self.lab.known_hosts())
        models = plan_site(str(self.inventory)).switches
        alike: dict[tuple[str, ...], Switch] = {}
        for name, model in models.items():
            # One switch of a kind is configured by hand, the others boot with its configuration and their own names.
            kind = (model.platform, model.role, *(port.name for port in model.ports))
            self.factory[name] = self.lab.running(name)
            if kind in alike:
                self.lab.load(name, _renamed(self.intended[alike[kind].name], alike[kind], model))
            else:
                alike[kind] = model
                self._configure(model)
            self.intended[name] = self.lab.running(name)

    def _configure(self, model: Switch) -> None:
        driver = driver_for(model)
        (running,) = self.lab.execute(model.name, READ[model.platform])
        tree = driver.parse(running)
        before, after = TYPED[model.platform]
        commands = driver.plan(tree, driver.intended(render(model, driver.dialect_release))).commands
        self.lab.execute(model.name, *([before] if before else []), *commands, after)

    def stop(self) -> None:
        """Also after a failure, whose message is the one to be seen: nothing is raised from here."""
        self.lab.close()
        subprocess.run([sys.executable, "-m", "lab", "--run-dir", str(self.run_dir), "down"], check=False)
        shutil.rmtree(self.run_dir, ignore_errors=True)


@contextmanager
def running(folder: Path, count: int, first_port: int) -> Iterator[Site]:
    """A site while its lab runs."""
    site = Site(folder, count, first_port)
    try:
        site.start()
        yield site
    finally:
        site.stop()


def _lab(run_dir: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "lab", "--run-dir", str(run_dir), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"bench: {' '.join(command)}:\n{done.stdout[-1000:]}{done.stderr[-1000:]}")


def _renamed(text: str, old: Switch, new: Switch) -> str:
    """The configuration of ``new``, given that of a switch with the same ports."""
    names = {old.name: new.name}
    for before, after in zip(old.ports, new.ports, strict=True):
        names[before.description] = after.description
        if before.address and after.address:
            names[before.address] = after.address
    pattern = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?<![\w.])(?:{pattern})(?![\w/])", lambda found: names[found[0]], text)
