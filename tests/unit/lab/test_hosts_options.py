# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines of the lab: host variables and QEMU's command line."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lab.hosts import options
from lab.hosts.image import Image
from lab.hosts.needs import HostsError
from lab.hosts.options import Paths
from lab.hosts.spec import MachineSpec, machines

IMAGE = Image(Path("/image"))


def spec(**settings: Any) -> MachineSpec:
    variables = {"ansible_port": 2321, "host": {"nics": [{"name": "rail0"}, {"name": "rail1"}]}}
    (one,) = machines({"gpu01": {**variables, "lab_machine": settings}, "leaf01": {"switch": {}}})
    return one


def devices(one: MachineSpec, accelerator: str = "tcg") -> list[str]:
    words = options.hardware(one, IMAGE, accelerator)
    return [value for option, value in pairwise(words) if option == "-device"]


def test_only_hosts_with_lab_machine_are_machines() -> None:
    one = spec()
    assert (one.name, one.nics, one.address, one.port) == ("gpu01", ("rail0", "rail1"), "127.0.0.1", 2321)


def test_empty_lab_machine_means_defaults() -> None:
    variables = {"ansible_port": 2321, "lab_machine": None}
    (one,) = machines({"gpu01": variables})
    assert one == MachineSpec("gpu01", (), port=2321)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        (
            {"lab_machine": {"cpu": 2}, "ansible_port": 1},
            "gpu01: lab_machine has no cpu; known: acs, address_bits, cpus",
        ),
        (
            {"lab_machine": {"iommu": "on"}, "ansible_port": 1},
            "iommu is 'on', expected one of passthrough, translated, off",
        ),
        ({"lab_machine": {}}, "gpu01: ansible_port is ''; a lab machine needs a number there"),
        ({"lab_machine": {}, "ansible_port": "{{ base }}"}, "a lab machine needs a number there"),
        (
            {"lab_machine": {"numa_nodes": 4}, "ansible_port": 1, "host": {"nics": [{"name": "rail0"}]}},
            "gpu01: 4 NUMA nodes need as many NICs, found 1",
        ),
    ],
)
def test_wrong_variables_are_named(variables: dict, message: str) -> None:
    with pytest.raises(HostsError, match=message.replace("{", r"\{")):
        machines({"gpu01": variables})


def test_every_nic_has_a_gpu_behind_the_same_switch() -> None:
    found = devices(spec())
    for index in (0, 1):
        assert f"x3130-upstream,id=switch{index},bus=root{index}" in found
        ports = [d.split(",")[1] for d in found if d.startswith("xio3130") and f"bus=switch{index}," in d]
        assert ports == [f"id=port{index}.0", f"id=port{index}.1"]
        assert [d.split(",")[0] for d in found if f"bus=port{index}." in d] == ["e1000e", "pci-testdev"]


def test_addresses_follow_from_the_tree() -> None:
    assert options.pci_addresses(spec()) == {
        "rail0": ("0000:03:00.0", "0000:04:00.0"),
        "rail1": ("0000:07:00.0", "0000:08:00.0"),
    }
    assert options.pci_addresses(spec(gpus=False)) == {"rail0": ("0000:03:00.0", None), "rail1": ("0000:06:00.0", None)}
    assert options.pci_addresses(spec(numa_nodes=2))["rail1"] == ("0000:33:00.0", "0000:34:00.0")


def test_nics_have_their_own_addresses_that_stay() -> None:
    one, other = spec(), MachineSpec("gpu02", ("rail0",))
    addresses = {one.mac("rail0"), one.mac("rail1"), other.mac("rail0")}
    assert len(addresses) == 3
    assert one.mac("rail0") == spec(memory=2048).mac("rail0")


@pytest.mark.parametrize(
    ("iommu", "arguments", "device"),
    [
        ("passthrough", "intel_iommu=on iommu=pt", True),
        ("translated", "intel_iommu=on iommu=nopt", True),
        ("off", "", False),
    ],
)
def test_iommu(iommu: str, arguments: str, device: bool) -> None:
    one = spec(iommu=iommu)
    assert ("intel-iommu,intremap=on" in devices(one)) is device
    assert arguments in options.kernel_arguments(one)
    assert ("intel_iommu" in options.kernel_arguments(one)) is device


