# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a link holds and how long PAUSE lasts on it. Mb/s, metres, bytes."""

from __future__ import annotations

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.record import Number

QUANTUM = 512  # bit times
LONGEST_PAUSE = 65535  # quanta one PFC frame can ask for

# Quanta after which a peer must have stopped (IEEE 802.3 Annex 31B). No value for 800G was found; the one of 400G is
# the least that can be right.
RESPONSE = {
    10000: 60,
    25000: 80,
    40000: 118,
    50000: 147,
    100000: 394,
    200000: 453,
    400000: 905,
    800000: 905,
}
SPEEDS = tuple(RESPONSE)
ANNEX = "IEEE 802.3 Annex 31B"


def gbps(speed: int) -> str:
    """Speed as people say it: 400G."""
    return f"{speed // 1000}G"


def cable_bytes(speed: int, cable_length: int, ps_per_metre: int = 5000) -> int:
    """Bytes on the cable, there and back, rounded up."""
    return -(-2 * cable_length * ps_per_metre * speed // 8_000_000)


def in_flight(speed: int, cable_length: int) -> Number:
    """Bytes that a cable holds, there and back."""
    return Number(
        "bytes on the cable",
        cable_bytes(speed, cable_length),
        "bytes",
        "2 x length x 5 ns/m x speed / 8",
        (("speed Mb/s", speed), ("cable m", cable_length)),
        "speed of light in fibre and copper, 5 ns/m",
    )


def bandwidth_delay(speed: int, rtt_us: float) -> Number:
    """Bytes that a path holds."""
    return Number(
        "bandwidth-delay product",
        round(speed * rtt_us / 8),
        "bytes",
        "speed x round trip / 8",
        (("speed Mb/s", speed), ("round trip us", rtt_us)),
        "definition",
    )


def pause_time(speed: int, quanta: int) -> float:
    """Microseconds that a number of pause quanta lasts."""
    return quanta * QUANTUM / speed


def response(speed: int) -> Number:
    """Time within which the peer must have stopped sending."""
    warnings = ("no value for 800G was found in the standard's summaries; that of 400G is taken",)
    return Number(
        "response of the peer",
        round(pause_time(speed, RESPONSE[speed]), 3),
        "microseconds",
        "quanta x 512 bit times / speed",
        (("quanta", RESPONSE[speed]), ("speed Mb/s", speed)),
        ANNEX,
        warnings if speed == 800000 else (),
    )


def longest_pause(speed: int) -> Number:
    """Time for which a single PFC frame can stop a priority."""
    return Number(
        "longest pause of one PFC frame",
        round(pause_time(speed, LONGEST_PAUSE), 1),
        "microseconds",
        "65535 quanta x 512 bit times / speed",
        (("speed Mb/s", speed),),
        "IEEE 802.1Qbb",
    )
