# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines of a lab, from host variables: those with ``lab_machine`` are virtual machines.

lab_machine:              # {} takes all defaults
  memory: 1024            # MiB
  cpus: 1
  numa_nodes: 1           # more: rails are spread over them
  gpus: true              # a stand-in GPU beside every NIC, behind one PCIe switch
  gpu_bar: 16G            # its memory window
  iommu: passthrough      # or translated, off
  acs: true               # bridges come up with ACS on; false: they have none
  secure_boot: false      # true: UEFI with Secure Boot enforced, from firmware to kernel modules
  address_bits: 0         # of the CPU; 36 leaves no room for 64G, 32 puts 256M below 4 GiB; 0: what QEMU has
  system: {vendor: ..., product: ..., board: ..., bios: ...}
  module: {nic_width: [16, 8]}   # parameters of lab_nic, lists go by rail
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha256
from typing import Any

from lab.hosts.needs import HostsError

SYSTEM = {"vendor": "Lab", "product": "GPU server (stand-in)", "board": "LAB-HGX", "bios": "1.0"}
IOMMU = ("passthrough", "translated", "off")


@dataclass(frozen=True)
class MachineSpec:
    """One machine."""

    name: str
    nics: tuple[str, ...]  # names in the model, in the order of PCI addresses
    address: str = "127.0.0.1"
    port: int = 0
    memory: int = 1024
    cpus: int = 1
    numa_nodes: int = 1
    gpus: bool = True
    gpu_bar: str = "16G"
    iommu: str = "passthrough"
    acs: bool = True
    secure_boot: bool = False
    address_bits: int = 0
    system: Mapping[str, str] = field(default_factory=dict)
    module: Mapping[str, Any] = field(default_factory=dict)

    def mac(self, nic: str) -> str:
        """Of a NIC: always the same, and another on every host."""
        digest = sha256(f"{self.name}/{nic}".encode()).digest()
        return ":".join(f"{byte:02x}" for byte in (0x52, 0x54, 0x00, *digest[:3]))


SETTINGS = {f.name for f in fields(MachineSpec)} - {"name", "nics", "address", "port"}


def machines(hostvars: Mapping[str, Mapping[str, Any]]) -> list[MachineSpec]:
    """The machines of an inventory, by name."""
    return [spec_of(name, v) for name, v in sorted(hostvars.items()) if "lab_machine" in v]


def spec_of(name: str, hostvars: Mapping[str, Any]) -> MachineSpec:
    """One machine from its host variables."""
    given = hostvars["lab_machine"] or {}
    unknown = set(given) - SETTINGS
    if unknown:
        raise HostsError(
            f"{name}: lab_machine has no {', '.join(sorted(unknown))}; known: {', '.join(sorted(SETTINGS))}"
        )
    if given.get("iommu", IOMMU[0]) not in IOMMU:
        raise HostsError(f"{name}: lab_machine.iommu is {given['iommu']!r}, expected one of {', '.join(IOMMU)}")
    port = str(hostvars.get("ansible_port", ""))
    if not port.isdigit():
        raise HostsError(f"{name}: ansible_port is {port!r}; a lab machine needs a number there")
    nics = hostvars.get("host", {}).get("nics", [])
    if given.get("numa_nodes", 1) > max(len(nics), 1):
        raise HostsError(f"{name}: {given['numa_nodes']} NUMA nodes need as many NICs, found {len(nics)}")
    return MachineSpec(
        name=name,
        nics=tuple(nic["name"] for nic in nics),
        address=str(hostvars.get("ansible_host", "127.0.0.1")),
        port=int(port),
        **given,
    )
