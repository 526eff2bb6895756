# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cables by length: what is usually bought for it. Lengths in metres; classes as vendors sell them, 100G to 800G."""

from __future__ import annotations

# (metres, slowest speed in Mb/s for which that is the limit, class)
DAC = {100000: 3, 200000: 3, 400000: 3, 800000: 2}
CLASSES = ((7, "AEC"), (30, "AOC"), (100, "MMF"), (500, "DR"), (2000, "FR"), (10000, "LR"))


def cable_class(length: int, speed: int | None) -> str:
    """DAC and AEC are copper; AOC, MMF (SR), DR, FR, LR are optical; beyond that, ZR."""
    if length <= DAC.get(speed or 400000, 5):
        return "DAC"
    return next((name for limit, name in CLASSES if length <= limit), "ZR")


def is_copper(name: str) -> bool:
    """Whether the class needs no transceivers."""
    return name in ("DAC", "AEC")
