# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""BGP, filters, bundles and vPC: how lines are printed back, what is refused, what show commands answer."""

from __future__ import annotations

import json

import pytest

FABRIC = """\
feature bgp
feature bfd
ip prefix-list UNDERLAY-IN seq 10 permit 10.0.0.0/24 eq 32
ip prefix-list UNDERLAY-IN seq 20 permit 10.10.0.0/16 eq 24
route-map UNDERLAY-IN permit 10
match ip address prefix-list UNDERLAY-IN
route-map UNDERLAY-OUT permit 10
match ip address prefix-list UNDERLAY-IN
interface loopback0
ip address 10.0.0.11/32
interface Ethernet1/1
no switchport
ip address 10.1.0.1/31
no shutdown
interface Ethernet1/2
no switchport
ip forward
ipv6 address use-link-local-only
no shutdown
router bgp 4200000011
address-family ipv4 unicast
maximum-paths 64
redistribute direct route-map UNDERLAY-OUT
template peer UNDERLAY
timers 3 9
bfd
address-family ipv4 unicast
route-map UNDERLAY-OUT out
route-map UNDERLAY-IN in
neighbor 10.1.0.0 remote-as 4200000001
description spine01
inherit peer UNDERLAY
neighbor Ethernet1/2
remote-as 4200000002
inherit peer UNDERLAY
router-id 10.0.0.11
bestpath as-path multipath-relax
log-neighbor-changes"""

PRINTED = """\
router bgp 4200000011
  router-id 10.0.0.11
  bestpath as-path multipath-relax
  log-neighbor-changes
  address-family ipv4 unicast
    redistribute direct route-map UNDERLAY-OUT
    maximum-paths 64
  template peer UNDERLAY
    bfd
    timers 3 9
    address-family ipv4 unicast
      route-map UNDERLAY-IN in
      route-map UNDERLAY-OUT out
  neighbor 10.1.0.0
    inherit peer UNDERLAY
    remote-as 4200000001
    description spine01
  neighbor Ethernet1/2
    inherit peer UNDERLAY
    remote-as 4200000002
"""


@pytest.fixture
def fabric(bench):
    """A leaf with one numbered and one unnumbered neighbour."""
    bench.configure(FABRIC)
    for number in (1, 2):
        state = bench.device.ports[f"Ethernet1/{number}"]
        state.peer = (f"spine0{number}", "Ethernet1/1")
        state.announces = ("10.0.0.12/32", "10.10.2.0/24", "192.0.2.0/24", "0.0.0.0/0")
    return bench


def ask(bench, command: str) -> dict:
    return json.loads(bench.shell.run(f"{command} | json"))


def rows(data: dict, name: str) -> list[dict]:
    found = data.get(f"TABLE_{name}", {}).get(f"ROW_{name}", [])
    return found if isinstance(found, list) else [found]


def neighbors(bench) -> dict[str, tuple[str, str | None]]:
    (vrf,) = rows(ask(bench, "show bgp ipv4 unicast summary"), "vrf")
    assert (vrf["vrf-router-id"], vrf["vrf-local-as"]) == ("10.0.0.11", "4200000011")
    (family,) = rows(vrf, "af")
    (saf,) = rows(family, "saf")
    return {r["neighborid"]: (r["state"], r.get("prefixreceived")) for r in rows(saf, "neighbor")}


def paths(bench) -> dict[str, int]:
    data = ask(bench, "show ip route bgp")
    if not data:
        return {}
    (family,) = rows(rows(data, "vrf")[0], "addrf")
    for row in rows(family, "prefix"):
        assert int(row["ucast-nhops"]) == len(rows(row, "path"))
    return {row["ipprefix"]: int(row["ucast-nhops"]) for row in rows(family, "prefix")}


# -- configuration ---------------------------------------------------------------------------------------------
def test_printed_in_the_order_of_the_switch(fabric):
    assert PRINTED in fabric.device.running()
    # Entries with limits and match lines end in a blank, as on the switch.
    assert "\nip prefix-list UNDERLAY-IN seq 10 permit 10.0.0.0/24 eq 32 \n" in fabric.device.running()
    assert "\n  match ip address prefix-list UNDERLAY-IN \n" in fabric.device.running()


