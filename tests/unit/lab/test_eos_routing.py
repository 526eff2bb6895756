# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Routing, port channels and MLAG of EOS: normal form, refused lines, what a removal takes along, operational state."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from lab.eos.device import EosDevice
from tests.unit.lab.test_eos_config import added, section

# Typed in an order of its own; two numbered neighbours, one unnumbered.
UNDERLAY = (
    "configure",
    "ip routing ipv6 interfaces", "ipv6 unicast-routing",
    "interface Loopback0", "ip address 10.0.0.11/32",
    "interface Ethernet1/1-2/1", "no switchport",
    "interface Ethernet1/1", "ip address 10.1.0.1/31",
    "interface Ethernet2/1", "ip address 10.1.0.3/31",
    "interface Ethernet3/1", "no switchport", "ipv6 enable",
    "ip prefix-list LOOPBACKS", "seq 20 permit 10.9.0.0/16 ge 24 le 28", "seq 10 permit 10.0.0.0/24 eq 32",
    "route-map IN permit 10", "match ip address prefix-list LOOPBACKS",
    "router bgp 65535.10",
    "neighbor FABRIC peer-group",
    "neighbor FABRIC route-map IN in", "neighbor FABRIC timers 3 9", "neighbor FABRIC bfd",
    "neighbor 10.1.0.10 peer-group FABRIC", "neighbor 10.1.0.2 peer group FABRIC",
    "neighbor 10.1.0.2 remote-as 4200000002",
    "neighbor 10.1.0.10 remote-as 7", "neighbor 10.1.0.0 remote-as 4200000001", "neighbor 10.1.0.0 peer group FABRIC",
    "no neighbor 10.1.0.10",
    "neighbor interface Ethernet3/1 peer-group FABRIC remote-as 4200000003",
    "redistribute connected route-map IN",
    "maximum-paths 64 ecmp 64", "no bgp default ipv4-unicast", "router-id 10.0.0.11",
    "bgp bestpath as-path multipath-relax", "timers bgp 60 180",
    "address-family ipv4",
    "neighbor FABRIC next-hop address-family ipv6 originate", "neighbor FABRIC activate",
    "router bfd", "interval 200 min-rx 200 multiplier 3",
)  # fmt: skip

BGP = """\
router bgp 4294901770
   router-id 10.0.0.11
   no bgp default ipv4-unicast
   maximum-paths 64 ecmp 64
   neighbor FABRIC peer group
   neighbor FABRIC bfd
   neighbor FABRIC timers 3 9
   neighbor FABRIC route-map IN in
   neighbor 10.1.0.0 peer group FABRIC
   neighbor 10.1.0.0 remote-as 4200000001
   neighbor 10.1.0.2 peer group FABRIC
   neighbor 10.1.0.2 remote-as 4200000002
   redistribute connected route-map IN
   neighbor interface Ethernet3/1 peer-group FABRIC remote-as 4200000003
   !
   address-family ipv4
      neighbor FABRIC activate
      neighbor FABRIC next-hop address-family ipv6 originate
"""

PAIR = (
    "configure",
    "vlan 100", "vlan 4094",
    "interface Ethernet4/1", "channel-group 10 mode active", "lacp timer fast",
    "interface Ethernet5/1-6/1", "channel-group 2000 mode active",
    "interface Port-Channel10", "switchport access vlan 100", "mlag 10", "description gpu01",
    "interface Port-Channel2000", "switchport mode trunk",
    "interface Vlan4094", "ip address 10.2.0.0/31",
    "interface Vlan100", "ip address 10.10.0.2/24", "ip virtual-router address 10.10.0.1",
    "ip virtual-router mac-address 001c.7300.0099",
    "mlag configuration", "peer-link Port-Channel2000", "peer-address heartbeat 192.0.2.12 vrf MGMT",
    "peer-address 10.2.0.1", "local-interface Vlan4094", "domain-id 7", "primary-priority 100",
)  # fmt: skip


