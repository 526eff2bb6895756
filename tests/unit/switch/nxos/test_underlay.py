# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Routing, gateways, bonds and vPC of NX-OS: exactly which commands, what stays, what is refused."""

from __future__ import annotations

import re

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import ModelError
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import Refused
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render
from tests.unit.switch.nxos.support import RUNNING, UNDERLAY, driver, intended, model_data, underlay_data

VIRGIN = "version 10.3(4a)\nfeature lldp\n"


def within(*sections: str, lines: list[str]) -> list[str]:
    return [*sections, *lines, *["exit"] * len(sections)]


def bgp(*lines: str) -> list[str]:
    return within("router bgp 4200000013", lines=list(lines))


def template(*lines: str) -> list[str]:
    return within("router bgp 4200000013", "template peer UNDERLAY", lines=list(lines))


def policy(*lines: str) -> list[str]:
    return template("address-family ipv4 unicast", *lines, "exit")


def neighbor(name: str, *lines: str) -> list[str]:
    return within("router bgp 4200000013", f"neighbor {name}", lines=list(lines))


def port(name: str, *lines: str) -> list[str]:
    return within(f"interface {name}", lines=list(lines))


UNNUMBERED = "  ip forward\n  ipv6 address use-link-local-only\n"
SPINE1 = "  neighbor 10.0.0.5\n    inherit peer UNDERLAY\n    remote-as 4200000001\n    description spine01\n"
SPINE2 = SPINE1.replace("10.0.0.5", "Ethernet1/50").replace("4200000001", "4200000002").replace("spine01", "spine02")
PO1 = "  switchport trunk native vlan 100\n  switchport trunk allowed vlan 100-101\n  priority-flow-control mode on\n"

