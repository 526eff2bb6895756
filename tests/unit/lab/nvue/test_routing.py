# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""BGP sessions, routes, bonds and MLAG that the emulated NVUE makes of configuration and links."""

from __future__ import annotations

import json

import pytest

from tests.unit.lab.nvue.trees import device

SPINES = {"swp49": ("spine01", 4200000001), "swp50": ("spine02", 4200000002)}
HOST = ("gpu01", "rail0")


def show(dev, what):
    return json.loads(dev.shell("cumulus").run(f"nv show {what} -o json"))


def configure(dev, *commands):
    """``nv set`` and apply; what ``nv config apply`` says."""
    shell = dev.shell("cumulus")
    for command in commands:
        verb = "" if command.startswith("unset ") else "set "
        answer = shell.run(f"nv {verb}{command}")
        assert "Error" not in answer, answer
    return shell.run("nv config apply -y")


def toggle(release):
    return ("enable", "on", "off") if int(release.split(".")[1]) <= 14 else ("state", "enabled", "disabled")


@pytest.fixture(params=["5.11.0", "5.14.0", "5.16.0"])
def dev(request):
    dev = device(request.param)
    for port, (spine, asn) in SPINES.items():
        dev.ports[port].peer = (spine, "swp1")
        dev.ports[port].peer_asn = asn
        dev.ports[port].announces = ("10.0.0.12/32", "10.0.0.101/32", "192.0.2.0/24")
    for port in ("swp51", "swp52"):
        dev.ports[port].peer = ("leaf02", port)
    dev.ports["swp1"].peer = HOST
    return dev


def underlay(dev):
    family = "ip" if dev.old else "ipv4"
    group = "vrf default router bgp peer-group UNDERLAY"
    return configure(
        dev,
        f"interface lo {family} address 10.0.0.11/32",
        f"interface swp50 {family} address 10.1.0.0/31",
        "router bgp autonomous-system 4200000011",
        "router bgp router-id 10.0.0.11",
        "router policy prefix-list FABRIC type ipv4",
        "router policy prefix-list FABRIC rule 10 action permit",
        "router policy prefix-list FABRIC rule 10 match 10.0.0.0/24 min-prefix-len 32",
        "router policy prefix-list FABRIC rule 10 match 10.0.0.0/24 max-prefix-len 32",
        "router policy route-map FABRIC rule 10 action permit",
        "router policy route-map FABRIC rule 10 match ip-prefix-list FABRIC",
        f"{group} remote-as external",
        f"{group} address-family ipv4-unicast policy inbound route-map FABRIC",
        f"{group} address-family ipv4-unicast policy outbound route-map FABRIC",
        "vrf default router bgp neighbor swp49 peer-group UNDERLAY",
        "vrf default router bgp neighbor 10.1.0.1 peer-group UNDERLAY",
        "vrf default router bgp neighbor 10.1.0.1 remote-as 4200000002",
        "vrf default router bgp address-family ipv4-unicast redistribute connected",
    )


NEIGHBORS = "vrf default router bgp neighbor"


def test_sessions_and_policies(dev):
    assert "applied" in underlay(dev)
    found = show(dev, f"{NEIGHBORS} --view=detail")
    assert {n: (s["state"], s["remote-as"], s["peer-group"], s["type"]) for n, s in found.items()} == {
        "swp49": ("established", 4200000001, "UNDERLAY", "unnumbered"),
        "10.1.0.1": ("established", 4200000002, "UNDERLAY", "numbered"),
    }
    # Two of the three prefixes pass in, the own loopback and what the other neighbour told pass out.
    assert found["swp49"]["address-family"]["ipv4-unicast"]["rx-prefix"] == 2
    assert found["swp49"]["address-family"]["ipv4-unicast"]["tx-prefix"] == 3
    configure(dev, "unset router policy route-map FABRIC")
    found = show(dev, f"{NEIGHBORS} swp49")
    assert found["address-family"]["ipv4-unicast"]["rx-prefix"] == 0, "a route map that is missing denies"
    assert found["state"] == "established"


def test_the_list_of_neighbors_is_a_summary_since_5_12(dev):
    underlay(dev)
    peer = show(dev, NEIGHBORS)["swp49"]
    counts = peer["address-family" if dev.minor < 12 else "afi-safi"]["ipv4-unicast"]
    assert (peer["state"], counts["rx-prefix"]) == ("established", 2)
    assert ("peer-group" in peer) == (dev.minor < 12)
    rows = dev.shell("cumulus").run(f"nv show {NEIGHBORS}").splitlines()
    assert [r.split() for r in rows[2:]] == [
        ["10.1.0.1", "4200000002", "established", "ipv4-unicast", "3", "2"],
        ["swp49", "4200000001", "established", "ipv4-unicast", "3", "2"],
    ]