@pytest.fixture
def routed(leaf: EosDevice, typed: Callable) -> EosDevice:
    assert set(typed(leaf, *UNDERLAY)) == {""}
    for n, port in enumerate(("Ethernet1/1", "Ethernet2/1", "Ethernet3/1"), start=1):
        leaf.ports[port].peer = (f"spine{n:02}", "Ethernet1/1")
        leaf.ports[port].announces = ("10.0.0.12/32", f"10.0.0.{n}/32", "0.0.0.0/0")
    return leaf


@pytest.fixture
def pair(leaf: EosDevice, typed: Callable) -> EosDevice:
    assert set(typed(leaf, *PAIR)) == {""}
    for port in ("Ethernet4/1", "Ethernet5/1"):
        leaf.ports[port].peer = ("far", "1")
    leaf.ports["Ethernet6/1"].link = False
    return leaf


@pytest.fixture
def ask(typed: Callable) -> Callable[[EosDevice, str], Any]:
    return lambda device, command: json.loads(typed(device, f"{command} | json")[0])


# -- normal form -----------------------------------------------------------------------------------------------
def test_bgp_is_printed_in_fixed_order_whatever_was_typed_first(routed: EosDevice) -> None:
    assert section(routed, "router bgp 4294901770") == BGP
    assert section(routed, "ip prefix-list LOOPBACKS").splitlines()[1:] == [
        "   seq 10 permit 10.0.0.0/24 eq 32",
        "   seq 20 permit 10.9.0.0/16 ge 24 le 28",
    ]
    assert section(routed, "router bfd").splitlines()[1:] == ["   interval 200 min-rx 200 multiplier 3 default"]
    assert "\nip routing ipv6 interfaces\n" in routed.running() and "\nip routing\n" not in routed.running()
    order = [routed.running().index(f"\n{x}") for x in ("ip prefix-list", "route-map", "router bfd", "router bgp")]
    assert order == sorted(order)


def test_mlag_is_printed_in_fixed_order(pair: EosDevice) -> None:
    assert section(pair, "mlag configuration").splitlines()[1:] == [
        "   domain-id 7",
        "   local-interface Vlan4094",
        "   peer-address 10.2.0.1",
        "   peer-address heartbeat 192.0.2.12 vrf MGMT",
        "   peer-link Port-Channel2000",
        "   primary-priority 100",
    ]
    assert "\nip virtual-router mac-address 00:1c:73:00:00:99\n" in pair.running()
    assert "lacp timer fast" in section(pair, "interface Ethernet4/1")


def test_a_loaded_underlay_is_the_same_text(routed: EosDevice, clock: Any) -> None:
    again = EosDevice("leaf01", [], clock=clock)
    again.load(routed.running())
    assert again.running() == routed.running()


HIDDEN = [
    ("router bgp 1", "maximum-paths 1"),
    ("router bgp 1", "bgp bestpath as-path multipath-relax"),
    ("router bgp 1", "bgp default ipv4-unicast"),
    ("router bgp 1", "timers bgp 60 180"),
    ("router bgp 1", "address-family ipv4"),
    ("router bfd", "interval 300 min-rx 300 multiplier 3"),
    ("mlag configuration", "no shutdown"),
    ("mlag configuration", "primary-priority 32767"),
    ("interface Ethernet1/1", "lacp timer normal"),
]


@pytest.mark.parametrize(("where", "line"), HIDDEN, ids=lambda x: x)
def test_defaults_are_not_printed(leaf: EosDevice, typed: Callable, where: str, line: str) -> None:
    typed(leaf, "configure", where)
    before = leaf.running()
    assert typed(leaf, "configure", where, line) == ["", "", ""]
    assert leaf.running() == before


