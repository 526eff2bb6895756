# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Underlay, gateways, bundles and the pair: rendering, each owned leaf changed, missing or extra, what is not ours."""

from __future__ import annotations

import copy
import textwrap
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import SwitchError
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.driver import NvueDriver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.tree import Flat, Tree, flatten, nest
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render
from tests.unit.switch.nvue.test_plan import edit

GOLDEN = Path(__file__).parents[3] / "golden" / "nvue"
BGP = "vrf default router bgp"
FOREIGN = """\
interface:
  lo: {ip: {address: {10.0.1.11/32: {}}}}
  bond1: {type: bond, bond: {member: {swp30: {}}, mlag: {enable: 'on', id: 1}}, bridge: {domain: {br_default: {}}}}
  bond10: {bond: {lacp-bypass: 'on'}}
  vlan30: {type: svi, vlan: 30, ip: {address: {10.30.0.2/24: {}}}}
  vlan100: {ip: {vrf: RED}}
mlag: {init-delay: 100}
evpn: {enable: 'on'}
router:
  bgp: {graceful-restart: {mode: full}}
  policy:
    prefix-list: {THEIRS: {type: ipv4, rule: {'10': {action: permit}}}}
    route-map: {UNDERLAY-THEIRS: {rule: {'10': {action: {permit: {}}}}}}
vrf:
  RED: {router: {bgp: {enable: 'on', autonomous-system: 65000}}}
  default:
    router:
      bgp:
        address-family: {l2vpn-evpn: {enable: 'on'}, ipv4-unicast: {network: {10.0.1.11/32: {}}}}
        peer-group: {OVERLAY: {remote-as: external}}
        neighbor: {10.0.0.101: {peer-group: OVERLAY}, swp20: {type: unnumbered, remote-as: external}}
"""


def data() -> dict[str, Any]:
    return yaml.safe_load((GOLDEN / "underlay-model.yml").read_text())["switch"]


def model(**changes: Any) -> Switch:
    return Switch.model_validate(data() | changes, strict=False)


def driver(**changes: Any) -> NvueDriver:
    return NvueDriver(model(**changes))


@lru_cache
def intended() -> Flat:
    return driver().intended(render(model(), (5, 14)))


def converged() -> Tree:
    """A running configuration that is as intended, with foreign parts around it."""
    parts = [*render(model(), (5, 14)).values(), FOREIGN]
    return driver().parse("".join(f"- set:\n{textwrap.indent(part, '    ')}" for part in parts))


# -- rendering -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("release", "name"), [((5, 9), ""), ((5, 14), "5.14"), ((5, 15), "5.15"), ((5, 18), "5.15")])
def test_golden(release: tuple[int, int], name: str) -> None:
    """One list of ``set`` per concern, as ``nv config patch`` takes it; 5.9 knows no state of LLDP."""
    rendered = render(model(), release)
    text = "---\n" + "".join(f"- set: # {n}\n{textwrap.indent(t, '    ')}" for n, t in rendered.items())
    golden = (GOLDEN / f"underlay-{name or '5.14'}.yml").read_text()
    assert text == (golden if name else golden.replace("        state: 'enabled'\n        tx", "        tx"))


def test_without_underlay_and_bonds_nothing_is_rendered_or_owned() -> None:
    bare = {"underlay": None, "gateways": [], "bonds": [], "peer_link": None}
    rendered = render(model(**bare), (5, 14))
    assert not rendered["underlay"].strip()
    assert not rendered["bonds"].strip()
    running = converged()
    owned = driver(**bare).owned(running)
    assert {path[0] for path in owned} == {"interface", "bridge", "qos", "system"}
    assert {path[1] for path in owned if path[0] == "interface"} == {p.name for p in model().ports}
    assert not any("router" in path for path in owned)


def section(release: tuple[int, int], concern: str, **changes: Any) -> dict[str, Any]:
    return yaml.safe_load(render(model(**changes), release)[concern]) or {}


def test_a_filter_without_prefixes_lets_nothing_pass() -> None:
    underlay = data()["underlay"] | {"accept": []}
    policy = section((5, 14), "underlay", underlay=underlay)["router"]["policy"]
    assert policy["route-map"]["UNDERLAY-IN"]["rule"] == {"10": {"action": {"deny": {}}}}
    assert "UNDERLAY-IN" not in policy["prefix-list"]


