# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The optional routed underlay of one switch: eBGP with ECMP, loopback, gateways and bonds of hosts.

A switch whose model has no ``underlay`` keeps its routing untouched.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.base import (
    INTERFACE,
    OCTET,
    ObjectName,
    PortName,
    Strict,
    Text,
    VlanId,
)

Address = Annotated[str, Field(pattern=rf"^{OCTET}(\.{OCTET}){{3}}$")]
Interface = Annotated[str, Field(pattern=f"^{INTERFACE}$")]
Asn = Annotated[int, Field(ge=1, le=4294967295)]


class Prefixes(Strict):
    """Prefixes of a route filter: all of ``length`` bits inside ``within``."""

    within: Interface = Field(description='Network with prefix length, "10.0.0.0/24"')
    length: Annotated[int, Field(ge=0, le=32)] = Field(description="Prefix length of the routes that match, bits")

    @model_validator(mode="after")
    def _inside(self) -> Prefixes:
        shortest = int(self.within.rpartition("/")[2])
        if self.length < shortest:
            raise ValueError(
                f"expected length of at least {shortest}, that of {self.within}, found {self.length} (raise it)"
            )
        return self


class Neighbor(Strict):
    """One eBGP session, over one routed port."""

    port: PortName = Field(description="Local port")
    address: Address | None = Field(
        None,
        description="Address of the far end; none: unnumbered, IPv4 routes with link-local IPv6 next hops (RFC 5549)",
    )
    asn: Asn = Field(description="AS number of the far end")
    description: Text = Field("", description="Far end, for people")


class Bfd(Strict):
    """Bidirectional forwarding detection of the sessions."""

    interval_ms: Annotated[int, Field(ge=50, le=30000)] = Field(300, description="Transmit and receive interval, ms")
    multiplier: Annotated[int, Field(ge=3, le=50)] = Field(3, description="Packets that may be missed")


class Gateway(Strict):
    """Address of the switch in a VLAN of hosts."""

    vlan: VlanId = Field(description="VLAN number")
    address: Interface = Field(description="Address of this switch with prefix length")
    virtual_address: Address | None = Field(None, description="Address that both switches of a pair answer for")


class Bond(Strict):
    """Ports towards one host that form one LACP bundle."""

    id: Annotated[int, Field(ge=1, le=999)] = Field(description="Number of the bundle on this switch")
    members: Annotated[tuple[PortName, ...], Field(min_length=1)] = Field(description="Ports of this switch")
    description: Text = Field("", description="Description on the switch")
    fast: bool = Field(True, description="LACP packets every second instead of every 30 s")
    mlag_id: Annotated[int, Field(ge=1, le=999)] | None = Field(
        None, description="The same number on both switches of a pair: MLAG on EOS and NVUE, vPC on NX-OS"
    )


class PeerLink(Strict):
    """What makes a pair of switches one LACP partner."""

    domain: Annotated[int, Field(ge=1, le=1000)] = Field(description="Number of the pair")
    ports: Annotated[tuple[PortName, ...], Field(min_length=1)] = Field(description="Ports between the two switches")
    local: Interface = Field(description="Address on the peer link with prefix length")
    peer: Address = Field(description="Address of the other switch on the peer link")
    keepalive: Address = Field(description="Management address of the other switch")
    mac: Annotated[str, Field(pattern=r"^([0-9a-f]{2}:){5}[0-9a-f]{2}$")] = Field(
        description="Shared system MAC address"
    )
    primary: bool = Field(description="Preferred primary of the pair (NX-OS, NVUE); EOS elects by itself")


class Underlay(Strict):
    """Routing of one switch."""

    asn: Asn = Field(description="AS number of this switch")
    router_id: Address = Field(description="Router id; also the loopback address")
    peer_group: ObjectName = Field("UNDERLAY", description="Name of the peer group, filters and BFD profile")
    maximum_paths: Annotated[int, Field(ge=1, le=128)] = Field(64, description="Equal paths used")
    keepalive: Annotated[int, Field(ge=1, le=3600)] = Field(3, description="BGP keepalive, seconds")
    hold: Annotated[int, Field(ge=3, le=3600)] = Field(9, description="BGP hold time, seconds")
    bfd: Bfd | None = Field(Bfd(), description="None: off")
    neighbors: tuple[Neighbor, ...] = Field((), description="eBGP sessions")
    announce: tuple[Prefixes, ...] = Field((), description="What may leave this switch, own and learned")
    accept: tuple[Prefixes, ...] = Field((), description="What is taken from neighbours")
    adaptive_routing: bool = Field(
        False, description="Adaptive routing (Spectrum) or dynamic load balancing where the ASIC has it"
    )

    @model_validator(mode="after")
    def _consistent(self) -> Underlay:
        ports = [n.port for n in self.neighbors]
        twice = sorted({p for p in ports if ports.count(p) > 1})
        if twice:
            raise ValueError(f"expected one session per port, found {', '.join(twice)} twice (remove one)")
        if self.hold < 3 * self.keepalive:
            raise ValueError(
                f"expected hold of at least three times keepalive {self.keepalive}, found {self.hold} (raise it)"
            )
        same = [n.port for n in self.neighbors if n.asn == self.asn]
        if same:
            raise ValueError(f"expected eBGP, found the own AS number {self.asn} on {', '.join(same)} (correct it)")
        return self
