# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the headroom of all ports fits into the buffer, and what is left to share. Bytes."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.asics import Asic
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.published import read
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.record import Finding, Number

# Share of the buffer for headroom in Juniper's validated design, for chips whose vendor ships no headroom pool.
SPLIT = 24
# The most by which a vendor oversubscribes a shared headroom pool (Tomahawk 5: 64 x 800G, 40 m, two priorities, 22 MB).
OVERSUBSCRIBED = 5.0
SOURCE = "sonic-net/sonic-buildimage 086b03bd70f9 buffers_defaults_t0/t1.j2"
STATED = "stated in the intent"


@dataclass(frozen=True, slots=True)
class Budget:
    """Headroom of one switch."""

    needed: Number  # all ports, all lossless priorities, at the same time
    buffer: Number | None
    limit: Number | None  # what is meant for headroom
    shared: Number | None  # what lossless traffic shares after headroom
    ports_that_fit: Number | None
    priorities_that_fit: Number | None
    findings: tuple[Finding, ...]


def budget(
    chip: Asic,
    xoffs: list[int],
    priorities: int,
    *,
    sku: str | None = None,
    lossless_percent: int = 50,
    buffer: int | None = None,
    headroom_pool: int | None = None,
) -> Budget:
    """xoffs: headroom of each lossless port; buffer, headroom_pool: instead of the values known for the chip."""
    once = sum(xoffs)
    needed = Number(
        "headroom of all ports",
        once * priorities,
        "bytes",
        "sum of ports x lossless priorities x headroom",
        (("ports", len(xoffs)), ("lossless priorities", priorities)),
        "definition",
    )
    whole = _buffer(chip, buffer)
    if whole is None:
        text = (
            f"expected a known buffer size, found none for chip {chip.name} (state the buffer in bytes; headroom of"
            f" {needed.value} bytes was not checked)"
        )
        return Budget(needed, None, None, None, None, None, (Finding("buffer-unknown", "warning", text),))
    pool = _pool(chip, sku, headroom_pool)
    limit = pool if pool is not None else _split(whole)
    shared = _shared(chip, whole, pool, needed, lossless_percent)
    return Budget(
        needed,
        whole,
        limit,
        shared,
        _fit("ports that fit", limit, max(xoffs, default=0) * priorities, "limit / (priorities x largest headroom)"),
        _fit("lossless priorities that fit", limit, once, "limit / sum of headroom"),
        tuple(_findings(chip, needed, whole, limit, pool, shared)),
    )


def _buffer(chip: Asic, stated: int | None) -> Number | None:
    if stated is not None:
        return Number("buffer", stated, "bytes", "stated", (), STATED)
    if chip.buffer is None:
        return None
    warnings = (f"{chip.name}: {chip.weak_buffer}",) if chip.weak_buffer else ()
    source = "recalled, not read" if "recalled" in chip.weak_buffer else SOURCE
    return Number("buffer", chip.buffer, "bytes", "buffer of the chip", (("chip", chip.name),), source, warnings)


def _pool(chip: Asic, sku: str | None, stated: int | None) -> Number | None:
    if stated is not None:
        return Number("headroom budget", stated, "bytes", "stated", (), STATED)
    of_sku = read("asics")["headroom_pools_of_skus"].get(sku)
    if of_sku is not None:
        text = "headroom pool the vendor ships"
        return Number("headroom budget", of_sku, "bytes", text, (("sku", str(sku)),), SOURCE)
    if chip.headroom_pool is None:
        return None
    warnings = (f"{chip.name}: {chip.weak_buffer}",) if chip.weak_buffer else ()
    text = "headroom pool shipped for the chip"
    return Number("headroom budget", chip.headroom_pool, "bytes", text, (("chip", chip.name),), SOURCE, warnings)


def _split(whole: Number) -> Number:
    return Number(
        "headroom budget",
        int(whole.value) * SPLIT // 100,
        "bytes",
        f"{SPLIT} percent of the buffer",
        (("buffer", whole.value),),
        "Juniper validated design for AI back ends: lossless 66, headroom 24, lossy 10 percent",
        ("the vendor ships no headroom pool for the chip; the share of another vendor's validated design is taken",),
    )


def _shared(chip: Asic, whole: Number, pool: Number | None, needed: Number, percent: int) -> Number:
    reserved = int(needed.value) if pool is None else 0 if chip.separate else int(pool.value)
    return Number(
        "shared lossless buffer",
        max(0, int(whole.value) - reserved) * percent // 100,
        "bytes",
        "(buffer - headroom) x share of lossless traffic",
        (("buffer", whole.value), ("headroom", reserved), ("percent", percent)),
        "definition; reserved bytes of ports and queues are left out",
    )


def _fit(name: str, limit: Number, each: int, formula: str) -> Number | None:
    if each == 0:
        return None
    return Number(name, int(limit.value) // each, "", formula, (("limit", limit.value), ("each", each)), "definition")


def _findings(chip: Asic, needed: Number, whole: Number, limit: Number, pool: Number | None, shared: Number):
    room = int(whole.value) + (int(pool.value) if pool is not None and chip.separate else 0)
    margin = round(1 - needed.value / limit.value, 4)
    # A shared headroom pool is meant to be oversubscribed; headroom reserved port by port cannot be.
    beyond = needed.value > OVERSUBSCRIBED * limit.value if pool is not None else needed.value >= room
    if needed.value > limit.value:
        ratio = needed.value / limit.value
        sharing = (
            f", {ratio:.1f} times as much; vendors ship up to {OVERSUBSCRIBED:g} times, since not every port pauses at"
            " once"
            if pool is not None
            else f" of {limit.formula}"
        )
        text = (
            f"expected headroom of at most {limit.value} bytes, found {needed.value}{sharing} (fewer lossless"
            " priorities, shorter cables, fewer lossless ports)"
        )
        yield Finding("headroom-budget", "error" if beyond else "warning", text, margin)
    if needed.value < room and shared.value == 0:
        text = f"expected buffer to share after headroom, found none of {whole.value} bytes (smaller headroom pool)"
        yield Finding("shared-buffer", "error", text)
    if chip.deep:
        text = (
            f"expected to know the on-chip buffer of {chip.name}, found only its external memory (ask the vendor for"
            " the headroom it holds)"
        )
        yield Finding("buffer-unknown", "warning", text)
