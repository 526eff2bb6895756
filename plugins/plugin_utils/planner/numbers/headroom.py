# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which headroom a port gets: the vendor's table of the SKU, else a formula that errs to the safe side."""

from __future__ import annotations

from functools import cache

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers import formulas
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.asics import ASSUMED_CELL, UNKNOWN, Asic
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.asics import asic as find_asic
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.link import SPEEDS, gbps
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.record import Inputs, Number
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.tables import Cover, Table, table, tables

NAME = "headroom"
LONGEST = 120000  # m, the longest cable any vendor ships a row for
SHIPPED_MTU = 9216  # port MTU the shipped tables are made for


def check_port(speed: int, cable_length: int, mtu: int) -> None:
    """ValueError for what no port of the model can be."""
    if speed not in SPEEDS:
        raise ValueError(f"expected a speed of {', '.join(map(str, SPEEDS))} Mb/s, found {speed} (state one of them)")
    if not 1 <= cable_length <= LONGEST:
        raise ValueError(f"expected a cable of 1 to {LONGEST} m, found {cable_length} (state its length)")
    if not 1500 <= mtu <= SHIPPED_MTU:
        raise ValueError(f"expected an mtu of 1500 to {SHIPPED_MTU} bytes, found {mtu} (change it)")


def lower_bound(speed: int, cable_length: int, mtu: int = SHIPPED_MTU, lossless_mtu: int = 4096) -> Number:
    """Sum of the standard. Nothing below it is safe with a peer that uses the time the standard gives it."""
    warnings = []
    if speed not in formulas.INTERFACE:
        warnings.append(f"no interface delay is published for {gbps(speed)}; it is left out")
    return Number(
        "headroom, lower bound",
        formulas.ieee(speed, cable_length, mtu, lossless_mtu),
        "bytes",
        "(own frame + PFC frame + interface + 2 x cable + response of the peer + lossless frame) / 8",
        _inputs(speed, cable_length, mtu, lossless_mtu),
        formulas.IEEE_SOURCE,
        tuple(warnings),
    )


@cache
def headroom(
    speed: int,
    cable_length: int,
    *,
    asic: str | None = None,
    sku: str | None = None,
    mtu: int = SHIPPED_MTU,
    lossless_mtu: int = 4096,
) -> Number:
    """Bytes a port must take in after it decided to send PAUSE, per lossless priority (xoff).

    speed Mb/s, cable_length m, mtu and lossless_mtu bytes. sku: name of the table or product, wins over asic.
    """
    check_port(speed, cable_length, mtu)
    shipped = table(sku)
    chip = find_asic(shipped.asic if shipped is not None else asic)
    step = _step(chip)
    warnings = []
    if shipped is not None and asic is not None and find_asic(asic).name != shipped.asic:
        warnings.append(f"{shipped.sku} has a {shipped.asic}, not the stated {asic}; the SKU decides")
    if shipped is not None and not shipped.distrust:
        cover = shipped.cover(speed, cable_length, step)
        if cover is not None:
            return _from_table(shipped, cover, speed, cable_length, mtu, lossless_mtu, warnings)
        warnings.append(f"the table of {shipped.sku} ends before {gbps(speed)} and {cable_length} m")
    elif shipped is not None:
        warnings.append(f"the table of {shipped.sku} is not used: {shipped.distrust}")
    elif sku is not None:
        warnings.append(f"no headroom table of {sku} is known")
    else:
        warnings.append("no SKU is stated, so no vendor table can be used")
    return _from_formula(chip, shipped, speed, cable_length, mtu, lossless_mtu, warnings, asic)


def _step(chip: Asic) -> int:
    """Bytes in which the vendor counts."""
    return formulas.KIB if chip.family == "nvidia" or chip.cell is None else chip.cell


def _inputs(speed: int, cable_length: int, mtu: int, lossless_mtu: int) -> Inputs:
    return (("speed Mb/s", speed), ("cable m", cable_length), ("mtu", mtu), ("lossless mtu", lossless_mtu))


