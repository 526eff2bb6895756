# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``A..B``: the one notation for several names. ``Ethernet1..4/1``, ``swp1..32``, ``gpu01..16``, ``rail0..7``.

A leading zero keeps the width: ``gpu08..10`` is gpu08, gpu09, gpu10.
"""

from __future__ import annotations

import re

_RANGE = re.compile(r"(\d+)\.\.(\d+)")
MAX = 1024  # names that one range may stand for


def expand(text: str) -> list[str]:
    """Every name that ``text`` stands for; one name without a range. ValueError says what is wrong with it."""
    if ".." not in text:
        return [text]
    found = _RANGE.findall(text)
    if not found:
        raise ValueError(f'expected numbers on both sides of "..", found "{text}" (write Ethernet1..4/1)')
    if len(found) > 1:
        raise ValueError(f'expected one range in a name, found "{text}" (write one entry per range)')
    first, last = int(found[0][0]), int(found[0][1])
    if first >= last:
        raise ValueError(f'expected a range that counts up, found "{text}" (write the smaller number first)')
    if last - first >= MAX:
        raise ValueError(
            f'expected a range of at most {MAX} names, found "{text}" ({last - first + 1} names; split it)'
        )
    width = len(found[0][0])
    return [_RANGE.sub(f"{number:0{width}d}", text) for number in range(first, last + 1)]