# (what an operator did: text, replacement; what is typed to put it right)
DRIFT = {
    # filters: what comes is there before what goes is gone
    "a filter lost an entry": (
        "ip prefix-list UNDERLAY-IN seq 10 permit 10.10.0.0/16 eq 24 \n",
        "",
        ["ip prefix-list UNDERLAY-IN permit 10.10.0.0/16 eq 24"],
    ),
    "a filter lets more through": (
        "route-map THEIRS permit 10",
        "ip prefix-list UNDERLAY-IN seq 20 permit 0.0.0.0/0 le 32 \nroute-map THEIRS permit 10",
        ["no ip prefix-list UNDERLAY-IN seq 20 permit 0.0.0.0/0 le 32"],
    ),
    "an entry of a filter changed": (
        "UNDERLAY-OUT seq 10 permit 10.10.0.0/16 eq 24",
        "UNDERLAY-OUT seq 10 permit 10.10.0.0/16 le 32",
        [
            "ip prefix-list UNDERLAY-OUT permit 10.10.0.0/16 eq 24",
            "no ip prefix-list UNDERLAY-OUT seq 10 permit 10.10.0.0/16 le 32",
        ],
    ),
    "entries of a filter have other numbers": (
        "UNDERLAY-IN seq 5 permit 10.0.0.0/24",
        "UNDERLAY-IN seq 100 permit 10.0.0.0/24",
        [],
    ),
    "a route map matches another list": (
        "  match ip address prefix-list UNDERLAY-IN \n",
        "  match ip address prefix-list THEIRS \n",
        within(
            "route-map UNDERLAY-IN permit 10",
            lines=["match ip address prefix-list UNDERLAY-IN", "no match ip address prefix-list THEIRS"],
        ),
    ),
    "a route map matches one list too many": (
        "  match ip address prefix-list UNDERLAY-IN \n",
        "  match ip address prefix-list UNDERLAY-IN THEIRS \n",
        within("route-map UNDERLAY-IN permit 10", lines=["no match ip address prefix-list THEIRS"]),
    ),
    "a route map permits everything": (
        "  match ip address prefix-list UNDERLAY-OUT \n",
        "",
        within("route-map UNDERLAY-OUT permit 10", lines=["match ip address prefix-list UNDERLAY-OUT"]),
    ),
    "a route map has a second rule": (
        "vrf context management\n",
        "route-map UNDERLAY-OUT permit 20\nvrf context management\n",
        ["no route-map UNDERLAY-OUT permit 20"],
    ),
    "a route map sets something": (
        "  match ip address prefix-list UNDERLAY-OUT \n",
        "  match ip address prefix-list UNDERLAY-OUT \n  set metric 7\n",
        within("route-map UNDERLAY-OUT permit 10", lines=["no set metric 7"]),
    ),
    # BGP
    "router id": ("  router-id 10.0.0.13\n", "  router-id 10.0.0.99\n", bgp("router-id 10.0.0.13")),
    "no multipath over different ASes": (
        "  bestpath as-path multipath-relax\n",
        "",
        bgp("bestpath as-path multipath-relax"),
    ),
    "one path": (
        "    maximum-paths 64\n",
        "",
        bgp("address-family ipv4 unicast", "maximum-paths 64", "exit"),
    ),
    "connected networks go out unfiltered": (
        "redistribute direct route-map UNDERLAY-OUT",
        "redistribute direct route-map THEIRS",
        bgp("address-family ipv4 unicast", "redistribute direct route-map UNDERLAY-OUT", "exit"),
    ),
    "connected networks do not go out": (
        "    redistribute direct route-map UNDERLAY-OUT\n",
        "",
        bgp("address-family ipv4 unicast", "redistribute direct route-map UNDERLAY-OUT", "exit"),
    ),
    "bfd of the sessions": ("  template peer UNDERLAY\n    bfd\n", "  template peer UNDERLAY\n", template("bfd")),
    "timers": ("    timers 3 9\n", "    timers 10 30\n", template("timers 3 9")),
    "default timers": ("    timers 3 9\n", "", template("timers 3 9")),
    "all sessions shut": ("    timers 3 9\n", "    timers 3 9\n    shutdown\n", template("no shutdown")),
    "no filter inwards": ("      route-map UNDERLAY-IN in\n", "", policy("route-map UNDERLAY-IN in")),
    "another filter outwards": (
        "route-map UNDERLAY-OUT out",
        "route-map THEIRS out",
        policy("route-map UNDERLAY-OUT out"),
    ),
    "a second filter": (
        "      route-map UNDERLAY-IN in\n",
        "      route-map UNDERLAY-IN in\n      prefix-list THEIRS in\n",
        policy("no prefix-list THEIRS in"),
    ),
    "far end has another AS": (
        "remote-as 4200000001",
        "remote-as 4200000009",
        neighbor("10.0.0.5", "remote-as 4200000001"),
    ),
    "AS numbers in dotted notation, neighbour on one line": (
        SPINE1,
        "  neighbor 10.0.0.5 remote-as 64086.59905\n    inherit peer UNDERLAY\n    description spine01\n",
        [],
    ),
    "the whole process in dotted notation": ("router bgp 4200000013\n", "router bgp 64086.59917\n", []),
    "description": (
        "description spine02\n  vrf",
        "description x\n  vrf",
        neighbor("Ethernet1/50", "description spine02"),
    ),
    "timers of one session": (
        SPINE1,
        f"{SPINE1}    timers 60 180\n    shutdown\n",
        neighbor("10.0.0.5", "no shutdown"),
    ),
    "own filter of one session": (
        SPINE1,
        f"{SPINE1}    address-family ipv4 unicast\n      route-map THEIRS in\n      send-community\n",
        neighbor("10.0.0.5", "address-family ipv4 unicast", "no route-map THEIRS in", "exit"),
    ),
    "session without the template": (
        "  neighbor 10.0.0.5\n    inherit peer UNDERLAY\n",
        "  neighbor 10.0.0.5\n    inherit peer OVERLAY\n",
        neighbor("10.0.0.5", "inherit peer UNDERLAY"),
    ),
    "a numbered session lost": (
        SPINE1,
        "",
        neighbor("10.0.0.5", "inherit peer UNDERLAY", "description spine01", "remote-as 4200000001"),
    ),
    "a session over a port lost": (
        SPINE2,
        "",
        neighbor("Ethernet1/50", "inherit peer UNDERLAY", "description spine02", "remote-as 4200000002"),
    ),
    "a session of ours that the model has not": (
        SPINE1,
        f"{SPINE1}  neighbor 10.0.0.77\n    inherit peer UNDERLAY\n    remote-as 4200000007\n",
        bgp("no neighbor 10.0.0.77"),
    ),
    # interfaces
    "loopback": (
        "ip address 10.0.0.13/32",
        "ip address 10.0.0.99/32",
        port("loopback0", "ip address 10.0.0.13/32"),
    ),
    "loopback shut": ("  description router id\n", "  shutdown\n", port("loopback0", "no shutdown")),
    "link without IPv4 forwarding": ("  ip forward\n", "", port("Ethernet1/50", "ip forward")),
    "link without link-local address": (
        "  ipv6 address use-link-local-only\n",
        "",
        port("Ethernet1/50", "ipv6 address use-link-local-only"),
    ),
    "link with the address of all others": (
        "  ipv6 link-local use-bia\n",
        "",
        port("Ethernet1/50", "ipv6 link-local use-bia"),
    ),
    "an address where the session has none": (
        UNNUMBERED,
        f"  ip address 10.7.7.0/31\n{UNNUMBERED}",
        port("Ethernet1/50", "no ip address"),
    ),
    "redirects": (
        "  ip address 10.0.0.4/31\n  no ip redirects\n",
        "  ip address 10.0.0.4/31\n",
        port("Ethernet1/49", "no ip redirects"),
    ),
    "bfd timers": (
        "  bfd interval 300 min_rx 300 multiplier 3\n  no bfd echo\n",
        "  no bfd echo\n",
        port("Ethernet1/49", "bfd interval 300 min_rx 300 multiplier 3"),
    ),
    # gateways
    "gateway address": (
        "ip address 10.10.0.2/24",
        "ip address 10.10.0.3/24",
        port("Vlan100", "ip address 10.10.0.2/24"),
    ),
    "gateway shut": (
        "interface Vlan200\n  no shutdown\n",
        "interface Vlan200\n",
        port("Vlan200", "no shutdown"),
    ),
    "gateway mtu": (
        "interface Vlan200\n  no shutdown\n  mtu 9216\n",
        "interface Vlan200\n  no shutdown\n",
        port("Vlan200", "mtu 9216"),
    ),
    "virtual address": (
        "    ip 10.10.0.1\n",
        "    ip 10.10.0.254\n",
        port("Vlan100", "hsrp 100", "ip 10.10.0.1", "exit"),
    ),
    "virtual address lost": (
        "  hsrp version 2\n  hsrp 100 \n    preempt \n    ip 10.10.0.1\n",
        "",
        port("Vlan100", "hsrp version 2", "hsrp 100", "ip 10.10.0.1", "exit"),
    ),
    "gateway lost": (
        "interface Vlan200\n  no shutdown\n  mtu 9216\n  no ip redirects\n  ip address 10.20.7.1/24\n",
        "",
        port("Vlan200", "mtu 9216", "no ip redirects", "ip address 10.20.7.1/24", "no shutdown"),
    ),
    # bundles: on the port-channel, never on the members
    "vlans of a bundle and, with them, of its members": (
        None,
        (
            ("allowed vlan 100-101\n  priority", "allowed vlan 100\n  priority"),
            ("allowed vlan 100-101\n  speed", "allowed vlan 100\n  speed"),
        ),
        port("port-channel1", "switchport trunk allowed vlan 100-101"),
    ),
    "mtu of a bundle": (
        None,
        (("  no lacp suspend-individual\n  mtu 9216\n", "  no lacp suspend-individual\n"),),
        port("port-channel1", "mtu 9216"),
    ),
    "policy of a bundle": (
        "  service-policy type qos input ROCE\n  vpc 1\n",
        "  vpc 1\n",
        port("port-channel1", "service-policy type qos input ROCE"),
    ),
    "pfc of a bundle": (
        PO1,
        PO1.replace("mode on", "mode off"),
        port("port-channel1", "priority-flow-control mode on"),
    ),
    "bundle shut": ("  vpc 1\n", "  vpc 1\n  shutdown\n", port("port-channel1", "no shutdown")),
    "bundle is no vPC": ("  vpc 1\n", "", port("port-channel1", "vpc 1")),
    "bundle is another vPC": ("  vpc 1\n", "  vpc 7\n", port("port-channel1", "no vpc 7", "vpc 1")),
    "peer link is none": ("  vpc peer-link\n", "", port("port-channel4096", "vpc peer-link")),
    "a member left": (
        "  channel-group 1 force mode active\n",
        "",
        port("Ethernet1/5", "channel-group 1 mode active"),
    ),
    "a member is static": (
        "  channel-group 1 force mode active\n",
        "  channel-group 1\n",
        port("Ethernet1/5", "no channel-group", "channel-group 1 mode active"),
    ),
    "a member is in another bundle": (
        "  channel-group 2 mode active\n",
        "  channel-group 99 mode active\n",
        port("Ethernet1/6", "no channel-group", "channel-group 2 mode active"),
    ),
    "lacp slow": (
        "gpu02 rail0\n  lacp rate fast\n",
        "gpu02 rail0\n",
        port("Ethernet1/4", "lacp rate fast"),
    ),
    "lacp fast": (
        "  description nas01\n  switchport access vlan 200\n  mtu 9216\n",
        "  description nas01\n  switchport access vlan 200\n  lacp rate fast\n  mtu 9216\n",
        port("Ethernet1/6", "lacp rate normal"),
    ),
    "a port of its own was put into a bundle of ours": (
        "  speed 25000\n  fec off\n",
        "  speed 25000\n  fec off\n  channel-group 2 mode active\n",
        port(
            "Ethernet1/3",
            "no channel-group",
            # all its lines anew, whatever the switch makes of a port that leaves a bundle
            *("switchport", "description out-of-band access", "switchport access vlan 200", "speed 25000", "fec off"),
            *("priority-flow-control mode off", "shutdown"),
        ),
    ),
    "a port of its own is in a bundle of somebody else": (
        "  speed 25000\n  fec off\n",
        "  speed 25000\n  fec off\n  channel-group 99 mode active\n",
        [],
    ),
    "role": ("  role priority 1000\n", "", within("vpc domain 12", lines=["role priority 1000"])),
    "system mac in another notation": ("system-mac 00:23:04:ee:be:0c", "system-mac 0023.04EE.BE0C", []),
    "system mac": (
        "system-mac 00:23:04:ee:be:0c",
        "system-mac 00:23:04:ee:be:0d",
        within("vpc domain 12", lines=["system-mac 00:23:04:ee:be:0c"]),
    ),
    "keepalive to another switch": (
        "peer-keepalive destination 192.0.2.14 source 192.0.2.13",
        "peer-keepalive destination 192.0.2.15",
        within("vpc domain 12", lines=["peer-keepalive destination 192.0.2.14 vrf management"]),
    ),
    "keepalive in another vrf": (
        "peer-keepalive destination 192.0.2.14 source 192.0.2.13",
        "peer-keepalive destination 192.0.2.14 source 192.0.2.13 vrf default",
        within("vpc domain 12", lines=["peer-keepalive destination 192.0.2.14 vrf management"]),
    ),
    "peer gateway": ("  peer-gateway\n", "", within("vpc domain 12", lines=["peer-gateway"])),
    "a feature": ("feature bfd\n", "", ["feature bfd"]),
}


