# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What leaves the model leaves the switch: bundles, gateways, VLANs in the numbers of the fabric, and BGP neighbours.

What somebody else made, with any other number, stays byte for byte.
"""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.load import load_switch
from tests.integration.support import NEWEST, PORTS, RELEASES, bench, model_data
from tests.integration.test_random_drift import correct, type_by_hand, type_in

EVERY = [(platform, release) for platform, releases in RELEASES.items() for release in releases]
SEED = int(os.environ.get("DRIFT_SEED", "20261129"))
FOURTH = {"eos": "Ethernet50/1", "nxos": "Ethernet1/50", "nvue": "swp50"}
RESERVED = {"vlans": ["100-199"], "bonds": ["1-99"]}


def small(platform: str, release: str, reserved: dict[str, Any] | None = None) -> dict[str, Any]:
    """Two VLANs, one gateway, one session."""
    data = model_data(platform, release)
    routed = data["ports"][2]
    data["ports"].append(routed | {"name": FOURTH[platform], "address": "10.0.1.0/31", "description": "spine02"})
    neighbors = [{"port": PORTS[platform][2], "address": "10.0.0.1", "asn": 65001}]
    data["underlay"] = {"asn": 65011, "router_id": "10.9.0.1", "bfd": None, "neighbors": neighbors}
    data["gateways"] = [{"vlan": 100, "address": "10.100.0.1/24"}]
    return data | {"reserved": RESERVED if reserved is None else reserved}


def large(platform: str, release: str, reserved: dict[str, Any] | None = None) -> dict[str, Any]:
    """The same with a VLAN, two gateways, a bundle and a session more."""
    data = small(platform, release, reserved)
    data["vlans"].append({"id": 150, "name": "more"})
    data["gateways"] += [{"vlan": 101, "address": "10.101.0.1/24"}, {"vlan": 150, "address": "10.150.0.1/24"}]
    data["bonds"] = [{"id": 11, "members": [PORTS[platform][1]], "description": "gpu02"}]
    data["underlay"]["neighbors"].append({"port": FOURTH[platform], "address": "10.0.1.1", "asn": 65002})
    return data


def plain(text: str) -> list[str]:
    """Without features, which stay on when they are on."""
    return [line for line in text.split("\n") if not line.startswith("feature ")]


@pytest.mark.parametrize(("platform", "release"), EVERY)
def test_the_switch_is_as_if_it_had_never_been_there(platform, release, tmp_path):
    with bench(platform, tmp_path / "a", data=small(platform, release)) as never:
        never.converge()
        wanted = never.lab.running(never.model.name)
    with bench(platform, tmp_path / "b", data=large(platform, release)) as b:
        b.converge()
        assert "150" in b.lab.running(b.model.name)
        b.model = load_switch(small(platform, release), "tests")
        gone = b.converge()
        assert gone.change.disruptions, "hosts lose a gateway: that needs consent"
        assert plain(b.lab.running(b.model.name)) == plain(wanted)
        assert not b.plan().change
        _, transaction = b.transaction()
        text = b.driver().dump(gone.before)
        back = transaction.bring_to(lambda driver: driver.load(text), permit=lambda change: None)
        assert back.applied, "rollback.yml brings it back"
        b.model = load_switch(large(platform, release), "tests")
        assert not b.plan().change


@pytest.mark.parametrize(("platform", "release"), [(p, r[-1]) for p, r in RELEASES.items()])
def test_without_reserved_numbers_only_the_neighbour_goes(platform, release, tmp_path):
    bonds = large(platform, release)["bonds"]
    with bench(platform, tmp_path, data=large(platform, release, {})) as b:
        b.converge()
        b.model = load_switch(small(platform, release, {}) | {"bonds": bonds}, "tests")
        b.converge()
        left = b.lab.running(b.model.name)
        assert "10.150.0.1/24" in left
        assert "10.0.1.1" not in left.replace("10.0.1.1/", "")
        assert not b.plan().change


# What an operator makes: with NUMBER in the ranges of the fabric it goes, with another one it stays.
MADE = {
    "eos": [
        "vlan VLAN / name guestsVLAN",
        "interface VlanVLAN / ip address 10.77.LAST.1/24 / mtu 9000",
        "vlan VLAN / interface VlanVLAN / ip virtual-router address 10.77.LAST.9",
        "interface Port-ChannelBOND / switchport mode trunk / mlag BOND",
        "interface EthernetPORT/1 / channel-group BOND mode active",
    ],
    "nxos": [
        "vlan VLAN / name guestsVLAN",
        "feature interface-vlan / interface VlanVLAN / ip address 10.77.LAST.1/24 / mtu 9000 / no shutdown",
        "interface port-channelBOND / switchport mode trunk / description old",
        "feature lacp / interface Ethernet1/PORT / channel-group BOND mode active",
    ],
    "nvue": [
        "nv set bridge domain br_default vlan VLAN",
        "nv set interface vlanVLAN OLD address 10.77.LAST.1/24",
        "nv set interface bondBOND bond member swpPORT",
        "nv set interface bondBOND bridge domain br_default vlan 100",
    ],
}
BEFORE = {"eos": (), "nxos": ("feature interface-vlan", "feature lacp"), "nvue": ()}


def made(platform: str, rng: random.Random, *, ours: bool) -> tuple[str, ...]:
    """One edit."""
    last = rng.randint(2, 99)
    words = {
        "VLAN": str(100 + last if ours else 300 + last),
        "LAST": str(last if ours else last + 100),
        "BOND": str(rng.randint(1, 99) if ours else rng.randint(301, 399)),
        "PORT": str(rng.randint(5, 24) if ours else rng.randint(25, 40)),
        "OLD": "ipv4",
    }
    text = rng.choice(MADE[platform])
    for word, value in words.items():
        text = text.replace(word, value)
    return tuple(text.split(" / "))


@pytest.mark.parametrize(("platform", "release"), list(NEWEST.items()))
def test_any_number(platform, release, tmp_path):
    rng = random.Random(f"{SEED} {platform}")
    with bench(platform, tmp_path, data=small(platform, release)) as b:
        b.converge()
        if BEFORE[platform]:
            assert type_by_hand(b, BEFORE[platform])
        twin = type(b.device)("twin", list(b.device.unsplit), clock=b.clock, release=release)
        twin.load(b.device.running())
        for number in range(12):
            story = [f"DRIFT_SEED={SEED} {platform} round {number}:"]
            for _ in range(rng.randint(1, 4)):
                ours = rng.random() < 0.6
                edit = made(platform, rng, ours=ours)
                taken = type_by_hand(b, edit)
                story.append(f"{'ours' if ours else 'other'}: {' / '.join(edit)}{'' if taken else ' (refused)'}")
                if not ours:
                    assert type_in(twin, edit) == taken, story
            correct(b, twin, "\n  ".join(story))
