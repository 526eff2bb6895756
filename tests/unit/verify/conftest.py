# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a playbook with a hand-written inventory; no switch is contacted."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
Play = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Run tasks on the group switches; ``hosts`` are host variables per host."""

    def run(
        tasks: list[dict[str, Any]], switches: dict[str, Any], *options: str, hosts: dict[str, Any] | None = None
    ) -> subprocess.CompletedProcess[str]:
        inventory = {"all": {"children": {"switches": {"hosts": switches}, "gpus": {"hosts": hosts or {}}}}}
        (tmp_path / "inventory.yml").write_text(yaml.safe_dump(inventory), encoding="utf-8")
        book = [{"name": "Test", "hosts": "switches", "gather_facts": False, "tasks": tasks}]
        (tmp_path / "play.yml").write_text(yaml.safe_dump(book), encoding="utf-8")
        command = [str(Path(sys.executable).parent / "ansible-playbook"), "-i", "inventory.yml", "play.yml", *options]
        environment = os.environ | {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "ANSIBLE_NOCOLOR": "1"}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    return run
