# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Intent -> plan: every switch and host of the fabric, complete and checked. Pure: no file, no network, no Ansible."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import Path, show
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.values import SPEED
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.host import Host
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner import cabling, mtu, roce
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.addresses import (
    AddressBook,
    network,
    of_cable,
    same_subnet,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import Checks
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.groups import groups
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.hosts import HostBuilder
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.levels import Level, Value, levels_of, nearest
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.names import check_names
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.waves import waves

PORT_FIELDS = ("mtu", "speed", "fec", "cable_length", "headroom", "lossless")


@dataclass(frozen=True)
class Access:
    """How to log in to a device."""

    address: str
    port: int


@dataclass(frozen=True)
class Plan:
    """The fabric as it has to be built. Order is that of the intent."""

    fabric: str
    switches: dict[str, Switch]
    hosts: dict[str, Host]
    access: dict[str, Access]
    waves: dict[str, str]
    groups: dict[str, list[str]]
    children: dict[str, list[str]]


def plan(fabric: Fabric) -> Plan:
    """Plan a fabric. PlanError holds every problem with its path in the intent."""
    checks = Checks()
    hosts = HostBuilder(fabric, checks)
    check_names(fabric, hosts.intents, checks)
    links = cabling.links(fabric, checks)
    attachments = cabling.attachments(fabric, hosts.nics, checks)
    cabling.used_once(links + attachments, checks)
    book = AddressBook(checks)
    builders = {name: _SwitchBuilder(fabric, name, checks) for name in _buildable(fabric)}
    for number, vlan in fabric.vlans.items():
        if vlan.subnet is not None:
            book.add_network(network(vlan.subnet), f"VLAN {number}", ("vlans", number, "subnet"))
    for cable in links:
        _link(fabric, cable, builders, book, checks)
    for cable in attachments:
        _attachment(fabric, cable, builders, hosts, book, checks)
    book.no_overlap()
    for builder in builders.values():
        builder.unused_overrides()
    switches = {name: builder.data() for name, builder in builders.items()}
    host_data = hosts.data(book)
    access = _access(fabric, hosts, checks)
    checks.finish()
    models = {name: Switch.model_validate(data) for name, data in switches.items()}
    host_models = {name: Host.model_validate(data) for name, data in host_data.items()}
    wave = waves(fabric.switches)
    places = {n: (d.pod, d.rack) for n, d in (*fabric.switches.items(), *hosts.intents.items())}
    members, children = groups(models, host_models, places, wave)
    return Plan(fabric.fabric, models, host_models, access, wave, members, children)


def _buildable(fabric: Fabric) -> list[str]:
    return [name for name, switch in fabric.switches.items() if switch.profile in fabric.switch_profiles]


def _access(fabric: Fabric, hosts: HostBuilder, checks: Checks) -> dict[str, Access]:
    result: dict[str, Access] = {}
    owner: dict[Access, str] = {}
    devices = [(n, d, ("switches", n)) for n, d in fabric.switches.items()]
    devices += [(n, d, hosts.paths[n]) for n, d in hosts.intents.items()]
    for name, device, path in devices:
        access = Access(device.address or name, device.port or 22)
        other = owner.setdefault(access, name)
        if other != name:
            text = (
                f"expected a management address of its own, found {access.address} port {access.port}, which {other}"
                " has (use another)"
            )
            checks.add((*path, "address") if device.address else path, text)
        result[name] = access
    return result


@dataclass
class _PortPlan:
    """Resolved values of one port before both ends are compared."""

    name: str
    values: dict[str, Value]
    enabled: bool
    description: str | None
    address: Value
    mtu: int


@dataclass
class _SwitchBuilder:
    """Collects one switch."""

    fabric: Fabric
    name: str
    checks: Checks
    ports: dict[str, dict[str, Any]] = field(default_factory=dict)
    vlans: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.intent = self.fabric.switches[self.name]
        self.profile = self.fabric.switch_profiles[self.intent.profile]
        self.platform = self.profile.platform
        self.levels = levels_of(self.fabric, self.name)
        self.base = {f: nearest(self.levels, f) for f in PORT_FIELDS}
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
        path = ("switch_profiles", self.intent.profile, group)
        return frozenset(p for i, text in enumerate(stated) for p in self._expand(text, (*path, i)))

    def port(self, end: cabling.End, group: str, cable_length: int | None) -> _PortPlan:
        """Resolve a port that carries a cable."""
        allowed = self.allowed[group]
        if allowed is not None and end.port not in allowed:
            text = (
                f"expected one of the {group} of profile {self.intent.profile}, found {end.port} (use one of them or"
                " extend the profile)"
            )
            self.checks.add(end.path, text)
        values = self.base
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
        return _PortPlan(end.port, values, enabled, description, address, mtu.wanted(self.platform, want, self.checks))

    def add(self, port: _PortPlan, peer: dict[str, Any], **more: Any) -> None:
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
        """The switch as plain data of the model."""
        speeds = [p["speed"] for p in self.ports.values() if p["speed"]]
        order = sorted(self.ports, key=_natural)
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
            "roce": _tuples(
                roce.roce(self.fabric.policy, self.platform, self.levels, max(speeds, default=None), self.checks)
            ),
            "lldp": roce.lldp(self.levels),
            "ecmp": {"hash": tuple(roce.ecmp(self.levels)["hash"])},
        }


