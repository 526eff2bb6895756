# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of the EOS templates: model values -> the units and words of EOS."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from ipaddress import IPv4Interface
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import ModelError, Problem, expected
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Ecn, Port, Roce, Switch, TrafficClass
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.underlay import Prefixes
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.asics import Asic, asic
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.bundles import bundles, members

# EOS counts decimally: 1 kbyte is 1000 bytes here. No public source says which; the difference to 1024 is 2.4 % of both
# thresholds at once, so their order and ratio stay. Sizes that are no multiple of 1000 are written in bytes, exactly.
KBYTE = 1000

FEC = {
    "rs": "error-correction encoding reed-solomon",
    "fc": "error-correction encoding fire-code",
    "none": "no error-correction encoding",
}
# Arista's own example; only switches without a partner use it, and each VLAN has one of those.
VIRTUAL_MAC = "00:1c:73:00:00:99"
WATCHDOG_ACTION = {"drop": "drop", "notify": "notify-only"}


def seconds(milliseconds: int, step: int = 10) -> str:
    """1500 -> "1.5". EOS takes watchdog times in steps of 10 ms, the polling interval in steps of 1 ms."""
    if milliseconds % step:
        text = expected(f"times that are multiples of {step} ms", milliseconds, "EOS cannot be told others")
        raise ModelError([Problem("EOS", None, "switch.roce.pfc_watchdog", text)])
    return f"{Decimal(milliseconds) / 1000:f}"


def dscps(cls: TrafficClass, roce: Roce) -> list[int]:
    """DSCPs of a class; the default class has all that no other class names."""
    if cls.dscp:
        return sorted(cls.dscp)
    return sorted(set(range(64)) - {value for other in roce.classes for value in other.dscp})


def coses(cls: TrafficClass, roce: Roce) -> list[int]:
    """CoS values of a class, likewise. A policy that names no CoS leaves EOS' own map in force."""
    named = {value for other in roce.classes for value in other.cos}
    if cls.dscp or not named:
        return sorted(cls.cos)
    return sorted(set(range(8)) - named | set(cls.cos))


def ranges(values: Iterable[int]) -> str:
    """[1, 2, 3, 7] -> "1-3,7": the way EOS prints lists of VLANs."""
    parts: list[list[int]] = []
    for value in sorted(set(values)):
        if parts and value == parts[-1][-1] + 1:
            parts[-1][1:] = [value]
        else:
            parts.append([value])
    return ",".join("-".join(str(v) for v in part) for part in parts)


def threshold(ecn: Ecn) -> str:
    """The two sizes of an ECN curve with their unit, which is the same for both."""
    kbytes = not ecn.min % KBYTE and not ecn.max % KBYTE
    unit, size = ("kbytes", KBYTE) if kbytes else ("bytes", 1)
    return f"minimum-threshold {ecn.min // size} {unit} maximum-threshold {ecn.max // size} {unit}"


def speed(port: Port, switch: Switch) -> str:
    """What follows ``speed``. Lanes come from the ASIC; without RS-FEC lanes are NRZ, which ends at 25 Gb/s."""
    if port.speed in (10000, 25000, 40000):
        return {10000: "forced 10000full", 25000: "forced 25gfull", 40000: "forced 40gfull"}[port.speed]
    assert port.speed is not None
    lane = 25000 if port.fec in ("fc", "none") else asic(switch.asic).lane
    lanes = min(max(port.speed // lane, 1), 8)
    forced = {(50000, 2): "forced 50gfull", (100000, 4): "forced 100gfull"}
    return forced.get((port.speed, lanes), f"{port.speed // 1000}g-{lanes}")


def ecn_count_in_profile(release: tuple[int, int] | None) -> bool:
    """Before 4.31 EOS took ``random-detect ecn count`` on the interface only."""
    return release is None or release >= (4, 31)


def family(switch: Switch) -> Asic:
    """The ASIC family of a switch."""
    return asic(switch.asic)


def prefixes(entry: Prefixes) -> str:
    """The routes of a filter: "10.0.0.0/24 eq 32"; "10.0.0.0/24" alone is that route itself."""
    network = IPv4Interface(entry.within).network
    return f"{network}" + (f" eq {entry.length}" if entry.length != network.prefixlen else "")


def vlan_mtu(vid: int, switch: Switch) -> int:
    """MTU of the address of a VLAN: what the ports of the VLAN take, all of them."""
    sizes = [p.mtu for p in switch.ports if vid in (p.vlan, p.native_vlan, *p.vlans)]
    return min(sizes, default=9214)


def virtual_mac(switch: Switch) -> str:
    """MAC address of the gateways that both switches of a pair answer for."""
    return switch.peer_link.mac if switch.peer_link else VIRTUAL_MAC


FILTERS: dict[str, Any] = {
    "asic": family,
    "bundles": bundles,
    "members": members,
    "prefixes": prefixes,
    "virtual_mac": virtual_mac,
    "vlan_mtu": vlan_mtu,
    "coses": coses,
    "dscps": dscps,
    "ecn_count_in_profile": ecn_count_in_profile,
    "fec": FEC.__getitem__,
    "ranges": ranges,
    "seconds": seconds,
    "speed": speed,
    "threshold": threshold,
    "watchdog_action": WATCHDOG_ACTION.__getitem__,
}
