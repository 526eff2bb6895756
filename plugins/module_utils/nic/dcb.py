# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""QoS through dcb of iproute2, the way of the kernel's own driver.

Facts of the tool (iproute2 dcb/*.c, 6.1) and of the driver (Linux mlx5/core/en_dcbnl.c):
* app replace says 0 even when it failed, and on mlx5 it always fails in its second half, because the driver already
  took the old entry away. So entries are added, read back, and left-overs deleted.
* The first dscp-prio entry makes mlx5 trust DSCP, taking the last away makes it trust PCP. There is no other switch
  (apptrust came with iproute2 6.2 and is not implemented by mlx5).
* delay of pfc is the cable length of mlx5. dcb pfc and ets set read first and change only what is named.
* mlx5 drops the link for a moment when the set of PFC priorities changes.
* dcb numbers a request by the second and does not wait for the acknowledgement of the one before. Reading and writing
  on two sides of a second, which a busy host does, ends in "Protocol error", although the kernel has done the work.
"""

from __future__ import annotations

import json

from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem, Unsupported

KEYS = ("dcbx", "cable_length", "pfc", "priority_to_buffer", "buffer_size", "ets", "trust", "dscp_to_priority")
OBJECTS = ("dcbx", "pfc", "buffer", "ets", "app")
CONFUSED = "Protocol error"
# The object of dcb that a setting lives in.
OBJECT = {
    "dcbx": "dcbx",
    "cable_length": "pfc",
    "pfc": "pfc",
    "priority_to_buffer": "buffer",
    "buffer_size": "buffer",
    "ets": "ets",
    "trust": "app",
    "dscp_to_priority": "app",
}


def parse(name, data):
    """Settings in the JSON of one object."""
    if name == "dcbx":
        return {"dcbx": "os" if data.get("host") else "firmware"}
    if name == "pfc":
        return {"pfc": [p for p, on in enumerate(data["prio_pfc"]) if on], "cable_length": data.get("delay")}
    if name == "buffer":
        return {"priority_to_buffer": data["prio_buffer"], "buffer_size": data["buffer_size"]}
    if name == "ets":
        return {"ets": {"priority_to_tc": data["prio_tc"], "tsa": data["tc_tsa"], "bandwidth": data["tc_bw"]}}
    table = [None] * 64
    # 6.1 prints a stray third element in each pair; the DSCP is a name unless -N was given.
    for pair in data.get("dscp_prio", ()):
        table[int(pair[0])] = pair[1]
    return {"trust": "dscp" if data.get("dscp_prio") else "pcp", "dscp_to_priority": table}


def pairs(data):
    return [(int(pair[0]), pair[1]) for pair in data.get("dscp_prio", ())]


def _mapping(values):
    return [f"{number}:{value}" for number, value in enumerate(values)]


class Dcb:
    """Reads and writes the settings of one interface."""

    name = "dcb"

    def __init__(self, system, nic):
        self.system, self.nic = system, nic
        self.keys = KEYS
        self.details = {}

    def _show(self, name):
        done = self.system.run("dcb", "-N", "-j", name, "show", "dev", self.nic.interface)
        if done.rc:
            remedy = "use a NIC, driver and iproute2 that know it"
            if "not supported" in done.said():
                return Unsupported(f"driver {self.nic.driver} has no DCB {name} on {self.nic.interface}", remedy)
            return Unsupported(f"dcb cannot read {name} of {self.nic.interface}: {done.said()}", remedy)
        try:
            data = json.loads(done.out)
        except ValueError:
            return Unsupported(f"dcb printed no JSON for {name}: {done.out[:80]!r}", "update iproute2")
        return data[0] if isinstance(data, list) and data else data

    def read(self):
        values, self.details = {}, {}
        for name in OBJECTS:
            data = self._show(name)
            mine = [key for key in KEYS if OBJECT[key] == name]
            if isinstance(data, Unsupported):
                values.update(dict.fromkeys(mine, data))
                continue
            self.details[name] = data
            values.update(parse(name, data))
        if values.get("cable_length") == 0:
            # mlx5 starts with 7 m; 0 is what drivers without such a thing say.
            values["cable_length"] = Unsupported(
                f"driver {self.nic.driver} keeps no cable length (delay is 0)", "size the receive buffers by hand"
            )
        self.details["total_size"] = self.details.get("buffer", {}).get("total_size")
        return values

    def write(self, key, want, have):
        if key == "trust":
            self._trust(want)
        elif key == "dscp_to_priority":
            self._map(want)
        elif key == "dcbx":
            self._set("dcbx", "host", "ieee")
        elif key == "cable_length":
            self._set("pfc", "delay", str(want))
        elif key == "pfc":
            self._set("pfc", "prio-pfc", "all:off", *[f"{priority}:on" for priority in want])
        elif key == "priority_to_buffer":
            self._set("buffer", "prio-buffer", *_mapping(want))
        elif key == "buffer_size":
            self._set("buffer", "buffer-size", *_mapping(want))
        elif key == "ets":
            self._set(
                "ets",
                "tc-tsa",
                *_mapping(want["tsa"]),
                "tc-bw",
                *_mapping(want["bandwidth"]),
                "prio-tc",
                *_mapping(want["priority_to_tc"]),
            )

    def _set(self, name, *arguments, verb="set"):
        done = self.system.run("dcb", name, verb, "dev", self.nic.interface, *arguments)
        if done.rc and CONFUSED in done.said() and verb == "set":
            done = self.system.run("dcb", name, verb, "dev", self.nic.interface, *arguments)
        if done.rc and CONFUSED not in done.said():  # otherwise what is read back decides
            raise Problem(
                f"{name} {' '.join(arguments)}", done.said(), done.command, "see the kernel log for the driver's reason"
            )

    def _trust(self, want):
        if want == "pcp":
            self._set("app", "dscp-prio", verb="flush")
        # dscp: comes with the first entry of the map, which is written next.

    def _map(self, want):
        data = self._show("app")
        have = set() if isinstance(data, Unsupported) else set(pairs(data))
        missing = [(dscp, priority) for dscp, priority in enumerate(want) if (dscp, priority) not in have]
        if missing:
            self._set("app", "dscp-prio", *[f"{d}:{p}" for d, p in missing], verb="add")
        data = self._show("app")
        extra = [] if isinstance(data, Unsupported) else [(d, p) for d, p in pairs(data) if want[d] != p]
        if extra:
            self._set("app", "dscp-prio", *[f"{d}:{p}" for d, p in extra], verb="del")
