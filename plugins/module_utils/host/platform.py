# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel, firmware, memory, IOMMU, Secure Boot, memory lock limits: the machine below the devices."""

from __future__ import annotations

import re

SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
ABOVE_4G = 1 << 32
SECRET = re.compile(r"pass(?!through)|secret|token|cred|key|auth", re.I)


def system(machine):
    """Operating system, kernel, firmware; no serial numbers."""
    release = {}
    for line in machine.lines("/etc/os-release"):
        key, _, value = line.partition("=")
        release[key] = value.strip().strip("\"'")
    dmi = "/sys/class/dmi/id/"
    cpu = machine.read("/proc/cpuinfo") or ""
    flags = re.search(r"^(?:flags|Features)\s*:(.*)$", cpu, re.M)
    vendor = re.search(r"^vendor_id\s*:\s*(\S+)", cpu, re.M)
    return {
        "hostname": machine.read("/proc/sys/kernel/hostname"),
        "os": {"id": release.get("ID"), "version": release.get("VERSION_ID"), "name": release.get("PRETTY_NAME")},
        "kernel": {
            "release": machine.read("/proc/sys/kernel/osrelease"),
            "version": machine.read("/proc/sys/kernel/version"),
            "cmdline": [_public(word) for word in (machine.read("/proc/cmdline") or "").split()],
        },
        "hardware": {
            "vendor": machine.read(dmi + "sys_vendor"),
            "product": machine.read(dmi + "product_name"),
            "board": machine.read(dmi + "board_name"),
            "bios_vendor": machine.read(dmi + "bios_vendor"),
            "bios_version": machine.read(dmi + "bios_version"),
            "bios_date": machine.read(dmi + "bios_date"),
        },
        "cpu": {
            "vendor": vendor.group(1) if vendor else None,
            "count": len(re.findall(r"^processor\s*:", cpu, re.M)),
        },
        # In a guest the platform (IOMMU, ACS, Secure Boot keys) is the hypervisor's business.
        "virtual": bool(flags and "hypervisor" in flags.group(1).split()) or machine.exists("/sys/hypervisor/type"),
    }


def _public(argument):
    """A kernel argument without its value where the name says secret (network boot, iSCSI, disk keys)."""
    name, equals, _ = argument.partition("=")
    return f"{name}=(hidden)" if equals and SECRET.search(name) else argument


def memory(machine):
    """Memory and where it is; whether the root bridges have room above 4 GiB."""
    total = re.search(r"^MemTotal:\s*(\d+) kB", machine.read("/proc/meminfo") or "", re.M)
    nodes = []
    base = "/sys/devices/system/node"
    for name in machine.listdir(base):
        if re.match(r"^node\d+$", name):
            size = re.search(r"MemTotal:\s*(\d+) kB", machine.read(f"{base}/{name}/meminfo") or "")
            nodes.append(
                {
                    "node": int(name[4:]),
                    "cpus": machine.read(f"{base}/{name}/cpulist"),
                    "bytes": int(size.group(1)) * 1024 if size else None,
                }
            )
    return {
        "total_bytes": int(total.group(1)) * 1024 if total else None,
        "nodes": sorted(nodes, key=lambda node: node["node"]),
        "pci_window_above_4g": _window_above_4g(machine),
    }


def _window_above_4g(machine):
    """Whether a PCI root bridge has a memory window above 4 GiB; None where addresses are hidden (no privileges)."""
    known = False
    for line in (machine.read("/proc/iomem") or "").splitlines():
        found = re.match(r"^([0-9a-f]+)-([0-9a-f]+) : PCI (Bus|ECAM)", line.strip())
        if not found:
            continue
        start, end = int(found.group(1), 16), int(found.group(2), 16)
        known = known or end > 0
        if found.group(3) == "Bus" and start >= ABOVE_4G:
            return True
    return False if known else None


