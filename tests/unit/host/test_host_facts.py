# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""host_facts on trees: what is read, and what is said where nothing can be read."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_collections.lossless.fabric.plugins.module_utils.host import gpu, modules, netdev, pci, platform, rdma
from ansible_collections.lossless.fabric.plugins.module_utils.host.facts import gather
from ansible_collections.lossless.fabric.plugins.module_utils.host.machine import Machine
from tests.unit.host.trees.server import LINK_LOCAL, Server, changed, healthy, mapped

ROOT = Path(__file__).parents[3]
FIXTURES = Path(__file__).parent / "fixtures"
GIB = 1 << 30


def facts(server: Server, tmp_path: Path) -> dict:
    return gather(Machine(str(server.build(tmp_path / "root"))))


def by_address(found: dict, address: str) -> dict:
    return next(device for device in found["pci"] if device["address"] == address)


def test_a_healthy_server(tmp_path: Path):
    found = facts(healthy(), tmp_path)
    assert json.loads(json.dumps(found)) == found  # plain data
    assert [d["kind"] for d in found["pci"]].count("gpu") == 4
    assert [d["kind"] for d in found["pci"]].count("nvswitch") == 4
    assert found["virtual"] is False
    assert found["memory"]["total_bytes"] == 2048 * GIB
    assert [node["cpus"] for node in found["memory"]["nodes"]] == ["0-63", "64-127"]
    assert found["memory"]["pci_window_above_4g"] is True
    assert found["iommu"]["groups"] == {str(i): "identity" for i in range(8)}
    assert found["memlock"]["session_hard"] == -1
    assert found["memlock"]["services"] == -1
    assert found["nvidia"] == {
        "version": "580.95.05",
        "open": True,
        "fabric_manager": {"version": "580.95.05", "state": "active"},
        "peer_memory": "580.95.05",
    }
    assert [g["address"] for g in found["gpus"]] == [f"0000:{bus:02x}:00.0" for bus in (0x13, 0x23, 0x33, 0x43)]
    assert found["gpus"][0]["memory_total"] == 143771
    assert [d["name"] for d in found["rdma"]] == ["mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"]
    assert found["nearest_gpu"]["mlx5_2"] == {"gpu": "0000:33:00.0", "relation": "PIX"}
    assert found["default_interfaces"] == ["eno1"]


def test_a_pci_device_from_its_configuration_space(tmp_path: Path):
    server = changed(healthy(), "nics", 0, link=(4, 8, 5, 16), read_request=512)
    nic = by_address(facts(server, tmp_path), "0000:14:00.0")
    assert nic["link"] == {"speed": 16.0, "width": 8, "max_speed": 32.0, "max_width": 16}
    assert nic["max_read_request"] == 512
    assert nic["max_payload"] == 256
    assert nic["parents"] == ["0000:10:01.0", "0000:11:00.0", "0000:12:01.0"]
    assert nic["root_complex"] == "pci0000:10"
    assert nic["sriov"] == {"total": 16, "enabled": 0, "offered": 16}
    assert nic["iommu_group"] == 1


def test_acs_bits_have_names(tmp_path: Path):
    server = changed(healthy(), "gpus", 1, acs=0x1D)
    port = by_address(facts(server, tmp_path), "0000:22:00.0")
    assert port["acs"]["enabled"] == ["SrcValid", "ReqRedir", "CmpltRedir", "UpstreamFwd"]


def test_without_privileges_links_come_from_sysfs_and_acs_is_unknown(tmp_path: Path):
    server = changed(healthy(), "nics", 0, link=(4, 8, 5, 16))
    server.privileged = False
    found = facts(server, tmp_path)
    nic = by_address(found, "0000:14:00.0")
    assert nic["link"] == {"speed": 16.0, "width": 8, "max_speed": 32.0, "max_width": 16}
    assert nic["max_read_request"] is None
    assert by_address(found, "0000:12:00.0")["acs"] is None
    assert nic["sriov"]["total"] == 16  # sysfs says it


