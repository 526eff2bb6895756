# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Command patterns of an industry-standard CLI: keywords that may be abbreviated, typed arguments, options.

A pattern is written as documentation prints it::

    qos map dscp <INTS:0-63> | to traffic-class <0-7> [drop-precedence <0-2>]
    priority-flow-control pause watchdog action | {drop|errdisable|notify-only}

``[...]`` is optional, ``{a|b}`` a choice, ``<...>`` an argument, and a lone ``|`` marks where ``no`` may stop. Patterns
of a mode are merged into one tree, so that an abbreviation is ambiguous exactly when two commands could be meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


class CommandError(Exception):
    """The line is not a command of this mode."""


class Invalid(CommandError):
    """A word that nothing starts with, or a value out of range."""


class Incomplete(CommandError):
    """More words are needed."""


class Ambiguous(CommandError):
    """An abbreviation of several commands."""


class Words:
    """A typed line, split at blanks; ``rest(i)`` is the raw text from word i on."""

    def __init__(self, line: str) -> None:
        self.line = line.strip()
        found = list(re.finditer(r"\S+", self.line))
        self.words = [m[0] for m in found]
        self._starts = [m.start() for m in found]

    def __len__(self) -> int:
        return len(self.words)

    def rest(self, index: int) -> str:
        return self.line[self._starts[index] :]


# An argument type looks at the words from an index on and returns (how many it takes, canonical text), or None.
ArgType = Callable[[Words, int], tuple[int, str] | None]


def word(words: Words, i: int) -> tuple[int, str] | None:
    return 1, words.words[i]


def line(words: Words, i: int) -> tuple[int, str] | None:
    return len(words) - i, words.rest(i)


def integer(low: int, high: int) -> ArgType:
    def take(words: Words, i: int) -> tuple[int, str] | None:
        text = words.words[i]
        return (1, str(int(text))) if text.isdecimal() and low <= int(text) <= high else None

    return take


def decimal(low: float, high: float) -> ArgType:
    """Canonical form has at least one digit behind the point: 1 -> 1.0, 0.20 -> 0.2."""

    def take(words: Words, i: int) -> tuple[int, str] | None:
        text = words.words[i]
        ok = re.fullmatch(r"\d+(\.\d+)?", text) and low <= float(text) <= high
        return (1, str(float(text))) if ok else None

    return take


def integers(low: int, high: int) -> ArgType:
    """One or more numbers, separated by blanks or commas, ranges allowed; canonical form is sorted, by blanks."""

    def take(words: Words, i: int) -> tuple[int, str] | None:
        values: set[int] = set()
        n = 0
        while i + n < len(words) and re.fullmatch(r"[\d,-]+", words.words[i + n]):
            part = expand_ranges(words.words[i + n])
            if part is None or any(not low <= v <= high for v in part):
                return None
            values |= part
            n += 1
        return (n, " ".join(map(str, sorted(values)))) if n else None

    return take


def expand_ranges(text: str) -> set[int] | None:
    """``10,20-22`` as a set; None if malformed."""
    values: set[int] = set()
    for part in text.split(","):
        m = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if not m:
            return None
        first, last = int(m[1]), int(m[2] or m[1])
        if last < first:
            return None
        values |= set(range(first, last + 1))
    return values


def compress_ranges(values: Iterable[int]) -> str:
    """Sorted, neighbours joined: ``10,20-22``."""
    parts: list[list[int]] = []
    for v in sorted(set(values)):
        if parts and v == parts[-1][1] + 1:
            parts[-1][1] = v
        else:
            parts.append([v, v])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def _arg_type(name: str, types: Mapping[str, ArgType]) -> ArgType:
    if name in types:
        return types[name]
    if name == "WORD":
        return word
    if name == "LINE":
        return line
    if m := re.fullmatch(r"INTS:(\d+)-(\d+)", name):
        return integers(int(m[1]), int(m[2]))
    if m := re.fullmatch(r"(\d+)-(\d+)", name):
        return integer(int(m[1]), int(m[2]))
    if m := re.fullmatch(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)", name):
        return decimal(float(m[1]), float(m[2]))
    raise ValueError(f"unknown argument type <{name}>")


