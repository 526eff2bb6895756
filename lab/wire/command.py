# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m lab pause`` and ``mark``: congestion on request, which no traffic in a lab would cause by itself."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from lab.client import Lab


def add(action: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the actions to the command line; ``action(name, function, text)`` makes one."""
    pause_ = action("pause", pause, "send PFC pause frames out of a port towards a machine")
    mark_ = action("mark", mark, "mark packets of a class on a port with congestion experienced")
    for sub in (pause_, mark_):
        sub.add_argument("name")
        sub.add_argument("port")
        sub.add_argument("number", type=int, help="priority or traffic class, 0-7")
    pause_.add_argument("--count", type=int, default=1, help="frames (default: 1)")
    mark_.add_argument("share", type=float, help="of ECN-capable packets, 0 to 1")


def pause(arguments: argparse.Namespace) -> int:
    return _ask(arguments, "pause", priority=arguments.number, count=arguments.count)


def mark(arguments: argparse.Namespace) -> int:
    return _ask(arguments, "mark", queue=arguments.number, share=arguments.share)


def _ask(arguments: argparse.Namespace, request: str, **values: float) -> int:
    Lab(arguments.run_dir).call("wire", action=request, switch=arguments.name, port=arguments.port, **values)
    return 0
