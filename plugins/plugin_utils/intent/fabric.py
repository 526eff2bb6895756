# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The intent file as a whole."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.design import Design, UnderlayIntent
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.hosts import (
    Attachment,
    HostIntent,
    HostProfile,
    check_mode,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.policy import Policy
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.switches import SwitchIntent, SwitchProfile
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.values import (
    End,
    Name,
    Network,
    ObjectName,
    Strict,
    VlanId,
)


class Link(Strict):
    """Cables between two switches. Ranges on both sides must be equally long and pair up in order."""

    a: End = Field(description="SWITCH:PORT of one end, such as leaf01:Ethernet49/1 or leaf01:Ethernet49..52/1")
    b: End = Field(description="SWITCH:PORT of the other end")
    mode: Literal["routed", "trunk", "peer"] = Field(
        "routed",
        description=(
            "routed (with addresses), trunk (with VLANs) or peer: the peer link of a pair, which makes bonds over both"
            " possible. Default routed"
        ),
    )
    subnet: Network | None = Field(
        None,
        description=(
            "Network of mode routed or peer: /31 or /30, the first address goes to a, the second to b; for a range of"
            " routed links, room for a /31 each. Default: no addresses"
        ),
    )
    vlans: Annotated[list[VlanId], Field(min_length=1)] | None = Field(
        None, description="VLANs of mode trunk or peer, tagged"
    )
    native_vlan: VlanId | None = Field(None, description="Untagged VLAN of mode trunk. Default: none of ours")
    cable_length: Annotated[int, Field(ge=1, le=100000)] | None = Field(
        None, description="Metres of cable. Default: that of the ports"
    )

    @model_validator(mode="after")
    def _mode_fits(self) -> Link:
        needs = {"routed": (), "trunk": ("vlans",), "peer": ("vlans", "subnet")}[self.mode]
        may = {"routed": ("subnet",), "trunk": ("vlans", "native_vlan"), "peer": ("vlans", "subnet")}[self.mode]
        check_mode(self, needs, may)
        return self


class VlanIntent(Strict):
    """A VLAN. It is created on the switches that have a port in it."""

    name: ObjectName = Field(description="Name of the VLAN")
    subnet: Network | None = Field(
        None,
        description="IPv4 network of the hosts in it; their addresses are checked against it. Default: not checked",
    )
    part: Annotated[int, Field(ge=8, le=31)] | None = Field(
        None,
        description=(
            "Prefix length of the part of subnet that each leaf has for itself, because leafs are routed. Default: the"
            " VLAN has one subnet"
        ),
    )


NumberRange = Annotated[str, Field(pattern=r"^[1-9]\d{0,3}(\.\.[1-9]\d{0,3})?$")]


class ReservedIntent(Strict):
    """Numbers that nobody but the fabric uses on its switches. What is found there and not in the intent is removed."""

    vlans: list[NumberRange] = Field(
        default_factory=list, description='VLANs and gateways in them, 2 to 4093, "100..199". Default: none'
    )
    bonds: list[NumberRange] = Field(default_factory=list, description='Bundles, 1 to 999, "1..99". Default: none')

    @field_validator("vlans", "bonds")
    @classmethod
    def _in_range(cls, ranges: list[str], info: ValidationInfo) -> list[str]:
        low, high = {"vlans": (2, 4093), "bonds": (1, 999)}[info.field_name]
        for text in ranges:
            first, _, last = text.partition("..")
            if not low <= int(first) <= int(last or first) <= high:
                raise ValueError(
                    f'expected {info.field_name} from {low} to {high} that count up, found "{text}" (correct it)'
                )
        return ranges


class Fabric(Strict):
    """One site: inventories/SITE/fabric.yml."""

    plugin: Literal["lossless.fabric.fabric"] = Field(
        description="Always lossless.fabric.fabric: tells Ansible who reads the file"
    )
    fabric: ObjectName = Field(description="Name of the fabric")
    policy: Policy = Field(default_factory=Policy, description="What the whole fabric agrees on")
    vlans: dict[VlanId, VlanIntent] = Field(default_factory=dict, description="VLANs by number")
    reserved: ReservedIntent = Field(
        default_factory=ReservedIntent,
        description="Numbers of the fabric alone: what leaves the intent leaves the switches too. Default: it stays",
    )
    switch_profiles: dict[Name, SwitchProfile] = Field(description="Kinds of switches by name")
    design: Design | None = Field(
        None, description="What is wanted, from which switches, links and hosts are generated. Default: all is explicit"
    )
    underlay: UnderlayIntent | None = Field(
        None, description="eBGP between the switches. Default: routing is not touched"
    )
    switches: dict[Name, SwitchIntent] = Field(
        default_factory=dict, description="Switches by name; at least one, unless there is a design"
    )
    links: list[Link] = Field(default_factory=list, description="Cables between switches")
    host_profiles: dict[Name, HostProfile] = Field(default_factory=dict, description="Kinds of hosts by name")
    hosts: dict[str, HostIntent] = Field(default_factory=dict, description="Hosts by name; ranges A..B")
    attachments: list[Attachment] = Field(default_factory=list, description="Cables between hosts and switches")

    @model_validator(mode="after")
    def _something(self) -> Fabric:
        if not self.switches and self.design is None:
            raise ValueError("expected switches or a design, found neither (add one of them)")
        return self
