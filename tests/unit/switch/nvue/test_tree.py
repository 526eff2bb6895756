# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading and writing NVUE trees."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import Unreadable
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.tree import (
    compress,
    expand,
    flatten,
    nest,
    read_config,
    read_json,
    to_flow,
    to_yaml,
)

YAML = """\
- header:
    model: VX
    version: Cumulus Linux 5.9.0
- set:
    interface:
      swp1-2,swp4:
        type: swp
      swp2:
        link:
          mtu: 9000
          state:
            down: {}
    system:
      forwarding:
        ecmp-hash:
          source-ip: on
    bridge:
      domain:
        br_default:
          vlan:
            10-12: {}
"""
SWP2 = {"type": "swp", "link": {"mtu": "9000", "state": {"down": {}}}}


def test_yaml_and_json_read_the_same() -> None:
    """``on`` stays a word, ranges are taken apart, numbers and their strings are one."""
    expected = {
        "interface": {"swp1": {"type": "swp"}, "swp2": SWP2, "swp4": {"type": "swp"}},
        "system": {"forwarding": {"ecmp-hash": {"source-ip": "on"}}},
        "bridge": {"domain": {"br_default": {"vlan": {"10": {}, "11": {}, "12": {}}}}},
    }
    assert read_config(YAML, "x") == expected
    as_json = json.dumps([{"header": {}}, {"set": yaml.safe_load(YAML)[1]["set"]}])
    assert read_config(as_json, "x") == expected  # with true for on, as YAML 1.1 has it


@pytest.mark.parametrize(
    ("key", "path", "names"),
    [
        ("swp1-3", ("interface",), ["swp1", "swp2", "swp3"]),
        ("swp1s0-1,swp9", ("interface",), ["swp1s0", "swp1s1", "swp9"]),
        ("swp1-2,5", ("interface",), ["swp1", "swp2", "swp5"]),
        ("vlan10,20", ("interface",), ["vlan10", "vlan20"]),
        ("eth0,swp1-2", ("interface",), ["eth0", "swp1", "swp2"]),
        ("peerlink.4094", ("interface",), ["peerlink.4094"]),
        ("leaf-1", ("interface",), ["leaf-1"]),
        ("10,20-21", ("bridge", "domain", "br_default", "vlan"), ["10", "20", "21"]),
        ("8-10", ("qos", "mapping", "ROCE", "dscp"), ["8", "9", "10"]),
        ("ROCE-5", ("qos", "pfc"), ["ROCE-5"]),
        ("10.0.0.0/31", ("interface", "swp1", "ip", "address"), ["10.0.0.0/31"]),
        ("1-3", ("qos", "pfc"), ["1-3"]),
    ],
)
def test_ranges(key: str, path: tuple[str, ...], names: list[str]) -> None:
    assert expand(key, path) == names


def test_a_range_without_end_is_refused() -> None:
    with pytest.raises(Unreadable, match="range '1-99999' holds 99999 names"):
        expand("1-99999", ("bridge", "domain", "br_default", "vlan"))


def test_log_lines_are_not_part_of_the_answer() -> None:
    log = "[12345.678901] mlxsw_spectrum3 0000:03:00.0 swp1: link up"
    assert read_json(f'{log}\n{{\n"a":\n{log}\n1}}\n{log}', "x") == {"a": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Traceback (most recent call last)", "expected JSON, found 'Traceback"),
        ('{"a": ', "expected JSON, found something else"),
        ('{"a": 1} and more', r"expected nothing behind the JSON, found 1 more line\(s\)"),
    ],
)
def test_what_is_not_json(text: str, message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        read_json(text, "nv show system")


@pytest.mark.parametrize("text", ["- set: [", "[1, 2]", "hello"])
def test_what_is_not_a_configuration(text: str) -> None:
    with pytest.raises(Unreadable):
        read_config(text, "x")


def test_a_broken_file_is_not_quoted() -> None:
    with pytest.raises(Unreadable, match=r"neither JSON nor YAML: .* in line 3") as caught:
        read_config("- set:\n    snmp: s3cret\n   oops: s3cret\n", "startup.yaml")
    assert "s3cret" not in str(caught.value)


KEYS = st.text(
    st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters=":'\"#"), min_size=1, max_size=8
)
WORDS = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E, exclude_characters='"'), min_size=1, max_size=20)
TREES = st.recursive(WORDS | st.just({}), lambda t: st.dictionaries(KEYS, t, max_size=4), max_leaves=12)


@settings(deadline=None)  # a busy machine is no failure
@given(st.dictionaries(KEYS, TREES, min_size=1, max_size=4))
def test_yaml_is_safe_for_shells_and_for_yaml(tree: dict[str, Any]) -> None:
    text = to_yaml(tree)
    assert yaml.load(text, Loader=yaml.BaseLoader) == tree
    assert "!" not in text  # history expansion
    assert nest(dict(flatten(tree))) == tree
    flow = to_flow(tree, empty="{}", width=40, indent="    ")
    assert yaml.load(f"- set:\n{flow}", Loader=yaml.BaseLoader) == [{"set": tree}]
    assert "!" not in flow

    def words(node: Any) -> Any:
        return {str(k): words(v) for k, v in node.items()} if isinstance(node, dict) else node

    for value in dict(flatten(words(yaml.safe_load(text)))).values():
        assert value is None or isinstance(value, (str, int)), value  # never a boolean, float or date
        assert not isinstance(value, bool)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["swp2", "swp1", "swp10", "swp3"], "swp1-3,swp10"),
        (["swp1s0", "swp1s1", "swp2"], "swp1s0-1,swp2"),
        (["10", "11", "13"], "10-11,13"),
        (["eth0"], "eth0"),
    ],
)
def test_compress(names: list[str], text: str) -> None:
    assert compress(names) == text


def test_flow_lines_fit_a_terminal() -> None:
    tree = {"interface": {f"swp{n}": {"link": {"state": {"up": {}}, "fec": "off"}} for n in range(1, 65)}}
    text = to_flow(tree, empty="null", width=400, indent="    ")
    assert max(map(len, text.splitlines())) <= 400
    assert text.count("\n") < 12
    assert "state: {up: null}" in text
    assert yaml.safe_load(text)["interface"]["swp64"]["link"] == {"state": {"up": None}, "fec": "off"}
