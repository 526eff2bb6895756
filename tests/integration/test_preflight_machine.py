# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Preflight on running machines: every check passes, then finds exactly what was broken, then passes again.

A run of the module takes seconds, on a busy machine without KVM a minute, so faults that look at different values are
there at the same time; what was broken before has been mended, and each run shows that too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.runner import discover
from lab.hosts import image
from lab.hosts.mirror import build as mirror
from lab.hosts.secure_boot import OWNER, Key
from tests.integration import preflight_faults as faults
from tests.integration.machine import ROOT, Guest, guest
from tests.unit.host import test_preflight as trees

ROCE = {"profile": "ROCE", "trust": "dscp", "priority": 3, "dscp": [26], "cnp_priority": 6, "cnp_dscp": [48]}
SPEED = 100000  # the most that the kernel's software RDMA says of a port
PACKAGES = ("nvidia-kernel-open-dkms", "nvidia-persistenced", "nvidia-driver-cuda", "nvidia-fabricmanager")
PLACES = {"lab": "/sys/module/lab_nic/parameters", "manager": "/etc/systemd/system.conf.d"}
NAMES = """
    uname -r
    ulimit -Sl
    for nic in {nics}; do
      ls /sys/bus/pci/devices/$nic/net
      grep -lx "$(ls /sys/bus/pci/devices/$nic/net)" /sys/class/infiniband/*/parent | cut -d/ -f5
    done
    for device in {nics} {gpus}; do readlink -f /sys/bus/pci/devices/$device; done
    for gpu in {gpus}; do cat /sys/bus/pci/devices/$gpu/numa_node; done
"""


class Examined:
    """A machine, what its devices are called, and how preflight finds it."""

    def __init__(self, host: Guest) -> None:
        self.host = host
        said = host.sh(NAMES.format(nics=" ".join(host.nics), gpus=" ".join(host.gpus))).split()
        keys = ("kernel", "memlock", "netdev0", "rdma0", "netdev1", "rdma1")
        self.names = dict(zip(keys, said, strict=False)) | PLACES
        for index, (nic, gpu) in enumerate(zip(host.nics, host.gpus, strict=True)):
            nic_path, gpu_path = (said[6 + index + shift].split("/") for shift in (0, 2))
            self.names |= {f"nic{index}": nic, f"gpu{index}": gpu, f"root{index}": nic_path[-4]}
            self.names |= {f"port{index}": nic_path[-2], f"gpuport{index}": gpu_path[-2]}
            self.names[f"node{index}"] = said[10 + index]

    def sh(self, *scripts: str) -> None:
        """Scripts with the names of this machine in them, as one."""
        self.host.sh("\n".join(script.format(**self.names) for script in scripts))

    def finds(self, *expected: faults.Fault, hardware: dict[str, Any] = faults.HARDWARE) -> set[str]:
        """Preflight finds this and nothing else; names of the checks that passed."""
        nics = [
            {"name": f"rail{index}", "pci_address": address, "mtu": 9000, "speed": SPEED}
            for index, address in enumerate(self.host.nics)
        ]
        model = {"name": self.host.name, "roce": ROCE, "hardware": hardware, "nics": nics}
        report = self.host.folder / "report.json"
        done = self.host.module("lossless.fabric.preflight", model=model, report=str(report), fail_on="never")
        outcomes = json.loads(report.read_text())["outcomes"]
        found = {
            (o["check"], o["subject"], o["expected"], o["actual"])
            for o in outcomes
            if o["status"] not in ("pass", "skipped")
        }
        wanted = set().union(*(fault.expected(self.names) for fault in expected))
        assert found == wanted, done["msg"]
        return {o["check"] for o in outcomes if o["status"] == "pass"}

    def install(self, version: str, *more: str) -> None:
        """Stand-in packages of a driver version, without apt."""
        cuda = ROOT / ".cache" / "lab-mirror" / "debian12" / "cuda"
        files = [next(cuda.glob(f"{name}_*")) for name in more] + [cuda / f"{p}_{version}-1_all.deb" for p in PACKAGES]
        self.host.sh(f"mkdir -p /root/{version}")
        self.host.copy(files, f"/root/{version}")
        self.host.sh(f"dpkg --force-unsafe-io -i /root/{version}/*.deb")


