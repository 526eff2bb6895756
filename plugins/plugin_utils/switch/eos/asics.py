# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the forwarding ASIC decides about the spelling of an EOS configuration. Data only."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import ModelError, Problem, expected


@dataclass(frozen=True)
class Asic:
    """One ASIC family."""

    queue: str  # sub-mode of an egress queue: tx-queue, or uc-tx-queue where multicast has queues of its own
    lane: int  # Mb/s of one SerDes lane at full rate
    ecn_counter_feature: bool = False  # ECN marks are counted only with ``hardware counter feature ecn out``
    guaranteed_for_watchdog: bool = False  # the PFC watchdog looks only at queues with guaranteed bandwidth
    dynamic_load_balancing: bool = False  # flows move to the least loaded of equal paths


XGS_25 = Asic("uc-tx-queue", 25000)
XGS_50 = Asic("uc-tx-queue", 50000)
XGS_100 = Asic("uc-tx-queue", 100000)
DNX_25 = Asic("tx-queue", 25000, ecn_counter_feature=True)
DNX_50 = Asic("tx-queue", 50000, ecn_counter_feature=True)
DNX_100 = Asic("tx-queue", 100000, ecn_counter_feature=True)

TOMAHAWK = {lane: Asic("uc-tx-queue", lane, dynamic_load_balancing=True) for lane in (25000, 50000, 100000)}

# The longest prefix of the lower-cased name wins: "tomahawk4-50g" is a tomahawk4, "jericho2c+" a jericho2.
ASICS = {
    "trident": XGS_25,
    # The manual documents both the requirement and `bandwidth guaranteed` for this family only.
    "trident2": Asic("uc-tx-queue", 25000, guaranteed_for_watchdog=True),
    "trident3": XGS_25,
    "trident4": XGS_50,
    "trident5": XGS_100,
    "tomahawk": TOMAHAWK[25000],
    "tomahawk3": TOMAHAWK[50000],
    "tomahawk4": TOMAHAWK[50000],
    "tomahawk5": TOMAHAWK[100000],
    "tomahawk6": TOMAHAWK[100000],
    "arad": DNX_25,
    "jericho": DNX_25,
    "jericho2": DNX_50,
    "jericho3": DNX_100,
    "qumran": DNX_25,
    "qumran2": DNX_50,
    "qumran3": DNX_100,
}

# The manual's general form: no queue split, no ASIC-bound lines.
UNKNOWN = Asic("tx-queue", 50000)


def asic(name: str | None) -> Asic:
    """The family of an ASIC by name. Raises ModelError for a name that belongs to no family."""
    if name is None:
        return UNKNOWN
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    for prefix in sorted(ASICS, key=len, reverse=True):
        if plain.startswith(prefix):
            return ASICS[prefix]
    family = f"a name that starts with one of {', '.join(sorted(ASICS))}"
    raise ModelError([Problem("EOS", None, "switch.asic", expected(family, name, "or leave it out"))])
