# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration as a tree of the lines that the switch prints.

A tree that was not changed prints exactly the text it was read from: blank lines, comments and lines that the emulator
does not know are kept where they stood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

Rank = Callable[[str], tuple | None]


class Node:
    """One printed line and what stands below it."""

    __slots__ = ("children", "raw")

    def __init__(self, raw: str = "") -> None:
        self.raw = raw
        self.children: list[Node] = []

    @property
    def text(self) -> str:
        return self.raw.strip()

    @property
    def filler(self) -> bool:
        """A blank line or a comment."""
        text = self.text
        return not text or text.startswith("!")

    def lines(self) -> list[str]:
        """The lines directly below, without fillers."""
        return [child.text for child in self.children if not child.filler]

    def sections(self, header: str) -> list[Node]:
        """Children whose header means the same as this one."""
        wanted = canonical(header)
        return [child for child in self.children if not child.filler and canonical(child.text) == wanted]

    def walk(self) -> Iterator[Node]:
        for child in self.children:
            yield child
            yield from child.walk()

    def render(self) -> str:
        return "\n".join(node.raw for node in self.walk())


@lru_cache(maxsize=4096)
def canonical(header: str) -> str:
    """The same text for every way to write the header of one section."""
    found = re.fullmatch(r"class-map(?: type (\S+))?(?: match-(?:any|all))? (\S+)", header)
    if found:
        return f"class-map {found[1] or 'qos'} {found[2]}"
    found = re.fullmatch(r"policy-map(?: type (\S+))? (\S+)", header)
    if found:
        return f"policy-map {found[1] or 'qos'} {found[2]}"
    found = re.fullmatch(r"class(?: type \S+)? (\S+)", header)
    if found:
        return f"class {found[1]}"
    return header


def parse(text: str) -> Node:
    """Read printed configuration."""
    root = Node()
    stack: list[tuple[int, Node]] = [(-1, root)]
    waiting: list[Node] = []  # fillers belong to the section of the line that follows them
    verbatim: Callable[[str], bool] | None = None  # says which line ends a body of free text
    for raw in text.split("\n"):
        node = Node(raw)
        if verbatim is not None:
            stack[-1][1].children.append(node)
            if verbatim(raw):
                verbatim = None
            continue
        if node.filler:
            waiting.append(node)
            continue
        indent = len(raw) - len(raw.lstrip())
        while stack[-1][0] >= indent:
            stack.pop()
        parent = stack[-1][1]
        parent.children += [*waiting, node]
        waiting.clear()
        stack.append((indent, node))
        verbatim = _free_text(node.text)
    root.children += waiting
    return root


def _free_text(text: str) -> Callable[[str], bool] | None:
    if text.startswith("scheduler job name "):
        return lambda raw: raw.strip() == "end-job"
    found = re.match(r"banner (?:motd|exec) (\S)", text)
    if found and text.count(found[1], found.start(1)) < 2:
        return lambda raw: found[1] in raw
    return None


def is_interface(text: str) -> bool:
    """The header of an interface; ``interface breakout`` is none."""
    return re.fullmatch(r"interface \S+", text) is not None


def insert(parent: Node, text: str, rank: Rank, *, blank_before: bool = False) -> Node:
    """Add a line where the switch would print it; lines without a rank do not move."""
    indent = "" if not parent.raw else " " * (len(parent.raw) - len(parent.raw.lstrip()) + 2)
    node = Node(indent + text)
    own = rank(text)
    at = None
    if own is not None:
        for index, child in enumerate(parent.children):
            other = None if child.filler else rank(child.text)
            if other is not None and other <= own:
                at = index + 1
        if at is None:
            later = (i for i, c in enumerate(parent.children) if not c.filler and (rank(c.text) or own) > own)
            at = next(later, None)
            while at and parent.children[at - 1].filler:  # before the blank line that starts the later section
                at -= 1
    if at is None:
        at = len(parent.children)
        while at and parent.children[at - 1].filler:
            at -= 1
    parent.children[at:at] = [Node(), node] if blank_before else [node]
    return node


def remove(parent: Node, node: Node) -> None:
    """Take a line and its section out, with the blank line that was printed before an interface."""
    at = next(i for i, c in enumerate(parent.children) if c is node)
    del parent.children[at]
    if is_interface(node.text) and at and not parent.children[at - 1].text:
        del parent.children[at - 1]