@lru_cache(maxsize=4096)
def _natural(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", name))


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _tuples(v) for k, v in value.items()}
    return tuple(_tuples(v) for v in value) if isinstance(value, list) else value


def _same(a: _PortPlan, b: _PortPlan, name: str, ends: tuple[cabling.End, cabling.End], checks: Checks) -> None:
    """Speed or FEC of both ends of a link."""
    left, right = a.values[name], b.values[name]
    if left.value != right.value:
        text = (
            f"expected the same {name} at both ends, found {left.value or 'nothing'} at {ends[0].device}:{a.name} and"
            f" {right.value or 'nothing'} at {ends[1].device}:{b.name} (set one value)"
        )
        near = max((left, right), key=lambda v: len(v.path)).path
        checks.add(near if "ports" in near else ends[0].path[:2], text)


def _vlans_exist(fabric: Fabric, numbers: list[tuple[int | None, Path]], checks: Checks) -> bool:
    fine = True
    for number, path in numbers:
        if number is not None and number not in fabric.vlans:
            checks.add(
                path,
                f"expected a VLAN from vlans ({', '.join(map(str, list(fabric.vlans)[:6])) or 'which is empty'}), found"
                f" {number} (add it to vlans)",
            )
            fine = False
    return fine


def _link(
    fabric: Fabric, cable: cabling.Cable, builders: dict[str, _SwitchBuilder], book: AddressBook, checks: Checks
) -> None:
    link, ends = cable.stated, (cable.a, cable.b)
    left, right = builders[cable.a.device], builders[cable.b.device]
    a, b = (s.port(e, "uplinks", link.cable_length) for s, e in ((left, cable.a), (right, cable.b)))
    for name in ("speed", "fec", "lossless"):
        _same(a, b, name, ends, checks)
    longest = max((a.values["cable_length"], b.values["cable_length"]), key=lambda v: v.value or 0)
    a.values, b.values = ({**port.values, "cable_length": longest} for port in (a, b))  # one cable has one length
    stated = (a.values["mtu"], b.values["mtu"])
    together = mtu.of_link(a.mtu, b.mtu)
    mtu.both_agree(stated, together, checks)
    a.mtu = b.mtu = together
    modes: list[dict[str, Any]]
    if link.mode == "trunk":
        numbers = [(n, (*cable.path, "vlans", i)) for i, n in enumerate(link.vlans)]
        if not _vlans_exist(fabric, [*numbers, (link.native_vlan, (*cable.path, "native_vlan"))], checks):
            return
        for switch, port, want in ((left, a, stated[0]), (right, b, stated[1])):
            port.mtu = mtu.layer2(switch.platform, together, want, checks)
        more = {"mode": "trunk", "vlans": tuple(sorted(set(link.vlans))), "native_vlan": link.native_vlan}
        modes = [more, more]
    else:
        given = of_cable(link.subnet, cable.index, cable.count, cable.path, checks)
        addresses = _routed(cable, (a, b), given, book, checks)
        modes = [{"mode": "routed", "address": address} for address in addresses]
    left.add(a, {"device": cable.b.device, "port": cable.b.port, "kind": "switch"}, **modes[0])
    right.add(b, {"device": cable.a.device, "port": cable.a.port, "kind": "switch"}, **modes[1])


