# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-in for mlnx_qos of mlnx-tools: its options and its table, working on the stand-in card.

Written after the behaviour of Mellanox/mlnx-tools python/mlnx_qos at 8fbfd9c. What the driver keeps in sysfs
(/sys/class/net/IF/qos) is written there too when the tree of the test has it.
"""

from __future__ import annotations

import optparse
from pathlib import Path

from tests.unit.nic.standins.card import Refused

LLDPAD = "****** WARNING: lldpad service is running and may overwrite your settings ******\n\n"


class _Parser(optparse.OptionParser):
    def exit(self, status=0, msg=None):
        raise Refused(msg or "")

    def error(self, msg):
        raise Refused(msg)


def main(card, words):
    """(exit status, stdout, stderr)."""
    parser = _Parser()
    for option in ("-i", "-f", "-F", "-P", "-p", "-s", "-t", "-r", "-d"):
        parser.add_option(option, dest=option[1:])
    parser.add_option("--trust")
    parser.add_option("--dscp2prio", action="append")
    for option in ("--cable_len", "--prio2buffer", "--buffer_size"):
        parser.add_option(option)
    parser.add_option("-a", action="store_true", dest="all", default=False)
    said = LLDPAD if card.data.get("lldpad") else ""
    try:
        options, rest = parser.parse_args(list(words))
        if rest or not options.i:
            raise Refused("Interface name is required")
        port = card.port(options.i)
        if not port["dcb"]:
            return 1, said, "OSError: [Errno 95] Operation not supported\n"
        _set(card, port, options)
        _sysfs(card, options.i, port)
    except Refused as error:
        return 1, f"{said}{error}\n", ""
    return 0, said + _table(port, options.all, card.data.get("old_tool", False)), ""


def _numbers(text, count=8):
    values = text.split(",")
    if len(values) != count:
        raise Refused("list must have 8 items")
    return [int(value) for value in values]


def _set(card, port, options):
    if options.trust and options.dscp2prio:
        raise Refused("trust and dscp2prio commands cannot be used at the same time.")
    if options.d == "os":
        port["dcbx"] = ["host", "cee", "ieee"]
    if options.cable_len:
        card.set_pfc(port, list(port["pfc"]), int(options.cable_len))
    if options.f:
        card.set_pfc(port, _numbers(options.f), port["delay"])
    for one in options.dscp2prio or ():
        action, dscp, priority = one.split(",")
        if action != "set" or int(dscp) > 63 or int(priority) > 7:
            raise Refused("Invalid dscp2prio command. Refer to the help.")
        port["hw_map"][int(dscp)] = int(priority)
    if options.trust:
        if options.trust not in ("dscp", "pcp"):
            raise Refused("Invalid trust state command. Refer to the help.")
        port["trust"] = options.trust
    if options.prio2buffer:
        port["prio_buffer"] = _numbers(options.prio2buffer)
    if options.buffer_size:
        sizes = _numbers(options.buffer_size)
        if sum(sizes) > port["total_size"]:
            raise Refused("Buffers commands error")
        port["buffer_size"] = sizes
    if options.s or options.t or options.p:
        tsa = options.s.split(",") if options.s else list(port["tsa"])
        bandwidth = _numbers(options.t) if options.t else list(port["bw"])
        for tc in range(8):
            if tsa[tc] != "ets" and options.t and bandwidth[tc]:
                raise Refused("ETS BW for a strict/vendor TC must be 0")
        card.set_ets(port, tsa, bandwidth, _numbers(options.p) if options.p else list(port["prio_tc"]))


def _sysfs(card, interface, port):
    folder = Path(card.data["root"], "sys/class/net", interface, "qos")
    if (folder / "dscp2prio").exists():
        lines = [f"{dscp} {priority}" for dscp, priority in enumerate(port["hw_map"])]
        (folder / "dscp2prio").write_text("dscp prio\n" + "\n".join(lines) + "\n")


def _table(port, everything, old):
    lines = [f"DCBX mode: {'OS' if 'host' in port['dcbx'] else 'Firmware'} controlled"]
    lines.append(f"Priority trust state: {port['trust']}")
    if port["trust"] == "dscp":
        lines.append("dscp2prio mapping:")
        for priority in range(8):
            mine = [f"{dscp:02d}," for dscp in range(64) if port["hw_map"][dscp] == priority]
            for at in range(0, len(mine), 8):
                lines.append(f"\tprio:{priority} dscp:{''.join(mine[at : at + 8])}")
    if not old:
        sizes = "".join(f"{size}," for size in port["buffer_size"])
        lines.append(f"Receive buffer size (bytes): {sizes}max_buffer_size={port['total_size']}")
    lines.append(f"Cable len: {port['delay']}")
    lines += ["PFC configuration:", "\tpriority    0   1   2   3   4   5   6   7"]
    lines.append("\tenabled     " + "".join(f"{on}   " for on in port["pfc"]))
    if not old:
        lines.append("\tbuffer      " + "".join(f"{buffer}   " for buffer in port["prio_buffer"]))
    for tc in range(8):
        priorities = [p for p in range(8) if port["prio_tc"][p] == tc]
        if priorities or everything:
            share = f", bw: {port['bw'][tc]}%" if port["tsa"][tc] == "ets" else ""
            lines.append(f"tc: {tc} ratelimit: unlimited, tsa: {port['tsa'][tc]}{share}")
            lines += [f"\t priority:  {priority}" for priority in priorities]
    return "\n".join(lines) + "\n"
