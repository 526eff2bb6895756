# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a design becomes: ports, addresses, underlay, bonds, numbers, and mistakes in it."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import IntentError
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.breakout import split
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking.deadlock import (
    _circle,
    _dependencies,
    _regular,
    _tiered,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking.run import check
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking.site import Site
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import PlanError
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.plan import Plan
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.site import plan_site
from tests.unit.planner.designs import SPLIT_NICS, intent, planned

ROOT = Path(__file__).parents[3]


def problem(data: dict) -> str:
    with pytest.raises(PlanError) as caught:
        planned(data)
    return str(caught.value)


# -- places -----------------------------------------------------------------------------------------------------------


def test_nic_i_of_every_node_ends_on_the_leaf_of_rail_i():
    plan = planned(intent(40))
    for number, host in enumerate(plan.hosts.values()):
        stripe, seat = divmod(number, 32)
        for nic in host.nics:
            assert nic.peer.switch == f"leaf{stripe * 8 + nic.rail + 1:02d}"
            assert nic.peer.port == f"swp{seat + 1}"
            assert (nic.vlan, nic.mode) == (100 + nic.rail, "access")


def test_hosts_and_their_gateway_share_a_subnet_of_the_leaf():
    plan = planned(intent(40))
    first, second = plan.hosts["gpu01"].nics[0], plan.hosts["gpu33"].nics[0]
    assert (first.address, second.address) == ("10.0.0.1/26", "10.0.0.65/26")
    gateways = {name: switch.gateways[0] for name, switch in plan.switches.items() if switch.gateways}
    assert gateways["leaf01"].address == "10.0.0.62/26"
    assert gateways["leaf09"].address == "10.0.0.126/26"
    assert len(plan.switches["leaf01"].gateways) == 1


def test_underlay_of_a_leaf_and_a_spine():
    plan = planned(intent(40))
    leaf, spine = plan.switches["leaf01"].underlay, plan.switches["spine01"].underlay
    assert (leaf.asn, leaf.router_id) == (4200100001, "10.254.128.1")
    assert (spine.asn, spine.router_id) == (4200001001, "10.254.64.1")
    assert (leaf.neighbors[0].port, leaf.neighbors[0].address, leaf.neighbors[0].asn) == (
        "swp33",
        "10.252.0.1",
        spine.asn,
    )
    assert (spine.neighbors[0].address, spine.neighbors[0].asn) == ("10.252.0.0", leaf.asn)
    assert {(p.within, p.length) for p in leaf.announce} == {
        ("10.254.0.0/16", 32),
        *((f"10.{rail * 16}.0.0/12", 26) for rail in range(8)),
    }


def test_unnumbered_links_have_sessions_without_address():
    plan = planned(intent(16, unnumbered=True))
    assert {n.address for s in plan.switches.values() for n in s.underlay.neighbors} == {None}
    assert not [p for s in plan.switches.values() for p in s.ports if p.mode == "routed" and p.address]


def test_routed_hosts_have_a_31_each_and_no_vlan():
    plan = planned(intent(16, hosts="routed"))
    nic = plan.hosts["gpu02"].nics[0]
    assert (nic.mode, nic.address, nic.peer.address) == ("routed", "10.0.0.17/31", "10.0.0.16/31")
    assert not any(s.vlans or s.gateways for s in plan.switches.values())
    leaf = plan.switches["leaf01"].underlay
    assert ("10.0.0.0/9", 31) in {(p.within, p.length) for p in leaf.announce}


def test_without_underlay_nothing_of_routing_is_set():
    data = intent(16)
    data["underlay"] = {"enabled": False}
    assert not any(s.underlay or s.gateways for s in planned(data).switches.values())


def test_bonds_over_two_tors():
    plan = planned(intent(8, nics=SPLIT_NICS, twin="tors", hosts="bond", uplinks=16, management="192.168.0.0/16"))
    a, b = plan.switches["leaf01"], plan.switches["leaf02"]
    assert a.pair == b.pair == "p1"
    assert (a.bonds[0].id, a.bonds[0].members, a.bonds[0].mlag_id) == (1, ("swp1",), 1)
    assert b.bonds == a.bonds
    assert a.peer_link.ports == ("swp63", "swp64")
    assert (a.peer_link.local, a.peer_link.peer, a.peer_link.primary) == ("10.253.128.0/31", "10.253.128.1", True)
    assert (b.peer_link.local, b.peer_link.primary) == ("10.253.128.1/31", False)
    assert a.peer_link.mac == b.peer_link.mac == "44:38:39:ff:00:01"
    assert a.peer_link.keepalive == plan.access["leaf02"].address == "192.168.64.2"
    first, second = (s.gateways[0] for s in (a, b))
    assert first.virtual_address == second.virtual_address
    assert first.address != second.address
    nics = {n.name: n for n in plan.hosts["gpu01"].nics}
    assert (nics["rail0p0"].bond, nics["rail0p1"].bond) == (1, 1)
    assert (nics["rail0p0"].rail, nics["rail0p1"].peer.switch) == (0, "leaf02")
    assert nics["rail0p0"].address and nics["rail0p1"].address is None


def test_planes_share_no_switch():
    plan = planned(intent(64, nics=SPLIT_NICS))
    graph = Site(plan.switches, plan.hosts).routed
    for leaf in (n for n in graph if n.startswith("leaf")):
        planes = {int(spine[-2:]) % 2 for spine in graph[leaf]}
        assert len(planes) == 1


@pytest.mark.parametrize(
    "platform, front, parts, names",
    [
        ("nvue", "swp5", 2, ("swp5s0", "swp5s1")),
        ("nxos", "Ethernet1/5", 4, tuple(f"Ethernet1/5/{n}" for n in (1, 2, 3, 4))),
        ("eos", "Ethernet5/1", 2, ("Ethernet5/1", "Ethernet5/5")),
        ("eos", "Ethernet5", 4, ("Ethernet5/1", "Ethernet5/3", "Ethernet5/5", "Ethernet5/7")),
    ],
)
def test_names_of_split_ports(platform: str, front: str, parts: int, names: tuple[str, ...]):
    assert split(platform, front, parts, 8) == names


def test_breakouts_are_listed():
    plan = planned(intent(16, profile={"ports": ["swp1..32"], "breakout": 2}))
    assert [b.model_dump() for b in plan.switches["leaf01"].breakouts[:1]] == [
        {"port": "swp1", "parts": 2, "speed": 400000}
    ]
    assert plan.panels["leaf01"] == 64


@pytest.mark.parametrize(
    ("fabric", "profile", "wanted"),
    [(False, None, False), (True, None, True), (True, False, False), (False, True, True)],
)
def test_adaptive_routing_of_the_profile_wins(fabric, profile, wanted):
    data = intent(16, platform="nxos", profile={"release": "10.5(2)", "adaptive_routing": profile})
    data["underlay"] = {"adaptive_routing": fabric}
    assert {s.underlay.adaptive_routing for s in planned(data).switches.values()} == {wanted}


def test_adaptive_routing_of_an_older_nxos_is_an_error_of_the_intent():
    data = intent(16, platform="nxos", profile={"release": "10.4(3)"})
    data["underlay"] = {"adaptive_routing": True}
    with pytest.raises(PlanError, match=r"switch_profiles.s.release: expected NX-OS 10.5 or later .* found 10.4\(3\)"):
        planned(data)


def test_cables_have_classes():
    plan = planned(intent(16, cables={"host": 3, "spine": 40}))
    assert {(c.kind, c.length, c.medium) for c in plan.cables} == {("host", 3, "DAC"), ("fabric", 40, "MMF")}
    assert plan.cables[0].label == "leaf01:swp33 - spine01:swp1"


# -- numbers ----------------------------------------------------------------------------------------------------------


def headroom(plan: Plan) -> set[int | None]:
    return {p.headroom for p in plan.switches["leaf01"].ports}


def test_headroom_of_the_vendors_table_goes_where_the_switch_takes_bytes():
    eos = planned(intent(16, platform="eos", profile={"asic": "tomahawk5", "sku": "Z9864F"}))
    table = {n: int(p.headroom.value) for n, p in eos.numbers["leaf01"].ports.items()}
    assert {p.name: p.headroom for p in eos.switches["leaf01"].ports} == table
    assert all("xoff" in p.headroom.formula for p in eos.numbers["leaf01"].ports.values())
    nvue = planned(intent(16, profile={"sku": "SN5600"}))
    assert headroom(nvue) == {None}  # the switch computes it from the cable length
    assert nvue.numbers["leaf01"].ports["swp1"].headroom.value == 231424  # SN5600, 400G, 5 m


def test_an_estimate_is_never_written():
    plan = planned(intent(16, platform="eos"))
    assert headroom(plan) == {None}
    assert plan.numbers["leaf01"].ports["Ethernet1/1"].headroom.value > 0


def test_a_stated_headroom_is_written_and_counted():
    data = intent(16)
    data["policy"]["headroom"] = 300000
    plan = planned(data)
    assert headroom(plan) == {300000}
    assert plan.numbers["leaf01"].ports["swp1"].headroom.source == "stated in the intent"
    assert plan.numbers["leaf01"].switch.budget.needed.value == 300000 * len(plan.switches["leaf01"].ports)


def test_every_number_says_where_it_comes_from():
    plan = planned(intent(16))
    numbers = [*plan.numbers["leaf01"].switch.numbers()]
    numbers += [n for p in plan.numbers["leaf01"].ports.values() for n in p.numbers()]
    numbers += [n for nic in plan.nic_numbers["gpu01"].values() for n in nic.numbers()]
    assert len(numbers) > 20
    assert all(n.formula and n.source for n in numbers)


# -- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, words",
    [
        ({"links": "10.252.0.0/28"}, "expected room for the link leaf01"),
        ({"rails": "10.0.0.0/28"}, "expected rails to have room for a /26 per leaf"),
        ({"rails": "10.0.0.0/23"}, "expected room for the subnet of rail 0 on leaf09"),
        ({"management": "192.0.2.0/28"}, "expected room for the management address"),
        ({"leaf": "none"}, 'expected one of switch_profiles (s), found "none"'),
        ({"node": "none"}, 'expected one of host_profiles (gpu), found "none"'),
        ({"nics": {"eth": {}}}, 'expected a rail or a number in the name, found "eth"'),
        ({"nics": {"rail0": {}, "rail2": {}}}, "expected NICs of rails 0 to 2"),
        ({"profile": {"ports": None}}, "expected ports, or host_ports and uplinks, for a design"),
    ],
)
def test_mistakes_in_a_design(change: dict, words: str):
    data = intent(40, **change)
    if "profile" in change:
        del data["switch_profiles"]["s"]["ports"]
    assert words in problem(data)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"gpus": 64}, "design: expected nodes or gpus, found both (state one of them)"),
        ({"hosts": "bond"}, "design: expected twin tors with hosts bond, found planes"),
        ({"twin": "tors", "layout": "single"}, "design: expected another layout with twin tors, found single"),
        ({"grow": 5}, 'design.grow: expected a known field, found "grow" (did you mean grow_to?)'),
    ],
)
def test_mistakes_of_form_have_a_line(change: dict, words: str, tmp_path: Path):
    file = tmp_path / "fabric.yml"
    file.write_text(yaml.safe_dump(intent(8, **change), sort_keys=False))
    with pytest.raises(IntentError) as caught:
        plan_site(str(file))
    line = str(caught.value)
    assert "\n" not in line
    assert words in line
    assert line.startswith(f"{file}:")


