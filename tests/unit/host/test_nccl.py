# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NCCL: devices of the rails, selection of the GID as NCCL does it, files, the module."""

from __future__ import annotations

import ipaddress
import itertools
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.lossless.fabric.plugins.module_utils.host.machine import Machine
from ansible_collections.lossless.fabric.plugins.module_utils.nccl import files, gids
from ansible_collections.lossless.fabric.plugins.module_utils.nccl.plan import Plan, plan
from ansible_collections.lossless.fabric.plugins.module_utils.nic import settings
from tests.unit.host.test_host_facts import run_module
from tests.unit.host.trees.server import LINK_LOCAL, Gid, Server, changed, healthy, mapped

DEFAULTS: dict[str, Any] = {
    "nics": [],
    "dscp": 26,
    "control_dscp": None,
    "ect": True,
    "socket_ifname": [],
    "addr_range": None,
    "version": None,
    "debug": "WARN",
    "debug_subsys": [],
    "min_nchannels": None,
    "max_nchannels": None,
    "topology": None,
    "extra": {},
}


def rails(**more: Any) -> list[dict[str, Any]]:
    """NICs of the model: mode, MTU and so on are there, and not looked at."""
    return [{"name": f"rail{i}", "rail": i, "mtu": 9000, "address": f"10.{i + 1}.0.7/24", **more} for i in range(4)]


def planned(server: Server, tmp_path: Path, **want: Any) -> Plan:
    machine = Machine(str(server.build(tmp_path / "root")))
    return plan(machine, {**DEFAULTS, "nics": rails(), **want})


def good(result: Plan) -> dict[str, str]:
    assert result.wrong == []
    assert result.missing == []
    return result.values


# -- devices ----------------------------------------------------------------------------------------------------------
def test_a_healthy_host(tmp_path: Path):
    result = planned(healthy(), tmp_path)
    assert good(result) == {
        "NCCL_DEBUG": "WARN",
        "NCCL_SOCKET_IFNAME": "=eno1",
        "NCCL_IB_HCA": "=mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1",
        "NCCL_IB_TC": "106",
        "NCCL_IB_FIFO_TC": "106",
        "NCCL_IB_ROCE_VERSION_NUM": "2",
        "NCCL_IB_ADDR_FAMILY": "AF_INET",
        "NCCL_IB_ADDR_RANGE": "10.0.0.0/13",
    }
    assert dict(result.skipped)["NCCL_IB_GID_INDEX"].startswith("an index is not stable")
    assert [(d["nic"], d["pci"], d["address"], d["gid_index"], d["matched_by"]) for d in result.devices][:2] == [
        ("rail0", "0000:14:00.0", "10.1.0.7", 3, "address"),
        ("rail1", "0000:24:00.0", "10.2.0.7", 3, "address"),
    ]


def test_renamed_devices_come_in_the_order_of_rails(tmp_path: Path):
    server = healthy()
    changed(server, "nics", 0, name="rocep20s0")
    nics = rails()
    for i, address in enumerate(("0000:44:00.0", "0000:34:00.0", "0000:24:00.0", "0000:14:00.0")):
        nics[i].update(pci_address=address, address=f"10.{4 - i}.0.7/24")
    assert good(planned(server, tmp_path, nics=nics))["NCCL_IB_HCA"] == "=mlx5_3:1,mlx5_2:1,mlx5_1:1,rocep20s0:1"


def test_a_nic_that_is_not_of_the_fabric_is_left_out(tmp_path: Path):
    assert good(planned(healthy(), tmp_path, nics=rails()[:3]))["NCCL_IB_HCA"] == "=mlx5_0:1,mlx5_1:1,mlx5_2:1"