def spoiled(what: str) -> tuple[str, list[str]]:
    text, replacement, expected = DRIFT[what]
    if text is not None:
        assert UNDERLAY.count(text) >= 1, "the fixture does not have it"
        return UNDERLAY.replace(text, replacement, 1), expected
    changed = UNDERLAY
    for old, new in replacement:
        assert old in changed
        changed = changed.replace(old, new)
    return changed, expected


@pytest.mark.parametrize("what", DRIFT)
def test_drift_is_put_right_with_exactly_these_commands(what):
    running, expected = spoiled(what)
    drv = driver(underlay_data())
    change = drv.plan(drv.parse(running), intended(drv))
    assert list(change.commands) == expected
    assert bool(change) == bool(expected)


FOREIGN = [
    ("    network 172.16.1.0/24\n", ""),
    ("  log-neighbor-changes\n", ""),
    ("    retain route-target all\n", ""),
    ("    update-source loopback1\n", "    update-source loopback0\n"),
    ("    password 3 REMOVED\n", ""),
    ("      send-community\n      route-map UNDERLAY-IN", "      route-map UNDERLAY-IN"),
    ("  neighbor 10.0.2.1\n    inherit peer OVERLAY\n", ""),
    ("      route-map THEIRS in\n", ""),
    ("      maximum-paths 8\n", "      maximum-paths 2\n"),
    ("      remote-as 65020\n", "      remote-as 65021\n"),
    ("ip prefix-list THEIRS seq 5 permit 172.16.0.0/12 le 24 \n", ""),
    ("interface loopback1\n  ip address 10.0.2.13/32\n", ""),
    ("  ip address 10.0.1.13/32 secondary\n", ""),
    ("  ip address 10.10.200.2/24 secondary\n", ""),
    ("  description rail 0\n", ""),
    ("    preempt \n", ""),
    ("  no bfd echo\n", ""),
    ("  ipv6 nd ra-interval 4 min 3\n", ""),
    ("  spanning-tree port type edge trunk\n", ""),
    ("  no lacp suspend-individual\n", ""),
    ("interface port-channel99\n  switchport mode trunk\n", ""),
    ("  channel-group 99 mode active\n", ""),
    ("  peer-switch\n", ""),
    ("  delay restore 150\n", ""),
    ("  auto-recovery\n", ""),
    (" source 192.0.2.13\n  delay", "\n  delay"),
    ("feature nv overlay\n", ""),
]


