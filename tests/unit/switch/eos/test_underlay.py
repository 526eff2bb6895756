# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Routing, bonds and the pair: running configuration -> exact commands. The switch below is as intended."""

from __future__ import annotations

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.driver import REASONS, EosDriver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.routing import interfaces, plain_asn
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import SwitchError
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render
from tests.underlay import with_underlay

# What the QoS and port templates say is taken from the driver itself; the rest is written out.
ROUTING = """\
service routing protocols model multi-agent
!
no spanning-tree vlan-id 4093-4094
!
vlan 4094
   name MLAG
   trunk group MLAG
!
interface Port-Channel7
   mtu 9000
   mlag 77
!
interface Port-Channel10
   description gpu01
   mtu 9214
   switchport trunk allowed vlan 100-101
   switchport mode trunk
   port-channel lacp fallback individual
   mlag 10
   service-profile ROCE
!
interface Port-Channel11
   description nas01
   mtu 9214
   switchport access vlan 101
   service-profile ROCE
!
interface Port-Channel1000
   description peer link
   mtu 9214
   switchport mode trunk
   switchport trunk group MLAG
!
interface Ethernet1/1
   channel-group 10 mode active
   lacp timer fast
!
interface Ethernet2/1
   channel-group 10 mode active
   lacp timer fast
!
interface Ethernet3/1
   channel-group 11 mode active
!
interface Ethernet51/1
   channel-group 1000 mode active
!
interface Ethernet52/1
   channel-group 1000 mode active
!
interface Ethernet49/1
   bfd interval 300 min-rx 300 multiplier 3
!
interface Ethernet50/1
   ipv6 enable
   bfd interval 300 min-rx 300 multiplier 3
!
interface Loopback0
   description not ours
   ip address 10.0.0.11/32
!
interface Loopback1
   ip address 10.0.1.11/32
!
interface Management1
   vrf MGMT
   ip address 192.0.2.11/24
!
interface Vlan30
   ip address 10.30.0.1/24
!
interface Vlan100
   mtu 9214
   ip address 10.10.0.2/24
   ip virtual-router address 10.10.0.1
   ip helper-address 10.0.9.9
!
interface Vlan101
   mtu 9214
   ip address 10.10.1.1/24
!
interface Vlan4094
   no autostate
   ip address 10.255.255.0/31
!
ip virtual-router mac-address 44:38:39:ff:00:07
!
ip routing ipv6 interfaces
no ip routing vrf MGMT
!
ip prefix-list THEIRS seq 10 permit 172.16.0.0/16 ge 24
!
ip prefix-list UNDERLAY-IN
   seq 10 permit 10.0.0.0/24 eq 32
   seq 20 permit 10.10.0.0/16 eq 24
!
ip prefix-list UNDERLAY-OUT
   seq 10 permit 10.0.0.0/24 eq 32
   seq 20 permit 10.10.0.0/16 eq 24
!
ipv6 unicast-routing
!
mlag configuration
   domain-id 7
   local-interface Vlan4094
   peer-address 10.255.255.1
   peer-address heartbeat 192.0.2.12 vrf MGMT
   peer-link Port-Channel1000
   reload-delay mlag 300
!
route-map THEIRS permit 10
   match ip address prefix-list THEIRS
!
route-map UNDERLAY-IN permit 10
   match ip address prefix-list UNDERLAY-IN
!
route-map UNDERLAY-OUT permit 10
   match ip address prefix-list UNDERLAY-OUT
!
router bgp 4200000011
   router-id 10.0.0.11
   no bgp default ipv4-unicast
   maximum-paths 64 ecmp 64
   neighbor THEIRS peer group
   neighbor THEIRS remote-as 65001
   neighbor THEIRS route-map THEIRS out
   neighbor UNDERLAY peer group
   neighbor UNDERLAY bfd
   neighbor UNDERLAY timers 3 9
   neighbor UNDERLAY route-map UNDERLAY-IN in
   neighbor UNDERLAY route-map UNDERLAY-OUT out
   neighbor UNDERLAY maximum-routes 12000
   neighbor UNDERLAY-UNNUMBERED peer group
   neighbor UNDERLAY-UNNUMBERED bfd
   neighbor UNDERLAY-UNNUMBERED timers 3 9
   neighbor UNDERLAY-UNNUMBERED route-map UNDERLAY-IN in
   neighbor UNDERLAY-UNNUMBERED route-map UNDERLAY-OUT out
   neighbor 10.1.0.0 peer group UNDERLAY
   neighbor 10.1.0.0 remote-as 4200000001
   neighbor 10.1.0.0 description spine01
   neighbor 10.9.0.1 peer group THEIRS
   redistribute connected route-map UNDERLAY-OUT
   neighbor interface Et50/1 peer-group UNDERLAY-UNNUMBERED remote-as 4200000002
   neighbor interface Et40/1 peer-group THEIRS remote-as 4200000009
   !
   vlan 30
      rd 10.0.0.11:30
      redistribute learned
   !
   address-family evpn
      neighbor THEIRS activate
   !
   address-family ipv4
      neighbor UNDERLAY activate
      neighbor UNDERLAY-UNNUMBERED activate
      neighbor UNDERLAY-UNNUMBERED next-hop address-family ipv6 originate
   !
   vrf tenant
      rd 10.0.0.11:999
      neighbor 10.8.0.1 remote-as 65009
!
"""