def test_bars(tmp_path: Path):
    server = changed(healthy(), "gpus", 0, bar=(0x9000_0000, 256 << 20))
    changed(server, "gpus", 1, bar=(0, 0))
    found = facts(server, tmp_path)
    assert by_address(found, "0000:13:00.0")["bars"][0]["start"] == 0x9000_0000
    unplaced = by_address(found, "0000:23:00.0")["bars"][0]
    assert (unplaced["assigned"], unplaced["bits64"]) == (False, True)


@pytest.mark.parametrize(
    ("one", "other", "word"),
    [
        ("0000:13:00.0", "0000:14:00.0", "PIX"),
        ("0000:13:00.0", "0000:24:00.0", "NODE"),
        ("0000:13:00.0", "0000:34:00.0", "SYS"),
    ],
)
def test_how_near_two_devices_are(tmp_path: Path, one: str, other: str, word: str):
    found = facts(healthy(), tmp_path)
    assert pci.relation(by_address(found, one), by_address(found, other)) == word


def test_gids_have_holes_and_types(tmp_path: Path):
    server = healthy()
    server.nics[0].gids.insert(2, None)
    table = facts(server, tmp_path)["rdma"][0]["ports"][0]["gids"]
    assert [(g["index"], g["type"], g["ipv4"]) for g in table] == [
        (0, "IB/RoCE v1", None),
        (1, "RoCE v2", None),
        (3, "IB/RoCE v1", "10.1.0.7"),
        (4, "RoCE v2", "10.1.0.7"),
    ]
    assert rdma.ipv4(mapped("192.168.254.3")) == "192.168.254.3"
    assert rdma.ipv4(LINK_LOCAL) is None


def test_counters_without_the_lifespan(tmp_path: Path):
    port = facts(healthy(), tmp_path)["rdma"][0]["ports"][0]
    assert port["hw_counters"] == {"out_of_sequence": 3}
    assert port["counters"] == {"port_xmit_wait": 7}
    assert port["rate_mbps"] == 400000


def test_missing_tools_are_a_fact(tmp_path: Path):
    server = healthy()
    server.driver = None
    server.modules = {}
    found = facts(server, tmp_path)
    assert {"nvidia-smi", "nv-fabricmanager", "mst", "ofed_info"} <= set(found["not_read"]["missing_tools"])
    assert found["gpus"] == []
    assert found["nvidia"]["version"] is None


def test_an_empty_machine_gives_facts_without_failing(tmp_path: Path):
    (tmp_path / "sys").mkdir()
    found = gather(Machine(str(tmp_path)))
    assert found["pci"] == []
    assert found["memory"]["total_bytes"] is None
    assert found["secure_boot"]["enabled"] is False


def test_secure_boot_without_efivars_is_unknown(tmp_path: Path):
    (tmp_path / "sys/firmware/efi").mkdir(parents=True)
    assert platform.secure_boot(Machine(str(tmp_path)))["enabled"] is None


def test_kernel_arguments_hide_secrets(tmp_path: Path):
    server = healthy()
    server.cmdline = "iommu.passthrough=1 rd.iscsi.password=hunter2 netroot.token=abc"
    found = facts(server, tmp_path)
    assert found["kernel"]["cmdline"] == ["iommu.passthrough=1", "rd.iscsi.password=(hidden)", "netroot.token=(hidden)"]
    assert "hunter2" not in json.dumps(found)


def test_memlock_entries_of_limit_files(tmp_path: Path):
    server = healthy()
    server.files["etc/security/limits.d/90-rdma.conf"] = (
        "# rdma\n* hard memlock unlimited\n@gpu soft memlock 64\n* - nofile 9"
    )
    entries = facts(server, tmp_path)["memlock"]["files"]
    assert [(e["domain"], e["kind"], e["bytes"]) for e in entries] == [("*", "hard", -1), ("@gpu", "soft", 65536)]