# -- refused ---------------------------------------------------------------------------------------------------
REFUSED = [
    ("router bgp 65001", "% BGP is already running with AS number 4294901770"),
    ("no router bgp 65001", "% BGP is already running with AS number 4294901770"),
    ("router bgp 4294967296", "% Invalid input"),
    ("router bgp 0", "% Invalid input"),
    ("router bgp", "% Incomplete command"),
    ("router bgp 4294901770/neighbor OTHER remote-as 5", "% Peer group OTHER does not exist"),
    ("router bgp 4294901770/neighbor 10.1.0.8 peer group OTHER", "% Peer group OTHER does not exist"),
    ("router bgp 4294901770/neighbor interface Ethernet4/1 peer-group OTHER remote-as 5",
     "% Peer group OTHER does not exist"),
    ("router bgp 4294901770/neighbor interface Ethernet4/1 peer-group FABRIC", "% Incomplete command"),
    ("router bgp 4294901770/neighbor 10.1.0.8 timers 3 2", "% Invalid input"),
    ("router bgp 4294901770/neighbor FABRIC route-map IN", "% Incomplete command"),
    ("router bgp 4294901770/neighbor FABRIC activate", "% Invalid input"),
    ("router bgp 4294901770/maximum-paths 601", "% Invalid input"),
    ("router bgp 4294901770/router-id 10.0.0", "% Invalid input"),
    ("router bgp 4294901770/redistribute direct", "% Invalid input"),
    ("router bgp 4294901770/address-family ipv4 unicast", "% Invalid input"),
    ("router bgp 4294901770/address-family ipv4/neighbor OTHER activate", "% Peer group OTHER does not exist"),
    ("ip prefix-list LOOPBACKS/seq 10 permit 10.0.0.0/16", "% Error: Duplicate sequence number 10"),
    ("ip prefix-list LOOPBACKS/seq 30 permit 10.0.0.0/16 ge 8", "% Invalid prefix length range"),
    ("ip prefix-list LOOPBACKS/seq 30 permit 10.0.0.0/16 le 33", "% Invalid input"),
    ("ip prefix-list LOOPBACKS/seq 30 permit 10.0.0.0", "% Invalid input"),
    ("route-map IN allow 10", "% Invalid input"),
    ("route-map IN permit 10/match ip prefix-list LOOPBACKS", "% Invalid input"),
    ("router bfd/interval 300 min_rx 300 multiplier 3", "% Invalid input"),
    ("router bfd/interval 300 min-rx 300 multiplier 2", "% Invalid input"),
    ("interface Ethernet1/1/mlag 10", "% Invalid input"),
    ("interface Port-Channel10/channel-group 10 mode active", "% Invalid input"),
    ("interface Ethernet1/1/channel-group 10 mode lacp", "% Invalid input"),
    ("interface Ethernet1/1/lacp rate fast", "% Invalid input"),
    ("mlag configuration/domain-id", "% Incomplete command"),
    ("mlag configuration/peer-address 10.2.0.1/31", "% Invalid input"),
    ("ip virtual-router mac-address 00:1c:73", "% Invalid input"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "answer"), REFUSED, ids=[p for p, _ in REFUSED])
def test_refused_lines_change_nothing(routed: EosDevice, typed: Callable, path: str, answer: str) -> None:
    *modes, line = _split(path)
    typed(routed, "configure", *modes)
    before = routed.running()
    assert typed(routed, "configure", *modes, line)[-1] == answer
    assert routed.running() == before


def _split(path: str) -> list[str]:
    """At slashes that are followed by a letter: those in names of ports and prefixes are not."""
    parts, rest = [], path
    while True:
        cut = next((i for i, c in enumerate(rest) if c == "/" and i + 1 < len(rest) and rest[i + 1].isalpha()), None)
        if cut is None:
            return [*parts, rest]
        parts.append(rest[:cut])
        rest = rest[cut + 1 :]


def test_members_of_one_port_channel_all_speak_lacp_or_none(pair: EosDevice, typed: Callable) -> None:
    answer = typed(pair, "configure", "interface Ethernet7/1", "channel-group 10 mode on")[-1]
    assert answer == "% Port-Channel10 has members in mode active"


