# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Command patterns: abbreviation, completeness, argument types."""

from __future__ import annotations

import pytest

from lab.cli import Ambiguous, Grammar, Incomplete, Invalid, compress_ranges, expand_ranges


@pytest.fixture
def grammar() -> Grammar:
    g = Grammar()
    for pattern in (
        "qos map dscp <INTS:0-63> | to traffic-class <0-7> [drop-precedence <0-2>]",
        "qos trust | {cos|dscp}",
        "shutdown",
        "show <LINE>",
        "timeout | <0.01-60>",
        "speed | {auto|forced 100gfull}",
        "ip address <WORD>",
        "ip <LINE>",
    ):
        g.add(pattern, pattern)
    return g


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("qos map dscp 26 to traffic-class 3", "qos map dscp 26 to traffic-class 3"),
        ("q m d 28,26 27 to t 3 drop 1", "qos map dscp 26 27 28 to traffic-class 3 drop-precedence 1"),
        ("QOS TRUST DSCP", "qos trust dscp"),
        ("timeout 1", "timeout 1.0"),
        ("timeout 0.20", "timeout 0.2"),
        ("shut", "shutdown"),
        ("show  some   text", "show some   text"),
        ("speed f 100", "speed forced 100gfull"),
        ("ip ospf area 0", "ip ospf area 0"),
    ],
)
def test_canonical_form(grammar: Grammar, typed: str, canonical: str) -> None:
    assert grammar.match(typed).text == canonical


@pytest.mark.parametrize(
    ("typed", "error"),
    [
        ("sh", Ambiguous),
        ("qos", Incomplete),
        ("qos map dscp", Incomplete),
        ("qos map dscp 64 to traffic-class 3", Invalid),
        ("qos map dscp 26 to traffic-class 8", Invalid),
        ("qos map dscp 28-26 to traffic-class 3", Invalid),
        ("qos trust dscp now", Invalid),
        ("timeout 60.01", Invalid),
        ("timeout -1", Invalid),
        ("speed forced", Incomplete),
        ("speed forced 400gfull", Invalid),
        ("nonsense", Invalid),
        # Free text stands in only for words that no keyword begins with.
        ("ip addr", Incomplete),
        ("ip address 192.0.2.1 extra", Invalid),
    ],
)
def test_rejected(grammar: Grammar, typed: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        grammar.match(typed)


def test_no_may_stop_at_the_bar() -> None:
    g = Grammar()
    g.add("mtu | <68-9214>", "mtu", negated=True)
    assert g.match("mtu").prefix == ["mtu"]
    assert g.match("mtu 1500").prefix == ["mtu"]
    with pytest.raises(Invalid):
        g.match("mtu 10000")


@pytest.mark.parametrize("text", ["1", "1-3", "1,3-4,4094"])
def test_ranges_survive(text: str) -> None:
    assert compress_ranges(expand_ranges(text) or ()) == text


@pytest.mark.parametrize("text", ["", "1-", "3-1", "a", "1,,2"])
def test_malformed_ranges(text: str) -> None:
    assert expand_ranges(text) is None