def _from_table(
    shipped: Table, cover: Cover, speed: int, cable: int, mtu: int, lossless_mtu: int, warnings: list[str]
) -> Number:
    words = cover.words(speed, cable)
    if words:
        warnings.append(words)
    least = formulas.ieee(speed, cable, mtu, lossless_mtu)
    if cover.xoff < least:
        warnings.append(
            f"the vendor ships less than the {least} bytes that IEEE 802.1Qbb sums up (a peer that takes"
            " all the time the standard allows would overrun it)"
        )
    rows = " and ".join(f"{m} m" for m in cover.rows)
    return Number(
        NAME,
        cover.xoff,
        "bytes",
        "xoff of the vendor's table" if not words else "xoff of the vendor's table, nearest rows that are enough",
        (
            ("sku", shipped.sku),
            ("speed Mb/s", speed),
            ("cable m", cable),
            ("rows", f"{gbps(cover.speed)} {rows}"),
            ("port mtu of the table", SHIPPED_MTU),
        ),
        shipped.source,
        tuple(warnings),
    )


def _from_formula(
    chip: Asic,
    own: Table | None,
    speed: int,
    cable: int,
    mtu: int,
    lossless_mtu: int,
    warnings: list[str],
    asked: str | None,
) -> Number:
    value, formula, source = _formula(chip, speed, cable, mtu, lossless_mtu)
    if chip is UNKNOWN:
        warnings.append(
            f"the chip {asked} is not in the data" if asked else "no chip is stated, so nothing of it is known"
        )
    if chip.weak_cell:
        warnings.append(f"{chip.name}: {chip.weak_cell}")
    if chip.cell is None:
        warnings.append(f"the cell size of the chip is not known, {ASSUMED_CELL} bytes are assumed")
    step = _step(chip)
    for other in (t for t in tables() if t is own or (t.asic == chip.name and not t.distrust)):
        cover = other.cover(speed, cable, step)
        floor = other.floor(speed, cable, step) if cover is None else cover.xoff
        if floor > value:
            value, formula, source = floor, f"most that is shipped for {chip.name}: {other.sku}", other.source
    warnings.append("not a value of the vendor; replace it by the vendor's, or state headroom")
    return Number(
        NAME,
        value,
        "bytes",
        formula,
        (("chip", chip.name), ("cell", chip.cell or ASSUMED_CELL), *_inputs(speed, cable, mtu, lossless_mtu)),
        source,
        tuple(warnings),
    )


def _formula(chip: Asic, speed: int, cable: int, mtu: int, lossless_mtu: int) -> tuple[int, str, str]:
    if chip.family == "nvidia":
        text = (
            f"lossless mtu + ({SHIPPED_MTU} + cable + 0.8 KiB + response + tile) x {chip.packing}, rounded up to 1 KiB"
            + (f", + {chip.extra}" if chip.extra else "")
            + " (upper bound: smallest packets only)"
        )
        # The shipped tables are made for this MTU; with less the formula could fall below them.
        return formulas.nvidia(chip, speed, cable, SHIPPED_MTU, lossless_mtu), text, formulas.NVIDIA_SOURCE
    if chip.family == "tomahawk5" and speed >= 100000:
        text = "(21598 + speed / 8 x (2.14 us + 2 x length x 5 ns)) / 84 cells of 254 bytes"
        return formulas.tomahawk5(speed, cable), text, formulas.FIT_SOURCE
    if chip.family == "tomahawk6" and speed >= 50000:
        text = "(19073 + speed / 8 x (2.235 us + 2 x length x 5 ns)) / 84 cells of 420 bytes, + 4 percent"
        return formulas.tomahawk6(speed, cable), text, formulas.FIT_SOURCE
    text = "sum of the standard with the slowest published interface, x cell / 84 (smallest frames only), + 15 percent"
    if chip.packing is not None:
        text = f"sum of the standard with the slowest published interface, x {chip.packing}, + 15 percent"
    return formulas.estimate(chip, speed, cable, mtu), text, formulas.IEEE_SOURCE