def test_without_addresses_the_order_counts_only_if_the_number_fits(tmp_path: Path):
    nics = [{"name": f"rail{i}"} for i in range(4)]
    result = planned(healthy(), tmp_path, nics=nics)
    assert good(result)["NCCL_IB_HCA"] == "=mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1"
    assert {d["matched_by"] for d in result.devices} == {"order"}
    assert "NCCL_IB_ADDR_RANGE" not in result.values
    result = planned(healthy(), tmp_path / "three", nics=nics[:3])
    assert "expected 3 RDMA devices, found 4 that are not assigned: mlx5_0 at 0000:14:00.0" in result.missing[0]


def test_a_pci_address_without_device(tmp_path: Path):
    nics = rails()
    nics[2]["pci_address"] = "0000:99:00.0"
    assert planned(healthy(), tmp_path, nics=nics).missing == [
        "rail2: expected an RDMA device at PCI address 0000:99:00.0, found none"
    ]


def test_a_host_without_rdma_devices(tmp_path: Path):
    server = healthy()
    server.rdma = False
    result = planned(server, tmp_path)
    assert "rail0, rail1, rail2, rail3: expected 4 RDMA devices, found 0" in result.missing[0]


def test_a_host_whose_model_has_no_nic(tmp_path: Path):
    result = planned(healthy(), tmp_path, nics=[])
    assert good(result) == {"NCCL_DEBUG": "WARN", "NCCL_SOCKET_IFNAME": "=eno1"}
    assert dict(result.skipped)["NCCL_IB_TC"] == "the model of this host has no RDMA NIC"
    assert result.others == []


def test_a_port_that_is_down_is_a_warning(tmp_path: Path):
    result = planned(changed(healthy(), "nics", 1, state="1: DOWN"), tmp_path)
    good(result)
    assert result.warnings == ["rail1 (mlx5_1) is DOWN: NCCL leaves it out until it is up"]


def bonded(tmp_path: Path, *, lag: bool) -> Machine:
    """mlx5_0 and mlx5_1 are a bond; with ``lag`` the driver has made one RDMA device of them."""
    server = healthy()
    for i in (0, 1):
        server.nics[i].gids[2:] = []
    server.nics[0].gids += [Gid(mapped("10.1.0.7"), "IB/RoCE v1", "bond1"), Gid(mapped("10.1.0.7"), "RoCE v2", "bond1")]
    root = server.build(tmp_path / "root")
    if lag:
        (root / "sys/class/infiniband/mlx5_1").unlink()
    return Machine(str(root))


@pytest.mark.parametrize("lag", [True, False])
@pytest.mark.parametrize("addresses", [True, False])
def test_the_nics_of_a_bond_are_one_device(addresses: bool, lag: bool, tmp_path: Path):
    """As the planner makes them: the address stands at one of the two."""
    nics = rails()
    nics[0]["bond"] = nics[1]["bond"] = 1
    del nics[1]["address"]
    if addresses:
        for i, nic in enumerate(nics):
            nic["pci_address"] = f"0000:{i + 1}4:00.0"
    result = plan(bonded(tmp_path, lag=lag), {**DEFAULTS, "nics": nics})
    values = good(result)
    assert values["NCCL_IB_HCA"] == "=mlx5_0:1,mlx5_2:1,mlx5_3:1"
    assert values["NCCL_IB_QPS_PER_CONNECTION"] == "2"
    assert [(d["nic"], d["address"]) for d in result.devices][:2] == [
        ("bond1 of rail0 and rail1", "10.1.0.7"),
        ("rail2", "10.3.0.7"),
    ]


def test_a_bond_without_a_device_names_all_places(tmp_path: Path):
    nics = rails()
    nics[0].update(bond=1, pci_address="0000:99:00.0")
    nics[1].update(bond=1, pci_address="0000:99:00.1", address=None)
    assert planned(healthy(), tmp_path, nics=nics).missing == [
        "bond1 of rail0 and rail1: expected an RDMA device at PCI address 0000:99:00.0 or 0000:99:00.1, found none"
    ]