# -- what a removal takes along ----------------------------------------------------------------------------------
def test_a_peer_group_goes_with_its_lines_and_memberships(routed: EosDevice, typed: Callable) -> None:
    typed(routed, "configure", "router bgp 4294901770", "no neighbor FABRIC peer group")
    assert section(routed, "router bgp 4294901770") == (
        "router bgp 4294901770\n"
        "   router-id 10.0.0.11\n"
        "   no bgp default ipv4-unicast\n"
        "   maximum-paths 64 ecmp 64\n"
        "   neighbor 10.1.0.0 remote-as 4200000001\n"
        "   neighbor 10.1.0.2 remote-as 4200000002\n"
        "   redistribute connected route-map IN\n"
    )


def test_a_neighbor_goes_with_its_lines_in_every_family(routed: EosDevice, typed: Callable) -> None:
    typed(routed, "configure", "router bgp 4294901770", "address-family ipv4", "neighbor 10.1.0.0 activate")
    before = routed.running()
    typed(routed, "configure", "router bgp 4294901770", "no neighbor 10.1.0.0")
    assert added(before, routed.running()) == [
        "-    neighbor 10.1.0.0 peer group FABRIC",
        "-    neighbor 10.1.0.0 remote-as 4200000001",
        "-       neighbor 10.1.0.0 activate",
    ]


def test_a_port_channel_with_members_stays(pair: EosDevice, typed: Callable) -> None:
    typed(pair, "configure", "no interface Port-Channel10")
    assert section(pair, "interface Port-Channel10") == "interface Port-Channel10\n"
    typed(pair, "configure", "interface Ethernet4/1", "no channel-group", "no interface Port-Channel10")
    assert "interface Port-Channel10" not in pair.running()


def test_bgp_of_others_is_kept_while_ours_comes_and_goes(clock: Any, typed: Callable) -> None:
    from tests.unit.lab.conftest import DATA

    device = EosDevice("torA", [], clock=clock, release="4.24.1F")
    device.load((DATA / "eos-evpn-leaf.cfg").read_text())
    before = device.running()
    typed(
        device, "configure", "router bgp 65101", "neighbor FABRIC peer group",
        "neighbor 198.51.100.0 peer group FABRIC",
        "address-family ipv4", "neighbor FABRIC activate", "ip prefix-list CONNECTED seq 20 permit 10.0.0.0/8",
    )  # fmt: skip
    assert added(before, device.running()) == [
        "+ ip prefix-list CONNECTED seq 20 permit 10.0.0.0/8",
        "+    neighbor FABRIC peer group",
        "+    neighbor 198.51.100.0 peer group FABRIC",
        "+    !",
        "+    address-family ipv4",
        "+       neighbor FABRIC activate",
    ]
    typed(device, "configure", "router bgp 65101", "no neighbor FABRIC", "no neighbor 198.51.100.0")
    typed(device, "configure", "no ip prefix-list CONNECTED seq 20")
    assert device.running() == before


def test_kept_sections_of_bgp_end_where_the_next_begins(leaf: EosDevice, typed: Callable) -> None:
    typed(
        leaf, "configure", "router bgp 1", "vlan 10", "rd 1:10", "vlan-aware-bundle B", "vlan 20-30", "vrf RED",
        "rd 1:1", "address-family ipv4", "neighbor 10.0.0.1 activate", "router-id 10.0.0.9",
    )  # fmt: skip
    assert section(leaf, "router bgp 1") == (
        "router bgp 1\n   router-id 10.0.0.9\n   !\n   vlan 10\n      rd 1:10\n   !\n   vlan-aware-bundle B\n"
        "      vlan 20-30\n   !\n   address-family ipv4\n      neighbor 10.0.0.1 activate\n   !\n"
        "   vrf RED\n      rd 1:1\n"
    )


# -- state -----------------------------------------------------------------------------------------------------
def states(found: Any) -> dict[str, tuple]:
    peers = found["vrfs"]["default"]["peers"]
    return {n: (p["peerState"], p["asn"], p["prefixReceived"], p["prefixAccepted"]) for n, p in peers.items()}


