# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues that a peer kept paused."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.words import plural


class PfcWatchdog(Check):
    """The PFC watchdog must not have had to act.

    Reads: state and events of the watchdog per queue, since boot or the last clear. A queue that is stuck now is an
    error, events that are over are a warning. Counted as not checked where the watchdog is on in the model and the
    platform tells nothing of a lossless queue.
    """

    name = "watchdog"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.lossless_ports:
            roce = port.device.model.roce
            lossless = {c.queue for c in roce.classes if c.lossless and roce.pfc_watchdog.enabled}
            for queue in sorted(lossless | set(port.facts.watchdog)):
                state = port.facts.watchdog.get(queue)
                known = state is not None and not (state.stuck is None and state.detected is None)
                if not self.told(known or None) or not (state.stuck or state.detected):
                    continue
                peer = f"the far end, {port.model.peer.device}," if port.model.peer else "the far end"
                restored = f", {state.restored} restored" if state.restored is not None else ""
                yield self.finding(
                    port,
                    expected=f"no PFC watchdog events in queue {queue}",
                    actual=f"queue {queue} "
                    + ("is stuck" if state.stuck else "was stuck")
                    + (f", {plural(state.detected, 'event')}{restored}" if state.detected is not None else ""),
                    why=f"{peer} kept the queue paused; the watchdog dropped its packets"
                    if roce.pfc_watchdog.action == "drop"
                    else f"{peer} kept the queue paused",
                    remedy="follow the pause frames to their source behind this port: a hanging host, a slow receiver",
                    severity="error" if state.stuck else "warning",
                )
