# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Marking of RDMA packets: RDMA-CM type of service and mode (configfs), traffic class of all QPs (OFED only)."""

from __future__ import annotations

import re

from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem, Unsupported

CONFIGFS = "/sys/kernel/config/rdma_cm"
FILES = {"rdma_cm_mode": "default_roce_mode", "rdma_cm_tos": "default_roce_tos"}
# The OFED driver answers with words: nccl issue 2383.
GLOBAL = re.compile(r"Global tclass=(\d+)")


class Rdma:
    """Reads and writes the marking of one RDMA device."""

    name = "rdma"
    keys = ("rdma_cm_mode", "rdma_cm_tos", "traffic_class")

    def __init__(self, system, nic, may_load=False):
        self.system, self.nic, self.details, self.may_load = system, nic, {}, may_load

    def read(self):
        if not self.nic.rdma:
            lack = Unsupported(
                f"{self.nic.interface} has no RDMA device",
                "load mlx5_ib; in a bond the settings belong to the NIC that carries the bond's RDMA device",
            )
            return dict.fromkeys(self.keys, lack)
        values = self._read_cm()
        text = self.system.read(self._class_file())
        if text is None:
            values["traffic_class"] = Unsupported(
                "the kernel's own driver has no traffic class for all QPs (tc/PORT/traffic_class is OFED's)",
                "set NCCL_IB_TC and UCX_IB_TRAFFIC_CLASS; RDMA-CM users are marked by rdma_cm_tos",
            )
        else:
            # Nothing was set yet: the file is empty or says so in words; applications choose.
            found = GLOBAL.search(text) or re.match(r"\s*(\d+)\s*$", text)
            values["traffic_class"] = int(found.group(1)) if found else None
        return values

    def _class_file(self):
        return f"/sys/class/infiniband/{self.nic.rdma}/tc/{self.nic.port}/traffic_class"

    def _folder(self):
        return f"{CONFIGFS}/{self.nic.rdma}/ports/{self.nic.port}"

    def _read_cm(self):
        if not self.system.exists(CONFIGFS) and self.system.tool("modprobe"):
            done = self.system.run("modprobe", *([] if self.may_load else ["--dry-run"]), "rdma_cm")
            if done.rc == 0 and not self.may_load:
                return dict.fromkeys(FILES)  # not loaded yet; a run would load it and write
        if not self.system.exists(CONFIGFS):
            lack = Unsupported(f"{CONFIGFS} is not there", "load rdma_cm and mount configfs")
            return dict.fromkeys(FILES, lack)
        made = self._make()
        try:
            texts = {key: self.system.read(f"{self._folder()}/{name}") for key, name in FILES.items()}
        finally:
            if made:
                self._remove()
        values = {}
        for key, text in texts.items():
            if text is None:
                values[key] = Unsupported(f"{self._folder()}/{FILES[key]} cannot be read", "update the kernel")
            else:
                values[key] = int(text) if key == "rdma_cm_tos" else text.strip()
        return values

    def _make(self):
        """Make the device's folder, which is how configfs is asked; the values live in the kernel, not in it."""
        place = self.system.at(f"{CONFIGFS}/{self.nic.rdma}")
        if place.exists():
            return False
        try:
            place.mkdir()
        except OSError as error:
            raise Problem("to make it", error.strerror, str(place), "see that rdma_cm knows the device") from error
        return True

    def _remove(self):
        self.system.at(f"{CONFIGFS}/{self.nic.rdma}").rmdir()

    def write(self, key, want, have):
        if key == "traffic_class":
            self.system.write(self._class_file(), f"{want}\n")
            return
        made = self._make()
        try:
            self.system.write(f"{self._folder()}/{FILES[key]}", f"{want}\n")
        finally:
            if made:
                self._remove()
