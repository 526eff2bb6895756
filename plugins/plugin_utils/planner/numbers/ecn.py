# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ECN curves by profile, and whether marking comes before PAUSE. Bytes, Mb/s, percent."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.asics import asic as find_asic
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.link import SPEEDS, gbps
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.published import read
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.record import Finding, Inputs, Number

PROFILES = ("vendor-default", "nvidia", "shallow", "hpcc", "pfc-only")
SHALLOW_US = 6  # within the 4 to 8 microseconds of a round trip in a two-tier fabric
INEQUALITY = "DCQCN, SIGCOMM 2015, dynamic thresholds; per priority group as SONiC and SAI count alpha"


@dataclass(frozen=True, slots=True)
class Curve:
    """WRED curve in marking mode."""

    min: Number
    max: Number
    probability: Number

    def as_model(self) -> dict[str, int]:
        """``ecn`` of a traffic class of the model."""
        return {
            "min": int(self.min.value),
            "max": int(self.max.value),
            "probability": int(self.probability.value),
        }

    def mark(self, queue: int) -> float:
        """Share of packets marked with that many bytes in the queue, 0 to 1."""
        low, high = self.min.value, self.max.value
        if queue < low:
            return 0.0
        if queue > high:
            return 1.0
        rise = (queue - low) / (high - low) if high > low else 1.0
        return rise * self.probability.value / 100


def curve(
    profile: str, speed: int | None = None, *, platform: str | None = None, asic: str | None = None
) -> Curve | None:
    """Curve of a profile; none for pfc-only. shallow and hpcc need speed, vendor-default the platform."""
    if profile not in PROFILES:
        raise ValueError(f"expected an ECN profile of {', '.join(PROFILES)}, found {profile} (or state min and max)")
    if profile == "pfc-only":
        return None
    if profile == "nvidia":
        return _published("nvue", asic, speed)
    if profile == "vendor-default":
        return _published(platform, asic, speed)
    if speed not in SPEEDS:
        raise ValueError(f"expected a speed for ECN profile {profile}, found {speed} (set speed, or state bytes)")
    inputs = (("profile", profile), ("speed Mb/s", speed))
    if profile == "shallow":
        low = speed * SHALLOW_US // 8
        text = f"{SHALLOW_US} us x speed / 8"
        return _curve((low, 2 * low, 5), (text, "2 x min", "fixed"), inputs, "lossless.fabric, profile shallow")
    source = "alibaba-edu/High-Precision-Congestion-Control: 25G 100 and 400 kB, scaled by speed"
    return _curve((4 * speed, 16 * speed, 20), ("4 kB per Gb/s", "16 kB per Gb/s", "fixed"), inputs, source)


def explicit(low: int, high: int, probability: int) -> Curve:
    """Curve stated in the intent."""
    return _curve((low, high, probability), ("stated",) * 3, (("profile", "explicit"),), "stated in the intent")


def _published(platform: str | None, asic: str | None, speed: int | None) -> Curve:
    chip = find_asic(asic).name
    for entry in read("ecn")["vendor-default"]:
        if entry["platform"] == platform and entry["asic"] in (None, chip):
            warnings = [entry["weak"]] if "weak" in entry else []
            if entry["speeds"] and speed is not None and speed not in entry["speeds"]:
                speeds = ", ".join(gbps(s) for s in entry["speeds"])
                warnings.append(f"published for {speeds}, used at {gbps(speed)}")
            inputs: Inputs = (("platform", str(platform)), ("chip", chip))
            values = (entry["min"], entry["max"], entry["probability"])
            return _curve(values, ("published value",) * 3, inputs, entry["source"], tuple(warnings))
    raise ValueError(
        f"expected platform eos, nxos or nvue for ECN profile vendor-default, found {platform} (state the platform)"
    )


