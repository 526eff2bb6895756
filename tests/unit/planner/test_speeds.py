# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leafs whose ports to hosts and to spines have different speeds and are split differently."""

from __future__ import annotations

from collections import Counter

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import PlanError
from tests.unit.planner.designs import intent, planned

PANELS = {
    "nvue": ("swp1..32", "swp33..64", "swp1..64"),
    "nxos": ("Ethernet1/1..32", "Ethernet1/33..64", "Ethernet1/1..64"),
    "eos": ("Ethernet1..32/1", "Ethernet33..64/1", "Ethernet1..64/1"),
}


def mixed(platform: str, **profile) -> dict:
    """32 nodes with 400G NICs under leafs of 800G ports: host ports in two parts, uplinks whole."""
    hosts, uplinks, every = PANELS[platform]
    kind = {"ports": None, "host_ports": [hosts], "uplinks": [uplinks], "breakout": 2, "uplink_breakout": 1}
    data = intent(32, platform, profile={**kind, "uplink_speed": "800G", **profile}, spine="spine")
    data["policy"] = {"fec": "rs"}
    data["host_profiles"]["gpu"]["nics"] = {"rail0..7": {"speed": "400G"}}
    asic = data["switch_profiles"]["s"]["asic"]
    data["switch_profiles"]["spine"] = {"platform": platform, "asic": asic, "speed": "800G", "ports": [every]}
    return data


@pytest.mark.parametrize("platform", PANELS)
def test_hosts_at_400g_and_uplinks_at_800g_are_non_blocking(platform):
    plan = planned(mixed(platform))
    leafs = [s for s in plan.switches.values() if s.role == "leaf"]
    assert len(leafs) == 4
    for leaf in leafs:
        assert Counter((p.speed, p.peer.kind) for p in leaf.ports) == {(400000, "host"): 64, (800000, "switch"): 32}
        assert {(b.parts, b.speed) for b in leaf.breakouts} == {(2, 400000)}
        assert len(leaf.breakouts) == 32
    assert not plan.switches["spine01"].breakouts
    assert plan.panels["leaf01"] == 96
    assert not [f for f in plan.findings if f.severity == "error"]


def test_a_switch_that_states_its_speed_pins_it():
    data = mixed("nvue")
    data["switches"] = {"leaf01": {"speed": "200G"}}
    with pytest.raises(PlanError, match="expected the same speed at both ends, found 200G at leaf01:swp33 and 800G"):
        planned(data)


def test_uplinks_split_and_hosts_whole():
    data = mixed("nvue", breakout=1, uplink_breakout=2, uplink_speed="400G")
    data["switch_profiles"]["spine"]["speed"] = "400G"
    plan = planned(data)
    leaf = plan.switches["leaf01"]
    assert [p.name for p in leaf.ports if p.peer.kind == "host"][:2] == ["swp1", "swp2"]
    assert leaf.breakouts[0].model_dump() == {"port": "swp33", "parts": 2, "speed": 400000}


def test_parts_of_different_speed_are_an_error():
    data = mixed("nxos")
    data["switches"] = {"leaf01": {"ports": {"Ethernet1/1/2": {"speed": "200G"}}}}
    with pytest.raises(PlanError, match=r"expected one speed of all parts of Ethernet1/1 of leaf01, found 400000 and"):
        planned(data)


def test_a_whole_port_of_a_profile_that_splits():
    switches = {"leaf01": {"role": "leaf", "profile": "s"}, "spine01": {"role": "spine", "profile": "s"}}
    data = {"plugin": "lossless.fabric.fabric", "fabric": "test", "switches": switches}
    data["switch_profiles"] = {"s": {"platform": "nvue", "ports": ["swp1..4"], "breakout": 4}}
    data["links"] = [{"a": "leaf01:swp1", "b": "spine01:swp1s0"}]
    plan = planned(data)
    assert not plan.switches["leaf01"].breakouts
    assert [b.port for b in plan.switches["spine01"].breakouts] == ["swp1"]
    data["links"].append({"a": "leaf01:swp1s1", "b": "spine01:swp1s1"})
    with pytest.raises(PlanError, match="expected swp1 of leaf01 either whole or split, found it and swp1s1 in use"):
        planned(data)


def test_a_split_port_without_speed_is_an_error_where_the_platform_needs_one():
    switches = {"leaf01": {"role": "leaf", "profile": "s"}, "spine01": {"role": "spine", "profile": "s"}}
    data = {"plugin": "lossless.fabric.fabric", "fabric": "test", "switches": switches}
    data["switch_profiles"] = {"s": {"platform": "nxos", "ports": ["Ethernet1/1..4"], "breakout": 4}}
    data["links"] = [{"a": "leaf01:Ethernet1/1/1", "b": "spine01:Ethernet1/1/1"}]
    with pytest.raises(PlanError, match=r"expected a speed of Ethernet1/1/1 of leaf01, which nxos needs to split it"):
        planned(data)
