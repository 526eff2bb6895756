# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and commands of the host below one root folder, so that the same code runs on a tree of files in a test.

Everything in this folder runs on the host itself, from Ansible and at boot: standard library only, Python 3.8.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

TOOLS = ("/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/sbin", "/usr/local/bin", "/opt/mellanox/iproute2/sbin")


class Problem(Exception):
    """Something that has to be told: expected, actual, where, remedy."""

    def __init__(self, expected, actual, where, remedy):
        super().__init__(f"expected {expected}, found {actual} ({where}; {remedy})")
        self.expected, self.actual, self.where, self.remedy = expected, actual, where, remedy


class Unsupported(Exception):
    """A value that this NIC, driver or tool cannot tell or set."""

    def __init__(self, reason, remedy):
        super().__init__(f"{reason} ({remedy})")
        self.reason, self.remedy = reason, remedy


class Result:
    """What a command said."""

    def __init__(self, argv, rc, out, err):
        self.argv, self.rc, self.out, self.err = argv, rc, out, err

    @property
    def command(self):
        return " ".join(self.argv)

    def said(self):
        """The last words of the command, one line."""
        lines = [line.strip() for line in (self.err or self.out).splitlines() if line.strip()]
        return lines[-1] if lines else f"exit status {self.rc}, no message"


class System:
    """Files below root, commands found in path."""

    def __init__(self, root="/", path=(), timeout=60):
        self.root, self.timeout = Path(root), timeout
        self.search = os.pathsep.join(path or TOOLS)
        self.log = []  # every command that was run

    def at(self, path):
        """The file that an absolute path means below the root."""
        return self.root / str(path).lstrip("/")

    def exists(self, path):
        return self.at(path).exists()

    def read(self, path):
        """Text of a file without the last line break; None where there is none or the kernel has no answer."""
        try:
            return self.at(path).read_text(encoding="utf-8", errors="replace").rstrip("\n")
        except OSError as error:
            # An attribute may exist and still have nothing to say: EINVAL of an empty GID, EOPNOTSUPP, EIO.
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EINVAL, errno.EOPNOTSUPP, errno.EIO, errno.ENODEV):
                return None
            raise Problem("to read it", error.strerror, str(path), "run as root") from error

    def names(self, path):
        """Names in a folder; none where there is no folder."""
        try:
            return sorted(entry.name for entry in self.at(path).iterdir())
        except OSError:
            return []

    def target(self, path):
        """Last name of what a link leads to; None where there is no link."""
        place = self.at(path)
        return place.resolve().name if place.exists() else None

    def write(self, path, text):
        """Write an attribute that exists; a missing one is never created."""
        try:
            handle = os.open(str(self.at(path)), os.O_WRONLY | os.O_TRUNC)
            try:
                os.write(handle, text.encode())
            finally:
                os.close(handle)
        except OSError as error:
            raise Problem(
                f"to write {text.strip()!r}", error.strerror, str(path), "see the kernel log for the driver's reason"
            ) from error

    def replace(self, path, text, mode):
        """Write a file in one step: who reads it meanwhile sees the old one or the new one, also after a crash."""
        place = self.at(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=str(place.parent), prefix=f".{place.name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            os.fchmod(file.fileno(), mode)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, str(place))

    def tool(self, name):
        """Full path of a command; None where it is not installed."""
        return shutil.which(name, path=self.search)

    def run(self, *argv):
        """Run a command; its name is looked up in the path of this system only."""
        program = self.tool(argv[0])
        if program is None:
            raise Unsupported(f"{argv[0]} is not installed", f"install the package that brings {argv[0]}")
        environment = {"PATH": self.search, "LC_ALL": "C"}
        try:
            done = subprocess.run(
                [program, *argv[1:]],
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self.timeout,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise Problem(
                f"an answer within {self.timeout} seconds", "none", " ".join(argv), "look at the kernel log"
            ) from error
        result = Result(
            argv, done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        )
        self.log.append(result.command)
        return result
