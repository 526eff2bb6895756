# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of the NIC, and what a healthy fabric reaches."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.expected import (
    acceptance,
    bus_bandwidth,
    goodput,
    l3_mtu_needed,
    traffic_class_byte,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.fabric import nic_numbers
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.link import (
    bandwidth_delay,
    in_flight,
    longest_pause,
    response,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.nic import (
    checked_parameters,
    dcqcn,
    mlx5_buffer,
)


def test_mlx5_headroom(vectors: dict[str, Any]):
    for case in vectors["mlx5"]:
        number = mlx5_buffer(case["speed_gbps"] * 1000, case["cable_m"], case["mtu"]).xoff
        assert number.value == case["xoff_bytes"], case
    assert len(vectors["mlx5"]) == 30


def test_mlx5_thresholds():
    buffer = mlx5_buffer(400000, 5, 9216)
    assert buffer.least.value == 149467 + 9216 + 128
    assert buffer.thresholds(200000) == (200000 - 149467, 200000 - 149467 - 9216)
    # XON stays 9216 below XOFF even with a smaller MTU.
    small = mlx5_buffer(400000, 5, 4200)
    stop, go = small.thresholds(200000)
    assert stop - go == 9216


def test_dcqcn_defaults_stay():
    values = {n.name: n.value for n in dcqcn(400000)}
    assert (values["RPG_AI_RATE"], values["RPG_HAI_RATE"], values["RPG_TIME_RESET"]) == (5, 50, 300)
    assert (values["CNP_DSCP"], values["CNP_802P_PRIO"], values["ROCE_CC_PRIO_MASK"]) == (48, 6, 255)
    assert len(values) == 20


@pytest.mark.parametrize(
    ("speed", "rates"), [(10000, (5, 50)), (25000, (5, 50)), (100000, (20, 200)), (400000, (80, 800))]
)
def test_dcqcn_rates_scaled_by_speed(speed: int, rates: tuple[int, int]):
    values = {n.name: n.value for n in dcqcn(speed, "rate-scaled")}
    assert (values["RPG_AI_RATE"], values["RPG_HAI_RATE"]) == rates


def test_dcqcn_agrees_with_the_fabric():
    numbers = {n.name: n for n in nic_numbers(400000, 5, priorities=(3,), cnp_dscp=46, cnp_priority=7).dcqcn}
    assert [numbers[name].value for name in checked_parameters()] == [8, 46, 7]
    assert {numbers[name].source for name in checked_parameters()} == {"stated in the intent"}


def test_unknown_dcqcn_profile():
    with pytest.raises(ValueError, match="expected DCQCN profile vendor-default or rate-scaled, found fast"):
        dcqcn(400000, "fast")


def test_goodput(vectors: dict[str, Any]):
    for case in vectors["goodput"]:
        speed = case["link_gbps"] * 1000
        assert goodput(speed, case["path_mtu"]).value == pytest.approx(case["goodput_gbps"], abs=0.0006), case
        passing, failing = acceptance(speed, case["path_mtu"])
        assert passing.value == pytest.approx(case["accept_gbps"], abs=0.006), case
        assert failing.value < passing.value
    assert len(vectors["goodput"]) == 18


def test_goodput_with_ipv6_and_vlan():
    assert goodput(100000, 4096, ipv6=True).value == pytest.approx(97.57, abs=0.005)
    assert goodput(100000, 4096, vlan=True).value == pytest.approx(97.94, abs=0.005)
    with pytest.raises(ValueError, match="expected an RDMA MTU"):
        goodput(100000, 1500)


@pytest.mark.parametrize(("path_mtu", "needed"), [(1024, 1084), (2048, 2108), (4096, 4156)])
def test_mtu_that_a_path_mtu_needs(path_mtu: int, needed: int):
    assert l3_mtu_needed(path_mtu) == needed


def test_bus_bandwidth(vectors: dict[str, Any]):
    for case in vectors["busbw_bounds"]:
        ring, hierarchical = bus_bandwidth(case["nodes"], case["gpus_per_node"], 400000)
        assert ring.value == pytest.approx(case["ring"], abs=0.06), case
        assert hierarchical.value == pytest.approx(case["hierarchical"], abs=0.06), case
    assert len(vectors["busbw_bounds"]) == 6
    with pytest.raises(ValueError, match="expected at least 2 nodes"):
        bus_bandwidth(1, 8, 400000)


def test_traffic_class_bytes(vectors: dict[str, Any]):
    for case in vectors["nccl_tc"]:
        assert traffic_class_byte(case["dscp"], case["ecn"]) == case["tc"]
    with pytest.raises(ValueError, match="expected DSCP 0 to 63"):
        traffic_class_byte(64)


@pytest.mark.parametrize(("speed", "microseconds"), [(10000, 3355.4), (100000, 335.5), (400000, 83.9), (800000, 41.9)])
def test_longest_pause(speed: int, microseconds: float):
    assert longest_pause(speed).value == microseconds


def test_link_numbers():
    assert [bandwidth_delay(s, 8).value for s in (100000, 400000, 800000)] == [100000, 400000, 800000]
    assert in_flight(400000, 40).value == 20000
    assert response(400000).value == pytest.approx(905 * 512 / 400000, abs=0.001)
    assert response(800000).warnings
    assert not response(400000).warnings
