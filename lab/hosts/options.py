# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine as QEMU's command line. What is behind each choice: docs/lab.md.

Every rail is a root port and a PCIe switch with the NIC and, beside it, the stand-in GPU::

    root port -- switch -+- port -- NIC
                         +- port -- GPU
"""

from __future__ import annotations

from pathlib import Path

from lab.hosts.image import Image
from lab.hosts.needs import HostsError
from lab.hosts.spec import SYSTEM, MachineSpec

KERNEL = (
    "root=/dev/vda rw console=ttyS0 quiet loglevel=3 systemd.show_status=0 mitigations=off random.trust_cpu=on nokaslr "
    "audit=0 nowatchdog cryptomgr.notests rcupdate.rcu_expedited=1 net.ifnames=1"
)
IOMMU_ARGUMENTS = {"passthrough": "intel_iommu=on iommu=pt", "translated": "intel_iommu=on iommu=nopt", "off": ""}
# Features that only cost time when every instruction is translated. Without the hypervisor flag the machine counts as
# bare metal, where ACS, IOMMU and SR-IOV are the host's own business.
CPU = {"tcg": "max,la57=off,smap=off,smep=off,pku=off,umip=off", "kvm": "host"}
MODULE_WIDE = ("acs", "speed")  # parameters of lab_nic that are not per rail
MANAGEMENT_MAC = "52:54:00:00:ff:01"
MIRROR_ADDRESS = "10.0.2.100"  # of the package mirror, in the machine
SOCKET_LIMIT = 107  # bytes of a unix socket's path (sun_path)


class Paths:
    """Where the parts of a running machine are."""

    def __init__(self, run_dir: Path, name: str) -> None:
        self.run_dir, self.name = run_dir, name
        self.hosts = run_dir / "hosts"
        self.folder = self.hosts / name
        self.disk = self.folder / "disk.qcow2"
        self.variables = self.folder / "variables.fd"  # of the firmware, with Secure Boot
        self.console = self.folder / "console.log"
        self.log = self.folder / "qemu.log"
        self.pid = self.folder / "pid"
        self.described = self.folder / "machine.json"
        self.host_key = self.folder / "ssh_host_ed25519_key"
        self.monitor = self.folder / "qmp"
        self.control = self.folder / "control"
        self.user_key = self.hosts / "id_ed25519"
        self.known_hosts = run_dir / "known_hosts"

    def wire(self, nic: str) -> tuple[Path, Path]:
        """Sockets of a NIC's cable: the machine's end and the wire's end."""
        base = self.run_dir / "wire" / f"{self.name}.{nic}"
        return base.with_name(base.name + ".vm"), base.with_name(base.name + ".wire")

    def check(self, nics: tuple[str, ...]) -> None:
        for path in (self.monitor, self.control, *(self.wire(nic)[1] for nic in nics)):
            if len(str(path).encode()) > SOCKET_LIMIT:
                raise HostsError(f"{path} is longer than {SOCKET_LIMIT} bytes: choose a shorter --run-dir")


def hardware(spec: MachineSpec, image: Image, accelerator: str) -> list[str]:
    """What the machine is, without where it is: a saved state fits every machine with the same hardware."""
    machine = "q35,kernel-irqchip=split" if accelerator == "kvm" else "q35"
    words = ["-nodefaults", "-display", "none", "-machine", machine, "-accel", accelerator, "-rtc", "base=utc"]
    words += ["-cpu", _cpu(spec, accelerator), "-smp", str(spec.cpus), "-m", f"{spec.memory}M"]
    words += _secure(spec, image) if spec.secure_boot else _direct(spec, image)
    if spec.iommu != "off":
        words += ["-device", "intel-iommu,intremap=on"]
    words += _numa(spec)
    words += _smbios(spec)
    words += ["-device", "virtio-blk-pci,drive=disk,addr=2"]
    words += ["-device", f"virtio-net-pci,netdev=management,mac={MANAGEMENT_MAC},romfile=,addr=3"]
    words += ["-device", "virtio-rng-pci,addr=4"]
    for index, nic in enumerate(spec.nics):
        words += _rail(spec, index, nic)
    return words


def placement(spec: MachineSpec, paths: Paths, relay: str) -> list[str]:
    """Where the machine's disk, consoles and cables end on this machine."""
    words = ["-drive", f"file={paths.disk},if=none,id=disk,format=qcow2,cache=unsafe,discard=unmap"]
    words += ["-serial", f"file:{paths.console}"]
    words += ["-chardev", f"socket,id=control,path={paths.control},server=on,wait=off", "-serial", "chardev:control"]
    words += ["-qmp", f"unix:{paths.monitor},server=on,wait=off"]
    if spec.secure_boot:
        words += ["-drive", f"file={paths.variables},if=pflash,unit=1,format=raw"]
    forward = f"hostfwd=tcp:{spec.address}:{spec.port}-:22"
    mirror = f"guestfwd=tcp:{MIRROR_ADDRESS}:80-cmd:{relay}"
    words += ["-netdev", f"user,id=management,restrict=on,{mirror},{forward}"]
    for index, nic in enumerate(spec.nics):
        machine, wire = paths.wire(nic)
        ends = f"local.type=unix,local.path={machine},remote.type=unix,remote.path={wire}"
        words += ["-netdev", f"dgram,id=cable{index},{ends}"]
    return words


