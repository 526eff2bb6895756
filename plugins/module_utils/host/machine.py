# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access to one machine: files below a root folder, and commands.

Everything that reads a host goes through :class:`Machine`, so that the same code reads the live machine and a recorded
tree. A recorded tree is a folder with ``sys``, ``proc``, ``etc`` ... as they were, and ``commands.json``, a mapping
from command line to ``{"rc": 0, "stdout": "..."}``; a command that is not in it is a missing tool.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess

# A tool that hangs (a GPU that fell off the bus, a firmware that does not answer) must not hang the run.
TIMEOUT = 60
# Not every login has the folders of root's tools, and some clouds bring the GPU's in a folder of their own.
FOLDERS = (
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/nvidia/bin:/opt/mellanox/iproute2/sbin"
)


class Machine:
    """The live machine (``root="/"``) or a recorded tree."""

    def __init__(self, root="/"):
        self.root = os.path.realpath(root)
        self.live = self.root == "/"
        self.missing_tools = set()  # commands that are not installed
        self.failed_tools = {}  # command line -> why there is no output
        self.denied = set()  # files that exist and may not be read
        self._recorded = None

    # -- files ------------------------------------------------------------------------------------------------------
    def at(self, path):
        """Where ``path`` (absolute, on the machine) is here."""
        return path if self.live else os.path.join(self.root, path.lstrip("/"))

    def read_bytes(self, path):
        """Content, or None where there is none: sysfs answers EINVAL for what does not apply."""
        try:
            with open(self.at(path), "rb") as file:
                return file.read()
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EPERM):
                self.denied.add(path)
            return None

    def read(self, path):
        """Content as text without white space at the ends, or None."""
        data = self.read_bytes(path)
        return None if data is None else data.decode("utf-8", "replace").strip()

    def lines(self, path):
        """Lines that are not empty; none where there is no file."""
        return [line for line in (self.read(path) or "").splitlines() if line.strip()]

    def number(self, path):
        """An integer (decimal or 0x...), or None."""
        text = self.read(path)
        try:
            return int(text, 0) if text is not None else None
        except ValueError:
            return None

    def listdir(self, path):
        """Sorted names; none where there is no folder."""
        try:
            return sorted(os.listdir(self.at(path)))
        except OSError:
            return []

    def exists(self, path):
        """Whether the file, folder or link target exists."""
        return os.path.exists(self.at(path))

    def real(self, path):
        """The path with links resolved, as the machine sees it; None where there is nothing."""
        here = os.path.realpath(self.at(path))
        if not os.path.exists(here):
            return None
        if self.live:
            return here
        return "/" + os.path.relpath(here, self.root)

    def target(self, path):
        """Last part of what a link points to (``driver -> .../mlx5_core``), or None."""
        if not os.path.islink(self.at(path)):
            return None
        return os.path.basename(os.readlink(self.at(path)).rstrip("/")) or None

    # -- commands ---------------------------------------------------------------------------------------------------
    def run(self, *command):
        """Standard output of a command that only reads; None if it is missing or fails (both are noted)."""
        line = " ".join(command)
        if not self.live:
            return self._replay(command[0], line)
        path = os.pathsep.join(part for part in (FOLDERS, os.environ.get("PATH")) if part)
        program = shutil.which(command[0], path=path)
        if program is None:
            self.missing_tools.add(command[0])
            return None
        environment = {"PATH": path, "LC_ALL": "C", "HOME": "/nonexistent"}
        if "LD_LIBRARY_PATH" in os.environ:
            environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        try:
            done = subprocess.run(
                [program, *command[1:]],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TIMEOUT,
                env=environment,
                check=False,
            )
        except subprocess.TimeoutExpired:
            self.failed_tools[line] = f"no answer within {TIMEOUT} s"
            return None
        except OSError as error:
            self.failed_tools[line] = error.strerror or str(error)
            return None
        output = done.stdout.decode("utf-8", "replace")
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip() or output.strip()
            first = said.splitlines()[0][:200] if said else ""
            self.failed_tools[line] = f"rc {done.returncode}: {first}"
        # modinfo prints what it found and fails for the rest; the caller gets what there is.
        return output if output.strip() else None

    def _replay(self, tool, line):
        if self._recorded is None:
            self._recorded = json.loads(self.read("/commands.json") or "{}")
        entry = self._recorded.get(line)
        if entry is None:
            self.missing_tools.add(tool)
            return None
        if entry.get("rc"):
            self.failed_tools[line] = f"rc {entry['rc']}"
        return entry.get("stdout") or None

    def run_json(self, *command):
        """Parsed JSON output, or None."""
        output = self.run(*command)
        if output is None:
            return None
        try:
            return json.loads(output)
        except ValueError:
            self.failed_tools[" ".join(command)] = "output is not JSON"
            return None
