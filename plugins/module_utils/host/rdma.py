# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RDMA devices as ``rdma link``, ``ibstat`` and ``show_gids`` show them, read from sysfs."""

from __future__ import annotations

import re

BASE = "/sys/class/infiniband"


def devices(machine):
    """Every RDMA device, in the order of its PCI address. Names say nothing: udev may have renamed them."""
    links = {}
    if machine.listdir(BASE):
        for link in machine.run_json("rdma", "-j", "link", "show") or []:
            if "ifname" in link:
                links[(link["ifname"], link.get("port"))] = link.get("netdev")
    found = [device(machine, name, links) for name in machine.listdir(BASE)]
    return sorted(found, key=lambda entry: (entry["pci"] or "~", entry["name"]))


def device(machine, name, links):
    """One device."""
    base = f"{BASE}/{name}"
    return {
        "name": name,
        "pci": _pci(machine, base),
        "node_type": _word(machine.read(base + "/node_type")),
        "hca_type": machine.read(base + "/hca_type"),
        "board_id": machine.read(base + "/board_id"),
        "firmware": machine.read(base + "/fw_ver"),
        "numa_node": machine.number(base + "/device/numa_node"),
        "traffic_class": _traffic_class(machine, base),
        "ports": [port(machine, name, number, links) for number in _numbers(machine, base + "/ports")],
    }


def port(machine, name, number, links):
    """One port."""
    base = f"{BASE}/{name}/ports/{number}"
    table = gids(machine, base)
    rate = re.match(r"([0-9.]+) Gb/sec", machine.read(base + "/rate") or "")
    netdev = links.get((name, number)) or next((gid["netdev"] for gid in table if gid["netdev"]), None)
    return {
        "port": number,
        "state": _word(machine.read(base + "/state")),
        "physical_state": _word(machine.read(base + "/phys_state")),
        "rate_mbps": int(float(rate.group(1)) * 1000) if rate else None,
        "link_layer": machine.read(base + "/link_layer"),
        "lid": machine.number(base + "/lid"),
        "sm_lid": machine.number(base + "/sm_lid"),
        "netdev": netdev,
        "gids": table,
        "counters": counters(machine, base + "/counters"),
        "hw_counters": counters(machine, base + "/hw_counters"),
    }


def gids(machine, base):
    """The GID table without its empty slots: index, GID, IPv4 address if it stands for one, type, netdev.

    Reading type or netdev of an empty slot is EINVAL, and tables have holes.
    """
    result = []
    for index in _numbers(machine, base + "/gids"):
        gid = machine.read(f"{base}/gids/{index}")
        kind = machine.read(f"{base}/gid_attrs/types/{index}")
        if not gid or not kind or not gid.strip("0:"):
            continue
        result.append(
            {
                "index": index,
                "gid": gid,
                "ipv4": ipv4(gid),
                "type": kind,
                "netdev": machine.read(f"{base}/gid_attrs/ndevs/{index}") or None,
            }
        )
    return result


def ipv4(gid):
    """``0000:0000:0000:0000:0000:ffff:0a01:0203`` -> ``10.1.2.3``; None for other GIDs."""
    parts = gid.lower().split(":")
    if len(parts) != 8 or [part.zfill(4) for part in parts[:6]] != ["0000"] * 5 + ["ffff"]:
        return None
    number = int(parts[6], 16) << 16 | int(parts[7], 16)
    return ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0))


def counters(machine, folder):
    """Every counter that holds a number."""
    values = {name: machine.number(f"{folder}/{name}") for name in machine.listdir(folder) if name != "lifespan"}
    return {name: value for name, value in values.items() if value is not None}


def mst(machine):
    """``mst status -v`` as rows; none where the tool is missing."""
    rows = []
    for line in (machine.run("mst", "status", "-v") or "").splitlines():
        parts = line.split()
        # DEVICE_TYPE  MST  PCI  RDMA  NET  NUMA
        if len(parts) >= 6 and re.match(r"^([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$", parts[2]):
            rows.append(dict(zip(("type", "mst", "pci", "rdma", "net", "numa"), parts)))
    return rows


def mlxlink(machine, address):
    """``mlxlink -d ADDRESS -e -c`` as a mapping: state, speed, width, FEC, recommendation, bit error rates.

    ``mstlink`` is the same of mstflint, where NVIDIA's own tools are not installed.
    """
    values = {}
    output = machine.run("mlxlink", "-d", address, "-e", "-c") or machine.run("mstlink", "-d", address, "-e", "-c")
    for line in (output or "").splitlines():
        key, colon, value = re.sub(r"\x1b\[[0-9;]*m", "", line).partition(":")
        if colon and key.strip() and value.strip():
            values.setdefault(key.strip(), value.strip())
    return values


def _traffic_class(machine, base):
    """OFED's override of every queue pair: reads back ``Global tclass=106``. None on the inbox driver."""
    found = re.search(r"Global tclass=(\d+)", machine.read(base + "/tc/1/traffic_class") or "")
    return int(found.group(1)) if found else None


def _pci(machine, base):
    """Address of the PCI function: the last one in the path (software devices have none)."""
    path = machine.real(base + "/device") or ""
    last = path.rsplit("/", 1)[-1]
    return last if re.match(r"^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$", last) else None


def _numbers(machine, folder):
    return sorted(int(name) for name in machine.listdir(folder) if name.isdigit())


def _word(text):
    """``4: ACTIVE`` -> ``ACTIVE``."""
    return text.split(":", 1)[-1].strip() if text else None