@pytest.mark.machine
def test_faults_of_a_running_machine(tmp_path: Path):
    mirror.get(headers=image.get().headers)
    with guest(tmp_path, numa_nodes=2) as host:
        machine = Examined(host)
        machine.finds(*faults.DELIVERED)

        machine.install(faults.OLD, "dkms", f"linux-headers-{machine.names['kernel']}")
        load = [f"modprobe {name}" for name in faults.STAND_INS]
        machine.sh(*(f.mend_it for f in faults.DELIVERED), *load, "systemctl start nvidia-fabricmanager")
        assert set(discover()) - machine.finds() == {"module_signature"}, "without Secure Boot nothing asks for it"

        machine.sh(*(f.break_it for f in faults.RUNNING))
        machine.finds(*faults.RUNNING)

        machine.sh(*(f.mend_it for f in faults.RUNNING))
        machine.install(faults.NEW)
        machine.sh(*(f.break_it for f in faults.GONE))
        machine.finds(*faults.GONE)

        machine.sh(*(f.mend_it for f in faults.GONE), *(f.break_it for f in faults.RELOADED))
        machine.finds(*faults.RELOADED)

        machine.sh(*(f.mend_it for f in faults.RELOADED))
        assert "module_signature" in machine.finds()


@pytest.mark.machine
def test_faults_that_need_another_boot(tmp_path: Path):
    """Limits and read requests of a new machine are none of the matter here."""
    nics = {key: value for key, value in faults.HARDWARE["nics"].items() if key != "max_read_request"}
    hardware = faults.HARDWARE | {"nics": nics, "memlock": 4096}
    down = faults.DELIVERED[-1]
    for number, (settings, found) in enumerate(
        ((faults.TRANSLATED, faults.TRANSLATED_FINDINGS), (faults.NO_IOMMU, faults.NO_IOMMU_FINDINGS))
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with guest(folder, **settings) as host:
            Examined(host).finds(down, *found, hardware=hardware)


@pytest.mark.machine
def test_secure_boot(tmp_path: Path):
    """Firmware, kernel and modules as on a server with Secure Boot; the lab's key is its machine owner key."""
    keys = {"owner": image.get().owner, "dkms": Key(tmp_path / "dkms")}
    keys["dkms"].make("DKMS module signing key", keys["owner"].program)
    with guest(tmp_path, secure_boot=True, numa_nodes=2, acs=False) as host:
        machine = Examined(host)
        for name, key in keys.items():
            machine.names[name] = f"/root/{name}"
            host.sh(f"mkdir {machine.names[name]}")
            host.copy([key.private, key.certificate, key.program], machine.names[name])
        boot = host.module("lossless.fabric.host_facts")["facts"]["secure_boot"]
        assert (boot["enabled"], boot["lockdown"], boot["signatures_enforced"]) == (True, "integrity", True)
        assert OWNER in boot["keys"], "and lab_nic, which this key signed, is what makes these NICs"
        refused = host.sh(f"setpci -s {host.nics[0]} CAP_EXP+08.w=5000:F000 2>&1")
        assert "Operation not permitted" in refused, "as two remedies of preflight say"

        delivered = [fault for fault in faults.DELIVERED if "acs" not in fault.checks]
        assert "module_signature" in machine.finds(*delivered), "Debian signed its modules"
        machine.sh(*(f.break_it for f in faults.SECURE_BOOT))
        machine.finds(*delivered, *faults.SECURE_BOOT)
        machine.sh(*(f.mend_it for f in faults.SECURE_BOOT))
        assert "module_signature" in machine.finds(*delivered), "Debian signed one, the machine owner key the other"


def everything() -> Iterable[faults.Fault]:
    yield from (*faults.DELIVERED, *faults.RUNNING, *faults.GONE, *faults.RELOADED, *faults.SECURE_BOOT)
    yield from (*faults.TRANSLATED_FINDINGS, *faults.NO_IOMMU_FINDINGS)


def table() -> str:
    """Per check: what was broken on a machine, and in the tree of files of a server (tests/unit/host)."""
    lines = ["| Check | Failed on a machine, passed without that | Failed on a written tree, passed without that |"]
    lines.append("|---|---|---|")
    for check in discover():
        on_machine = dict.fromkeys(f.what for f in everything() if check in f.checks)
        on_tree = [what for what, (_, wanted, _, _) in trees.FAULTS.items() if wanted == check]
        assert on_machine and on_tree, f"{check} was never seen to fail"
        lines.append(f"| {check} | {'; '.join(on_machine)} | {'; '.join(on_tree)} |")
    return "\n".join(lines)


def test_the_documentation_says_what_was_seen():
    print(table())
    assert table() in (ROOT / "docs" / "hosts" / "preflight.md").read_text(), f"expected this table there:\n{table()}"
