# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of one switch: host variable ``switch``.

Units: bytes, megabits per second, metres, milliseconds, percent. Names of ports are those of the platform
(``Ethernet1/1``, ``swp1``). Every value is explicit; nothing in here is computed from another device.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.base import (
    INTERFACE_ADDRESS,
    Dscp,
    ObjectName,
    Platform,
    PortName,
    Priority,
    Role,
    Speed,
    Strict,
    Text,
    VlanId,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.breakout import Breakout, problems
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.reserved import Reserved
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.underlay import Bond, Gateway, PeerLink, Underlay


class Peer(Strict):
    """The far end of a cable as LLDP should report it."""

    device: str = Field(description="Name of the device")
    port: str | None = Field(None, description="Its port; none: only the device is known")
    kind: Literal["switch", "host"] = Field("switch", description="What it is")


class Port(Strict):
    """One front-panel port that belongs to the fabric. Ports that are not listed are not touched."""

    name: PortName = Field(description="Name as the platform spells it")
    description: Text = Field("", description="Description on the switch")
    enabled: bool = Field(True, description="Administrative state")
    speed: Speed | None = Field(None, description="Megabits per second; none: as the optic says")
    fec: Literal["rs", "fc", "none"] | None = Field(
        None, description="Forward error correction: Reed-Solomon, FireCode, off; none: platform default"
    )
    mtu: Annotated[int, Field(ge=1500, le=9216)] = Field(
        9214, description="Bytes of IP packet; EOS takes at most 9214, NX-OS and NVUE 9216"
    )
    mode: Literal["routed", "access", "trunk"] = Field("routed", description="What the port forwards by")
    address: str | None = Field(None, description='routed: IPv4 address with prefix length, "10.0.0.0/31"')
    vlan: VlanId | None = Field(None, description="access: the VLAN")
    vlans: tuple[VlanId, ...] = Field((), description="trunk: allowed VLANs")
    native_vlan: VlanId | None = Field(None, description="trunk: untagged VLAN")
    lossless: bool = Field(True, description="Carries the RoCE policy")
    cable_length: Annotated[int, Field(ge=1, le=100000)] = Field(5, description="Metres of cable")
    headroom: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Bytes taken in after PAUSE was sent, per lossless priority; none: platform default"
    )
    peer: Peer | None = Field(None, description="Far end of the cable")

    @model_validator(mode="after")
    def _mode_fits(self) -> Port:
        if self.address is not None and not INTERFACE_ADDRESS.fullmatch(self.address):
            raise ValueError(
                "expected address as IPv4 address with prefix length such as 10.0.0.0/31, "
                f'found "{self.address}" (correct it)'
            )
        if self.mode != "routed" and self.address is not None:
            raise ValueError(
                f"expected no address with mode {self.mode}, found {self.address} (remove it or use routed)"
            )
        if (self.mode == "access") != (self.vlan is not None):
            self._wrong("vlan", "access", self.vlan)
        if (self.mode == "trunk") != bool(self.vlans):
            self._wrong("vlans", "trunk", list(self.vlans) or None)
        if self.native_vlan is not None and self.mode != "trunk":
            self._wrong("native_vlan", "trunk", self.native_vlan)
        return self

    def _wrong(self, name: str, mode: str, found: object) -> None:
        need = f"{name} with mode {mode}" if found is None else f"no {name} with mode {self.mode}"
        todo = f"add {name}" if found is None else f"remove it or use mode {mode}"
        raise ValueError(f"expected {need}, found {'none' if found is None else found} ({todo})")


class Vlan(Strict):
    """A VLAN that the fabric uses. VLANs that are not listed are not touched."""

    id: VlanId = Field(description="VLAN number")
    name: ObjectName = Field(description="Name on the switch")


class Ets(Strict):
    """Weighted share of what strict queues leave."""

    type: Literal["ets"] = Field(description="Weighted")
    weight: Annotated[int, Field(ge=1, le=100)] = Field(description="Percent of what the strict queues leave")


class StrictPriority(Strict):
    """Served before all weighted queues."""

    type: Literal["strict"] = Field(description="Strict priority")


class Ecn(Strict):
    """WRED curve in marking mode on the queue of one class."""

    min: Annotated[int, Field(ge=1)] = Field(description="Bytes of queue below which nothing is marked")
    max: Annotated[int, Field(ge=1)] = Field(description="Bytes of queue above which everything is marked")
    probability: Annotated[int, Field(ge=1, le=100)] = Field(100, description="Percent of packets marked at max")

    @model_validator(mode="after")
    def _ordered(self) -> Ecn:
        if self.min > self.max:
            raise ValueError(f"expected min of at most max, found min {self.min} and max {self.max} (bytes; lower min)")
        return self


