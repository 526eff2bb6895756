# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A tree of files like that of a GPU host, and a folder with the stand-in tools."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.unit.nic.standins.card import fresh_port

REPOSITORY = Path(__file__).parents[4]
ECN = {
    "roce_np": {"cnp_dscp": 0, "cnp_802p_prio": 0, "min_time_between_cnps": 4},
    "roce_rp": {"rpg_ai_rate": 5, "rpg_hai_rate": 50, "rpg_time_reset": 300, "dce_tcp_g": 1019, "clamp_tgt_rate": 0},
}
BOOL = {"0": "False", "1": "True"}
PAIR = [("0000:1a:00.0", "ens1f0np0", "mlx5_0"), ("0000:9c:00.0", "ens2f0np0", "mlx5_1")]


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


class Host:
    """Root folder, tools and state of the stand-in card."""

    def __init__(self, folder, ofed=True, tools=("ethtool",), nics=PAIR, driver="mlx5_core"):
        self.root, self.bin, self.state = folder / "root", folder / "bin", folder / "card.json"
        self.root.mkdir()
        self.bin.mkdir()
        self.data = {"root": str(self.root), "ports": {}, "firmware": {}, "calls": []}
        for pci, interface, rdma in nics:
            self.nic(pci, interface, rdma, ofed, driver)
        self.save()
        for tool in tools:
            self.tool(tool)

    def save(self):
        self.state.write_text(json.dumps(self.data))

    def load(self):
        self.data = json.loads(self.state.read_text())
        return self.data

    def port(self, interface="ens1f0np0"):
        return self.load()["ports"][interface]

    def calls(self, clear=False):
        found = self.load()["calls"]
        if clear:
            self.data["calls"] = []
            self.save()
        return found

    def tool(self, name):
        """A command in the folder of tools: the stand-in of that name."""
        place = self.bin / name
        place.write_text(
            f"#!{sys.executable} -S\n# Stand-in for {name}.\nimport sys\nsys.path.insert(0, {str(REPOSITORY)!r})\n"
            "from tests.unit.nic.standins.tool import main\n"
            f"sys.exit(main({name!r}, {str(self.state)!r}, sys.argv[1:]))\n"
        )
        place.chmod(0o755)

    def nic(self, pci, interface, rdma, ofed, driver="mlx5_core"):
        """Files of one NIC in the shapes of /sys of a kernel 6.1, with or without those of OFED."""
        sys_ = self.root / "sys"
        device = sys_ / "devices/pci0000:17" / pci
        net = device / "net" / interface
        put(net / "type", "1\n")
        put(net / "carrier", "1\n")
        put(net / "speed", "400000\n")
        put(net / "mtu", "9000\n")
        put(net / "dev_port", "0\n")
        drivers = sys_ / "bus/pci/drivers" / driver
        drivers.mkdir(parents=True, exist_ok=True)
        (device / "driver").symlink_to(f"../../../bus/pci/drivers/{driver}")
        (net / "device").symlink_to("../..")
        self.link(sys_ / "class/net" / interface, f"../../devices/pci0000:17/{pci}/net/{interface}")
        self.link(sys_ / "bus/pci/devices" / pci, f"../../../devices/pci0000:17/{pci}")
        self.data["ports"][interface] = fresh_port()
        self.data["firmware"][pci] = firmware()
        if ofed:
            put(net / "qos/trust", "pcp\n")
            put(net / "qos/dscp2prio", "dscp prio\n" + "".join(f"{d} {d >> 3}\n" for d in range(64)))
            for folder, values in ECN.items():
                for name, value in values.items():
                    put(net / "ecn" / folder / name, f"{value}\n")
                for priority in range(8):
                    put(net / "ecn" / folder / "enable" / str(priority), "0\n")
        else:
            for name, value in {"np_cnp_dscp": 0, "np_cnp_prio": 7, "rp_ai_rate": 5}.items():
                put(sys_ / "kernel/debug/mlx5" / pci / "cc_params" / name, f"{value}\n")
        if rdma:
            self.rdma(pci, rdma, ofed)

    def rdma(self, pci, rdma, ofed):
        """RDMA device of a NIC and its folder in configfs."""
        sys_ = self.root / "sys"
        infiniband = sys_ / "devices/pci0000:17" / pci / "infiniband" / rdma
        put(infiniband / "ports/1/link_layer", "Ethernet\n")
        self.link(sys_ / "class/infiniband" / rdma, f"../../devices/pci0000:17/{pci}/infiniband/{rdma}")
        if ofed:
            put(infiniband / "tc/1/traffic_class", "\n")
        put(sys_ / "kernel/config/rdma_cm" / rdma / "ports/1/default_roce_mode", "IB/RoCE v1\n")
        put(sys_ / "kernel/config/rdma_cm" / rdma / "ports/1/default_roce_tos", "0\n")

    @staticmethod
    def link(place, target):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)

    def at(self, path):
        return self.root / path.lstrip("/")

    def text(self, path):
        return self.at(path).read_text().strip()


def firmware():
    """Firmware settings of a ConnectX-7, as mlxconfig prints them."""

    def entry(value, words=None, **other):
        text = f"{words[value]}({value})" if words else value
        return {"default": text, "current": text, "next": text, "words": words or {}, **other}

    lldp = {"0": "OFF", "1": "MANDATORY", "2": "ALL"}
    return {
        "MEMIC_BAR_SIZE": entry("0"),
        "ADVANCED_PCI_SETTINGS": entry("0", BOOL),
        "SRIOV_EN": entry("0", BOOL),
        "NUM_OF_VFS": entry("0"),
        "LINK_TYPE_P1": entry("1", {"1": "IB", "2": "ETH"}),
        "ROCE_CC_PRIO_MASK_P1": entry("255"),
        "CNP_DSCP_P1": entry("48"),
        "CNP_802P_PRIO_P1": entry("6"),
        "RPG_AI_RATE_P1": entry("5"),
        "LLDP_NB_DCBX_P1": entry("1", BOOL),
        "LLDP_NB_RX_MODE_P1": entry("2", lldp),
        "LLDP_NB_TX_MODE_P1": entry("2", lldp),
        "DCBX_WILLING_P1": entry("1", BOOL),
        "MAX_ACC_OUT_READ": entry("0"),
        "ESWITCH_HAIRPIN_DESCRIPTORS": {
            "default": ["128"] * 8,
            "current": ["128"] * 8,
            "next": ["128"] * 8,
            "words": {},
        },
        "NUM_PF_MSIX": entry("63", ro=True),
    }
