# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firmware settings of one NIC: compare with next boot, set, tell what waits for a reset, reset with consent."""

from __future__ import annotations

import re

from ansible_collections.lossless.fabric.plugins.module_utils.nic.mlxconfig import RESET_TOOLS, Mlxconfig, plain
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem, Unsupported

REVEAL = "ADVANCED_PCI_SETTINGS"
# Known to be shown only when that is on. Others are revealed when it is asked for by name: turning it on for a setting
# that the firmware simply does not have would cost a reset for nothing.
ADVANCED = ("MAX_ACC_OUT_READ", "PCI_WR_ORDERING", "ATS_ENABLED")
# Names that mlxconfig has once per port, with _P1 or _P2 (mstflint mlxconfig_host.db).
PER_PORT = (
    "LINK_TYPE",
    "ROCE_CC_PRIO_MASK",
    "ROCE_CC_ALGORITHM",
    "ROCE_RTT_RESP_DSCP",
    "ROCE_RTT_RESP_DSCP_MODE",
    "CLAMP_TGT_RATE",
    "CLAMP_TGT_RATE_AFTER_TIME_INC",
    "RPG_TIME_RESET",
    "RPG_BYTE_RESET",
    "RPG_THRESHOLD",
    "RPG_MAX_RATE",
    "RPG_AI_RATE",
    "RPG_HAI_RATE",
    "RPG_GD",
    "RPG_MIN_DEC_FAC",
    "RPG_MIN_RATE",
    "RATE_TO_SET_ON_FIRST_CNP",
    "DCE_TCP_G",
    "DCE_TCP_RTT",
    "RATE_REDUCE_MONITOR_PERIOD",
    "INITIAL_ALPHA_VALUE",
    "MIN_TIME_BETWEEN_CNPS",
    "CNP_802P_PRIO",
    "CNP_DSCP",
    "CNP_DSCP_MODE",
    "LLDP_NB_DCBX",
    "LLDP_NB_RX_MODE",
    "LLDP_NB_TX_MODE",
    "DCBX_IEEE",
    "DCBX_CEE",
    "DCBX_WILLING",
    "KEEP_ETH_LINK_UP",
    "KEEP_LINK_UP_ON_BOOT",
    "NUM_OF_PFC",
)
# What decides which others exist or may be set goes first.
FIRST = (REVEAL, "LINK_TYPE", "SRIOV_EN")
MASK = "ROCE_CC_PRIO_MASK"
# mlxfwreset lists levels, then types and synchronisation, each numbered from 0.
LEVELS = re.compile(r"^Reset-levels:\n((?:\d: .*\n?)*)", re.MULTILINE)
LEVEL = re.compile(r"^(\d): .*?-\s*(Not Supported|Supported)", re.MULTILINE)
HIDDEN = "hidden"
# What a port of InfiniBand has no use for: names begin so.
OF_ETHERNET = ("LINK_TYPE", "LLDP_", "DCBX_", "ROCE_", "CNP_")