@pytest.mark.parametrize(("text", "replacement"), FOREIGN)
def test_what_is_not_ours_is_not_seen(text, replacement):
    assert text in UNDERLAY
    drv = driver(underlay_data())
    change = drv.plan(drv.parse(UNDERLAY.replace(text, replacement, 1)), intended(drv))
    assert not change
    assert change.commands == ()


def test_without_underlay_routing_and_bundles_are_nobodys_business_of_ours():
    """The switch routes and has bundles; the model of its first half changes none of it."""
    running = UNDERLAY.replace("  channel-group 99", "  channel-group 4").replace("Ethernet1/20", "Ethernet1/21")
    drv = driver(model_data())
    owned = drv.dump(drv.owned(drv.parse(running)))
    assert not re.search("bgp|prefix-list|route-map|loopback|Vlan|port-channel|channel-group|vpc|feature [^l]", owned)
    assert drv.plan(drv.parse(running), intended(drv)).commands == ()


def test_dump_and_load_are_inverse():
    drv = driver(underlay_data())
    want = intended(drv)
    assert drv.owned(drv.parse(UNDERLAY)) == want
    assert drv.load(drv.dump(want)) == want


def test_every_line_that_the_templates_write_is_owned():
    drv = driver(underlay_data())
    rendered = render(drv.model)
    lines = "".join(rendered.values()).splitlines()
    first = len(
        "".join(text for concern, text in rendered.items() if concern not in ("bonds", "underlay")).splitlines()
    )
    seen = 0
    for number in range(first, len(lines)):
        line = lines[number]
        deeper = number + 1 < len(lines) and indent(lines[number + 1]) > indent(line)
        hidden = line.strip() in ("switchport", "no shutdown", "speed auto", "switchport trunk native vlan 1")
        default = line.strip() in ("switchport mode access", "priority-flow-control watch-dog-interval off")
        if deeper or hidden or default:
            continue
        without = "\n".join([*lines[:number], *lines[number + 1 :]])
        typed = drv.plan(drv.parse(without), intended(drv)).commands
        assert line.strip() in typed, f"taking away {line!r} was not noticed"
        assert not [c for c in typed if c.startswith("no ") and c != line.strip()], (line, typed)
        seen += 1
    assert seen > 60


def indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def test_a_virgin_switch_gets_everything_in_an_order_that_harms_nobody():
    drv = driver(underlay_data())
    typed = list(drv.plan(drv.parse(VIRGIN), intended(drv)).commands)
    first = {line: number for number, line in reversed(list(enumerate(typed)))}
    order = [
        "feature bgp",
        "vlan 100",
        "policy-map type qos ROCE",
        "vpc domain 12",
        "interface port-channel4096",
        "vpc peer-link",
        "interface port-channel1",
        "vpc 1",
        "interface Ethernet1/4",
        "channel-group 1 mode active",
        "interface loopback0",
        "router bgp 4200000013",
        "template peer UNDERLAY",
        "route-map UNDERLAY-IN in",
        "neighbor 10.0.0.5",
        "remote-as 4200000001",
    ]
    assert [first[line] for line in order] == sorted(first[line] for line in order)
    assert (
        max(first[f"feature {name}"] for name in ("lacp", "vpc", "interface-vlan", "hsrp", "bfd")) < first["vlan 100"]
    )
    routes = [n for n, line in enumerate(typed) if line.startswith(("ip prefix-list", "route-map UNDERLAY-OUT permit"))]
    assert max(routes) < first["router bgp 4200000013"], "filters exist before they are attached"
    member = typed[first["interface Ethernet1/4"] : first["interface Ethernet1/5"]]
    assert member.index("switchport trunk allowed vlan 100-101") < member.index("channel-group 1 mode active")
    assert member.index("mtu 9216") < member.index("channel-group 1 mode active")
    allowed = ("no switchport", "no shutdown", "no ip redirects", "no ipv6 redirects")
    assert not [line for line in typed if line.startswith("no ") and line not in allowed]


