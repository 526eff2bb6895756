# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lossless.fabric.software_plan through ansible-playbook, on a recorded tree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import yaml

from tests.unit.software.machines import GPU, Host
from tests.unit.software.roles import Site, settings, variables

ROOT = Path(__file__).parents[3]


def play(folder: Path, host: Host, *options: str, task: dict[str, bool] | None = None, **more: bool):
    """One run of the module: its result. ``task``: keywords of its task."""
    module = {
        **more,
        "component": "nvidia_driver",
        "settings": settings("nvidia_driver", variables()),
        "root": str(host.build(folder / "tree")),
    }
    tasks = [
        {"lossless.fabric.software_plan": module, "register": "outcome", "ignore_errors": True, **(task or {})},
        {
            "ansible.builtin.copy": {"content": "{{ outcome | to_json }}", "dest": str(folder / "outcome.json")},
            "check_mode": False,
        },
    ]
    # A variable of another role of the play: the stack is checked as a whole.
    plays = [{"hosts": "localhost", "gather_facts": False, "vars": {"cuda_version": "{{ 13 }}.0"}, "tasks": tasks}]
    (folder / "play.yml").write_text(yaml.safe_dump(plays))
    environment = {
        **os.environ,
        "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
        "ANSIBLE_LOCAL_TEMP": str(folder / "tmp"),
        "ANSIBLE_REMOTE_TEMP": str(folder / "remote"),
    }
    command = [Path(sys.executable).with_name("ansible-playbook"), "-i", "localhost,", "-c", "local", "play.yml"]
    command += ["-e", f"ansible_python_interpreter={sys.executable}", *options]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((folder / "outcome.json").read_text())


def test_check_mode_predicts_and_shows(tmp_path):
    result = play(tmp_path, Host(pci=[GPU]), "--check", "--diff")
    assert result["changed"] is result["check_mode"] is True
    assert "install nvidia-open=580.126.20-*" in result["plan"]["steps"]
    shown = {entry["after_header"]: entry["after"] for entry in result["diff"]}
    assert "Signed-By: /etc/apt/keyrings/lossless-cuda.gpg" in shown["/etc/apt/sources.list.d/lossless-cuda.sources"]
    assert "nvidia-open=580.126.20-*" in shown["packages"]


def test_check_mode_of_one_task_is_told(tmp_path):
    """Ansible's own variable knows the option of the command only, and the role must not install then either."""
    result = play(tmp_path, Host(pci=[GPU]), task={"check_mode": True})
    assert result["changed"] is result["check_mode"] is True
    (tmp_path / "run").mkdir()
    assert play(tmp_path / "run", Host(pci=[GPU]))["check_mode"] is False


def test_a_plan_changes_nothing_and_a_conflict_stops_it(tmp_path):
    result = play(tmp_path, Host(pci=[GPU], packages={"nvidia-open": "570.86.10-1"}))
    assert result["changed"] is False and result["failed"] is True
    assert result["msg"].startswith(
        "NVIDIA driver: nothing was installed. cuda-13-driver: expected NVIDIA driver >=580"
    )


def test_what_waits_for_a_reboot_is_told_in_every_run(tmp_path):
    """A new server: nouveau was loaded at boot, the driver is installed now and cannot start beside it."""
    site = Site(tmp_path, Host(pci=[GPU], nouveau=True))
    site.apply("nvidia_driver")
    site.host.modules, site.host.services = {}, {"nvidia-persistenced": "inactive"}
    (tmp_path / "without").mkdir()
    result = play(tmp_path / "without", site.host, "--check")
    assert result["changed"] is False, "the role starts nothing before the reboot, and may not reboot"
    assert result["msg"] == "NVIDIA driver: waits for a reboot"
    assert result["warnings"] == [
        "NVIDIA driver: a reboot is needed (allow it with hosts_allow_reboot): nouveau is loaded and the NVIDIA driver "
        "cannot take its GPUs; waiting for it: load nvidia, load nvidia_uvm, start and enable nvidia-persistenced"
    ]
    (tmp_path / "with").mkdir()
    result = play(tmp_path / "with", site.host, "--check", allow_reboot=True)
    assert result["changed"] is True
    assert result["msg"] == "reboot, because nouveau is loaded and the NVIDIA driver cannot take its GPUs"
    assert "warnings" not in result
