# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A configuration as EOS keeps it: a tree of lines with a canonical order, printed with ``!`` between sections.

A configuration that was loaded is printed back byte for byte. For that every loaded line remembers how it was written,
and a loaded line that is removed leaves its place behind: typed again, it stands where it stood.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

INDENT = 3
VOLATILE = ("! Command:", "! device:", "!RANCID")  # header lines that say when and where a text was printed


@dataclass(frozen=True)
class Kind:
    """What a line is, in the mode it stands in."""

    key: str  # lines of one mode with the same key replace each other
    rank: tuple  # place among its siblings
    mode: str | None = None  # mode of the lines below it
    family: str = ""  # top-level lines of one family stand together without "!"
    default: bool = False  # says what holds anyway; EOS hides such lines


class Classifier(Protocol):
    def classify(self, mode: str | None, text: str) -> Kind: ...


@dataclass
class Node:
    """One line and the lines below it."""

    text: str
    kind: Kind
    children: list[Node] = field(default_factory=list)
    hidden: bool = False
    # Only of loaded lines: the lines before ("!" and comments), the line as written, further lines of a banner.
    lead: list[str] | None = None
    raw: str | None = None
    more: tuple[str, ...] = ()

    @property
    def loaded(self) -> bool:
        return self.raw is not None

    @property
    def is_block(self) -> bool:
        return self.kind.mode is not None

    def copy(self) -> Node:
        children = [c.copy() for c in self.children]
        return Node(self.text, self.kind, children, self.hidden, self.lead, self.raw, self.more)

    # -- children ----------------------------------------------------------------------------------------------
    def visible(self) -> Iterator[Node]:
        return (c for c in self.children if not c.hidden)

    def get(self, key: str) -> Node | None:
        """The line that says this; of several (a listing of all defaults has such) the last one holds."""
        return next((c for c in reversed(self.children) if c.kind.key == key and not c.hidden), None)

    def put(self, text: str, kind: Kind) -> Node:
        """The line with this key gets this text; a new line goes to its canonical place."""
        same = [c for c in reversed(self.children) if c.kind.key == kind.key]
        as_written = [c for c in same if c.raw is not None and c.raw.strip() == text]
        shown = [c for c in same if not c.hidden]
        node = next(iter(as_written or shown or same), None)
        if node is None:
            node = Node(text, kind)
            self.children.insert(self._place(kind.rank), node)
        elif node.hidden:
            node.hidden = False
            for child in node.children:
                child.hidden = True
        node.text, node.kind = text, kind
        return node

    def _place(self, rank: tuple) -> int:
        return next((i for i, c in enumerate(self.children) if c.kind.rank > rank), len(self.children))

    def drop(self, node: Node) -> None:
        """Remove a line; one that was loaded leaves its place behind."""
        if node.loaded:
            node.hidden = True
        else:
            self.children.remove(node)


class Tree:
    """A whole configuration."""

    def __init__(self, root: Node, header: list[str], tail: list[str], newline: bool) -> None:
        self.root = root
        self._header = header
        self._tail = tail
        self._newline = newline

    def copy(self) -> Tree:
        return Tree(self.root.copy(), self._header, self._tail, self._newline)

    def clear(self) -> None:
        """Remove everything, as ``rollback clean-config`` does; what is typed again stands where it stood."""
        _hide(self.root)

    # -- reading -----------------------------------------------------------------------------------------------
    @classmethod
    def parse(cls, text: str, classifier: Classifier) -> Tree:
        root = Node("", Kind("", (), "config"))
        stack: list[tuple[int, Node]] = [(-1, root)]
        lead: list[str] = []
        header: list[str] | None = None
        lines = iter(text.splitlines())
        for raw in lines:
            stripped = raw.strip()
            if not stripped or (stripped.startswith("!") and not stripped.startswith("!!")):
                lead.append(raw)
                continue
            if header is None:
                header, lead = [h for h in lead[:-1] if not h.startswith(VOLATILE)], lead[-1:]
            depth = len(raw) - len(raw.lstrip())
            while depth <= stack[-1][0]:
                stack.pop()
            parent = stack[-1][1]
            kind = classifier.classify(parent.kind.mode, stripped)
            if kind.rank == ():  # unknown: it belongs where it stands
                before = parent.children[-1].kind.rank if parent.children else (-1,)
                kind = Kind(kind.key, before, kind.mode, kind.family, kind.default)
            if kind.key.startswith("?"):
                kind = Kind(_unique(parent, kind.key), kind.rank, kind.mode, kind.family, kind.default)
            node = Node(stripped, kind, lead=lead, raw=raw, more=_further_lines(stripped, lines))
            lead = []
            parent.children.append(node)
            stack.append((depth, node))
        return cls(root, header or [], lead, text.endswith("\n") or not text)

    # -- writing -----------------------------------------------------------------------------------------------
    def text(self) -> str:
        out = list(self._header)
        _write(self.root, 0, out)
        out += self._tail
        return "\n".join(out) + ("\n" if self._newline and out else "")

    def section(self, node: Node, depth: int = 0) -> list[str]:
        """One node with what is below it."""
        out = [_line(node, depth)]
        _write(node, depth + 1, out)
        return out


def _hide(parent: Node) -> None:
    for child in list(parent.children):
        _hide(child)
        # Ports cannot be removed, and every configuration ends with "end".
        if child.text != "end" and not (child.loaded and child.text.startswith(("interface Eth", "interface Man"))):
            parent.drop(child)


def _unique(parent: Node, key: str) -> str:
    taken = {c.kind.key for c in parent.children}
    n = 2
    unique = key
    while unique in taken:
        unique = f"{key}#{n}"
        n += 1
    return unique


def _further_lines(text: str, lines: Iterator[str]) -> tuple[str, ...]:
    """The text of a banner or comment up to EOF belongs to its first line."""
    if text.split()[0] not in ("banner", "comment") or text.endswith("EOF"):
        return ()
    more = []
    for line in lines:
        more.append(line)
        if line.strip() == "EOF":
            break
    return tuple(more)


def _line(node: Node, depth: int) -> str:
    if node.raw is not None and node.raw.strip() == node.text:
        return node.raw
    return " " * INDENT * depth + node.text


def _write(parent: Node, depth: int, out: list[str]) -> None:
    previous: Node | None = None
    carried: list[str] = []  # separator of a removed line that opened a group
    for node in parent.children:
        if node.hidden:
            carried = carried or node.lead or []
            continue
        out += _lead(parent, node, previous, carried, depth)
        out.append(_line(node, depth))
        out += node.more
        _write(node, depth + 1, out)
        previous, carried = node, []


def _lead(parent: Node, node: Node, previous: Node | None, carried: list[str], depth: int) -> list[str]:
    """The ``!`` before a line."""
    separator = [" " * INDENT * depth + "!"]
    together = previous is not None and bool(node.kind.family) and previous.kind.family == node.kind.family
    beside_new = previous is not None and not previous.loaded
    if node.lead is not None:
        if node.lead == separator and beside_new and (together if depth == 0 else not _opens(parent, node, previous)):
            return []
        if not node.lead and carried:
            return carried
        if not node.lead and beside_new and depth == 0 and not together:
            return separator
        return node.lead
    if depth == 0:
        return [] if together else separator
    return separator if _opens(parent, node, previous) else []


def _opens(parent: Node, node: Node, previous: Node | None) -> bool:
    """Whether a separator belongs before a line inside a section."""
    if node.is_block:
        return True
    return previous is not None and previous.is_block and parent.kind.mode == "qos-profile"
