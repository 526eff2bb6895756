# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Network devices: state, addresses, and for those under RDMA devices DCB, ECN and counters per priority."""

from __future__ import annotations

import re

BASE = "/sys/class/net"
DCB = ("pfc", "app", "ets", "dcbx", "buffer", "apptrust")
PRIORITY_COUNTER = re.compile(r"^\s*([rt]x_prio\d_\w+): (\d+)\s*$")
# Not per priority, but what a lossless fabric is judged by.
OTHER_COUNTER = re.compile(
    r"^\s*(rx_discards_phy|rx_out_of_buffer|rx_crc_errors_phy|rx_oversize_pkts_phy|rx_symbol_err_phy|"
    r"link_down_events_phy|tx_pause_storm_\w+|rx_buffer_passed_thres_phy|outbound_pci_\w+|"
    r"[rt]x_pause_ctrl_phy): (\d+)\s*$"
)


def netdevs(machine, rdma):
    """Every network device but loopback; ``rdma`` names those that carry RDMA."""
    addresses = _addresses(machine)
    result = []
    for name in machine.listdir(BASE):
        base = f"{BASE}/{name}"
        if name == "lo" or not machine.exists(base + "/mtu"):
            continue
        entry = {
            "name": name,
            "mtu": machine.number(base + "/mtu"),
            "state": machine.read(base + "/operstate"),
            "carrier": machine.number(base + "/carrier"),
            "speed_mbps": _speed(machine.number(base + "/speed")),
            "mac": machine.read(base + "/address"),
            "driver": machine.target(base + "/device/driver"),
            "pci": _pci(machine, base),
            "numa_node": machine.number(base + "/device/numa_node"),
            "master": machine.target(base + "/master"),
            "vlan": _vlan(machine, name),
            "addresses": addresses.get(name, []),
        }
        if name in rdma:
            entry.update(lossless(machine, name))
        result.append(entry)
    return result


def lossless(machine, name):
    """QoS state of one device."""
    dcb = {}
    for item in DCB:
        answer = machine.run_json("dcb", "-j", item, "show", "dev", name)
        if answer is not None:
            dcb[item] = answer
    ecn = {}
    for side in ("roce_np", "roce_rp"):
        folder = f"{BASE}/{name}/ecn/{side}"
        values = {n: machine.read(f"{folder}/{n}") for n in machine.listdir(folder) if n != "enable"}
        enable = {n: machine.read(f"{folder}/enable/{n}") for n in machine.listdir(folder + "/enable")}
        if values or enable:
            ecn[side] = dict(values, enable=enable)
    qos = {n: machine.read(f"{BASE}/{name}/qos/{n}") for n in machine.listdir(f"{BASE}/{name}/qos")}
    counters = {}
    for line in (machine.run("ethtool", "-S", name) or "").splitlines():
        found = PRIORITY_COUNTER.match(line) or OTHER_COUNTER.match(line)
        if found:
            counters[found.group(1)] = int(found.group(2))
    return {"dcb": dcb, "ecn": ecn, "qos": qos, "counters": counters}


def _addresses(machine):
    found = {}
    for entry in machine.run_json("ip", "-j", "address", "show") or []:
        items = [f"{a['local']}/{a['prefixlen']}" for a in entry.get("addr_info", []) if "local" in a]
        found[entry.get("ifname")] = items
    return found


def _speed(value):
    """-1 is the kernel's word for unknown."""
    return value if value is not None and value > 0 else None


def _pci(machine, base):
    path = machine.real(base + "/device") or ""
    last = path.rsplit("/", 1)[-1]
    return last if re.match(r"^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$", last) else None


def _vlan(machine, name):
    found = re.search(r"VID: (\d+)", machine.read(f"/proc/net/vlan/{name}") or "")
    return int(found.group(1)) if found else None
