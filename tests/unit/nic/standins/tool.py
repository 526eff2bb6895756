# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run one stand-in tool: tool.py NAME STATE WORDS..."""

from __future__ import annotations

import fcntl
import sys
from pathlib import Path

from tests.unit.nic.standins import dcb, ethtool, mlnx_qos, mlxconfig
from tests.unit.nic.standins.card import Card

TOOLS = {
    "dcb": dcb.main,
    "ethtool": ethtool.main,
    "mlnx_qos": mlnx_qos.main,
    "mlxconfig": mlxconfig.main,
    "mstconfig": mlxconfig.main,
    "mlxfwreset": mlxconfig.reset,
    "mstfwreset": mlxconfig.reset,
}


def main(name, state, words):
    """Exit status; the call is noted in the state."""
    with Path(f"{state}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        card = Card(state)
        card.called([name, *words])
        rc, out, err = TOOLS[name](card, words) if name in TOOLS else (0, "", "")
        card.save()
    sys.stdout.write(out)
    sys.stderr.write(err)
    return rc