def test_the_way_back_takes_everything_away_in_reverse_order():
    drv = driver(underlay_data())
    virgin = drv.owned(drv.parse(VIRGIN))
    typed = list(drv.plan(drv.parse(UNDERLAY), virgin).commands)
    order = [
        "no channel-group",
        "no router bgp 4200000013",
        "no interface Vlan100",
        "no interface loopback0",
        "no interface port-channel1",
        "no interface port-channel4096",
        "no vpc domain 12",
        "no route-map UNDERLAY-OUT permit 10",
        "no ip prefix-list UNDERLAY-IN seq 5 permit 10.0.0.0/24 eq 32",
        "no feature bgp",
    ]
    assert [typed.index(line) for line in order] == sorted(typed.index(line) for line in order)
    assert all(line.startswith("no feature ") for line in typed[-6:])
    assert "no feature nv overlay" not in typed


def test_back_to_a_switch_that_routed_before_its_routing_stays():
    """The process, the SVI and the features were there before: only our lines go."""
    drv = driver(underlay_data())
    before = RUNNING.replace("feature lldp\n", "feature interface-vlan\nfeature lldp\n")
    before += "interface Vlan100\n  no shutdown\n  ip address 10.10.0.9/24\n"
    old = drv.owned(drv.parse(before))
    typed = list(drv.plan(drv.parse(UNDERLAY), old).commands)
    assert not {
        "no router bgp 4200000013",
        "no feature bgp",
        "no feature interface-vlan",
        "no interface Vlan100",
    } & set(typed)
    svi = typed.index("interface Vlan100")
    assert typed[svi : svi + 4] == ["interface Vlan100", "ip address 10.10.0.9/24", "mtu 1500", "ip redirects"]
    assert typed.index("no hsrp 100") < typed.index("hsrp version 1"), "version 1 has no groups above 255"
    assert "no template peer UNDERLAY" in typed
    assert "remote-as 65020" not in typed


def test_a_port_joins_a_bundle_without_its_policy_and_leaves_it_with_all_its_lines():
    data = underlay_data()
    drv = driver(data)
    alone = UNDERLAY.replace("  channel-group 1 force mode active\n", "  service-policy type qos input ROCE\n")
    assert list(drv.plan(drv.parse(alone), intended(drv)).commands) == port(
        "Ethernet1/5", "no service-policy type qos input ROCE", "channel-group 1 mode active"
    )
    data["bonds"][0]["members"] = ["Ethernet1/4"]
    fewer = driver(data)
    typed = list(fewer.plan(fewer.parse(UNDERLAY), intended(fewer)).commands)
    assert typed[:2] == ["interface Ethernet1/5", "no channel-group"]
    assert {"switchport trunk allowed vlan 100-101", "mtu 9216", "service-policy type qos input ROCE"} <= set(typed)
    assert typed.count("exit") == 1, "nothing else changes"


