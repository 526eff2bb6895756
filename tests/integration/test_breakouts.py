# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Front ports that are split: one transaction makes the parts and configures them, and takes both back."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.load import load_switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import SwitchError
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import connect
from lab.device import Fault
from tests.integration.support import RELEASES, bench, model_data

# Front port of the model's first and second port, and the names of their parts.
FRONTS = {"eos": ("Ethernet1/1", "Ethernet2/1"), "nxos": ("Ethernet1/1", "Ethernet1/2"), "nvue": ("swp1", "swp2")}
PARTS = {
    "eos": ("Ethernet1/1", "Ethernet1/3", "Ethernet1/5", "Ethernet1/7"),
    "nxos": ("Ethernet1/1/1", "Ethernet1/1/2", "Ethernet1/1/3", "Ethernet1/1/4"),
    "nvue": ("swp1s0", "swp1s1", "swp1s2", "swp1s3"),
}
EVERY = [(platform, release) for platform, releases in RELEASES.items() for release in releases]
NEWEST = [(platform, releases[-1]) for platform, releases in RELEASES.items()]


def split_data(platform: str, release: str, parts: int = 4) -> dict[str, Any]:
    """The first port of the model as parts of 100G or 200G, each a port of its own."""
    data = model_data(platform, release)
    first, *others = data["ports"]
    speed = 400000 // parts
    names = PARTS[platform][:: 4 // parts] if platform == "eos" else PARTS[platform][:parts]
    ports = [first | {"name": name, "speed": speed, "description": f"gpu0{n}"} for n, name in enumerate(names, 1)]
    breakout = {"port": FRONTS[platform][0], "parts": parts, "speed": speed}
    return data | {"ports": [*copy.deepcopy(ports), *others], "breakouts": [breakout]}


def names(b) -> set[str]:
    """Ports that are up, as switch_facts sees them."""
    driver = b.driver()
    with connect(b.target(), driver.dialect) as session:
        return {name for name, port in driver.read_facts(session).ports.items() if port.oper_up}


@pytest.mark.parametrize(("platform", "release"), EVERY)
def test_split_and_configured_in_one_transaction_and_joined_again(platform, release, tmp_path):
    with bench(platform, tmp_path, data=split_data(platform, release)) as b:
        before = b.lab.running(b.model.name)
        assert not set(PARTS[platform][1:]) & names(b)
        first = b.converge()
        assert first.applied
        again = b.plan()
        assert not again.change, again.change.diffs
        assert set(PARTS[platform]) <= names(b)
        kinds = {d.kind for d in first.change.disruptions}
        assert ("port-speed" if platform == "eos" else "breakout") in kinds

        _, transaction = b.transaction()
        undone = transaction.bring_to(lambda driver: first.before, permit=lambda change: None)
        assert undone.applied
        assert b.lab.running(b.model.name) == before
        assert b.lab.leftovers(b.model.name) == []


@pytest.mark.parametrize(("platform", "release"), NEWEST)
def test_a_front_port_is_split_otherwise(platform, release, tmp_path):
    with bench(platform, tmp_path, data=split_data(platform, release)) as b:
        b.converge()
        four = b.lab.running(b.model.name)
        b.model = load_switch(split_data(platform, release, parts=2), "tests")
        assert b.converge().applied
        assert not b.plan().change
        up = names(b)
        wanted = PARTS[platform][::2] if platform == "eos" else PARTS[platform][:2]
        assert set(wanted) <= up
        assert not set(PARTS[platform]) - set(wanted) & up
        b.model = load_switch(split_data(platform, release), "tests")
        assert b.converge().applied
        assert b.lab.running(b.model.name) == four


@pytest.mark.parametrize(("platform", "release"), NEWEST)
def test_a_front_port_is_joined_again(platform, release, tmp_path):
    whole = split_data(platform, release)
    first = next(p for p in whole["ports"] if p["name"] == PARTS[platform][0])
    others = [p for p in whole["ports"] if p["name"] not in PARTS[platform]]
    whole |= {"breakouts": [], "ports": [first | {"name": FRONTS[platform][0], "speed": 400000}, *others]}
    with bench(platform, tmp_path, data=split_data(platform, release)) as b:
        b.converge()
        b.model = load_switch(whole, "tests")
        joined = b.converge()
        assert joined.applied
        assert not b.plan().change
        assert ("port-speed" if platform == "eos" else "breakout") in {d.kind for d in joined.change.disruptions}
        assert FRONTS[platform][0] in {*b.device.ports}
        assert not set(PARTS[platform][1:]) & names(b)


# What comes after the split in the transaction of each platform.
LATER = {"eos": "commit timer", "nxos": "interface Ethernet1/1/3", "nvue": "nv config apply"}


@pytest.mark.parametrize("kind", ["refuse", "cut-before", "cut-after"])
@pytest.mark.parametrize(("platform", "release"), NEWEST)
def test_what_fails_behind_the_split_undoes_it(platform, release, kind, tmp_path):
    with bench(platform, tmp_path, data=split_data(platform, release)) as b:
        before, ports = b.lab.running(b.model.name), sorted(b.device.ports)
        b.device.faults.append(Fault(kind, match=LATER[platform]))
        with pytest.raises(SwitchError):
            b.converge()
        assert b.lab.running(b.model.name) == before
        assert sorted(b.device.ports) == ports
        assert b.lab.leftovers(b.model.name) == []
        assert b.converge().applied


@pytest.mark.parametrize("platform", ["nxos", "nvue"])
def test_the_splits_of_others_are_theirs_and_ours_come_back(platform, tmp_path):
    split = {
        "nxos": ("interface breakout module 1 port {} map 100g-4x", "no interface breakout module 1 port {}"),
        "nvue": ("nv set interface swp{} link breakout 4x", "nv unset interface swp{}"),
    }[platform]
    around = {"nxos": ("configure terminal", "end"), "nvue": ("echo", "nv config apply -y")}[platform]
    with bench(platform, tmp_path, data=split_data(platform, RELEASES[platform][-1])) as b:
        b.converge()
        settled = b.lab.running(b.model.name)
        shell = b.device.shell("operator")
        for line in (around[0], split[0].format(33), around[1]):  # a port that is not in the model
            shell.run(line)
        assert len(b.device.ports) == 64 + 2 * 3
        assert not b.plan().change
        for line in (around[0], split[1].format(33), split[1].format(1), split[0].format(2), around[1]):
            shell.run(line)
        drift = b.plan().change
        assert {d.where for d in drift.disruptions if d.kind == "breakout"}
        assert b.converge().applied
        assert b.lab.running(b.model.name) == settled


def test_a_split_needs_consent(tmp_path):
    with bench("nxos", tmp_path, data=split_data("nxos", RELEASES["nxos"][-1])) as b:
        found = [d for d in b.plan().change.disruptions if d.kind == "breakout"]
        assert [d.where for d in found] == ["interface breakout module 1 port 1 map 100g-4x"]