def test_modules_loaded_against_installed(tmp_path: Path):
    server = healthy()
    server.modules["nvidia"].loaded = "570.1"
    found = facts(server, tmp_path)["modules"]
    assert (found["nvidia"]["version_loaded"], found["nvidia"]["version_installed"]) == ("570.1", "580.95.05")
    assert found["mlx5_core"]["signed"] is True
    assert "bnxt_re" not in found


def test_dkms_lines_of_both_forms(tmp_path: Path):
    text = (
        "nvidia/580.95.05, 6.8.0-48-generic, x86_64: installed (original_module exists)\n"
        "mlnx-ofed-kernel, 24.10, 6.8.0-48-generic, x86_64: built\nknem/1.1.4: added\n"
    )
    (tmp_path / "commands.json").write_text(json.dumps({"dkms status": {"rc": 0, "stdout": text}}))
    assert modules.dkms(Machine(str(tmp_path))) == [
        {"module": "nvidia", "version": "580.95.05", "kernel": "6.8.0-48-generic", "state": "installed"},
        {"module": "mlnx-ofed-kernel", "version": "24.10", "kernel": "6.8.0-48-generic", "state": "built"},
        {"module": "knem", "version": "1.1.4", "kernel": None, "state": "added"},
    ]


def test_nvidia_smi_of_a_real_h200():
    found = gpu.parse_query((FIXTURES / "h200-query-gpu.csv").read_text())
    assert [g["address"] for g in found] == ["0000:00:06.0", "0000:00:07.0"]
    assert {k: found[0][k] for k in ("name", "driver_version", "pcie_link_gen_max", "pcie_link_width_current")} == {
        "name": "NVIDIA H200",
        "driver_version": "580.159.04",
        "pcie_link_gen_max": 5,
        "pcie_link_width_current": 16,
    }
    assert found[0]["mig_mode_current"] == "Disabled"


def test_nvidia_smi_values_that_are_not_available():
    text = "index, pci.bus_id, memory.total [MiB], mig.mode.current\n0, 00000000:1B:00.0, [N/A], [Not Supported]\n"
    assert gpu.parse_query(text) == [
        {"index": 0, "memory_total": None, "mig_mode_current": None, "address": "0000:1b:00.0"}
    ]
    assert gpu.parse_query("No devices were found\n") == []


def test_lossless_state_of_a_netdev(tmp_path: Path):
    server = healthy()
    server.files.update(
        {
            "sys/class/infiniband/mlx5_0/tc/1/traffic_class": "Global tclass=106",
            "sys/class/net/ens0np0/ecn/roce_np/cnp_dscp": "48",
            "sys/class/net/ens0np0/ecn/roce_np/enable/3": "1",
            "sys/class/net/ens0np0/qos/trust": "dscp",
        }
    )
    root = server.build(tmp_path / "root")
    recorded = json.loads((root / "commands.json").read_text())
    pfc = {"pfc_cap": 8, "prio_pfc": [False, False, False, True, False, False, False, False]}
    recorded["dcb -j pfc show dev ens0np0"] = {"rc": 0, "stdout": json.dumps(pfc)}
    recorded["dcb -j app show dev ens0np0"] = {"rc": 0, "stdout": '{"dscp_prio":[[26,3," "]]}'}
    recorded["dcb -j apptrust show dev ens0np0"] = {"rc": 255, "stdout": 'What is "apptrust"?'}
    text = "NIC statistics:\n     rx_prio3_pause: 12\n     rx_bytes: 4\n     rx_out_of_buffer: 1\n"
    recorded["ethtool -S ens0np0"] = {"rc": 0, "stdout": text}
    (root / "commands.json").write_text(json.dumps(recorded))
    found = gather(Machine(str(root)))
    entry = next(n for n in found["netdevs"] if n["name"] == "ens0np0")
    assert entry["dcb"] == {"pfc": pfc, "app": {"dscp_prio": [[26, 3, " "]]}}
    assert entry["ecn"]["roce_np"] == {"cnp_dscp": "48", "enable": {"3": "1"}}
    assert entry["qos"] == {"trust": "dscp"}
    assert entry["counters"] == {"rx_prio3_pause": 12, "rx_out_of_buffer": 1}
    assert found["rdma"][0]["traffic_class"] == 106
    assert "dcb -j apptrust show dev ens0np0" in found["not_read"]["failed_commands"]
    assert netdev.PRIORITY_COUNTER.match("     tx_prio7_pause_duration: 0")


