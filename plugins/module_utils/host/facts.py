# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything of one host as plain data. None always means "could not be read", never "no"."""

from __future__ import annotations

import re

from ansible_collections.lossless.fabric.plugins.module_utils.host import gpu, modules, netdev, pci, platform, rdma

SCHEMA = 1
LIBRARIES = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib")


def gather(machine, with_mlxlink=False):
    """Read the host."""
    facts = {"schema": SCHEMA}
    facts.update(platform.system(machine))
    facts["memory"] = platform.memory(machine)
    facts["iommu"] = platform.iommu(machine)
    facts["secure_boot"] = platform.secure_boot(machine)
    facts["memlock"] = platform.memlock(machine)
    facts["default_interfaces"] = platform.default_interfaces(machine)
    facts["modules"] = modules.modules(machine)
    facts["dkms"] = modules.dkms(machine)
    facts["kernel"]["headers"] = modules.headers(machine, facts["kernel"]["release"])
    facts["rdma_stack"] = modules.rdma_stack(machine)
    facts["pci"] = pci.devices(machine)
    facts["nvidia"] = gpu.driver(machine)
    facts["gpus"] = gpu.gpus(machine)
    if facts["nvidia"]["version"] is None:  # sandboxes hide the module; the library asked the driver
        facts["nvidia"]["version"] = next((g.get("driver_version") for g in facts["gpus"]), None)
    facts["nccl_libraries"] = nccl_libraries(machine)
    facts["rdma"] = rdma.devices(machine)
    carriers = {port["netdev"] for device in facts["rdma"] for port in device["ports"] if port["netdev"]}
    facts["netdevs"] = netdev.netdevs(machine, carriers)
    facts["mst"] = rdma.mst(machine)
    if with_mlxlink:
        facts["mlxlink"] = {d["pci"]: rdma.mlxlink(machine, d["pci"]) for d in facts["rdma"] if d["pci"]}
    facts["nearest_gpu"] = nearest_gpu(facts["pci"], facts["rdma"])
    facts["not_read"] = {
        "missing_tools": sorted(machine.missing_tools),
        "failed_commands": dict(sorted(machine.failed_tools.items())),
        "denied_files": sorted(machine.denied),
    }
    return facts


def nearest_gpu(devices, rdma_devices):
    """For each RDMA device the GPU that it is nearest to, and how near."""
    order = ("PIX", "PXB", "PHB", "NODE", "SYS")
    by_address = {device["address"]: device for device in devices}
    gpus = [device for device in devices if device["kind"] == "gpu"]
    result = {}
    for entry in rdma_devices:
        nic = by_address.get(entry["pci"])
        if nic is None or not gpus:
            continue
        near, address = min((order.index(pci.relation(nic, g)), g["address"]) for g in gpus)
        result[entry["name"]] = {"gpu": address, "relation": order[near]}
    return result


def nccl_libraries(machine):
    """Versions of NCCL in the system's library folders. Frameworks often bring their own."""
    found = set()
    for folder in LIBRARIES:
        for name in machine.listdir(folder):
            version = re.match(r"^libnccl\.so\.(\d+\.\d+\.\d+)$", name)
            if version:
                found.add(version.group(1))
    return sorted(found, key=lambda text: [int(part) for part in text.split(".")])