def test_errors_of_the_whole_fabric_stop_the_inventory_and_name_the_place(tmp_path: Path):
    data = intent(8)
    data["policy"]["ecn"] = {"min": 90000000, "max": 100000000, "probability": 100}
    file = tmp_path / "fabric.yml"
    file.write_text(yaml.safe_dump(data, sort_keys=False))
    with pytest.raises(IntentError, match=r"fabric.yml:\d+: design: switches.leaf01: ecn-before-pfc: expected ECN min"):
        plan_site(str(file))
    assert plan_site(str(file), strict=False).findings[0].check == "ecn-before-pfc"


# -- deadlock and loss ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "design",
    [
        {"nodes": 40},
        {"nodes": 20, "layout": "three-tier", "stripe": 1, "uplinks": 4},
        {"nodes": 40, "layout": "rail-only"},
    ],
)
def test_clos_fabrics_have_no_circle_by_rule_and_by_search(design: dict):
    plan = planned(intent(**design))
    graph = Site(plan.switches, plan.hosts).routed
    level = {n: {"leaf": 0, "spine": 1, "superspine": 2}[s.role] for n, s in plan.switches.items()}
    assert _tiered(graph, level)
    assert _regular(graph, level)
    assert _circle(_dependencies(graph, [n for n in graph if level[n] == 0])) == []