class TrafficClass(Strict):
    """One class of traffic, end to end the same on every device of the fabric."""

    name: ObjectName = Field(description="Name of the class")
    priority: Priority = Field(
        description="802.1p and PFC priority; switch-priority, traffic class or qos-group of the platform"
    )
    queue: Priority = Field(description="Egress queue on this platform")
    dscp: tuple[Dscp, ...] = Field((), description="DSCP values; empty: everything that no other class names")
    cos: tuple[Priority, ...] = Field((), description="802.1p values")
    lossless: bool = Field(False, description="PFC and no drop")
    scheduler: Annotated[Ets | StrictPriority, Field(discriminator="type")] = Field(
        description="How the queue is served"
    )
    ecn: Ecn | None = Field(None, description="ECN marking; none: no marking")


class PfcWatchdog(Strict):
    """What happens to a queue that a peer keeps paused."""

    enabled: bool = Field(True, description="Whether stuck queues are looked for")
    action: Literal["drop", "notify"] = Field("drop", description="Discard the packets of a stuck queue, or log only")
    poll_ms: Annotated[int, Field(ge=100, le=1000)] = Field(
        100, description="Milliseconds between two looks; NVUE and SONiC take 100 and more"
    )
    detect_ms: Annotated[int, Field(ge=100, le=5000)] = Field(200, description="Milliseconds a queue has to be stuck")
    restore_ms: Annotated[int, Field(ge=100, le=60000)] = Field(
        1000, description="Milliseconds without pause before the queue is served again"
    )

    @model_validator(mode="after")
    def _fits(self) -> PfcWatchdog:
        for name in ("detect_ms", "restore_ms"):
            value = getattr(self, name)
            if value % self.poll_ms or value < 2 * self.poll_ms:
                raise ValueError(
                    f"expected {name} to be a multiple of poll_ms {self.poll_ms} and at least twice as long, "
                    f"found {value} (milliseconds; change one of them)"
                )
        return self


class Roce(Strict):
    """The one RoCE policy of the fabric as this switch has to apply it."""

    profile: ObjectName = Field(
        "ROCE", description="Every object that is created on a switch bears this name or PROFILE-SOMETHING"
    )
    trust: Literal["dscp", "cos"] = Field("dscp", description="Field of a packet that decides its class")
    classes: tuple[TrafficClass, ...] = Field(description="Classes of traffic")
    pfc_watchdog: PfcWatchdog = Field(PfcWatchdog(), description="PFC watchdog")
    lossless_pool_percent: Annotated[int, Field(ge=1, le=99)] = Field(
        50, description="Percent of the shared buffer for lossless traffic"
    )

    @model_validator(mode="after")
    def _consistent(self) -> Roce:
        seen: dict[tuple[str, object], str] = {}
        for cls in self.classes:
            for kind, values in (
                ("priority", [cls.priority]),
                ("queue", [cls.queue]),
                ("dscp", cls.dscp),
                ("cos", cls.cos),
            ):
                for value in values:
                    other = seen.setdefault((kind, value), cls.name)
                    if other != cls.name or list(values).count(value) > 1:
                        raise ValueError(
                            f"expected {kind} {value} in one class once, "
                            f"found it in class {other} and again in class {cls.name} (give one of them another)"
                        )
        defaults = [c.name for c in self.classes if not c.dscp]
        if len(defaults) != 1:
            raise ValueError(
                f"expected one class without dscp, the default class, found {len(defaults)}: "
                f"{', '.join(defaults) or 'none'} (add dscp to the others)"
            )
        if self.classes and not any(c.lossless for c in self.classes):
            raise ValueError("expected a class with lossless: true, found none (mark the class of RoCE data)")
        total = sum(c.scheduler.weight for c in self.classes if isinstance(c.scheduler, Ets))
        if total != 100:
            raise ValueError(
                f"expected weights of the ets classes that add up to 100, found {total} (change one of them)"
            )
        return self


class Lldp(Strict):
    """LLDP proves the cabling, so it is on by default."""

    enabled: bool = Field(True, description="Whether LLDP runs")
    interval: Annotated[int, Field(ge=5, le=254)] = Field(30, description="Seconds between two messages")
    hold_multiplier: Annotated[int, Field(ge=2, le=10)] = Field(
        4, description="Intervals after which a silent neighbour is forgotten"
    )


