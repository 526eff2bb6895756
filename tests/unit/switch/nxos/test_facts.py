# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Output of show commands -> facts: pairs of raw output and what must come of it, written in both releases' shapes."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import Facts, Neighbor, PortFacts
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos import facts as nxos
from tests.unit.switch.nxos.support import HERE, RUNNING, UNDERLAY, driver, underlay_data

PAIRS = sorted((HERE / "fixtures").glob("*/*.raw"), key=str)


def compact(value: Any) -> Any:
    """Without what is unknown or empty, tuples as lists."""
    if isinstance(value, dict):
        items = {key: compact(item) for key, item in value.items()}
        return {key: item for key, item in items.items() if item is not None and item != {} and item != []}
    if isinstance(value, (list, tuple)):
        return [compact(item) for item in value]
    return value


@pytest.mark.parametrize("raw", PAIRS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_output_is_understood(raw):
    expected = yaml.safe_load(raw.with_suffix(".yml").read_text(encoding="utf-8"))
    parse = nxos.EVERYTHING[expected.pop("command")]
    facts = Facts("", "nxos", "", ports={name: PortFacts() for name in expected.pop("known", ())})
    parse(raw.read_text(encoding="utf-8"), facts)
    found = compact(asdict(facts))
    found = {key: value for key, value in found.items() if value and key != "platform"}
    assert found == compact(expected)


def test_routing_is_asked_about_where_the_model_has_it():
    data = underlay_data()
    assert set(nxos.commands(driver(data).model)) == set(nxos.EVERYTHING)
    assert set(nxos.commands(driver().model)) == set(nxos.PARSERS)
    del data["peer_link"]
    data["bonds"][0]["mlag_id"] = None
    assert set(nxos.EVERYTHING) - set(nxos.commands(driver(data).model)) == {"show vpc | json"}


def test_every_command_has_fixtures():
    used = {yaml.safe_load(path.with_suffix(".yml").read_text(encoding="utf-8"))["command"] for path in PAIRS}
    assert used == set(nxos.EVERYTHING)


@pytest.mark.parametrize(
    "garbage", ["", "% Invalid command at '^' marker.", "{not json", "[]", '{"TABLE_interface": ""}']
)
def test_a_command_that_a_release_does_not_know_leaves_facts_unknown(garbage):
    for parse in nxos.EVERYTHING.values():
        facts = Facts("leaf03", "nxos", "", ports={"Ethernet1/1": PortFacts()})
        parse(garbage, facts)
        assert facts == Facts("leaf03", "nxos", "", ports={"Ethernet1/1": PortFacts()})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("400 Gb/s", 400000),
        ("400000 Mb/s", 400000),
        ("100000000 Kbit", 100000),
        ("a-25G", 25000),
        ("1.6 Tb/s", 1600000),
        ("auto-speed", None),
        ("auto", None),
        ("--", None),
    ],
)
def test_speed(text, expected):
    assert nxos.speed(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("(8)", (3,)), ("(9)", (0, 3)), ("18", (3, 4)), ("(ff)", tuple(range(8))), ("(0)", ()), ("", ())],
)
def test_the_bitmap_of_priorities_is_hexadecimal(text, expected):
    assert nxos.bitmap(text) == expected


def test_a_whole_switch():
    drv = driver()
    outputs = {}
    for name in ("show_interface/several", "show_queuing_interface/json", "show_lldp_neighbors_detail/json"):
        raw = HERE / "fixtures" / f"{name}.raw"
        outputs[yaml.safe_load(raw.with_suffix(".yml").read_text(encoding="utf-8"))["command"]] = raw.read_text()
    facts = nxos.assemble(outputs, drv.parse(RUNNING), drv.model)
    assert (facts.hostname, facts.release) == ("leaf03", "10.3(4a)")
    # CNP is in queue 7 of the switch and is priority 6 of the fabric
    assert facts.dscp_to_priority == {24: 3, 26: 3, 48: 6}
    one, two, three = (facts.ports[f"Ethernet1/{n}"] for n in (1, 2, 3))
    assert (one.mode, one.vlan, one.trust) == ("access", 100, "dscp")
    assert (two.mode, two.vlans, two.native_vlan) == ("trunk", (100, 101, 200), 200)
    assert three.trust == "none"
    assert one.neighbors == (Neighbor("gpu01", "0c42.a100.0001"),)
    assert "Ethernet1/49" not in facts.ports  # only what "show interface" lists exists
    assert facts.as_dict()["ports"]["Ethernet1/1"]["queues"]["3"]["ecn_marked"] == 777


def test_routed_port_and_trust_of_cos():
    drv = driver()
    config = drv.parse(RUNNING.replace("match dscp 24,26", "match cos 3").replace("match dscp 48", "match dscp 48,cs7"))
    facts = Facts("", "nxos", "", ports={"Ethernet1/49": PortFacts(), "Ethernet1/4": PortFacts()})
    nxos.configured(config, facts, drv.model)
    port = facts.ports["Ethernet1/49"]
    assert (port.mode, port.addresses, port.trust) == ("routed", ("10.0.0.4/31",), "both")
    assert facts.ports["Ethernet1/4"].trust == "dscp"
    assert facts.dscp_to_priority == {48: 6, 56: 6}


def test_a_member_has_the_policy_of_its_bundle():
    drv = driver(underlay_data())
    facts = Facts("", "nxos", "", ports={"Ethernet1/4": PortFacts(), "Ethernet1/49": PortFacts()})
    nxos.configured(drv.parse(UNDERLAY), facts, drv.model)
    member = facts.ports["Ethernet1/4"]
    assert (member.mode, member.vlans, member.trust) == ("trunk", (100, 101), "dscp")
    assert facts.ports["Ethernet1/49"].addresses == ("10.0.0.4/31",)
