# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that have to succeed."""

from __future__ import annotations

import os
import subprocess

from lab.hosts.needs import HostsError


def run(*command: str, env: dict[str, str] | None = None) -> str:
    """What a program wrote to standard output."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **(env or {})},
        )
    except FileNotFoundError as exc:
        raise HostsError(f"{command[0]} is not installed: run tests/setup/machine.sh as root") from exc
    if done.returncode:
        last = "\n".join((done.stderr.strip() or done.stdout.strip()).splitlines()[-5:])
        raise HostsError(f"{command[0]} failed with {done.returncode}:\n{last}")
    return done.stdout
