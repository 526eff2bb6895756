# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches and what they have in common."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.policy import LevelValues, PortValues
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.values import (
    GroupName,
    Interface,
    Management,
    Name,
    Text,
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


class SwitchIntent(LevelValues):
    """One switch."""

    role: Literal["leaf", "spine", "superspine"] = Field(description="Tier: leaf (hosts), spine, superspine")
    profile: Name = Field(description="Name of one of switch_profiles")
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
    ports: dict[str, PortOverride] = Field(
        default_factory=dict, description="Ports that differ: name or range A..B, then the values"
    )