@pytest.mark.parametrize(
    ("what", "kinds"),
    [
        ("router id", {"bgp-session"}),
        ("far end has another AS", {"bgp-session"}),
        ("a numbered session lost", set()),
        ("a filter lost an entry", set()),
        ("a filter lets more through", {"route-filter"}),
        ("loopback", {"loopback"}),
        ("gateway address", {"gateway"}),
        ("gateway lost", set()),
        ("a member left", {"bond-member"}),
        ("a member is static", {"bond-member"}),
        ("bundle is another vPC", {"vpc"}),
        ("system mac", {"vpc-domain"}),
        ("role", set()),
        ("description", set()),
    ],
)
def test_disruption(what, kinds):
    """What is new harms nobody, except on a link."""
    drv = driver(underlay_data())
    change = drv.plan(drv.parse(spoiled(what)[0]), intended(drv))
    assert {d.kind for d in change.disruptions} == kinds


@pytest.mark.parametrize(
    ("text", "replacement", "message"),
    [
        (
            "router bgp 4200000013",
            "router bgp 65001",
            "leaf03: expected no 'router bgp' or 'router bgp 4200000013', found 'router bgp 65001' on the switch; "
            "remove it there ('no router bgp 65001') or give the model this number",
        ),
        ("router bgp 4200000013", "router bgp 1.1", "found 'router bgp 65537' on the switch"),
        ("vpc domain 12", "vpc domain 13", "found 'vpc domain 13' on the switch"),
    ],
)
def test_the_process_of_somebody_else_is_not_replaced(text, replacement, message):
    drv = driver(underlay_data())
    with pytest.raises(Refused, match=re.escape(message)):
        drv.plan(drv.parse(UNDERLAY.replace(text, replacement)), intended(drv))


def test_no_prefixes_means_no_routes_not_all():
    data = underlay_data()
    data["underlay"]["accept"] = []
    drv = driver(data)
    text = render(drv.model)["underlay"]
    assert "ip prefix-list UNDERLAY-IN deny 0.0.0.0/0 le 32\n" in text
    assert "route-map UNDERLAY-IN permit 10\n  match ip address prefix-list UNDERLAY-IN\n" in text
    typed = list(drv.plan(drv.parse(UNDERLAY), intended(drv)).commands)
    assert typed[0] == "ip prefix-list UNDERLAY-IN deny 0.0.0.0/0 le 32"
    assert len(typed) == 4


def test_without_bfd_nothing_of_bfd_is_written_or_owned_on_ports():
    data = underlay_data()
    data["underlay"]["bfd"] = None
    drv = driver(data)
    typed = list(drv.plan(drv.parse(UNDERLAY), intended(drv)).commands)
    assert typed == template("no bfd")
    assert "bfd" not in drv.dump(intended(drv))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d["underlay"].update(maximum_paths=128), r"maximum_paths: expected at most 64, found 128"),
        (lambda d: d["underlay"]["bfd"].update(interval_ms=3000), r"interval_ms: expected at most 999, found 3000"),
        (
            lambda d: d["underlay"]["neighbors"][0].update(address="10.0.0.9"),
            r"Ethernet1/49\.address: expected an address in the network of Ethernet1/49 \(10\.0\.0\.4/31\)",
        ),
        (
            lambda d: d["underlay"]["neighbors"][1].update(address="10.0.0.9"),
            r"\(which has none\), found .*10\.0\.0\.9",
        ),
        (
            lambda d: d["underlay"]["neighbors"][1].update(port="Ethernet1/3"),
            r"neighbors\.Ethernet1/3: expected a routed port, found .*mode access",
        ),
        (lambda d: d["bonds"][0].update(members=["Ethernet1/49"]), r"bonds\.1: expected members with mode access or"),
        (
            lambda d: d["bonds"][0].update(members=["Ethernet1/4", "Ethernet1/2"]),
            r"bonds\.1: expected vlans .*on every member, as on Ethernet1/4, found .*Ethernet1/2",
        ),
    ],
)
def test_what_nxos_does_not_take_is_an_error_of_the_model(change, message):
    data = underlay_data()
    change(data)
    with pytest.raises(ModelError, match=message):
        render(driver(data).model)
