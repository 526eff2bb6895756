# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts of every vector, and the choice below and above 64 nodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.choose import choose, compare
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.clos import three_tier, two_tier
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.dragonfly import balanced, dragonfly
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.request import (
    Blocked,
    NodeKind,
    Request,
    SwitchKind,
)

VECTORS = json.loads(Path(__file__).with_name("vectors.json").read_text())


def node(planes: int = 1) -> NodeKind:
    return NodeKind(gpus=8, nics=8, speed=400000 * planes, planes=planes)


@pytest.mark.parametrize("vector", VECTORS["topology"], ids=lambda v: v["name"])
def test_topology(vector: dict[str, Any]):
    tiers = "three-tier" if "pods" in vector else "leaf-spine"
    # 2:1 on 64 ports: the vector leaves four ports unused so that 40 and 20 divide well; both are stated.
    stated = {"down": 40, "up": 20} if vector.get("down") == 40 else {}
    planes = vector.get("planes", 1)
    want = Request(node(planes), vector["endpoints"] // 8, SwitchKind("s", vector["radix"]), layout=tiers, **stated)
    found = choose(want)
    if "pods" in vector:
        assert found.pods == vector["pods"]
        assert found.spine_core_links == vector["spine_core_links"]
    else:
        assert (found.down, found.up) == (vector["down"], vector["up"])
        assert found.per_pair == vector["links_per_leaf_spine_pair"]
    assert (found.leaf, found.spine, found.core) == (vector["leaf"], vector["spine"], vector["core"])
    assert (found.host_links, found.leaf_spine_links) == (vector["host_links"], vector["leaf_spine_links"])
    if vector["oracle"] is not None:
        assert [found.leaf, found.spine, found.core] == vector["oracle"]


# 768 endpoints are no whole number of stripes of 40 nodes.
FULL = [vector for vector in VECTORS["topology"] if vector.get("down") != 40]


@pytest.mark.parametrize("vector", FULL, ids=lambda v: v["name"])
def test_rail_optimised_needs_the_same_switches_when_stripes_are_full(vector: dict[str, Any]):
    want = Request(node(vector.get("planes", 1)), vector["endpoints"] // 8, SwitchKind("s", vector["radix"]))
    found = (three_tier if "pods" in vector else two_tier)(want, rails=True)
    assert (found.leaf, found.spine, found.core) == (vector["leaf"], vector["spine"], vector["core"])


@pytest.mark.parametrize("vector", VECTORS["dragonfly"], ids=lambda v: f"h={v['h']}")
def test_dragonfly(vector: dict[str, Any]):
    found = balanced(vector["h"])
    seen = (found.hosts_per_router, found.routers_per_group, found.radix, found.groups, found.endpoints, found.routers)
    assert seen == tuple(vector[k] for k in ("p", "a", "radix", "groups", "endpoints", "routers"))


def test_dragonfly_of_a_size():
    assert dragonfly(1000, 15).groups == 32  # h=4: 32 endpoints per group
    assert (balanced(8).local_links, balanced(8).global_links) == (15480, 8256)
    with pytest.raises(Blocked, match="at most 1056 endpoints on routers with 15 ports"):
        dragonfly(1057, 15)


# -- choice -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "nodes, ports, layout, tiers",
    [
        (8, 64, "single", 1),
        (9, 64, "rail-optimised", 2),
        (63, 64, "rail-optimised", 2),
        (64, 1024, "rail-optimised", 2),  # a single switch would do, but from 64 nodes on it has to be several
        (256, 64, "rail-optimised", 2),
        (257, 64, "rail-optimised", 3),
    ],
)
def test_choice(nodes: int, ports: int, layout: str, tiers: int):
    found = choose(Request(node(), nodes, SwitchKind("s", ports)))
    assert (found.layout, found.hops) == (layout, 2 * tiers - 1)
    assert found.non_blocking


def test_one_nic_per_node_needs_no_rails():
    assert choose(Request(NodeKind(gpus=1, nics=1), 100, SwitchKind("s", 64))).layout == "leaf-spine"


def test_rails_share_a_leaf_when_the_stripe_is_small():
    found = choose(Request(node(), 16, SwitchKind("s", 64)))
    assert (found.leaf, found.rails_per_leaf, found.stripe_nodes) == (4, 2, 16)


def test_room_and_loss():
    found = choose(Request(node(), 32, SwitchKind("s", 64), grow_to=96))
    assert (found.leaf, found.spine, found.per_pair) == (8, 16, 2)
    assert found.room == 96  # 16 spines x 64 ports / 2 links / 8 leafs x 32 nodes = 128 nodes
    assert found.spine_loss == 0.9375
    assert found.leaf_loss == "32 nodes lose 12.5% of their bandwidth"


def test_dual_plane_and_dual_tor():
    planes = choose(Request(node(2), 64, SwitchKind("s", 128)))
    tors = choose(Request(node(2), 64, SwitchKind("s", 128), tors=2))
    assert (planes.planes, planes.leaf, planes.spine) == (2, 16, 8)
    assert (tors.planes, tors.leaf, tors.spine) == (1, 16, 8)
    assert planes.leaf_loss == tors.leaf_loss == "64 nodes lose 6.2% of their bandwidth"


def test_partial_pods_of_the_third_tier():
    """3,072 endpoints on 64 ports: 3 pods; 48 cores would do, but 32 uplinks divide by 2 only."""
    found = three_tier(Request(node(), 384, SwitchKind("s", 64)), rails=True)
    assert (found.pods, found.leaf, found.spine, found.core, found.cores_of_spine) == (3, 96, 96, 64, 2)


def test_oversubscription_of_each_tier():
    found = choose(Request(node(), 144, SwitchKind("s", 64), layout="leaf-spine", oversubscription=3))
    assert (found.down, found.up, found.leaf, found.spine) == (48, 16, 24, 8)
    assert found.tiers[0].oversubscription == 3.0
    assert not found.non_blocking
    assert found.bisection_gbps == 144 * 8 * 400 // 2 // 3


# -- what does not fit ------------------------------------------------------------------------------------------------


def test_two_tiers_say_which_tier_blocks_and_what_helps():
    with pytest.raises(Blocked) as caught:
        choose(Request(node(), 300, SwitchKind("SN5600", 64), layout="leaf-spine"))
    assert caught.value.tier == "spine"
    text = str(caught.value)
    assert "expected a spine with a port for each of 75 leafs, found SN5600 with 64 at 400G" in text
    assert "layout three-tier" in caught.value.fixes
    assert any("at most 256 nodes" in fix for fix in caught.value.fixes)


def test_every_fix_that_is_offered_was_tried():
    with pytest.raises(Blocked) as caught:
        choose(Request(node(), 16, SwitchKind("s", 64), layout="single"))
    assert "layout rail-optimised" in caught.value.fixes


def test_a_switch_that_is_too_slow():
    with pytest.raises(Blocked, match="expected ports of 400G on the leaf, found old with 100G"):
        choose(Request(node(), 4, SwitchKind("old", 32, speed=100000)))


def test_three_tiers_end_at_the_core():
    with pytest.raises(Blocked, match="expected a core with a port for each of 65 pods") as caught:
        choose(Request(node(), 64 * 128 + 1, SwitchKind("s", 64)))
    assert caught.value.tier == "core"


# -- comparison -------------------------------------------------------------------------------------------------------


def test_comparison_has_fewest_switches_first():
    found = compare(Request(node(), 8, SwitchKind("s", 64)))
    assert next(iter(found)) == "single"
    counts = [t.switches for t in found.values()]
    assert counts == sorted(counts)
    single, rails = found["single"], found["rail-optimised, two tiers"]
    assert (single.cables, single.optics(), single.hops, single.bisection_gbps) == (64, 0, 1, 12800)
    assert rails.optics() == 2 * rails.leaf_spine_links
    assert rails.optics(host_copper=False) == 2 * rails.cables
    assert set(rails.as_dict()) >= {"switches", "cables", "tiers", "room", "bisection_gbps"}
