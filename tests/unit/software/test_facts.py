# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The facts on trees of every distribution."""

from __future__ import annotations

import pytest

from ansible_collections.lossless.fabric.plugins.module_utils.host.machine import Machine
from ansible_collections.lossless.fabric.plugins.module_utils.software.facts import gather
from tests.unit.software.machines import CONNECTX_7, DRIVER, GPU, NVSWITCH, OS, Host


def read(host, folder):
    return gather(Machine(host.build(folder)))


@pytest.mark.parametrize("key", OS)
def test_distribution_kernel_and_packages(key, tmp_path):
    version = f"{DRIVER}-1" if not key.startswith("rhel") else f"3:{DRIVER}-1.{key}"
    facts = read(Host(key, packages={"nvidia-open": version, "perftest": "0:4.5-1"}), tmp_path)
    assert facts["distribution"]["key"] == key
    assert facts["architecture"] == "x86_64"
    assert facts["kernel"] == {"running": OS[key][2], "installed": [OS[key][2]], "headers": True, "initramfs": True}
    assert facts["packages"]["nvidia-open"] == {"version": version, "held": False}
    assert set(facts["packages"]) == {"nvidia-open", "perftest"}, "no other package of the machine is told"


def test_holds_of_dpkg_and_of_dnf(tmp_path):
    host = Host(
        "debian12", packages={"nvidia-open": f"{DRIVER}-1", "libnccl2": "2.28.9-1+cuda13.0"}, held={"nvidia-open"}
    )
    facts = read(host, tmp_path / "debian")
    assert facts["packages"]["nvidia-open"]["held"] and not facts["packages"]["libnccl2"]["held"]
    locks = f"nvidia-open-{DRIVER}-*\n!perftest-4*\n"
    packages = {"nvidia-open": f"3:{DRIVER}-1.el9", "perftest": "0:4.5-1"}
    facts = read(Host("rhel9", packages=packages, files={"/etc/dnf/plugins/versionlock.list": locks}), tmp_path / "el")
    assert facts["packages"]["nvidia-open"]["held"] and not facts["packages"]["perftest"]["held"]
    assert facts["locks"] == locks


def test_only_files_of_the_roles_are_told(tmp_path):
    files = {
        "/etc/apt/sources.list.d/lossless-cuda.sources": "Types: deb\n",
        "/etc/apt/sources.list.d/secret.list": "x",
    }
    facts = read(Host(files=files), tmp_path)
    assert facts["files"] == {"/etc/apt/sources.list.d/lossless-cuda.sources": "Types: deb\n"}


def test_module_streams(tmp_path):
    text = "[nvidia-driver]\nname=nvidia-driver\nstream=580-open\nprofiles=\nstate=enabled\n"
    off = text.replace("nvidia-driver", "nginx").replace("enabled", "")
    files = {"/etc/dnf/modules.d/nvidia-driver.module": text, "/etc/dnf/modules.d/nginx.module": off}
    assert read(Host("rhel9", files=files), tmp_path)["streams"] == {"nvidia-driver": "580-open"}


def test_modules_dkms_services_and_devices(tmp_path):
    host = Host(
        modules={"nvidia": (DRIVER, DRIVER), "gdrdrv": ("", "2.5.1")},
        dkms={f"nvidia/{DRIVER}": "installed", "gdrdrv/2.5.1": "added"},
        services={"nvidia-persistenced": "active", "openibd": "failed"},
        pci=[GPU, GPU, NVSWITCH, CONNECTX_7, ("8086", "1234", "030000"), ("10de", "1abc", "060400")],
        symbols="alias symbol:ib_register_peer_memory_client ib_core\n",
        nouveau=True,
    )
    facts = read(host, tmp_path)
    assert facts["modules"]["nvidia"]["version_loaded"] == DRIVER
    assert not facts["modules"]["gdrdrv"]["loaded"]
    assert {entry["module"]: entry["state"] for entry in facts["dkms"]} == {"nvidia": "installed", "gdrdrv": "added"}
    assert facts["services"]["nvidia-persistenced"] == {"exists": True, "active": True, "enabled": True}
    assert facts["services"]["openibd"]["active"] is False
    assert facts["services"]["nvidia-fabricmanager"]["exists"] is False
    assert (facts["gpus"], facts["nvswitches"], facts["nics"]) == (["2335", "2335"], ["22a3"], ["1021"])
    assert facts["peer_memory_api"] is True and facts["nouveau_loaded"] is True


@pytest.mark.parametrize(("enrolled", "told"), [(True, True), (False, False), (None, None)])
def test_secure_boot_and_its_key(enrolled, told, tmp_path):
    facts = read(Host(secure_boot=True, enrolled=enrolled), tmp_path)
    assert facts["secure_boot"]["enabled"] is True
    assert facts["secure_boot"]["machine_owner_key"] is told


def test_a_bare_machine(tmp_path):
    facts = read(Host(headers=False), tmp_path)
    assert facts["kernel"]["headers"] is False
    assert facts["secure_boot"]["enabled"] is False
    assert facts["peer_memory_api"] is False
    assert facts["rdma_stack"] is None and facts["nvidia"]["version"] is None
