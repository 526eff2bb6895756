# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which headroom a port gets, for every row that is shipped and for what lies between and beyond."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.headroom import headroom, lower_bound
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.link import SPEEDS
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.published import read
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.tables import table, tables

CHIPS = sorted(read("asics")["asics"])
SKUS = [t.sku for t in tables()]
# A name in the data, a name that is not, and none.
WHERE = st.one_of(
    st.sampled_from(SKUS).map(lambda s: {"sku": s}),
    st.sampled_from(CHIPS).map(lambda a: {"asic": a}),
    st.sampled_from([{}, {"asic": "newchip"}, {"sku": "NEWBOX", "asic": "spectrum4"}]),
)
SPEED = st.sampled_from(SPEEDS)
LENGTH = st.one_of(st.integers(1, 600), st.integers(1, 120000), st.sampled_from([5, 30, 40, 300, 500, 1000, 2000]))
MTU = st.sampled_from([1500, 4200, 9000, 9214, 9216])


@pytest.mark.parametrize("sku", SKUS)
def test_every_shipped_row(sku: str):
    """A trusted table is the answer, a distrusted one is the least of it."""
    found = table(sku)
    assert found is not None
    for speed, lengths in found.rows.items():
        for cable, row in lengths.items():
            number = headroom(speed, cable, sku=sku)
            if found.distrust:
                assert number.value >= row.xoff, (speed, cable)
                assert any("is not used" in w for w in number.warnings)
            else:
                assert (number.value, number.source) == (row.xoff, found.source), (speed, cable)
                assert not any("no row" in w for w in number.warnings)


def test_rows_copied_separately(vectors: dict[str, Any]):
    """Guards the data file: the same rows, taken from the sources a second time."""
    for sku, gbps, cable, size, xon, xoff, exponent in vectors["shipped_headroom"]:
        found = table(sku)
        assert found is not None, sku
        row = found.rows[gbps * 1000][cable]
        assert (row.size, row.xon, row.xoff, row.threshold) == (size, xon, xoff, exponent), (sku, gbps, cable)
    assert len(vectors["shipped_headroom"]) == 97


def test_size_of_data():
    assert (len(tables()), sum(len(r) for t in tables() for r in t.rows.values())) == (20, 375)


@settings(max_examples=400, deadline=None)
@given(where=WHERE, speed=SPEED, cable=LENGTH, more=st.integers(0, 3000), mtu=MTU)
def test_a_longer_cable_never_takes_less(where: dict, speed: int, cable: int, more: int, mtu: int):
    longer = min(cable + more, 120000)
    assert headroom(speed, longer, mtu=mtu, **where).value >= headroom(speed, cable, mtu=mtu, **where).value


@settings(max_examples=400, deadline=None)
@given(where=WHERE, speeds=st.lists(SPEED, min_size=2, max_size=2), cable=LENGTH, mtu=MTU)
def test_a_faster_port_never_takes_less(where: dict, speeds: list[int], cable: int, mtu: int):
    slow, fast = sorted(speeds)
    assert headroom(fast, cable, mtu=mtu, **where).value >= headroom(slow, cable, mtu=mtu, **where).value


@settings(max_examples=400, deadline=None)
@given(chip=st.sampled_from(CHIPS), speed=SPEED, cable=LENGTH, mtu=MTU)
def test_without_sku_never_below_a_shipped_row_that_is_no_faster_and_no_longer(
    chip: str, speed: int, cable: int, mtu: int
):
    value = headroom(speed, cable, asic=chip, mtu=mtu).value
    for t in tables():
        if t.asic == chip and not t.distrust:
            for s, lengths in t.rows.items():
                shipped = max((r.xoff for m, r in lengths.items() if s <= speed and m <= cable), default=0)
                assert value >= shipped, (t.sku, s)


@settings(max_examples=300, deadline=None)
@given(sku=st.sampled_from(SKUS), speed=SPEED, cable=LENGTH)
def test_with_sku_never_below_its_rows_that_are_no_faster_and_no_longer(sku: str, speed: int, cable: int):
    value = headroom(speed, cable, sku=sku).value
    found = table(sku)
    assert found is not None
    rows = [r.xoff for s, by in found.rows.items() for m, r in by.items() if s <= speed and m <= cable]
    assert value >= max(rows, default=0)