def test_queue_pairs_of_a_bond_as_the_site_says(tmp_path: Path):
    nics = rails()
    nics[0]["bond"] = nics[1]["bond"] = 1
    del nics[1]["address"]
    want = {**DEFAULTS, "nics": nics, "extra": {"NCCL_IB_QPS_PER_CONNECTION": 4}}
    assert good(plan(bonded(tmp_path, lag=True), want))["NCCL_IB_QPS_PER_CONNECTION"] == "4"


def test_infiniband_leaves_out_what_belongs_to_roce(tmp_path: Path):
    server = healthy()
    for i in range(4):
        changed(server, "nics", i, link_layer="InfiniBand", gids=[Gid(LINK_LOCAL, "IB/RoCE v1")])
    nics = [{"name": f"ib{i}"} for i in range(4)]
    result = planned(server, tmp_path, nics=nics)
    assert set(good(result)) == {"NCCL_DEBUG", "NCCL_SOCKET_IFNAME", "NCCL_IB_HCA"}
    assert dict(result.skipped)["NCCL_IB_TC"].startswith("link layer InfiniBand")
    assert [name for name, _, _ in result.others] == ["UCX_NET_DEVICES"]


def test_two_link_layers_are_not_mixed(tmp_path: Path):
    server = changed(healthy(), "nics", 3, link_layer="InfiniBand")
    nics = [{"name": f"rail{i}", "pci_address": f"0000:{i + 1}4:00.0"} for i in range(4)]
    assert "expected NICs of one link layer" in planned(server, tmp_path, nics=nics).wrong[0]


# -- traffic class, sockets, channels ---------------------------------------------------------------------------------
def test_traffic_classes_follow_the_policy(tmp_path: Path):
    values = good(planned(healthy(), tmp_path, dscp=46, control_dscp=48))
    assert (values["NCCL_IB_TC"], values["NCCL_IB_FIFO_TC"]) == ("186", "194")
    values = good(planned(healthy(), tmp_path / "no-ect", dscp=46, control_dscp=48, ect=False))
    assert (values["NCCL_IB_TC"], values["NCCL_IB_FIFO_TC"]) == ("184", "192")


def test_nic_qos_and_nccl_agree_on_the_traffic_class(tmp_path: Path):
    """Whatever sends RDMA on the host marks alike: RDMA-CM, OFED's override, NCCL, UCX, NVSHMEM."""
    roce = {"trust": "dscp", "priority": 3, "dscp": [26], "cnp_priority": 6, "cnp_dscp": [48]}
    for ect in (True, False):
        options = {"default_priority": 0, "roce_share": 0, "ect": ect, "dcqcn": {"enabled": True, "parameters": {}}}
        nic = settings.wanted(roce, options, {})
        result = planned(healthy(), tmp_path / str(ect), dscp=26, ect=ect)
        others = {name: value for name, value, _ in result.others if name.endswith("TRAFFIC_CLASS")}
        told = {result.values["NCCL_IB_TC"], result.values["NCCL_IB_FIFO_TC"], *others.values()}
        assert told == {str(nic["traffic_class"])} == {str(nic["rdma_cm_tos"])}
        assert len(others) == 2


def test_no_dscp_is_an_error_where_there_are_roce_nics(tmp_path: Path):
    assert "expected the DSCP of RoCE data" in planned(healthy(), tmp_path, dscp=None).wrong[0]


def test_sockets(tmp_path: Path):
    assert good(planned(healthy(), tmp_path, socket_ifname=["eno2", "eno1"]))["NCCL_SOCKET_IFNAME"] == "=eno2,eno1"
    result = planned(healthy(), tmp_path / "unknown", socket_ifname=["bond0"])
    assert "expected interfaces of this host, found bond0 (there are eno1, eno2" in result.wrong[0]
    server = healthy()
    server.default_interface = None
    result = planned(server, tmp_path / "none")
    assert "NCCL_SOCKET_IFNAME" not in good(result)
    assert "no default route" in dict(result.skipped)["NCCL_SOCKET_IFNAME"]


