# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Timers of the PFC watchdog, milliseconds."""

from __future__ import annotations

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.link import longest_pause
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.record import Finding, Number

POLL, DETECT, RESTORE = 100, 200, 1000
POLL_SOURCE = "SONiC orchdaemon.cpp, Junos and Cumulus Linux: 100 ms; Cisco NX-OS 100 ms (recalled)"
DETECT_SOURCE = "Dell Enterprise SONiC and Junos: 200 ms, two looks; Cumulus Linux by default three"
RESTORE_SOURCE = "lossless.fabric: Junos restores after 200 ms, Dell Enterprise SONiC after 400 ms"


def watchdog(
    poll_ms: int = POLL, detect_ms: int = DETECT, restore_ms: int = RESTORE
) -> tuple[tuple[Number, ...], tuple[Finding, ...]]:
    """Timers with their reasons, and what is wrong with them."""
    stated = "stated in the intent"
    numbers = (
        Number("watchdog poll", poll_ms, "milliseconds", "fixed", (), POLL_SOURCE if poll_ms == POLL else stated),
        Number(
            "watchdog detect",
            detect_ms,
            "milliseconds",
            "polls x poll",
            (("polls", round(detect_ms / poll_ms, 2)), ("poll ms", poll_ms)),
            DETECT_SOURCE if detect_ms == DETECT else stated,
        ),
        Number(
            "watchdog restore",
            restore_ms,
            "milliseconds",
            "longer than any published, so that a port whose peer goes on pausing does not flap",
            (("detect ms", detect_ms),),
            RESTORE_SOURCE if restore_ms == RESTORE else stated,
        ),
        longest_pause(10000),
    )
    findings = []
    for name, value in (("detect_ms", detect_ms), ("restore_ms", restore_ms)):
        if value % poll_ms or value < 2 * poll_ms:
            text = (
                f"expected {name} to be a multiple of poll_ms {poll_ms}, at least twice, found {value} (milliseconds;"
                " one look cannot tell a long pause from many short ones)"
            )
            findings.append(Finding("watchdog-timers", "error", text))
    return numbers, tuple(findings)
