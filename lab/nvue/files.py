# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The little of a file system that a configuration tool touches. Nothing here reaches the real disk."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.nvue.device import NvueDevice

HOME = "/home/cumulus"
STARTUP = "/etc/nvue.d/startup.yaml"
BONDING = "/proc/net/bonding"
_FOLDERS = ("/", "/tmp", "/etc", "/etc/nvue.d", "/home", HOME, "/var", "/var/tmp", "/var/log", "/root")
_WRITABLE = ("/tmp", "/var/tmp", HOME)


class FileError(Exception):
    """What the system call says, e.g. 'No such file or directory'."""


@dataclass
class File:
    """One file."""

    text: str
    mode: int


class Files:
    """Files of one switch; they outlive logins."""

    def __init__(self, device: NvueDevice) -> None:
        self._device = device
        self._files: dict[str, File] = {}

    @staticmethod
    def path(name: str, folder: str = HOME) -> str:
        if name == "~" or name.startswith("~/"):
            name = HOME + name[1:]
        return posixpath.normpath(posixpath.join(folder, name))

    def _generated(self, path: str, *, root: bool) -> str | None:
        release = self._device.release or ""
        if path == "/etc/lsb-release":
            return (
                f'DISTRIB_ID="Cumulus Linux"\nDISTRIB_RELEASE={release}\n'
                f'DISTRIB_DESCRIPTION="Cumulus Linux {release}"\n'
            )
        if path == "/etc/image-release":
            return f"IMAGE_RELEASE={release}\nIMAGE_DESCRIPTION=Cumulus Linux {release}\n"
        if path == "/etc/os-release":
            return f'NAME="Cumulus Linux"\nVERSION_ID={release}\nVERSION="Cumulus Linux {release}"\nID=cumulus-linux\n'
        if posixpath.dirname(path) == BONDING:
            from lab.nvue.routing import Routing  # which reads the configuration of the device that owns these files

            return Routing(self._device).proc_bonding(posixpath.basename(path))
        if path == "/etc/hostname":
            return self._device.hostname + "\n"
        if path == STARTUP:
            if not root:  # it holds password hashes
                raise FileError("Permission denied")
            return self._device.yaml(self._device.saved, secrets=True) + "\n"
        return None

    def read(self, path: str, *, root: bool = False) -> str:
        if path in _FOLDERS:
            raise FileError("Is a directory")
        text = self._generated(path, root=root)
        if text is not None:
            return text
        if path == "/dev/null":
            return ""
        if path not in self._files:
            raise FileError("No such file or directory")
        return self._files[path].text

    def write(self, path: str, text: str, *, append: bool = False, mode: int = 0o644, root: bool = False) -> None:
        if path == "/dev/null":
            return
        folder = posixpath.dirname(path)
        if path in _FOLDERS:
            raise FileError("Is a directory")
        if folder not in _FOLDERS:
            raise FileError("No such file or directory")
        if path == STARTUP or (folder not in _WRITABLE and not root):
            raise FileError("Permission denied")
        old = self._files.get(path)
        self._files[path] = File((old.text if old and append else "") + text, old.mode if old else mode)

    def remove(self, path: str) -> None:
        if path in _FOLDERS:
            raise FileError("Is a directory")
        if path not in self._files:
            raise FileError("No such file or directory" if not self.exists(path) else "Permission denied")
        del self._files[path]

    def exists(self, path: str) -> bool:
        if path in _FOLDERS or path in self._files or path in ("/dev/null", STARTUP):
            return True
        return self._generated(path, root=True) is not None

    def folder(self, path: str) -> bool:
        return path in _FOLDERS

    def mode(self, path: str) -> int:
        if path in self._files:
            return self._files[path].mode
        return 0o600 if path == STARTUP else 0o755 if path in _FOLDERS else 0o644

    def chmod(self, path: str, mode: int) -> None:
        if path not in self._files:
            raise FileError("No such file or directory")
        self._files[path].mode = mode

    def names(self, folder: str) -> list[str]:
        known = [*self._files, *_FOLDERS[1:]]
        inside = {posixpath.basename(path) for path in known if posixpath.dirname(path) == folder}
        if folder == "/etc":
            inside |= {"hostname", "image-release", "lsb-release", "os-release"}
        if folder == posixpath.dirname(STARTUP):
            inside.add(posixpath.basename(STARTUP))
        return sorted(inside)

    def temporary(self) -> list[str]:
        """Files that somebody left behind."""
        return sorted(self._files)
