# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Global pause (802.3x) through ethtool. A port does global pause or PFC; both at once is undefined."""

from __future__ import annotations

import re

from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem, Unsupported

LINE = re.compile(r"^(RX|TX):\s+(on|off)\s*$", re.MULTILINE)


class Pause:
    """Reads and writes global pause of one interface."""

    name = "ethtool"
    keys = ("global_pause",)

    def __init__(self, system, nic):
        self.system, self.nic, self.details = system, nic, {}

    def read(self):
        done = self.system.run("ethtool", "-a", self.nic.interface)
        found = {side.lower(): state == "on" for side, state in LINE.findall(done.out)}
        if done.rc or len(found) != 2:
            reason = f"ethtool cannot read pause of {self.nic.interface}: {done.said()}"
            return {"global_pause": Unsupported(reason, "see that nothing else switches global pause on")}
        return {"global_pause": found}

    def write(self, key, want, have):
        sides = [word for side in ("rx", "tx") for word in (side, "on" if want[side] else "off")]
        # With autonegotiation rx and tx are wishes; mlx5 has none and takes off only.
        done = self.system.run("ethtool", "-A", self.nic.interface, "autoneg", "off", *sides)
        if done.rc:
            raise Problem("global pause off", done.said(), done.command, "switch it off in the NIC's firmware settings")