class Firmware:
    """One run on one NIC."""

    def __init__(self, system, name, nic, wanted, check=False, dcqcn_priorities=()):
        self.system, self.name, self.nic, self.check = system, name, nic, check
        self.tool = Mlxconfig(system, nic.pci)
        self.port = int(nic.pci[-1]) + 1  # the functions of a card are its ports
        self.dcqcn_priorities = dcqcn_priorities
        self.wanted = self._expand(wanted)
        self.parameters, self.entries = {}, {}
        self.unsupported, self.findings = [], []
        self.reset_done = False

    def _port_name(self, base):
        return f"{base}_P{self.port}"

    def _expand(self, wanted):
        """Full names of the tool: port added, lists spread over their elements."""
        full = {}
        for name, value in wanted.items():
            name = self._port_name(name) if name in PER_PORT else name
            if isinstance(value, list):
                full.update({f"{name}[{index}]": one for index, one in enumerate(value)})
            else:
                full[name] = value
        if self.dcqcn_priorities:
            full.setdefault(self._port_name(MASK), None)  # worked out from what is there

        def rank(name):
            return next((n for n, first in enumerate(FIRST) if name.startswith(first)), len(FIRST))

        return {name: full[name] for name in sorted(full, key=lambda n: (rank(n), n))}

    def find(self, severity, key, expected, actual, remedy):
        self.findings.append(
            {
                "nic": self.name,
                "severity": severity,
                "key": key,
                "expected": expected,
                "actual": actual,
                "where": f"{self.nic.pci}, {self.tool.tool}",
                "remedy": remedy,
            }
        )

    def run(self):
        """Read, compare, write for the next boot, read back."""
        self._read()
        if self._misnamed():
            return
        hidden = self._missing()
        reveal = self._reveals(hidden)
        before = dict(self.parameters)
        if reveal:
            self._set({REVEAL: True})
            self.entries[REVEAL] = self._entry(before[REVEAL], "1", True)
            if not self.check:
                self._read()
        self._compare(before, hidden if reveal else ())
        differing = {n: e["wanted"] for n, e in self.entries.items() if e["changed"] and n != REVEAL}
        if REVEAL in self.wanted and not reveal and self.entries.get(REVEAL, {}).get("changed"):
            self._set({REVEAL: self.wanted[REVEAL]})
            if not self.check:
                self._read()
        writable = {n: v for n, v in differing.items() if n in self.parameters}
        self._set(writable)
        if (writable or reveal) and not self.check:
            self._read()
            self._verify(writable)
        self._traps()

    def _names(self):
        traps = [self._port_name(n) for n in ("LLDP_NB_RX_MODE", "LLDP_NB_DCBX", "DCBX_WILLING")]
        return [*self.wanted, *traps, REVEAL]

    def _read(self):
        self.parameters = self.tool.query(self._names())

    def _misnamed(self):
        """Whether names are wanted that no NIC has. Then nothing is written: who misspells one may mean another."""
        names = [name for name in self.wanted if name in self.tool.unknown]
        for name in names:
            self.find(
                "error",
                name,
                f"a name that {self.tool.tool} knows",
                "it does not know this one",
                f"correct the name ({self.tool.tool} -d {self.nic.pci} query lists them), or update {self.tool.tool}",
            )
        return names

    def _missing(self):
        return [name for name in self.wanted if name not in self.parameters]

    def _reveals(self, hidden):
        """Whether the advanced settings are shown first, because one of them is wanted and not seen."""
        switch = self.parameters.get(REVEAL)
        if switch is None or switch.next.means(True) or not hidden:
            return False
        if REVEAL in self.wanted:
            return plain(self.wanted[REVEAL]).lower() in ("1", "true")
        return any(name in ADVANCED for name in hidden)

    def _target(self, name):
        if name == self._port_name(MASK) and self.dcqcn_priorities:
            # Bits of other priorities stay: a reset of the NIC just to clear them helps nobody.
            found = self.parameters.get(name)
            now = int(found.next.number, 0) if found is not None and found.next.number else 0
            return str(now | sum(1 << p for p in self.dcqcn_priorities))
        return plain(self.wanted[name])

    @staticmethod
    def _entry(found, want, changed):
        return {**found.facts(), "wanted": want, "changed": changed}

    def _compare(self, before, hidden):
        for name in self.wanted:
            found = self.parameters.get(name)
            if found is None:
                if self._only_ethernet(name):
                    continue
                if name in hidden and self.check:
                    want = self._target(name)
                    self.entries[name] = {
                        "default": None,
                        "current": None,
                        "next": HIDDEN,
                        "wanted": want,
                        "changed": True,
                    }
                else:
                    self._lack(
                        name,
                        "the firmware does not have it",
                        "update the firmware; if a change of LINK_TYPE waits, reset first",
                    )
                continue
            if name == REVEAL and REVEAL in self.entries:
                continue
            if found.next.number is None:
                self._lack(name, "the firmware does not tell its value", "update the firmware")
                continue
            want = self._target(name)
            changed = not found.next.means(want)
            if changed and found.read_only:
                self._lack(name, f"read-only, now {found.next.text}", "leave it out")
                continue
            entry = self._entry(found, want, changed)
            if name in hidden:
                entry["next"] = HIDDEN if changed else entry["next"]
            self.entries[name] = entry

    def _only_ethernet(self, name):
        """Whether Ethernet is wanted of a card that knows nothing else, and so has no LINK_TYPE."""
        wanted = name == self._port_name("LINK_TYPE") and plain(self.wanted[name]).upper() in ("ETH", "2")
        return wanted and self.nic.interface is not None and self.nic.link_layer != "InfiniBand"

    def _lack(self, name, reason, remedy):
        want = self._target(name)
        self.unsupported.append({"nic": self.name, "key": name, "wanted": want, "reason": reason, "remedy": remedy})
        self.find("warning", name, want, reason, remedy)

    def _set(self, values):
        if values and not self.check:
            self.tool.set(values)

    def _verify(self, written):
        for name, want in written.items():
            found = self.parameters.get(name)
            actual = found.next.text if found is not None else "not shown any more"
            if found is None or not found.next.means(want):
                self.find(
                    "error",
                    name,
                    want,
                    f"{actual} for the next boot",
                    "see the answer of the tool; update the firmware",
                )

    @property
    def changed(self):
        return any(entry["changed"] for entry in self.entries.values()) or self.reset_done

    def pending(self):
        """What the next reset will change, whoever wrote it; in check mode also what a run would write."""
        waiting = {
            p.name: {"current": p.current.text, "next": p.next.text} for p in self.parameters.values() if p.pending
        }
        if self.check:
            for name, entry in self.entries.items():
                if entry["changed"]:
                    waiting[name] = {"current": entry["current"], "next": entry["wanted"]}
                    found = self.parameters.get(name)
                    if found is not None and found.current is not None and found.current.means(entry["wanted"]):
                        del waiting[name]
        return waiting

    def _effective(self, base):
        """Value of a setting at the next boot, as the run leaves it."""
        name = self._port_name(base)
        found, entry = self.parameters.get(name), self.entries.get(name)
        if entry and entry["changed"] and self.check:
            return None if found is None else (found, entry["wanted"])
        return None if found is None else (found, found.next.number)

    def _traps(self):
        if self.nic.link_layer == "InfiniBand":
            return
        receive = self._effective("LLDP_NB_RX_MODE")
        if receive and receive[1] != "0" and str(receive[1]).upper() != "OFF":
            self.find(
                "warning",
                self._port_name("LLDP_NB_RX_MODE"),
                "OFF(0)",
                f"{receive[1]}: the firmware takes incoming LLDP, lldpd on the host sees no neighbour",
                "set LLDP_NB_RX_MODE to OFF and reset the NIC",
            )
        willing, agent = self._effective("DCBX_WILLING"), self._effective("LLDP_NB_DCBX")
        if willing and agent and plain(willing[1]) == "1" and plain(agent[1]) == "1":
            self.find(
                "warning",
                self._port_name("DCBX_WILLING"),
                "False(0), or LLDP_NB_DCBX False(0)",
                "both on: the switch may overwrite PFC and ETS of the host",
                "set LLDP_NB_DCBX to false and reset the NIC",
            )

    # Reset -----------------------------------------------------------------------------------------------------

    def reset(self, level):
        """Reset the firmware so that next boot becomes current. Only called with consent."""
        tool = RESET_TOOLS[self.tool.tool]
        carried = carries_default_route(self.system, self.nic)
        if carried:
            self.find(
                "error",
                "reset",
                "a NIC that does not carry the management of this host",
                f"the default route leaves through {carried}",
                "reboot the host instead",
            )
            return
        asked = self.system.run(tool, "-d", self.nic.pci, "query")
        listed = LEVELS.search(asked.out)
        levels = {int(number): word == "Supported" for number, word in LEVEL.findall(listed.group(1) if listed else "")}
        if not levels.get(level):
            possible = ", ".join(str(n) for n, can in sorted(levels.items()) if can) or "none"
            self.find(
                "error", "reset", f"reset level {level}", f"{possible} supported ({asked.said()})", "boot the host cold"
            )
            return
        if self.check:
            self.reset_done = True
            return
        done = self.system.run(tool, "-d", self.nic.pci, "-l", str(level), "-y", "reset")
        if done.rc:
            self.find("error", "reset", f"reset level {level}", done.said(), "stop what uses the NIC, or boot cold")
            return
        if self.system.tool("udevadm"):  # the interface is new; who comes next finds it under its own name
            self.system.run("udevadm", "settle")
        self.reset_done = True
        self.refresh()
        waiting = self.pending()
        if waiting:
            names = ", ".join(f"{n} {v['current']}" for n, v in sorted(waiting.items()))
            self.find("warning", "reset", "next boot in effect", f"still {names}", "boot the host cold")

    def refresh(self):
        """Read again after a reset, which every function of the card has gone through."""
        if not self.check:
            self._read()

    def facts(self):
        waiting = self.pending()
        return {
            **self.nic.facts(),
            "tool": self.tool.tool,
            "type": self.tool.header.get("device type"),
            "parameters": self.entries,
            "pending": waiting,
            "reset_needed": bool(waiting),
            "reset_done": self.reset_done,
        }