def test_sessions(routed: EosDevice, ask: Callable) -> None:
    found = ask(routed, "show ip bgp summary")
    assert (found["vrfs"]["default"]["asn"], found["vrfs"]["default"]["routerId"]) == ("4294901770", "10.0.0.11")
    assert states(found) == {
        "fe80::ff:fe00:31%Et3/1": ("Established", "4200000003", 3, 2),
        "10.1.0.0": ("Established", "4200000001", 3, 2),
        "10.1.0.2": ("Established", "4200000002", 3, 2),
    }
    every = ask(routed, "show bgp summary")["vrfs"]["default"]["peers"]["10.1.0.0"]
    assert every["ipv4Unicast"] == {"afiSafiState": "negotiated", "nlrisReceived": 3, "nlrisAccepted": 2}


BROKEN: list[tuple[str, str, str]] = [
    ("interface Ethernet1/1/shutdown", "10.1.0.0", "Active"),
    ("interface Ethernet1/1/ip address 10.9.0.1/31", "10.1.0.0", "Active"),
    ("router bgp 4294901770/neighbor 10.1.0.0 shutdown", "10.1.0.0", "Idle"),
    ("router bgp 4294901770/neighbor FABRIC shutdown", "10.1.0.0", "Idle"),
    ("router bgp 4294901770/no neighbor 10.1.0.0 remote-as", "10.1.0.0", "Idle"),
    ("interface Ethernet3/1/no ipv6 enable", "fe80::ff:fe00:31%Et3/1", "Idle"),
    ("no ipv6 unicast-routing", "fe80::ff:fe00:31%Et3/1", "Idle"),
]


@pytest.mark.parametrize(("path", "peer", "state"), BROKEN, ids=[p for p, _, _ in BROKEN])
def test_what_ends_a_session(
    routed: EosDevice, typed: Callable, ask: Callable, path: str, peer: str, state: str
) -> None:
    assert set(typed(routed, "configure", *_split(path))) == {""}
    assert states(ask(routed, "show ip bgp summary"))[peer][0] == state


def test_far_end_with_another_as_number_or_without_light(routed: EosDevice, ask: Callable) -> None:
    routed.ports["Ethernet1/1"].peer_asn = 99
    routed.ports["Ethernet2/1"].link = False
    found = states(ask(routed, "show ip bgp summary"))
    assert (found["10.1.0.0"][0], found["10.1.0.2"][0]) == ("Active", "Active")
    peers = ask(routed, "show bfd peers")["vrfs"]["default"]["ipv4Neighbors"]
    assert {n: d["peerStats"][i]["status"] for n, d in peers.items() for i in d["peerStats"]} == {"10.1.0.0": "down"}


def test_an_unnumbered_neighbor_without_ipv6_next_hop_gives_no_ipv4_routes(
    routed: EosDevice, typed: Callable, ask: Callable
) -> None:
    typed(
        routed, "configure", "router bgp 4294901770", "address-family ipv4",
        "no neighbor FABRIC next-hop address-family ipv6",
    )  # fmt: skip
    assert states(ask(routed, "show ip bgp summary"))["fe80::ff:fe00:31%Et3/1"] == ("Established", "4200000003", 0, 0)


def vias(found: Any) -> dict[str, list[str]]:
    routes = found["vrfs"]["default"]["routes"]
    return {prefix: [via["interface"] for via in r["vias"]] for prefix, r in routes.items()}


def test_routes(routed: EosDevice, typed: Callable, ask: Callable) -> None:
    every = ["Ethernet3/1", "Ethernet1/1", "Ethernet2/1"]
    found = vias(ask(routed, "show ip route bgp"))
    assert found == {
        "10.0.0.1/32": ["Ethernet1/1"],
        "10.0.0.2/32": ["Ethernet2/1"],
        "10.0.0.3/32": ["Ethernet3/1"],
        "10.0.0.12/32": every,
    }
    assert vias(ask(routed, "show ip route")) == found | {
        "10.0.0.11/32": ["Loopback0"],
        "10.1.0.0/31": ["Ethernet1/1"],
        "10.1.0.2/31": ["Ethernet2/1"],
    }
    typed(routed, "configure", "router bgp 4294901770", "maximum-paths 2")
    assert vias(ask(routed, "show ip route bgp"))["10.0.0.12/32"] == every[:2]
    typed(routed, "configure", "router bgp 4294901770", "no bgp bestpath as-path multipath-relax")
    assert vias(ask(routed, "show ip route bgp"))["10.0.0.12/32"] == every[:1]
    typed(routed, "configure", "route-map IN deny 10")
    assert vias(ask(routed, "show ip route bgp")) == {}