def test_typing_it_again_changes_nothing(fabric):
    before = fabric.device.running()
    fabric.configure(FABRIC)
    assert fabric.device.running() == before


def test_what_was_printed_can_be_loaded_and_replaced(fabric):
    text = fabric.device.running()
    fabric.device.load(text)
    fabric.device.files["x"] = text
    fabric.shell.run("end")
    assert "completed successfully" in fabric.shell.run("configure replace bootflash:x")
    assert fabric.device.running() == text


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("maximum-paths 129", "range is (1-128)"),
        ("redistribute connected", "% Invalid command"),
        ("redistribute direct", "% Incomplete command"),
        ("neighbor 10.1.0.0 activate", "% Invalid command"),
        ("neighbor Ethernet1/2 peer-group UNDERLAY", "% Invalid command"),
        ("address-family ipv4", "% Incomplete command"),
        ("bgp bestpath as-path multipath-relax", "% Invalid command"),
        ("router bgp 65000", "BGP is already running; AS is 4200000011"),
        ("router bgp 4294967296", "range is (1-4294967295)"),
        ("ip prefix-list UNDERLAY-IN seq 10 permit 10.2.0.0/24", "exists with another entry"),
        ("ip prefix-list X permit 10.2.0.0/24 ge 16", "% Invalid prefix range"),
        ("vpc domain 1", "% Invalid command"),
        ("hsrp 10", "% Invalid command"),
    ],
)
def test_refused(fabric, line, answer):
    before = fabric.device.running()
    fabric.type("configure terminal\nrouter bgp 4200000011\naddress-family ipv4 unicast")
    assert answer in fabric.shell.run(line)
    assert fabric.device.running() == before


def test_interface_neighbours_need_their_release(make_bench):
    bench = make_bench("9.3(2)")
    bench.configure("feature bgp\nrouter bgp 65000")
    bench.type("configure terminal\nrouter bgp 65000")
    assert "% Invalid command" in bench.shell.run("neighbor Ethernet1/1")


@pytest.mark.parametrize(
    ("lines", "gone"),
    [
        ("router bgp 4200000011\nno neighbor 10.1.0.0", "neighbor 10.1.0.0"),
        ("router bgp 4200000011\ntemplate peer UNDERLAY\nno bfd", "    bfd"),
        ("no route-map UNDERLAY-OUT permit 10", "route-map UNDERLAY-OUT permit 10"),
        ("no ip prefix-list UNDERLAY-IN seq 20", "seq 20"),
        ("no router bgp 4200000011", "router bgp"),
        ("no feature bgp", "router bgp"),
        ("no feature bfd", "    bfd"),
    ],
)
def test_removed(fabric, lines, gone):
    assert gone in fabric.device.running()
    fabric.configure(lines)
    assert gone not in fabric.device.running()


def test_defaults_are_not_printed(bench):
    bench.configure(
        "feature bgp\nrouter bgp 65000\ntimers bgp 60 180\ngraceful-restart\nreconnect-interval 60\n"
        "address-family ipv4 unicast\nmaximum-paths 1"
    )
    assert bench.section("router bgp 65000") == ["address-family ipv4 unicast"]


def test_a_filter_is_replaced_in_place(fabric):
    fabric.configure("router bgp 4200000011\ntemplate peer UNDERLAY\naddress-family ipv4 unicast\nroute-map OTHER in")
    assert "      route-map OTHER in\n      route-map UNDERLAY-OUT out\n" in fabric.device.running()


# -- sessions and routes ---------------------------------------------------------------------------------------
def test_sessions_and_accepted_routes(fabric):
    assert neighbors(fabric) == {"10.1.0.0": ("Established", "2"), "Ethernet1/2": ("Established", "2")}
    assert paths(fabric) == {"10.0.0.12/32": 2, "10.10.2.0/24": 2}
    text = fabric.shell.run("show ip bgp summary")
    assert "local AS number 4200000011" in text
    assert "10.1.0.0        4 4200000001" in text
    assert "*via fe80::2, Eth1/2, [20/0]" in fabric.shell.run("show ip route bgp")