def state_of(dev, neighbor):
    return show(dev, f"{NEIGHBORS} {neighbor}")["state"]


def test_a_session_needs_link_and_the_right_as(dev):
    underlay(dev)
    dev.ports["swp49"].link = False
    dev.ports["swp50"].peer_asn = 4200000099
    assert state_of(dev, "swp49") == "idle"
    assert state_of(dev, "10.1.0.1") == "connect"
    dev.ports["swp49"].link = True
    assert state_of(dev, "swp49") == "established"
    configure(dev, "interface swp49 link state down")
    assert state_of(dev, "swp49") == "idle"
    dev.ports["swp50"].peer = None
    assert state_of(dev, "10.1.0.1") == "active"
    counts = show(dev, "vrf default router bgp")
    assert (counts["configured-neighbors"], counts["established-neighbors"]) == (2, 0)


def test_shutdown_ends_a_session(dev):
    underlay(dev)
    configure(dev, f"{NEIGHBORS} swp49 shutdown {toggle(dev.release)[1]}")
    assert state_of(dev, "swp49") == "idle"


def hops(dev, prefix):
    route = show(dev, "vrf default router rib ipv4 route").get(prefix)
    return sorted(v["interface"] for v in route["route-entry"]["1"]["via"].values()) if route else []


def test_equal_paths(dev):
    underlay(dev)
    # The spines have AS numbers of their own, so that paths are equal in length only.
    assert hops(dev, "10.0.0.12/32") == ["swp50"]
    configure(dev, f"vrf default router bgp path-selection multipath aspath-ignore {toggle(dev.release)[1]}")
    assert hops(dev, "10.0.0.12/32") == ["swp49", "swp50"]
    assert hops(dev, "192.0.2.0/24") == []
    assert hops(dev, "10.0.0.11/32") == ["lo"]
    configure(dev, "vrf default router bgp address-family ipv4-unicast multipaths ebgp 1")
    assert len(hops(dev, "10.0.0.12/32")) == 1
    dev.ports["swp50"].link = False
    assert hops(dev, "10.0.0.12/32") == ["swp49"]
    assert hops(dev, "10.1.0.0/31") == []


def test_vtysh_tells_the_same(dev):
    underlay(dev)
    shell = dev.shell("cumulus")
    found = json.loads(shell.run("sudo vtysh -c 'show bgp vrf default ipv4 unicast summary json'"))
    assert found["as"] == 4200000011
    assert found["peers"]["swp49"]["state"] == "Established"
    assert found["peers"]["swp49"]["pfxRcd"] == 2
    assert json.loads(shell.run("sudo vtysh -c 'show ip bgp summary json'")) == {"ipv4Unicast": found}
    routes = json.loads(shell.run("sudo vtysh -c 'show ip route json'"))
    assert routes["10.0.0.11/32"][0]["protocol"] == "connected"
    (hop,) = routes["10.0.0.101/32"][0]["nexthops"]
    assert (hop["interfaceName"], hop["ip"]) == ("swp50", "10.1.0.1")
    assert "failed to connect" in shell.run("vtysh -c 'show ip route json'")
    assert shell.run("sudo vtysh -c 'show hardware'").startswith("% Unknown command")


def test_what_is_configured_is_switched_on(dev):
    underlay(dev)
    key, on, _ = toggle(dev.release)
    bgp = dev.applied["vrf"]["default"]["router"]["bgp"]
    assert bgp[key] == dev.applied["router"]["bgp"][key] == on
    assert bgp["address-family"]["ipv4-unicast"][key] == on
    assert bgp["address-family"]["ipv4-unicast"]["redistribute"]["connected"] == {key: on}
    off = toggle(dev.release)[2]
    configure(dev, f"vrf default router bgp {key} {off}", f"{NEIGHBORS} swp49 description spine01")
    assert dev.applied["vrf"]["default"]["router"]["bgp"][key] == off, "what is off stays off"
    assert state_of(dev, "swp49") == "idle"