@pytest.mark.parametrize("size, circle", [(3, False), (4, True), (5, True), (8, True)])
def test_rings(size: int, circle: bool):
    """Three switches reach each other directly; a longer ring has paths over two links all the way round."""
    graph = {str(n): {str((n + 1) % size), str((n - 1) % size)} for n in range(size)}
    found = _circle(_dependencies(graph, list(graph)))
    assert bool(found) == circle
    if circle:
        assert len(found) == size


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    seen, todo = {start}, [start]
    while todo:
        for near in graph[todo.pop()] - seen:
            seen.add(near)
            todo.append(near)
    return seen


def test_the_lab_survives_the_loss_of_any_spine():
    plan = plan_site(str(ROOT / "inventories" / "lab" / "fabric.yml"))
    site = Site(plan.switches, plan.hosts)
    leafs = [n for n, s in plan.switches.items() if s.role == "leaf"]
    for lost in (n for n, s in plan.switches.items() if s.role == "spine"):
        graph = {n: near - {lost} for n, near in site.routed.items() if n != lost}
        for a, b in combinations(leafs, 2):
            assert b in reachable(graph, a)
            assert graph[a] & graph[b] == {"spine01", "spine02", "spine03"} - {lost}
    assert not [f for f in check(site) if f.severity == "error"]


def test_the_lab_comes_from_its_design():
    data = yaml.safe_load((ROOT / "inventories" / "lab" / "fabric.yml").read_text())
    assert "links" not in data
    assert {e["host"].partition(":")[0] for e in data["attachments"]} == {"gpu07", "gpu08", "gpu09"}
    plan = plan_site(str(ROOT / "inventories" / "lab" / "fabric.yml"))
    assert (len(plan.switches), len(plan.cables)) == (9, 36)  # 18 uplinks, 18 NICs
    assert {s.platform for s in plan.switches.values() if s.role == "spine"} == {"eos", "nxos", "nvue"}
