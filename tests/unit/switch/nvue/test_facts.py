# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Output of show commands (fixtures/<command>/<case>.raw) -> facts (<case>.yml: what differs from nothing known)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import PortFacts
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue import facts
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.tree import read_config

FIXTURES = Path(__file__).parent / "fixtures"


def known(value: Any) -> Any:
    """Plain data without what is None or empty."""
    if isinstance(value, dict):
        pairs = ((key, known(child)) for key, child in value.items())
        return {key: child for key, child in pairs if child is not None and child != {} and child != []}
    if isinstance(value, (list, tuple)):
        return [known(child) for child in value]
    return value


def port(parse: Callable[[str, PortFacts], None], text: str) -> Any:
    found = PortFacts()
    parse(text, found)
    return known(asdict(found))


def system(text: str) -> Any:
    found = facts.parse_system(text)
    return {"hostname": found.hostname, "release": found.release}


def bond(text: str) -> Any:
    ports = {"swp1": PortFacts(oper_up=True), "swp2": PortFacts(oper_up=False)}
    found, both = facts.parse_bond(text, ports, True)
    return known({"bond": asdict(found), "both": both})


def pair(text: str) -> Any:
    found = facts.parse_pair(text)
    return found and known(asdict(found))


PARSERS: dict[str, Callable[[str], Any]] = {
    "show_system": system,
    "show_platform": facts.parse_platform,
    "show_interface": lambda text: {n: known(asdict(p)) for n, p in facts.parse_interfaces(text).items()},
    "show_interface_counters_qos": lambda text: port(facts.parse_qos_counters, text),
    "show_interface_qos_buffer": lambda text: port(facts.parse_buffer, text),
    "show_interface_qos_pfc-watchdog": lambda text: port(facts.parse_watchdog, text),
    "show_bgp_neighbor": lambda text: {n: known(asdict(p)) for n, p in facts.parse_bgp(text).items()},
    "show_rib_route": facts.parse_paths,
    "show_interface_bond": bond,
    "show_mlag": pair,
}


@pytest.mark.parametrize("raw", sorted(FIXTURES.glob("*/*.raw")), ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_fixture(raw: Path) -> None:
    assert PARSERS[raw.parent.name](raw.read_text()) == yaml.safe_load(raw.with_suffix(".yml").read_text())


def test_every_parser_has_fixtures() -> None:
    assert {p.parent.name for p in FIXTURES.glob("*/*.raw")} == set(PARSERS)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (0, 0),
        ("10 KB", 10240),
        ("10.00 KB", 10240),
        ("300 Bytes", 300),
        ("200000 B", 200000),
        ("1.43 MB", 1499464),
        ("2 GB", 2 * 1024**3),
        ("1 TiB", 1024**4),
        ("1,234", 1234),
        (True, None),
        (None, None),
        ("n/a", None),
        ("3 apples", None),
    ],
)
def test_numbers(text: Any, value: int | None) -> None:
    assert facts.number(text) == value


@pytest.mark.parametrize(
    ("text", "value"), [("400G", 400000), ("1G", 1000), ("100M", 100), ("auto", None), (None, None)]
)
def test_speeds(text: Any, value: int | None) -> None:
    assert facts.speed(text) == value


CONFIG = """\
- set:
    bridge: {domain: {br_default: {vlan: {'100-102': {}}}}}
    interface:
      swp1: {bridge: {domain: {br_default: {access: 100}}}, qos: {mapping: {profile: ROCE}, pfc: {profile: ROCE-5m}}}
      swp2: {bridge: {domain: {br_default: {untagged: 100, vlan: {'100': {}, '101': {}}}}}}
      swp3: {bridge: {domain: {br_default: {}}}}
      swp49: {ip: {address: {10.0.0.0/31: {}, 2001:db8::/127: {}}}, description: up}
      swp50: {ipv4: {address: {10.0.0.2/31: {}}}, ipv6: {address: {2001:db8::2/127: {}}}}
    qos:
      mapping: {ROCE: {trust: l3, dscp: {'26': {switch-priority: 3}, '24-25': {switch-priority: 0}}}}
      pfc: {ROCE-5m: {switch-priority: {'3': {}}}}
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "swp1",
            {"mode": "access", "vlan": 100, "trust": "dscp", "pfc": {"enabled": True, "priorities": [3]}},
        ),
        ("swp2", {"mode": "trunk", "native_vlan": 100, "vlans": [100, 101], "pfc": {"enabled": False}}),
        ("swp3", {"mode": "trunk", "vlans": [100, 101, 102], "pfc": {"enabled": False}}),
        (
            "swp49",
            {
                "mode": "routed",
                "addresses": ["10.0.0.0/31", "2001:db8::/127"],
                "description": "up",
                "pfc": {"enabled": False},
            },
        ),
        ("swp50", {"mode": "routed", "addresses": ["10.0.0.2/31", "2001:db8::2/127"], "pfc": {"enabled": False}}),
        ("swp9", {"mode": "routed", "pfc": {"enabled": False}}),
    ],
)
def test_what_only_the_configuration_tells(name: str, expected: dict[str, Any]) -> None:
    found = PortFacts()
    facts.from_config(read_config(CONFIG, "x"), name, found)
    assert known(asdict(found)) == expected


def test_dscp_map() -> None:
    table = facts.dscp_map(read_config(CONFIG, "x"), "ROCE")
    assert table == {dscp: dscp // 8 for dscp in range(64)} | {24: 0, 25: 0, 26: 3}
