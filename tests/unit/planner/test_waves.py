# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Order of roll-out: properties that must hold for every fabric."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.switches import SwitchIntent
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.waves import waves

ROLES = ("leaf", "spine", "superspine")


@st.composite
def fabrics(draw: st.DrawFn) -> dict[str, SwitchIntent]:
    """Switches in any order, some of them in pairs of one role, in up to three pods."""
    entries: list[tuple[str, str | None, str | None]] = []
    for number in range(draw(st.integers(0, 12))):
        role, pod = draw(st.sampled_from(ROLES)), draw(st.sampled_from([None, "1", "2"]))
        entries += [(role, pod, f"p{number}")] * 2
    entries += draw(
        st.lists(
            st.tuples(st.sampled_from(ROLES), st.sampled_from([None, "1", "2"]), st.none()),
            min_size=0 if entries else 1,
            max_size=40,
        )
    )
    order = draw(st.permutations(entries))
    return {
        f"s{i}": SwitchIntent(role=role, profile="x", pod=pod, pair=pair) for i, (role, pod, pair) in enumerate(order)
    }


@settings(deadline=None)  # a busy machine is no failure
@given(fabrics())
def test_every_fabric(switches: dict[str, SwitchIntent]):
    wave = waves(switches)
    assert list(wave) == list(switches)
    canary = [n for n, w in wave.items() if w == "canary"]
    leafs = [n for n, s in switches.items() if s.role == "leaf"]
    assert canary == [leafs[0] if leafs else next(iter(switches))]
    for pair in {s.pair for s in switches.values() if s.pair}:
        members = [n for n, s in switches.items() if s.pair == pair]
        assert len({wave[n] for n in members}) == 2, "both switches of a pair in one wave"
    for key in {(s.role, s.pod) for s in switches.values()}:
        members = [n for n, s in switches.items() if (s.role, s.pod) == key]
        if len(members) > 1:
            assert len({wave[n] for n in members}) > 1, f"all of {key} in one wave"
        if all(switches[n].pair is None for n in members):
            sizes = [sum(wave[n] == w for n in members) for w in "ab"]
            assert abs(sizes[0] - sizes[1]) <= 1


def test_lab_like_example():
    make = SwitchIntent
    switches = {
        "spine01": make(role="spine", profile="x"),
        "spine02": make(role="spine", profile="x"),
        "leaf01": make(role="leaf", profile="x", pair="r1"),
        "leaf02": make(role="leaf", profile="x", pair="r1"),
        "leaf03": make(role="leaf", profile="x", pair="r2"),
        "leaf04": make(role="leaf", profile="x", pair="r2"),
    }
    assert waves(switches) == {
        "spine01": "a",
        "spine02": "b",
        "leaf01": "canary",
        "leaf02": "a",
        "leaf03": "b",
        "leaf04": "a",
    }