def is_infiniband(system, nic):
    """Whether the port is one of InfiniBand, and linked: a port of both kinds that waits for Ethernet is not."""
    state = system.read(f"/sys/class/infiniband/{nic.rdma}/ports/{nic.port}/phys_state") if nic.rdma else None
    return nic.link_layer == "InfiniBand" and (state or "").startswith("5")


def carries_default_route(system, nic):
    """Interface of the default route if it is on the card of this NIC (VLANs and bonds are followed down)."""
    card = nic.pci.rsplit(".", 1)[0]
    for line in (system.read("/proc/net/route") or "").splitlines()[1:]:
        words = line.split()
        if len(words) > 7 and words[1] == "00000000" and words[7] == "00000000":
            for lower in _lower(system, words[0]):
                device = system.target(f"/sys/class/net/{lower}/device") or ""
                if device.startswith(f"{card}."):
                    return words[0]
    return None


def _lower(system, interface):
    found, waiting = [], [interface]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.append(name)
            waiting += [n[6:] for n in system.names(f"/sys/class/net/{name}") if n.startswith("lower_")]
    return found


def problem_text(problem):
    """(actual, where, remedy) of an exception of this folder."""
    if isinstance(problem, Unsupported):
        return problem.reason, "", problem.remedy
    return problem.actual, problem.where, problem.remedy


__all__ = ("OF_ETHERNET", "Firmware", "Problem", "carries_default_route", "is_infiniband", "problem_text")
