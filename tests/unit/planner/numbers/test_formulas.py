# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Headroom formulas against worked values and against what vendors ship."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers import formulas
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.asics import Asic, asic
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.tables import table, tables

NVIDIA = [t for t in tables() if t.asic.startswith("spectrum")]


def rows(sku: str) -> list[tuple[int, int, int]]:
    found = table(sku)
    assert found is not None
    return [(s, m, row.xoff) for s, lengths in found.rows.items() for m, row in lengths.items()]


def test_worked_values(vectors: dict[str, Any]):
    chip = asic("spectrum4")
    for gbps, m, cable, ieee, _, most, tuned, tomahawk5 in vectors["worked_headroom"]:
        speed = gbps * 1000
        # The worked table cuts fractions of a byte off.
        assert formulas.cable_bytes(speed, m) - cable in (0, 1), (gbps, m)
        assert formulas.ieee(speed, m, 9216, 9216) - ieee in (0, 1), (gbps, m)
        assert formulas.nvidia(chip, speed, m, 9216, 1024) == most, (gbps, m)
        assert formulas.nvidia(chip, speed, m, 9216, 4096, 50) == tuned, (gbps, m)
        assert formulas.tomahawk5(speed, m) == tomahawk5, (gbps, m)
    assert len(vectors["worked_headroom"]) == 28


@pytest.mark.parametrize(("sku", "chip", "lossless", "small", "count"), [
    ("SN5600", "spectrum4", 1024, 100, 24),
    ("SN5640", "spectrum5", 4096, 50, 42),
])  # fmt: skip
def test_nvidia_formula_gives_whole_tables(sku: str, chip: str, lossless: int, small: int, count: int):
    wrong = [
        (s, m, xoff) for s, m, xoff in rows(sku) if formulas.nvidia(asic(chip), s, m, 9216, lossless, small) != xoff
    ]
    assert (wrong, len(rows(sku))) == ([], count)


def test_nvidia_formula_differs_where_the_table_does():
    """SN5600-C256S1: the formula is above the shipped 1000 m rows and most 250 m rows of this SKU, never below."""
    off = {(s, m): formulas.nvidia(asic("spectrum4"), s, m, 9216, 4096, 50) - x for s, m, x in rows("SN5600-C256S1")}
    assert {m for (_, m), d in off.items() if d} <= {250, 1000}
    assert all(0 <= d <= 9216 for d in off.values())


def test_nvidia_upper_bound_is_never_below_a_shipped_row():
    below = [
        (t.sku, s, m)
        for t in NVIDIA
        for s, m, xoff in rows(t.sku)
        if formulas.nvidia(asic(t.asic), s, m, 9216, 1024) < xoff
    ]
    assert below == []
    assert sum(len(rows(t.sku)) for t in NVIDIA) == 174


def test_tomahawk5_fit_within_one_percent_where_it_is_used():
    checked = [(s, m, x) for s, m, x in rows("Z9864F") if s >= 100000]
    assert len(checked) == 12
    assert [(s, m) for s, m, x in checked if abs(formulas.tomahawk5(s, m) / x - 1) > 0.011] == []


def test_tomahawk5_fit_is_too_low_for_slow_ports():
    """Why headroom does not use it below 100G."""
    assert formulas.tomahawk5(10000, 300) < 0.4 * {(s, m): x for s, m, x in rows("Z9864F")}[10000, 300]


def test_tomahawk6_fit_is_never_below_a_row_where_it_is_used():
    checked = [(s, m, x) for s, m, x in rows("NH-4210") if s >= 50000]
    assert len(checked) == 25
    assert [(s, m) for s, m, x in checked if not 1 <= formulas.tomahawk6(s, m) / x < 1.09] == []


def test_estimate_is_below_a_shipped_row_only_where_a_table_repeats_faster_ports():
    """Tables of Tomahawk 5 and 6 have one value for several speeds; the estimate counts each speed for itself."""
    below, count = [], 0
    for t in tables():
        if t.distrust or t in NVIDIA:
            continue
        for speed, cable, xoff in rows(t.sku):
            count += 1
            if formulas.estimate(asic(t.asic), speed, cable, 9216) < xoff:
                below.append((t.sku, speed, cable))
    repeats = {
        "Dell-Z9864f-O64": (10000, 25000, 40000, 50000),
        "NH-4210-F-O256": (25000,),
        "Arista-7060X6-64PE-B-P32O64": (100000,),
        "Arista-7060X6-64PE-B-O128": (100000,),
    }
    assert [b for b in below if b[1] not in repeats.get(b[0], ())] == []
    assert (len(below), count) == (20, 156)


def test_estimate_without_packing_is_the_sum_and_its_margin():
    chip = Asic("test", cell=1, packing=1)
    for speed in (10000, 25000, 40000, 100000):
        plain = formulas.ieee(speed, 40, 9216, 9216)
        # 0.051 ns/m is what the slower light adds.
        most = (plain + 2 * 40 * 0.051 * speed / 8000 + 1) * 1.15 + 1
        assert plain * 1.14 < formulas.estimate(chip, speed, 40, 9216) <= most, speed
