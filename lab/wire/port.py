# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One port of a switch: what it lets through, and what it has counted since it was last asked."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from lab.forwarding import PortForwarding
from lab.wire import frames
from lab.wire.frames import IPV4, IPV6, VLAN

# Counters by traffic class (pauses by priority), as fields of lab.device.ClassCounters.
PER_CLASS = ("rx_packets", "rx_bytes", "tx_packets", "tx_bytes", "drops", "ecn_marked", "pause_rx", "pause_tx")

Outlet = Callable[[bytes], bool]  # takes a frame away; False: no room


class Port:
    """Ingress and egress of one port."""

    def __init__(self, name: str, outlet: Outlet | None = None) -> None:
        self.name = name
        self.outlet = outlet  # the cable; None: nothing is plugged in
        self.shares = [0.0] * 8  # of ECN-capable packets to mark by class, as if the queue were congested
        self.reset()
        self.configure(PortForwarding())

    def configure(self, config: PortForwarding) -> None:
        self.config = config
        self.up = config.up
        self.mtu = config.mtu
        self.routed = config.routed
        self.untagged = config.untagged
        self.tagged = frozenset(config.tagged) - {config.untagged}
        self.vlans = self.tagged | ({config.untagged} - {None})
        self.default, self.dscp, self.cos = config.classes.default, config.classes.dscp, config.classes.cos
        self.mark(0, self.shares[0])

    def mark(self, queue: int, share: float) -> None:
        """Mark this share of a class, if its queue is configured to mark."""
        self.shares[queue] = share
        self._marks = [share if n in self.config.ecn else 0.0 for n, share in enumerate(self.shares)]

    def reset(self) -> None:
        self.rx_packets, self.rx_bytes, self.tx_packets, self.tx_bytes = ([0] * 8 for _ in range(4))
        self.drops, self.ecn_marked, self.pause_rx, self.pause_tx = ([0] * 8 for _ in range(4))
        self.control_rx = [0, 0]  # packets and bytes of LLDP and flow control, which belong to no class
        self.control_tx = [0, 0]
        self.rx_errors = self.rx_discards = self.tx_discards = 0

    def collect(self) -> dict[str, Any]:
        """What was counted since the last time; fields are those of lab.device.PortState."""
        found: dict[str, Any] = {
            "rx_packets": sum(self.rx_packets) + self.control_rx[0],
            "rx_bytes": sum(self.rx_bytes) + self.control_rx[1],
            "tx_packets": sum(self.tx_packets) + self.control_tx[0],
            "tx_bytes": sum(self.tx_bytes) + self.control_tx[1],
            "rx_errors": self.rx_errors,
            "rx_discards": self.rx_discards,
            "tx_discards": self.tx_discards,
        }
        if not any(found.values()):
            return {}
        classes = {key: getattr(self, key) for key in PER_CLASS}
        self.reset()
        return {**found, "classes": {key: values for key, values in classes.items() if any(values)}}

    # -- in ----------------------------------------------------------------------------------------------------
    def classify(self, frame: bytes, kind: bytes, start: int) -> int:
        """Traffic class of a frame whose payload of this type begins at ``start``."""
        if self.dscp is not None:
            if kind == IPV4:
                return self.dscp[frame[start + 1] >> 2]
            if kind == IPV6:
                return self.dscp[(frame[start] << 2 & 0x3C) | frame[start + 1] >> 6]
        if self.cos is not None and start == 18:
            return self.cos[frame[14] >> 5]
        return self.default

    def count_control(self, frame: bytes) -> None:
        """LLDP and flow control have come in."""
        self.control_rx[0] += 1
        self.control_rx[1] += len(frame)

    # -- out ---------------------------------------------------------------------------------------------------
    def send(self, frame: bytes, payload: int, start: int, kind: bytes, queue: int) -> None:
        """Send a frame in its final form, whose payload of ``payload`` bytes begins at ``start``."""
        if not self.up:
            return
        if payload > self.mtu:
            self.drop(queue)
            return
        share = self._marks[queue]
        if share and kind == IPV4 and frame[start + 1] & 3 and random.random() < share:
            frame = frames.congested(frame, start)
            self.ecn_marked[queue] += 1
        if self.outlet is None or not self.outlet(frame):
            self.drop(queue)
            return
        self.tx_packets[queue] += 1
        self.tx_bytes[queue] += len(frame)

    def drop(self, queue: int) -> None:
        self.drops[queue] += 1
        self.tx_discards += 1

    def send_control(self, frame: bytes) -> bool:
        """LLDP and flow control: past all queues."""
        if not self.up or self.outlet is None or not self.outlet(frame):
            return False
        self.control_tx[0] += 1
        self.control_tx[1] += len(frame)
        return True

    def pause(self, frame: bytes, priority: int) -> None:
        if self.send_control(frame):
            self.pause_tx[priority] += 1


def tagged(frame: bytes, vlan: int, priority: int) -> bytes:
    """An untagged frame with a tag."""
    return frame[:12] + VLAN + (priority << 13 | vlan).to_bytes(2, "big") + frame[12:]