BGP = ("router bgp 4200000011",)
FAMILY = (*BGP, "address-family ipv4")


def inside(path, *commands):
    """Commands in a section."""
    return [*path, *commands, *["exit"] * len(path)]


@pytest.fixture
def driver(example, switch):
    return EosDriver(switch(with_underlay(example)))


@pytest.fixture
def running(driver):
    rendered = render(driver.model, (4, 35))
    return "".join(rendered[c] for c in ("vlans", "qos", "ports", "lldp")) + ROUTING + "end\n"


@pytest.fixture
def plan(driver):
    intended = driver.intended(render(driver.model, (4, 35)))
    return lambda text: driver.plan(driver.parse(text), intended)


def test_as_intended(plan, running, driver):
    change = plan(running)
    assert change.commands == ()
    assert not change
    assert driver.owned(driver.parse(running)) == change.predicted


# name: (what stands there, what stands there instead, commands)
DRIFT = {
    # routing, global
    "router id": ("router-id 10.0.0.11", "router-id 10.0.0.99", inside(BGP, "router-id 10.0.0.11")),
    "maximum paths": ("maximum-paths 64 ecmp 64", "maximum-paths 4", inside(BGP, "maximum-paths 64 ecmp 64")),
    "multipath": (
        "   maximum-paths 64",
        "   no bgp bestpath as-path multipath-relax\n   maximum-paths 64",
        inside(BGP, "bgp bestpath as-path multipath-relax"),
    ),
    "redistribution": (
        "redistribute connected route-map UNDERLAY-OUT",
        "redistribute connected",
        inside(BGP, "redistribute connected route-map UNDERLAY-OUT"),
    ),
    "routing off": ("ip routing ipv6 interfaces\n", "", ["ip routing ipv6 interfaces"]),
    "routing of IPv6 off": ("ipv6 unicast-routing\n", "", ["ipv6 unicast-routing"]),
    "loopback": ("10.0.0.11/32", "10.0.0.12/32", inside(("interface Loopback0",), "ip address 10.0.0.11/32")),
    "second loopback address": (
        "   ip address 10.0.0.11/32",
        "   ip address 10.0.0.11/32\n   ip address 10.0.0.13/32 secondary",
        inside(("interface Loopback0",), "no ip address 10.0.0.13/32 secondary"),
    ),
    # filters
    "entry changed": (
        "UNDERLAY-IN\n   seq 10 permit 10.0.0.0/24 eq 32",
        "UNDERLAY-IN\n   seq 10 permit 0.0.0.0/0 le 32",
        ["no ip prefix-list UNDERLAY-IN seq 10", "ip prefix-list UNDERLAY-IN seq 10 permit 10.0.0.0/24 eq 32"],
    ),
    "entry more": (
        "UNDERLAY-IN\n   seq 10",
        "UNDERLAY-IN\n   seq 5 permit 0.0.0.0/0\n   seq 10",
        ["no ip prefix-list UNDERLAY-IN seq 5"],
    ),
    "entry gone": (
        "UNDERLAY-OUT\n   seq 10 permit 10.0.0.0/24 eq 32\n",
        "UNDERLAY-OUT\n",
        ["ip prefix-list UNDERLAY-OUT seq 10 permit 10.0.0.0/24 eq 32"],
    ),
    "match gone": (
        "   match ip address prefix-list UNDERLAY-IN\n",
        "",
        inside(("route-map UNDERLAY-IN permit 10",), "match ip address prefix-list UNDERLAY-IN"),
    ),
    "set in the map": (
        "   match ip address prefix-list UNDERLAY-IN\n",
        "   match ip address prefix-list UNDERLAY-IN\n   set local-preference 50\n",
        inside(("route-map UNDERLAY-IN permit 10",), "no set local-preference 50"),
    ),
    "map denies": (
        "route-map UNDERLAY-IN permit 10",
        "route-map UNDERLAY-IN deny 10",
        inside(("route-map UNDERLAY-IN permit 10",)),
    ),
    "map more": (
        "route-map UNDERLAY-OUT permit 10",
        "route-map UNDERLAY-OUT permit 5\nroute-map UNDERLAY-OUT permit 10",
        ["no route-map UNDERLAY-OUT permit 5"],
    ),
    # the peer group
    "timers": ("UNDERLAY timers 3 9", "UNDERLAY timers 10 30", inside(BGP, "neighbor UNDERLAY timers 3 9")),
    "bfd": ("   neighbor UNDERLAY bfd\n", "", inside(BGP, "neighbor UNDERLAY bfd")),
    "filter of the group": (
        "neighbor UNDERLAY route-map UNDERLAY-IN in",
        "neighbor UNDERLAY route-map THEIRS in",
        inside(BGP, "neighbor UNDERLAY route-map UNDERLAY-IN in"),
    ),
    "filter gone": (
        "   neighbor UNDERLAY route-map UNDERLAY-IN in\n",
        "",
        inside(BGP, "neighbor UNDERLAY route-map UNDERLAY-IN in"),
    ),
    "limit of the group": (
        "maximum-routes 12000",
        "maximum-routes 100",
        inside(BGP, "neighbor UNDERLAY maximum-routes 12000"),
    ),
    "more about the group": (
        "   neighbor UNDERLAY bfd",
        "   neighbor UNDERLAY send-community\n   neighbor UNDERLAY bfd",
        inside(BGP, "no neighbor UNDERLAY send-community"),
    ),
    "not activated": (
        "      neighbor UNDERLAY activate",
        "      no neighbor UNDERLAY activate",
        inside(FAMILY, "neighbor UNDERLAY activate"),
    ),
    "next hop": (
        "      neighbor UNDERLAY-UNNUMBERED next-hop address-family ipv6 originate\n",
        "",
        inside(FAMILY, "neighbor UNDERLAY-UNNUMBERED next-hop address-family ipv6 originate"),
    ),
    "filter of the family": (
        "      neighbor UNDERLAY activate",
        "      neighbor UNDERLAY prefix-list THEIRS in\n      neighbor UNDERLAY activate",
        inside(FAMILY, "no neighbor UNDERLAY prefix-list THEIRS in"),
    ),
    # neighbours
    "far AS": (
        "neighbor 10.1.0.0 remote-as 4200000001",
        "neighbor 10.1.0.0 remote-as 65000",
        inside(BGP, "neighbor 10.1.0.0 remote-as 4200000001"),
    ),
    "far AS of a port": (
        "UNDERLAY-UNNUMBERED remote-as 4200000002",
        "UNDERLAY-UNNUMBERED remote-as 65000",
        inside(BGP, "neighbor interface Ethernet50/1 peer-group UNDERLAY-UNNUMBERED remote-as 4200000002"),
    ),
    "other group": (
        "neighbor 10.1.0.0 peer group UNDERLAY",
        "neighbor 10.1.0.0 peer group THEIRS",
        inside(BGP, "neighbor 10.1.0.0 peer group UNDERLAY"),
    ),
    "description": (
        "description spine01\n   neighbor 10.9",
        "description x\n   neighbor 10.9",
        inside(BGP, "neighbor 10.1.0.0 description spine01"),
    ),
    "shut": (
        "   neighbor 10.1.0.0 remote-as",
        "   neighbor 10.1.0.0 shutdown\n   neighbor 10.1.0.0 remote-as",
        inside(BGP, "no neighbor 10.1.0.0 shutdown"),
    ),
    "neighbour more": (
        "   neighbor 10.9.0.1 peer group THEIRS\n",
        "   neighbor 10.9.0.1 peer group THEIRS\n   neighbor 10.1.0.6 peer group UNDERLAY\n"
        "   neighbor 10.1.0.6 remote-as 65007\n   neighbor 10.1.0.6 description x\n",
        inside(BGP, "no neighbor 10.1.0.6"),
    ),
    "port more": (
        "   neighbor interface Et50/1",
        "   neighbor interface Et48/1 peer-group UNDERLAY-UNNUMBERED remote-as 65007\n   neighbor interface Et50/1",
        inside(BGP, "no neighbor interface Ethernet48/1 peer-group UNDERLAY-UNNUMBERED remote-as 65007"),
    ),
    "neighbour gone": (
        "   neighbor 10.1.0.0 peer group UNDERLAY\n   neighbor 10.1.0.0 remote-as 4200000001\n"
        "   neighbor 10.1.0.0 description spine01\n",
        "",
        inside(
            BGP,
            "neighbor 10.1.0.0 peer group UNDERLAY",
            "neighbor 10.1.0.0 remote-as 4200000001",
            "neighbor 10.1.0.0 description spine01",
        ),
    ),
    # ports of sessions
    "bfd of a port": (
        "interface Ethernet49/1\n   bfd interval 300 min-rx 300",
        "interface Ethernet49/1\n   bfd interval 50 min-rx 50",
        inside(("interface Ethernet49/1",), "bfd interval 300 min-rx 300 multiplier 3"),
    ),
    "no link-local address": ("   ipv6 enable\n", "", inside(("interface Ethernet50/1",), "ipv6 enable")),
    # bonds
    "member gone": (
        "interface Ethernet2/1\n   channel-group 10 mode active\n   lacp timer fast",
        "interface Ethernet2/1\n   lacp timer fast",
        inside(("interface Ethernet2/1",), "channel-group 10 mode active"),
    ),
    "member more": (
        "interface Ethernet49/1\n   bfd",
        "interface Ethernet49/1\n   channel-group 7 mode active\n   bfd",
        inside(("interface Ethernet49/1",), "no channel-group"),
    ),
    "static": (
        "channel-group 11 mode active",
        "channel-group 11 mode on",
        inside(("interface Ethernet3/1",), "channel-group 11 mode active"),
    ),
    "lacp slow": (
        "interface Ethernet1/1\n   channel-group 10 mode active\n   lacp timer fast",
        "interface Ethernet1/1\n   channel-group 10 mode active\n   lacp rate normal",
        inside(("interface Ethernet1/1",), "lacp timer fast"),
    ),
    "VLANs of a bond": (
        "switchport trunk allowed vlan 100-101",
        "switchport trunk allowed vlan 100",
        inside(("interface Port-Channel10",), "switchport trunk allowed vlan 100-101"),
    ),
    "policy of a bond": (
        "   mlag 10\n   service-profile ROCE\n",
        "   mlag 10\n",
        inside(("interface Port-Channel10",), "service-profile ROCE"),
    ),
    "number of a bond": ("   mlag 10\n", "   mlag 12\n", inside(("interface Port-Channel10",), "mlag 10")),
    "bond of one": ("   mlag 10\n", "", inside(("interface Port-Channel10",), "mlag 10")),
    "address on a bond": (
        "   switchport access vlan 101\n",
        "   switchport access vlan 101\n   ip address 10.4.0.1/31\n",
        inside(("interface Port-Channel11",), "no ip address"),
    ),
    # the pair
    "domain": ("domain-id 7", "domain-id x", inside(("mlag configuration",), "domain-id 7")),
    "peer": (
        "peer-address 10.255.255.1",
        "peer-address 10.255.255.9",
        inside(("mlag configuration",), "peer-address 10.255.255.1"),
    ),
    "heartbeat": (
        "heartbeat 192.0.2.12 vrf MGMT",
        "heartbeat 192.0.2.13 vrf MGMT",
        inside(("mlag configuration",), "peer-address heartbeat 192.0.2.12 vrf MGMT"),
    ),
    "pair shut": (
        "   reload-delay",
        "   shutdown\n   reload-delay",
        inside(("mlag configuration",), "no shutdown"),
    ),
    "address of the pair": (
        "10.255.255.0/31",
        "10.255.255.2/31",
        inside(("interface Vlan4094",), "ip address 10.255.255.0/31"),
    ),
    "spanning tree": ("vlan-id 4093-4094", "vlan-id 4093", ["no spanning-tree vlan-id 4094"]),
    "trunk group": (
        "   switchport trunk group MLAG\n",
        "",
        inside(("interface Port-Channel1000",), "switchport trunk group MLAG"),
    ),
    # gateways
    "gateway": ("10.10.1.1/24", "10.10.1.9/24", inside(("interface Vlan101",), "ip address 10.10.1.1/24")),
    "gateway shut": (
        "interface Vlan101\n",
        "interface Vlan101\n   shutdown\n",
        inside(("interface Vlan101",), "no shutdown"),
    ),
    "gateway of both": (
        "   ip virtual-router address 10.10.0.1\n",
        "   ip virtual-router address 10.10.0.254\n",
        inside(
            ("interface Vlan100",),
            "ip virtual-router address 10.10.0.1",
            "no ip virtual-router address 10.10.0.254",
        ),
    ),
    "MAC of gateways": (
        "mac-address 44:38:39:ff:00:07",
        "mac-address 001c.7300.0001",
        ["ip virtual-router mac-address 44:38:39:ff:00:07"],
    ),
}


