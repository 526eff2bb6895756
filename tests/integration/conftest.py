# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab site in a folder of its own, and playbooks run on it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.client import Lab
from tests.integration.run import ROOT, Run, run_playbook


class Site:
    """A copy of a site with TCP ports of its own, its lab, and its playbook runs."""

    root = ROOT

    def __init__(self, folder: Path, name: str = "lab") -> None:
        self.folder = folder
        self.inventory = folder / "site" / "fabric.yml"
        self.run_dir = folder / "lab"
        shutil.copytree(
            ROOT / "inventories" / name, folder / "site", ignore=shutil.ignore_patterns(".state", "reports")
        )
        text = self.inventory.read_text()
        ports = iter(_free_ports(text.count("port: 22") + text.count("port: 23")))
        self.inventory.write_text(re.sub(r"\bport: 2[23]\d\d\b", lambda _: f"port: {next(ports)}", text))
        self.variables = {
            "LAB_RUN_DIR": str(self.run_dir),
            "LAB_MIRROR": str(ROOT / ".cache" / "lab-mirror"),
            "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
        }
        self.environment = os.environ | self.variables

    @property
    def lab_words(self) -> list[str]:
        """``python -m lab`` for this site."""
        return [sys.executable, "-m", "lab", "--run-dir", str(self.run_dir)]

    def lab_command(self, *arguments: str) -> str:
        """``python -m lab ...`` for this site."""
        command = [*self.lab_words, *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @property
    def lab(self) -> Lab:
        """The running lab."""
        return Lab(self.run_dir)

    def port(self, device: str) -> int:
        """TCP port of SSH of a device."""
        intent = yaml.safe_load(self.inventory.read_text())
        return (intent["switches"] | intent["hosts"])[device]["port"]

    def running(self) -> dict[str, str]:
        """Running configuration of every switch."""
        lab = self.lab
        return {s["name"]: lab.running(s["name"]) for s in lab.status()}

    def play(self, playbook: str, *arguments: str, **extra: Any) -> Run:
        """Run a playbook of the repository on the site."""
        return run_playbook(self.folder, playbook, self.inventory, arguments, self.variables, extra)


def _free_ports(count: int) -> list[int]:
    """That many TCP ports that nothing listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """The lab site, switches in factory state."""
    made = Site(tmp_path)
    made.lab_command("up", "-i", str(made.inventory))
    yield made
    made.lab_command("down")
