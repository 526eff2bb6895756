# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the machine must have so that lab hosts can run on it, said in one line if it does not."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

# program: Debian package. tests/setup/machine.sh installs these.
PROGRAMS = {
    "apt-ftparchive": "apt-utils",
    "gpg": "gnupg",
    "qemu-system-x86_64": "qemu-system-x86",
    "qemu-img": "qemu-utils",
    "mmdebstrap": "mmdebstrap",
    "mkfs.ext4": "e2fsprogs",
    "depmod": "kmod",
    "dpkg-deb": "dpkg",
    "gcc": "gcc",
    "make": "make",
    "strip": "binutils",
    "openssl": "openssl",
    "ssh-keygen": "openssh-client",
}


class HostsError(Exception):
    """Lab hosts cannot be built, started or reached."""


def check(which: Callable[[str, str], str | None] | None = None, root: bool | None = None) -> None:
    """Say everything that is missing at once."""
    found = which or (lambda program, path: shutil.which(program, path=path))
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    packages = sorted({package for program, package in PROGRAMS.items() if not found(program, path)})
    lacks = []
    if packages:
        lacks.append(f"apt-get install {' '.join(packages)}")
    if not (os.geteuid() == 0 if root is None else root):
        lacks.append("root, who alone can unpack a system")
    if lacks:
        raise HostsError(f"hosts need {'; and '.join(lacks)} (python -m lab up --no-hosts starts the switches alone)")