class Ecmp(Strict):
    """Fields that choose among equal paths. RoCEv2 entropy is in the UDP source port."""

    hash: tuple[Literal["source-ip", "destination-ip", "protocol", "source-port", "destination-port"], ...] = Field(
        ("source-ip", "destination-ip", "protocol", "source-port", "destination-port"), description="Hashed fields"
    )


class Switch(Strict):
    """One switch, complete."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")] = Field(
        description="Name in the inventory; the host name on the switch is left alone"
    )
    platform: Platform = Field(description="Operating system: Arista EOS, Cisco NX-OS, Cumulus Linux NVUE")
    role: Role = Field(description="Tier")
    asic: str | None = Field(
        None, description="spectrum4, tomahawk4, jericho2, cloudscale ...: selects queue families and sizes"
    )
    release: str | None = Field(
        None, description='Expected release, "5.14"; none: taken from the switch (render: newest supported)'
    )
    pair: str | None = Field(
        None, description="Switches with the same value back each other up; one of them is changed at a time"
    )
    vlans: tuple[Vlan, ...] = Field((), description="VLANs of the fabric on this switch")
    ports: tuple[Port, ...] = Field(description="Ports of the fabric on this switch")
    breakouts: tuple[Breakout, ...] = Field(
        (), description="Front ports that are split; a port of ports that is no part of one is whole"
    )
    roce: Roce = Field(description="RoCE policy")
    lldp: Lldp = Field(Lldp(), description="LLDP")
    ecmp: Ecmp = Field(Ecmp(), description="Choice among equal paths")
    underlay: Underlay | None = Field(None, description="eBGP underlay; none: routing is not touched")
    gateways: tuple[Gateway, ...] = Field((), description="Addresses of this switch in VLANs of hosts")
    bonds: tuple[Bond, ...] = Field((), description="LACP bundles towards hosts; their members are ports of the model")
    peer_link: PeerLink | None = Field(None, description="The other switch of the pair, for bonds over both")
    reserved: Reserved = Field(
        Reserved(), description="Numbers of the fabric: VLANs, gateways and bundles there that the model has not, go"
    )

    @model_validator(mode="after")
    def _consistent(self) -> Switch:
        names: set[str] = set()
        known = {v.id for v in self.vlans}
        for port in self.ports:
            if port.name in names:
                raise ValueError(f"expected each port once, found {port.name} again (join the two)")
            names.add(port.name)
            used = {v for v in (port.vlan, port.native_vlan, *port.vlans) if v is not None and v != 1}
            missing = sorted(used - known)
            if missing:
                raise ValueError(
                    f"expected VLAN {missing[0]} of port {port.name} in vlans, found it missing (add it to vlans)"
                )
            is_swp = port.name.startswith("swp")
            if is_swp != (self.platform == "nvue"):
                raise ValueError(
                    f'expected a port of platform {self.platform}, found "{port.name}" (spell it as the switch does)'
                )
            if self.platform == "eos" and port.mtu > 9214:
                raise ValueError(
                    f"expected an mtu of at most 9214, the maximum of eos, found {port.mtu} on {port.name} (lower it)"
                )
            if self.platform == "nxos" and port.mode != "routed" and port.mtu not in (1500, 9216):
                raise ValueError(
                    f"expected mtu 1500 or 9216, all that nxos takes on a switched port, found {port.mtu} on "
                    f"{port.name} (use 9216)"
                )
        for problem in problems(self.platform, self.breakouts, {p.name: p.speed for p in self.ports}):
            raise ValueError(problem)
        self._routing_fits(names, known)
        return self

    def _routing_fits(self, ports: set[str], vlans: set[int]) -> None:
        """The routed part names ports and VLANs that exist."""
        used = [("underlay.neighbors", n.port) for n in (self.underlay.neighbors if self.underlay else ())]
        used += [(f"bond {b.id}", m) for b in self.bonds for m in b.members]
        used += [("peer_link", p) for p in (self.peer_link.ports if self.peer_link else ())]
        for where, name in used:
            if name not in ports:
                raise ValueError(f"expected port {name} of {where} in ports, found it missing (add it to ports)")
        members = [m for b in self.bonds for m in b.members]
        twice = sorted({m for m in members if members.count(m) > 1})
        if twice:
            raise ValueError(f"expected each port in one bond, found {twice[0]} in two (remove it from one)")
        for gateway in self.gateways:
            if gateway.vlan not in vlans:
                raise ValueError(f"expected VLAN {gateway.vlan} of a gateway in vlans, found it missing (add it)")
        if any(b.mlag_id is not None for b in self.bonds) and self.peer_link is None:
            raise ValueError("expected peer_link with bonds that have mlag_id, found none (add peer_link)")
