# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches of the plan: values of ports, then the model of the switch with its numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import Path, show
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.values import SPEED
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.breakout import front_of, split
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner import cabling, mtu, roce
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import Checks
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.design.panel import parts_of
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.levels import Level, Value, levels_of, nearest
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.fabric import (
    PortNumbers,
    SwitchNumbers,
    port_numbers,
    switch_numbers,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.headroom import LONGEST
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.record import Number

PORT_FIELDS = ("mtu", "speed", "fec", "cable_length", "headroom", "lossless")


@dataclass
class PortPlan:
    """Resolved values of one port before both ends are compared."""

    name: str
    values: dict[str, Value]
    enabled: bool
    description: str | None
    address: Value
    mtu: int


@dataclass(frozen=True, slots=True)
class Session:
    """A routed cable to another switch."""

    port: str
    far: str
    address: str | None  # of the far end; none: unnumbered


@dataclass
class Bundle:
    """Ports towards one host that form an LACP bundle."""

    host: str
    members: list[str]
    path: Path


@dataclass
class SwitchBuilder:
    """Collects one switch."""

    fabric: Fabric
    name: str
    checks: Checks
    ports: dict[str, dict[str, Any]] = field(default_factory=dict)
    vlans: set[int] = field(default_factory=set)
    sessions: list[Session] = field(default_factory=list)
    bonds: dict[int, Bundle] = field(default_factory=dict)
    peers: list[tuple[str, str, str | None]] = field(default_factory=list)  # own port, partner, own address
    numbers: SwitchNumbers | None = None
    port_numbers: dict[str, PortNumbers] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.intent = self.fabric.switches[self.name]
        self.profile = self.fabric.switch_profiles[self.intent.profile]
        self.platform = self.profile.platform
        self.levels = levels_of(self.fabric, self.name)
        self.base = {f: nearest(self.levels, f) for f in PORT_FIELDS}
        self.base_of_uplinks = {**self.base, "speed": self._uplink_speed()}
        self.allowed = {"uplinks": self._allowed("uplinks"), "host_ports": self._allowed("host_ports")}
        self.overrides: dict[str, Level] = {}
        for text, override in self.intent.ports.items():
            path = ("switches", self.name, "ports", text)
            for port in self._expand(text, path):
                if port in self.overrides:
                    other = self.overrides[port][0][-1]
                    self.checks.add(
                        path, f"expected each port once, found {port} here and in {show(other)} (join the two)"
                    )
                self.overrides[port] = (path, override)

    def _expand(self, text: str, path: Path) -> tuple[str, ...]:
        try:
            ports = cabling.expand_ports((text,))
        except ValueError as error:
            self.checks.add(path, str(error))
            return ()
        problem = cabling.port_problem(self.platform, ports[0])
        if problem:
            self.checks.add(path, problem)
            return ()
        return ports

    def _allowed(self, group: str) -> frozenset[str] | None:
        stated = getattr(self.profile, group)
        if stated is None:
            return None
        names = {p for i, text in enumerate(stated) for p in self._expand(text, self._profile_path(group, i))}
        if group == "uplinks" and self.intent.role != "leaf":  # every port of a spine carries a link
            more = (*(self.profile.host_ports or ()), *(self.profile.ports or ()))
            names |= {p for text in more for p in cabling.expand_ports((text,))}
        lanes = self.profile.lanes or 8
        names |= {p for name in names for p in split(self.platform, name, parts_of(self.profile, name), lanes)}
        return frozenset(names)

    def _uplink_speed(self) -> Value:
        """Nearer than the profile's own speed, farther than that of the switch."""
        stated = nearest(self.levels[1:2], "uplink_speed")
        return stated if stated.value is not None and self.intent.speed is None else self.base["speed"]

    def _breakouts(self, ports: list[str]) -> tuple[dict[str, Any], ...]:
        """Front ports that are split: those of which a part is used. One speed for all parts."""
        found: dict[str, dict[str, Any]] = {}
        for name in ports:
            front, speed = self._front(name), self.ports[name]["speed"]
            parts = parts_of(self.profile, front)
            if parts == 1 or (name == front and self.platform != "eos"):  # whole, whatever the profile splits
                continue
            path = ("switch_profiles", self.intent.profile, "breakout")
            if front in self.ports and self.platform != "eos":
                text = f"expected {front} of {self.name} either whole or split, found it and {name} in use (use one)"
                self.checks.add(path, text)
            first = found.setdefault(front, {"port": front, "parts": parts, "speed": speed})
            if first["speed"] != speed:
                text = (
                    f"expected one speed of all parts of {front} of {self.name}, found {first['speed']} and {speed} on"
                    f" {name} (megabits per second; set one speed)"
                )
                self.checks.add(path, text)
            if speed is None and self.platform != "nvue":
                text = f"expected a speed of {name} of {self.name}, which {self.platform} needs to split it, found none"
                self.checks.add(path, f"{text} (set speed)")
        return tuple(found.values())

    def _front(self, name: str) -> str:
        """The front port, as the profile spells it: EOS calls the first lane so, or leaves the lane out."""
        front = front_of(self.platform, name)
        bare = front.removesuffix("/1") if self.platform == "eos" else front
        return bare if bare in self._stated_fronts else front

    @cached_property
    def _stated_fronts(self) -> frozenset[str]:
        profile = self.profile
        texts = (*(profile.ports or ()), *(profile.host_ports or ()), *(profile.uplinks or ()))
        return frozenset(cabling.expand_ports(texts)) if not self.checks.found else frozenset()

    def _profile_path(self, group: str, index: int) -> Path:
        return ("switch_profiles", self.intent.profile, group, index)

    def port(self, end: cabling.End, group: str, cable_length: int | None) -> PortPlan:
        """Resolve a port that carries a cable."""
        allowed = self.allowed[group]
        if allowed is not None and end.port not in allowed:
            text = (
                f"expected one of the {group} of profile {self.intent.profile}, found {end.port} (use one of them or"
                " extend the profile)"
            )
            self.checks.add(end.path, text)
        values = self.base if group == "host_ports" else self.base_of_uplinks
        override = self.overrides.get(end.port)
        enabled, description, address = True, None, Value(None)
        if cable_length is not None:
            values = {**values, "cable_length": Value(cable_length, (*end.path[:2], "cable_length"))}
        if override is not None:
            values = {f: v if (v := nearest([override], f)).path else values[f] for f in PORT_FIELDS}
            path, stated = override
            enabled = stated.enabled is not False
            description = stated.description
            address = Value(stated.address, (*path, "address"))
        want = Value(mtu.DEFAULT) if values["mtu"].value is None else values["mtu"]
        values = {**values, "mtu": want}
        return PortPlan(end.port, values, enabled, description, address, mtu.wanted(self.platform, want, self.checks))

    def add(self, port: PortPlan, peer: dict[str, Any], **more: Any) -> None:
        """Take a finished port into the switch."""
        v = port.values
        self.ports[port.name] = {
            "name": port.name,
            "description": port.description if port.description is not None else f"{peer['device']} {peer['port']}",
            "enabled": port.enabled,
            "speed": SPEED.get(v["speed"].value) if v["speed"].value else None,
            "fec": v["fec"].value,
            "mtu": port.mtu,
            "lossless": v["lossless"].value is not False,
            "cable_length": v["cable_length"].value or 5,
            "headroom": v["headroom"].value,
            "peer": peer,
            **more,
        }
        for key in ("vlan", "native_vlan"):
            if more.get(key) is not None:
                self.vlans.add(more[key])
        self.vlans.update(more.get("vlans", ()))

    def unused_overrides(self) -> None:
        """A port that is overridden and not cabled is a typing error."""
        missing: dict[Path, list[str]] = {}
        for port, (path, _) in self.overrides.items():
            if port not in self.ports:
                missing.setdefault(path, []).append(port)
        for path, ports in missing.items():
            text = (
                f"expected a port with a link or an attachment, found {ports[0]} without (add the cable or remove the"
                " override)"
            )
            if not self.checks.found:  # an end that was rejected above explains itself
                self.checks.add(path, text)

    def data(self) -> dict[str, Any]:
        """The switch as plain data of the model, and its numbers."""
        self._port_numbers()
        order = sorted(self.ports, key=_natural)
        for number in self.intent.gateways:
            self.vlans.add(number)
        return {
            "name": self.name,
            "platform": self.platform,
            "role": self.intent.role,
            "asic": self.profile.asic,
            "release": self.profile.release,
            "pair": self.intent.pair,
            "vlans": tuple(
                {"id": n, "name": self.fabric.vlans[n].name} for n in sorted(self.vlans) if n in self.fabric.vlans
            ),
            "ports": tuple(self.ports[p] for p in order),
            "breakouts": self._breakouts(order),
            "roce": _tuples(
                roce.roce(self.fabric.policy, self.platform, self.levels, self._switch_numbers, self.checks)
            ),
            "reserved": {
                name: tuple(text.replace("..", "-") for text in getattr(self.fabric.reserved, name))
                for name in ("vlans", "bonds")
            },
            "lldp": roce.lldp(self.levels),
            "ecmp": {"hash": tuple(roce.ecmp(self.levels)["hash"])},
        }

    def _port_numbers(self) -> None:
        """Headroom: stated, or from the vendor's table where the switch takes bytes and does not compute them itself.

        NVUE computes headroom from the cable length, so only a stated value is handed to it. Estimates are for the
        budget and the report: a switch never gets a number that no vendor stands for.
        """
        for name, port in self.ports.items():
            if not port["lossless"] or port["speed"] is None:
                continue
            length = min(port["cable_length"], LONGEST)
            found = port_numbers(
                port["speed"], length, asic=self.profile.asic, sku=self.profile.sku, mtu=max(port["mtu"], 1500)
            )
            if port["headroom"] is not None:
                found = _stated(found, port["headroom"])
            elif self.platform != "nvue" and dict(found.headroom.inputs).get("sku"):
                port["headroom"] = int(found.headroom.value)
            self.port_numbers[name] = found

    def _switch_numbers(
        self, ecn: str | Mapping[str, int], pool_percent: int, watchdog: Mapping[str, int]
    ) -> SwitchNumbers:
        """ValueError when the ECN profile needs a speed and there is none."""
        self.numbers = switch_numbers(
            self.port_numbers.values(),
            platform=self.platform,
            asic=self.profile.asic,
            sku=self.profile.sku,
            ecn=ecn,
            lossless_pool_percent=pool_percent,
            alpha=self.profile.alpha,
            buffer=self.profile.buffer,
            headroom_pool=self.profile.headroom_pool,
            watchdog_ms=watchdog,
        )
        return self.numbers


@lru_cache(maxsize=65536)
def _stated(found: PortNumbers, headroom: int) -> PortNumbers:
    number = Number("headroom", headroom, "bytes", "stated", (), "stated in the intent")
    return replace(found, headroom=number)


@lru_cache(maxsize=4096)
def _natural(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", name))


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _tuples(v) for k, v in value.items()}
    return tuple(_tuples(v) for v in value) if isinstance(value, list) else value