@pytest.mark.parametrize(
    ("lines", "state"),
    [
        ("interface Ethernet1/1\nshutdown", "Idle"),
        ("interface Ethernet1/1\nip address 10.9.0.1/31", "Idle"),
        ("router bgp 4200000011\nneighbor 10.1.0.0\nshutdown", "Idle"),
        ("router bgp 4200000011\nneighbor 10.1.0.0\nno remote-as", "Active"),
    ],
)
def test_what_ends_a_session(fabric, lines, state):
    fabric.configure(lines)
    assert neighbors(fabric)["10.1.0.0"] == (state, None)
    assert paths(fabric) == {"10.0.0.12/32": 1, "10.10.2.0/24": 1}


def test_what_ends_an_unnumbered_session(fabric):
    fabric.configure("interface Ethernet1/2\nno ipv6 address use-link-local-only")
    assert neighbors(fabric)["Ethernet1/2"] == ("Active", None)


def test_the_far_end_decides_too(fabric):
    fabric.device.ports["Ethernet1/1"].peer_asn = 4200000099
    fabric.device.ports["Ethernet1/2"].link = False
    assert neighbors(fabric) == {"10.1.0.0": ("Active", None), "Ethernet1/2": ("Idle", None)}
    assert paths(fabric) == {}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("no bestpath as-path multipath-relax", 1),
        ("address-family ipv4 unicast\nno maximum-paths", 1),
    ],
)
def test_what_equal_paths_need(fabric, lines, expected):
    fabric.configure("router bgp 4200000011\n" + lines)
    assert set(paths(fabric).values()) == {expected}


def test_a_missing_filter_lets_nothing_through(fabric):
    fabric.configure("no route-map UNDERLAY-IN")
    assert neighbors(fabric)["10.1.0.0"] == ("Established", "0")
    assert paths(fabric) == {}


def test_connected_routes(fabric):
    text = fabric.shell.run("show ip route")
    assert "10.0.0.11/32, ubest/mbest: 1/0, attached\n    *via 10.0.0.11, Lo0, [0/0]" in text
    assert "10.1.0.0/31, ubest/mbest: 1/0, attached\n    *via 10.1.0.1, Eth1/1, [0/0]" in text


# -- bundles ---------------------------------------------------------------------------------------------------
BUNDLES = """\
feature lacp
feature vpc
vlan 10,20
interface Ethernet1/5-6
switchport mode trunk
channel-group 1 mode active
interface Ethernet1/7
switchport mode trunk
switchport trunk allowed vlan 10,20
mtu 9216
lacp rate fast
channel-group 10 mode active
vpc domain 7
peer-gateway
peer-keepalive destination 192.0.2.12 source 192.0.2.11 vrf management
role priority 1000
interface port-channel1
vpc peer-link
interface port-channel10
vpc 10"""


def test_bundles_as_printed(bench):
    bench.configure(BUNDLES)
    assert bench.section("interface port-channel10") == [
        "switchport mode trunk",
        "switchport trunk allowed vlan 10,20",
        "mtu 9216",
        "vpc 10",
    ]
    assert bench.section("interface Ethernet1/7") == [
        "lacp rate fast",
        "switchport mode trunk",
        "switchport trunk allowed vlan 10,20",
        "mtu 9216",
        "channel-group 10 mode active",
    ]
    assert bench.section("interface port-channel1") == [
        "switchport mode trunk",
        "spanning-tree port type network",
        "vpc peer-link",
    ]
    assert bench.section("vpc domain 7") == [
        "role priority 1000",
        "peer-keepalive destination 192.0.2.12 source 192.0.2.11",
        "peer-gateway",
    ]
    before = bench.device.running()
    bench.configure(BUNDLES)
    assert bench.device.running() == before


def test_members_follow_their_bundle(bench):
    bench.configure(BUNDLES + "\ninterface port-channel10\nswitchport trunk allowed vlan 10")
    assert "switchport trunk allowed vlan 10" in bench.section("interface Ethernet1/7")


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        ("interface Ethernet1/7\nmtu 1500", "port is a member of port-channel10"),
        ("interface Ethernet1/7\nswitchport trunk allowed vlan 10", "port is a member of port-channel10"),
        ("interface Ethernet1/8\nchannel-group 10 mode active", "port not compatible [port mode]"),
        ("interface Ethernet1/7\nchannel-group 11 mode active", "port already belongs to port-channel10"),
        ("vpc domain 8", "vPC domain 7 is configured"),
        ("interface port-channel1\nvpc 10", "already configured on port-channel10"),
    ],
)
def test_bundles_refuse(bench, lines, answer):
    bench.configure(BUNDLES)
    before = bench.device.running()
    *way, last = lines.split("\n")
    bench.type("\n".join(["configure terminal", *way]))
    assert answer in bench.shell.run(last)
    assert bench.device.running() == before


