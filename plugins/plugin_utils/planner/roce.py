# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RoCE policy of one switch as the model wants it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.policy import Policy
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import Checks
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.levels import Level, merged, nearest
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.fabric import SwitchNumbers

WATCHDOG = {"enabled": True, "action": "drop", "poll_ms": 100, "detect_ms": 200, "restore_ms": 1000}
LLDP = {"enabled": True, "interval": 30, "hold_multiplier": 4}
ECMP = ["source-ip", "destination-ip", "protocol", "source-port", "destination-port"]
# Published configurations of the 8-queue template of NX-OS put CNP into qos-group 7.
CNP_QUEUE = {"nxos": 7}


# (ECN profile or curve, share of lossless traffic, watchdog) -> numbers of the switch
NumbersOf = Callable[[str | Mapping[str, int], int, Mapping[str, int]], SwitchNumbers]


def roce(policy: Policy, platform: str, levels: list[Level], numbers: NumbersOf, checks: Checks) -> dict[str, Any]:
    """``switch.roce`` of one switch."""
    pool = nearest(levels, "lossless_pool_percent", 50).value
    weights = nearest(levels, "weights").value
    share = {"default": 50, "roce": 50} if weights is None else {"default": weights.default, "roce": weights.roce}
    queue = nearest(levels, "cnp_queue", CNP_QUEUE.get(platform, policy.cnp.priority))
    if queue.value in (0, policy.roce.priority):
        other = "the default class" if queue.value == 0 else "RoCE"
        text = (
            f"expected a queue of its own for CNP, found {queue.value} on {platform}, the queue of {other} (set"
            " cnp_queue or another priority)"
        )
        checks.add(queue.path or ("policy", "roce", "priority"), text)
    watchdog, path = merged(levels, "pfc_watchdog", WATCHDOG)
    for name in ("detect_ms", "restore_ms"):
        if watchdog[name] % watchdog["poll_ms"] or watchdog[name] < 2 * watchdog["poll_ms"]:
            text = (
                f"expected {name} to be a multiple of poll_ms {watchdog['poll_ms']}, at least twice, found"
                f" {watchdog[name]} (milliseconds; change one)"
            )
            checks.add(path, text)
    return {
        "profile": policy.profile,
        "trust": policy.trust,
        "classes": [
            {"name": "default", "priority": 0, "queue": 0, "scheduler": {"type": "ets", "weight": share["default"]}},
            {
                "name": "roce",
                "priority": policy.roce.priority,
                "queue": policy.roce.priority,
                "dscp": sorted(policy.roce.dscp),
                "cos": [policy.roce.priority],
                "lossless": True,
                "scheduler": {"type": "ets", "weight": share["roce"]},
                "ecn": _ecn(levels, numbers, pool, watchdog, checks),
            },
            {
                "name": "cnp",
                "priority": policy.cnp.priority,
                "queue": queue.value,
                "dscp": sorted(policy.cnp.dscp),
                "cos": [policy.cnp.priority],
                "scheduler": {"type": "strict"},
            },
        ],
        "pfc_watchdog": watchdog,
        "lossless_pool_percent": pool,
    }


def _ecn(
    levels: list[Level], numbers: NumbersOf, pool: int, watchdog: Mapping[str, Any], checks: Checks
) -> dict[str, int] | None:
    stated = nearest(levels, "ecn")
    wanted: str | dict[str, int] = "nvidia"
    if stated.value is not None:
        curve = stated.value
        wanted = curve.profile or {"min": curve.min, "max": curve.max, "probability": curve.probability}
    timers = {name: watchdog[name] for name in ("poll_ms", "detect_ms", "restore_ms")}
    try:
        found = numbers(wanted, pool, timers)
    except ValueError:
        text = (
            f"expected a speed for ECN profile {wanted}, found none on any port of the switch (set speed, or state"
            " bytes)"
        )
        checks.add(stated.path, text)
        return None
    return found.ecn.as_model() if found.ecn is not None else None


def lldp(levels: list[Level]) -> dict[str, Any]:
    """``switch.lldp``."""
    return merged(levels, "lldp", LLDP)[0]


def ecmp(levels: list[Level]) -> dict[str, Any]:
    """``switch.ecmp``."""
    return {"hash": nearest(levels, "ecmp_hash", ECMP).value}
