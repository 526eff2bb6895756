# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How one command of a configuration mode of EOS is described, and what a mode is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """One command.

    ``key`` is what identifies the setting, with {0} for the first argument; default: the words up to the bar. ``hide``
    are the forms that EOS does not print because they say what holds anyway. ``no`` is what EOS prints after
    ``no COMMAND``; empty: nothing.
    """

    pattern: str
    hide: tuple[str, ...] = ()
    no: str = ""
    key: str = ""
    mode: str | None = None
    handler: str = ""
    family: str = ""
    since: tuple[int, int] = (0, 0)
    queues: str = ""  # "uc": only on ASICs with unicast and multicast queues
    on: str = ""  # kind of interface that has this line; empty: all
    typed: bool = True  # False: exists behind "no" alone


def head(pattern: str, family: str = "", mode: str | None = None) -> Line:
    """A command that is kept as typed: every different text is a line of its own."""
    return Line(f"{pattern} <LINE>", family=family or pattern, mode=mode, handler="verbatim")


def block(pattern: str) -> Line:
    """A command with lines below it that are kept as typed."""
    return Line(pattern, mode="verbatim", handler="enter")


@dataclass(frozen=True)
class Mode:
    """A configuration mode: its lines and what stands in the prompt."""

    prompt: str  # "{name}" is the object
    lines: tuple[Line, ...] = ()
    verbatim: bool = False  # every line is taken as it is
