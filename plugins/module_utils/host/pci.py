# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""PCI devices: links, ACS, BARs, SR-IOV, places in the tree. Reads configuration space itself: lspci may be missing."""

from __future__ import annotations

import re

DEVICES = "/sys/bus/pci/devices"
ADDRESS = re.compile(r"^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$")

# Link speed field of the PCI Express capability -> gigatransfers per second; the field is the generation.
SPEEDS = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0}
GENERATIONS = {speed: generation for generation, speed in SPEEDS.items()}

CAP_PCIE = 0x10
EXT_ACS, EXT_ATS, EXT_SRIOV = 0x000D, 0x000F, 0x0010
# Bits of the ACS control register, named as lspci names them.
ACS_BITS = ("SrcValid", "TransBlk", "ReqRedir", "CmpltRedir", "UpstreamFwd", "EgressCtrl", "DirectTrans")

IORESOURCE_MEM, IORESOURCE_PREFETCH, IORESOURCE_MEM_64, IORESOURCE_UNSET = 0x200, 0x2000, 0x100000, 0x20000000

# Left out: what a server has hundreds of and no check asks for (storage, memory, serial, USB, CPU internals).
BORING = ("01", "05", "07", "08", "09", "0a", "0b", "0c", "0d", "0f", "10", "11", "13", "40", "ff")


def devices(machine):
    """Every device that a check may ask for, by address, in order."""
    result = []
    for address in machine.listdir(DEVICES):
        if not ADDRESS.match(address):
            continue
        code = (machine.read(_path(address, "class")) or "0x000000")[2:].zfill(6)
        bridge = code.startswith("0604")
        if code[:2] in BORING or (code.startswith("06") and not bridge and not code.startswith("0680")):
            continue
        result.append(device(machine, address, code))
    return result


def device(machine, address, code):
    """One device."""
    config = machine.read_bytes(_path(address, "config")) or b""
    capabilities = Capabilities(config)
    vendor = (machine.read(_path(address, "vendor")) or "0x????")[2:]
    entry = {
        "address": address,
        "vendor": vendor,
        "device": (machine.read(_path(address, "device")) or "0x????")[2:],
        "class": code,
        "kind": _kind(code, vendor, machine.exists(_path(address, "physfn"))),
        "driver": machine.target(_path(address, "driver")),
        "numa_node": machine.number(_path(address, "numa_node")),
        "iommu_group": _number(machine.target(_path(address, "iommu_group"))),
        # A device that fell off the bus answers every read with ones.
        "fallen": len(config) >= 4 and config[:4] == b"\xff\xff\xff\xff",
        "link": _link(machine, address, capabilities),
        "max_payload": capabilities.max_payload,
        "max_read_request": capabilities.max_read_request,
        "bars": _bars(machine, address, config),
        "acs": capabilities.acs,
        "ats": capabilities.ats,
        "sriov": _sriov(machine, address, capabilities),
    }
    entry.update(_place(machine, address))
    return entry


def relation(one, other):
    """How near two devices are, in the words of ``nvidia-smi topo``."""
    shared = 0
    for a, b in zip(one["parents"], other["parents"]):
        if a != b:
            break
        shared += 1
    if shared:
        return "PIX" if max(len(one["parents"]), len(other["parents"])) - shared <= 1 else "PXB"
    if one["root_complex"] is not None and one["root_complex"] == other["root_complex"]:
        return "PHB"
    nodes = (one["numa_node"], other["numa_node"])
    return "NODE" if nodes[0] == nodes[1] and nodes[0] not in (None, -1) else "SYS"


