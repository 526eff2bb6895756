# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges of names as NVUE writes them: ``swp1-3,7`` is swp1, swp2, swp3 and swp7; ``10,20-22`` are numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST = 4096  # more names than VLANs exist are a typing error


class RangeError(Exception):
    """Not a range."""


def expand(text: str) -> list[str]:
    """All names of a range, in the order written."""
    names: list[str] = []
    prefix = ""
    for part in text.split(","):
        match = re.fullmatch(r"([A-Za-z][A-Za-z0-9_.]*?(?<![0-9]))?([0-9]+)(?:-([0-9]+))?", part)
        if not match:
            if not part:
                raise RangeError(f"{text!r} is not a range")
            names.append(part)  # a name without a number, like lo
            continue
        prefix = match[1] if match[1] is not None else prefix
        low, high = int(match[2]), int(match[3] or match[2])
        if high < low or high - low >= LONGEST:
            raise RangeError(f"{text!r} is not a range")
        names += [f"{prefix}{n}" for n in range(low, high + 1)] if match[3] else [f"{prefix}{match[2]}"]
    return names


def natural(name: str) -> list[tuple[int, int, str]]:
    """Sort key that puts swp2 before swp10."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"([0-9]+)", name) if part]


def compress(names: Iterable[str]) -> str:
    """The shortest range that means these names."""
    groups: dict[str, list[int]] = {}
    plain: list[str] = []
    for name in sorted(set(names), key=natural):
        match = re.fullmatch(r"([A-Za-z][A-Za-z0-9_.]*?(?<![0-9]))?(0|[1-9][0-9]*)", name)
        if match:
            groups.setdefault(match[1] or "", []).append(int(match[2]))
        else:
            plain.append(name)
    out = list(plain)
    for prefix, numbers in groups.items():
        runs: list[list[int]] = []
        for n in numbers:
            if runs and runs[-1][-1] == n - 1:
                runs[-1].append(n)
            else:
                runs.append([n])
        texts = [str(r[0]) if len(r) == 1 else f"{r[0]}-{r[-1]}" for r in runs]
        out.append(prefix + ",".join(texts))
    return ",".join(out)
