# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of one GPU host: host variable ``host``. First version: what the fabric knows about the host.

Units: bytes, megabits per second, metres. Names of NICs are those of the intent (``rail0``); which kernel device
that is, the host's own stages find out.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.base import (
    Dscp,
    ObjectName,
    Priority,
    Speed,
    Strict,
    VlanId,
)


class NicPeer(Strict):
    """The switch port that a NIC is cabled to."""

    switch: str = Field(description="Name of the switch")
    port: str = Field(description="Its port")
    address: str | None = Field(
        None, description='routed: the address of the switch, "10.1.0.0/31"; the next hop of the rail'
    )


class Nic(Strict):
    """One RDMA port of the host."""

    name: str = Field(description="Name in the intent")
    rail: Annotated[int, Field(ge=0, le=63)] | None = Field(
        None, description="Rail: the NICs of one rail talk through the same leaf"
    )
    speed: Speed | None = Field(None, description="Megabits per second; none: as the optic says")
    mtu: Annotated[int, Field(ge=1500, le=9216)] = Field(description="Bytes of IP packet")
    mode: Literal["access", "trunk", "routed"] | None = Field(
        None, description="Mode of the switch port; none: not cabled"
    )
    vlan: VlanId | None = Field(None, description="access: the VLAN, untagged on the wire")
    vlans: tuple[VlanId, ...] = Field((), description="trunk: VLANs, tagged on the wire")
    native_vlan: VlanId | None = Field(None, description="trunk: VLAN that is untagged on the wire")
    address: str | None = Field(None, description="IPv4 address with prefix length; none: not set by the fabric")
    cable_length: int | None = Field(None, description="Metres of cable")
    peer: NicPeer | None = Field(None, description="Far end of the cable; none: not cabled")


class HostRoce(Strict):
    """The fabric's RoCE policy as the NICs have to apply it."""

    profile: ObjectName = Field(description="Name of the policy")
    trust: Literal["dscp", "cos"] = Field(description="Field of a packet that decides its class")
    priority: Priority = Field(description="Priority of RoCE data, the one lossless priority")
    dscp: tuple[Dscp, ...] = Field(description="DSCP of RoCE data; senders mark with the first")
    cnp_priority: Priority = Field(description="Priority of congestion notification packets")
    cnp_dscp: tuple[Dscp, ...] = Field(
        description="DSCP of congestion notification packets; senders mark with the first"
    )


class Host(Strict):
    """One host, complete."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")] = Field(
        description="Name in the inventory"
    )
    profile: str | None = Field(None, description="Kind of host in the intent")
    pod: str | None = Field(None, description="Pod")
    rack: str | None = Field(None, description="Rack")
    nics: tuple[Nic, ...] = Field(description="RDMA ports")
    roce: HostRoce = Field(description="RoCE policy as the NICs have to apply it")