def _curve(
    values: tuple[int, int, int],
    formulas: tuple[str, str, str],
    inputs: Inputs,
    source: str,
    warnings: tuple[str, ...] = (),
) -> Curve:
    names = (("ECN min", "bytes"), ("ECN max", "bytes"), ("ECN probability", "percent"))
    low, high, probability = (
        Number(name, value, unit, formula, inputs, source, warnings if name == "ECN min" else ())
        for (name, unit), value, formula in zip(names, values, formulas, strict=True)
    )
    return Curve(low, high, probability)


def delay(low: int, speed: int) -> Number:
    """How old a packet is that is marked first. Short: throughput suffers; long: PFC acts before ECN."""
    inputs = (("ECN min", low), ("speed Mb/s", speed))
    return Number(
        f"queueing delay at ECN min, {gbps(speed)}", round(low * 8 / speed, 2), "microseconds", "min x 8 / speed",
        inputs, "definition",
    )  # fmt: skip


def all_ports_limit(shared: int, ports: int, priorities: int, alpha: float) -> Number:
    """ECN min has to stay below this for marking to come first while every port is congested."""
    return Number(
        "limit of ECN min, all ports congested",
        int(alpha * shared / (ports * (1 + alpha * priorities))),
        "bytes",
        "alpha x shared / (ports x (1 + alpha x priorities))",
        (("alpha", alpha), ("shared", shared), ("ports", ports), ("priorities", priorities)),
        INEQUALITY,
    )


def one_port_limit(shared: int, alpha: float) -> Number:
    """ECN max has to stay below this for the curve to be used while one port is congested."""
    return Number(
        "limit of ECN max, one port congested",
        int(alpha * shared / (1 + alpha)),
        "bytes",
        "alpha x shared / (1 + alpha)",
        (("alpha", alpha), ("shared", shared)),
        INEQUALITY,
    )


def before_pfc(
    low: int, high: int, mtu: int, shared: int, ports: int, priorities: int, alpha: float
) -> tuple[tuple[Number, Number], tuple[Finding, ...]]:
    """The two limits, and what is wrong with the thresholds. shared: bytes all lossless traffic shares."""
    everyone = all_ports_limit(shared, ports, priorities, alpha)
    alone = one_port_limit(shared, alpha)
    findings = []

    def add(severity: str, expected: str, found: str, todo: str, limit: int, value: int) -> None:
        margin = round(1 - value / limit, 4) if limit else None
        note = "" if margin is None else f", margin {margin:.0%}"
        text = f"expected {expected}, found {found}{note} ({todo})"
        findings.append(Finding("ecn-before-pfc", severity, text, margin))

    limit = int(alone.value)
    if low >= limit:
        text = f"ECN min below {limit} bytes, where a single congested port is paused"
        add(
            "error",
            text,
            f"{low}: PFC always acts first",
            "lower min, or give lossless traffic more buffer",
            limit,
            low,
        )
    else:
        if high >= limit:
            text = f"ECN max below {limit} bytes, where a single congested port is paused"
            add("warning", text, f"{high}: the top of the curve is never used", "lower max", limit, high)
        limit = int(everyone.value)
        if low >= limit:
            # The inequality solved for the number of ports.
            enough = int(alpha * shared / (low * (1 + alpha * priorities)))
            text = f"ECN min below {limit} bytes for marking to come first with all {ports} ports congested"
            found = f"{low}: it comes first with up to {enough} congested ports"
            add("warning", text, found, "lower min, or accept PFC in a larger incast", limit, low)
    if low <= 2 * mtu:
        text = (
            f"expected ECN min above {2 * mtu} bytes, two frames, found {low}, so that packets of a paced flow are"
            " marked (raise min)"
        )
        findings.append(Finding("ecn-too-low", "warning", text, round(low / (2 * mtu) - 1, 4)))
    if low > high:
        text = f"expected ECN min of at most max, found min {low} and max {high} bytes (lower min)"
        findings.append(Finding("ecn-order", "error", text))
    return (everyone, alone), tuple(findings)
