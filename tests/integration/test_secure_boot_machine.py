# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine with Secure Boot starts nothing that was changed after it was signed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from lab.hosts import accelerator, image, options
from lab.hosts.image import Image
from lab.hosts.spec import spec_of

LIMIT = 300  # seconds, without KVM on a busy machine


def changed(base: Image, folder: Path, file: str) -> Image:
    """The image with one bit of a file of the boot partition turned round, in the middle of what is signed."""
    shutil.copytree(base.secure, folder / "secure")
    path = folder / "secure" / "esp" / file
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    return Image(folder)


@pytest.mark.machine
@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("EFI/BOOT/BOOTX64.EFI", b"Access Denied"),  # the firmware of shim
        ("vmlinuz", b"bad shim signature"),  # GRUB, after it has asked shim
    ],
)
def test_what_was_changed_is_not_started(file: str, said: bytes, tmp_path: Path):
    base = image.get()
    one = spec_of("gpu01", {"lab_machine": {"secure_boot": True}, "ansible_port": 1})
    words = options.hardware(one, changed(base, tmp_path, file), accelerator.choose(base))
    words += ["-drive", f"file={tmp_path}/secure/variables.fd,if=pflash,unit=1,format=raw", "-serial", "stdio"]
    words += ["-drive", "driver=null-co,if=none,id=disk", "-netdev", "user,id=management,restrict=on"]
    command = ["timeout", str(LIMIT), "qemu-system-x86_64", *words]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as qemu:
        console = b""
        while said not in console and (part := os.read(qemu.stdout.fileno(), 4096)):
            console += part
        qemu.terminate()
    assert said in console, console.decode(errors="replace")
    assert b"EFI stub" not in console, "the kernel was started"
