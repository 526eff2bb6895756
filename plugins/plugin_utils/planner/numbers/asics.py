# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switching chips by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.published import read

ASSUMED_CELL = 256  # bytes; the largest cell of the chips up to Spectrum-6 and Tomahawk 5 that are not deep-buffered
WIRE_OF_SMALLEST = 84  # bytes of a 64-byte frame with preamble and gap


@dataclass(frozen=True, slots=True)
class Asic:
    """What the numbers need to know about a chip. Bytes."""

    name: str
    cell: int | None = None
    buffer: int | None = None
    headroom_pool: int | None = None
    separate: bool = False  # the headroom pool is not part of buffer
    family: str | None = None  # whose headroom formula applies
    packing: float | None = None  # bytes of buffer per byte on the wire; none: a cell per smallest frame
    tile_ns: int = 0
    extra: int = 0
    deep: bool = False  # virtual output queues in external memory
    weak_cell: str = ""  # why the cell size is not certain
    weak_buffer: str = ""  # why buffer or headroom pool are not certain


UNKNOWN = Asic("unknown")


@cache
def asic(name: str | None) -> Asic:
    """The chip of that name; UNKNOWN for a name that is not in the data.

    A name may have a tail: "tomahawk4-50g" and "jericho2c+" are tomahawk4 and jericho2. The bare names of first
    generations take none, since "spectrum-x" or "tomahawk7" are other chips.
    """
    if name is None:
        return UNKNOWN
    plain = re.sub(r"(?<=[a-z])[ _-]+(?=\d)", "", name.strip().lower()).replace(" ", "-").replace("_", "-")
    plain = {"spectrum1": "spectrum", "tomahawk1": "tomahawk"}.get(plain, plain)
    known = read("asics")["asics"]
    for key in sorted(known, key=len, reverse=True):
        if plain == key or (key[-1].isdigit() and re.fullmatch(rf"{re.escape(key)}[^0-9].*", plain)):
            return Asic(name=key, **known[key])
    return UNKNOWN
