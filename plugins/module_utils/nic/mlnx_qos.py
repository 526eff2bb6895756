# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""QoS through mlnx_qos, the tool of OFED and DOCA (mlnx-tools). One call reads everything.

Facts of the tool (Mellanox/mlnx-tools, python/mlnx_qos): its setters write without comparing, so callers compare first;
-F and -P end at once without a table; --trust and --dscp2prio exclude each other; without -a it leaves out traffic
classes that no priority uses; complaints about what the driver lacks go to stdout between the lines of the table.
"""

from __future__ import annotations

import re

from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem, Unsupported

KEYS = ("dcbx", "cable_length", "pfc", "priority_to_buffer", "buffer_size", "ets", "trust", "dscp_to_priority")
MAP_LINE = re.compile(r"^prio:(\d) dscp:([\d,]+)$")
TC_LINE = re.compile(r"^tc: (\d)\b.*?tsa: (\w+)(?:, bw: (\d+)%)?")
OLD = "update mlnx-tools and the driver"


def parse(text):
    """The table of mlnx_qos as data; a key whose line is not there is missing."""
    found = {"warnings": []}
    tc = None
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("******"):
            found["warnings"].append(line.strip("* "))
        elif line.startswith("DCBX mode:"):
            found["dcbx"] = "os" if "OS" in line else "firmware"
        elif line.startswith("Priority trust state:"):
            found["trust"] = line.split(":")[1].strip()
        elif line.startswith("Receive buffer size"):
            sizes = line.split(":", 1)[1].split(",")
            found["buffer_size"] = [int(size) for size in sizes if size.strip().isdigit()]
            total = re.search(r"max_buffer_size=(\d+)", line)
            found["total_size"] = int(total.group(1)) if total else None
        elif line.startswith("Cable len:"):
            found["cable_length"] = int(line.split(":")[1])
        elif line.startswith("enabled "):
            found["pfc"] = [priority for priority, on in enumerate(line.split()[1:]) if on == "1"]
        elif line.startswith("buffer "):
            found["priority_to_buffer"] = [int(buffer) for buffer in line.split()[1:]]
        elif MAP_LINE.match(line):
            priority, dscps = MAP_LINE.match(line).groups()
            table = found.setdefault("dscp_to_priority", [None] * 64)
            for dscp in dscps.split(","):
                if dscp:
                    table[int(dscp)] = int(priority)
        elif TC_LINE.match(line):
            number, algorithm, bandwidth = TC_LINE.match(line).groups()
            tc = int(number)
            ets = found.setdefault("ets", {"priority_to_tc": [None] * 8, "tsa": [None] * 8, "bandwidth": [0] * 8})
            ets["tsa"][tc], ets["bandwidth"][tc] = algorithm, int(bandwidth or 0)
        elif line.startswith("priority:") and tc is not None:
            found["ets"]["priority_to_tc"][int(line.split(":")[1])] = tc
        elif "not supported on your system" in line:
            found.setdefault("complaints", []).append(line)
    return found


def _list(values):
    return ",".join(str(value) for value in values)


class MlnxQos:
    """Reads and writes the settings of one interface."""

    name = "mlnx_qos"

    def __init__(self, system, nic):
        self.system, self.nic = system, nic
        self.keys = KEYS
        self.details = {}  # of the last reading, with what is no setting: warnings, total_size

    def read(self):
        done = self.system.run("mlnx_qos", "-i", self.nic.interface, "-a")
        self.details = found = parse(done.out)
        if done.rc and "pfc" not in found:
            lack = Unsupported(
                f"mlnx_qos cannot read {self.nic.interface}: {done.said()}",
                "see whether the driver of the NIC is the one that mlnx-tools came with",
            )
            return dict.fromkeys(KEYS, lack)
        self._from_sysfs(found)
        values = {}
        for key in KEYS:
            if found.get(key) is None or (key == "trust" and found[key] == "none"):
                said = "; ".join(found.get("complaints", ())) or f"mlnx_qos shows no {key.replace('_', ' ')}"
                values[key] = Unsupported(said, OLD)
            else:
                values[key] = found[key]
        if values["trust"] == "pcp" and isinstance(values["dscp_to_priority"], Unsupported):
            # Not shown while the port trusts PCP, and not kept by drivers without the sysfs file.
            values["dscp_to_priority"] = [None] * 64
        return values

    def _from_sysfs(self, found):
        """The map is in sysfs whatever the port trusts: a title, then a DSCP and its priority per line."""
        text = self.system.read(f"/sys/class/net/{self.nic.interface}/qos/dscp2prio")
        pairs = [line.split()[:2] for line in (text or "").splitlines()[1:]]
        pairs = [pair for pair in pairs if len(pair) == 2 and pair[0].isdigit() and pair[1].isdigit()]
        if pairs and "dscp_to_priority" not in found:
            table = found["dscp_to_priority"] = [None] * 64
            for dscp, priority in pairs:
                table[int(dscp)] = int(priority)

    def _options(self, key, want, have):
        if key == "dscp_to_priority":
            if self.details.get("trust") == "pcp":
                have = self.read()["dscp_to_priority"]  # trust was written just now; the map may be another one
            for dscp, priority in enumerate(want):
                if not have or have[dscp] != priority:
                    yield ("--dscp2prio", f"set,{dscp},{priority}")
            return
        if key == "dcbx":
            yield ("-d", "os" if want == "os" else "fw")
        elif key == "cable_length":
            yield ("--cable_len", str(want))
        elif key == "pfc":
            yield ("-f", _list(int(priority in want) for priority in range(8)))
        elif key == "priority_to_buffer":
            yield ("--prio2buffer", _list(want))
        elif key == "buffer_size":
            yield ("--buffer_size", _list(want))
        elif key == "trust":
            yield ("--trust", want)
        elif key == "ets":
            yield ("-s", _list(want["tsa"]), "-t", _list(want["bandwidth"]), "-p", _list(want["priority_to_tc"]))

    def write(self, key, want, have):
        options = [option for part in self._options(key, want, have) for option in part]
        if not options:
            return
        done = self.system.run("mlnx_qos", "-i", self.nic.interface, *options)
        # A failing set prints a Python traceback in some versions; its last line is the reason.
        if done.rc:
            raise Problem(
                f"{key} to become {want}", done.said(), done.command, "see the kernel log for the driver's reason"
            )
