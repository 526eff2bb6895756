# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The roles preflight and nccl through ansible-playbook on localhost, on recorded trees."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.host.test_nccl import rails
from tests.unit.host.test_preflight import HARDWARE, ROCE
from tests.unit.host.trees.server import Server, changed, healthy

ROOT = Path(__file__).parents[3]


class Site:
    """One host, whose machine is a tree."""

    def __init__(self, folder: Path, server: Server) -> None:
        self.folder = folder
        self.root = server.build(folder / "root")
        (folder / "etc").mkdir()
        self.variables: dict[str, Any] = {
            "ansible_connection": "local",
            "ansible_python_interpreter": sys.executable,
            "host": {"name": "gpu01", "nics": rails(), "roce": ROCE, "hardware": HARDWARE},
            "preflight_root": str(self.root),
            "nccl_root": str(self.root),
            "nccl_path": str(folder / "etc/nccl.conf"),
            "nccl_profile": str(folder / "etc/lossless-fabric.sh"),
        }

    def run(self, role: str, *options: str, **variables: Any) -> subprocess.CompletedProcess[str]:
        """Apply a role."""
        inventory = {"all": {"hosts": {"gpu01": {**self.variables, **variables}}}}
        (self.folder / "hosts.yml").write_text(yaml.safe_dump(inventory))
        play = [{"hosts": "all", "gather_facts": False, "roles": [f"lossless.fabric.{role}"]}]
        (self.folder / "play.yml").write_text(yaml.safe_dump(play))
        environment = {
            **os.environ,
            "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
            "ANSIBLE_LOCAL_TEMP": str(self.folder / "tmp"),
            "ANSIBLE_NOCOLOR": "1",
        }
        command = [Path(sys.executable).with_name("ansible-playbook"), "-i", "hosts.yml", "play.yml", *options]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)

    @property
    def report(self) -> Path:
        """Where the role preflight reports."""
        return self.folder / "reports/preflight/gpu01.json"


def recap(done: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """Figures of the play's last line."""
    found = re.findall(r"(\w+)=(\d+)", done.stdout.rsplit("PLAY RECAP", 1)[-1])
    assert found, done.stdout + done.stderr
    return {name: int(value) for name, value in found}


def test_preflight_of_a_good_host(tmp_path: Path):
    site = Site(tmp_path, healthy())
    done = site.run("preflight")
    assert done.returncode == 0, done.stdout + done.stderr
    assert recap(done)["changed"] == 0
    assert "gpu01: 0 errors, 0 warnings, 0 waived" in done.stdout
    document = json.loads(site.report.read_text())
    assert document["summary"]["errors"] == 0
    assert document["host"] == "gpu01"


def test_preflight_of_a_bad_host_fails_with_one_line_until_it_is_waived(tmp_path: Path):
    site = Site(tmp_path, changed(healthy(), "nics", 1, link=(5, 8, 5, 16)))
    done = site.run("preflight", "--check")
    assert done.returncode == 2
    assert not site.report.exists(), "check mode writes nothing"
    assert done.stdout.count("first: pcie_width NIC 0000:24:00.0 (mlx5_1): expected x16, found x8") == 2  # table, task
    assert "fix: reseat the card or riser" in done.stdout
    waivers = [{"check": "pcie_width", "reason": "riser ordered", "until": "2999-12-31"}]
    assert site.run("preflight", preflight_waivers=waivers).returncode == 0
    assert json.loads(site.report.read_text())["summary"]["waived"] == 1
    done = site.run("preflight", preflight_waivers=[{"check": "pcie_width", "until": "2999-12-31"}])
    assert done.returncode == 2
    assert "waivers[0].reason: expected why pcie_width is waived" in done.stdout


def test_preflight_without_model_takes_the_hardware_as_given(tmp_path: Path):
    site = Site(tmp_path, healthy())
    del site.variables["host"]
    done = site.run("preflight", preflight_hardware={"gpus": {"count": 8}})
    assert done.returncode == 2
    assert "gpu_count: expected 8 GPUs, found 4 on the PCI bus" in done.stdout
    done = site.run("preflight", preflight_hardware={"gpu": {"count": 8}})
    assert 'host.hardware.gpu: expected a known field, found "gpu" (did you mean gpus?)'.replace('"', "") in (
        done.stdout.replace('"', "").replace("'", "")
    )


def test_nccl_check_mode_converge_idempotence_drift(tmp_path: Path):
    site = Site(tmp_path, healthy())
    conf = Path(site.variables["nccl_path"])
    done = site.run("nccl", "--check", "--diff")
    assert done.returncode == 0, done.stdout + done.stderr
    assert recap(done)["changed"] == 1
    assert "+NCCL_IB_HCA==mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1" in done.stdout
    assert not conf.exists()
    assert recap(site.run("nccl"))["changed"] == 1
    assert "NCCL_IB_TC=106" in conf.read_text().splitlines()
    assert recap(site.run("nccl"))["changed"] == 0
    conf.write_text(conf.read_text().replace("NCCL_IB_TC=106", "NCCL_IB_TC=0"))
    done = site.run("nccl", "--diff")
    assert recap(done)["changed"] == 1
    assert "-NCCL_IB_TC=0" in done.stdout and "+NCCL_IB_TC=106" in done.stdout


def test_nccl_names_the_rail_that_is_not_ready(tmp_path: Path):
    site = Site(tmp_path, changed(healthy(), "nics", 2, gids=[]))
    done = site.run("nccl")
    assert done.returncode == 2
    assert "rail2: expected 1 RDMA devices" in done.stdout or "rail2 (mlx5_2:1): expected a RoCE v2 GID" in done.stdout


@pytest.mark.parametrize("role", ["preflight", "nccl"])
def test_roles_take_no_unknown_types(role: str, tmp_path: Path):
    site = Site(tmp_path, healthy())
    done = site.run(role, **{f"{role}_{'waivers' if role == 'preflight' else 'nics'}": "all"})
    assert done.returncode == 2


def test_the_roll_out_leaves_what_the_site_switches_on_to_the_roles(tmp_path: Path):
    """SR-IOV that is off in the firmware keeps a host out, unless nic_firmware is to switch it on."""
    site = Site(tmp_path, changed(healthy(), "nics", 0, vfs=None, offered=0))
    book = ROOT / "playbooks/hosts.yml"

    def run(**variables: Any) -> subprocess.CompletedProcess[str]:
        hosts = {"gpu01": {**site.variables, "ansible_become": False, **variables}}
        inventory = {"all": {"children": {"managed_hosts": {"hosts": hosts}}}}
        (tmp_path / "hosts.yml").write_text(yaml.safe_dump(inventory))
        environment = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "ANSIBLE_NOCOLOR": "1"}
        command = [Path(sys.executable).with_name("ansible-playbook"), "-i", "hosts.yml", book, "--tags", "preflight"]
        return subprocess.run([*command, "--check"], cwd=tmp_path, env=environment, capture_output=True, text=True)

    done = run()
    assert done.returncode == 2 and "first: sriov NIC 0000:14:00.0" in done.stdout, done.stdout + done.stderr
    done = run(nic_firmware_settings={"SRIOV_EN": True, "NUM_OF_VFS": 8})
    assert done.returncode == 0, done.stdout + done.stderr
