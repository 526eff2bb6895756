# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan: what always holds, and what is refused."""

from __future__ import annotations

from ipaddress import IPv4Interface, IPv4Network

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.lossless.fabric.plugins.module_utils.network import netplan, plan
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem
from tests.unit.host_network.cases import build


@st.composite
def hosts(draw):
    """NICs as a planner may give them: alone or bonded, with and without addresses, gateways, VLANs."""
    nics = []
    for number in range(draw(st.integers(1, 10))):
        nic = {"name": f"rail{number}", "bond": draw(st.sampled_from([None, None, 1, 2]))}
        if nic["bond"] is None and draw(st.booleans()):
            prefix = draw(st.sampled_from([24, 28, 31]))
            nic["address"] = f"10.{number}.0.1/{prefix}"
            nic["gateway"] = draw(st.sampled_from([None, f"10.{number}.0.{0 if prefix == 31 else 14}"]))
        nic["vlans"] = draw(st.lists(st.integers(1, 4094), max_size=3, unique=True))
        nic["native_vlan"] = draw(st.sampled_from([None, *nic["vlans"]]))
        nics.append(nic)
    wide = st.sampled_from(["10.0.0.0/8", "10.1.0.0/16", "10.2.0.0/16", "192.168.0.0/16"])
    networks = draw(st.lists(wide, unique=True))
    return nics, networks


@given(hosts())
def test_what_always_holds(case):
    nics, networks = case
    found = build(nics, networks)
    addressed = [link for link in found if link.address]
    assert len({link.table for link in addressed}) == len(addressed)
    for link in addressed:
        assert link.table in plan.tables()
        own = IPv4Interface(link.address).network
        for route in link.routes:
            assert IPv4Network(route.to).prefixlen >= 8, "never a default route"
            assert route.table in (link.table, plan.MAIN) and route.metric == link.table
            assert route.via is None or (plan.ip_address(route.via) in own and route.via != link.ip)
        assert [r.to for r in link.routes if r.via is None] == [str(own)]
        reached = {r.to for r in link.routes if r.table == link.table}
        gateway = any(r.via for r in link.routes)
        assert not gateway or all(net in reached or IPv4Network(net).subnet_of(own) for net in networks)
    natives = {(nic["name"], nic["native_vlan"]) for nic in nics if nic["bond"] is None}
    assert not any((link.parent, link.vlan) in natives for link in found if link.kind == "vlan")
    assert sum(link.kind == "nic" for link in found) == len(nics)


@given(hosts())
def test_one_more_nic_leaves_the_numbers_of_the_others(case):
    nics, _ = case
    before = {link.name: link.facts() for link in build(nics, [])}
    after = {link.name: link.facts() for link in build([*nics, {"name": "rail99", "address": "10.99.0.1/24"}], [])}
    assert {name: after[name] for name in before} == before


@given(st.dictionaries(st.text("abyesno0-9.:'\"\\# {}", min_size=1), st.text("abyesno0-9.:'\"\\# {}", min_size=1)))
def test_any_text_comes_back_from_yaml(values):
    data = {"a": values, "b": [values] if values else [], "c": list(values)}
    assert yaml.safe_load(netplan.dump(data)) == data


NIC = {"name": "rail0", "address": "10.1.0.1/24"}
WRONG = {
    "default route": ([NIC], ["0.0.0.0/0"], "a network of /8 or smaller, found 0.0.0.0/0"),
    "half of it": ([NIC], ["128.0.0.0/1"], "a network of /8 or smaller"),
    "host bits": ([NIC], ["10.0.0.1/8"], "an IPv4 network"),
    "gateway outside": ([{**NIC, "gateway": "10.2.0.1"}], [], "a gateway in 10.1.0.0/24"),
    "gateway is own": ([{**NIC, "gateway": "10.1.0.1"}], [], "a gateway in 10.1.0.0/24"),
    "no address": ([{**NIC, "address": "10.1.0.300/24"}], [], "an IPv4 address with prefix length"),
    "twice": ([NIC, {**NIC, "name": "rail1"}], [], "each ip once"),
    "bond with two": (
        [{**NIC, "bond": 1}, {"name": "rail1", "address": "10.2.0.1/24", "bond": 1}],
        [],
        "one address on bond1",
    ),
    "bond with two MTUs": ([{**NIC, "bond": 1}, {"name": "rail1", "mtu": 1500, "bond": 1}], [], "MTU 9000 on all NICs"),
    "long name": ([{"name": "training-rail-0", "vlans": [4000]}], [], "at most 15 characters"),
    "two NICs": ([NIC, NIC], [], "each name once"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_refused(name):
    nics, networks, message = WRONG[name]
    with pytest.raises(Problem, match=message):
        build(nics, networks)
