# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small initial RAM disk: busybox and the modules that a lab machine cannot start without.

Debian's own takes 10 s longer without KVM. Loading the NIC's driver and our module here, before udev runs, also means
that nobody sees the devices without their faces.
"""

from __future__ import annotations

import stat
from pathlib import Path

MODULES = ("virtio_pci", "virtio_blk", "virtio_net", "crc32c_generic", "ext4", "e1000e", "lab_nic")

INIT = """#!/bin/busybox sh
# lab_nic.NAME=VALUE on the kernel's command line is a parameter of lab_nic; lab.probe only shows that the machine runs.
busybox mkdir -p /proc /root
busybox mount -t devtmpfs dev /dev
busybox mount -t proc proc /proc
for word in $(busybox cat /proc/cmdline); do
  case $word in
    lab_nic.*) parameters="$parameters ${word#lab_nic.}" ;;
    lab.probe) echo lab-probe-ok >/dev/ttyS0; busybox poweroff -f ;;
  esac
done
while read -r module; do
  [ "$module" = lab_nic.ko ] && given=$parameters || given=
  busybox insmod /modules/$module $given || echo "lab: $module does not load" >/dev/ttyS0
done </modules/order
while [ ! -b /dev/vda ]; do busybox usleep 20000; done
busybox mount -t ext4 -o noatime /dev/vda /root
busybox mount -o move /dev /root/dev
busybox umount /proc
exec busybox switch_root /root /sbin/init
"""


def build(root: Path, kernel: str, to: Path) -> None:
    """Write the RAM disk for the system below ``root``."""
    folder = root / "lib" / "modules" / kernel
    order = load_order((folder / "modules.dep").read_text(), MODULES)
    archive = _Archive()
    for name in ("bin", "dev", "modules"):
        archive.add(name, stat.S_IFDIR | 0o755)
    archive.add("dev/console", stat.S_IFCHR | 0o600, device=(5, 1))
    archive.add("bin/busybox", stat.S_IFREG | 0o755, (root / "bin" / "busybox").read_bytes())
    archive.add("init", stat.S_IFREG | 0o755, INIT.encode())
    for path in order:
        archive.add(f"modules/{Path(path).name}", stat.S_IFREG | 0o644, (folder / path).read_bytes())
    archive.add("modules/order", stat.S_IFREG | 0o644, "".join(f"{Path(p).name}\n" for p in order).encode())
    archive.write(to)


def load_order(modules_dep: str, wanted: tuple[str, ...]) -> list[str]:
    """Files of modules.dep in the order in which they can be loaded."""
    needs = {}
    for line in modules_dep.splitlines():
        path, _, others = line.partition(":")
        needs[path] = others.split()
    by_name = {Path(path).name.split(".")[0].replace("-", "_"): path for path in needs}
    order: dict[str, None] = {}

    def add(path: str) -> None:
        for other in needs[path]:
            if other not in order:
                add(other)
        order[path] = None

    for name in wanted:
        add(by_name[name])
    return list(order)


class _Archive:
    """A cpio archive in the "newc" format, which the kernel unpacks."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._inode = 0

    def add(self, name: str, mode: int, data: bytes = b"", device: tuple[int, int] = (0, 0)) -> None:
        self._inode += 1
        path = name.encode() + b"\0"
        numbers = (self._inode, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(path), 0)
        head = b"070701" + "".join(f"{n:08x}" for n in numbers).encode() + path
        self._parts += [head, b"\0" * (-len(head) % 4), data, b"\0" * (-len(data) % 4)]

    def write(self, to: Path) -> None:
        self.add("TRAILER!!!", 0)
        to.write_bytes(b"".join(self._parts))
