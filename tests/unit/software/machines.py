# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded-style trees of hosts, one per distribution: what a GPU server with the whole stack looks like."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DRIVER = "580.126.20"
OS = {
    "ubuntu22.04": ("ubuntu", "22.04", "5.15.0-130-generic"),
    "ubuntu24.04": ("ubuntu", "24.04", "6.8.0-48-generic"),
    "debian12": ("debian", "12", "6.1.0-57-amd64"),
    "rhel8": ("rhel", "8.10", "4.18.0-553.el8_10.x86_64"),
    "rhel9": ("rocky", "9.5", "5.14.0-503.el9_5.x86_64"),
}


@dataclass
class Host:
    """A host as its package manager, kernel and PCI bus show it."""

    key: str = "ubuntu24.04"
    packages: dict[str, str] = field(default_factory=dict)
    held: set[str] = field(default_factory=set)
    files: dict[str, str] = field(default_factory=dict)
    keys: dict[str, bytes] = field(default_factory=dict)
    modules: dict[str, tuple[str, str]] = field(default_factory=dict)  # name -> version loaded (or ""), installed
    dkms: dict[str, str] = field(default_factory=dict)
    services: dict[str, str] = field(default_factory=dict)  # name -> active, failed, absent
    pci: list[tuple[str, str, str]] = field(default_factory=list)  # vendor, device, class
    kernels: list[str] = field(default_factory=list)
    kernel: str = ""
    headers: bool = True
    secure_boot: bool = False
    enrolled: bool | None = None
    symbols: str = ""
    nouveau: bool = False

    def __post_init__(self) -> None:
        self.kernel = self.kernel or OS[self.key][2]
        self.kernels = self.kernels or [self.kernel]

    @property
    def apt(self) -> bool:
        return not self.key.startswith("rhel")

    def build(self, root: Path) -> Path:
        """Write the tree."""
        name, version, _ = OS[self.key]
        self._commands: dict[str, dict[str, Any]] = {}
        files = {
            "etc/os-release": f'ID={name}\nVERSION_ID="{version}"\nPRETTY_NAME="{name} {version}"\n',
            "proc/sys/kernel/osrelease": self.kernel + "\n",
            "proc/sys/kernel/arch": "x86_64\n",
            f"lib/modules/{self.kernel}/modules.symbols": self.symbols,
            **{path.lstrip("/"): text for path, text in self.files.items()},
        }
        files[f"boot/initrd.img-{self.kernel}" if self.apt else f"boot/initramfs-{self.kernel}.img"] = ""
        for kernel in self.kernels:
            files[f"lib/modules/{kernel}/kernel/fs.ko"] = ""
        if self.headers:
            files[f"lib/modules/{self.kernel}/build/Makefile"] = ""
        for number, (vendor, device, code) in enumerate(self.pci):
            base = f"sys/bus/pci/devices/0000:{number:02x}:00.0"
            files |= {f"{base}/vendor": f"0x{vendor}", f"{base}/device": f"0x{device}", f"{base}/class": f"0x{code}"}
        if self.nouveau:
            files["sys/module/nouveau/initstate"] = "live"
        self._packages(files)
        self._modules(files)
        self._answers()
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        for path, data in self.keys.items():
            (root / path.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
            (root / path.lstrip("/")).write_bytes(data)
        self._firmware(root)
        (root / "commands.json").write_text(json.dumps(self._commands))
        return root

    def _packages(self, files: dict[str, str]) -> None:
        if self.apt:
            blocks = []
            for name, version in {**self.packages, "bash": "5.2"}.items():
                want = "hold" if name in self.held else "install"
                blocks.append(f"Package: {name}\nStatus: {want} ok installed\nVersion: {version}\n")
            blocks.append("Package: nvidia-old\nStatus: deinstall ok config-files\nVersion: 1\n")
            files["var/lib/dpkg/status"] = "\n".join(blocks)
        else:
            lines = [f"{name} {version}" for name, version in {**self.packages, "bash": "0:5.1-1"}.items()]
            query = "rpm -qa --qf %{NAME} %{EPOCHNUM}:%{VERSION}-%{RELEASE}\\n"
            self._commands[query] = {"rc": 0, "stdout": "\n".join(lines) + "\n"}

    def _modules(self, files: dict[str, str]) -> None:
        from ansible_collections.lossless.fabric.plugins.module_utils.host.modules import STACK

        text = ""
        for name, (loaded, there) in self.modules.items():
            if loaded:
                files[f"sys/module/{name}/initstate"] = "live"
                files[f"sys/module/{name}/version"] = loaded
            text += f"filename: /lib/modules/x/{name}.ko\nname: {name}\n" + (f"version: {there}\n" if there else "")
        self._commands["modinfo " + " ".join(STACK)] = {"rc": 1, "stdout": text}

    def _answers(self) -> None:
        lines = [f"{entry}, {self.kernel}, x86_64: {state}" for entry, state in self.dkms.items()]
        self._commands["dkms status"] = {"rc": 0, "stdout": "\n".join(lines)}
        names = ("nvidia-persistenced", "nvidia-fabricmanager", "openibd")
        blocks = []
        for name in names:
            state = self.services.get(name, "absent")
            load, start = ("not-found", "") if state == "absent" else ("loaded", "enabled")
            active = "inactive" if state == "absent" else state
            blocks.append(f"Id={name}.service\nLoadState={load}\nActiveState={active}\nUnitFileState={start}\n")
        units = " ".join(f"{name}.service" for name in names)
        question = f"systemctl show --property=Id,LoadState,ActiveState,UnitFileState {units}"
        self._commands[question] = {"rc": 0, "stdout": "\n".join(blocks)}

    def _firmware(self, root: Path) -> None:
        if not self.secure_boot:
            return
        variables = root / "sys/firmware/efi/efivars"
        variables.mkdir(parents=True)
        (variables / "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c").write_bytes(b"\x06\0\0\0\x01")
        if self.enrolled is None:
            return
        path = "/var/lib/shim-signed/mok/MOK.der"
        (root / path.lstrip("/")).parent.mkdir(parents=True)
        (root / path.lstrip("/")).write_bytes(b"")
        said = f"{path} is {'already' if self.enrolled else 'not'} enrolled\n"
        self._commands[f"mokutil --test-key {path}"] = {"rc": int(self.enrolled), "stdout": said}


GPU = ("10de", "2335", "030200")
BLACKWELL = ("10de", "2901", "030200")
NVSWITCH = ("10de", "22a3", "068000")
CONNECTX_7 = ("15b3", "1021", "020000")
CONNECTX_8 = ("15b3", "1023", "020000")
