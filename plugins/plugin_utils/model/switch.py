# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of one switch: host variable ``switch``.

Units: bytes, megabits per second, metres, milliseconds, percent. Names of ports are those of the platform
(``Ethernet1/1``, ``swp1``). Every value is explicit; nothing in here is computed from another device.
"""

from __future__ import annotations

from ipaddress import IPv4Interface
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Platform = Literal["eos", "nxos", "nvue"]
Role = Literal["leaf", "spine", "superspine"]
VlanId = Annotated[int, Field(ge=1, le=4094)]
Priority = Annotated[int, Field(ge=0, le=7)]
Dscp = Annotated[int, Field(ge=0, le=63)]
Percent = Annotated[int, Field(ge=0, le=100)]
# Printable, one line, no quote: safe to place behind ``description`` on every platform.
Text = Annotated[str, Field(pattern=r"^[ !#-~]{0,200}$")]
# One token that every platform accepts as the name of an object.
ObjectName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,31}$")]
PortName = Annotated[str, Field(pattern=r"^(Ethernet\d+(/\d+){0,2}|swp\d+(s\d+)?)$")]

SPEEDS = (10000, 25000, 40000, 50000, 100000, 200000, 400000, 800000)


class Strict(BaseModel):
    """Base: an unknown key is an error, and values are never silently converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Peer(Strict):
    """The far end of a cable as LLDP should report it."""

    device: str
    port: str | None = None  # None: only the device is known (a host that names its ports freely)
    kind: Literal["switch", "host"] = "switch"


class Port(Strict):
    """One front-panel port that belongs to the fabric. Ports that are not listed are not touched."""

    name: PortName
    description: Text = ""
    enabled: bool = True
    speed: Literal[10000, 25000, 40000, 50000, 100000, 200000, 400000, 800000] | None = None  # Mb/s; None: as the optic says
    fec: Literal["rs", "fc", "none"] | None = None  # None: platform default
    mtu: Annotated[int, Field(ge=1500, le=9216)] = 9214  # bytes of IP packet (EOS maximum 9214, NX-OS and NVUE 9216)
    mode: Literal["routed", "access", "trunk"] = "routed"
    address: str | None = None  # routed: IPv4 interface address with prefix length, "10.0.0.0/31"
    vlan: VlanId | None = None  # access
    vlans: tuple[VlanId, ...] = ()  # trunk: allowed VLANs
    native_vlan: VlanId | None = None  # trunk: untagged VLAN
    lossless: bool = True  # carries the RoCE policy
    cable_length: Annotated[int, Field(ge=1, le=100000)] = 5  # metres
    headroom: Annotated[int, Field(ge=1)] | None = None  # bytes of xoff headroom per lossless priority; None: platform default
    peer: Peer | None = None

    @model_validator(mode="after")
    def _mode_fits(self) -> Port:
        if self.address is not None:
            IPv4Interface(self.address)
        if self.mode != "routed" and self.address is not None:
            raise ValueError(f"port {self.name}: address needs mode routed, found mode {self.mode}")
        if (self.mode == "access") != (self.vlan is not None):
            raise ValueError(f"port {self.name}: vlan goes with mode access, found mode {self.mode}, vlan {self.vlan}")
        if (self.mode == "trunk") != bool(self.vlans):
            raise ValueError(f"port {self.name}: vlans goes with mode trunk, found mode {self.mode}, vlans {list(self.vlans)}")
        if self.native_vlan is not None and self.mode != "trunk":
            raise ValueError(f"port {self.name}: native_vlan needs mode trunk, found mode {self.mode}")
        return self


class Vlan(Strict):
    """A VLAN that the fabric uses. VLANs that are not listed are not touched."""

    id: VlanId
    name: ObjectName


class Ets(Strict):
    """Weighted share of what strict queues leave."""

    type: Literal["ets"]
    weight: Annotated[int, Field(ge=1, le=100)]  # percent


class StrictPriority(Strict):
    """Served before all weighted queues."""

    type: Literal["strict"]


class Ecn(Strict):
    """WRED curve in marking mode on the queue of one class."""

    min: Annotated[int, Field(ge=1)]  # bytes of queue below which nothing is marked
    max: Annotated[int, Field(ge=1)]  # bytes of queue above which everything is marked
    probability: Annotated[int, Field(ge=1, le=100)] = 100  # percent marked at max

    @model_validator(mode="after")
    def _ordered(self) -> Ecn:
        if self.min > self.max:
            raise ValueError(f"ecn: min {self.min} is above max {self.max}")
        return self


class TrafficClass(Strict):
    """One class of traffic, end to end the same on every device of the fabric."""

    name: ObjectName
    priority: Priority  # 802.1p priority, PFC priority, switch-priority, traffic class, qos-group
    queue: Priority  # egress queue on this platform
    dscp: tuple[Dscp, ...] = ()  # empty: everything that no other class names
    cos: tuple[Priority, ...] = ()
    lossless: bool = False  # PFC and no drop
    scheduler: Annotated[Ets | StrictPriority, Field(discriminator="type")]
    ecn: Ecn | None = None


