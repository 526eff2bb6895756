# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-in for ethtool: pause parameters only."""

from __future__ import annotations


def main(card, words):
    """(exit status, stdout, stderr)."""
    option, interface, *rest = words
    port = card.data["ports"].get(interface)
    if port is None or port.get("pause") is None:
        return 76, "", "netlink error: Operation not supported\n"
    if option == "-a":
        text = f"Pause parameters for {interface}:\nAutonegotiate:\t{port['pause'].get('autoneg', 'off')}\n"
        return 0, text + f"RX:\t\t{port['pause']['rx']}\nTX:\t\t{port['pause']['tx']}\n\n", ""
    wanted = dict(zip(rest[::2], rest[1::2], strict=False))
    if option == "-A" and len(rest) % 2 == 0 and wanted.keys() <= {"autoneg", "rx", "tx"}:
        negotiates = wanted.pop("autoneg", port["pause"].get("autoneg", "off"))
        if "autoneg" in port["pause"]:
            port["pause"]["autoneg"] = negotiates
        if negotiates == "off":  # else rx and tx are only offered to the far end
            port["pause"].update(wanted)
        return 0, "", ""
    return 1, "", "ethtool: bad command line argument(s)\n"