# -- patterns --------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Element:
    """One keyword or argument of an expanded pattern."""

    text: str
    is_arg: bool
    before_bar: bool  # belongs to what ``no`` needs


def expand(pattern: str) -> list[list[_Element]]:
    """All sequences of keywords and arguments that a pattern stands for."""
    tokens = re.findall(r"<[^>]+>|[\[\]{}|]|[^\s\[\]{}|<>]+", pattern)
    position = 0
    bar_seen = False

    def sequence(stop: str) -> list[list[_Element]]:
        nonlocal position, bar_seen
        results: list[list[_Element]] = [[]]
        while position < len(tokens):
            token = tokens[position]
            position += 1
            if token and token in stop:
                position -= 1
                break
            if token == "[":
                inner = sequence("]")
                position += 1
                results = [r + more for r in results for more in [[], *inner]]
            elif token == "{":
                choices: list[list[_Element]] = []
                while True:
                    choices += sequence("|}")
                    position += 1
                    if tokens[position - 1] == "}":
                        break
                results = [r + c for r in results for c in choices]
            elif token == "|":
                bar_seen = True
            else:
                is_arg = token.startswith("<")
                element = _Element(token.strip("<>") if is_arg else token, is_arg, not bar_seen)
                results = [[*r, element] for r in results]
        return results

    return sequence("")


@dataclass
class Match:
    """A recognised command."""

    payload: Any
    words: list[str]  # canonical: keywords in full, arguments normalised
    args: list[str]  # canonical arguments alone
    prefix: list[str]  # canonical words up to the bar

    @property
    def text(self) -> str:
        return " ".join(self.words)


@dataclass
class _TreeNode:
    keywords: dict[str, _TreeNode] = field(default_factory=dict)
    arguments: dict[str, tuple[ArgType, _TreeNode]] = field(default_factory=dict)
    payload: Any = None
    prefix_length: int = 0


class Grammar:
    """The commands of one mode."""

    def __init__(self, types: Mapping[str, ArgType] | None = None) -> None:
        self._types = types or {}
        self._root = _TreeNode()

    def add(self, pattern: str, payload: Any, *, negated: bool = False) -> None:
        """Add a command. ``negated`` adds the form behind ``no``: up to the bar, or the whole command."""
        for elements in expand(pattern):
            self._insert(elements, payload)
            if negated:
                self._insert([e for e in elements if e.before_bar], payload)

    def _insert(self, elements: list[_Element], payload: Any) -> None:
        node = self._root
        for e in elements:
            if e.is_arg:
                if e.text not in node.arguments:
                    node.arguments[e.text] = (_arg_type(e.text, self._types), _TreeNode())
                node = node.arguments[e.text][1]
            else:
                node = node.keywords.setdefault(e.text, _TreeNode())
        if node.payload is None:
            node.payload = payload
            node.prefix_length = sum(e.before_bar for e in elements)

    def match(self, text: str | Words) -> Match:
        """Raises Invalid, Incomplete or Ambiguous."""
        words = text if isinstance(text, Words) else Words(text)
        return self._walk(self._root, words, 0, [], [])

    def _walk(self, node: _TreeNode, words: Words, i: int, canonical: list[str], args: list[str]) -> Match:
        if i == len(words):
            if node.payload is None:
                raise Incomplete
            return Match(node.payload, canonical, args, canonical[: node.prefix_length])
        typed = words.words[i].lower()
        failure: CommandError = Invalid()
        exact = node.keywords.get(typed)
        starts = [typed] if exact else [k for k in node.keywords if k.startswith(typed)]
        if len(starts) == 1:
            try:
                return self._walk(node.keywords[starts[0]], words, i + 1, [*canonical, starts[0]], args)
            except CommandError as exc:
                failure = exc
        elif starts:
            failure = Ambiguous()
        for name, (take, following) in node.arguments.items():
            # Free text is for what no keyword starts: "ip adress" is wrong although "ip LINE" may exist.
            taken = None if starts and name == "LINE" else take(words, i)
            if taken is None:
                continue
            try:
                return self._walk(following, words, i + taken[0], [*canonical, taken[1]], [*args, taken[1]])
            except CommandError as exc:
                if not isinstance(failure, Incomplete):
                    failure = exc if not isinstance(exc, Invalid) else failure
        raise failure
