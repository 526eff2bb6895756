# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of one GPU host: host variable ``host``. First version: what the fabric knows about the host.

Units: bytes, megabits per second, metres. Names of NICs are those of the intent (``rail0``); which kernel device
that is, the host's own stages find out.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import (
    SPEEDS,
    Dscp,
    ObjectName,
    Priority,
    Strict,
    VlanId,
)

assert SPEEDS  # the speeds below are those of a switch port


class NicPeer(Strict):
    """The switch port that a NIC is cabled to."""

    switch: str
    port: str
    address: str | None = None  # routed: the switch's end, "10.1.0.0/31"; the next hop of the rail


class Nic(Strict):
    """One RDMA port of the host."""

    name: str
    rail: Annotated[int, Field(ge=0, le=63)] | None = None  # NICs of one rail talk through the same leaf
    speed: Literal[10000, 25000, 40000, 50000, 100000, 200000, 400000, 800000] | None = (
        None  # Mb/s; None: as the optic says
    )
    mtu: Annotated[int, Field(ge=1500, le=9216)]  # bytes of IP packet
    mode: Literal["access", "trunk", "routed"] | None = None  # of the switch port; None: not cabled
    vlan: VlanId | None = None  # access: untagged on the wire
    vlans: tuple[VlanId, ...] = ()  # trunk: tagged on the wire
    native_vlan: VlanId | None = None  # trunk: untagged on the wire
    address: str | None = None  # IPv4 with prefix length; None: not set by the fabric
    cable_length: int | None = None  # metres
    peer: NicPeer | None = None


class HostRoce(Strict):
    """The fabric's RoCE policy as the NICs have to apply it."""

    profile: ObjectName
    trust: Literal["dscp", "cos"]
    priority: Priority  # of RoCE data: the one lossless priority
    dscp: tuple[Dscp, ...]  # of RoCE data; senders mark with the first
    cnp_priority: Priority
    cnp_dscp: tuple[Dscp, ...]  # of congestion notification packets; senders mark with the first


class Host(Strict):
    """One host, complete."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")]
    profile: str | None = None  # kind of host in the intent
    pod: str | None = None
    rack: str | None = None
    nics: tuple[Nic, ...]
    roce: HostRoce