def test_force_takes_the_lines_of_the_bundle(bench):
    bench.configure(BUNDLES + "\ninterface Ethernet1/8\nchannel-group 10 force mode active")
    assert bench.section("interface Ethernet1/8") == [
        "switchport mode trunk",
        "switchport trunk allowed vlan 10,20",
        "mtu 9216",
        "channel-group 10 mode active",
    ]


def test_a_bundle_goes(bench):
    bench.configure(BUNDLES + "\nno interface port-channel10")
    assert bench.device.port("Ethernet1/7").group is None
    assert "switchport mode trunk" in bench.section("interface Ethernet1/7")


def test_lacp_and_vpc_need_their_feature(bench):
    bench.type("configure terminal\ninterface Ethernet1/5")
    assert "enable feature lacp" in bench.shell.run("channel-group 1 mode active")
    assert "% Invalid command" in bench.shell.run("lacp rate fast")


def test_state_of_bundles(bench):
    bench.configure(BUNDLES)
    bench.device.ports["Ethernet1/5"].link = False
    found = {r["port-channel"]: r for r in rows(ask(bench, "show port-channel summary"), "channel")}
    assert {k: (r["status"], r["layer"], r["prtcl"]) for k, r in found.items()} == {
        "port-channel1": ("U", "S", "LACP"),
        "port-channel10": ("U", "S", "LACP"),
    }
    assert [(m["port"], m["port-status"]) for m in rows(found["port-channel1"], "member")] == [
        ("Ethernet1/5", "D"),
        ("Ethernet1/6", "P"),
    ]
    assert "1     Po1(SU)     Eth      LACP      Eth1/5(D)    Eth1/6(P)" in bench.shell.run("show port-channel summary")


def test_state_of_the_pair(bench):
    bench.configure(BUNDLES)
    vpc = ask(bench, "show vpc")
    keys = ("vpc-domain-id", "vpc-peer-status", "vpc-peer-keepalive-status", "vpc-role")
    assert [vpc[k] for k in keys] == ["7", "peer-ok", "peer-alive", "primary"]
    (row,) = rows(vpc, "vpc")
    assert (row["vpc-id"], row["vpc-ifindex"], row["vpc-port-state"]) == ("10", "Po10", "1")
    for number in (5, 6, 7):
        bench.device.ports[f"Ethernet1/{number}"].link = False
    vpc = ask(bench, "show vpc brief")
    assert (vpc["vpc-peer-status"], rows(vpc, "vpc")[0]["vpc-port-state"]) == ("peer-link-down", "0")
    assert "peer adjacency not formed" in bench.shell.run("show vpc")


def test_gateways(bench):
    bench.configure(
        "feature interface-vlan\nfeature hsrp\nvlan 10\ninterface Vlan10\nno shutdown\nno ip redirects\n"
        "ip address 10.10.1.2/24\nhsrp version 2\nhsrp 10\npriority 110\npreempt\nip 10.10.1.1"
    )
    assert bench.section("interface Vlan10") == [
        "no shutdown",
        "no ip redirects",
        "ip address 10.10.1.2/24",
        "hsrp version 2",
        "hsrp 10",
        "preempt",
        "priority 110",
        "ip 10.10.1.1",
    ]
    (row,) = rows(ask(bench, "show hsrp brief"), "grp_detail")
    assert (row["sh_if_index"], row["sh_group_state"], row["sh_vip"]) == ("Vlan10", "Active", "10.10.1.1")


@pytest.mark.parametrize("feature", ["bgp", "bfd", "hsrp", "lacp", "vpc", "interface-vlan"])
def test_a_feature_comes_and_goes(bench, feature):
    before = bench.device.running()
    bench.configure(f"feature {feature}")
    bench.configure(f"no feature {feature}")
    assert bench.device.running() == before
