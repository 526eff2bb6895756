# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done to a lab machine, and what preflight has to find then: test_preflight_machine.py runs it, and
docs/hosts/preflight.md shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

OLD, NEW = "580.126.20", "580.173.02"  # versions of the stand-in driver in the lab's mirror
STAND_INS = ("nvidia", "nvidia_peermem", "nvidia_uvm")
PSID, FIRMWARE = "MT_0000000838", "28.39.1002"

# The server type. A machine with two NUMA nodes is one, after REMEDIES.
HARDWARE: dict[str, Any] = {
    "gpus": {"count": 2, "device_ids": ["10de:2330"], "pcie_generation": 5, "driver": OLD},
    "nics": {
        "count": 2,
        "device_ids": ["15b3:1021"],
        "pcie_generation": 5,
        "max_read_request": 4096,
        "firmware": {PSID: FIRMWARE},
    },
    "numa_nodes": 2,
    "bios": "1.0",
    "fabric_manager": True,
}

# A finding: check, subject, expected, found. {nic0}, {gpu0} ... are PCI addresses, {rdma0} ... RDMA devices,
# {port0} ... the ports above the NICs, {root0} ... the root ports; {lab} are the parameters of the stand-in module, one
# value for each rail, {manager} the configuration of systemd.
Finding = tuple[str, str, str, str]
NIC0, NIC1 = "NIC {nic0} ({rdma0})", "NIC {nic1} ({rdma1})"
BRIDGES = ("{root0}", "{port0}", "{gpuport0}", "{root1}", "{port1}", "{gpuport1}")
ACS = "SrcValid+ ReqRedir+ CmpltRedir+ UpstreamFwd+"


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong."""

    what: str
    findings: tuple[Finding, ...]
    break_it: str = ""  # in the machine; without it the machine was started so
    mend_it: str = ""

    @property
    def checks(self) -> set[str]:
        """The checks that find it."""
        return {finding[0] for finding in self.findings}

    def expected(self, names: Mapping[str, str]) -> set[Finding]:
        """The findings with the names of this machine."""
        return {tuple(part.format(**names) for part in finding) for finding in self.findings}  # type: ignore[misc]


def one(what: str, finding: Finding, break_it: str = "", mend_it: str = "") -> Fault:
    return Fault(what, (finding,), break_it, mend_it)


def shown_instead(file: str, text: str) -> tuple[str, str]:
    """Another text in a file of the kernel."""
    copy = "/run/shown-" + file.rpartition("/")[2]
    return f"echo '{text}' > {copy}; mount --bind {copy} {file}", f"umount {file}"


# As the machine is delivered, and what the remedies in preflight's report say.
DELIVERED = (
    Fault(
        "ACS as Linux sets it under an IOMMU",
        tuple(("acs", f"bridge {bridge}", "off", ACS) for bridge in BRIDGES),
        mend_it=f"for bridge in {' '.join(BRIDGES)}; do setpci -s $bridge ECAP_ACS+6.w=0000; done",
    ),
    Fault(
        "limits of Debian",
        (("memlock", "login", "unlimited", "{memlock} KiB"), ("memlock", "services", "unlimited", "8192 KiB")),
        mend_it="""
            printf '%s\\n' '* - memlock unlimited' 'root - memlock unlimited' > /etc/security/limits.d/90-rdma.conf
            mkdir -p {manager}
            printf '%s\\n' '[Manager]' DefaultLimitMEMLOCK=infinity > {manager}/90-rdma.conf
            systemctl daemon-reexec
        """,
    ),
    Fault(
        "read requests of 512 bytes",
        tuple(("max_read_request", nic, "4096 bytes or more", "512 bytes") for nic in (NIC0, NIC1)),
        mend_it="setpci -s {nic0} CAP_EXP+08.w=5000:F000; setpci -s {nic1} CAP_EXP+08.w=5000:F000",
    ),
    Fault(
        "NICs not set up yet",
        tuple(("rdma_link", f"{rdma}/1", "ACTIVE", "DOWN, Disabled, Ethernet") for rdma in ("{rdma0}", "{rdma1}")),
        mend_it="ip link set {netdev0} up; ip link set {netdev1} up",
    ),
)  # fmt: skip

PROPRIETARY = shown_instead("/proc/driver/nvidia/version", f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {OLD}")
# At once: no two of them look at the same value.
RUNNING = (
    Fault(
        "one NIC on 8 of 16 lanes, another in a slot of 8",
        (("pcie_width", NIC0, "x16", "x8"), ("pcie_width", NIC1, "x16", "x8 in a x8 slot")),
        "echo 8,8 > {lab}/nic_width; echo 16,8 > {lab}/slot_width",
        "echo 16,16 > {lab}/nic_width; echo 16,16 > {lab}/slot_width",
    ),
    one(
        "a GPU on 8 of 16 lanes",
        ("pcie_width", "GPU {gpu1}", "x16", "x8"),
        "echo 16,8 > {lab}/gpu_width",
        "echo 16,16 > {lab}/gpu_width",
    ),
    one(
        "a NIC at generation 4",
        ("pcie_generation", NIC0, "generation 5", "generation 4"),
        "echo 4,5 > {lab}/nic_speed",
        "echo 5,5 > {lab}/nic_speed",
    ),
    one(
        "a GPU at generation 3",
        ("pcie_generation", "GPU {gpu0}", "generation 5", "generation 3"),
        "echo 3,5 > {lab}/gpu_speed",
        "echo 5,5 > {lab}/gpu_speed",
    ),
    one(
        "SR-IOV off in the NIC's firmware",
        ("sriov", NIC0, "virtual functions", "none, and none offered by the NIC"),
        "echo 0,8 > {lab}/nic_vfs", "echo 8,8 > {lab}/nic_vfs",
    ),
    one(
        "SR-IOV off in the BIOS",
        ("sriov", NIC1, "virtual functions", "none (8 offered by the NIC)"),
        *shown_instead("/sys/bus/pci/devices/{nic1}/sriov_totalvfs", "0"),
    ),
    one(
        "ACS on in one bridge",
        ("acs", "bridge {port0}", "off", ACS),
        "setpci -s {port0} ECAP_ACS+6.w=001d",
        "setpci -s {port0} ECAP_ACS+6.w=0000",
    ),
    one(
        "logins may lock 64 MiB",
        ("memlock", "login", "unlimited", "65536 KiB"),
        "echo 'root hard memlock 65536' > /etc/security/limits.d/99-fault.conf",
        "rm /etc/security/limits.d/99-fault.conf",
    ),
    one(
        "services may lock 8 MiB",
        ("memlock", "services", "unlimited", "8192 KiB"),
        "sed s/infinity/8M/ {manager}/90-rdma.conf > {manager}/99-fault.conf; systemctl daemon-reexec",
        "rm {manager}/99-fault.conf; systemctl daemon-reexec",
    ),
    one(
        "a port that is down",
        ("rdma_link", "{rdma1}/1", "ACTIVE", "DOWN, Disabled, Ethernet"),
        "ip link set {netdev1} down",
        "ip link set {netdev1} up",
    ),
    one(
        "old firmware in one NIC",
        ("nic_firmware", NIC1 + f" {PSID}", FIRMWARE, "28.36.1010"),
        *shown_instead("/sys/class/infiniband/{rdma1}/fw_ver", "28.36.1010"),
    ),
    one(
        "a GPU without NUMA node",
        ("numa", "GPU {gpu0}", "a NUMA node", "none"),
        "echo -1 > /sys/bus/pci/devices/{gpu0}/numa_node",
        "echo {node0} > /sys/bus/pci/devices/{gpu0}/numa_node",
    ),
    one(
        "a NIC that reads 512 bytes at once",
        ("max_read_request", NIC0, "4096 bytes or more", "512 bytes"),
        "setpci -s {nic0} CAP_EXP+08.w=2000:F000",
        "setpci -s {nic0} CAP_EXP+08.w=5000:F000",
    ),
    one(
        "Fabric Manager stopped",
        ("fabric_manager", "service", "active", "inactive"),
        "systemctl stop nvidia-fabricmanager",
        "systemctl start nvidia-fabricmanager",
    ),
    one(
        "proprietary driver without nvidia_peermem",
        ("gpudirect", "", "DMA-BUF or nvidia_peermem", "neither"),
        "rmmod nvidia_peermem; " + PROPRIETARY[0],
        PROPRIETARY[1] + "; modprobe nvidia_peermem",
    ),
    one(
        "headers of the kernel missing",
        ("dkms", "headers", "headers of {kernel}", "not installed"),
        "mv /lib/modules/{kernel}/build /run/build",
        "mv /run/build /lib/modules/{kernel}/build",
    ),
    one(
        "DKMS built for another kernel only",
        ("dkms", "nvidia", "installed", "nothing built for {kernel}"),
        f"mv /var/lib/dkms/nvidia/{OLD}/{{kernel}} /var/lib/dkms/nvidia/{OLD}/6.1.0-1-amd64",
        f"mv /var/lib/dkms/nvidia/{OLD}/6.1.0-1-amd64 /var/lib/dkms/nvidia/{OLD}/{{kernel}}",
    ),
)  # fmt: skip

# Devices go, and the driver is upgraded under a running system.
GONE = (
    one(
        "a GPU fell out",
        ("gpu_count", "", "2 GPUs", "1 on the PCI bus"),
        "echo 1 > /sys/bus/pci/devices/{gpu1}/remove",
        "echo 1 > /sys/bus/pci/rescan",
    ),
    Fault(
        "a NIC fell out",
        (("nic_count", "rail0", "a NIC at {nic0}", "no device"), ("nic_count", "", "2 RDMA NICs", "1 on the PCI bus")),
        "echo 1 > /sys/bus/pci/devices/{nic0}/remove",
        "udevadm settle; setpci -s {nic0} CAP_EXP+08.w=5000:F000; ip link set {netdev0} up",
    ),
    Fault(
        "driver and Fabric Manager upgraded, nothing reloaded",
        (
            ("fabric_manager", "version", OLD, NEW),
            *(("module_version", name, f"{NEW} as installed", f"{OLD} loaded") for name in STAND_INS),
        ),
        mend_it="rmmod nvidia_peermem nvidia_uvm nvidia; modprobe nvidia; modprobe nvidia_uvm; modprobe nvidia_peermem",
    ),
)  # fmt: skip
# The devices are back, the new driver is loaded, and from now on the kernel takes signed modules only.
RELOADED = (
    one("another driver than that of the server type", ("gpu_driver", "", OLD, NEW)),
    Fault(
        "unsigned modules, and the kernel takes signed ones only",
        tuple(("module_signature", name, "a signature with an enrolled key", "unsigned") for name in STAND_INS),
        "echo Y > /sys/module/module/parameters/sig_enforce",
        """
            rmmod nvidia_peermem nvidia_uvm nvidia
            (modprobe nvidia || true) 2>&1 | grep 'Key was rejected by service'
            rm /lib/modules/{kernel}/updates/dkms/nvidia*
            depmod {kernel}
        """,
    ),
)  # fmt: skip

# A machine with Secure Boot. {owner} and {dkms} are folders with a key that is enrolled and one that is not.
SIGN = "{owner}/sign-file sha256 {key}/key.pem {key}/certificate.pem {file}"
REFUSED = "(modprobe {module} || true) 2>&1 | grep 'Key was rejected by service'"
# The signature stands at the end, and before its mark of 28 bytes its length: linux/scripts/sign-file.c.
UNSIGN = "size=$(tail -c 32 {file} | head -c 4 | od -An -tu4 --endian=big); truncate -s -$((size + 40)) {file}"


def module_file(module: str, script: str, key: str = "") -> str:
    """A script, written with the names of the keys' folders, for the file of a module."""
    return script.replace("{module}", module).replace("{file}", f"$(modinfo -n {module})").replace("{key}", key)


