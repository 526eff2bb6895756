# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which kernel devices the NICs of the model are, and over which address this session came."""

from __future__ import annotations

import os
import re

from ansible_collections.lossless.fabric.plugins.module_utils.network.plan import Device
from ansible_collections.lossless.fabric.plugins.module_utils.nic import device
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem


def ethernet(system, nics):
    """The NICs that are Ethernet, and (name, device) of those whose link layer is InfiniBand."""
    found, others = [], []
    for nic in nics:
        given = nic["device"] or nic["name"]
        one = device.find(system, given)
        if one.link_layer == "InfiniBand":
            others.append((nic["name"], one.interface or given))
        else:
            found.append(nic)
    return found, others


def devices(system, nics, names, allow_rename):
    """Device of each NIC by name, and the NICs that would have to be renamed: (name, device, PCI address)."""
    found, waiting = {}, []
    for nic in nics:
        given = nic["device"] or nic["name"]
        one = device.find(system, given)
        if not one.interface:
            actual = f"none, driver {one.driver or 'not bound'}" if one.pci else "none"
            remedy = "correct pci_address in the model, or load the driver"
            raise Problem(f"a network interface of {given} ({nic['name']})", actual, "/sys/class/net", remedy)
        name = nic["name"] if names == "model" and one.pci else one.interface
        if name != one.interface and not allow_rename:
            waiting.append((name, one.interface, one.pci))
            name = one.interface
        found[nic["name"]] = Device(one.interface, name, _path(system, one))
    return found, waiting


def _path(system, one):
    """udev's own word, because platforms put more before the PCI address."""
    index = system.read(f"/sys/class/net/{one.interface}/ifindex")
    said = re.search(r"^E:ID_PATH=(\S+)$", system.read(f"/run/udev/data/n{index}") or "", re.MULTILINE)
    if said:
        return said.group(1)
    return f"pci-{one.pci}" if one.pci else None


def session():
    """Own address of the SSH session; None without one. sudo hides the variable, an ancestor still has it."""
    said, pid = os.environ.get("SSH_CONNECTION"), os.getppid()
    while not said and pid > 1:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                entries = file.read().split(b"\0")
            with open(f"/proc/{pid}/stat") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            return None
        said = next((entry[15:].decode() for entry in entries if entry.startswith(b"SSH_CONNECTION=")), None)
    words = (said or "").split()
    return words[2] if len(words) == 4 else None
