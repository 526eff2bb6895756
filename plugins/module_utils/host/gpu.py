# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NVIDIA GPUs, their driver, Fabric Manager, and how NICs reach GPU memory."""

from __future__ import annotations

import csv
import io
import re

# Fields that drivers since R450 know; one unknown field would make nvidia-smi answer nothing.
FIELDS = (
    "index",
    "name",
    "pci.bus_id",
    "driver_version",
    "vbios_version",
    "memory.total",
    "pstate",
    "pcie.link.gen.current",
    "pcie.link.gen.max",
    "pcie.link.width.current",
    "pcie.link.width.max",
    "ecc.errors.uncorrected.volatile.total",
    "mig.mode.current",
    "persistence_mode",
)
QUERY = ("nvidia-smi", "--query-gpu=" + ",".join(FIELDS), "--format=csv,nounits")
NUMBERS = {
    "index",
    "memory.total",
    "pcie.link.gen.current",
    "pcie.link.gen.max",
    "pcie.link.width.current",
    "pcie.link.width.max",
    "ecc.errors.uncorrected.volatile.total",
}
PEER_MEMORY = (
    "/sys/module/nvidia_peermem/version",
    "/sys/kernel/mm/memory_peers/nv_mem/version",
    "/sys/kernel/mm/memory_peers/nv_mem_nc/version",
)


def gpus(machine):
    """One entry per GPU that the driver answers for."""
    return parse_query(machine.run(*QUERY) or "")


def parse_query(text):
    """CSV with a header line; units in headers or values are taken off, ``[N/A]`` is None."""
    rows = [row for row in csv.reader(io.StringIO(text), skipinitialspace=True) if len(row) > 1]
    result = []
    for row in rows[1:]:
        entry = {}
        for name, value in zip(rows[0], row):
            key = re.sub(r" \[.*\]$", "", name.strip())
            entry[key.replace(".", "_")] = _value(key, value.strip())
        if entry.get("pci_bus_id"):
            entry["address"] = normal_address(entry.pop("pci_bus_id"))
        result.append(entry)
    return result


def _value(key, text):
    if text.strip("[]") in ("N/A", "Not Supported", "Unknown Error", "GPU requires reset"):
        return None
    if key in NUMBERS:
        found = re.match(r"-?\d+", text)
        return int(found.group(0)) if found else None
    return text


def normal_address(text):
    """``00000000:1B:00.0`` -> ``0000:1b:00.0``, as sysfs names it."""
    domain, _, rest = text.lower().partition(":")
    return f"{int(domain, 16):04x}:{rest}"


def driver(machine):
    """The NVIDIA driver and what belongs to it."""
    text = machine.read("/proc/driver/nvidia/version") or ""
    found = re.search(r"NVRM version:.*?\b(\d+\.\d+(?:\.\d+)?)\b", text)
    version = machine.read("/sys/module/nvidia/version") or (found.group(1) if found else None)
    return {
        "version": version,
        "open": "Open Kernel Module" in text if text else None,
        "fabric_manager": fabric_manager(machine),
        "peer_memory": next((v for v in (machine.read(path) for path in PEER_MEMORY) if v), None),
    }


def fabric_manager(machine):
    """``Fabric Manager version is : 580.95.05`` and whether the service runs."""
    output = machine.run("nv-fabricmanager", "--version")
    if output is None:
        return {"version": None, "state": None}
    found = re.search(r"(\d+\.\d+(?:\.\d+)?)", output)
    # rc 3 with the word on standard output is an answer, not a failure.
    state = machine.run("systemctl", "is-active", "nvidia-fabricmanager.service")
    machine.failed_tools.pop("systemctl is-active nvidia-fabricmanager.service", None)
    return {"version": found.group(1) if found else None, "state": state.strip() if state else None}