def test_members_of_a_bundle_have_no_vlan_of_their_own() -> None:
    ports = section((5, 14), "ports")["interface"]
    assert [p for p in ports if "bridge" in ports[p]] == []
    assert "qos" in ports["swp1"]


@pytest.mark.parametrize(
    ("asic", "flag", "expected"),
    [
        ("spectrum4", True, ["swp49", "swp50"]),  # swp51 has 800G
        ("spectrum5", True, ["swp49", "swp50", "swp51"]),
        ("spectrum3", True, []),
        (None, True, []),
        ("spectrum4", False, []),
    ],
)
def test_adaptive_routing_where_the_asic_has_it(asic: str | None, flag: bool, expected: list[str]) -> None:
    tree = section((5, 15), "underlay", asic=asic, underlay=data()["underlay"] | {"adaptive_routing": flag})
    ports = [n for n, port in tree["interface"].items() if "adaptive-routing" in port.get("router", {})]
    assert ports == expected
    assert ("adaptive-routing" in tree["router"]) == bool(expected)


@pytest.mark.parametrize("release", [(5, 14), (5, 15)])
def test_without_bfd_nothing_of_it_is_left(release: tuple[int, int]) -> None:
    assert "bfd" not in str(section(release, "underlay", underlay=data()["underlay"] | {"bfd": None}))


def with_port(name: str, **changes: Any) -> list[dict[str, Any]]:
    return [port | changes if port["name"] == name else port for port in data()["ports"]]


