# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Indented text -> tree of lines. Knows nothing of any platform but what its :class:`Syntax` says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass
class Line:
    """One command and the commands of its sub-mode."""

    text: str
    children: list[Line] = field(default_factory=list)


# A free-text block: given its first line, a predicate that recognises the last line; None when it starts no block.
BlockEnd = Callable[[str], bool]
BlockStart = Callable[[str], "BlockEnd | None"]


@dataclass(frozen=True)
class Syntax:
    """How a platform writes configuration text."""

    comment: str = "!"  # a line that starts with it is no command
    # Banners and scripts hold any text, even text that looks like a command.
    blocks: tuple[BlockStart, ...] = ()
    block_words: tuple[str, ...] = ("",)  # how their first lines begin; saves asking for every line


def until(pattern: str, end: str) -> BlockStart:
    """A block from a line that matches ``pattern`` to a line that equals ``end``; ``\\1`` in end takes a group."""
    start = re.compile(pattern)

    def match(line: str) -> BlockEnd | None:
        found = start.match(line)
        if not found:
            return None
        last = found.expand(end)
        return lambda text: text.strip() == last

    return match


def parse(text: str, syntax: Syntax) -> list[Line]:
    """Tree of a configuration. A section that appears twice is one; a free-text block keeps its first line only."""
    root: list[Line] = []
    stack: list[tuple[int, list[Line]]] = [(-1, root)]
    known: dict[tuple[int, str], Line] = {}  # (identity of the parent's list, text) -> line
    lines = iter(text.splitlines())
    for raw in lines:
        stripped = raw.strip()
        if not stripped or stripped.startswith(syntax.comment):
            continue
        indent = len(raw) - len(raw.lstrip())
        while indent <= stack[-1][0]:
            stack.pop()
        siblings = stack[-1][1]
        line = known.get((id(siblings), stripped))
        if line is None:
            line = Line(stripped)
            known[id(siblings), stripped] = line
            siblings.append(line)
        stack.append((indent, line.children))
        if stripped.startswith(syntax.block_words):
            _skip_block(stripped, lines, syntax)
    return root


def _skip_block(first: str, lines: Iterator[str], syntax: Syntax) -> None:
    for start in syntax.blocks:
        is_end = start(first)
        if is_end is not None:
            for raw in lines:
                if is_end(raw):
                    return
            return


def format_lines(lines: list[Line], indent: str, depth: int = 0) -> Iterator[str]:
    """The text of a tree, one string per line."""
    for line in lines:
        yield f"{indent * depth}{line.text}"
        yield from format_lines(line.children, indent, depth + 1)
