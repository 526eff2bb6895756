# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NX-OS templates against committed text (UPDATE_GOLDEN=1 writes it anew), units, and what NX-OS cannot express."""

from __future__ import annotations

import os

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import ModelError
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Ecn, Lldp, PfcWatchdog
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import CONCERNS
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos import filters, ownership
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render
from tests.unit.switch.nxos.support import GOLDEN, driver, model_data, underlay_data


@pytest.mark.parametrize("name", ["intended", "underlay"])
def test_golden(name):
    rendered = render(driver(underlay_data() if name == "underlay" else None).model)
    text = "".join(f"! {concern}\n{rendered[concern]}" for concern in CONCERNS)
    path = GOLDEN / f"{name}.cfg"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_variants_of_the_policy():
    data = model_data()
    data["lldp"]["enabled"] = False
    data["ecmp"] = {"hash": ["source-ip", "destination-ip"]}
    data["roce"]["trust"] = "cos"
    data["roce"]["pfc_watchdog"] |= {"enabled": False}
    data["roce"]["classes"].append(
        {"name": "control", "priority": 7, "queue": 6, "dscp": [56], "cos": [7], "scheduler": {"type": "strict"}}
    )
    text = render(driver(data).model)
    assert text["lldp"] == ""
    assert text["ecmp"] == "ip load-sharing address source-destination\n"
    assert "class-map type qos match-any ROCE-roce\n  match cos 3\n" in text["qos"]
    assert "priority-flow-control watch-dog-interval off\n" in text["qos"]
    assert "shutdown-multiplier" not in text["qos"]
    # the higher queue is served first
    assert "c-out-8q-q7\n    priority level 1\n" in text["qos"]
    assert "c-out-8q-q6\n    priority level 2\n" in text["qos"]
    assert text["ports"].count("priority-flow-control watch-dog-interval off") == 4


def test_a_watchdog_that_only_reports():
    data = model_data()
    data["roce"]["pfc_watchdog"]["action"] = "notify"
    text = render(driver(data).model)["ports"]
    assert text.count("  priority-flow-control watch-dog-interval on disable-action\n") == 3


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (150000, 1500000, "150 kbytes maximum-threshold 1500 kbytes"),  # 1 kbyte is 1000 bytes
        (1000, 1000, "1 kbytes maximum-threshold 1 kbytes"),
        (153600, 1536000, "153600 bytes maximum-threshold 1536000 bytes"),  # 150 and 1500 KiB: said in bytes, exactly
        (166912, 282624, "166912 bytes maximum-threshold 282624 bytes"),
        (999, 1500000, "999 bytes maximum-threshold 1500000 bytes"),  # one unit for both
    ],
)
def test_thresholds_are_exact_in_whatever_unit(low, high, expected):
    line = filters.random_detect(Ecn(min=low, max=high, probability=7))
    assert line == f"random-detect minimum-threshold {expected} drop-probability 7 weight 0 ecn"
    assert ownership.wred(line) == [line]


@pytest.mark.parametrize(
    ("shown", "normal"),
    [
        ("1 mbytes maximum-threshold 2 mbytes", "1000 kbytes maximum-threshold 2000 kbytes"),
        ("150000 bytes maximum-threshold 1500 kbytes", "150 kbytes maximum-threshold 1500 kbytes"),
        ("150 kbytes maximum-threshold 1500001 bytes", "150000 bytes maximum-threshold 1500001 bytes"),
    ],
)
def test_thresholds_that_the_switch_shows_in_another_unit_are_the_same(shown, normal):
    line = f"random-detect minimum-threshold {shown} drop-probability 7 weight 0 ecn"
    assert ownership.wred(line) == [f"random-detect minimum-threshold {normal} drop-probability 7 weight 0 ecn"]


def test_random_detect_in_a_form_of_somebody_else_stays_as_it_is():
    assert ownership.wred("random-detect threshold burst-optimized ecn") == [
        "random-detect threshold burst-optimized ecn"
    ]


def test_watchdog_times_become_multiples_of_the_interval():
    dog = PfcWatchdog(poll_ms=200, detect_ms=600, restore_ms=4000)
    assert (filters.shutdown_multiplier(dog), filters.restore_multiplier(dog)) == (3, 20)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: filters.shutdown_multiplier(PfcWatchdog(detect_ms=1100)),
            r"detect_ms: expected at most 10 times poll_ms 100 .*found 1100",
        ),
        (
            lambda: filters.restore_multiplier(PfcWatchdog(restore_ms=20000)),
            r"restore_ms: expected at most 100 times .*found 20000",
        ),
        (
            lambda: filters.lldp_holdtime(Lldp(interval=60, hold_multiplier=5)),
            r"switch.lldp: expected .* 10 to 255 s, found .*= 300",
        ),
        (lambda: filters.load_sharing(["source-ip"]), r"switch.ecmp.hash: expected one of: .*found .*source-ip"),
    ],
)
def test_what_nxos_does_not_take_is_an_error_before_any_switch_is_touched(call, message):
    with pytest.raises(ModelError, match=message):
        call()


def test_names_that_are_too_long_and_classes_without_value():
    data = model_data()
    data["roce"]["profile"] = "R" * 32
    data["roce"]["classes"][1]["name"] = "a-rather-long-name"
    with pytest.raises(ModelError, match="expected a class-map name of at most 40 characters"):
        render(driver(data).model)
    data = model_data()
    data["roce"]["trust"] = "cos"
    del data["roce"]["classes"][2]["cos"]
    with pytest.raises(ModelError, match=r"switch\.roce\.classes\.cnp\.cos: expected values, as trust is cos"):
        render(driver(data).model)


@pytest.mark.parametrize(
    ("values", "text"), [([3], "3"), ([1, 2], "1-2"), ([26, 24], "24,26"), ([10, 11, 12, 20, 1], "1,10-12,20")]
)
def test_lists_of_numbers(values, text):
    assert filters.id_ranges(values) == text
    assert filters.expand_ids(text) == sorted(values)


@pytest.mark.parametrize(
    ("line", "singles"),
    [
        ("match dscp 24,26", ["match dscp 24", "match dscp 26"]),
        ("match dscp 24-26", ["match dscp 24", "match dscp 25", "match dscp 26"]),
        ("match ip dscp af31, cs6", ["match dscp 26", "match dscp 48"]),
        ("match dscp ef", ["match dscp 46"]),
        ("match cos 3-4", ["match cos 3", "match cos 4"]),
    ],
)
def test_matches_are_compared_value_by_value(line, singles):
    assert ownership.single_matches(line) == singles


def test_headroom_is_rounded_up_to_cells_and_named_by_its_size():
    assert filters.to_cells(27456) == 27456
    assert filters.to_cells(27457) == 27664
    assert filters.pause_buffer(27456) == "pause buffer-size 39936 pause-threshold 12480 resume-threshold 12480"
