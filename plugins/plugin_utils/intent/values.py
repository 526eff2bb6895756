# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of values that the intent uses in several places."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import PATTERNS, show
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.host import PCI_ADDRESS, PCI_ID

NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$"
OBJECT = r"^[A-Za-z][A-Za-z0-9_-]{0,31}$"
GROUP = r"^[A-Za-z0-9_]{1,32}$"
TEXT = r"^([!#->@-~]([ !#->@-~]{0,198}[!#->@-~])?)?$"
END = r"^[A-Za-z0-9][A-Za-z0-9._-]*:[A-Za-z][A-Za-z0-9/._-]*$"
PATTERNS.update(
    {
        NAME: "a name of letters, digits, dot, hyphen and underscore (63 at most)",
        OBJECT: "a name that starts with a letter, then letters, digits, hyphen, underscore (32 at most)",
        GROUP: "a name of letters, digits and underscore (32 at most)",
        TEXT: "one line of ASCII without double quote, question mark and outer spaces (200 at most)",
        END: "DEVICE:PORT such as leaf01:Ethernet49/1",
        PCI_ADDRESS: "a PCI address such as 0000:1a:00.0",
        PCI_ID: "vendor and device such as 15b3:1021",
    }
)


class Strict(BaseModel):
    """Base: an unknown key is an error, and values are never silently converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _speed(value: Any) -> Any:
    if not isinstance(value, str) or value not in SPEED:
        raise ValueError(f"expected one of {', '.join(SPEED)}, found {show(value)} (speed of the port with its unit)")
    return value


def _address(value: str) -> str:
    try:
        IPv4Address(value)
    except ValueError:
        raise ValueError(
            f"expected an IPv4 address such as 192.0.2.11, found {show(value)} (without prefix length)"
        ) from None
    return value


def _management(value: str) -> str:
    """An address, or a name that DNS resolves."""
    looks_numeric = re.fullmatch(r"[0-9./]+", value) is not None
    if looks_numeric:
        return _address(value)
    if not re.match(r"^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$", value):
        raise ValueError(f"expected an IPv4 address or a host name, found {show(value)} (address to log in to)")
    return value


def _interface(value: str) -> str:
    try:
        if "/" not in value:
            raise ValueError
        interface = IPv4Interface(value)
    except ValueError:
        raise ValueError(
            f"expected an IPv4 address with prefix length such as 10.0.0.0/31, found {show(value)} (correct it)"
        ) from None
    network = interface.network
    if network.prefixlen < 31 and interface.ip in (network.network_address, network.broadcast_address):
        raise ValueError(
            f"expected an address of a device, found {value}, the network or broadcast address of {network} (take"
            " another)"
        )
    return value


def _network(value: str) -> str:
    try:
        if "/" not in value:
            raise ValueError
        IPv4Network(value)
    except ValueError:
        raise ValueError(
            f"expected an IPv4 network such as 10.0.0.0/31, found {show(value)} (host bits must be zero)"
        ) from None
    return value


def _number_as_name(value: Any) -> Any:
    """``pod: 1`` reads well and can only mean the name "1"."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


SPEED = {
    "10G": 10000,
    "25G": 25000,
    "40G": 40000,
    "50G": 50000,
    "100G": 100000,
    "200G": 200000,
    "400G": 400000,
    "800G": 800000,
}
Speed = Annotated[
    str,
    BeforeValidator(_speed, json_schema_input_type=Literal["10G", "25G", "40G", "50G", "100G", "200G", "400G", "800G"]),
]
Fec = Literal["rs", "fc", "none"]
Mtu = Annotated[int, Field(ge=1500, le=9216)]
VlanId = Annotated[int, Field(ge=1, le=4094)]
Priority = Annotated[int, Field(ge=0, le=7)]
Dscp = Annotated[int, Field(ge=0, le=63)]
DscpList = Annotated[
    list[Dscp], Field(min_length=1, max_length=64), BeforeValidator(_as_list, json_schema_input_type=Dscp | list[Dscp])
]
Percent = Annotated[int, Field(ge=1, le=100)]
Name = Annotated[str, Field(pattern=NAME)]
ObjectName = Annotated[str, Field(pattern=OBJECT)]
GroupName = Annotated[str, Field(pattern=GROUP), BeforeValidator(_number_as_name, json_schema_input_type=str | int)]
Text = Annotated[str, Field(pattern=TEXT)]
End = Annotated[str, Field(pattern=END)]
Management = Annotated[str, AfterValidator(_management)]
Address = Annotated[str, AfterValidator(_address)]
Interface = Annotated[str, AfterValidator(_interface)]
Asn = Annotated[int, Field(ge=1, le=4294967295)]
Network = Annotated[str, AfterValidator(_network)]
