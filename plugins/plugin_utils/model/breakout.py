# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Front ports that are split into several ports, and the names of the parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal

from pydantic import Field

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.base import PortName, Speed, Strict

_PART = {"nvue": re.compile(r"(swp\d+)s\d+"), "nxos": re.compile(r"(Ethernet\d+/\d+)/\d+")}


class Breakout(Strict):
    """A front port that is split. Its parts are ports of their own; those that the fabric uses stand in ``ports``."""

    port: PortName = Field(description="Front port as the platform spells it before it is split: Ethernet1/1, swp1")
    parts: Literal[2, 4, 8] = Field(description="Number of parts")
    speed: Speed | None = Field(None, description="Megabits per second of each part; NX-OS and EOS need it")


@cache
def split(platform: str, front: str, parts: int, lanes: int = 8) -> tuple[str, ...]:
    """Names of the parts of a front port.

    NVUE counts parts from 0 (swp1s0), NX-OS from 1 as a third level (Ethernet1/1/1), EOS names the first lane of each
    part (Ethernet1/1 and Ethernet1/5 of eight lanes).
    """
    if parts == 1:
        return (front,)
    if platform == "nvue":
        return tuple(f"{front}s{n}" for n in range(parts))
    if platform == "nxos":
        return tuple(f"{front}/{n}" for n in range(1, parts + 1))
    base = re.sub(r"/1$", "", front)
    step = max(lanes // parts, 1)
    return tuple(f"{base}/{1 + n * step}" for n in range(parts))


@cache
def front_of(platform: str, port: str) -> str:
    """The front port that a part belongs to; any other port is its own. EOS: the first lane."""
    if platform == "eos":
        return re.sub(r"/\d+$", "/1", port)
    found = _PART[platform].fullmatch(port)
    return found[1] if found else port


def problems(platform: str, breakouts: tuple[Breakout, ...], ports: dict[str, int | None]) -> Iterator[str]:
    """What does not fit. ``ports``: name -> speed."""
    seen: dict[str, Breakout] = {}
    for breakout in breakouts:
        name = breakout.port
        if seen.setdefault(front_of(platform, name), breakout) is not breakout:
            yield f"expected each front port once in breakouts, found {name} again (remove one)"
        if platform != "eos" and name in ports:
            yield f"expected {name} either whole in ports or split in breakouts, found both (remove one)"
        if platform != "nvue" and breakout.speed is None:
            yield f"expected speed of breakout {name}, which {platform} needs, found none (add it)"
    for name, speed in ports.items():
        breakout = seen.get(front_of(platform, name))
        if breakout is None:
            continue
        if platform != "eos" and name not in split(platform, breakout.port, breakout.parts):
            yield f"expected one of the {breakout.parts} parts of {breakout.port}, found {name} (correct one of them)"
        if platform == "eos" and speed != breakout.speed:
            yield (
                f"expected speed {breakout.speed} of {name}, a part of {breakout.port}, found {speed or 'none'}: EOS "
                "splits a port by the speeds of its lanes (correct one of them)"
            )
