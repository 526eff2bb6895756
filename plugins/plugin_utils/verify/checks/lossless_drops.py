# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drops where nothing may be dropped."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.words import plural


class LosslessDrops(Check):
    """A lossless queue must not drop.

    Reads: drops of the egress queues that the model maps lossless classes to, since boot or the last clear. The limit
    is zero: that is what lossless means.
    """

    name = "lossless_drops"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.lossless_ports:
            for cls in port.device.model.roce.classes:
                if not cls.lossless:
                    continue
                queue = port.facts.queues.get(cls.queue)
                if not self.told(queue.drops if queue else None) or not queue.drops:
                    continue
                yield self.finding(
                    port,
                    expected=f"no drops in queue {cls.queue} (class {cls.name})",
                    actual=f"{plural(queue.drops, 'packet')} dropped",
                    why="RoCE senders go back and repeat; jobs slow down or stop",
                    remedy="check PFC at both ends, headroom for the cable length and the PFC watchdog; then clear the"
                    " counters and watch",
                )
