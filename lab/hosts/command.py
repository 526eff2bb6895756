# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m lab ssh`` and ``console``: for people who want to see a machine from inside."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from lab.hosts import fleet


def add(action: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the actions to the command line; ``action(name, function, text)`` makes one."""
    ssh_ = action("ssh", ssh, "log in to a machine, or run a command there")
    ssh_.add_argument("name")
    ssh_.add_argument("command", nargs=argparse.REMAINDER)
    console_ = action("console", console, "what a machine wrote on its serial console")
    console_.add_argument("name")


def ssh(arguments: argparse.Namespace) -> int:
    fleet.ssh(arguments.run_dir, arguments.name, arguments.command)


def console(arguments: argparse.Namespace) -> int:
    print(fleet.console(arguments.run_dir, arguments.name).rstrip("\n"))
    return 0