def test_mst_and_mlxlink(tmp_path: Path):
    recorded = {
        "mst status -v": "DEVICE_TYPE  MST  PCI  RDMA  NET  NUMA\n"
        "ConnectX7(rev:0) /dev/mst/mt4129_pciconf0 1a:00.0 mlx5_0 net-ens1f0np0 0\n",
        "mlxlink -d 0000:1a:00.0 -e -c": "Operational Info\nState : \x1b[32mActive\x1b[0m\nSpeed : 400G\nWidth:4x\n",
    }
    (tmp_path / "commands.json").write_text(json.dumps({k: {"rc": 0, "stdout": v} for k, v in recorded.items()}))
    machine = Machine(str(tmp_path))
    assert rdma.mst(machine)[0]["rdma"] == "mlx5_0"
    assert rdma.mlxlink(machine, "0000:1a:00.0") == {"State": "Active", "Speed": "400G", "Width": "4x"}
    recorded["mstlink -d 0000:1a:00.0 -e -c"] = recorded.pop("mlxlink -d 0000:1a:00.0 -e -c")
    (tmp_path / "commands.json").write_text(json.dumps({k: {"rc": 0, "stdout": v} for k, v in recorded.items()}))
    assert rdma.mlxlink(Machine(str(tmp_path)), "0000:1a:00.0")["State"] == "Active", "mstflint has no mlxlink"


# -- the module itself ------------------------------------------------------------------------------------------------
SOURCES = sorted(
    [
        *(ROOT / "plugins/module_utils/host").glob("*.py"),
        *(ROOT / "plugins/module_utils/nccl").glob("*.py"),
        ROOT / "plugins/modules/host_facts.py",
        ROOT / "plugins/modules/nccl_config.py",
    ]
)


@pytest.mark.parametrize("source", SOURCES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_sources_parse_as_python_3_8(source: Path):
    text = source.read_text()
    ast.parse(text, feature_version=(3, 8))
    for name in ("removeprefix", "removesuffix", "functools.cache", "strict=", "zoneinfo"):
        assert name not in text


def run_module(name: str, arguments: dict, tmp_path: Path) -> dict:
    """The module as Ansible starts it: arguments on standard input."""
    given = json.dumps({"ANSIBLE_MODULE_ARGS": {**arguments, "_ansible_remote_tmp": str(tmp_path)}})
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "collections"), "HOME": str(tmp_path)}
    code = (
        "import sys, runpy; import ansible.module_utils.basic as b; b._ANSIBLE_PROFILE='legacy';"
        f"runpy.run_module('ansible_collections.lossless.fabric.plugins.modules.{name}', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], input=given, env=environment, capture_output=True, text=True)
    return json.loads(done.stdout)


def test_the_module_reads_a_recorded_tree_and_changes_nothing(tmp_path: Path):
    root = healthy().build(tmp_path / "root")
    before = sorted((p, p.lstat().st_mtime_ns) for p in root.rglob("*"))
    answer = run_module("host_facts", {"root": str(root)}, tmp_path)
    assert answer["changed"] is False
    assert answer["facts"]["nvidia"]["version"] == "580.95.05"
    assert answer["ansible_facts"]["host_facts"] == answer["facts"]
    assert sorted((p, p.lstat().st_mtime_ns) for p in root.rglob("*")) == before


def test_the_module_says_when_the_folder_is_no_machine(tmp_path: Path):
    answer = run_module("host_facts", {"root": str(tmp_path)}, tmp_path)
    assert answer["failed"] is True
    assert "expected the folders sys and proc" in answer["msg"]
