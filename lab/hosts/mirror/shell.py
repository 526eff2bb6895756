# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of the build, with their words when they fail."""

from __future__ import annotations

import subprocess
from pathlib import Path

from lab.hosts.needs import HostsError

# program: Debian package.
PROGRAMS = {
    "apt-ftparchive": "apt-utils",
    "createrepo_c": "createrepo-c",
    "dpkg-deb": "dpkg",
    "gpg": "gnupg",
    "modifyrepo_c": "createrepo-c",
    "rpmbuild": "rpm",
    "rpmsign": "rpm",
    "gcc": "gcc",
    "make": "make",
    "strip": "binutils",
}


def run(*command: str, folder: Path | None = None) -> str:
    """Standard output of a command that has to succeed."""
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
    except FileNotFoundError:
        name = PROGRAMS.get(command[0], command[0])
        raise HostsError(f"{command[0]} is not installed: apt-get install {name}") from None
    if done.returncode:
        raise HostsError(f"{command[0]} failed with {done.returncode}:\n{(done.stderr or done.stdout).strip()[-800:]}")
    return done.stdout
