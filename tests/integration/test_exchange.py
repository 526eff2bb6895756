# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The switches of a lab hear each other's routes: what is wrong on one shows on the others, on every platform."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.site import plan_site
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import Facts
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import connect
from lab.client import ThreadLab
from lab.fabric import build, spec_of
from lab.server import Clock
from tests.integration.support import PASSWORD, Bench

SITE = Path(__file__).parents[1] / "golden" / "breakouts" / "fabric.yml"  # a leaf of each platform under one spine


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Iterator[dict[str, Bench]]:
    run_dir, clock = tmp_path_factory.mktemp("lab"), Clock()
    models = plan_site(str(SITE)).switches
    login = {"ansible_user": "admin", "ansible_password": PASSWORD}
    releases = {"eos": "4.35.1F", "nxos": "10.5(2)F", "nvue": "5.18.0"}
    specs = [
        spec_of(name, login | {"switch": model.model_dump(mode="json") | {"release": releases[model.platform]}})
        for name, model in models.items()
    ]
    with ThreadLab(build(specs, clock), clock, run_dir) as lab:
        benches = {name: Bench(lab, clock, model, run_dir) for name, model in models.items()}
        for bench in benches.values():
            bench.converge()
        yield benches


def facts(bench: Bench) -> Facts:
    driver = bench.driver()
    with connect(bench.target(), driver.dialect) as session:
        return driver.read_facts(session)


def reach(site: dict[str, Bench]) -> dict[str, set[str]]:
    """Leaf -> leafs and spines whose loopback it has a route to."""
    owner = {f"{b.model.underlay.router_id}/32": name for name, b in site.items()}
    return {name: {owner[p] for p in facts(b).paths if p in owner} for name, b in site.items()}


WHOLE = {
    "leaf01": {"leaf02", "leaf03", "spine01"},
    "leaf02": {"leaf01", "leaf03", "spine01"},
    "leaf03": {"leaf01", "leaf02", "spine01"},
    "spine01": {"leaf01", "leaf02", "leaf03"},
}


def without(leaf: str) -> dict[str, set[str]]:
    """Everybody but one leaf."""
    return {name: set() if name == leaf else others - {leaf} for name, others in WHOLE.items()}


def test_everybody_hears_everybody(site):
    assert reach(site) == WHOLE
    assert all(peer.established for b in site.values() for peer in facts(b).bgp.values())


# (switch, what is typed there, the leaf that is cut off; None: others lose its routes, it keeps theirs)
BROKEN = {
    "the spine expects another AS number of an EOS leaf": (
        "spine01",
        ("nv set vrf default router bgp neighbor 10.255.0.0 remote-as 65000", "nv config apply -y"),
        "leaf01",
    ),
    "an EOS leaf expects another AS number": (
        "leaf01",
        ("enable", "configure", "router bgp 4200100001", "neighbor 10.255.0.1 remote-as 65000", "end"),
        "leaf01",
    ),
    "an NX-OS leaf has another AS number in mind": (
        "leaf02",
        ("configure terminal", "router bgp 4200100002", "neighbor 10.255.0.3", "remote-as 65000", "end"),
        "leaf02",
    ),
    "the port of an NVUE leaf is shut": (
        "leaf03",
        ("nv set interface swp49 link state down", "nv config apply -y"),
        "leaf03",
    ),
    "an EOS leaf lets nothing in and out": (
        "leaf01",
        ("enable", "configure", "route-map UNDERLAY-IN deny 5", "route-map UNDERLAY-OUT deny 5", "end"),
        "leaf01",
    ),
}


@pytest.mark.parametrize("story", BROKEN)
def test_what_is_wrong_on_one_switch_shows_on_the_others(site, story):
    name, lines, leaf = BROKEN[story]
    site[name].lab.execute(name, *lines)
    assert reach(site) == without(leaf)
    site[name].converge()
    assert reach(site) == WHOLE


def test_networks_that_are_not_announced_any_more(site):
    leaf = "leaf02"
    lines = (
        "configure terminal",
        "router bgp 4200100002",
        "address-family ipv4 unicast",
        "no redistribute direct",
        "end",
    )
    site[leaf].lab.execute(leaf, *lines)
    assert reach(site) == without(leaf) | {leaf: WHOLE[leaf]}
    assert facts(site["spine01"]).bgp["10.255.0.2"].established
    site[leaf].converge()
    assert reach(site) == WHOLE