def test_default_route_of_ipv6_only(tmp_path: Path):
    server = healthy()
    server.default_interface = None
    zero = "0" * 32
    server.files["proc/net/ipv6_route"] = (
        f"{zero} 00 {zero} 00 fe80{'0' * 28} 00000400 00000001 00000000 00000003     eno2\n"
        f"{zero} 00 {zero} 00 {zero} ffffffff 00000001 00000000 00200200       lo"
    )
    assert good(planned(server, tmp_path))["NCCL_SOCKET_IFNAME"] == "=eno2"


@pytest.mark.parametrize(
    ("want", "message"),
    [
        ({"min_nchannels": 0}, "min_nchannels: expected 1 to 64, found 0"),
        ({"max_nchannels": 65}, "max_nchannels: expected 1 to 64, found 65"),
        ({"min_nchannels": 32, "max_nchannels": 16}, "expected at most max_nchannels (16), found 32"),
        ({"topology": "/etc/none.xml"}, "expected a file on the host, found none at /etc/none.xml"),
        ({"extra": {"LD_PRELOAD": "x"}}, "expected names of NCCL variables, found LD_PRELOAD"),
        ({"extra": {"NCCL_IB_GID_INDEX": 3}}, "it switches off the selection by address"),
        ({"extra": {"NCCL_IB_TC": 106}}, "expected only variables that nothing else sets, found NCCL_IB_TC"),
        ({"extra": {"NCCL_ALGO": "Ring\nX=1"}}, "expected one line of printable characters as NCCL_ALGO"),
        ({"addr_range": "10.0.0.1/8"}, "NCCL_IB_ADDR_RANGE: expected IPv4 networks"),
        ({"addr_range": "fd00::/8"}, "expected an IPv4 network, found fd00::/8"),
    ],
)
def test_wrong_options(want: dict[str, Any], message: str, tmp_path: Path):
    assert message in "; ".join(planned(healthy(), tmp_path, **want).wrong)


def test_channels_topology_and_further_variables(tmp_path: Path):
    server = healthy()
    server.files["etc/topo.xml"] = '<system version="1"><cpu/></system>'
    want = {"min_nchannels": 16, "max_nchannels": 32, "topology": "/etc/topo.xml", "extra": {"NCCL_CROSS_NIC": 0}}
    values = good(planned(server, tmp_path, **want))
    assert values["NCCL_MIN_NCHANNELS"] == "16"
    assert values["NCCL_MAX_NCHANNELS"] == "32"
    assert values["NCCL_TOPO_FILE"] == "/etc/topo.xml"
    assert values["NCCL_CROSS_NIC"] == "0"


@pytest.mark.parametrize("text", ["not xml", "<topology/>"])
def test_a_topology_file_that_is_none(text: str, tmp_path: Path):
    server = healthy()
    server.files["etc/topo.xml"] = text
    assert "topology: expected" in planned(server, tmp_path, topology="/etc/topo.xml").wrong[0]


# -- GIDs -------------------------------------------------------------------------------------------------------------
def table(*entries: tuple[str, str] | None) -> list[dict[str, Any]]:
    """GIDs as host_facts gives them."""
    return [
        {"index": i, "gid": entry[0], "type": entry[1], "netdev": "x", "ipv4": entry[0] if "." in entry[0] else None}
        for i, entry in enumerate(entries)
        if entry
    ]


V1, V2 = "IB/RoCE v1", "RoCE v2"
RANGE = ipaddress.ip_network("10.1.0.0/24")


