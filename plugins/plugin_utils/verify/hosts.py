# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GPU hosts as the checks look at them: each NIC as it should be and as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.host import Host, Nic
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import Neighbor


@dataclass(frozen=True)
class VlanFacts:
    """The interface of a tagged VLAN."""

    interface: str
    mtu: int | None
    addresses: tuple[str, ...]


@dataclass(frozen=True)
class NicFacts:
    """What host_facts read of one NIC; None: not told."""

    interface: str | None = None
    up: bool | None = None
    mtu: int | None = None
    speed: int | None = None
    bond: str | None = None
    addresses: tuple[str, ...] | None = None
    vlans: Mapping[int, VlanFacts] | None = None
    pfc: tuple[int, ...] | None = None  # priorities
    trust: str | None = None  # dscp, pcp
    dscp_to_priority: Mapping[int, int] | None = None
    global_pause: Mapping[str, bool] | None = None  # rx, tx
    neighbors: tuple[Neighbor, ...] | None = None


@dataclass(frozen=True, eq=False)
class HostState:
    """One host."""

    model: Host
    error: str = ""  # why there are no facts
    nics: dict[str, HostNic] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.model.name

    @classmethod
    def build(cls, model: Host, told: Mapping[str, Any] | str) -> HostState:
        """From the model and ``facts.nics`` of host_facts; a string instead of facts says why there are none."""
        host = cls(model, told) if isinstance(told, str) else cls(model)
        for nic in model.nics:
            facts = NicFacts() if isinstance(told, str) else _facts(told.get(nic.name) or {})
            host.nics[nic.name] = HostNic(host, nic, facts, absent=not isinstance(told, str) and not facts.interface)
        return host


@dataclass(frozen=True, eq=False)
class HostNic:
    """One NIC of the model."""

    device: HostState
    model: Nic
    facts: NicFacts
    absent: bool = False  # the host answered and has no such interface

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def interface(self) -> str:
        """The kernel's name for people, where it is another one."""
        other = self.facts.interface
        return f" ({other})" if other and other != self.name else ""

    def __str__(self) -> str:
        return f"{self.device.name} {self.name}"


def _facts(data: Mapping[str, Any]) -> NicFacts:
    """By way of JSON: keys are text, tuples are lists."""
    vlans, table, heard = data.get("vlans"), data.get("dscp_to_priority"), data.get("neighbors")
    return NicFacts(
        interface=data.get("interface"),
        up=data.get("up"),
        mtu=data.get("mtu"),
        speed=data.get("speed"),
        bond=data.get("bond"),
        addresses=_tuple(data.get("addresses")),
        vlans=None
        if vlans is None
        else {
            int(number): VlanFacts(v["interface"], v.get("mtu"), tuple(v.get("addresses", ())))
            for number, v in vlans.items()
            if str(number).isdigit()
        },
        pfc=_tuple(data.get("pfc")),
        trust=data.get("trust"),
        dscp_to_priority=None if table is None else {int(d): int(p) for d, p in table.items()},
        global_pause=data.get("global_pause"),
        neighbors=None if heard is None else tuple(Neighbor(n["device"], n["port"]) for n in heard),
    )


def _tuple(value: Any) -> tuple[Any, ...] | None:
    return None if value is None else tuple(value)