@pytest.mark.parametrize("name", DRIFT)
def test_drift(name, plan, running):
    old, new, commands = DRIFT[name]
    assert running.count(old) == 1, running.count(old)
    change = plan(running.replace(old, new))
    assert list(change.commands) == commands
    assert change.diffs


SAME = {
    "one line per entry": (
        "ip prefix-list UNDERLAY-IN\n   seq 10 permit 10.0.0.0/24 eq 32\n   seq 20 permit 10.10.0.0/16 eq 24\n",
        "ip prefix-list UNDERLAY-IN seq 10 permit 10.0.0.0/24 eq 32\n"
        "ip prefix-list UNDERLAY-IN seq 20 permit 10.10.0.0/16 eq 24\n",
    ),
    "asdot": ("router bgp 4200000011", "router bgp 64086.59915"),
    "asdot of a neighbour": ("remote-as 4200000001", "remote-as 64086.59905"),
    "old word": ("neighbor 10.1.0.0 peer group", "neighbor 10.1.0.0 peer-group"),
    "long name": ("interface Et50/1 peer", "interface Ethernet50/1 peer"),
    "multipath said": ("   maximum-paths", "   bgp bestpath as-path multipath-relax\n   maximum-paths"),
    "old BFD": (
        "min-rx 300 multiplier 3\n!\ninterface Ethernet50/1",
        "min_rx 300 multiplier 3\n!\ninterface Ethernet50/1",
    ),
    "old LACP": (
        "interface Ethernet2/1\n   channel-group 10 mode active\n   lacp timer",
        "interface Ethernet2/1\n   channel-group 10 mode active\n   lacp rate",
    ),
    "MAC with dots": ("44:38:39:ff:00:07", "4438.39ff.0007"),
    "no limit printed": ("   neighbor UNDERLAY maximum-routes 12000\n", ""),
    "old spanning tree": ("spanning-tree vlan-id 4093-4094", "spanning-tree vlan 4093-4094"),
    "activated by default": ("   no bgp default ipv4-unicast\n", ""),
    # of others
    "their neighbour": ("remote-as 65001", "remote-as 65002"),
    "their port": ("interface Et40/1 peer-group THEIRS", "interface Et40/1-2 peer-group OTHER"),
    "their family": (
        "      neighbor THEIRS activate",
        "      neighbor THEIRS activate\n      neighbor UNDERLAY activate",
    ),
    "their VRF": ("      rd 10.0.0.11:999", "      rd 10.0.0.11:998\n      maximum-paths 2"),
    "their VLAN": ("ip address 10.30.0.1/24", "ip address virtual 10.30.0.1/24"),
    "their map": ("   match ip address prefix-list THEIRS", "   match ip address prefix-list OTHERS"),
    "their bond": ("   mlag 77", "   mlag 78"),
    "reload delay": ("reload-delay mlag 300", "reload-delay mlag 900"),
    "fallback": ("   port-channel lacp fallback individual\n", ""),
    "helper": ("   ip helper-address 10.0.9.9\n", ""),
    "loopback described": ("description not ours", "description else"),
    "load balancing of others": ("ip routing ipv6", "ip hardware fib load-balance distribution hash\nip routing ipv6"),
}


