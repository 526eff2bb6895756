# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a healthy fabric reaches: limits of acceptance tests."""

from __future__ import annotations

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.record import Number

# Preamble 8, Ethernet 14, FCS 4, gap 12, IPv4 20, UDP 8, BTH 12, ICRC 4.
OVERHEAD = 82
VLAN, IPV6 = 4, 20
PASS, WARN = 0.97, 0.93
PATH_MTUS = (256, 512, 1024, 2048, 4096)
NIC_SHARE = 48.5 / 50  # of the line rate, what SimAI counts with for 400G


def goodput(speed: int, path_mtu: int = 4096, *, vlan: bool = False, ipv6: bool = False) -> Number:
    """Payload of RDMA writes on one link, Gb/s."""
    if path_mtu not in PATH_MTUS:
        raise ValueError(f"expected an RDMA MTU of {', '.join(map(str, PATH_MTUS))}, found {path_mtu} (correct it)")
    overhead = OVERHEAD + VLAN * vlan + IPV6 * ipv6
    return Number(
        "goodput",
        round(speed / 1000 * path_mtu / (path_mtu + overhead), 3),
        "Gb/s",
        "speed x MTU / (MTU + overhead)",
        (("speed Mb/s", speed), ("RDMA MTU", path_mtu), ("overhead", overhead)),
        "headers of RoCEv2",
    )


def acceptance(speed: int, path_mtu: int = 4096, *, vlan: bool = False, ipv6: bool = False) -> tuple[Number, Number]:
    """Goodput from which a pair of hosts passes, and below which it fails; between: a warning."""
    best = goodput(speed, path_mtu, vlan=vlan, ipv6=ipv6)
    exact = speed / 1000 * path_mtu / (path_mtu + dict(best.inputs)["overhead"])
    source = "lossless.fabric: chosen next to the limits of Azure's health checks at 100G, 200G and 400G"
    passing, failing = (
        Number(name, round(exact * share, 2), "Gb/s", f"{share} x goodput", (("goodput", best.value),), source)
        for name, share in (("goodput to pass", PASS), ("goodput to fail", WARN))
    )
    return passing, failing


def l3_mtu_needed(path_mtu: int, *, ipv6: bool = False) -> int:
    """Bytes of the IP packet of a full RDMA packet with RETH and ICRC."""
    # IP 20, UDP 8, BTH 12, RETH 16, ICRC 4.
    return path_mtu + 60 + IPV6 * ipv6


def bus_bandwidth(nodes: int, gpus_per_node: int, nic_speed: int) -> tuple[Number, Number]:
    """Upper bounds of NCCL all-reduce bus bandwidth, GB/s: ring, and hierarchical."""
    if nodes < 2:
        raise ValueError(f"expected at least 2 nodes, found {nodes} (one node does not use the fabric)")
    nic = round(nic_speed / 8000 * NIC_SHARE, 3)
    inputs = (("nodes", nodes), ("GPUs per node", gpus_per_node), ("NIC GB/s", nic))
    source = "nccl-tests PERFORMANCE.md; NIC rate as in SimAI"
    ring = Number("bus bandwidth, ring", round(gpus_per_node * nic, 1), "GB/s", "GPUs x NIC", inputs, source)
    value = round(nic * (gpus_per_node * nodes - 1) / (nodes - 1), 1)
    text = "NIC x (GPUs x nodes - 1) / (nodes - 1)"
    return ring, Number("bus bandwidth, hierarchical", value, "GB/s", text, inputs, source)


def traffic_class_byte(dscp: int, ecn: int = 2) -> int:
    """TOS byte as NCCL_IB_TC and cma_roce_tos take it. ecn 2: ECN capable."""
    if not 0 <= dscp <= 63 or not 0 <= ecn <= 3:
        raise ValueError(f"expected DSCP 0 to 63 and ECN 0 to 3, found {dscp} and {ecn} (correct them)")
    return dscp * 4 + ecn
