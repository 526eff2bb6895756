# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values as a network engineer writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def speed(mbits: int) -> str:
    """400000 -> 400G."""
    return f"{mbits // 1000}G" if mbits % 1000 == 0 else f"{mbits}M"


def numbers(values: Iterable[int]) -> str:
    """1, 2, 3, 7 -> 1-3,7; nothing -> none."""
    runs: list[list[int]] = []
    for value in sorted(set(values)):
        if runs and value == runs[-1][1] + 1:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs) or "none"


def mapping(pairs: Mapping[int, object]) -> str:
    """{24: 3, 25: 3, 48: 6} -> 24-25 to 3, 48 to 6."""
    by_value: dict[object, list[int]] = {}
    for key in sorted(pairs):
        by_value.setdefault(pairs[key], []).append(key)
    return ", ".join(f"{numbers(keys)} to {value}" for value, keys in by_value.items())


def share(part: int, whole: int) -> str:
    """Percent of a small part, without exponent."""
    return f"{100 * part / whole:.6f}".rstrip("0").rstrip(".") + " %"


def plural(count: int, one: str, many: str = "") -> str:
    """1 port, 2 ports."""
    return f"{count} {one if count == 1 else many or one + 's'}"
