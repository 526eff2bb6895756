# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operational state of a switch, the same on every platform. None means: the platform does not tell."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Queue:
    """One egress queue of one port; counters since boot or the last clear."""

    tx_packets: int | None = None
    tx_bytes: int | None = None
    drops: int | None = None  # packets, all reasons
    ecn_marked: int | None = None  # packets
    depth_bytes: int | None = None
    max_depth_bytes: int | None = None


@dataclass
class Pfc:
    """Priority flow control of one port."""

    enabled: bool | None = None  # configured on
    operational: bool | None = None
    priorities: tuple[int, ...] = ()  # lossless priorities in force
    rx: dict[int, int] = field(default_factory=dict)  # pause frames received, per priority
    tx: dict[int, int] = field(default_factory=dict)
    rx_total: int | None = None  # pause frames received, all priorities (EOS counts per port only)
    tx_total: int | None = None


@dataclass
class Watchdog:
    """PFC watchdog of one queue."""

    stuck: bool | None = None
    detected: int | None = None  # events
    restored: int | None = None


@dataclass
class Neighbor:
    """What LLDP heard on a port."""

    device: str
    port: str


@dataclass
class PortFacts:
    """One port."""

    admin_up: bool | None = None
    oper_up: bool | None = None
    speed: int | None = None  # Mb/s in force
    mtu: int | None = None  # bytes of IP packet
    fec: str | None = None  # rs, fc, none
    description: str | None = None
    mode: str | None = None  # routed, access, trunk
    vlan: int | None = None
    vlans: tuple[int, ...] = ()
    native_vlan: int | None = None
    addresses: tuple[str, ...] = ()
    trust: str | None = None  # dscp, cos, both, none
    rx_packets: int | None = None
    tx_packets: int | None = None
    rx_bytes: int | None = None
    tx_bytes: int | None = None
    rx_errors: int | None = None
    tx_errors: int | None = None
    crc_errors: int | None = None
    rx_discards: int | None = None
    tx_discards: int | None = None
    pfc: Pfc = field(default_factory=Pfc)
    queues: dict[int, Queue] = field(default_factory=dict)  # by queue number of the platform
    watchdog: dict[int, Watchdog] = field(default_factory=dict)  # by queue number of the platform
    neighbors: tuple[Neighbor, ...] = ()


@dataclass
class BgpPeer:
    """One BGP session of the default VRF, IPv4 unicast."""

    established: bool | None = None
    asn: int | None = None  # AS number of the far end, as configured or as it said
    received: int | None = None  # prefixes taken from it


@dataclass
class BondFacts:
    """One LACP bundle."""

    up: bool | None = None
    members: dict[str, bool] = field(default_factory=dict)  # port: whether it carries traffic of the bundle
    lacp: bool | None = None  # negotiated; False: static


@dataclass
class PairFacts:
    """MLAG, vPC or CLAG: the state of the pair as this switch sees it."""

    domain: str | None = None
    peer_up: bool | None = None  # the other switch is reached and agrees
    primary: bool | None = None
    peer_link_up: bool | None = None
    bonds: dict[int, bool] = field(default_factory=dict)  # number of a bond over both switches: up on both


@dataclass
class Facts:
    """One switch."""

    hostname: str
    platform: str
    release: str
    model: str | None = None  # hardware
    dscp_to_priority: dict[int, int] = field(default_factory=dict)  # the map in force, where the platform shows it
    ports: dict[str, PortFacts] = field(default_factory=dict)
    # By the address of the neighbour; unnumbered: by the local port, as the model spells it.
    bgp: dict[str, BgpPeer] = field(default_factory=dict)
    paths: dict[str, int] = field(default_factory=dict)  # prefix learned by BGP: equal next hops in use
    bonds: dict[int, BondFacts] = field(default_factory=dict)  # by the number of the bundle
    reload_pending: tuple[str, ...] | None = None  # lines that come into force with a reload
    pair: PairFacts | None = None  # None: no pair is configured, or the platform does not tell

    def as_dict(self) -> dict[str, Any]:
        """Plain data for Ansible and JSON; keys of queues and priorities become strings."""
        return _plain(asdict(self))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value