@pytest.mark.parametrize("name", SAME)
def test_no_drift(name, plan, running):
    old, new = SAME[name]
    assert running.count(old) == 1, running.count(old)
    assert plan(running.replace(old, new)).commands == ()


def test_activation_is_not_by_default_for_sessions_without_addresses(plan, running):
    text = running.replace("   no bgp default ipv4-unicast\n", "").replace("      neighbor UNDERLAY activate\n", "")
    assert plan(text).commands == ()
    text = text.replace("      neighbor UNDERLAY-UNNUMBERED activate\n", "")
    assert list(plan(text).commands) == inside(FAMILY, "neighbor UNDERLAY-UNNUMBERED activate")


def test_heartbeat_without_a_vrf(plan, running):
    text = running.replace("   vrf MGMT\n   ip address 192.0.2.11", "   ip address 192.0.2.11")
    text = text.replace("heartbeat 192.0.2.12 vrf MGMT", "heartbeat 192.0.2.13")
    assert list(plan(text).commands) == inside(("mlag configuration",), "peer-address heartbeat 192.0.2.12")


def test_virgin_switch(plan, driver):
    change = plan("service routing protocols model multi-agent\ninterface Management1\n   vrf MGMT\nend\n")
    commands = list(change.commands)

    def first(start):
        return next(i for i, c in enumerate(commands) if c.startswith(start))

    assert first("ip prefix-list UNDERLAY-IN") < first("route-map UNDERLAY-IN") < first("router bgp")
    assert first("neighbor UNDERLAY route-map") < first("neighbor 10.1.0.0 peer group")
    assert "peer-address heartbeat 192.0.2.12 vrf MGMT" in commands
    assert not [c for c in commands if c.startswith(("no ip ", "no neighbor"))]
    assert {d.kind for d in change.disruptions} >= {"bgp-session", "bgp-policy", "bond-member", "mlag", "gateway"}
    assert {d.concern for d in change.diffs} >= {"bonds", "underlay"}


