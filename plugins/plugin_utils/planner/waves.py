# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Order of roll-out: which switches may be changed at the same time.

canary  one switch: the first leaf of the file. Nothing else, so that a mistake meets one rack; no spine, because every
        host is behind every spine.
a, b    everything else. The two switches of a pair are never in one wave, and the switches of one tier of a pod that
        have no pair alternate, so that half of the spines stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.switches import SwitchIntent

WAVES = ("canary", "a", "b")


def waves(switches: Mapping[str, SwitchIntent]) -> dict[str, str]:
    """Switch -> wave."""
    canary = next((n for n, s in switches.items() if s.role == "leaf"), next(iter(switches)))
    result = {canary: "canary"}
    balance: dict[tuple[str, str | None], list[str]] = {}
    in_pair: dict[str, str] = {}
    for name, switch in switches.items():
        if name == canary:
            continue
        given = balance.setdefault((switch.role, switch.pod), [])
        other = in_pair.get(switch.pair) if switch.pair else None
        turn = "a" if given.count("a") <= given.count("b") else "b"
        wave = {"a": "b", "b": "a", None: turn}[other]
        if switch.pair:
            in_pair[switch.pair] = wave
        given.append(wave)
        result[name] = wave
    return {name: result[name] for name in switches}