@pytest.mark.parametrize(
    ("entries", "network", "index"),
    [
        ([("fe80::", V1), ("fe80::", V2), ("10.1.0.7", V1), ("10.1.0.7", V2)], RANGE, 3),
        ([("fe80::", V1), ("fe80::", V2), None, ("10.1.0.7", V1), ("10.1.0.7", V2)], RANGE, 4),
        # Another address first: the range keeps it out, without range it is taken.
        (
            [("fe80::", V1), ("fe80::", V2), ("192.0.2.1", V1), ("192.0.2.1", V2), ("10.1.0.7", V1), ("10.1.0.7", V2)],
            RANGE,
            5,
        ),
        (
            [("fe80::", V1), ("fe80::", V2), ("192.0.2.1", V1), ("192.0.2.1", V2), ("10.1.0.7", V1), ("10.1.0.7", V2)],
            None,
            3,
        ),
        # Two addresses in the range: the first stays.
        ([("fe80::", V1), ("10.1.0.7", V2), ("10.1.0.8", V2)], RANGE, 1),
        # Index 0 is seen by no filter: a RoCE v2 GID of a foreign address there is never left.
        ([("192.0.2.1", V2), ("10.1.0.7", V2)], RANGE, 0),
        ([("192.0.2.1", V1), ("10.1.0.7", V2)], RANGE, 1),
        # No address at all: the link-local GID of version 1.
        ([("fe80::", V1), ("fe80::", V2)], RANGE, 0),
        # Version 1 only.
        ([("fe80::", V1), ("10.1.0.7", V1)], RANGE, 1),
    ],
)
def test_the_gid_that_nccl_selects(entries: list[Any], network: Any, index: int):
    assert gids.choose(table(*entries), network)["index"] == index


def test_an_empty_table():
    assert gids.choose([], RANGE) is None


@pytest.mark.parametrize(
    ("addresses", "network"),
    [
        (["10.1.0.7/24"], "10.1.0.0/24"),
        (["10.1.0.0/31", "10.1.0.8/31"], "10.1.0.0/28"),
        (["10.1.0.7/24", "10.2.0.7/24"], "10.0.0.0/14"),
        (["10.1.0.7/24", "172.16.0.7/24"], "0.0.0.0/0"),
    ],
)
def test_the_network_that_holds_all_rails(addresses: list[str], network: str):
    assert str(gids.cover(addresses)) == network


def test_rails_without_common_network_need_no_range(tmp_path: Path):
    server = healthy()
    server.nics[0].gids[2:] = [Gid(mapped("172.16.0.7"), "IB/RoCE v1"), Gid(mapped("172.16.0.7"), "RoCE v2")]
    nics = rails()
    nics[0]["address"] = "172.16.0.7/24"
    result = planned(server, tmp_path, nics=nics)
    assert "NCCL_IB_ADDR_RANGE" not in good(result)
    assert "no network in common" in dict(result.skipped)["NCCL_IB_ADDR_RANGE"]


def test_an_address_that_the_nic_does_not_have(tmp_path: Path):
    nics = [{**nic, "pci_address": f"0000:{i + 1}4:00.0"} for i, nic in enumerate(rails())]
    nics[1]["address"] = "10.2.0.99/24"
    result = planned(healthy(), tmp_path, nics=nics)
    assert len(result.missing) == 1
    assert "rail1 (mlx5_1:1): expected a RoCE v2 GID for 10.2.0.99, found 0 IB/RoCE v1 fe80" in result.missing[0]


def test_an_address_of_version_1_only_is_not_enough(tmp_path: Path):
    server = healthy()
    server.nics[0].gids = server.nics[0].gids[:3]
    nics = [{**nic, "pci_address": f"0000:{i + 1}4:00.0"} for i, nic in enumerate(rails())]
    assert "expected a RoCE v2 GID for 10.1.0.7" in planned(server, tmp_path, nics=nics).missing[0]


def test_nccl_would_select_another_address_of_the_same_interface(tmp_path: Path):
    """Both are in the range, and the foreign one stands first: the file alone would look right."""
    server = healthy()
    server.nics[0].gids[2:2] = [Gid(mapped("10.5.0.1"), "IB/RoCE v1"), Gid(mapped("10.5.0.1"), "RoCE v2")]
    result = planned(server, tmp_path)
    assert (
        "rail0 (mlx5_0:1): expected NCCL to select the GID of 10.1.0.7, it selects 3 RoCE v2 10.5.0.1"
        in result.wrong[0]
    )
    # A narrower range heals it: 10.5.0.1 is outside.
    assert (
        good(planned(server, tmp_path / "b", addr_range="10.0.0.0/14", nics=rails()[:3]))["NCCL_IB_ADDR_RANGE"]
        == "10.0.0.0/14"
    )