def test_back_to_a_switch_that_did_not_route(driver, plan, running):
    virgin = "service routing protocols model multi-agent\nend\n"
    before = driver.load(driver.dump(driver.owned(driver.parse(virgin))))
    assert before == driver.owned(driver.parse(virgin))
    commands = list(driver.plan(driver.parse(running), before).commands)
    for line in (
        "no router bgp 4200000011",
        "no interface Loopback0",
        "no interface Vlan100",
        "no interface Port-Channel10",
        "no mlag configuration",
        "no ip prefix-list UNDERLAY-IN",
        "no route-map UNDERLAY-IN permit 10",
        "no ip routing ipv6 interfaces",
        "no ip routing",
        "spanning-tree vlan-id 4094",
        "no vlan 4094",
    ):
        assert line in commands, line
    assert not [c for c in commands if "THEIRS" in c or c.startswith("no neighbor")]


def test_back_to_routing_over_addresses_alone(driver, running):
    before = driver.owned(driver.parse(running.replace("ip routing ipv6 interfaces", "ip routing")))
    commands = list(driver.plan(driver.parse(running), before).commands)
    assert commands == ["no ip routing ipv6 interfaces", "ip routing"]


def test_back_to_a_switch_that_had_bgp(driver, running):
    """Our group goes after its members, and nothing is said about what went with it."""
    theirs = "router bgp 4200000011\n   maximum-paths 4\n   neighbor THEIRS peer group\nend\n"
    commands = list(driver.plan(driver.parse(running), driver.owned(driver.parse(theirs))).commands)
    at = commands.index(BGP[0])
    section = commands[at : commands.index("no neighbor UNDERLAY-UNNUMBERED peer group") + 2]
    assert section == [
        BGP[0],
        "maximum-paths 4",
        "no router-id",
        "no redistribute connected",
        "no neighbor interface Ethernet50/1 peer-group UNDERLAY-UNNUMBERED remote-as 4200000002",
        "no neighbor 10.1.0.0",
        "no neighbor UNDERLAY peer group",
        "no neighbor UNDERLAY-UNNUMBERED peer group",
        "exit",
    ]
    assert "no router bgp 4200000011" not in commands


