# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of one GPU host: host variable ``host``.

Units: bytes, megabits per second, metres. Names of NICs are those of the intent (``rail0``); which kernel device
that is, the host's own stages find out.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.base import (
    Dscp,
    ObjectName,
    Priority,
    Speed,
    Strict,
    VlanId,
)

# Domain, bus, device and function, as sysfs names them.
PCI_ADDRESS = r"^[0-9a-f]{4,8}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]$"
PciAddress = Annotated[str, Field(pattern=PCI_ADDRESS)]
# Vendor and device number, as lspci -n prints them.
PCI_ID = r"^[0-9a-f]{4}:[0-9a-f]{4}$"
PciId = Annotated[str, Field(pattern=PCI_ID)]
Generation = Annotated[int, Field(ge=1, le=6)]
Width = Literal[1, 2, 4, 8, 16]


class NicPeer(Strict):
    """The switch port that a NIC is cabled to."""

    switch: str = Field(description="Name of the switch")
    port: str = Field(description="Its port")
    address: str | None = Field(
        None, description='routed: the address of the switch, "10.1.0.0/31"; the next hop of the rail'
    )


class TaggedVlan(Strict):
    """A tagged VLAN of a trunk in which the host has an address."""

    vlan: VlanId = Field(description="VLAN number")
    address: str = Field(description="IPv4 address with prefix length")
    gateway: str | None = Field(None, description="Address of the fabric in this VLAN; none: it has none")


class Nic(Strict):
    """One RDMA port of the host."""

    name: str = Field(description="Name in the intent")
    pci_address: PciAddress | None = Field(
        None, description='PCI address, "0000:1a:00.0"; none: found by its address, or by order'
    )
    rail: Annotated[int, Field(ge=0, le=63)] | None = Field(
        None, description="Rail: the NICs of one rail talk through the same leaf"
    )
    speed: Speed | None = Field(None, description="Megabits per second; none: as the optic says")
    mtu: Annotated[int, Field(ge=1500, le=9216)] = Field(description="Bytes of IP packet")
    mode: Literal["access", "trunk", "routed"] | None = Field(
        None, description="Mode of the switch port; none: not cabled"
    )
    vlan: VlanId | None = Field(None, description="access: the VLAN, untagged on the wire")
    vlans: tuple[VlanId, ...] = Field((), description="trunk: VLANs, tagged on the wire")
    native_vlan: VlanId | None = Field(None, description="trunk: VLAN that is untagged on the wire")
    address: str | None = Field(None, description="IPv4 address with prefix length; none: not set by the fabric")
    gateway: str | None = Field(
        None, description="Next hop in the network of address: the switch, or what both switches of a pair answer for"
    )
    tagged: tuple[TaggedVlan, ...] = Field((), description="trunk: tagged VLANs in which the host has an address")
    bond: int | None = Field(None, description="NICs of a host with the same number form one LACP bundle; none: alone")
    cable_length: int | None = Field(None, description="Metres of cable")
    peer: NicPeer | None = Field(None, description="Far end of the cable; none: not cabled")


class HostRoce(Strict):
    """The fabric's RoCE policy as the NICs have to apply it."""

    profile: ObjectName = Field(description="Name of the policy")
    trust: Literal["dscp", "cos"] = Field(description="Field of a packet that decides its class")
    priority: Priority = Field(description="Priority of RoCE data, the one lossless priority")
    dscp: tuple[Dscp, ...] = Field(description="DSCP of RoCE data; senders mark with the first")
    cnp_priority: Priority = Field(description="Priority of congestion notification packets")
    cnp_dscp: tuple[Dscp, ...] = Field(
        description="DSCP of congestion notification packets; senders mark with the first"
    )


class GpuHardware(Strict):
    """GPUs that a server of this type has."""

    count: Annotated[int, Field(ge=0)] = Field(description="Number of GPUs")
    device_ids: tuple[PciId, ...] = Field((), description='"10de:2335"; empty: every GPU counts')
    pcie_generation: Generation | None = Field(None, description="Generation of the PCIe link; none: the GPU's own")
    pcie_width: Width = Field(16, description="Lanes of the PCIe link")
    driver: str | None = Field(None, description="Version of the NVIDIA driver; none: any")


class NicHardware(Strict):
    """RDMA NICs (PCI functions) that a server of this type has."""

    count: Annotated[int, Field(ge=0)] = Field(description="Number of RDMA NIC functions")
    device_ids: tuple[PciId, ...] = Field(
        (), description='"15b3:1021"; empty: every NVIDIA (Mellanox) NIC, and every other that carries RDMA'
    )
    pcie_generation: Generation | None = Field(None, description="Generation of the PCIe link; none: the NIC's own")
    pcie_width: Width = Field(16, description="Lanes of the PCIe link")
    max_read_request: Literal[128, 256, 512, 1024, 2048, 4096] | None = Field(
        None, description="Bytes of a PCIe read request; none: any"
    )
    sriov: bool = Field(True, description="Whether the NIC has to offer virtual functions")
    firmware: dict[str, str] = Field(
        default_factory=dict, description="Board id (PSID) to firmware version; empty: any"
    )


class Hardware(Strict):
    """What preflight expects of a server of this type."""

    gpus: GpuHardware | None = Field(None, description="GPUs; none: not checked")
    nics: NicHardware | None = Field(None, description="RDMA NICs; none: not checked for number")
    numa_nodes: Annotated[int, Field(ge=1)] | None = Field(None, description="NUMA nodes; none: any")
    bios: str | None = Field(None, description="BIOS version; none: any")
    iommu: Literal["passthrough", "off", "any"] = Field("passthrough", description="IOMMU of a bare-metal host")
    acs: Literal["off", "any"] = Field("off", description="ACS between GPUs and NICs of a bare-metal host")
    above_4g: bool = Field(True, description="Whether BARs have to be above 4 GiB")
    memlock: Annotated[int, Field(ge=0)] | None = Field(
        None, description="Bytes that may be locked at least; none: unlimited"
    )
    fabric_manager: bool | None = Field(
        None, description="Whether Fabric Manager is needed; none: where NVSwitches are"
    )


class Host(Strict):
    """One host, complete."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")] = Field(
        description="Name in the inventory"
    )
    profile: str | None = Field(None, description="Kind of host in the intent")
    pod: str | None = Field(None, description="Pod")
    rack: str | None = Field(None, description="Rack")
    managed: bool = Field(
        False, description="Whether playbooks bring the host to the intent; false: only its switch ports are"
    )
    nics: tuple[Nic, ...] = Field(description="RDMA ports")
    networks: tuple[str, ...] = Field(
        (), description="Networks of hosts that the fabric routes: what goes to the gateway of a NIC"
    )
    hardware: Hardware | None = Field(None, description="What preflight expects; none: general checks only")
    roce: HostRoce = Field(description="RoCE policy as the NICs have to apply it")
