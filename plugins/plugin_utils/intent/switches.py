# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches and what they have in common."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.policy import LevelValues, PortValues
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.values import (
    Address,
    Asn,
    GroupName,
    Interface,
    Management,
    Name,
    Speed,
    Strict,
    Text,
    VlanId,
)


class SwitchProfile(LevelValues):
    """What switches of one kind have in common."""

    platform: Literal["eos", "nxos", "nvue"] = Field(
        description="Operating system: eos (Arista), nxos (Cisco), nvue (Cumulus Linux)"
    )
    asic: Name | None = Field(
        None,
        description=(
            "Switching chip, such as tomahawk4, jericho2, spectrum4, cloudscale; selects queue families. Default:"
            " unknown"
        ),
    )
    release: Annotated[str, Field(pattern=r"^[0-9A-Za-z.()_-]{1,40}$")] | None = Field(
        None, description='Software release that is expected, quoted: "5.14". Default: taken from the switch'
    )
    sku: Name | None = Field(
        None,
        description=(
            "Product, such as SN5600 or Z9864F: selects the vendor's table of PFC headroom. Default: unknown, headroom"
            " is estimated from the chip"
        ),
    )
    buffer: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Bytes of packet buffer. Default: that of the chip, where it is known"
    )
    headroom_pool: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Bytes of the shared headroom pool. Default: what the vendor ships"
    )
    alpha: Annotated[float, Field(gt=0, le=128)] | None = Field(
        None,
        description=(
            "Strength of the dynamic threshold of a lossless priority. Default: that of the vendor's table, else 1.0"
        ),
    )
    ports: list[str] | None = Field(
        None, description="All front ports, in the order in which a design uses them; ranges A..B. Default: none known"
    )
    breakout: Literal[1, 2, 4, 8] | None = Field(
        None,
        description=(
            "Ports into which each front port is split; they get the names of the platform (swp1s0, Ethernet1/5"
            " or Ethernet1/1/1). A front port is split on the switch when one of its parts is cabled. Default 1"
        ),
    )
    uplink_breakout: Literal[1, 2, 4, 8] | None = Field(
        None, description="The same for the front ports of uplinks. Default: breakout"
    )
    uplink_speed: Speed | None = Field(
        None, description="Speed of ports to other switches, where it differs from that of hosts. Default: speed"
    )
    lanes: Literal[4, 8] | None = Field(
        None, description="Electrical lanes of a front port; decides the names of split ports of EOS. Default 8"
    )
    adaptive_routing: bool | None = Field(
        None,
        description=(
            "Whether these switches balance load adaptively; NX-OS needs 10.5 and a reload afterwards. Default: that of"
            " underlay"
        ),
    )
    uplinks: list[str] | None = Field(
        None, description="Ports that may carry links to other switches; ranges A..B. Default: any port"
    )
    host_ports: list[str] | None = Field(None, description="Ports that may carry hosts; ranges A..B. Default: any port")


class PortOverride(PortValues):
    """One port, where it differs from the switch."""

    enabled: bool | None = Field(None, description="Administrative state. Default true")
    description: Text | None = Field(None, description="Description of the port. Default: the far end")
    address: Interface | None = Field(
        None, description="IPv4 address with prefix length of a routed port, instead of the one of the link"
    )


class GatewayIntent(Strict):
    """Address of a switch in a VLAN of hosts."""

    address: Interface = Field(description="Address of this switch with prefix length")
    virtual: Address | None = Field(
        None, description="Address that both switches of a pair answer for. Default: none, hosts use address"
    )


class SwitchIntent(LevelValues):
    """One switch. With a design, a switch of the same name is the generated one, and what is stated here pins it."""

    role: Literal["leaf", "spine", "superspine"] | None = Field(
        None, description="Tier: leaf (hosts), spine, superspine. Required unless the design generates the switch"
    )
    profile: Name | None = Field(
        None, description="Name of one of switch_profiles. Required unless the design generates the switch"
    )
    address: Management | None = Field(
        None, description="IPv4 address or host name to log in to. Default: the name of the switch"
    )
    port: Annotated[int, Field(ge=1, le=65535)] | None = Field(
        None, description="TCP port of SSH, 1 to 65535. Default 22"
    )
    pod: GroupName | None = Field(None, description="Pod it belongs to; becomes group pod_NAME. Default: none")
    rack: GroupName | None = Field(None, description="Rack it stands in; becomes group rack_NAME. Default: none")
    pair: GroupName | None = Field(
        None,
        description=(
            "Two switches with the same value back each other up and are never changed at the same time. Default: no"
            " partner"
        ),
    )
    asn: Asn | None = Field(
        None, description="AS number in the underlay. Default: from underlay.asn by role and number"
    )
    loopback: Address | None = Field(
        None, description="Router id and loopback address. Default: from underlay.loopbacks by role and number"
    )
    gateways: dict[VlanId, GatewayIntent] = Field(
        default_factory=dict, description="Addresses of this switch in VLANs of hosts, by VLAN number"
    )
    ports: dict[str, PortOverride] = Field(
        default_factory=dict, description="Ports that differ: name or range A..B, then the values"
    )
