# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan as lists that people order, cable and check by. Pure; the order is that of the plan."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import asdict, dataclass, fields

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.record import Number
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.plan import Plan
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.cables import cable_class, is_copper
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.topology import Topology


@dataclass(frozen=True)
class Cable:
    """One cable; a is the lower end (host or leaf)."""

    a_device: str
    a_port: str
    a_rack: str
    b_device: str
    b_port: str
    b_rack: str
    speed: int | None  # Mb/s
    length: int  # metres
    kind: str  # DAC, AEC, AOC, MMF, DR, FR, LR
    label: str  # the same on both ends


@dataclass(frozen=True)
class AddressRow:
    """One address of one device."""

    device: str
    interface: str
    address: str
    purpose: str


@dataclass(frozen=True)
class NumberRow:
    """One number of the plan with what it takes to check it by hand."""

    name: str
    value: str  # with unit
    formula: str
    inputs: str
    source: str
    where: str  # devices it holds for
    warnings: str


@dataclass(frozen=True)
class DesignRow:
    """One design that fits the request."""

    name: str
    chosen: bool
    switches: int
    cables: int
    optics: int
    bisection: str
    hops: int
    room: int
    worst_tier: str
    loss_of_a_spine: str
    loss_of_a_leaf: str
    notes: str


@dataclass(frozen=True)
class Item:
    """One line of the bill of material."""

    what: str
    count: int
    note: str


def cables(plan: Plan) -> list[Cable]:
    """Every cable once."""
    rack = _racks(plan)
    rank = {"leaf": 0, "spine": 1, "superspine": 2}
    rows: list[Cable] = []
    for name, switch in plan.switches.items():
        for port in switch.ports:
            peer = port.peer
            if peer is None or peer.port is None:
                continue
            near, far = (name, port.name), (peer.device, peer.port)
            if peer.kind == "switch":
                other = plan.switches.get(peer.device)
                mine, theirs = rank[switch.role], rank[other.role] if other else 3
                if (mine, near) > (theirs, far):
                    continue  # listed from the lower end
            else:
                near, far = far, near
            rows.append(
                Cable(
                    *near,
                    rack.get(near[0], ""),
                    *far,
                    rack.get(far[0], ""),
                    port.speed,
                    port.cable_length,
                    cable_class(port.cable_length, port.speed),
                    f"{near[0]}:{near[1]} - {far[0]}:{far[1]}",
                )
            )
    return rows


def addresses(plan: Plan) -> list[AddressRow]:
    """Every address of the fabric."""
    rows = [AddressRow(name, "management", a.address, f"SSH, port {a.port}") for name, a in plan.access.items()]
    for name, switch in plan.switches.items():
        if switch.underlay is not None:
            rows.append(AddressRow(name, "loopback", f"{switch.underlay.router_id}/32", f"AS {switch.underlay.asn}"))
        rows += [AddressRow(name, f"VLAN {g.vlan}", g.address, "gateway") for g in switch.gateways]
        rows += [AddressRow(name, p.name, p.address, p.description or "routed port") for p in switch.ports if p.address]
    for name, host in plan.hosts.items():
        rows += [
            AddressRow(name, n.name, n.address, f"rail {n.rail}" if n.rail is not None else "")
            for n in host.nics
            if n.address
        ]
    return rows


def bill(plan: Plan) -> list[Item]:
    """What has to be bought: switches, cables, transceivers."""
    boxes = Counter((s.platform, s.asic or "any ASIC", s.role) for s in plan.switches.values())
    rows = [Item(f"switch {platform} {asic}", count, role) for (platform, asic, role), count in sorted(boxes.items())]
    hosts = Counter(host.profile or "without profile" for host in plan.hosts.values())
    rows += [Item(f"host {profile}", count, "") for profile, count in sorted(hosts.items())]
    kinds = Counter((c.kind, c.speed or 0, c.length) for c in cables(plan))
    for (kind, speed, length), count in sorted(kinds.items()):
        rows.append(
            Item(f"cable {kind} {gigabits(speed)} {length} m", count, "copper" if is_copper(kind) else "optical")
        )
    optics: Counter[tuple[str, int]] = Counter()
    for (kind, speed, _), count in kinds.items():
        if not is_copper(kind) and kind != "AOC":  # an active optical cable brings its own ends
            optics[kind, speed] += 2 * count
    rows += [
        Item(f"transceiver {kind} {gigabits(speed)}", n, "two per cable") for (kind, speed), n in sorted(optics.items())
    ]
    return rows


def numbers(plan: Plan) -> list[NumberRow]:
    """Every number once, with the devices that it holds for."""
    where: dict[Number, list[str]] = {}
    for name, found in plan.numbers.items():
        own = [*found.switch.numbers(), *(n for port in found.ports.values() for n in port.numbers())]
        for number in dict.fromkeys(own):
            where.setdefault(number, []).append(name)
    for name, nics in plan.nic_numbers.items():
        for number in dict.fromkeys(n for nic in nics.values() for n in nic.numbers()):
            where.setdefault(number, []).append(name)
    return [
        NumberRow(
            n.name,
            f"{n.value} {n.unit}".strip(),
            n.formula,
            ", ".join(f"{key} {value}" for key, value in n.inputs),
            n.source,
            _some(devices),
            "; ".join(n.warnings),
        )
        for n, devices in where.items()
    ]


def designs(plan: Plan) -> list[DesignRow]:
    """The chosen design first, then the others that fit."""
    rows = [_design("chosen", plan.topology, chosen=True)] if plan.topology else []
    return rows + [_design(name, t, chosen=False) for name, t in plan.candidates.items() if t != plan.topology]


def _design(name: str, t: Topology, *, chosen: bool) -> DesignRow:
    worst = max(t.tiers, key=lambda tier: tier.oversubscription)
    return DesignRow(
        t.layout if chosen else name,
        chosen,
        t.switches,
        t.cables,
        t.optics(),
        f"{t.bisection_gbps / 1000:.1f} Tb/s",
        t.hops,
        t.room,
        f"{worst.name} {worst.oversubscription:g}:1" if worst.oversubscription else "none",
        f"{t.spine_loss:.0%} remains",
        t.leaf_loss,
        "; ".join(t.notes),
    )


def _some(devices: list[str]) -> str:
    names = list(dict.fromkeys(devices))
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def as_csv(rows: list[Cable] | list[AddressRow]) -> str:
    """With a heading line, for a spreadsheet or a label printer."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if rows:
        writer.writerow(f.name for f in fields(rows[0]))
    writer.writerows(asdict(row).values() for row in rows)
    return out.getvalue()


def gigabits(speed: int | None) -> str:
    """400000 -> "400G"."""
    return f"{speed // 1000}G" if speed else "any speed"


def _racks(plan: Plan) -> dict[str, str]:
    return {
        device: group.removeprefix("rack_")
        for group, members in plan.groups.items()
        if group.startswith("rack_")
        for device in members
    }
