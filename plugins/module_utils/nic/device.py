# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which kernel devices belong to a NIC, and whether it is one that this collection can make lossless."""

from __future__ import annotations

import re

PCI = re.compile(r"^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$")
INFINIBAND = "32"  # ARPHRD_INFINIBAND in /sys/class/net/IF/type
REPRESENTOR = re.compile(r"^(c\d+)?pf\d+(vf|sf)\d+$")

# Why a driver that people try is not one of ours. mlx4: no DSCP trust in the driver, DCQCN is not in ConnectX-3.
OTHERS = {
    "mlx4_core": (
        "ConnectX-3 is half supported by its driver: PFC yes, trust by DSCP and DCQCN no",
        "use a ConnectX-4 or newer for lossless RoCEv2",
    ),
    "bnxt_en": (
        "Broadcom NICs are set with the vendor's niccli and configfs (bnxt_re), which this module does not speak",
        "set them with the vendor's tools and leave the NIC out of the list",
    ),
    "virtio_net": (
        "a virtual NIC has no PFC, buffers or DCQCN of its own",
        "apply the policy on the hypervisor's NIC, or hand the guest a physical function",
    ),
    "ice": ("Intel NICs (ice, irdma) are not supported yet", "leave the NIC out of the list"),
    "i40e": ("Intel NICs (i40e, irdma) are not supported yet", "leave the NIC out of the list"),
    "vmxnet3": ("a virtual NIC has no PFC, buffers or DCQCN of its own", "apply the policy on the hypervisor's NIC"),
}


class Nic:
    """One port: network interface, PCI address, driver, RDMA device and its port."""

    def __init__(self, given, interface=None, pci=None, driver=None, rdma=None, port=1, link_layer=None):
        self.given, self.interface, self.pci, self.driver = given, interface, pci, driver
        self.rdma, self.port, self.link_layer = rdma, port, link_layer
        self.virtual_function = False

    def facts(self):
        return {
            "interface": self.interface,
            "pci": self.pci,
            "driver": self.driver,
            "rdma": self.rdma,
            "port": self.port,
            "link_layer": self.link_layer,
        }


def find(system, given):
    """The NIC that an interface name or a PCI address means; without interface if there is none now."""
    pci = interface = None
    if PCI.match(given):
        pci = given
        names = system.names(f"/sys/bus/pci/devices/{pci}/net")
        own = [n for n in names if not REPRESENTOR.match(system.read(f"/sys/class/net/{n}/phys_port_name") or "")]
        interface = (own or names or [None])[0]
    elif system.exists(f"/sys/class/net/{given}"):
        interface = given
        device = system.target(f"/sys/class/net/{given}/device")
        pci = device if device and PCI.match(device) else None
    nic = Nic(given, interface, pci)
    base = f"/sys/class/net/{interface}/device" if interface else f"/sys/bus/pci/devices/{pci}"
    nic.driver = system.target(f"{base}/driver")
    nic.virtual_function = system.exists(f"{base}/physfn")
    nic.rdma, nic.port = _rdma(system, nic, base)
    if nic.rdma:
        nic.link_layer = system.read(f"/sys/class/infiniband/{nic.rdma}/ports/{nic.port}/link_layer")
    if interface and system.read(f"/sys/class/net/{interface}/type") == INFINIBAND:
        nic.link_layer = "InfiniBand"
    return nic


def _rdma(system, nic, base):
    """RDMA device and port: below the PCI function; else the one whose GIDs or parent are the interface or its bond."""
    for device in system.names(f"{base}/infiniband"):
        return device, _port(system, nic, device)
    if not nic.interface:
        return None, 1
    ours = {nic.interface, system.target(f"/sys/class/net/{nic.interface}/master")} - {None}
    for device in system.names("/sys/class/infiniband"):
        if system.read(f"/sys/class/infiniband/{device}/parent") in ours:
            return device, 1
        for port in system.names(f"/sys/class/infiniband/{device}/ports"):
            folder = f"/sys/class/infiniband/{device}/ports/{port}/gid_attrs/ndevs"
            if any(system.read(f"{folder}/{index}") in ours for index in system.names(folder)):
                return device, int(port)
    return None, 1


def _port(system, nic, device):
    """Devices with several ports per function number their interfaces from 0 in dev_port."""
    ports = system.names(f"/sys/class/infiniband/{device}/ports")
    number = system.read(f"/sys/class/net/{nic.interface}/dev_port") if nic.interface else None
    wanted = int(number) + 1 if number and number.isdigit() else 1
    return wanted if str(wanted) in ports else 1


def refusal(nic, drivers):
    """Why the NIC cannot be set: (expected, actual, remedy); None if it can."""
    if not nic.interface and not nic.pci:
        return "a network interface or PCI address of this host", f"no {nic.given}", "correct the device of this NIC"
    if not nic.interface:
        return (
            f"a network interface of {nic.given}",
            f"none, driver {nic.driver or 'not bound'}",
            "load the driver or look at the kernel log",
        )
    if nic.virtual_function:
        return "a physical function", "an SR-IOV virtual function", "set the physical function; its functions follow it"
    if nic.driver not in drivers:
        reason, remedy = OTHERS.get(
            nic.driver,
            (
                "PFC and DSCP of this driver are not known here",
                "leave the NIC out of the list, or name its driver in drivers",
            ),
        )
        return f"driver {' or '.join(drivers)}", f"{nic.driver or 'no driver'}: {reason}", remedy
    return None


def carrier(system, nic):
    """Whether the link is up now."""
    return system.read(f"/sys/class/net/{nic.interface}/carrier") == "1"
