# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""PCI configuration space: the few registers that the product reads."""

from __future__ import annotations

GENERATION = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0}


def config(
    *,
    vendor: str,
    device: str,
    link: tuple[int, int, int, int] | None,
    acs: int | None = None,
    vfs: int | None = None,
    read_request: int = 4096,
    bar: int = 0,
) -> bytes:
    """4096 bytes. ``link`` is generation and width as they are, then at most; ``acs`` its control register."""
    space = bytearray(4096)

    def put(at: int, value: int, size: int) -> None:
        space[at : at + size] = value.to_bytes(size, "little")

    put(0x00, int(vendor, 16), 2)
    put(0x02, int(device, 16), 2)
    put(0x10, bar, 4)
    if link is None:
        return bytes(space)
    put(0x06, 0x10, 2)  # has capabilities
    put(0x34, 0x40, 1)
    put(0x40, 0x01, 1)  # power management, to be stepped over
    put(0x41, 0x60, 1)
    put(0x60, 0x10, 1)  # PCI Express
    generation, width, most_generation, most_width = link
    put(0x68, (read_request.bit_length() - 8) << 12 | 1 << 5, 2)
    put(0x6C, most_generation | most_width << 4, 4)
    put(0x72, generation | width << 4, 2)
    extended = []
    if acs is not None:
        extended.append((0x000D, bytes(2) + acs.to_bytes(2, "little")))
    if vfs is not None:
        extended.append((0x0010, bytes(10) + vfs.to_bytes(2, "little")))
    put(0x100, 0x0001 | 1 << 16 | (0x140 << 20 if extended else 0), 4)  # error reporting, to be stepped over
    at = 0x140
    for index, (number, body) in enumerate(extended):
        following = at + 0x40 if index + 1 < len(extended) else 0
        put(at, number | 1 << 16 | following << 20, 4)
        # ACS control is at +6, TotalVFs at +0x0e: bodies start at +4.
        space[at + 4 : at + 4 + len(body)] = body
        at = following
    return bytes(space)
