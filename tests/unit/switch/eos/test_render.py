# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EOS templates against committed text (UPDATE_GOLDEN=1 writes it anew), and the filters one by one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import ModelError
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Ecn, Port
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.underlay import Prefixes
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import CONCERNS
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos import filters
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.asics import asic
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.driver import EosDriver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render
from tests.underlay import with_underlay

GOLDEN = Path(__file__).parents[3] / "golden" / "eos"
CASES = {
    "tomahawk4-4.35": ("tomahawk4", (4, 35)),
    "tomahawk4-4.28": ("tomahawk4", (4, 28)),
    "jericho2-4.35": ("jericho2", (4, 35)),
    "jericho2-4.28": ("jericho2", (4, 28)),
    "trident2-4.28": ("trident2", (4, 28)),
}


@pytest.mark.parametrize("name", CASES)
def test_golden(name, example, switch):
    family, release = CASES[name]
    rendered = render(switch(example | {"asic": family}), release)
    text = "".join(f"! {concern}\n{rendered[concern]}" for concern in CONCERNS)
    path = GOLDEN / f"{name}.cfg"
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


def _adaptive(data, **changes):
    return data | {"underlay": data["underlay"] | {"adaptive_routing": True} | changes}


UNDERLAY = {
    "underlay-tomahawk4-4.35": (
        "tomahawk4",
        (4, 35),
        lambda data: _adaptive(with_underlay(data), bfd={"interval_ms": 500, "multiplier": 4}),
    ),
    "underlay-jericho2-4.28": (
        "jericho2",
        (4, 28),
        lambda data: _adaptive(with_underlay(data, unnumbered=False), bfd=None, accept=[], maximum_paths=8),
    ),
}


@pytest.mark.parametrize("name", UNDERLAY)
def test_golden_underlay(name, example, switch):
    family, release, variant = UNDERLAY[name]
    rendered = render(switch(variant(example) | {"asic": family}), release)
    concerns = ("ports", "bonds", "underlay")  # the others are those of the other files
    text = "".join(f"! {concern}\n{rendered[concern]}" for concern in concerns)
    path = GOLDEN / f"{name}.cfg"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text)
    assert text == path.read_text()


def test_a_routed_bond_has_the_address_of_its_first_port(example, switch):
    data = with_underlay(example)
    for port in data["ports"][2:3]:
        del port["vlan"]
        port |= {"mode": "routed", "address": "10.20.0.0/31"}
    text = render(switch(data), (4, 35))
    assert (
        "interface Port-Channel11\n   description nas01\n   no shutdown\n   mtu 9214\n   no switchport\n"
        in text["bonds"]
    )
    assert "   ip address 10.20.0.0/31\n" in text["bonds"]
    assert "10.20.0.0" not in text["ports"]


def test_ports_of_a_bond_are_alike(example, switch):
    data = with_underlay(example)
    data["ports"][1]["mtu"] = 9000
    with pytest.raises(ModelError, match=r"Ethernet2/1.mtu: expected mtu 9214 as on Ethernet1/1.*found 9000"):
        render(switch(data), (4, 35))


@pytest.mark.parametrize(
    ("within", "length", "text"),
    [
        ("10.0.0.0/24", 32, "10.0.0.0/24 eq 32"),
        ("10.0.0.0/24", 24, "10.0.0.0/24"),
        ("10.0.0.7/24", 30, "10.0.0.0/24 eq 30"),
    ],
)
def test_prefixes(within, length, text):
    assert filters.prefixes(Prefixes(within=within, length=length)) == text


def test_a_filter_shorter_than_its_network_is_an_error():
    with pytest.raises(ValueError, match="expected length of at least 24"):
        Prefixes(within="10.0.0.0/24", length=16)


def test_mtu_of_a_gateway_is_the_smallest_of_its_vlan(example, switch):
    data = with_underlay(example)
    data["ports"][3]["mtu"] = 4200
    model = switch(data)
    assert (filters.vlan_mtu(100, model), filters.vlan_mtu(101, model), filters.vlan_mtu(9, model)) == (
        4200,
        9214,
        9214,
    )


def test_mac_of_gateways(example, switch):
    data = with_underlay(example)
    assert filters.virtual_mac(switch(data)) == "44:38:39:ff:00:07"
    del data["bonds"][0]["mlag_id"]
    assert filters.virtual_mac(switch(data | {"peer_link": None})) == filters.VIRTUAL_MAC


