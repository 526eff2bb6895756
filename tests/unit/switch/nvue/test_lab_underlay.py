# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Underlay, bundles and the pair against an emulated switch over real SSH: converge, undo, others, drift, facts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import SwitchError
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import BgpPeer
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import connect
from tests.integration.support import RELEASES, Bench, bench
from tests.unit.switch.nvue.test_lab import by_hand, running, speaks_new

GOLDEN = Path(__file__).parents[3] / "golden" / "nvue"
SPINES = ("swp49", "swp50", "swp51")

# What somebody else has on the switch: EVPN, a pair of VRFs, their own peer group, bundle, gateway and loopback.
OTHERS = """\
interface:
  lo: {type: loopback, ip: {address: {10.0.1.11/32: {}, 10.0.0.11/32: {}}}}
  bond1: {type: bond, bond: {member: {swp30: {}, swp31: {}}}, bridge: {domain: {br_default: {access: 30}}}}
  vlan30: {type: svi, vlan: 30, ip: {address: {10.30.0.2/24: {}}, vrf: RED}}
bridge: {domain: {br_default: {type: vlan-aware, vlan: {'30': {vni: {'30': {}}}}}}}
evpn: {enable: 'on'}
nve: {vxlan: {enable: 'on', source: {address: 10.0.1.11}, arp-nd-suppress: 'on'}}
router:
  bgp: {enable: 'on', autonomous-system: 4200000011, router-id: 10.0.0.11, graceful-restart: {mode: full}}
  policy:
    prefix-list: {THEIRS: {type: ipv4, rule: {'10': {action: permit, match: {0.0.0.0/0: {}}}}}}
    route-map: {THEIRS: {rule: {'10': {action: {permit: {}}, match: {type: ipv4, ip-prefix-list: THEIRS}}}}}
vrf:
  RED:
    evpn: {enable: 'on', vni: {'4001': {}}}
    router: {bgp: {enable: 'on', autonomous-system: 65000, router-id: 10.0.0.11}}
  default:
    router:
      bgp:
        enable: 'on'
        address-family:
          ipv4-unicast: {enable: 'on', network: {10.0.1.11/32: {}}, multipaths: {ebgp: 8}}
          l2vpn-evpn: {enable: 'on'}
        peer-group: {OVERLAY: {remote-as: external, address-family: {l2vpn-evpn: {enable: 'on'}}}}
        neighbor:
          10.0.0.101: {type: numbered, peer-group: OVERLAY, multihop-ttl: 3}
          swp20: {type: unnumbered, remote-as: external}
"""


def data(release: str) -> dict[str, Any]:
    model = yaml.safe_load((GOLDEN / "underlay-model.yml").read_text())["switch"]
    return model | {"release": release}


@pytest.fixture(params=RELEASES["nvue"])
def fabric(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with bench("nvue", tmp_path, data=data(request.param)) as b:
        yield b


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Bench]:
    with bench("nvue", tmp_path, data=data("5.14.0"), startup=startup()) as b:
        yield b


def startup() -> str:
    tree = "".join(f"    {line}\n" for line in OTHERS.splitlines())
    return f"- header:\n    version: Cumulus Linux 5.14.0\n- set:\n{tree}"


def give_back(b: Bench, text: str) -> None:
    """Bring the owned part back to what an earlier configuration had."""
    driver, transaction = b.transaction()
    transaction.bring_to(lambda d: d.load(driver.dump(driver.owned(driver.parse(text)))), permit=lambda change: None)


def same(text: str, other: str) -> bool:
    """Less the number of the revision, which goes up."""
    return [x for x in text.splitlines() if "rev-id" not in x] == [x for x in other.splitlines() if "rev-id" not in x]


def test_converge_rest_undo(fabric: Bench) -> None:
    b = fabric
    before = running(b)
    outcome = b.converge()
    assert {"bgp-process", "mlag", "bond-member", "adaptive-routing"} <= {d.kind for d in outcome.change.disruptions}
    assert not b.plan().change
    assert b.lab.leftovers(b.model.name) == []
    give_back(b, before)
    assert same(running(b), before)


def test_others_on_the_switch_are_left_alone(shared: Bench) -> None:
    b = shared
    before = running(b)
    b.converge()
    after, theirs = b.driver().parse(running(b)), b.driver().parse(before)  # the switch joins names to ranges
    del theirs["vrf"]["default"]["router"]["bgp"]["address-family"]["ipv4-unicast"]["multipaths"]  # ours
    assert_inside(theirs, after)
    assert not b.plan().change
    give_back(b, before)
    assert same(running(b), before)


