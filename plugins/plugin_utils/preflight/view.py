# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The host as checks see it: its facts next to what is expected of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.host import GpuHardware, Hardware, Host, NicHardware

MELLANOX = "15b3"
SCHEMA = 1
# A GPU of which only the driver knows.
UNSEEN: dict[str, Any] = {
    "kind": "gpu",
    "link": None,
    "bars": None,
    "numa_node": None,
    "iommu_group": None,
    "parents": [],
    "root_complex": None,
    "fallen": False,
}


class FactsError(ValueError):
    """The facts are not those of host_facts."""


class View:
    """Facts, model and the devices that the checks are about."""

    def __init__(self, facts: Mapping[str, Any], host: Host | None = None, hardware: Hardware | None = None) -> None:
        if not isinstance(facts, Mapping) or facts.get("schema") != SCHEMA:
            raise FactsError("expected the facts of lossless.fabric.host_facts of this release, found something else")
        self.facts = facts
        self.host = host
        self.hardware = hardware or (host.hardware if host else None) or Hardware()

    @cached_property
    def devices(self) -> dict[str, Mapping[str, Any]]:
        """PCI devices by address."""
        return {device["address"]: device for device in self.facts["pci"]}

    @cached_property
    def gpus(self) -> list[Mapping[str, Any]]:
        """GPUs as PCI devices: they are there before any driver is."""
        wanted = self.hardware.gpus.device_ids if self.hardware.gpus else ()
        if wanted:
            return [d for d in self.devices.values() if f"{d['vendor']}:{d['device']}" in wanted]
        found = [d for d in self.devices.values() if d["kind"] == "gpu"]
        # Some sandboxes hide the PCI bus and not the GPUs: then the driver's word is all there is.
        hidden = [gpu["address"] for gpu in self.facts["gpus"] if gpu.get("address") not in self.devices]
        return found + [{**UNSEEN, "address": address} for address in hidden if address]

    @cached_property
    def nics(self) -> list[Mapping[str, Any]]:
        """NICs for RDMA: those the model names by PCI address, else of the wanted kind, else all that may be."""
        named = [nic.pci_address for nic in (self.host.nics if self.host else ()) if nic.pci_address]
        if named:
            return [self.devices[address] for address in named if address in self.devices]
        physical = [d for d in self.devices.values() if d["kind"] == "nic"]
        wanted = self.hardware.nics.device_ids if self.hardware.nics else ()
        if wanted:
            return [d for d in physical if f"{d['vendor']}:{d['device']}" in wanted]
        carriers = {entry["pci"] for entry in self.facts["rdma"]}
        return [d for d in physical if d["vendor"] == MELLANOX or d["address"] in carriers]

    @cached_property
    def nvswitches(self) -> list[Mapping[str, Any]]:
        """NVSwitches that this machine sees."""
        return [d for d in self.devices.values() if d["kind"] == "nvswitch"]

    def with_profile(self) -> Iterator[tuple[Mapping[str, Any], GpuHardware | NicHardware | None]]:
        """Every GPU and RDMA NIC with what its server type says of its kind."""
        yield from ((gpu, self.hardware.gpus) for gpu in self.gpus)
        yield from ((nic, self.hardware.nics) for nic in self.nics)

    def slot_of(self, device: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Link of the port that the device is plugged into; None where it is not readable."""
        above = self.devices.get(device["parents"][-1]) if device["parents"] else None
        return above["link"] if above else None

    def bridges_above(self, devices: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Every bridge between the root complex and one of the devices, once."""
        addresses = dict.fromkeys(address for device in devices for address in device["parents"])
        yield from (self.devices[address] for address in addresses if address in self.devices)

    def rdma_of(self, device: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The RDMA device of a NIC; None before the driver is loaded."""
        return next((entry for entry in self.facts["rdma"] if entry["pci"] == device["address"]), None)

    def smi_of(self, device: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """What nvidia-smi says about a GPU."""
        return next((entry for entry in self.facts["gpus"] if entry.get("address") == device["address"]), None)

    def label(self, device: Mapping[str, Any]) -> str:
        """How people know a device."""
        rdma = self.rdma_of(device)
        kind = {"gpu": "GPU", "nic": "NIC", "nvswitch": "NVSwitch", "bridge": "bridge"}.get(device["kind"], "device")
        if device["address"] in {gpu["address"] for gpu in self.gpus}:
            kind = "GPU"
        return f"{kind} {device['address']}" + (f" ({rdma['name']})" if rdma else "")

    @property
    def virtual(self) -> bool:
        """Whether the platform below is a hypervisor's business."""
        return bool(self.facts["virtual"])