@pytest.mark.parametrize(
    ("ports", "message"),
    [
        (
            with_port("swp2", vlan=200),
            r"bond 10: expected the same vlan on all members, found 100 on swp1 and 200 on swp2",
        ),
        (with_port("swp2", mtu=9000), r"bond 10: expected the same mtu on all members"),
        (with_port("swp2", enabled=False), r"bond 10: expected the same enabled on all members"),
        (
            [{"name": "swp3"} if p["name"] == "swp3" else p for p in data()["ports"]],
            r"bond 11: expected access or trunk as mode of its members on Cumulus Linux, found swp3 routed",
        ),
    ],
)
def test_members_that_do_not_fit(ports: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(SwitchError, match=message):
        render(model(ports=ports), (5, 14))


# -- planning --------------------------------------------------------------------------------------------------
def test_converged_means_nothing_to_do() -> None:
    assert driver().plan(converged(), intended()).commands == ()


# path, value on the switch (None: missing), commands, disruption kinds
CASES = [
    ("interface bond10 bond lacp-rate", "slow", ["nv unset interface bond10 bond lacp-rate"], ["bond"]),
    ("interface bond11 bond lacp-rate", None, ["nv set interface bond11 bond lacp-rate slow"], []),
    ("interface bond10 bond member swp2", None, ["nv set interface bond10 bond member swp2"], ["bond-member"]),
    ("interface bond10 bond member swp9", "{}", ["nv unset interface bond10 bond member swp9"], ["bond-member"]),
    ("interface bond10 bond mlag id", "9", ["nv set interface bond10 bond mlag id 10"], ["bond"]),
    ("interface bond10 link mtu", "1500", ["nv unset interface bond10 link mtu"], []),
    ("interface bond11 link mtu", "1500", ["nv set interface bond11 link mtu 9000"], []),
    (
        "interface bond10 bridge domain br_default access",
        "200",
        ["nv set interface bond10 bridge domain br_default access 100"],
        ["port-bridge"],
    ),
    (
        "interface bond11 bridge domain br_default vlan 300",
        "{}",
        ["nv unset interface bond11 bridge domain br_default vlan 300"],
        ["port-bridge"],
    ),
    (
        "interface swp1 bridge domain br_default access",
        "100",
        ["nv unset interface swp1 bridge domain br_default"],
        ["port-bridge"],
    ),
    ("interface bond1 bond member swp3", "{}", ["nv unset interface bond1 bond member swp3"], ["bond-member"]),
    ("interface peerlink bond member swp62", None, ["nv set interface peerlink bond member swp62"], ["bond-member"]),
    ("interface peerlink.4094 vlan", "4093", ["nv set interface peerlink.4094 vlan 4094"], []),
    ("mlag priority", "2000", ["nv set mlag priority 1000"], ["mlag"]),
    ("mlag mac-address", None, ["nv set mlag mac-address 44:38:39:ff:00:01"], ["mlag"]),
    ("mlag backup 192.0.2.99", "{}", ["nv unset mlag backup 192.0.2.99"], ["mlag"]),
    ("interface lo ip address 10.0.0.11/32", None, ["nv set interface lo ip address 10.0.0.11/32"], []),
    (
        "interface vlan100 ip address 10.10.9.2/24",
        "{}",
        ["nv unset interface vlan100 ip address 10.10.9.2/24"],
        ["port-address"],
    ),
    (
        "interface vlan100 ip vrr address 10.10.1.1/24",
        None,
        ["nv set interface vlan100 ip vrr address 10.10.1.1/24"],
        [],
    ),
    ("interface vlan200 ip vrr enable", "on", ["nv unset interface vlan200 ip vrr"], ["gateway"]),
    (
        "interface swp51 router adaptive-routing enable",
        "on",
        ["nv unset interface swp51 router adaptive-routing enable"],
        ["adaptive-routing"],
    ),
    ("router adaptive-routing enable", None, ["nv set router adaptive-routing enable on"], ["adaptive-routing"]),
    ("router bgp router-id", "10.0.0.99", ["nv set router bgp router-id 10.0.0.11"], ["router-id"]),
    ("router bgp autonomous-system", None, ["nv set router bgp autonomous-system 4200000011"], ["bgp-process"]),
    (
        "router policy prefix-list UNDERLAY-IN rule 20",
        None,
        [
            "nv set router policy prefix-list UNDERLAY-IN rule 20 action permit",
            "nv set router policy prefix-list UNDERLAY-IN rule 20 match 10.10.0.0/16 max-prefix-len 24",
            "nv set router policy prefix-list UNDERLAY-IN rule 20 match 10.10.0.0/16 min-prefix-len 24",
        ],
        [],
    ),
    (
        "router policy prefix-list UNDERLAY-OUT rule 30 action",
        "permit",
        ["nv unset router policy prefix-list UNDERLAY-OUT rule 30"],
        ["routes"],
    ),
    (
        "router policy route-map UNDERLAY-IN rule 10 match ip-prefix-list",
        "THEIRS",
        ["nv set router policy route-map UNDERLAY-IN rule 10 match ip-prefix-list UNDERLAY-IN"],
        ["routes"],
    ),
    (f"{BGP} enable", None, [f"nv set {BGP} enable on"], ["bgp-process"]),
    (
        f"{BGP} address-family ipv4-unicast multipaths ebgp",
        "2",
        [f"nv set {BGP} address-family ipv4-unicast multipaths ebgp 64"],
        ["routes"],
    ),
    (
        f"{BGP} address-family ipv4-unicast redistribute connected route-map",
        None,
        [f"nv set {BGP} address-family ipv4-unicast redistribute connected route-map UNDERLAY-OUT"],
        [],
    ),
    (
        f"{BGP} path-selection multipath aspath-ignore",
        "off",
        [f"nv set {BGP} path-selection multipath aspath-ignore on"],
        ["routes"],
    ),
    (f"{BGP} peer-group UNDERLAY timers hold", "180", [f"nv set {BGP} peer-group UNDERLAY timers hold 9"], []),
    (f"{BGP} peer-group UNDERLAY password", "secret", [f"nv unset {BGP} peer-group UNDERLAY password"], []),
    (
        f"{BGP} peer-group UNDERLAY address-family ipv4-unicast policy inbound route-map",
        "THEIRS",
        [f"nv set {BGP} peer-group UNDERLAY address-family ipv4-unicast policy inbound route-map UNDERLAY-IN"],
        ["bgp-session"],
    ),
    (
        f"{BGP} neighbor 10.1.0.1 remote-as",
        "1",
        [f"nv set {BGP} neighbor 10.1.0.1 remote-as 4200000001"],
        ["bgp-session"],
    ),
    (
        f"{BGP} neighbor swp51",
        None,
        [
            f"nv set {BGP} neighbor swp51 capabilities extended-nexthop on",
            f"nv set {BGP} neighbor swp51 peer-group UNDERLAY",
            f"nv set {BGP} neighbor swp51 remote-as 4200000003",
            f"nv set {BGP} neighbor swp51 type unnumbered",
        ],
        [],
    ),
    # Somebody put another neighbour into our peer group.
    (f"{BGP} neighbor swp60 peer-group", "UNDERLAY", [f"nv unset {BGP} neighbor swp60"], ["bgp-session"]),
]


@pytest.mark.parametrize(("path", "value", "commands", "kinds"), CASES, ids=[f"{c[0]}={c[1]}" for c in CASES])
def test_one_leaf_differs(path: str, value: str | None, commands: list[str], kinds: list[str]) -> None:
    good = converged()
    drifted = edit(good, path, value)
    mine = driver()
    change = mine.plan(drifted, intended())
    assert list(change.commands) == commands
    assert sorted({d.kind for d in change.disruptions}) == kinds
    assert mine.owned(nest(change.expected)) == intended()
    # Everything that is not ours is as it was.
    ours = {p for p in dict(flatten(drifted)) if mine.ownership.pattern(p)}
    rest = {p: v for p, v in flatten(drifted) if p not in ours}
    assert {p: v for p, v in change.expected.items() if p in rest} == rest


UNTOUCHED = [
    ("interface lo ip address 10.0.1.12/32", "{}"),
    ("interface bond2 bond member swp31", "{}"),
    ("interface vlan31 ip address 10.31.0.1/24", "{}"),
    ("interface vlan100 ip vrf", "BLUE"),
    ("interface bond10 bond lacp-bypass", "off"),
    ("mlag init-delay", "10"),
    ("router policy route-map OTHER rule 10 action permit", "{}"),
    ("router bgp wait-for-install", "on"),
    ("router bfd profile other detect-multiplier", "5"),
    (f"{BGP} neighbor swp21 remote-as", "external"),
    (f"{BGP} neighbor 10.0.0.102 peer-group", "OVERLAY"),
    (f"{BGP} peer-group OVERLAY timers hold", "9"),
    (f"{BGP} address-family ipv4-unicast redistribute static enable", "on"),
    (f"{BGP} address-family l2vpn-evpn enable", "off"),
    ("vrf RED router bgp router-id", "10.0.0.1"),
    ("evpn enable", "off"),
]


@pytest.mark.parametrize(("path", "value"), UNTOUCHED, ids=[p for p, _ in UNTOUCHED])
def test_what_is_not_ours_is_not_seen(path: str, value: str) -> None:
    change = driver().plan(edit(converged(), path, value), intended())
    assert change.commands == ()
    assert not change.diffs


def test_everything_at_once_and_back() -> None:
    """A switch without any of it gets all; giving it back leaves nothing of ours."""
    mine = driver()
    empty = mine.parse("- set:\n    interface: {eth0: {type: eth}}\n")
    there = mine.plan(empty, intended())
    assert mine.owned(nest(there.expected)) == intended()
    back = mine.plan(nest(there.expected), mine.owned(empty))
    assert nest(back.expected) == nest(dict(flatten(empty)))
    assert "nv unset mlag" in back.commands
    assert "nv unset vrf default" in back.commands
    assert any(c.startswith("nv unset interface bond10-11,lo,peerlink,peerlink.4094,") for c in back.commands)


@pytest.mark.parametrize("where", ["router bgp autonomous-system", "vrf default router bgp autonomous-system"])
def test_bgp_with_another_as_number_is_somebody_elses(where: str) -> None:
    with pytest.raises(
        SwitchError, match=rf"expected BGP with AS number 4200000011 or no BGP, found 65001 \({where}\)"
    ):
        driver().plan(edit(converged(), where, "65001"), intended())


def test_a_neighbour_that_leaves_the_model_is_removed() -> None:
    fewer = copy.deepcopy(data())
    del fewer["underlay"]["neighbors"][1]
    mine = NvueDriver(Switch.model_validate(fewer, strict=False))
    change = mine.plan(converged(), mine.intended(render(mine.model, (5, 14))))
    assert f"nv unset {BGP} neighbor swp50" in change.commands
    assert [d.where for d in change.disruptions if d.kind == "bgp-session"] == ["bgp neighbor swp50"]
    assert len(change.commands) == 2  # the other is the adaptive routing of the port