def kernel_arguments(spec: MachineSpec) -> str:
    words = [KERNEL, IOMMU_ARGUMENTS[spec.iommu]]
    parameters = dict(spec.module)
    if not spec.acs:
        parameters["acs"] = 0
    for name, value in sorted(parameters.items()):
        rails = value if isinstance(value, list) else [value] * (1 if name in MODULE_WIDE else len(spec.nics))
        words.append(f"lab_nic.{name}={','.join(map(str, rails))}")
    return " ".join(word for word in words if word)


def pci_addresses(spec: MachineSpec) -> dict[str, tuple[str, str | None]]:
    """NIC and GPU of every rail, as the machine numbers its buses."""
    result = {}
    first = 1
    step = 4 if spec.gpus else 3
    for index, nic in enumerate(spec.nics):
        if spec.numa_nodes > 1:
            first = _pxb_bus(index) + 1
        nic_bus = first + 2
        result[nic] = (f"0000:{nic_bus:02x}:00.0", f"0000:{nic_bus + 1:02x}:00.0" if spec.gpus else None)
        first += step
    return result


def _direct(spec: MachineSpec, image: Image) -> list[str]:
    """QEMU starts the kernel."""
    return ["-kernel", str(image.kernel), "-initrd", str(image.initrd), "-append", kernel_arguments(spec)]


def _secure(spec: MachineSpec, image: Image) -> list[str]:
    """The firmware starts what is on the boot partition, if its signature is right."""
    return [
        # The running system cannot write the flash: that takes system management mode.
        "-machine", "smm=on", "-global", "driver=cfi.pflash01,property=secure,value=on",
        "-drive", f"file={image.secure / 'code.fd'},if=pflash,unit=0,format=raw,readonly=on",
        "-drive", f"driver=vvfat,dir={image.secure / 'esp'},if=none,id=boot,readonly=on",
        "-device", "virtio-blk-pci,drive=boot,addr=5,bootindex=0",
        "-smbios", f"type=11,value={_escaped(kernel_arguments(spec))}",
    ]  # fmt: skip


def _escaped(text: str) -> str:
    """A comma would end the value of an option."""
    return text.replace(",", ",,")


def _cpu(spec: MachineSpec, accelerator: str) -> str:
    bits = f",phys-bits={spec.address_bits}" if spec.address_bits else ""
    return f"{CPU[accelerator]},hypervisor=off{bits}"


def _numa(spec: MachineSpec) -> list[str]:
    if spec.numa_nodes == 1:
        return []
    words = []
    for node in range(spec.numa_nodes):
        words += ["-object", f"memory-backend-ram,id=node{node},size={spec.memory // spec.numa_nodes}M"]
        cpus = f",cpus={node}" if node < spec.cpus else ""
        words += ["-numa", f"node,nodeid={node},memdev=node{node}{cpus}"]
    return words


def _smbios(spec: MachineSpec) -> list[str]:
    system = {name: _escaped(value) for name, value in {**SYSTEM, **spec.system}.items()}
    return [
        "-smbios", f"type=0,vendor={system['vendor']},version={system['bios']},date=01/01/2026",
        "-smbios", f"type=1,manufacturer={system['vendor']},product={system['product']},serial={spec.name}",
        "-smbios", f"type=2,manufacturer={system['vendor']},product={system['board']}",
    ]  # fmt: skip


def _pxb_bus(index: int) -> int:
    return 0x20 + 0x10 * index


def _rail(spec: MachineSpec, index: int, nic: str) -> list[str]:
    words = []
    root = f"id=root{index},chassis={index + 1},slot={index + 1},x-speed=16,x-width=16"
    if not spec.acs:
        root += ",disable-acs=true"
    if spec.numa_nodes > 1:
        node = index * spec.numa_nodes // len(spec.nics)
        words += [
            "-device",
            f"pxb-pcie,id=bridge{index},bus=pcie.0,bus_nr={_pxb_bus(index)},numa_node={node},addr={index + 8:x}",
        ]
        root += f",bus=bridge{index}"
    else:
        root += f",addr={index + 8:x}"
    words += ["-device", f"pcie-root-port,{root}"]
    words += ["-device", f"x3130-upstream,id=switch{index},bus=root{index}"]
    for port in range(2 if spec.gpus else 1):
        slot = 100 + 2 * index + port
        words += ["-device", f"xio3130-downstream,id=port{index}.{port},bus=switch{index},chassis={slot},slot={slot}"]
    words += ["-device", f"e1000e,netdev=cable{index},mac={spec.mac(nic)},bus=port{index}.0,romfile="]
    if spec.gpus:
        # QEMU's test device: its window has no memory behind it, so its size costs nothing.
        words += ["-device", f"pci-testdev,membar={spec.gpu_bar},bus=port{index}.1"]
    return words
