# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the NVUE templates write is valid for every supported release, by NVIDIA's schema (PyPI: nvueschema)."""

from __future__ import annotations

import copy
import importlib
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pydantic
import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.tree import merge
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render

GOLDEN = Path(__file__).parents[1] / "golden" / "nvue"
RELEASES = tuple(range(9, 19))  # 5.9 to 5.18


class Closed(pydantic.BaseModel):
    """Base for the schema's classes: a key that the schema does not know is an error."""

    model_config = pydantic.ConfigDict(extra="forbid")


@cache
def schema(minor: int) -> type[pydantic.BaseModel]:
    """The schema of Cumulus Linux 5.``minor``. The package itself lets unknown keys pass, so it is built on Closed."""
    name = f"nvueschema.models.v5_{minor}"
    sys.modules.pop(name, None)
    original, pydantic.BaseModel = pydantic.BaseModel, Closed
    try:
        return importlib.import_module(name).NvueConfig
    finally:
        pydantic.BaseModel = original


def complaints(tree: dict[str, Any], minor: int) -> list[str]:
    """What the schema says against a tree; through JSON and strict, so that 9216 and '9216' are not the same."""
    try:
        schema(minor).model_validate_json(json.dumps(tree), strict=True)
    except pydantic.ValidationError as error:
        return [f"{'/'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
    return []


def example() -> dict[str, Any]:
    return yaml.safe_load((GOLDEN / "model.yml").read_text())["switch"]


def tree(model: dict[str, Any], release: tuple[int, int] | None) -> dict[str, Any]:
    """All concerns, with YAML's own types: what a switch would be given."""
    whole: dict[str, Any] = {}
    for text in render(Switch.model_validate(model, strict=False), release).values():
        merge(whole, yaml.safe_load(text) or {})
    return whole


def variants() -> dict[str, dict[str, Any]]:
    """Models that make the templates write every key they can write."""
    found = {"example": example()}
    found["cos"] = example()
    found["cos"]["roce"]["trust"] = "cos"
    found["bare"] = example()
    found["bare"]["roce"]["pfc_watchdog"] = {"enabled": False}
    found["bare"]["vlans"] = []
    found["bare"]["ports"] = [{"name": "swp1"}]
    del found["bare"]["roce"]["classes"][1]["ecn"]
    found["hash"] = example()
    found["hash"]["ecmp"] = {"hash": ["source-port"]}
    for value in (10000, 25000, 40000, 50000, 200000, 800000):
        found[f"speed {value}"] = example()
        found[f"speed {value}"]["ports"][0] |= {"speed": value, "fec": "fc", "mtu": 1500}
    for parts in (2, 4, 8):
        found[f"split {parts}"] = example() | {"breakouts": [{"port": "swp31", "parts": parts, "speed": 100000}]}
        last = {"name": f"swp31s{parts - 1}", "speed": 100000}
        found[f"split {parts}"]["ports"] = [*found[f"split {parts}"]["ports"], last]
    return found | routed()


def routed() -> dict[str, dict[str, Any]]:
    """Models with underlay, gateways, bundles and the other switch of a pair."""
    everything = yaml.safe_load((GOLDEN / "underlay-model.yml").read_text())["switch"]
    found = {"routed": everything}
    found["routed, no BFD"] = copy.deepcopy(everything)
    found["routed, no BFD"]["underlay"] |= {"bfd": None, "adaptive_routing": False}
    found["routed, nothing passes"] = copy.deepcopy(everything)
    found["routed, nothing passes"]["underlay"] |= {"accept": [], "announce": [], "neighbors": []}
    found["routed, most paths"] = copy.deepcopy(everything)
    found["routed, most paths"]["underlay"] |= {"maximum_paths": 128, "asn": 4294967295, "keepalive": 1, "hold": 3}
    found["bundles, the other of the pair"] = copy.deepcopy(everything)
    found["bundles, the other of the pair"]["underlay"] = None
    found["bundles, the other of the pair"]["peer_link"] |= {"primary": False}
    found["bundles, the other of the pair"]["bonds"][0]["members"] = ["swp1"]
    return found


@pytest.mark.parametrize("minor", RELEASES)
@pytest.mark.parametrize("name", variants())
def test_valid_for_the_release(name: str, minor: int) -> None:
    assert complaints(tree(variants()[name], (5, minor)), minor) == []


def test_without_a_release_the_newest_is_meant() -> None:
    assert complaints(tree(example(), None), RELEASES[-1]) == []


@pytest.mark.parametrize("minor", [m for m in RELEASES if m >= 11])
def test_lldp_off(minor: int) -> None:
    model = example() | {"lldp": {"enabled": False}}
    assert complaints(tree(model, (5, minor)), minor) == []


def test_one_dialect_is_not_valid_in_the_other() -> None:
    """The cut between the dialects is where we say it is."""
    assert complaints(tree(example(), (5, 14)), 15)
    assert complaints(tree(example(), (5, 15)), 14)
    assert complaints(tree(example(), (5, 11)), 10)  # lldp state


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("qos pfc ROCE-5m cable-length", "5"),
        ("qos pfc ROCE-5m tx", "enabled"),
        ("qos egress-scheduler ROCE traffic-class 0 bw-percent", 101),
        ("interface swp1 link speed", "400g"),
        ("interface swp1 link mtu", 9217),
        ("interface swp1 link lossless", True),
        ("interface swp2s0 link fec", False),
        ("system forwarding ecmp-hash source-ip", True),
        ("router bgp autonomous-system", "4200000011"),
        ("router bgp router-id", "10.0.0"),
        ("router bgp enable", "enabled"),
        ("router policy prefix-list UNDERLAY-IN rule 10 match 10.0.0.0/24 min-prefix-len", "32"),
        ("router policy route-map UNDERLAY-IN rule 10 action permit", "yes"),
        ("vrf default router bgp neighbor swp50 type", "interface"),
        ("vrf default router bgp neighbor swp50 remote-as", "4200000002"),
        ("vrf default router bgp peer-group UNDERLAY bfd profile", "UNDERLAY"),
        ("vrf default router bgp peer-group UNDERLAY timers hold", 1),
        ("vrf default router bgp address-family ipv4-unicast multipaths ebgp", 129),
        ("interface bond10 bond lacp-rate", "quick"),
        ("interface bond10 bond mlag state", "enabled"),
        ("interface vlan100 ip vrr vrr-state", {"up": {}}),
        ("mlag priority", "1000"),
    ],
)
def test_the_oracle_sees_mistakes(path: str, value: Any) -> None:
    """Each of these is what a wrong template would write; the schema must object."""
    broken = tree(example(), (5, 14))
    merge(broken, tree(routed()["routed"], (5, 14)))
    assert complaints(broken, 14) == []
    node = broken
    *parents, last = path.split()
    for key in parents:
        node = node[key]
    node[last] = value
    assert complaints(broken, 14)
