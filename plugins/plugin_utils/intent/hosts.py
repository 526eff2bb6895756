# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GPU hosts, their NICs, and where they are attached."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.values import (
    End,
    GroupName,
    Interface,
    Management,
    Mtu,
    Name,
    Network,
    Speed,
    Strict,
    VlanId,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.host import Hardware, PciAddress

NicName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9._-]{0,14}$")]


def _tuples(value: Any) -> Any:
    """Lists of the file become the tuples of the model."""
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


class NicValues(Strict):
    """One RDMA port of a host. Partial: profile, host and attachment may each state a part, the nearest wins."""

    rail: Annotated[int, Field(ge=0, le=63)] | None = Field(
        None,
        description=(
            "Rail it belongs to, 0 to 63. Default: the number at the end of its name; with plane, the first number"
            " in it"
        ),
    )
    plane: Annotated[int, Field(ge=0, le=3)] | None = Field(
        None,
        description=(
            "Which of the ports of a split NIC it is, from 0: each goes to another leaf (dual-plane or dual-ToR)."
            " Default 0"
        ),
    )
    speed: Speed | None = Field(None, description="Speed of the NIC port. Default: that of the switch port")
    vlan: VlanId | None = Field(None, description="VLAN of an access port. Default: none")
    address: Interface | None = Field(None, description="IPv4 address with prefix length. Default: not set here")
    vlan_addresses: dict[VlanId, Interface] | None = Field(
        None,
        description="IPv4 addresses in tagged VLANs of a trunk by VLAN number; each is an interface. Default: none",
    )
    pci_address: PciAddress | None = Field(
        None, description='PCI address, "0000:1a:00.0". Default: found on the host by its address, or by order'
    )


class HostProfile(Strict):
    """What hosts of one kind have in common."""

    nics: Annotated[dict[str, NicValues], Field(min_length=1)] = Field(
        description="RDMA ports: name or range A..B (rail0..7), then the values"
    )
    mtu: Mtu | None = Field(None, description="Bytes of IP packet on the NICs. Default policy.host_mtu")
    gpus: Annotated[int, Field(ge=1, le=64)] | None = Field(
        None, description="GPUs of a host; a design counts with it. Default: one per rail"
    )
    managed: bool | None = Field(
        None,
        description=(
            "Whether site.yml installs and configures these hosts; otherwise only their switch ports are. Default false"
        ),
    )
    hardware: Annotated[Hardware, BeforeValidator(_tuples, json_schema_input_type=Hardware)] | None = Field(
        None, description="What preflight expects of such a server. Default: general checks only"
    )


class HostIntent(Strict):
    """One host, or several alike with a range A..B in the name. With a design it may pin what that generates."""

    profile: Name | None = Field(
        None, description="Name of one of host_profiles. Required unless the design generates the host"
    )
    address: Management | None = Field(
        None, description="IPv4 address or host name to log in to. Default: the name of the host"
    )
    port: Annotated[int, Field(ge=1, le=65535)] | None = Field(
        None, description="TCP port of SSH, 1 to 65535. Default 22"
    )
    pod: GroupName | None = Field(None, description="Pod it belongs to; becomes group pod_NAME. Default: none")
    rack: GroupName | None = Field(None, description="Rack it stands in; becomes group rack_NAME. Default: none")
    mtu: Mtu | None = Field(None, description="Bytes of IP packet on the NICs. Default: that of the profile")
    managed: bool | None = Field(
        None, description="Whether site.yml installs and configures the host. Default: that of the profile"
    )
    nics: dict[str, NicValues] = Field(default_factory=dict, description="NICs that differ from the profile")


class Attachment(Strict):
    """A cable between a NIC and a switch port. Ranges on both sides must be equally long and pair up in order."""

    host: End = Field(description="HOST:NIC, such as gpu01:rail0, gpu01:rail0..7 or gpu01..16:rail0")
    switch: End = Field(description="SWITCH:PORT, such as leaf01:Ethernet1/1 or leaf01:Ethernet1..16/1")
    mode: Literal["access", "trunk", "routed"] = Field(
        "access", description="How the switch port is set. Default access"
    )
    vlan: VlanId | None = Field(None, description="VLAN of mode access. Default: that of the NIC")
    vlans: Annotated[list[VlanId], Field(min_length=1)] | None = Field(None, description="VLANs of mode trunk, tagged")
    native_vlan: VlanId | None = Field(None, description="Untagged VLAN of mode trunk. Default: none of ours")
    subnet: Network | None = Field(
        None,
        description=(
            "Network of mode routed: /31 or /30, the first address is the switch's; for a range, room for a /31 each"
        ),
    )
    bond: Annotated[int, Field(ge=1, le=999)] | None = Field(
        None,
        description=(
            "Number of the LACP bundle of the switch port, counted up along a range. The same number on both switches"
            " of a pair is one bundle over both (MLAG, vPC). Default: no bundle"
        ),
    )
    cable_length: Annotated[int, Field(ge=1, le=100000)] | None = Field(
        None, description="Metres of cable. Default: that of the switch port"
    )

    @model_validator(mode="after")
    def _mode_fits(self) -> Attachment:
        needs = {"access": (), "routed": (), "trunk": ("vlans",)}[self.mode]
        may = {"access": ("vlan",), "routed": ("subnet",), "trunk": ("vlans", "native_vlan")}[self.mode]
        check_mode(self, needs, may)
        return self


def check_mode(cable: Any, needs: tuple[str, ...], may: tuple[str, ...]) -> None:
    """Fields of one mode must not stand next to another mode."""
    for name in needs:
        if getattr(cable, name) is None:
            raise ValueError(f"expected {name} with mode {cable.mode}, found none (add {name})")
    for name in ("vlan", "vlans", "native_vlan", "subnet"):
        if name not in may and getattr(cable, name, None) is not None:
            raise ValueError(
                f"expected {' or '.join(may)} with mode {cable.mode}, found {name} (remove it or change mode)"
            )
