# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Headroom as vendors ship it, by SKU, and how a row covers a port that has no row of its own.

Rows are worst cases, and headroom grows with speed and length. So a row of the same or a faster speed and of the same
or a longer cable is enough for a port. Between two lengths headroom is a straight line, so the line between two rows of
one speed is enough as well. The least of what is enough is taken.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.formulas import up
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.link import gbps
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.published import read

SOURCE = "sonic-net/sonic-buildimage 086b03bd70f9"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a vendor's table. Bytes."""

    size: int
    xon: int
    xoff: int
    threshold: int  # the dynamic threshold is 2 to this power
    xon_offset: int | None


@dataclass(frozen=True, slots=True)
class Cover:
    """The rows that are enough for a port."""

    xoff: int
    speed: int
    rows: tuple[int, ...]  # their cable lengths
    row: Row  # the one of the longer cable

    def words(self, speed: int, cable_length: int) -> str:
        """What was taken instead of an exact row; empty for an exact row."""
        if (self.speed, self.rows) == (speed, (cable_length,)):
            return ""
        rows = " and ".join(f"{m} m" for m in self.rows)
        text = "line between the rows for" if len(self.rows) == 2 else "row for"
        return f"no row for {gbps(speed)} and {cable_length} m, taken: {text} {gbps(self.speed)} and {rows}"


class Table:
    """Rows of one SKU by speed (Mb/s) and cable length (m)."""

    def __init__(self, entry: dict) -> None:
        self.sku: str = entry["sku"]
        self.asic: str = entry["asic"]
        self.distrust: str = entry["distrust"]
        self.names = frozenset(_plain(name) for name in (entry["sku"], *entry["aliases"]))
        self.source = f"{SOURCE} {entry['path']}"
        self.rows: dict[int, dict[int, Row]] = {}
        for speed, cable, *values in entry["rows"]:
            self.rows.setdefault(speed, {})[cable] = Row(*values)

    def cover(self, speed: int, cable_length: int, step: int) -> Cover | None:
        """The least that is enough; none when the table ends before. ``step``: bytes to round up to."""
        exact = self.rows.get(speed, {}).get(cable_length)
        if exact is not None:
            return Cover(exact.xoff, speed, (cable_length,), exact)
        found = [_along(s, self.rows[s], cable_length, step) for s in sorted(self.rows) if s >= speed]
        return min((c for c in found if c is not None), key=lambda c: c.xoff, default=None)

    def floor(self, speed: int, cable_length: int, step: int) -> int:
        """The most that is shipped for a port that is no faster and no longer; 0 without one."""
        best = 0
        for slower in {speed, *(s for s in self.rows if s < speed)}:
            lengths = [m for s, row in self.rows.items() if s >= slower for m in row]
            if lengths:
                cover = self.cover(slower, min(cable_length, max(lengths)), step)
                best = max(best, cover.xoff if cover is not None else 0)
        return best


def _along(speed: int, rows: dict[int, Row], cable_length: int, step: int) -> Cover | None:
    longer = min((m for m in rows if m >= cable_length), default=None)
    if longer is None:
        return None
    shorter = max((m for m in rows if m <= cable_length), default=longer)
    high = rows[longer]
    if shorter == longer:
        return Cover(high.xoff, speed, (longer,), high)
    low = rows[shorter].xoff
    line = low + Fraction((high.xoff - low) * (cable_length - shorter), longer - shorter)
    return Cover(min(up(line, step), high.xoff), speed, (shorter, longer), high)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


@cache
def tables() -> tuple[Table, ...]:
    """All tables."""
    return tuple(Table(entry) for entry in read("headroom")["tables"])


@cache
def table(sku: str | None) -> Table | None:
    """The table of a SKU, by the name SONiC gives it or by that of the product."""
    if sku is None:
        return None
    return next((t for t in tables() if _plain(sku) in t.names), None)
