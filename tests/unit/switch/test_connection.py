# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The connection plugin of switches: settings as those of ansible.builtin.ssh, and nothing runs there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from ansible.plugins.connection.ssh import DOCUMENTATION as SSH

from ansible_collections.lossless.fabric.plugins.connection.switch import DOCUMENTATION

ROOT = Path(__file__).parents[3]
OURS = yaml.safe_load(DOCUMENTATION)["options"]
THEIRS = yaml.safe_load(SSH)["options"]


@pytest.mark.parametrize("option", OURS)
def test_an_option_is_set_in_the_ways_of_ssh(option):
    def ways(options, kind):
        return {way.get("key") or way["name"] for way in options[option].get(kind, ())}

    for kind in ("vars", "env", "cli", "ini"):
        theirs = {way for way in ways(THEIRS, kind) if not way.startswith("delegated_vars")}
        assert theirs <= ways(OURS, kind), kind
    assert OURS[option].get("default") == THEIRS[option].get("default")


def test_a_module_fails_with_a_reason():
    tool = Path(sys.executable).with_name("ansible")
    command = [
        tool,
        "-i",
        "leaf01,",
        "-c",
        "lossless.fabric.switch",
        "-m",
        "ansible.builtin.raw",
        "-a",
        "true",
        "leaf01",
    ]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 2, run.stdout + run.stderr
    assert "leaf01: expected lossless.fabric.switch_config or switch_facts" in run.stdout