def assert_inside(part: Any, whole: Any, path: str = "") -> None:
    if isinstance(part, dict):
        for key, value in part.items():
            assert key in whole, f"{path} {key}"
            assert_inside(value, whole[key], f"{path} {key}")
    else:
        assert str(part) == str(whole), path


def test_another_as_number_stops_before_anything_is_touched(tmp_path: Path) -> None:
    other = startup().replace("autonomous-system: 4200000011", "autonomous-system: 65001")
    with bench("nvue", tmp_path, data=data("5.14.0"), startup=other) as b:
        before = running(b)
        with pytest.raises(SwitchError, match="expected BGP with AS number 4200000011 or no BGP, found 65001"):
            b.converge()
        assert running(b) == before
        assert b.lab.leftovers(b.model.name) == []


def test_drift_is_found_and_mended(fabric: Bench) -> None:
    b = fabric
    b.converge()
    good = running(b)
    new = speaks_new(b)
    bgp = "nv set vrf default router bgp"
    by_hand(
        b,
        f"{bgp} peer-group UNDERLAY timers hold 180",
        f"{bgp} neighbor swp50 remote-as external",
        f"{bgp} neighbor swp1 type unnumbered",
        f"{bgp} neighbor swp1 remote-as external",
        f"{bgp} neighbor swp1 peer-group UNDERLAY",
        "nv unset vrf default router bgp neighbor swp51",
        "nv set router policy prefix-list UNDERLAY-IN rule 30 action permit",
        "nv set router policy prefix-list UNDERLAY-IN rule 30 match 0.0.0.0/0 max-prefix-len 32",
        f"nv set interface vlan200 {'ipv4' if new else 'ip'} address 10.99.0.1/24",
        "nv set interface bond10 bond lacp-rate slow",
        "nv unset interface bond10 bond member swp2",
        "nv set mlag priority 3000",
    )
    found = b.plan()
    kinds = {"bond", "bond-member", "bgp-session", "mlag", "port-address", "routes"}
    assert {d.kind for d in found.change.disruptions} == kinds
    assert b.converge().change.commands == found.change.commands
    assert same(running(b), good)


def test_facts(fabric: Bench) -> None:
    b = fabric
    b.converge()
    for n, port in enumerate(SPINES, start=1):
        routes = ("10.0.0.12/32", f"10.0.0.{n}/32", "192.0.2.0/24")
        b.lab.set_port(b.model.name, port, peer=(f"spine{n:02}", "swp1"), announces=routes)
    for port in ("swp1", "swp3", "swp61", "swp62"):
        b.lab.set_port(b.model.name, port, peer=("far", "1"))
    b.lab.set_port(b.model.name, "swp2", link=False)
    driver = b.driver()
    with connect(b.target(), driver.dialect) as s:
        facts = driver.read_facts(s)
    assert facts.bgp == {
        "10.1.0.1": BgpPeer(True, 4200000001, 2),
        "swp50": BgpPeer(True, 4200000002, 2),
        "swp51": BgpPeer(True, 4200000003, 2),
    }
    assert facts.paths == {"10.0.0.12/32": 3, "10.0.0.1/32": 1, "10.0.0.2/32": 1, "10.0.0.3/32": 1}
    assert (facts.bonds[10].up, facts.bonds[10].members, facts.bonds[10].lacp) == (
        True,
        {"swp1": True, "swp2": False},
        True,
    )
    assert facts.bonds[11].members == {"swp3": True}
    assert facts.pair is not None
    assert (facts.pair.domain, facts.pair.peer_up, facts.pair.primary) == ("44:38:39:ff:00:01", True, True)
    assert (facts.pair.peer_link_up, set(facts.pair.bonds)) == (True, {10})
    b.lab.set_port(b.model.name, "swp49", link=False)
    with connect(b.target(), driver.dialect) as s:
        facts = driver.read_facts(s)
    assert facts.bgp["10.1.0.1"].established is False
    assert facts.paths["10.0.0.12/32"] == 2


def test_facts_before_anything_is_configured(fabric: Bench) -> None:
    driver = fabric.driver()
    with connect(fabric.target(), driver.dialect) as s:
        facts = driver.read_facts(s)
    assert not any(peer.established for peer in facts.bgp.values())
    assert facts.paths == {}
    assert not any(bond.up for bond in facts.bonds.values())
    assert facts.pair is None
