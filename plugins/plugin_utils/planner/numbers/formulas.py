# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Formulas of PFC headroom (xoff): bytes that arrive after PAUSE was decided, one lossless priority of one port.

All integers, so that a value never depends on the rounding of a floating point number. Speeds in Mb/s, lengths in
metres, the rest in bytes.
"""

from __future__ import annotations

from fractions import Fraction

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.asics import (
    ASSUMED_CELL,
    WIRE_OF_SMALLEST,
    Asic,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.link import (
    QUANTUM,
    RESPONSE,
    cable_bytes,
)

GAP = 20  # bytes of preamble and gap around a frame
PFC_FRAME = 64
# Bit times of MAC, PCS and PHY; values for 50G and from 200G were not found.
INTERFACE = {10000: 8192, 25000: 6144, 40000: 24576, 100000: 122880}
# SONiC differs from IEEE 802.3 in this one value.
NVIDIA_RESPONSE = {**RESPONSE, 10000: 67}
NVIDIA_MAC_PHY = Fraction(8, 10) * 1024
# Percent on top of the estimate: with it no shipped row is above, but for tables that repeat one value (see the tests).
MARGIN = 15
LIGHT = 198_000_000  # m/s, constant of SONiC
KIB = 1024

IEEE_SOURCE = "IEEE 802.1Qbb and 802.3 Annex 31B"
NVIDIA_SOURCE = "sonic-net/sonic-swss e6b0c5b5d2ab cfgmgr/buffer_headroom_mellanox.lua, sonic-buildimage asic_table.j2"
FIT_SOURCE = "fitted here on the shipped tables of the chip"


def up(value: Fraction | int, step: int = 1) -> int:
    """Rounded up to a multiple of step."""
    return -(-value // step) * step


def ieee(speed: int, cable_length: int, mtu: int, lossless_mtu: int) -> int:
    """Plain sum of the standard: what the wire can deliver, without what the buffer wastes. A lower bound."""
    bits = (
        8 * (mtu + GAP)
        + 8 * (PFC_FRAME + GAP)
        + INTERFACE.get(speed, 0)
        + RESPONSE[speed] * QUANTUM
        + 8 * (lossless_mtu + GAP)
    )
    return up(Fraction(bits + 2 * cable_length * 5 * speed // 1000, 8))


def nvidia(
    chip: Asic, speed: int, cable_length: int, mtu: int, lossless_mtu: int, small_percent: int = 100, extra: bool = True
) -> int:
    """Formula of SONiC for Spectrum; small_percent 100 is its upper bound."""
    cable = Fraction(2 * cable_length * speed * 1_000_000, LIGHT * 8)
    peer = NVIDIA_RESPONSE[speed] * 64
    tile = Fraction(speed * chip.tile_ns, 8000)
    share = Fraction(6400, small_percent * 64 + (100 - small_percent) * lossless_mtu)
    occupancy = 1 - share + share * Fraction(chip.packing or 1)
    xoff = up(lossless_mtu + (mtu + cable + NVIDIA_MAC_PHY + peer + tile) * occupancy, KIB)
    return xoff + (chip.extra if extra else 0)


def tomahawk5(speed: int, cable_length: int) -> int:
    """Fit on Tomahawk 5; too low below 100G."""
    return _fit(speed, cable_length, 21598, 2_140_000, 254)


def tomahawk6(speed: int, cable_length: int) -> int:
    """Fit on Tomahawk 6 from 50G, and the 4 percent by which it is off at most."""
    return up(Fraction(_fit(speed, cable_length, 19073, 2_235_000, 420) * 104, 100), 420)


def _fit(speed: int, cable_length: int, constant: int, response_ps: int, cell: int) -> int:
    """Bytes at line rate during response and cable, each in the smallest frames, one cell per frame."""
    wire = constant + Fraction(speed * (response_ps + 2 * cable_length * 5000), 8_000_000)
    return up(wire / WIRE_OF_SMALLEST) * cell


def estimate(chip: Asic, speed: int, cable_length: int, mtu: int) -> int:
    """Sum of the standard with the slowest published interface and no small lossless frame, every byte in the smallest
    frames, one cell per frame, and a margin."""
    bits = (
        2 * 8 * (mtu + GAP)
        + 8 * (PFC_FRAME + GAP)
        # What 100G takes is the longest of the published times, 1.23 microseconds.
        + INTERFACE.get(speed, INTERFACE[100000] * speed // 100000)
        + RESPONSE[speed] * (2 if speed == 800000 else 1) * QUANTUM
    )
    wire = Fraction(bits, 8) + cable_bytes(speed, cable_length, 5051)
    cell = chip.cell or ASSUMED_CELL
    packing = Fraction(cell, WIRE_OF_SMALLEST) if chip.packing is None else Fraction(str(chip.packing))
    return up(wire * packing * (100 + MARGIN) / 100, cell)
