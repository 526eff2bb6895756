# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NICs of the model as host_facts reads them for verification, on a tree of files with stand-in tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_collections.lossless.fabric.plugins.module_utils.host.nics import nics
from ansible_collections.lossless.fabric.plugins.module_utils.nic import converge, settings
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import System
from tests.unit.nic.standins.host import Host, put

ROCE = {"profile": "ROCE", "trust": "dscp", "priority": 3, "dscp": [26], "cnp_priority": 6, "cnp_dscp": [48]}
OPTIONS = {"default_priority": 0, "roce_share": 50, "ect": True, "dcqcn": {"enabled": True, "parameters": {}}}
WANTED = [{"name": "rail0", "pci_address": "0000:1a:00.0"}, {"name": "rail1", "device": "ens2f0np0"}]
ADDRESSES = [
    {"ifname": "ens1f0np0", "addr_info": [{"family": "inet", "local": "10.100.0.1", "prefixlen": 24}]},
    {"ifname": "bond0.200", "addr_info": [{"family": "inet", "local": "10.200.0.1", "prefixlen": 24}]},
    {"ifname": "bond0", "addr_info": []},
]
# lldpcli -f json0 show neighbors (lldpd 1.0): every member is a list.
NEIGHBORS = {
    "lldp": [
        {
            "interface": [
                {
                    "name": "ens1f0np0",
                    "via": "LLDP",
                    "chassis": [{"id": [{"type": "mac", "value": "00:1c:73:00:00:01"}], "name": [{"value": "leaf01"}]}],
                    "port": [
                        {"id": [{"type": "ifname", "value": "Ethernet1/1"}], "descr": [{"value": "gpu01 rail0"}]},
                    ],
                },
                {
                    "name": "ens2f0np0",
                    "via": "LLDP",
                    "chassis": [{"id": [{"type": "mac", "value": "00:1c:73:00:00:02"}], "name": [{"value": "leaf02"}]}],
                    "port": [
                        {"id": [{"type": "mac", "value": "00:1c:73:00:00:03"}], "descr": [{"value": "Ethernet2/1"}]},
                    ],
                },
            ]
        }
    ]
}


def says(host: Host, name: str, data: object) -> None:
    """A command that prints what was recorded."""
    place = host.bin / name
    place.write_text(f"#!/bin/sh\nexec /bin/cat <<'END'\n{json.dumps(data)}\nEND\n")
    place.chmod(0o755)


def bond_with_vlan(host: Host) -> None:
    """ens2f0np0 is a port of bond0, which has VLAN 200."""
    net = host.root / "sys/class/net"
    (net / "bond0").mkdir(parents=True)
    (net / "ens2f0np0" / "master").symlink_to("../../../../../class/net/bond0")
    put(net / "bond0.200" / "mtu", "9000\n")
    (net / "bond0" / "upper_bond0.200").symlink_to("../bond0.200")
    put(host.root / "proc/net/vlan/bond0.200", "bond0.200  VID: 200  REORDER_HDR: 1  dev->priv_flags: 1021\n")


@pytest.mark.parametrize(("ofed", "tool"), [(True, "mlnx_qos"), (False, "dcb")])
def test_what_was_written_is_what_is_read(tmp_path: Path, ofed: bool, tool: str):
    host = Host(tmp_path, ofed=ofed, tools=("ethtool", tool))
    says(host, "ip", ADDRESSES)
    says(host, "lldpcli", NEIGHBORS)
    bond_with_vlan(host)
    system = System(str(host.root), [str(host.bin)])
    wanted = settings.wanted(ROCE, OPTIONS, {"cable_length": 5})
    converge.converge(system, "rail0", "0000:1a:00.0", wanted, converge.Options(allow_link_flap=True, firmware=False))
    found = nics(system, WANTED, ["mlx5_core"])
    rail0 = found["rail0"]
    assert (rail0["interface"], rail0["up"], rail0["mtu"], rail0["speed"]) == ("ens1f0np0", True, 9000, 400000)
    assert (rail0["pfc"], rail0["trust"], rail0["global_pause"]) == ([3], "dscp", {"rx": False, "tx": False})
    assert {d: p for d, p in rail0["dscp_to_priority"].items() if p} == {"26": 3, "48": 6}
    assert rail0["neighbors"] == [{"device": "leaf01", "port": "Ethernet1/1"}]
    assert (rail0["addresses"], rail0["vlans"], rail0["not_told"]) == (["10.100.0.1/24"], {}, {})
    rail1 = found["rail1"]
    assert (rail1["bond"], rail1["pfc"], rail1["trust"]) == ("bond0", [], "pcp")
    assert rail1["vlans"] == {"200": {"interface": "bond0.200", "mtu": 9000, "addresses": ["10.200.0.1/24"]}}
    assert rail1["neighbors"] == [{"device": "leaf02", "port": "Ethernet2/1"}]  # the id is a MAC address


def test_what_is_not_told_has_a_reason(tmp_path: Path):
    host = Host(tmp_path, ofed=False, tools=(), driver="igb")
    put(host.root / "sys/class/net/ens1f0np0/carrier", "0\n")
    put(host.root / "sys/class/net/ens1f0np0/speed", "-1\n")
    found = nics(System(str(host.root), [str(host.bin)]), WANTED, ["mlx5_core"])
    rail0 = found["rail0"]
    assert (rail0["up"], rail0["speed"], rail0["pfc"], rail0["neighbors"]) == (False, None, None, None)
    assert set(rail0["not_told"]) == {"neighbors", "pfc", "trust", "dscp_to_priority", "global_pause"}
    assert rail0["not_told"]["pfc"].startswith("expected driver mlx5_core, found igb")


def test_a_nic_that_is_not_there(tmp_path: Path):
    host = Host(tmp_path)
    found = nics(System(str(host.root), [str(host.bin)]), [{"name": "rail7", "pci_address": "0000:ff:00.0"}], [])
    assert found["rail7"]["interface"] is None
    assert "mtu" not in found["rail7"]
