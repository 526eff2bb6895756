# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of a port, a switch and a NIC: what the planner calls.

Units everywhere: bytes, megabits per second, metres, milliseconds, percent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers import ecn as ecn_numbers
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.asics import asic as find_asic
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.budget import Budget, budget
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.ecn import Curve
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.headroom import (
    SHIPPED_MTU,
    headroom,
    lower_bound,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.link import in_flight, response
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.nic import (
    NicBuffer,
    dcqcn,
    mlx5_buffer,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.record import Finding, Number
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.tables import table
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.watchdog import watchdog


@dataclass(frozen=True, slots=True)
class PortNumbers:
    """Numbers of one lossless port."""

    speed: int
    mtu: int
    headroom: Number  # bytes per lossless priority: model.switch.Port.headroom
    lower_bound: Number
    in_flight: Number
    response: Number

    def numbers(self) -> tuple[Number, ...]:
        """All, in the order of the report."""
        return (self.headroom, self.lower_bound, self.in_flight, self.response)


@cache
def port_numbers(
    speed: int,
    cable_length: int,
    *,
    asic: str | None = None,
    sku: str | None = None,
    mtu: int = SHIPPED_MTU,
    lossless_mtu: int = 4096,
) -> PortNumbers:
    """Numbers of a port. Ports alike share one object, so that calling it for every port of a site is cheap.

    speed: Mb/s. cable_length: m. asic: as in the model, "spectrum4". sku: product or SONiC SKU, "SN5600", "Z9864F"; it
    decides when both are given. mtu: bytes of the port. lossless_mtu: bytes of the largest lossless packet (RDMA 4096).
    """
    return PortNumbers(
        speed,
        mtu,
        headroom(speed, cable_length, asic=asic, sku=sku, mtu=mtu, lossless_mtu=lossless_mtu),
        lower_bound(speed, cable_length, mtu, lossless_mtu),
        in_flight(speed, cable_length),
        response(speed),
    )


@dataclass(frozen=True, slots=True)
class SwitchNumbers:
    """Numbers of one switch."""

    budget: Budget
    alpha: Number
    ecn: Curve | None  # none: no marking; ecn.as_model() is model.switch.TrafficClass.ecn
    ecn_limits: tuple[Number, ...]  # all ports congested, one port congested
    ecn_delays: tuple[Number, ...]  # slowest and fastest port
    watchdog: tuple[Number, ...]
    findings: tuple[Finding, ...]

    def numbers(self) -> Iterator[Number]:
        """All, in the order of the report."""
        parts = self.budget
        for number in (
            parts.needed, parts.buffer, parts.limit, parts.shared, parts.ports_that_fit, parts.priorities_that_fit,
            self.alpha,
        ):  # fmt: skip
            if number is not None:
                yield number
        if self.ecn is not None:
            yield from (self.ecn.min, self.ecn.max, self.ecn.probability)
        yield from (*self.ecn_limits, *self.ecn_delays, *self.watchdog)


def switch_numbers(
    ports: Iterable[PortNumbers],
    *,
    platform: str,
    asic: str | None = None,
    sku: str | None = None,
    priorities: int = 1,
    ecn: str | Mapping[str, int] = "vendor-default",
    lossless_pool_percent: int = 50,
    alpha: float | None = None,
    buffer: int | None = None,
    headroom_pool: int | None = None,
    watchdog_ms: Mapping[str, int] | None = None,
) -> SwitchNumbers:
    """Numbers of a switch from those of its lossless ports.

    priorities: how many are lossless. ecn: a profile (ecn.PROFILES) or {"min": bytes, "max": bytes, "probability":
    percent}. lossless_pool_percent: share of the shared buffer. alpha: dynamic threshold of a lossless priority group;
    none: that of the vendor's table, else 1. buffer, headroom_pool: bytes, instead of what is known of the chip.
    watchdog_ms: poll_ms, detect_ms, restore_ms where stated. Raises ValueError for a profile that cannot be computed.
    """
    used = list(ports)
    shipped = table(sku)
    name = shipped.asic if shipped is not None else asic
    parts = budget(
        find_asic(name),
        [int(p.headroom.value) for p in used],
        priorities,
        sku=shipped.sku if shipped is not None else None,
        lossless_percent=lossless_pool_percent,
        buffer=buffer,
        headroom_pool=headroom_pool,
    )
    findings = list(parts.findings)
    speeds = sorted({p.speed for p in used})
    if isinstance(ecn, str):
        curve = ecn_numbers.curve(ecn, speeds[-1] if speeds else None, platform=platform, asic=name)
    else:
        curve = ecn_numbers.explicit(ecn["min"], ecn["max"], ecn["probability"])
    strength = _alpha(sku, alpha, findings)
    limits: tuple[Number, ...] = ()
    delays: tuple[Number, ...] = ()
    if curve is None:
        text = (
            "expected ECN marking, found none (profile pfc-only): every congestion becomes PAUSE; it needs a library"
            " that limits the senders, or choose another profile"
        )
        findings.append(Finding("ecn-off", "warning", text))
    else:
        low, high = int(curve.min.value), int(curve.max.value)
        delays = tuple(ecn_numbers.delay(low, s) for s in dict.fromkeys((*speeds[:1], *speeds[-1:])))
        if parts.shared is not None and used:
            mtu = max(p.mtu for p in used)
            limits, found = ecn_numbers.before_pfc(
                low, high, mtu, int(parts.shared.value), len(used), priorities, float(strength.value)
            )
            findings.extend(found)
    timers, found = watchdog(**(watchdog_ms or {}))
    findings.extend(found)
    return SwitchNumbers(parts, strength, curve, limits, delays, timers, tuple(findings))


def _alpha(sku: str | None, stated: float | None, findings: list[Finding]) -> Number:
    name = "alpha of the dynamic threshold"
    if stated is not None:
        return Number(name, stated, "", "stated", (), "stated in the intent")
    shipped = table(sku)
    if shipped is None:
        return Number(name, 1.0, "", "2 ^ exponent", (("exponent", 0),), "default of SONiC (default_dynamic_th 0)")
    rows = [row for by_length in shipped.rows.values() for row in by_length.values()]
    least = min(row.threshold for row in rows)
    if any(row.xon == 0 and not row.xon_offset for row in rows):
        text = f"expected hysteresis between XOFF and XON, found none in the table of {shipped.sku} (set an XON offset)"
        findings.append(Finding("xon-hysteresis", "warning", text))
    return Number(name, 2.0**least, "", "2 ^ exponent of the table", (("exponent", least),), shipped.source)


@dataclass(frozen=True, slots=True)
class NicNumbers:
    """Numbers of one NIC port."""

    buffer: NicBuffer
    dcqcn: tuple[Number, ...]

    def numbers(self) -> tuple[Number, ...]:
        """All, in the order of the report."""
        return (self.buffer.xoff, self.buffer.least, *self.dcqcn)


@cache
def nic_numbers(
    speed: int,
    cable_length: int,
    *,
    mtu: int = 9000,
    dcqcn_profile: str = "vendor-default",
    priorities: tuple[int, ...] | None = None,
    cnp_dscp: int = 48,
    cnp_priority: int = 6,
) -> NicNumbers:
    """Numbers of a ConnectX port: receive buffer for ``mlnx_qos --cable_len``, and DCQCN."""
    return NicNumbers(
        mlx5_buffer(speed, cable_length, mtu),
        dcqcn(speed, dcqcn_profile, priorities=priorities, cnp_dscp=cnp_dscp, cnp_priority=cnp_priority),
    )


def as_data(numbers: Iterable[Number]) -> list[dict[str, Any]]:
    """Plain data for a report."""
    return [number.as_dict() for number in numbers]
