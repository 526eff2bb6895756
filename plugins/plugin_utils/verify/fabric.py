# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the checks look at: every switch as it should be and as it is, and the links between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Port, Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import Facts, PortFacts
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.facts import facts_from
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.finding import natural
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.hosts import HostNic, HostState

# All values None: what is known of a port that nobody could ask about.
_UNKNOWN = PortFacts()


@dataclass(frozen=True, eq=False)
class Device:
    """One switch."""

    model: Switch
    facts: Facts | None  # None: unreachable
    error: str = ""  # why there are no facts

    @property
    def name(self) -> str:
        return self.model.name

    @cached_property
    def lossless_priorities(self) -> tuple[int, ...]:
        """Priorities that must be paused instead of dropped."""
        return tuple(sorted(c.priority for c in self.model.roce.classes if c.lossless))


@dataclass(frozen=True, eq=False)
class FabricPort:
    """One port of a switch that the model lists."""

    device: Device
    model: Port
    facts: PortFacts
    absent: bool = False  # the switch answered and has no such port

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def down(self) -> bool:
        """Known to be down: values that only a link gives are not there."""
        return self.facts.oper_up is False

    @property
    def intended_priorities(self) -> tuple[int, ...]:
        """Priorities that PFC has to pause here."""
        return self.device.lossless_priorities if self.model.lossless else ()

    @property
    def paused_priorities(self) -> tuple[int, ...] | None:
        """Priorities that PFC pauses here; None: the platform does not tell."""
        pfc = self.facts.pfc
        if pfc.enabled is None:
            return None
        return tuple(sorted(pfc.priorities)) if pfc.enabled and pfc.operational is not False else ()

    @property
    def fec(self) -> str | None:
        """Forward error correction in force. A port without link that says none does not tell."""
        return None if self.down and self.facts.fec == "none" else self.facts.fec

    def __str__(self) -> str:
        return f"{self.device.name} {self.name}"


@dataclass(frozen=True)
class Link:
    """A cable between two switches; ``b`` is None when the far switch is not looked at."""

    a: FabricPort
    b: FabricPort | None


@dataclass(eq=False)
class Fabric:
    """All switches and hosts that are verified, and the MTU of the hosts' NICs where it is known."""

    devices: dict[str, Device]
    host_mtus: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # host -> NIC -> bytes of IP packet
    hosts: dict[str, HostState] = field(default_factory=dict)
    _ports: dict[tuple[str, str], FabricPort] = field(default_factory=dict)

    @classmethod
    def build(
        cls,
        switches: Mapping[str, tuple[Switch, Mapping[str, Any] | str]],
        host_mtus: Mapping[str, Mapping[str, int]] | None = None,
        hosts: Mapping[str, HostState] | None = None,
    ) -> Fabric:
        """From model and facts (Facts.as_dict()) per switch; a string instead of facts says why there are none."""
        fabric = cls({}, host_mtus or {}, {name: hosts[name] for name in sorted(hosts or (), key=natural)})
        for name in sorted(switches, key=natural):
            model, told = switches[name]
            device = Device(model, None, told) if isinstance(told, str) else Device(model, facts_from(told, name))
            fabric.devices[model.name] = device
            for port in sorted(model.ports, key=lambda p: natural(p.name)):
                facts = device.facts.ports.get(port.name) if device.facts else _UNKNOWN
                fabric._ports[model.name, port.name] = FabricPort(device, port, facts or _UNKNOWN, facts is None)
        return fabric

    def port(self, device: str, name: str) -> FabricPort | None:
        """One port, if its switch is looked at and lists it."""
        return self._ports.get((device, name))

    @cached_property
    def ports(self) -> tuple[FabricPort, ...]:
        """Every port of every model, in order."""
        return tuple(self._ports.values())

    @cached_property
    def active_ports(self) -> tuple[FabricPort, ...]:
        """Ports that are meant to be in use."""
        return tuple(port for port in self.ports if port.model.enabled)

    @cached_property
    def lossless_ports(self) -> tuple[FabricPort, ...]:
        """Ports in use that carry the RoCE policy."""
        return tuple(port for port in self.active_ports if port.model.lossless)

    def far(self, port: FabricPort) -> FabricPort | None:
        """The switch port at the other end of the cable."""
        peer = port.model.peer
        if peer is None or peer.kind != "switch" or peer.port is None:
            return None
        return self.port(peer.device, peer.port)

    @cached_property
    def nics(self) -> tuple[HostNic, ...]:
        """Every NIC of the hosts that are verified and have it."""
        return tuple(nic for host in self.hosts.values() for nic in host.nics.values() if not nic.absent)

    def port_of(self, nic: HostNic) -> FabricPort | None:
        """The switch port that a NIC is cabled to."""
        peer = nic.model.peer
        return self.port(peer.switch, peer.port) if peer is not None else None

    def nic_at(self, port: FabricPort) -> HostNic | None:
        """The NIC at the other end of the cable, if its host is verified."""
        peer = port.model.peer
        host = self.hosts.get(peer.device) if peer is not None and peer.kind == "host" else None
        return host.nics.get(peer.port) if host is not None and peer.port is not None else None

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Every cable between two switches, once."""
        links, seen = [], set()
        for port in self.active_ports:
            peer = port.model.peer
            if peer is None or peer.kind != "switch":
                continue
            far = self.far(port)
            if far is None or (far, port) not in seen:
                seen.add((port, far))
                links.append(Link(port, far))
        return tuple(links)
