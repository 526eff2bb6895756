# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-in for the mlx5 driver: the state that the stand-in tools read and write, in one JSON file.

Behaviour as in Linux mlx5/core/en_dcbnl.c: the first DSCP entry switches trust to DSCP, the last one back; a port that
trusts DSCP shows all 64 only if it did so when the driver started; a strict class reads back with a bandwidth of 100; a
change of the PFC set drops the link; deleting an entry that the card does not have is ENOENT.
It shares no code with the product.
"""

from __future__ import annotations

import json
from pathlib import Path


class Refused(Exception):
    """The driver says no; the text is the kernel's."""


def fresh_port():
    """A port as the driver starts it."""
    return {
        "dcbx": ["cee", "ieee"],
        "pfc": [0] * 8,
        "delay": 7,
        "trust": "pcp",
        "hw_map": [dscp >> 3 for dscp in range(64)],
        "app": {},
        "tsa": ["vendor"] * 8,
        "bw": [100] * 8,
        "prio_tc": [1, 0, 2, 3, 4, 5, 6, 7],
        "willing": False,
        "buffer_size": [262016, 0, 0, 0, 0, 0, 0, 0],
        "prio_buffer": [0] * 8,
        "total_size": 1048448,
        "pause": {"rx": "on", "tx": "on"},
        "link_flaps": 0,
        "dcb": True,
    }


class Card:
    """State file of all ports, firmware and calls."""

    def __init__(self, path):
        self.path = Path(path)
        self.data = json.loads(self.path.read_text())

    def save(self):
        self.path.write_text(json.dumps(self.data))

    def port(self, interface):
        port = self.data["ports"].get(interface)
        if port is None:
            raise Refused("No such device")
        return port

    def called(self, words):
        self.data.setdefault("calls", []).append(" ".join(words))

    # dcbnl -----------------------------------------------------------------------------------------------------

    def set_pfc(self, port, enabled, delay):
        if enabled != port["pfc"]:
            port["pfc"] = enabled
            port["link_flaps"] += 1
        if 0 < delay < 1000:
            port["delay"] = delay

    def set_app(self, port, dscp, priority):
        if port["app"].get(str(dscp)) == priority:
            raise Refused("File exists")
        port["trust"] = "dscp"
        port["hw_map"][dscp] = priority
        port["app"][str(dscp)] = priority

    def del_app(self, port, dscp, priority):
        if not port["app"] or port["hw_map"][dscp] != priority:
            raise Refused("No such file or directory")
        del port["app"][str(dscp)]
        port["hw_map"][dscp] = 0
        if not port["app"]:
            port["trust"] = "pcp"

    def set_ets(self, port, tsa, bandwidth, prio_tc):
        total = sum(bandwidth[tc] for tc in range(8) if tsa[tc] == "ets")
        if "ets" in tsa and total != 100:
            raise Refused("Invalid argument")
        port["tsa"], port["prio_tc"] = tsa, prio_tc
        port["bw"] = [bandwidth[tc] if tsa[tc] == "ets" else 100 for tc in range(8)]
