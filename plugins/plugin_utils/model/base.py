# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Types that all parts of the model share."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Platform = Literal["eos", "nxos", "nvue"]
Role = Literal["leaf", "spine", "superspine"]
VlanId = Annotated[int, Field(ge=1, le=4094)]
Priority = Annotated[int, Field(ge=0, le=7)]
Dscp = Annotated[int, Field(ge=0, le=63)]
Percent = Annotated[int, Field(ge=0, le=100)]
# Printable, one line, no double quote, no question mark (help on every CLI), no space at either end (switches drop it):
# safe to place behind ``description`` on every platform, and read back as it was written.
Text = Annotated[str, Field(pattern=r"^([!#->@-~]([ !#->@-~]{0,198}[!#->@-~])?)?$")]
# One token that every platform accepts as the name of an object.
ObjectName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,31}$")]
PORT_NAME = r"^(Ethernet\d+(/\d+){0,2}|swp\d+(s\d+)?)$"
PortName = Annotated[str, Field(pattern=PORT_NAME)]

# 0.0.0.0/0 to 255.255.255.255/32; much faster than ipaddress, which matters for a site of 100,000 ports.
OCTET = r"(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
INTERFACE = rf"{OCTET}(\.{OCTET}){{3}}/(3[0-2]|[12]?\d)"
INTERFACE_ADDRESS = re.compile(INTERFACE)

SPEEDS = (10000, 25000, 40000, 50000, 100000, 200000, 400000, 800000)
Speed = Literal[10000, 25000, 40000, 50000, 100000, 200000, 400000, 800000]


class Strict(BaseModel):
    """Base: an unknown key is an error, and values are never silently converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