def test_another_as_number(plan, running):
    with pytest.raises(SwitchError, match=r"leaf01: expected no BGP or AS 4200000011, found 'router bgp 65001'"):
        plan(running.replace("router bgp 4200000011", "router bgp 65001"))


@pytest.mark.parametrize(("line", "release"), [("service routing protocols model ribd\n", "4.35.1F"), ("", "4.28.3M")])
def test_sessions_without_addresses_need_multi_agent(line, release, driver, plan, running):
    text = running.replace("service routing protocols model multi-agent\n", line)
    driver.running_release = release
    with pytest.raises(SwitchError, match=r"multi-agent.*reload"):
        plan(text)
    driver.running_release = "4.35.1F"
    if not line:
        assert plan(text).commands == ()  # the default of this release


def test_a_model_without_routing_sees_none(example, switch, running):
    driver = EosDriver(switch(example))
    names = "".join(driver.rules[i].concern for i in range(len(driver.rules)))
    assert "underlay" not in names
    assert "bonds" not in names
    assert driver.owned(driver.parse(ROUTING)).keys() == driver.owned(driver.parse("end\n")).keys()


def test_numbered_sessions_do_not_need_link_local_routing(example, switch, running):
    driver = EosDriver(switch(with_underlay(example, unnumbered=False)))
    commands = driver.plan(driver.parse(running), driver.intended(render(driver.model, (4, 35)))).commands
    assert "ip routing" not in commands  # ip routing ipv6 interfaces includes it
    assert "no ipv6 unicast-routing" not in commands  # somebody else's
    assert "no neighbor UNDERLAY-UNNUMBERED peer group" in commands