def test_port_channels(pair: EosDevice, ask: Callable) -> None:
    found = ask(pair, "show port-channel")["portChannels"]
    assert {n: (list(d["activePorts"]), list(d["inactivePorts"])) for n, d in found.items()} == {
        "Port-Channel10": (["Ethernet4/1"], []),
        "Port-Channel2000": (["Ethernet5/1"], ["Ethernet6/1"]),
    }
    lacp = ask(pair, "show lacp interface")["portChannels"]
    assert lacp["Port-Channel10"]["interfaces"]["Ethernet4/1"]["actorPortState"]["timeout"] is True
    assert lacp["Port-Channel2000"]["interfaces"]["Ethernet6/1"]["actorPortStatus"] == "negotiation"
    status = ask(pair, "show interfaces status")["interfaceStatuses"]
    assert (status["Port-Channel10"]["lineProtocolStatus"], status["Port-Channel10"]["bandwidth"]) == (
        "up",
        400 * 10**9,
    )
    pair.ports["Ethernet4/1"].peer = None  # nobody there speaks LACP
    assert ask(pair, "show port-channel")["portChannels"]["Port-Channel10"]["inactiveLag"] is True


def test_mlag(pair: EosDevice, ask: Callable, leaf: EosDevice) -> None:
    found = ask(pair, "show mlag")
    assert {k: found[k] for k in ("state", "negStatus", "peerLinkStatus", "localIntfStatus", "domainId")} == {
        "state": "active",
        "negStatus": "connected",
        "peerLinkStatus": "up",
        "localIntfStatus": "up",
        "domainId": "7",
    }
    assert found["mlagPorts"]["Active-full"] == 1
    assert ask(pair, "show mlag detail")["detail"]["mlagState"] == "primary"
    assert ask(pair, "show mlag interfaces")["interfaces"]["10"]["localInterface"] == "Port-Channel10"
    pair.ports["Ethernet5/1"].link = False
    broken = ask(pair, "show mlag")
    assert (broken["state"], broken["peerLinkStatus"], broken["localIntfStatus"]) == ("inactive", "down", "down")


def test_without_mlag_and_bgp(leaf: EosDevice, ask: Callable, typed: Callable) -> None:
    assert ask(leaf, "show mlag")["state"] == "disabled"
    assert ask(leaf, "show ip bgp summary") == {"vrfs": {}}
    assert typed(leaf, "show ip bgp summary") == ["% BGP inactive"]


TEXT = [
    ("show ip bgp summary", "spine|10.1.0.0 "),
    ("show ip route bgp", " B E      10.0.0.12/32 [200/0] via"),
    ("show bfd peers", "10.1.0.0 "),
]


@pytest.mark.parametrize(("command", "part"), TEXT, ids=[c for c, _ in TEXT])
def test_text(routed: EosDevice, typed: Callable, command: str, part: str) -> None:
    assert part.split("|")[-1] in typed(routed, command)[0]


def test_text_of_bundles(pair: EosDevice, typed: Callable) -> None:
    dense, mlag = typed(pair, "show port-channel dense", "show mlag")
    assert "Po2000(U)" in dense and "Et5/1(PG+) Et6/1(D)" in dense
    assert mlag.splitlines()[8].split(":")[1].strip() == "Active"
    assert typed(pair, "show port-channel Port-Channel10")[0].startswith("Port Channel Port-Channel10")