@settings(max_examples=200, deadline=None)
@given(chip=st.sampled_from([*CHIPS, "newchip"]), speed=SPEED, cable=LENGTH, mtu=MTU)
def test_a_formula_is_never_below_the_standard_and_always_warns(chip: str, speed: int, cable: int, mtu: int):
    number = headroom(speed, cable, asic=chip, mtu=mtu)
    assert number.value >= lower_bound(speed, cable, mtu).value
    assert number.warnings[-1].startswith("not a value of the vendor")


def test_between_two_rows_the_line_is_taken():
    number = headroom(800000, 100, sku="SN5600")
    # 362496 + 60/260 x (1150976 - 362496), in whole KiB; the vendor's formula gives the same here.
    assert number.value == 544768
    assert number.warnings == ("no row for 800G and 100 m, taken: line between the rows for 800G and 40 m and 300 m",)


def test_a_faster_row_can_be_less_than_a_longer_one():
    """This table has 100G at 500 m only; 400G at 5 m is enough for 100G at 5 m."""
    number = headroom(100000, 5, sku="7060X6-64PE-B-P32O64")
    assert (number.value, dict(number.inputs)["rows"]) == (425958, "400G 5 m")


def test_beyond_the_table_the_formula_is_named():
    number = headroom(400000, 2000, sku="SN5600")
    assert number.value > headroom(400000, 300, sku="SN5600").value
    assert "the table of ACS-SN5600 ends before 400G and 2000 m" in number.warnings
    assert "buffer_headroom_mellanox.lua" in number.source


def test_tomahawk5_below_100g_does_not_use_the_fit():
    slow = headroom(50000, 20000, asic="tomahawk5")  # far beyond every table
    assert slow.formula.startswith("sum of the standard")
    assert "2.14 us" in headroom(400000, 40, asic="tomahawk5").formula


def test_a_value_below_the_standard_is_said():
    number = headroom(100000, 5, sku="SN5640")
    assert number.value == 44032
    assert any("less than the 54637 bytes" in w for w in number.warnings)


def test_names_of_products_and_skus():
    assert headroom(400000, 5, sku="sn5600").value == headroom(400000, 5, sku="ACS-SN5600").value == 231424
    assert headroom(400000, 5, sku="SN5600-C256S1").value == 86016
    assert "no headroom table of SN5610N is known" in headroom(400000, 5, sku="SN5610N", asic="spectrum4").warnings


def test_a_chip_that_contradicts_the_sku_is_said():
    warnings = headroom(400000, 5, sku="SN5600", asic="tomahawk5").warnings
    assert warnings == ("ACS-SN5600 has a spectrum4, not the stated tomahawk5; the SKU decides",)


@pytest.mark.parametrize(("name", "cell"), [
    ("Spectrum-4", 192), ("spectrum4", 192), ("Tomahawk 5", 254), ("tomahawk4-50g", 254), ("Jericho2C+", 4096),
    ("spectrum", 96), ("Spectrum-1", 96), ("cloudscale-FX2", 208), ("tomahawk", 208),
    # Other chips: nothing is known of them.
    ("spectrum-x", 256), ("tomahawk7", 256), ("spectrum44", 256),
])  # fmt: skip
def test_names_of_chips(name: str, cell: int):
    assert dict(headroom(100000, 5, asic=name).inputs)["cell"] == cell


@pytest.mark.parametrize(("arguments", "text"), [
    ((1000, 5, 9216), "expected a speed of 10000"),
    ((100000, 0, 9216), "expected a cable of 1 to 120000 m, found 0"),
    ((100000, 5, 9500), "expected an mtu of 1500 to 9216 bytes, found 9500"),
])  # fmt: skip
def test_what_no_port_can_be(arguments: tuple[int, int, int], text: str):
    speed, cable, mtu = arguments
    with pytest.raises(ValueError, match=text):
        headroom(speed, cable, mtu=mtu)


def test_the_record_can_be_printed_and_is_plain_data():
    number = headroom(400000, 40, sku="SN5600")
    assert str(number).startswith(
        "headroom 283648 bytes = xoff of the vendor's table (sku ACS-SN5600, speed Mb/s 400000, cable m 40, "
        "rows 400G 40 m, port mtu of the table 9216) [sonic-net/sonic-buildimage 086b03bd70f9 "
    )
    assert number.as_dict()["inputs"]["cable m"] == 40