def iommu(machine):
    """IOMMU units and the type of every group: ``identity`` is passthrough, ``DMA`` and ``DMA-FQ`` translate."""
    groups = {}
    for name in machine.listdir("/sys/kernel/iommu_groups"):
        groups[name] = machine.read(f"/sys/kernel/iommu_groups/{name}/type")
    return {"units": machine.listdir("/sys/class/iommu"), "groups": groups}


def secure_boot(machine):
    """Secure Boot, lockdown and whether unsigned modules are refused."""
    variable = machine.read_bytes(SECURE_BOOT)  # four bytes of attributes, then the value
    efi = machine.exists("/sys/firmware/efi")
    enabled = bool(variable[4]) if variable and len(variable) >= 5 else None
    lockdown = re.search(r"\[(\w+)\]", machine.read("/sys/kernel/security/lockdown") or "")
    enforced = machine.read("/sys/module/module/parameters/sig_enforce")
    return {
        "efi": efi,
        # Without UEFI there is no Secure Boot; with UEFI and no variable it cannot be told unless efivars is mounted.
        "enabled": enabled if enabled is not None or (efi and not _efivars(machine)) else False,
        "lockdown": lockdown.group(1) if lockdown else None,
        "signatures_enforced": None if enforced is None else enforced == "Y",
        "keys": _keys(machine),
    }


def _efivars(machine):
    return bool(machine.listdir("/sys/firmware/efi/efivars"))


def _keys(machine):
    """Names of the X.509 keys that the kernel holds: module signers must be among them."""
    names = []
    for line in machine.lines("/proc/keys"):
        found = re.search(r"\basymmetri\s+(.+?): [0-9a-f]{8,}: X509", line) or re.search(
            r"\basymmetri\s+(.+?): X509", line
        )
        if found:
            names.append(found.group(1))
    return sorted(set(names)) or None


def memlock(machine):
    """How much memory may be locked: by this login, by services, and what the limit files say. -1 is unlimited."""
    session = re.search(r"^Max locked memory\s+(\S+)\s+(\S+)", machine.read("/proc/self/limits") or "", re.M)
    files = ["/etc/security/limits.conf"]
    files += [f"/etc/security/limits.d/{n}" for n in machine.listdir("/etc/security/limits.d") if n.endswith(".conf")]
    entries = []
    for path in files:
        for line in machine.lines(path):
            parts = line.split("#")[0].split()
            if len(parts) == 4 and parts[2] == "memlock":
                value = parts[3]
                # pam_limits counts in KiB.
                limit = -1 if value in ("unlimited", "infinity", "-1") else _number(value, 1024)
                entries.append({"file": path, "domain": parts[0], "kind": parts[1], "bytes": limit})
    # Without "Soft" it would be the hard limit, which services do not start with.
    default = machine.run("systemctl", "show", "--property=DefaultLimitMEMLOCKSoft", "--value")
    return {
        "session_soft": _limit(session.group(1)) if session else None,
        "session_hard": _limit(session.group(2)) if session else None,
        "services": None if default is None else _limit(default.strip()),
        "files": entries,
    }


def _limit(text):
    return -1 if text in ("unlimited", "infinity") else _number(text, 1)


def _number(text, factor):
    return int(text) * factor if text.isdigit() else None


def default_interfaces(machine):
    """Interfaces of the default route, the preferred one first; IPv6 where there is no IPv4."""
    routes = []
    for line in machine.lines("/proc/net/route")[1:]:
        parts = line.split()
        if len(parts) >= 8 and parts[1] == "00000000" and parts[7] == "00000000":
            routes.append((int(parts[6]), parts[0]))
    if not routes:
        for line in machine.lines("/proc/net/ipv6_route"):
            parts = line.split()
            # A default route that is a reject route on lo means "none".
            if len(parts) == 10 and parts[0] == "0" * 32 and parts[1] == "00" and parts[9] != "lo":
                routes.append((int(parts[5], 16), parts[9]))
    return list(dict.fromkeys(name for _, name in sorted(routes)))
