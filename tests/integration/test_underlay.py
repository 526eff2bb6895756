# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Routed underlay, bonds and the pair on each platform: one transaction, then rest, and back byte for byte."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import SwitchError
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import Facts
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import connect
from tests import reading
from tests.integration.support import RELEASES, Bench, bench, model_data
from tests.integration.test_existing_devices import identity, printed
from tests.underlay import with_underlay

EVERY = [(platform, release) for platform, releases in RELEASES.items() for release in releases]
SESSIONS = {"numbered": {"unnumbered": False}, "unnumbered": {"numbered": False}, "both": {}}
EXISTING = Path(__file__).parents[1] / "fixtures" / "existing"


def data(platform: str, release: str, sessions: str = "both") -> dict:
    return with_underlay(model_data(platform, release), **SESSIONS[sessions])


def facts(b: Bench) -> Facts:
    driver = b.driver()
    with connect(b.target(), driver.dialect) as session:
        return driver.read_facts(session)


@pytest.mark.parametrize("sessions", SESSIONS)
@pytest.mark.parametrize(("platform", "release"), EVERY)
def test_converges_rests_and_goes_back(platform, release, sessions, tmp_path):
    with bench(platform, tmp_path, data=data(platform, release, sessions)) as b:
        before = b.lab.running(b.model.name)
        predicted = b.plan()
        first = b.converge()
        assert first.applied
        assert first.change == predicted.change, "check mode predicted something else than was done"
        again = b.plan()
        assert not again.change, again.change.diffs
        assert b.lab.leftovers(b.model.name) == []

        _, transaction = b.transaction()
        undone = transaction.bring_to(lambda driver: first.before, permit=lambda change: None)
        assert undone.applied
        assert b.lab.running(b.model.name) == before


@pytest.fixture(params=EVERY, ids=lambda value: "-".join(value))
def converged(request, tmp_path) -> Iterator[Bench]:
    """A leaf as intended; cables end at neighbours that announce."""
    platform, release = request.param
    with bench(platform, tmp_path, data=data(platform, release)) as b:
        for port in b.model.ports:
            state = b.device.ports[port.name]
            state.peer = (port.peer.device, port.peer.port or "x")
            if port.peer.device.startswith("spine"):
                state.announces = ("10.0.0.12/32", "10.10.7.0/24", "192.0.2.0/24")
        b.converge()
        yield b


def test_facts(converged):
    b = converged
    numbered, unnumbered = b.model.underlay.neighbors
    uplinks = {numbered.address: numbered, unnumbered.port: unnumbered}
    found = facts(b)
    assert {key: (peer.established, peer.asn) for key, peer in found.bgp.items()} == {
        key: (True, neighbor.asn) for key, neighbor in uplinks.items()
    }
    assert found.paths["10.0.0.12/32"] == 2
    assert "192.0.2.0/24" not in found.paths
    for bond in b.model.bonds:
        assert found.bonds[bond.id].up
        assert found.bonds[bond.id].members == dict.fromkeys(bond.members, True)
    assert found.pair is not None
    assert found.pair.peer_up

    b.device.ports[numbered.port].link = False
    b.device.ports[b.model.bonds[0].members[0]].link = False
    found = facts(b)
    assert [found.bgp[key].established for key in uplinks] == [False, True]
    assert found.paths["10.0.0.12/32"] == 1
    assert list(found.bonds[10].members.values()) == [False, True]

    for name in b.model.peer_link.ports:
        b.device.ports[name].link = False
    assert not facts(b).pair.peer_up


# Somebody changes a session, a filter and a bond.
BY_HAND = {
    "eos": (
        ("enable", "configure terminal", "router bgp 4200000011", "neighbor UNDERLAY timers 10 30"),
        ("neighbor interface Ethernet50/1 peer-group UNDERLAY-UNNUMBERED remote-as 65009", "exit"),
        ("no ip prefix-list UNDERLAY-IN seq 10", "ip prefix-list UNDERLAY-IN seq 10 permit 0.0.0.0/0 le 32"),
        ("interface Ethernet2/1", "no channel-group", "interface Port-Channel11", "switchport access vlan 100", "end"),
    ),
    "nxos": (
        ("configure terminal", "router bgp 4200000011", "neighbor Ethernet1/50", "remote-as 65009"),
        ("no ip prefix-list UNDERLAY-IN", "ip prefix-list UNDERLAY-IN seq 10 permit 0.0.0.0/0 le 32"),
        ("interface Ethernet1/2", "no channel-group", "interface port-channel11", "switchport access vlan 100", "end"),
    ),
    "nvue": (
        ("nv set vrf default router bgp neighbor swp50 remote-as 65009", "nv unset interface bond10 bond member swp2"),
        ("nv set interface bond11 bridge domain br_default access 100", "nv config apply -y"),
    ),
}


@pytest.mark.parametrize(("platform", "release"), EVERY)
def test_what_somebody_changed_is_mended(platform, release, tmp_path):
    with bench(platform, tmp_path, data=data(platform, release)) as b:
        b.converge()
        before = b.driver().dump(b.plan().before)
        by_hand(b, *(line for group in BY_HAND[platform] for line in group))
        predicted = b.plan()
        assert {diff.concern for diff in predicted.change.diffs} >= {"bonds", "underlay"}
        mended = b.converge()
        assert mended.change == predicted.change
        again = b.plan()
        assert not again.change
        assert b.driver().dump(again.before) == before


