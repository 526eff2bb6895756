# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Buffer budget, ECN before PFC and watchdog of a switch."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.ecn import (
    all_ports_limit,
    before_pfc,
    curve,
    one_port_limit,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.fabric import (
    SwitchNumbers,
    port_numbers,
    switch_numbers,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.watchdog import watchdog


def switch(sku: str, *, ports: int = 64, speed: int = 800000, cable: int = 40, **more: Any) -> SwitchNumbers:
    each = port_numbers(speed, cable, sku=sku)
    return switch_numbers([each] * ports, **{"platform": "nvue", "sku": sku, **more})


def found(numbers: SwitchNumbers) -> list[tuple[str, str]]:
    return [(f.check, f.severity) for f in numbers.findings]


# -- budget -----------------------------------------------------------------------------------------------------------


def test_headroom_of_a_full_spectrum4():
    one, two = switch("SN5600"), switch("SN5600", priorities=2)
    assert one.budget.needed.value == 64 * 362496
    assert two.budget.needed.value == 2 * 64 * 362496
    assert (found(one), one.budget.priorities_that_fit.value) == ([], 1)
    assert found(two) == [("headroom-budget", "warning")]
    assert one.budget.shared.value == (158229504 - 64 * 362496) // 2


def test_oversubscribed_headroom_pool_of_a_tomahawk5():
    """Dell ships 33.4 MB; 64 x 800G at 40 m need 1.6 times that for one priority and 3.2 times for two."""
    one = switch("Z9864F", platform="eos")
    assert (one.budget.needed.value, one.budget.limit.value) == (64 * 835406, 33400000)
    assert ("headroom-budget", "warning") in found(one)
    assert one.findings[0].margin == pytest.approx(-0.6008, abs=1e-4)
    assert "1.6 times as much" in one.findings[0].text
    assert ("headroom-budget", "error") in found(switch("Z9864F", platform="eos", priorities=4))
    assert one.budget.ports_that_fit.value == 33400000 // 835406 == 39


def test_headroom_that_does_not_fit_into_the_buffer():
    full = switch("SN5600", cable=300, priorities=3)
    assert ("headroom-budget", "error") in found(full)
    assert full.budget.shared.value == 0


def test_a_pool_of_its_own_is_not_taken_from_the_buffer():
    numbers = switch("IXR7220-D4", ports=36, speed=400000, platform="eos")
    assert numbers.budget.shared.value == 84219120 // 2


def test_stated_sizes_win():
    numbers = switch("SN5600", buffer=100_000_000, headroom_pool=30_000_000, lossless_pool_percent=60)
    assert (numbers.budget.limit.value, numbers.budget.shared.value) == (30_000_000, 42_000_000)
    assert found(numbers) == []


def test_unknown_buffer_is_said():
    each = port_numbers(100000, 5, asic="cloudscale")
    numbers = switch_numbers([each] * 8, platform="nxos", asic="cloudscale")
    assert (found(numbers), numbers.budget.limit, numbers.ecn_limits) == ([("buffer-unknown", "warning")], None, ())


def test_deep_buffer_is_said():
    each = port_numbers(400000, 300, asic="jericho2")
    numbers = switch_numbers([each] * 36, platform="eos", asic="jericho2")
    assert ("buffer-unknown", "warning") in found(numbers)


def test_a_switch_without_lossless_ports():
    numbers = switch_numbers([], platform="nvue", asic="spectrum4")
    assert (numbers.budget.needed.value, numbers.budget.ports_that_fit, found(numbers)) == (0, None, [])


# -- ECN --------------------------------------------------------------------------------------------------------------


def test_dcqcn_paper(vectors: dict[str, Any]):
    (case,) = vectors["dcqcn_thresholds"]
    buffer, ports, q = case["B_kB"] * 1000, case["n_ports"], case["priorities"]
    shared = buffer - q * ports * case["t_flight_kB"] * 1000
    assert shared / (q * ports) == pytest.approx(case["t_pfc_static_max_kB"] * 1000)
    limit = all_ports_limit(int(shared), ports, q, case["beta"] / q)
    assert limit.value == pytest.approx(case["t_ecn_dynamic_max_kB"] * 1000, abs=1)


@pytest.mark.parametrize(("shared", "ports", "priorities", "alpha", "kilobytes"), [
    (52_160_000, 64, 1, 1, 408), (52_160_000, 64, 2, 1, 272),  # SN5600, generic SONiC pool
    (20_600_000, 32, 2, 1, 215),  # SN4700
    (3_300_000, 32, 2, 1, 34),  # SN2700
    (129_100_000, 64, 2, 1, 673), (129_100_000, 64, 1, 0.25, 404),  # Tomahawk 5
])  # fmt: skip
def test_limits_of_known_pools(shared: int, ports: int, priorities: int, alpha: float, kilobytes: int):
    assert round(all_ports_limit(shared, ports, priorities, alpha).value / 1000) == pytest.approx(kilobytes, abs=1)


def test_cumulus_passes_with_all_ports_but_not_with_its_max():
    shared, ports = 52_160_000, 64
    _, findings = before_pfc(150000, 1500000, 9216, shared, ports, 1, 1.0)
    assert findings == ()
    assert all_ports_limit(shared, ports, 1, 1.0).value < 1500000


@pytest.mark.parametrize(("shared", "ports"), [(52_160_000, 64), (20_600_000, 32), (3_300_000, 32), (129_100_000, 64)])
def test_the_sonic_default_of_one_mebibyte_fails_with_all_ports(shared: int, ports: int):
    (limit, _), findings = before_pfc(1048576, 2097152, 9216, shared, ports, 2, 1.0)
    assert ("ecn-before-pfc", "warning") in [(f.check, f.severity) for f in findings]
    worst = next(f for f in findings if "all" in f.text)
    assert worst.margin == pytest.approx(1 - 1048576 / limit.value, abs=1e-3)
    assert worst.margin < 0


def test_the_warning_names_how_many_ports_may_be_congested():
    _, findings = before_pfc(1_000_000, 2_000_000, 9216, 52_160_000, 64, 1, 1.0)
    assert "up to 26 congested ports" in findings[0].text
    assert all_ports_limit(52_160_000, 26, 1, 1.0).value >= 1_000_000 > all_ports_limit(52_160_000, 27, 1, 1.0).value


def test_min_beyond_a_single_port_is_an_error_and_max_a_warning():
    limit = int(one_port_limit(4_000_000, 1.0).value)
    assert limit == 2_000_000
    _, at = before_pfc(limit, 3_000_000, 9216, 4_000_000, 2, 1, 1.0)
    assert [(f.check, f.severity) for f in at] == [("ecn-before-pfc", "error")]
    _, above = before_pfc(100_000, limit, 9216, 4_000_000, 2, 1, 1.0)
    assert [(f.check, f.severity) for f in above] == [("ecn-before-pfc", "warning")]
    _, below = before_pfc(100_000, limit - 1, 9216, 4_000_000, 2, 1, 1.0)
    assert below == ()


def test_min_of_two_frames_is_too_low():
    assert [f.check for f in before_pfc(18432, 400000, 9216, 50_000_000, 8, 1, 1.0)[1]] == ["ecn-too-low"]
    assert before_pfc(18433, 400000, 9216, 50_000_000, 8, 1, 1.0)[1] == ()


def test_min_above_max_is_an_error():
    assert ("ecn-order", "error") in [
        (f.check, f.severity) for f in before_pfc(500000, 400000, 9216, 50_000_000, 8, 1, 1.0)[1]
    ]


@pytest.mark.parametrize(("profile", "speed", "wanted"), [
    ("nvidia", None, (150000, 1500000, 100)),
    ("shallow", 400000, (300000, 600000, 5)),
    ("shallow", 100000, (75000, 150000, 5)),
    ("hpcc", 25000, (100000, 400000, 20)),
    ("hpcc", 400000, (1600000, 6400000, 20)),
])  # fmt: skip
def test_profiles(profile: str, speed: int | None, wanted: tuple[int, int, int]):
    found = curve(profile, speed)
    assert found is not None
    assert tuple(found.as_model().values()) == wanted


@pytest.mark.parametrize(("platform", "chip", "wanted"), [
    ("nvue", "spectrum4", (150000, 1500000, 100)),
    ("nxos", "cloudscale", (150000, 3000000, 7)),
    ("eos", "tomahawk5", (166912, 282624, 5)),
    ("eos", "jericho2", (2000000, 10000000, 5)),
    ("eos", None, (150000, 1500000, 100)),
])  # fmt: skip
def test_vendor_default(platform: str, chip: str | None, wanted: tuple[int, int, int]):
    found = curve("vendor-default", 400000, platform=platform, asic=chip)
    assert found is not None
    assert tuple(found.as_model().values()) == wanted
    assert found.min.source


def test_a_value_published_for_another_speed_is_said():
    found = curve("vendor-default", 400000, platform="nxos")
    assert found is not None
    assert "published for 100G, used at 400G" in found.min.warnings


def test_no_speed_no_platform_no_such_profile():
    with pytest.raises(ValueError, match="expected a speed for ECN profile hpcc, found None"):
        curve("hpcc")
    with pytest.raises(ValueError, match="expected platform eos, nxos or nvue"):
        curve("vendor-default", 100000)
    with pytest.raises(ValueError, match=r"expected an ECN profile of .*, found deep"):
        curve("deep", 100000)


def test_marking_curve():
    found = curve("hpcc", 100000)
    assert found is not None
    marks = [found.mark(q) for q in (399999, 400000, 1000000, 1600000, 1600001)]
    assert marks == pytest.approx([0, 0, 0.1, 0.2, 1])


def test_pfc_only_marks_nothing_and_says_so():
    numbers = switch("SN5600", ecn="pfc-only")
    assert (numbers.ecn, found(numbers)) == (None, [("ecn-off", "warning")])


def test_explicit_thresholds_are_checked():
    numbers = switch("SN5600", ecn={"min": 20_000_000, "max": 40_000_000, "probability": 10})
    assert numbers.ecn is not None
    assert numbers.ecn.as_model() == {"min": 20_000_000, "max": 40_000_000, "probability": 10}
    assert numbers.ecn.min.source == "stated in the intent"
    assert found(numbers) == [("ecn-before-pfc", "warning")] * 2


def test_thresholds_follow_the_fastest_port_and_the_slowest_waits_longer():
    ports = [port_numbers(100000, 5, sku="SN5600")] * 8 + [port_numbers(800000, 40, sku="SN5600")] * 8
    numbers = switch_numbers(ports, platform="nvue", sku="SN5600", ecn="hpcc")
    assert numbers.ecn is not None
    assert numbers.ecn.min.value == 4 * 800000
    assert [d.value for d in numbers.ecn_delays] == [256.0, 32.0]


def test_alpha_is_that_of_the_table_unless_stated():
    assert switch("Z9332F", speed=400000, ports=32, platform="eos").alpha.value == 0.25
    assert switch("SN5600").alpha.value == 1
    assert switch("SN5600", alpha=0.5).alpha.value == 0.5


def test_everything_is_printable_with_formula_and_source():
    numbers = switch("Z9864F", platform="eos")
    for number in (*numbers.numbers(), *port_numbers(800000, 40, sku="Z9864F").numbers()):
        assert number.formula, number.name
        assert number.source, number.name
        assert str(number.value) in str(number)
        assert set(number.as_dict()) == {"name", "value", "unit", "formula", "inputs", "source", "warnings"}


def test_ports_alike_share_one_object():
    assert port_numbers(800000, 40, sku="SN5600") is port_numbers(800000, 40, sku="SN5600")


# -- watchdog ---------------------------------------------------------------------------------------------------------


def test_watchdog_defaults():
    numbers, findings = watchdog()
    assert [n.value for n in numbers[:3]] == [100, 200, 1000]
    assert findings == ()
    assert all(n.source != "stated in the intent" for n in numbers)


@pytest.mark.parametrize(("timers", "wrong"), [
    ((100, 250, 1000), "detect_ms"), ((200, 200, 1000), "detect_ms"), ((100, 200, 150), "restore_ms"),
])  # fmt: skip
def test_watchdog_timers_that_do_not_fit(timers: tuple[int, int, int], wrong: str):
    _, findings = watchdog(*timers)
    assert [f.check for f in findings] == ["watchdog-timers"]
    assert wrong in findings[0].text


def test_stated_watchdog_reaches_the_switch():
    numbers = switch("SN5600", watchdog_ms={"detect_ms": 250})
    assert found(numbers) == [("watchdog-timers", "error")]
