# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an emulated switch does with packets: its configuration and links, boiled down to what a data plane needs.

Each platform works it out from its own configuration (``lab/PLATFORM/forwarding.py``); :mod:`lab.wire` obeys it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any


@dataclass
class Classes:
    """Which traffic class a packet gets when it comes in."""

    dscp: list[int] | None = None  # by DSCP; None: not trusted
    cos: list[int] | None = None  # by PCP of the VLAN tag, asked when DSCP does not decide; None: not trusted
    default: int = 0  # of everything else


@dataclass
class PortForwarding:
    """One port."""

    up: bool = False  # switched on, and light on the cable
    mtu: int = 1500  # longest layer 3 packet or payload, in and out
    routed: bool = False
    untagged: int | None = None  # VLAN of frames without tag; None: none, or one that does not exist
    tagged: list[int] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)  # of a routed port, with prefix length
    adjacent: bool = False  # a BGP session over this port is established
    classes: Classes = field(default_factory=Classes)
    ecn: list[int] = field(default_factory=list)  # traffic classes whose queue marks instead of dropping
    no_drop: list[int] = field(default_factory=list)  # priorities under flow control
    description: str = ""
    lldp_transmit: bool = True
    lldp_receive: bool = True


@dataclass
class Gateway:
    """Routed interface of a VLAN."""

    addresses: list[str]
    mtu: int = 1500


@dataclass
class SwitchForwarding:
    """One switch."""

    name: str  # as LLDP tells it
    mac: str
    ports: dict[str, PortForwarding] = field(default_factory=dict)
    gateways: dict[int, Gateway] = field(default_factory=dict)  # by VLAN; only those that are up
    loopbacks: list[str] = field(default_factory=list)
    routing: bool = True  # packets for others are passed on

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> SwitchForwarding:
        ports = {n: PortForwarding(**{**p, "classes": Classes(**p["classes"])}) for n, p in data["ports"].items()}
        gateways = {int(vlan): Gateway(**g) for vlan, g in data["gateways"].items()}
        return cls(**{**data, "ports": ports, "gateways": gateways})


def mac_of(name: str) -> str:
    """A locally administered address, the same for the same name."""
    return "02:" + sha256(name.encode()).digest()[:5].hex(":")