def test_every_variant_of_the_model_is_rendered(example, switch):
    example["lldp"]["enabled"] = False
    example["roce"]["pfc_watchdog"]["enabled"] = False
    example["roce"]["classes"][1]["ecn"] = {"min": 150500, "max": 1500000, "probability": 20}
    access, routed = example["ports"]
    example["vlans"].append({"id": 101, "name": "storage"})
    trunk = {"name": "Ethernet2/1", "mode": "trunk", "vlans": [100, 101], "native_vlan": 100, "lossless": False}
    example["ports"] = [access | {"enabled": False, "fec": "none", "speed": 100000}, trunk, routed | {"fec": "fc"}]
    text = render(switch(example), (4, 35))
    assert "no lldp run\n" in text["lldp"]
    assert "default timeout" not in text["qos"]
    assert "   no priority-flow-control pause watchdog\n" in text["qos"]
    assert "minimum-threshold 150500 bytes maximum-threshold 1500000 bytes max-mark-probability 20\n" in text["qos"]
    closed, trunk_text, fc = text["ports"].split("!\n")[:3]
    assert "   shutdown\n" in closed
    assert "   no error-correction encoding\n" in closed
    assert "   speed forced 100gfull\n" in closed  # without RS-FEC lanes are NRZ: four of 25 Gb/s
    assert "   switchport trunk allowed vlan 100-101\n   switchport trunk native vlan 100\n" in trunk_text
    assert "service-profile" not in trunk_text
    assert "   error-correction encoding fire-code\n" in fc


@pytest.mark.parametrize(
    ("asic_name", "speed", "fec", "words"),
    [
        ("tomahawk4", 10000, None, "forced 10000full"),
        ("tomahawk4", 25000, "fc", "forced 25gfull"),
        ("tomahawk4", 40000, None, "forced 40gfull"),
        ("tomahawk4", 50000, "rs", "50g-1"),
        ("tomahawk4", 100000, "rs", "100g-2"),
        ("tomahawk4", 100000, "none", "forced 100gfull"),
        ("tomahawk4", 200000, "rs", "200g-4"),
        ("tomahawk4", 400000, "rs", "400g-8"),
        ("tomahawk5", 100000, "rs", "100g-1"),
        ("tomahawk5", 400000, "rs", "400g-4"),
        ("tomahawk5", 800000, "rs", "800g-8"),
        ("trident3", 50000, "rs", "forced 50gfull"),
        ("trident3", 100000, "rs", "forced 100gfull"),
        ("Jericho2C+", 400000, None, "400g-8"),
        (None, 400000, None, "400g-8"),
    ],
)
def test_speed(asic_name, speed, fec, words, example, switch):
    model = switch(example | {"asic": asic_name})
    assert filters.speed(Port(name="Ethernet1/1", speed=speed, fec=fec), model) == words


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((150000, 1500000), "minimum-threshold 150 kbytes maximum-threshold 1500 kbytes"),
        ((1000, 1000), "minimum-threshold 1 kbytes maximum-threshold 1 kbytes"),
        ((153600, 1500000), "minimum-threshold 153600 bytes maximum-threshold 1500000 bytes"),
        ((150000, 1536001), "minimum-threshold 150000 bytes maximum-threshold 1536001 bytes"),
    ],
)
def test_threshold_is_exact(sizes, words):
    assert filters.threshold(Ecn(min=sizes[0], max=sizes[1])) == words


def test_seconds():
    assert [filters.seconds(ms) for ms in (100, 200, 1000, 1110, 60000)] == ["0.1", "0.2", "1", "1.11", "60"]
    assert filters.seconds(105, 1) == "0.105"
    with pytest.raises(ModelError, match="pfc_watchdog: expected times that are multiples of 10 ms, found 205"):
        filters.seconds(205)


def test_default_class_has_what_nobody_names(example, switch):
    roce = switch(example).roce
    default, data, cnp = roce.classes
    assert filters.dscps(default, roce) == [v for v in range(64) if v not in (26, 48)]
    assert (filters.dscps(data, roce), filters.dscps(cnp, roce)) == ([26], [48])
    assert filters.coses(default, roce) == [0, 1, 2, 4, 5, 7]
    for cls in example["roce"]["classes"]:
        cls.pop("cos", None)
    plain = switch(example).roce
    assert [filters.coses(c, plain) for c in plain.classes] == [[], [], []]


def test_ranges():
    assert filters.ranges([7, 1, 2, 3, 9, 10]) == "1-3,7,9-10"


def test_asic():
    assert asic("Tomahawk 4").queue == "uc-tx-queue"
    assert asic("jericho3-ai").queue == "tx-queue"
    with pytest.raises(
        ModelError, match=r"switch.asic: expected a name that starts with one of arad, .*, found .?spectrum4"
    ):
        asic("spectrum4")


def test_what_is_rendered_is_owned(example, switch):
    """Every line of the templates is in the ownership table: nothing is rendered that drift would not see."""
    for family, release, data in [
        *((family, release, example) for family, release in CASES.values()),
        *((family, release, variant(example)) for family, release, variant in UNDERLAY.values()),
    ]:
        driver = EosDriver(switch(data | {"asic": family}))
        text = "\n".join(render(driver.model, release).values())
        owned = driver.dump(driver.load(text))
        explicit_defaults = {
            "no shutdown",
            "lacp timer normal",
            "bgp bestpath as-path multipath-relax",
            "no flowcontrol send",
            "no flowcontrol receive",
            "switchport mode access",
            "priority strict",
            "uc-tx-queue 6",
            "tx-queue 6",
            "lldp run",
            "lldp timer 30",
            "lldp hold-time 120",
        }
        lines = {line.strip() for line in text.splitlines()} - {"", "!"} - explicit_defaults
        missing = {line for line in lines if line not in owned and not line.startswith("qos map")}
        assert not missing
