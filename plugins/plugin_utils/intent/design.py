# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The routed underlay and the design: what the planner may generate."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.values import (
    Asn,
    Name,
    Network,
    ObjectName,
    Strict,
    VlanId,
)

Count = Annotated[int, Field(ge=1, le=100000)]
Metres = Annotated[int, Field(ge=1, le=100000)]
Pattern = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9._-]{0,40}$")]


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Names = Annotated[list[Name], Field(min_length=1), BeforeValidator(_as_list, json_schema_input_type=Name | list[Name])]


class BfdIntent(Strict):
    """Bidirectional forwarding detection."""

    enabled: bool = Field(True, description="Whether sessions are watched. Default true")
    interval_ms: Annotated[int, Field(ge=50, le=30000)] = Field(
        300, description="Milliseconds between packets. Default 300"
    )
    multiplier: Annotated[int, Field(ge=3, le=50)] = Field(3, description="Packets that may be missed. Default 3")


class UnderlayIntent(Strict):
    """eBGP between the switches: loopbacks and host subnets over every equal path. Absent: routing is not touched."""

    enabled: bool = Field(True, description="false keeps the section and leaves routing untouched. Default true")
    asn: Asn = Field(
        4200000000,
        description=(
            "First AS number. Superspines share it, the spines of a pod share it + 1000 + pod, leafs have it + 100000 +"
            " their number. Default 4200000000 (private, RFC 6996)"
        ),
    )
    loopbacks: Network = Field(
        "10.254.0.0/16",
        description=(
            "Network of the loopbacks: a quarter for superspines, a quarter for spines, a half for leafs. Default"
            " 10.254.0.0/16"
        ),
    )
    peer_group: ObjectName = Field("UNDERLAY", description="Name of peer group and filters. Default UNDERLAY")
    maximum_paths: Annotated[int, Field(ge=1, le=128)] = Field(64, description="Equal paths used. Default 64")
    keepalive: Annotated[int, Field(ge=1, le=3600)] = Field(3, description="BGP keepalive, seconds. Default 3")
    hold: Annotated[int, Field(ge=3, le=3600)] = Field(9, description="BGP hold time, seconds. Default 9")
    bfd: BfdIntent = Field(default_factory=BfdIntent, description="Fast detection of dead sessions")
    adaptive_routing: bool = Field(
        False,
        description=(
            "Adaptive routing or dynamic load balancing where the chip has it; a switch profile may differ. Default"
            " false"
        ),
    )


class DesignNames(Strict):
    """Names of generated devices: a prefix, then a number."""

    leaf: Pattern = Field("leaf", description="Prefix of leafs. Default leaf")
    spine: Pattern = Field("spine", description="Prefix of spines. Default spine")
    core: Pattern = Field("core", description="Prefix of superspines. Default core")
    node: Pattern = Field("gpu", description="Prefix of hosts. Default gpu")
    digits: Annotated[int, Field(ge=1, le=6)] = Field(
        2, description="Least digits of the number: 2 gives gpu01 and gpu100. Default 2"
    )


class DesignCables(Strict):
    """Metres of cable by tier."""

    host: Metres = Field(5, description="Host to leaf. Default 5")
    spine: Metres = Field(40, description="Leaf to spine. Default 40")
    core: Metres = Field(300, description="Spine to superspine. Default 300")
    peer: Metres = Field(2, description="Between the two leafs of a pair. Default 2")


class Design(Strict):
    """What is wanted instead of every switch and cable: the planner sizes, cables and addresses it.

    Explicit switches, hosts, links and attachments pin or add to what the design generates.
    """

    nodes: Count | None = Field(None, description="GPU hosts. This or gpus")
    gpus: Count | None = Field(None, description="GPUs. This or nodes")
    node: Name = Field(description="Name of one of host_profiles")
    leaf: Names = Field(description="Switch profile of leafs; a list is dealt out to the sets of leafs in turn")
    spine: Names | None = Field(None, description="Switch profile of spines; a list is dealt out. Default: leaf")
    core: Names | None = Field(None, description="Switch profile of superspines. Default: spine")
    layout: Literal["auto", "single", "leaf-spine", "three-tier", "rail-optimised", "rail-only"] = Field(
        "auto",
        description=(
            "auto: below 64 nodes the simplest that does not block, above it two or three tiers, rail-optimised when a"
            " host has several NICs. Default auto"
        ),
    )
    grow_to: Count | None = Field(
        None,
        description=(
            "Nodes that spines, numbers and addresses are laid out for: up to here nothing existing changes. Default:"
            " nodes"
        ),
    )
    oversubscription: Annotated[float, Field(ge=0.1, le=32)] = Field(
        1.0, description="Bandwidth of a leaf to hosts by that to spines. Default 1.0, non-blocking"
    )
    stripe: Count | None = Field(
        None,
        description=(
            "Nodes behind one set of leafs, with a leaf per rail when rail-optimised. Default: as many as the leafs"
            " have ports for, with several rails on a leaf where they fit"
        ),
    )
    uplinks: Count | None = Field(None, description="Links of a leaf to spines. Default: from oversubscription")
    spines: Count | None = Field(
        None, description="Spines of a plane, with three tiers of a pod. Default: the least that does not block"
    )
    twin: Literal["planes", "tors"] = Field(
        "planes",
        description=(
            "What the ports of a split NIC (plane of the host profile) go to: planes, networks of their own; tors, two"
            " leafs of one network. Default planes"
        ),
    )
    hosts: Literal["access", "routed", "bond"] = Field(
        "access",
        description=(
            "access: a VLAN and subnet per rail and leaf; routed: a /31 per NIC; bond: LACP over the two leafs of a"
            " split NIC, with twin tors. Default access"
        ),
    )
    peer_links: Annotated[int, Field(ge=1, le=8)] = Field(
        2, description="Links between the two leafs of a pair, with hosts: bond. Default 2"
    )
    unnumbered: bool = Field(
        False, description="Links between switches without IPv4 addresses (RFC 5549). Default false"
    )
    links: Network = Field("10.252.0.0/15", description="Network of the links between switches. Default 10.252.0.0/15")
    rails: Network = Field(
        "10.0.0.0/9",
        description="Network of the hosts, divided among rails (access) or NICs (routed). Default 10.0.0.0/9",
    )
    management: Network | None = Field(
        None,
        description=(
            "Management addresses: a quarter for superspines and spines, a quarter for leafs, a half for hosts, by"
            " number. Default: names"
        ),
    )
    first_vlan: VlanId = Field(100, description="VLAN of rail 0; the others follow. Default 100")
    rack: Count = Field(4, description="Nodes in a rack. Default 4")
    absent: list[Name] = Field(
        default_factory=list, description="Nodes that are left out; their ports and addresses stay reserved"
    )
    names: DesignNames = Field(default_factory=DesignNames, description="Names of what is generated")
    cables: DesignCables = Field(default_factory=DesignCables, description="Metres of cable")

    @model_validator(mode="after")
    def _one_size(self) -> Design:
        if (self.nodes is None) == (self.gpus is None):
            found = "both" if self.nodes is not None else "neither"
            raise ValueError(f"expected nodes or gpus, found {found} (state one of them)")
        if self.hosts == "bond" and self.twin != "tors":
            raise ValueError(f"expected twin tors with hosts bond, found {self.twin} (a bond ends on one network)")
        if self.twin == "tors" and self.layout == "single":
            raise ValueError("expected another layout with twin tors, found single (two ToRs are two switches)")
        return self
