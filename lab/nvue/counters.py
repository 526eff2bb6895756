# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters of ports as ``nv show`` prints them, and what clears them."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from lab.device import ClassCounters, PortState
from lab.nvue.table import humanised
from lab.nvue.tree import Tree, at

if TYPE_CHECKING:
    from lab.nvue.device import NvueDevice

HUMANISED_UP_TO = 10  # minor release; later ones print integers and count ECN marks per queue


class Counters:
    """Counters of one switch, for one command."""

    def __init__(self, device: NvueDevice) -> None:
        self.device = device
        self.ints = device.minor > HUMANISED_UP_TO

    def netstat(self, name: str) -> Tree:
        s = self.device.state(name)
        return {
            "rx-drop": s.rx_discards,
            "rx-err": s.rx_errors,
            "rx-ok": s.rx_packets,
            "tx-drop": s.tx_discards,
            "tx-err": s.tx_errors,
            "tx-ok": s.tx_packets,
        }

    def all(self, name: str, words: list[str]) -> Any:
        if words[:1] == ["qos"]:
            return at(self.qos(name), words[1:])
        s = self.device.state(name)
        both = lambda rx, tx: {"receive": rx, "transmit": tx}  # noqa: E731 - two columns of the table
        data = {
            **self.stats(s),
            "detailed": {
                "total-octets": both(self.size(s.rx_bytes), self.size(s.tx_bytes)),
                "total-packets": both(s.rx_packets, s.tx_packets),
            },
            "drops": {"total-drops": both(s.rx_discards, s.tx_discards)},
            "errors": {"fcs-errors": both(s.crc_errors, "n/a"), "total-errors": both(s.rx_errors, s.tx_errors)},
            "netstat": self.netstat(name),
            "qos": self.qos(name),
        }
        return at(data, words)

    def qos(self, name: str) -> Tree:
        s = self.device.state(name)
        egress, ingress, pfc = {}, {}, {}
        for n in range(8):
            c = s.classes[n]
            queue: Tree = {
                "tx-bytes": self.size(c.tx_bytes),
                "tx-frames": c.tx_packets,
                # A count of frames. Old releases print it with a unit of bytes all the same.
                "tx-uc-buffer-discards": self.size(c.drops),
                "wred-discards": 0,
            }
            if self.ints:
                queue["ecn-marked-frames"] = c.ecn_marked
            egress[str(n)] = queue
            ingress[str(n)] = {
                "rx-buffer-discards": self.size(0),
                "rx-frames": c.rx_packets,
                "rx-shared-buffer-discards": self.size(0),
            }
            pfc[str(n)] = {
                "rx-pause-duration": 0,
                "rx-pause-frames": c.pause_rx,
                "tx-pause-duration": 0,
                "tx-pause-frames": c.pause_tx,
            }
        classes = s.classes.values()
        return {
            "egress-queue-stats": egress,
            "ingress-buffer-stats": ingress,
            "pfc-stats": pfc,
            "qos-port-stats": {
                "ecn-marked-packets": {"receive": "n/a", "transmit": sum(c.ecn_marked for c in classes)},
                "mc-buffer-discards": {"receive": "n/a", "transmit": 0},
                "pause-frames": {"receive": 0, "transmit": 0},
            },
        }

    def roce(self, name: str) -> Tree:
        s = self.device.state(name)
        roce, cnp = s.classes[3], s.classes[6]
        other = [c for n, c in s.classes.items() if n not in (3, 6)]
        return {
            "rx-stats": {
                "rx-non-roce-stats": {"no-buffer-discards": 0, "non-roce-packets": sum(c.rx_packets for c in other)},
                "rx-pfc-stats": {"pause-duration": 0, "pause-packets": roce.pause_rx},
                "rx-roce-stats": {"no-buffer-discards": 0, "roce-packets": roce.rx_packets},
            },
            "tx-stats": {
                "tx-cnp-stats": {"cnp-packets": cnp.tx_packets, "unicast-no-buffer-discard": cnp.drops},
                "tx-ecn-stats": {"ecn-marked-packets": roce.ecn_marked},
                "tx-pfc-stats": {"pause-duration": 0, "pause-packets": roce.pause_tx},
                "tx-roce-stats": {
                    "roce-packets": roce.tx_packets,
                    "tc-max-usage": self.size(roce.max_depth_bytes),
                    "tc-usage": self.size(roce.depth_bytes),
                    "unicast-no-buffer-discard": roce.drops,
                },
            },
        }

    def stats(self, s: PortState) -> Tree:
        return {
            "carrier-transitions": 1 if s.link else 2,
            "in-bytes": self.size(s.rx_bytes),
            "in-drops": s.rx_discards,
            "in-errors": s.rx_errors,
            "in-pkts": s.rx_packets,
            "out-bytes": self.size(s.tx_bytes),
            "out-drops": s.tx_discards,
            "out-errors": s.tx_errors,
            "out-pkts": s.tx_packets,
        }

    def size(self, count: int) -> int | str:
        return count if self.ints else humanised(count)

    def clear(self, words: list[str]) -> bool:
        """``nv action clear ...``; False if there is no such action."""
        if words[:1] != ["interface"]:
            return words == ["qos", "buffer", "pool"]
        if len(words) == 2 and words[1] == "counters":
            names, what = list(self.device.ports), ["counters"]
        elif len(words) > 2 and words[1] in self.device.ports:
            names, what = [words[1]], words[2:]
        else:
            return False
        for name in names:
            state = self.device.state(name)
            if what == ["qos", "pfc-watchdog", "deadlock-count"]:
                for c in state.classes.values():
                    c.watchdog_detected = c.watchdog_restored = 0
            elif what == ["qos", "buffer"]:
                for c in state.classes.values():
                    c.max_depth_bytes = c.depth_bytes
            elif what in (["counters"], ["counters", "qos"], ["qos", "roce", "counters"]):
                self._zero(state, port=what == ["counters"])
            else:
                return False
        return True

    @staticmethod
    def _zero(state: PortState, *, port: bool) -> None:
        state.classes = {n: ClassCounters(depth_bytes=c.depth_bytes) for n, c in state.classes.items()}
        if port:
            for f in fields(PortState):
                if f.name.split("_")[0] in ("rx", "tx", "crc", "fec"):
                    setattr(state, f.name, 0)