def test_without_address_in_the_model_a_nic_must_have_one(tmp_path: Path):
    server = healthy()
    server.nics[0].gids += [Gid(mapped("192.0.2.1"), "IB/RoCE v1"), Gid(mapped("192.0.2.1"), "RoCE v2")]
    nics = [{"name": f"rail{i}"} for i in range(4)]
    assert "expected one RoCE v2 GID with an IPv4 address" in planned(server, tmp_path, nics=nics).wrong[0]


def test_an_old_nccl_gets_the_verified_index(tmp_path: Path):
    result = planned(healthy(), tmp_path, version="2.20.5")
    values = good(result)
    assert values["NCCL_IB_GID_INDEX"] == "3"
    assert "NCCL_IB_ADDR_RANGE" not in values
    assert "does not know it" in dict(result.skipped)["NCCL_IB_FIFO_TC"]


def test_an_old_nccl_needs_one_index_for_all(tmp_path: Path):
    server = healthy()
    server.nics[2].gids.insert(2, None)
    assert "expected one index for all NICs, found 3, 4" in planned(server, tmp_path, version="2.20.5").wrong[0]
    # What NCCL 2.21 selects by address, it finds at either.
    good(planned(server, tmp_path / "new", version="2.21.5"))


# -- files ------------------------------------------------------------------------------------------------------------
def test_every_line_of_the_file_is_explained_and_no_comment_has_the_sign(tmp_path: Path):
    text = files.configuration(planned(healthy(), tmp_path, min_nchannels=16, extra={"NCCL_CROSS_NIC": "a=b"}))
    lines = text.splitlines()
    for before, line in itertools.pairwise(lines):
        if line and not line.startswith("#"):
            assert before.startswith("# "), f"{line} has no comment"
    # NCCL before 2.26 takes "# a = b" for a variable.
    assert [line for line in lines if line.startswith("#") and "=" in line] == []
    assert read_as_nccl(text) == {
        **planned(healthy(), tmp_path / "b", min_nchannels=16).values,
        "NCCL_CROSS_NIC": "a=b",
    }


def read_as_nccl(text: str) -> dict[str, str]:
    """The file as NCCL before 2.26 reads it: every line with the sign is a variable."""
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def test_the_drop_in_keeps_what_is_set(tmp_path: Path):
    text = files.profile(planned(healthy(), tmp_path), with_nccl=True)
    file = tmp_path / "lossless.sh"
    file.write_text(text)
    command = f'. {file}; echo "$UCX_IB_TRAFFIC_CLASS $UCX_NET_DEVICES $NCCL_IB_TC $NCCL_SOCKET_IFNAME"'
    done = subprocess.run(["sh", "-euc", command], capture_output=True, text=True, env={"NCCL_IB_TC": "0"}, check=True)
    assert done.stdout == "106 mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1 0 =eno1\n"
    assert "NCCL_" not in files.profile(planned(healthy(), tmp_path / "b"), with_nccl=False).replace("role", "")


def test_other_files_that_win_over_nccl_conf(tmp_path: Path):
    server = healthy()
    server.files["etc/environment"] = 'NCCL_IB_GID_INDEX=3\nNCCL_IB_TC="104"\nNCCL_DEBUG=WARN'
    server.files["etc/profile.d/nccl.sh"] = "export NCCL_SOCKET_IFNAME=eth0"
    result = planned(server, tmp_path)
    assert files.overrides(Machine(str(tmp_path / "root")), result.values, None) == [
        "/etc/environment sets NCCL_IB_GID_INDEX: NCCL then does not select the GID by address (remove the line)",
        "/etc/environment sets NCCL_IB_TC to another value, and wins over nccl.conf (remove the line)",
        "/etc/profile.d/nccl.sh sets NCCL_SOCKET_IFNAME to another value, and wins over nccl.conf (remove the line)",
    ]