@pytest.mark.parametrize(
    ("asic", "flag", "expected"), [("tomahawk4", True, 1), ("tomahawk4", False, 0), ("jericho2", True, 0)]
)
def test_dynamic_load_balancing(asic, flag, expected, example, switch):
    data = with_underlay(example) | {"asic": asic}
    data["underlay"]["adaptive_routing"] = flag
    driver = EosDriver(switch(data))
    line = "ip hardware fib load-balance distribution dynamic"
    intended = driver.intended(render(driver.model, (4, 35)))
    start = "service routing protocols model multi-agent\n"
    assert list(driver.plan(driver.parse(start), intended).commands).count(line) == expected
    removed = list(driver.plan(driver.parse(start + line), intended).commands).count(f"no {line}")
    assert removed == (asic == "tomahawk4" and not flag)


def test_names_of_interfaces():
    assert interfaces("Et1-3,49/1-2,Ethernet50/1") == [
        "Ethernet1", "Ethernet2", "Ethernet3", "Ethernet49/1", "Ethernet49/2", "Ethernet50/1",
    ]  # fmt: skip
    assert interfaces("Vlan10") == ["Vlan10"]


def test_asdot():
    assert [plain_asn(text) for text in ("65001", "64086.59915", "1.0")] == ["65001", "4200000011", "65536"]


def test_reasons_are_sentences():
    assert all(reason.endswith(".") for reason in REASONS.values())