class PfcWatchdog(Strict):
    """What happens to a queue that a peer keeps paused."""

    enabled: bool = True
    action: Literal["drop", "notify"] = "drop"
    poll_ms: Annotated[int, Field(ge=100, le=1000)] = 100  # NVUE and SONiC take 100 ms and more
    detect_ms: Annotated[int, Field(ge=100, le=5000)] = 200
    restore_ms: Annotated[int, Field(ge=100, le=60000)] = 1000

    @model_validator(mode="after")
    def _fits(self) -> PfcWatchdog:
        for name in ("detect_ms", "restore_ms"):
            value = getattr(self, name)
            if value % self.poll_ms or value < 2 * self.poll_ms:
                raise ValueError(
                    f"pfc_watchdog: {name} {value} must be a multiple of poll_ms {self.poll_ms} and at least twice as long"
                )
        return self


class Roce(Strict):
    """The one RoCE policy of the fabric as this switch has to apply it."""

    profile: ObjectName = "ROCE"  # every object that is created on a switch bears this name or PROFILE-SOMETHING
    trust: Literal["dscp", "cos"] = "dscp"
    classes: tuple[TrafficClass, ...]
    pfc_watchdog: PfcWatchdog = PfcWatchdog()
    lossless_pool_percent: Annotated[int, Field(ge=1, le=99)] = 50  # share of the shared buffer for lossless traffic

    @model_validator(mode="after")
    def _consistent(self) -> Roce:
        seen: dict[tuple[str, object], str] = {}
        for cls in self.classes:
            for kind, values in (("priority", [cls.priority]), ("queue", [cls.queue]), ("dscp", cls.dscp), ("cos", cls.cos)):
                for value in values:
                    other = seen.setdefault((kind, value), cls.name)
                    if other != cls.name or list(values).count(value) > 1:
                        raise ValueError(f"roce: {kind} {value} is in class {other} and again in class {cls.name}")
        defaults = [c.name for c in self.classes if not c.dscp]
        if len(defaults) != 1:
            raise ValueError(f"roce: exactly one class must be without dscp (the default class), found {defaults}")
        if self.classes and not any(c.lossless for c in self.classes):
            raise ValueError("roce: no class is lossless")
        total = sum(c.scheduler.weight for c in self.classes if isinstance(c.scheduler, Ets))
        if total != 100:
            raise ValueError(f"roce: weights of the ets classes must add up to 100, found {total}")
        return self


class Lldp(Strict):
    """LLDP proves the cabling, so it is on by default."""

    enabled: bool = True
    interval: Annotated[int, Field(ge=5, le=254)] = 30  # seconds
    hold_multiplier: Annotated[int, Field(ge=2, le=10)] = 4


class Ecmp(Strict):
    """Fields that choose among equal paths. RoCEv2 entropy is in the UDP source port."""

    hash: tuple[Literal["source-ip", "destination-ip", "protocol", "source-port", "destination-port"], ...] = (
        "source-ip",
        "destination-ip",
        "protocol",
        "source-port",
        "destination-port",
    )


class Switch(Strict):
    """One switch, complete."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")]
    platform: Platform
    role: Role
    asic: str | None = None  # spectrum4, tomahawk4, jericho2, cloudscale ...: selects queue families and sizes
    release: str | None = None  # expected software release, "5.14"; None: taken from the switch (render: newest supported)
    pair: str | None = None  # switches with the same value back each other up; one of them is changed at a time
    vlans: tuple[Vlan, ...] = ()
    ports: tuple[Port, ...]
    roce: Roce
    lldp: Lldp = Lldp()
    ecmp: Ecmp = Ecmp()

    @model_validator(mode="after")
    def _consistent(self) -> Switch:
        names = [p.name for p in self.ports]
        twice = sorted({n for n in names if names.count(n) > 1})
        if twice:
            raise ValueError(f"switch {self.name}: port {', '.join(twice)} is listed more than once")
        known = {v.id for v in self.vlans}
        for port in self.ports:
            used = {v for v in (port.vlan, port.native_vlan, *port.vlans) if v is not None and v != 1}
            missing = sorted(used - known)
            if missing:
                raise ValueError(f"switch {self.name}: port {port.name} uses VLAN {missing} which is not in vlans")
            is_swp = port.name.startswith("swp")
            if is_swp != (self.platform == "nvue"):
                raise ValueError(f"switch {self.name}: {port.name} is not a port name of platform {self.platform}")
            if self.platform == "eos" and port.mtu > 9214:
                raise ValueError(f"switch {self.name}: port {port.name}: mtu {port.mtu} is above 9214, the maximum of EOS")
        return self