SECURE_BOOT = (
    one(
        "unsigned module under Secure Boot",
        ("module_signature", "mlx5_core", "a signature with an enrolled key", "unsigned"),
        module_file("mlx5_core", f"cp {{file}} {{owner}}/; {UNSIGN}; {REFUSED}"),
        module_file("mlx5_core", "cp {owner}/{module}.ko {file}; modprobe {module}; rmmod {module}"),
    ),
    one(
        "module signed with a key that is not enrolled, under Secure Boot",
        (
            "module_signature",
            "bnxt_en",
            "a signature with an enrolled key",
            "signed by DKMS module signing key, which is not enrolled",
        ),
        module_file("bnxt_en", f"{UNSIGN}; {SIGN}; {REFUSED}", key="{dkms}"),
        module_file("bnxt_en", f"{UNSIGN}; {SIGN}; modprobe {{module}}", key="{owner}"),
    ),
)

# Two more machines, both with one NUMA node.
ONE_NODE = one("NUMA off", ("numa", "", "2 nodes with memory", "1"))
TRANSLATED = {
    "iommu": "translated",
    "gpu_bar": "64G",
    "address_bits": 36,
    "acs": False,
    "system": {"bios": "0.9"},
}
TRANSLATED_FINDINGS = (
    one(
        "iommu=pt missing",
        ("iommu_passthrough", "", "groups of type identity, with iommu=pt", "groups of type DMA-FQ, without iommu=pt"),
    ),
    Fault(
        "no room for the BARs of GPUs above 4 GiB",
        tuple(("above_4g", f"GPU {gpu}", "every BAR placed", "BAR 2 has no address") for gpu in ("{gpu0}", "{gpu1}")),
    ),
    ONE_NODE,
    one("another BIOS", ("bios", "", "1.0", "0.9")),
)  # fmt: skip
NO_IOMMU = {"iommu": "off", "acs": False}
NO_IOMMU_FINDINGS = (one("IOMMU off", ("iommu", "", "on", "off")), ONE_NODE)