# -- bonds and MLAG --------------------------------------------------------------------------------------------
def pair(dev):
    return configure(
        dev,
        "interface peerlink bond member swp51-52",
        "interface bond1 bond member swp1",
        "interface bond1 bond lacp-rate fast",
        "interface bond1 bond mlag id 1",
        "interface bond1 bridge domain br_default access 999",
        "mlag mac-address 44:38:39:be:ef:aa",
        "mlag peer-ip linklocal",
        "mlag backup 192.0.2.12 vrf mgmt",
        "mlag priority 1000",
    )


def test_bond(dev):
    assert "applied" in pair(dev)
    assert show(dev, "interface bond1 link")["oper-status"] == "up"
    bond = show(dev, "interface bond1 bond")
    assert (bond["mode"], bond["lacp-rate"], bond["member"]) == ("lacp", "fast", {"swp1": {}})
    assert (bond["mlag"]["status"], bond["mlag"]["id"]) == ("dual", 1)
    assert show(dev, "interface bond1")["bond"] == bond
    text = dev.shell("cumulus").run("cat /proc/net/bonding/bond1")
    assert "\tNumber of ports: 1" in text
    assert "Slave Interface: swp1" in text
    assert "    port state: 63" in text
    dev.ports["swp1"].peer = None
    text = dev.shell("cumulus").run("cat /proc/net/bonding/bond1")
    assert "MII Status: down" in text.splitlines()[4]
    assert "    port state: 63" not in text
    assert show(dev, "interface bond1 link")["oper-status"] == "down"
    assert "No such file" in dev.shell("cumulus").run("cat /proc/net/bonding/bond2")


def test_mlag(dev):
    key, on, off = toggle(dev.release)
    assert show(dev, "mlag") == {key: off}
    pair(dev)
    assert dev.applied["interface"]["peerlink.4094"] == {"type": "sub", "base-interface": "peerlink", "vlan": 4094}
    found = show(dev, "mlag")
    assert (found[key], found["local-role"], found["peer-role"]) == (on, "primary", "secondary")
    assert (found["peer-alive"], found["backup-active"], found["peer-interface"]) == (True, True, "peerlink.4094")
    configure(dev, "mlag priority 40000")
    assert show(dev, "mlag")["local-role"] == "secondary"
    dev.ports["swp51"].link = dev.ports["swp52"].link = False
    found = show(dev, "mlag")
    assert (found["peer-alive"], found["local-role"]) == (False, "primary")
    assert "peer-role" not in found
    assert show(dev, "interface bond1 bond mlag")["status"] == "single"


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        (["interface bond2 bond member swp1"], "interface.bond2.bond.member: swp1 is already a member of bond1"),
        (
            ["interface swp1 bridge domain br_default access 999"],
            "interface.bond1.bond.member: swp1 is a member of a bridge",
        ),
        (["unset mlag backup"], "mlag.backup: must be set while MLAG is enabled"),
        (["unset interface peerlink bond"], "mlag: interface peerlink has no bond members"),
    ],
)
def test_bonds_that_cannot_be(dev, commands, reason):
    pair(dev)
    before = dev.running()
    assert reason in configure(dev, *commands)
    assert dev.running() == before


def test_routing_that_cannot_be(dev):
    assert "autonomous-system: neither set here nor" in configure(dev, f"{NEIGHBORS} swp49 remote-as external")
    family = "ip" if dev.old else "ipv4"
    assert "vrr is only supported on SVIs" in configure(
        dev, "router bgp autonomous-system 65001", f"interface swp3 {family} vrr address 10.1.10.1/24"
    )


@pytest.mark.parametrize(
    "command",
    [
        "vrf default router bgp peer-group UNDERLAY remote-as EXTERNAL",
        "vrf default router bgp peer-group UNDERLAY timers hold 2",
        "vrf default router bgp neighbor swp49 peergroup UNDERLAY",
        "vrf default router bgp neighbor swp49 remote-as 4294967296",
        "vrf default router bgp address-family ipv4-unicast multipaths ebgp 0",
        "vrf default router bgp address-family ipv4-unicast redistribute direct",
        "vrf default router bgp address-family ipv4-multicast network 10.0.0.1/32",
        "router policy prefix-list FABRIC rule 10 match 10.0.0.0 min-prefix-len 32",
        "router policy prefix-list FABRIC rule 10 match 10.0.0.0/24 ge 32",
        "router policy route-map FABRIC rule 10 match type any",
        "mlag backup leaf02",
        "mlag init-delay 0",
        "interface bond1 bond lacp-rate 1s",
        "interface bond1 bond mlag id 0",
    ],
)
def test_words_that_nvue_does_not_have(dev, command):
    assert dev.shell("cumulus").run(f"nv set {command}").startswith("Error: Invalid Command")