class Capabilities:
    """What configuration space says. Without privileges only its first 64 bytes are readable: then all is None."""

    def __init__(self, config):
        self.config = config
        self.complete = len(config) >= 256 and config[:4] != b"\xff\xff\xff\xff"
        self._pcie = self._find(CAP_PCIE) if self.complete else None
        self._extended = self._extended_capabilities() if self.complete and len(config) >= 4096 else None

    def _word(self, at, size=2):
        return int.from_bytes(self.config[at : at + size], "little")

    def _find(self, wanted):
        if not self._word(0x06) & 0x10:
            return None
        at, seen = self.config[0x34] & 0xFC, set()
        while at >= 0x40 and at not in seen:
            seen.add(at)
            if self.config[at] == wanted:
                return at
            at = self.config[at + 1] & 0xFC
        return None

    def _extended_capabilities(self):
        found, at = {}, 0x100
        while at >= 0x100 and at not in found.values():
            header = self._word(at, 4)
            if header in (0, 0xFFFFFFFF):
                break
            found.setdefault(header & 0xFFFF, at)
            at = (header >> 20) & 0xFFC
        return found

    @property
    def link(self):
        """Current and greatest speed (GT/s) and width."""
        if self._pcie is None:
            return None
        can, now = self._word(self._pcie + 0x0C, 4), self._word(self._pcie + 0x12)
        return {
            "speed": SPEEDS.get(now & 0xF),
            "width": (now >> 4) & 0x3F,
            "max_speed": SPEEDS.get(can & 0xF),
            "max_width": (can >> 4) & 0x3F,
        }

    @property
    def max_payload(self):
        """Bytes."""
        return None if self._pcie is None else 128 << ((self._word(self._pcie + 0x08) >> 5) & 7)

    @property
    def max_read_request(self):
        """Bytes."""
        return None if self._pcie is None else 128 << ((self._word(self._pcie + 0x08) >> 12) & 7)

    @property
    def acs(self):
        """Access Control Services: None unknown, else whether the device has them and what is switched on."""
        if self._extended is None:
            return None
        at = self._extended.get(EXT_ACS)
        control = 0 if at is None else self._word(at + 6)
        return {
            "present": at is not None,
            "control": control,
            "enabled": [name for bit, name in enumerate(ACS_BITS) if control & (1 << bit)],
        }

    @property
    def ats(self):
        """Whether address translation services are switched on; None: unknown or not there."""
        if self._extended is None or EXT_ATS not in self._extended:
            return None
        return bool(self._word(self._extended[EXT_ATS] + 6) & 0x8000)

    @property
    def total_vfs(self):
        """Virtual functions that the device offers; None: unknown; 0: no SR-IOV capability."""
        if self._extended is None:
            return None
        at = self._extended.get(EXT_SRIOV)
        return 0 if at is None else self._word(at + 0x0E)


def _path(address, name):
    return f"{DEVICES}/{address}/{name}"


def _number(text):
    return int(text) if text is not None and text.isdigit() else None


def _kind(code, vendor, virtual_function):
    if virtual_function:
        return "vf"
    if code.startswith("0604"):
        return "bridge"
    if code.startswith("02"):
        return "nic"
    if code.startswith("0680"):
        return "nvswitch" if vendor == "10de" else "other"
    if code[:4] in ("0300", "0302", "1200") and vendor in ("10de", "1002"):
        return "gpu"
    return "other"


def _link(machine, address, capabilities):
    link = capabilities.link
    if link is not None:
        return link
    link = {
        "speed": _speed(machine.read(_path(address, "current_link_speed"))),
        "width": machine.number(_path(address, "current_link_width")),
        "max_speed": _speed(machine.read(_path(address, "max_link_speed"))),
        "max_width": machine.number(_path(address, "max_link_width")),
    }
    # 0 and 255 are the kernel's words for "not a PCI Express device" and "not known".
    if link["width"] in (None, 0) or link["max_width"] in (None, 0, 255):
        return None
    return link


def _speed(text):
    """ "32.0 GT/s PCIe" -> 32.0."""
    found = re.match(r"([0-9.]+) GT/s", text or "")
    return float(found.group(1)) if found else None


def _bars(machine, address, config):
    """Memory BARs. One that firmware or kernel could not place has ``assigned: false``."""
    bars = []
    skip = False
    for index, line in enumerate(machine.lines(_path(address, "resource"))[:6]):
        if skip:
            skip = False
            continue
        try:
            start, end, flags = (int(part, 16) for part in line.split())
        except ValueError:
            break
        register = int.from_bytes(config[0x10 + 4 * index : 0x14 + 4 * index], "little") if len(config) >= 64 else 0
        memory = bool(flags & IORESOURCE_MEM) if flags else register != 0 and not register & 1
        if not memory:
            continue
        wide = bool(flags & IORESOURCE_MEM_64) if flags else register & 0x6 == 0x4
        skip = wide
        assigned = bool(flags) and start != 0 and not flags & IORESOURCE_UNSET
        bars.append(
            {
                "index": index,
                "start": start,
                "size": end - start + 1 if flags else 0,
                "bits64": wide,
                "prefetchable": bool(flags & IORESOURCE_PREFETCH) if flags else bool(register & 0x8),
                "assigned": assigned,
            }
        )
    return bars


def _sriov(machine, address, capabilities):
    total = machine.number(_path(address, "sriov_totalvfs"))
    return {
        "total": total if total is not None else (None if capabilities.total_vfs is None else 0),
        "enabled": machine.number(_path(address, "sriov_numvfs")),
        # What the hardware offers, whether or not the kernel could use it.
        "offered": capabilities.total_vfs,
    }


def _place(machine, address):
    """Bridges from the root complex down to the device."""
    path = machine.real(f"{DEVICES}/{address}") or ""
    parts = path.split("/")
    root = next((part for part in parts if re.match(r"^pci[0-9a-f]{4,8}:[0-9a-f]{2}$", part)), None)
    return {"root_complex": root, "parents": [p for p in parts if ADDRESS.match(p) and p != address]}
