# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Congestion control of RoCE (DCQCN): notification point, reaction point, CNP marking and parameters.

OFED has files below /sys/class/net/IF/ecn. The kernel's own driver has the values (not the switch per priority) in
debugfs; what is missing there is kept by the firmware and set with mlxconfig, effective after a reset of the NIC.
"""

from __future__ import annotations

from ansible_collections.lossless.fabric.plugins.module_utils.nic.mlxconfig import Mlxconfig, plain
from ansible_collections.lossless.fabric.plugins.module_utils.nic.settings import CONGESTION, PARAMETERS, PREFIX
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem, Unsupported

ENABLES = {"dcqcn_notification": "roce_np", "dcqcn_reaction": "roce_rp"}
KEYS = (*ENABLES, "cnp_dscp", "cnp_priority", *(PREFIX + name for name in PARAMETERS))


def _entry(key):
    return CONGESTION[key[len(PREFIX) :] if key.startswith(PREFIX) else key]


class OfedCongestion:
    """Files of the OFED driver."""

    name = "ecn sysfs"

    def __init__(self, system, nic):
        self.system, self.nic, self.details = system, nic, {}
        self.base = f"/sys/class/net/{nic.interface}/ecn"
        self.keys = KEYS

    def _file(self, key):
        folder, name = _entry(key)[:2]
        # The files are in the folder itself; one documented release (MLNX_OFED 4.9) has them one level lower.
        for place in (f"{self.base}/{folder}/{name}", f"{self.base}/{folder}/params/{name}"):
            if self.system.exists(place):
                return place
        return None

    def read(self):
        values = {}
        for key, folder in ENABLES.items():
            place = f"{self.base}/{folder}/enable"
            states = {p: (self.system.read(f"{place}/{p}") or "").strip() == "1" for p in self.system.names(place)}
            values[key] = states or Unsupported(f"{place} is not there", "update OFED and the NIC's firmware")
        for key in KEYS[len(ENABLES) :]:
            place = self._file(key)
            text = self.system.read(place) if place else None
            number = (text or "").strip()
            if number.lstrip("-").isdigit():
                values[key] = int(number)
            else:
                values[key] = Unsupported(
                    f"{self.base}/{'/'.join(_entry(key)[:2])} " + (f"says {text!r}" if place else "is not there"),
                    "update OFED and the NIC's firmware",
                )
        return values

    def write(self, key, want, have):
        if key in ENABLES:
            for priority, on in want.items():
                if (have or {}).get(priority) != on:
                    self.system.write(f"{self.base}/{ENABLES[key]}/enable/{priority}", f"{int(on)}\n")
        else:
            self.system.write(self._file(key), f"{want}\n")


class InboxCongestion:
    """debugfs of the kernel's driver for values, firmware settings for what it does not have."""

    name = "debugfs and firmware"

    def __init__(self, system, nic, firmware=True):
        self.system, self.nic, self.keys = system, nic, KEYS
        self.firmware = firmware
        self.base = f"/sys/kernel/debug/mlx5/{nic.pci}/cc_params"
        # A kernel that Secure Boot locks down opens no file of debugfs that could be written.
        self.closed = "[none]" not in (system.read("/sys/kernel/security/lockdown") or "[none]")
        self.port = int(nic.pci[-1]) + 1 if nic.pci else 1  # the functions of a card are its ports
        self.tool = Mlxconfig(system, nic.pci)
        self.parameters = {}
        self.wanted = ()  # keys that matter; a query of the firmware takes seconds
        self.details = {}

    def _name(self, key):
        base = "ROCE_CC_PRIO_MASK" if key in ENABLES else _entry(key)[3]
        return f"{base}_P{self.port}"

    def _debugfs(self, key):
        place = None if self.closed or key in ENABLES else f"{self.base}/{_entry(key)[2]}"
        return place if place and self.system.exists(place) else None

    def read(self):
        values, ask = {}, []
        for key in KEYS:
            place = self._debugfs(key)
            text = self.system.read(place) if place else None
            if text is not None and text.strip().isdigit():
                values[key] = int(text)
            elif key in self.wanted:
                ask.append(key)
        values.update(self._read_firmware(ask))
        return values

    def _read_firmware(self, keys):
        if not keys:
            return {}
        remedy = "set {} with the nic_firmware role"
        if not self.firmware or not self.tool.available:
            reason = (
                "the kernel's own driver has no switch or file for it; the firmware keeps it"
                if not self.firmware
                else "the kernel's own driver has no switch or file for it, and mstflint is not installed"
            )
            return {key: Unsupported(reason, remedy.format(self._name(key))) for key in keys}
        try:
            self.parameters = self.tool.query(self._name(key) for key in keys)
        except Problem as problem:
            return {key: Unsupported(str(problem), remedy.format(self._name(key))) for key in keys}
        values = {}
        for key in keys:
            found = self.parameters.get(self._name(key))
            if found is None or found.next.number is None:
                values[key] = Unsupported(f"the firmware has no {self._name(key)}", "update the NIC's firmware")
                continue
            number = int(found.next.number, 0)
            values[key] = {str(p): bool(number >> p & 1) for p in range(8)} if key in ENABLES else number
        return values

    def pending(self):
        """Firmware values that become effective with the next reset: name, current, next."""
        return [
            {"name": p.name, "current": p.current.text, "next": p.next.text}
            for p in self.parameters.values()
            if p.pending
        ]

    def write(self, key, want, have):
        place = self._debugfs(key)
        if place:
            self.system.write(place, f"{want}\n")
            return
        value = want
        if key in ENABLES:
            value = sum(1 << int(p) for p, on in {**have, **want}.items() if on)
        now = self.parameters.get(self._name(key))
        # One mask serves both points: the second write finds it done.
        if now is None or not now.next.means(plain(value)):
            self.tool.set({self._name(key): value})
            self.parameters.update(self.tool.query([self._name(key)]))