# -- the module -------------------------------------------------------------------------------------------------------
@pytest.fixture
def arguments(tmp_path: Path) -> dict[str, Any]:
    return {
        "root": str(healthy().build(tmp_path / "root")),
        "path": str(tmp_path / "nccl.conf"),
        "profile": str(tmp_path / "lossless.sh"),
        "nics": rails(),
        "dscp": 26,
        "_ansible_diff": True,
    }


def test_check_mode_predicts_the_file_and_the_second_run_changes_nothing(arguments: dict[str, Any], tmp_path: Path):
    predicted = run_module("nccl_config", {**arguments, "_ansible_check_mode": True}, tmp_path)
    assert predicted["changed"] is True
    assert not Path(arguments["path"]).exists()
    done = run_module("nccl_config", arguments, tmp_path)
    assert done["changed"] is True
    assert done["diff"] == predicted["diff"]
    assert [d["after"] for d in done["diff"]] == [Path(arguments[n]).read_text() for n in ("path", "profile")]
    assert Path(arguments["path"]).stat().st_mode & 0o777 == 0o644
    again = run_module("nccl_config", arguments, tmp_path)
    assert (again["changed"], again["diff"]) == (False, [])


def test_drift_is_corrected_and_only_drift(arguments: dict[str, Any], tmp_path: Path):
    run_module("nccl_config", arguments, tmp_path)
    conf = Path(arguments["path"])
    text = conf.read_text()
    conf.write_text(text.replace("NCCL_IB_TC=106", "NCCL_IB_TC=0"))
    done = run_module("nccl_config", arguments, tmp_path)
    assert (done["changed"], len(done["diff"])) == (True, 1)
    assert conf.read_text() == text
    conf.chmod(0o600)
    assert run_module("nccl_config", arguments, tmp_path)["changed"] is True
    assert conf.stat().st_mode & 0o777 == 0o644


def test_the_drop_in_goes_with_the_nics_if_it_is_ours(arguments: dict[str, Any], tmp_path: Path):
    profile = Path(arguments["profile"])
    run_module("nccl_config", arguments, tmp_path)
    run_module("nccl_config", {**arguments, "nics": []}, tmp_path)
    assert not profile.exists()
    profile.write_text("export MINE=1\n")
    done = run_module("nccl_config", {**arguments, "nics": []}, tmp_path)
    assert done["changed"] is False
    assert profile.exists()


def test_nics_that_are_not_there_yet(arguments: dict[str, Any], tmp_path: Path):
    server = healthy()
    server.rdma = False
    arguments["root"] = str(server.build(tmp_path / "bare"))
    predicted = run_module("nccl_config", {**arguments, "_ansible_check_mode": True}, tmp_path)
    assert predicted["changed"] is True
    assert "cannot be predicted until the host is set up" in str(predicted["warnings"])
    done = run_module("nccl_config", arguments, tmp_path)
    assert done["failed"] is True
    assert "expected 4 RDMA devices, found 0" in done["msg"]
    assert not Path(arguments["path"]).exists()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"dscp": 64}, "dscp: expected 0 to 63, found 64"),
        ({"version": "two"}, "version: expected a version such as 2.28.9, found two"),
        ({"nics": [{"rail": 0}]}, "nics[0]: expected a name, found none"),
        ({"path": "/nonexistent/nccl.conf"}, "expected the folder /nonexistent, found none"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], values: dict[str, Any], message: str, tmp_path: Path):
    answer = run_module("nccl_config", {**arguments, **values}, tmp_path)
    assert answer["failed"] is True
    assert message in answer["msg"]