# A switch that routes already: what is not ours in it. The session over the port of our uplink is nobody's yet.
FOREIGN = {
    "eos": (
        ("enable", "configure terminal", "ip routing", "ip prefix-list THEIRS seq 5 permit 10.9.0.0/16 ge 24"),
        ("route-map THEIRS permit 10", "match ip address prefix-list THEIRS", "exit"),
        ("vlan 30", "exit", "interface Vlan30", "ip address 10.30.0.1/24", "exit"),
        ("interface Loopback1", "ip address 10.0.1.11/32", "exit"),
        ("interface Port-Channel99", "switchport mode trunk", "exit"),
        ("interface Ethernet20/1", "channel-group 99 mode active", "exit"),
        ("router bgp 4200000011", "neighbor THEIRS peer group", "neighbor THEIRS remote-as 65001"),
        ("neighbor THEIRS route-map THEIRS out", "neighbor 10.9.0.1 peer group THEIRS"),
        ("address-family evpn", "neighbor THEIRS activate", "exit", "vrf tenant", "rd 10.0.0.11:1", "end"),
    ),
    "nxos": (
        ("configure terminal", "feature bgp", "feature lacp", "feature interface-vlan"),
        ("ip prefix-list THEIRS seq 5 permit 10.9.0.0/16 ge 24",),
        ("route-map THEIRS permit 10", "match ip address prefix-list THEIRS"),
        ("vlan 30", "interface Vlan30", "no shutdown", "ip address 10.30.0.1/24"),
        ("interface loopback1", "ip address 10.0.1.11/32"),
        ("interface Ethernet1/20", "switchport mode trunk", "channel-group 99 mode active"),
        ("router bgp 4200000011", "template peer THEIRS", "remote-as 65001"),
        ("neighbor 10.9.0.1", "inherit peer THEIRS", "address-family l2vpn evpn", "send-community extended"),
        ("vrf tenant", "address-family ipv4 unicast", "maximum-paths 4", "end"),
    ),
    "nvue": (
        ("nv set router policy prefix-list THEIRS rule 5 match 10.9.0.0/16 max-prefix-len 24",),
        ("nv set router policy prefix-list THEIRS rule 5 action permit",),
        ("nv set interface lo ip address 10.0.1.11/32",),
        ("nv set router bgp autonomous-system 4200000011", "nv set vrf default router bgp peer-group theirs"),
        ("nv set vrf default router bgp peer-group theirs remote-as external",),
        ("nv set vrf default router bgp neighbor swp40 peer-group theirs",),
        ("nv set vrf default router bgp neighbor swp40 type unnumbered",),
        ("nv set interface bond99 bond member swp20", "nv config apply -y", "nv config save"),
    ),
}


def split_ip(release: str) -> bool:
    """NVUE from 5.15 on."""
    return tuple(int(n) for n in release.split(".")[:2]) >= (5, 15)


def by_hand(b: Bench, *lines: str) -> None:
    shell = b.device.shell("admin")
    for line in lines:
        answer = shell.run(line)
        assert not re.search(r"(?m)^\s*(%|ERROR|Error)", answer), f"{line!r}: {answer}"
    shell.close()


@pytest.mark.parametrize(("platform", "release"), EVERY)
def test_what_others_route_stays(platform, release, tmp_path):
    with bench(platform, tmp_path, data=data(platform, release)) as b:
        name = b.model.name
        factory = b.lab.running(name)
        lines = [line for group in FOREIGN[platform] for line in group]
        if platform == "nvue" and split_ip(release):
            lines = [line.replace(" lo ip address", " lo ipv4 address") for line in lines]
        by_hand(b, *lines)
        before = b.lab.running(name)
        theirs = reading.statements(platform, before) - reading.statements(platform, factory)
        assert theirs
        first = b.converge()
        assert first.applied
        lost = theirs - reading.statements(platform, b.lab.running(name))
        assert lost == set(), "lines of others went"
        assert not b.plan().change

        _, transaction = b.transaction()
        assert transaction.bring_to(lambda driver: first.before, permit=lambda change: None).applied
        assert b.lab.running(name) == before


OTHER_ASN = {
    "eos": ("enable", "configure terminal", "router bgp 65001", "end"),
    "nxos": ("configure terminal", "feature bgp", "router bgp 65001", "end"),
    "nvue": ("nv set router bgp autonomous-system 65001", "nv set vrf default router bgp state enabled"),
}


@pytest.mark.parametrize(("platform", "release"), EVERY)
def test_another_as_number_is_an_error_before_anything_is_touched(platform, release, tmp_path):
    with bench(platform, tmp_path, data=data(platform, release)) as b:
        lines = [*OTHER_ASN[platform]]
        if platform == "nvue":
            if not split_ip(release):
                lines[1] = "nv set vrf default router bgp enable on"
            lines.append("nv config apply -y")
        by_hand(b, *lines)
        before = b.lab.running(b.model.name)
        for act in (b.plan, b.converge):
            with pytest.raises(SwitchError, match=r"4200000011.*65001"):
                act()
        assert b.lab.running(b.model.name) == before
        assert b.lab.leftovers(b.model.name) == []


def border_cases() -> list[Path]:
    return sorted(p for p in EXISTING.iterdir() if "all" not in p.name)


@pytest.mark.parametrize("path", border_cases(), ids=lambda path: path.stem)
def test_without_an_underlay_routing_is_not_looked_at(path, tmp_path):
    """Devices that route and bundle already, and a model that says nothing about either."""
    platform, release = identity(path.read_text())
    plain = model_data(platform, release)
    plain["ports"] = plain["ports"][:1]
    with bench(platform, tmp_path, startup=printed(platform, path.read_text()), data=plain) as b:
        change = b.plan().change
        assert {diff.concern for diff in change.diffs} <= {"vlans", "qos", "ports", "lldp", "ecmp"}
        routing = re.compile(r"bgp|route-map|prefix-list|port-channel|mlag|vpc", re.IGNORECASE)
        assert not [c for c in change.commands if routing.search(c)]