def test_without_acs_no_bridge_has_it() -> None:
    roots = [d for d in devices(spec(acs=False)) if d.startswith("pcie-root-port")]
    assert len(roots) == 2
    assert all(d.endswith("disable-acs=true") or "disable-acs=true," in d for d in roots)
    assert "lab_nic.acs=0" in options.kernel_arguments(spec(acs=False))
    assert "acs" not in options.kernel_arguments(spec())


def test_module_parameters_go_by_rail_or_are_those_of_all() -> None:
    arguments = options.kernel_arguments(spec(module={"nic_width": [16, 8], "nic_vfs": 0, "speed": 200000}))
    assert arguments.endswith("lab_nic.nic_vfs=0,0 lab_nic.nic_width=16,8 lab_nic.speed=200000")


def test_numa_spreads_rails_and_memory() -> None:
    words = options.hardware(spec(numa_nodes=2, memory=1024), IMAGE, "tcg")
    assert [w for w in words if w.startswith("node,")] == [
        "node,nodeid=0,memdev=node0,cpus=0",
        "node,nodeid=1,memdev=node1",
    ]
    assert [w.split("numa_node=")[1][0] for w in words if w.startswith("pxb-pcie")] == ["0", "1"]


def test_the_machine_counts_as_bare_metal() -> None:
    for accelerator in ("tcg", "kvm"):
        words = options.hardware(spec(), IMAGE, accelerator)
        assert "hypervisor=off" in words[words.index("-cpu") + 1]


def test_commas_in_names_do_not_end_an_option() -> None:
    words = options.hardware(spec(system={"vendor": "Lab, Inc."}), IMAGE, "tcg")
    assert any("manufacturer=Lab,, Inc.,product" in word for word in words)


def test_with_secure_boot_only_the_firmware_starts_anything(tmp_path: Path) -> None:
    one = spec(secure_boot=True, module={"nic_width": [16, 8]})
    words = [*options.hardware(one, IMAGE, "tcg"), *options.placement(one, Paths(tmp_path, "gpu01"), "relay")]
    pairs = list(pairwise(words))
    assert not {"-kernel", "-initrd", "-append"} & set(words)
    assert ("-global", "driver=cfi.pflash01,property=secure,value=on") in pairs, "or the system could change its keys"
    drives = [value for option, value in pairs if option == "-drive"]
    assert "file=/image/secure/code.fd,if=pflash,unit=0,format=raw,readonly=on" in drives
    assert f"file={tmp_path}/hosts/gpu01/variables.fd,if=pflash,unit=1,format=raw" in drives
    arguments = options.kernel_arguments(one).replace(",", ",,")
    assert arguments.endswith("lab_nic.nic_width=16,,8")
    assert ("-smbios", f"type=11,value={arguments}") in pairs


def test_without_secure_boot_there_is_no_firmware(tmp_path: Path) -> None:
    words = [*options.hardware(spec(), IMAGE, "tcg"), *options.placement(spec(), Paths(tmp_path, "gpu01"), "relay")]
    assert "-kernel" in words
    assert not [word for word in words if "pflash" in word or word.startswith("type=11")]


def test_nothing_but_the_lab_can_be_reached(tmp_path: Path) -> None:
    words = options.placement(spec(), Paths(tmp_path, "gpu01"), "relay")
    networks = [value for option, value in pairwise(words) if option == "-netdev"]
    assert len(networks) == 3
    assert networks[0] == (
        "user,id=management,restrict=on,guestfwd=tcp:10.0.2.100:80-cmd:relay,hostfwd=tcp:127.0.0.1:2321-:22"
    )
    for nic, network in zip(("rail0", "rail1"), networks[1:], strict=True):
        assert f"local.path={tmp_path}/wire/gpu01.{nic}.vm,remote.type=unix" in network
        assert network.endswith(f"remote.path={tmp_path}/wire/gpu01.{nic}.wire")


def test_where_a_machine_runs_is_not_part_of_what_it_is(tmp_path: Path) -> None:
    """A state saved by one lab is used by another with other ports and another folder."""
    other = MachineSpec("gpu01", ("rail0", "rail1"), port=4444)
    assert options.hardware(spec(), IMAGE, "tcg") == options.hardware(other, IMAGE, "tcg")


def test_a_path_too_long_for_a_socket_is_said() -> None:
    deep = Path("/tmp") / ("x" * 90)
    with pytest.raises(HostsError, match=r"is longer than 107 bytes: choose a shorter --run-dir"):
        Paths(deep, "gpu01").check(("rail0",))