def _routed(
    cable: cabling.Cable,
    ports: tuple[_PortPlan, _PortPlan],
    given: tuple[str | None, str | None],
    book: AddressBook,
    checks: Checks,
) -> list[str | None]:
    """Addresses of a routed link: those of its network unless a port states its own."""
    found: list[tuple[str | None, Path]] = []
    for port, address in zip(ports, given, strict=True):
        found.append(
            (port.address.value, port.address.path) if port.address.value else (address, (*cable.path, "subnet"))
        )
    (first, path_a), (second, path_b) = found
    if (first is None) != (second is None):
        path = path_b if second else path_a
        checks.add(path, "expected addresses at both ends, found one at this end only (give the link a subnet)")
    new = True
    if first is not None and second is not None:
        near, far = (
            ((second, path_b), (first, path_a)) if ports[1].address.value else ((first, path_a), (second, path_b))
        )
        same_subnet(far, near, checks)
        owner = f"the link {cable.a.device}:{cable.a.port} to {cable.b.device}:{cable.b.port}"
        new = book.add_network(network(first), owner, path_a)
    for end, (address, path) in zip((cable.a, cable.b), found, strict=True):
        if address is not None and new:  # a network that is used twice says it all
            book.add(address, f"{end.device}:{end.port}", path)
    return [first, second]


def _attachment(
    fabric: Fabric,
    cable: cabling.Cable,
    builders: dict[str, _SwitchBuilder],
    hosts: HostBuilder,
    book: AddressBook,
    checks: Checks,
) -> None:
    entry, switch = cable.stated, builders[cable.a.device]
    port = switch.port(cable.a, "host_ports", entry.cable_length)
    nic = hosts.nics[cable.b.device][cable.b.port]
    if nic.speed.value is not None:
        stated = port.values["speed"]
        if stated.value is None:
            port.values = {**port.values, "speed": nic.speed}
        elif stated.value != nic.speed.value:
            text = (
                f"expected {nic.speed.value}, the speed of NIC {cable.b.device}:{cable.b.port}, found {stated.value} at"
                f" {cable.a.device}:{cable.a.port} (set one value)"
            )
            checks.add(stated.path if "ports" in stated.path else cable.path, text)
    if entry.mode != "routed":
        if port.address.value is not None:
            checks.add(
                port.address.path,
                f"expected no address on a port of mode {entry.mode}, found {port.address.value} (remove it)",
            )
        port.mtu = mtu.layer2(switch.platform, port.mtu, port.values["mtu"], checks)
    host_mtu = hosts.mtu(cable.b.device)
    mtu.host_fits(port.mtu, port.values["mtu"], host_mtu, fabric.policy.mtu_overhead, checks)
    more: dict[str, Any] = {"mode": entry.mode}
    switch_address = None
    if entry.mode == "access":
        vlan = Value(entry.vlan, (*cable.path, "vlan")) if entry.vlan is not None else nic.vlan
        if vlan.value is None:
            checks.add(
                cable.path,
                f"expected a VLAN for mode access, found none here and none at NIC {cable.b.device}:{cable.b.port} (add"
                " vlan)",
            )
            return
        if not _vlans_exist(fabric, [(vlan.value, vlan.path)], checks):
            return
        more["vlan"] = vlan.value
    elif entry.mode == "trunk":
        numbers = [(n, (*cable.path, "vlans", i)) for i, n in enumerate(entry.vlans)]
        if not _vlans_exist(fabric, [*numbers, (entry.native_vlan, (*cable.path, "native_vlan"))], checks):
            return
        more |= {"vlans": tuple(sorted(set(entry.vlans))), "native_vlan": entry.native_vlan}
    else:
        first, second = of_cable(entry.subnet, cable.index, cable.count, cable.path, checks)
        switch_address = port.address.value or first
        path = port.address.path if port.address.value else (*cable.path, "subnet")
        if nic.address.value is None and second is not None:
            nic.address = Value(second, (*cable.path, "subnet"))
        if (switch_address is None) != (nic.address.value is None):
            checks.add(
                cable.path, "expected addresses at both ends, found one at one end only (give the attachment a subnet)"
            )
        elif switch_address is not None:
            same_subnet((switch_address, path), (nic.address.value, nic.address.path), checks)
            owner = f"the attachment of {cable.b.device}:{cable.b.port}"
            if book.add_network(network(switch_address), owner, path):
                book.add(switch_address, f"{cable.a.device}:{cable.a.port}", path)
            else:
                nic.address = Value(None)  # a network that is used twice says it all
        more["address"] = switch_address
    switch.add(port, {"device": cable.b.device, "port": cable.b.port, "kind": "host"}, **more)
    hosts.attach(cable.b.device, cable.b.port, cable.a, switch.ports[port.name])
