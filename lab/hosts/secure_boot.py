# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a machine with UEFI Secure Boot starts from, and the key that signs the lab's module.

The chain is that of a server with Debian: the firmware (OVMF with Microsoft's keys) takes only shim, which Microsoft
signed; shim takes GRUB and the kernel, which Debian signed; the kernel takes modules of Debian, and those signed with
the machine owner key, which is enrolled here as ``mokutil --import`` does it.
"""

from __future__ import annotations

import shutil
import ssl
import struct
import uuid
from pathlib import Path

from lab.hosts.needs import HostsError
from lab.hosts.program import run

PACKAGES = ("grub-efi-amd64-signed", "ovmf", "shim-signed")
OWNER = "Lab machine owner key"
# QEMU hands the kernel's arguments over as the one OEM string of SMBIOS. Byte 4 of that table is the number of strings,
# so that read as the number of a string it is the last one.
GRUB = """smbios --type 11 --get-string 4 --set arguments
linux /vmlinuz $arguments
initrd /initrd
boot
"""

# UEFI specification 32.4 (signature lists), 8.2 (variables); EDK II AuthenticatedVariableFormat.h; shim's mok.c.
X509 = uuid.UUID("a5c059a1-94e4-4aa7-87b5-ab155c2bf072")
SHIM = uuid.UUID("605dab50-e046-4300-abb6-3dd810dd8b23")
STORE = struct.Struct("<16sIBBHI")  # head of a store: format, size, form, state, two reserved
VARIABLE = struct.Struct("<HBBIQ16sIII16s")  # head of a variable, before name and content
STARTS, ADDED, BOOT_ONLY = 0x55AA, 0x3F, 3  # kept without power, not seen by the running system


class Key:
    """A key that signs modules, in a folder of its own, with the kernel's program that does it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.private, self.certificate = folder / "key.pem", folder / "certificate.pem"
        self.program = folder / "sign-file"

    def make(self, name: str, sign_file: Path) -> None:
        """A new key with this common name."""
        self.folder.mkdir()
        shutil.copy(sign_file, self.program)
        wanted = ["-subj", f"/CN={name}", "-addext", "basicConstraints=critical,CA:FALSE"]
        wanted += ["-addext", "keyUsage=digitalSignature", "-days", "3650"]
        new = ["-newkey", "rsa:2048", "-nodes", "-keyout", str(self.private), "-out", str(self.certificate)]
        run("openssl", "req", "-x509", *wanted, *new)

    def sign(self, module: Path) -> None:
        run(str(self.program), "sha256", str(self.private), str(self.certificate), str(module))


def build(packages: Path, kernel: Path, initrd: Path, owner: Key, to: Path) -> None:
    """Firmware (``code.fd``), its variables (``variables.fd``) and the files of the boot partition (``esp/``)."""
    unpacked = to / "unpacked"
    unpacked.mkdir(parents=True)
    for package in sorted(packages.glob("*.deb")):
        run("dpkg-deb", "-x", str(package), str(unpacked))
    files = unpacked / "usr"
    firmware = files / "share" / "OVMF"
    boot, debian = to / "esp" / "EFI" / "BOOT", to / "esp" / "EFI" / "debian"
    for folder in (boot, debian):
        folder.mkdir(parents=True)
    shutil.copy(files / "lib" / "shim" / "shimx64.efi.signed", boot / "BOOTX64.EFI")
    shutil.copy(files / "lib" / "grub" / "x86_64-efi-signed" / "grubx64.efi.signed", boot / "grubx64.efi")
    (debian / "grub.cfg").write_text(GRUB)
    shutil.copy(kernel, to / "esp" / "vmlinuz")
    shutil.copy(initrd, to / "esp" / "initrd")
    shutil.copy(firmware / "OVMF_CODE_4M.secboot.fd", to / "code.fd")
    certificate = ssl.PEM_cert_to_DER_cert(owner.certificate.read_text())
    variables = (firmware / "OVMF_VARS_4M.ms.fd").read_bytes()
    (to / "variables.fd").write_bytes(with_owner_key(variables, certificate))
    shutil.rmtree(unpacked)


def with_owner_key(firmware: bytes, certificate: bytes) -> bytes:
    """Variables of the firmware, and one more: shim's list of machine owner keys."""
    listed = X509.bytes_le + struct.pack("<III", 28 + 16 + len(certificate), 0, 16 + len(certificate))
    content = listed + SHIM.bytes_le + certificate  # the owner of an entry can be anybody
    name = "MokList\0".encode("utf-16-le")
    head = (STARTS, ADDED, 0, BOOT_ONLY, 0, bytes(16), 0, len(name), len(content), SHIM.bytes_le)
    variable = VARIABLE.pack(*head) + name + content
    at, end = _free(firmware)
    if at + len(variable) > end:
        raise HostsError(f"the firmware's variables have no room for a certificate of {len(certificate)} bytes")
    return firmware[:at] + variable + firmware[at + len(variable) :]


def _free(firmware: bytes) -> tuple[int, int]:
    """Where the store of variables has room, and where it ends."""
    start = struct.unpack_from("<H", firmware, 48)[0]  # length of the volume's head
    end = start + STORE.unpack_from(firmware, start)[1]
    at = start + STORE.size
    while VARIABLE.unpack_from(firmware, at)[0] == STARTS:
        name, content = VARIABLE.unpack_from(firmware, at)[7:9]
        at = (at + VARIABLE.size + name + content + 3) & ~3
    return at, end
