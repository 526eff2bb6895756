# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How bash reads a line: words with their quotes, redirections, pipelines and what joins them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


class Incomplete(Exception):
    """The line ends inside quotes: bash asks for more with ``> ``."""


class SyntaxError_(Exception):  # noqa: N801 - SyntaxError is Python's
    """bash cannot read the line."""


@dataclass
class Word:
    """One word before expansion: pieces of text, some of them in single quotes (never expanded)."""

    pieces: list[tuple[str, str]] = field(default_factory=list)  # (text, quote: "", '"' or "'")

    @property
    def quoted(self) -> bool:
        return any(quote for _, quote in self.pieces)

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.pieces)


@dataclass
class Redirect:
    """``descriptor operator target``."""

    descriptor: str
    operator: str
    target: Word
    body: str = ""  # of a here-document


@dataclass
class Simple:
    """One command with its redirections."""

    words: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)


_OPERATORS = ("&&", "||", "<<-", "<<<", "<<", ">>", "&>", ">&", "<", ">", "|", ";", "&", "\n")


def tokens(line: str) -> list[str | Word]:
    """Operators as strings, words as Word."""
    out: list[str | Word] = []
    word: Word | None = None
    i = 0

    def add(text: str, quote: str) -> None:
        nonlocal word
        word = word or Word()
        word.pieces.append((text, quote))

    def end() -> None:
        nonlocal word
        if word is not None:
            out.append(word)
        word = None

    while i < len(line):
        char = line[i]
        if char in " \t":
            end()
            i += 1
        elif char == "#" and word is None:
            i = (line + "\n").index("\n", i)
        elif char == "'":
            close = line.find("'", i + 1)
            if close < 0:
                raise Incomplete
            add(line[i + 1 : close], "'")
            i = close + 1
        elif char == '"':
            text, i = _double_quoted(line, i + 1)
            add(text, '"')
        elif char == "\\":
            if i + 1 >= len(line):
                raise Incomplete
            if line[i + 1] != "\n":
                add(line[i + 1], "'")
            i += 2
        elif line.startswith("$(", i):
            close = closing(line, i + 2)
            add(line[i : close + 1], "")
            i = close + 1
        else:
            operator = next((o for o in _OPERATORS if line.startswith(o, i)), None)
            if operator is None:
                run = re.match(r"[^ \t'\"\\$;&|<>\n]+|\$(?:\?|\$|\w+|\{\w+\})|\$", line[i:])[0]
                add(run, "")
                i += len(run)
                continue
            number = ""
            if operator[0] in "<>" and word is not None and re.fullmatch(r"[0-9]", word.text) and not word.quoted:
                number, word = word.text, None
            end()
            out.append(number + operator)
            i += len(operator)
    end()
    return out


def _double_quoted(line: str, i: int) -> tuple[str, int]:
    """The text up to the closing quote, with \\$ kept for expansion as a NUL mark."""
    out = ""
    while i < len(line):
        char = line[i]
        if char == '"':
            return out, i + 1
        if char == "\\" and i + 1 < len(line) and line[i + 1] in '$`"\\\n':
            out += "" if line[i + 1] == "\n" else "\0" if line[i + 1] == "$" else line[i + 1]
            i += 2
            continue
        out += char
        i += 1
    raise Incomplete


def closing(line: str, i: int) -> int:
    """Where the parenthesis that opened before i closes."""
    depth = 1
    while i < len(line):
        depth += {"(": 1, ")": -1}.get(line[i], 0)
        if depth == 0:
            return i
        i += 1
    raise Incomplete


def parse(line: str) -> list[tuple[str, list[Simple]]]:
    """[(connector before it, pipeline)]."""
    out: list[tuple[str, list[Simple]]] = []
    connector, pipeline, simple = ";", [Simple()], None
    items = tokens(line)
    i = 0
    while i < len(items):
        item = items[i]
        simple = pipeline[-1]
        if isinstance(item, Word):
            simple.words.append(item)
        elif item.lstrip("0123456789") in ("<", ">", ">>", "<<", "<<-", "<<<", "&>", ">&"):
            i += 1
            if i >= len(items) or not isinstance(items[i], Word):
                raise SyntaxError_(f"syntax error near unexpected token `{items[i] if i < len(items) else 'newline'}'")
            operator = item.lstrip("0123456789")
            simple.redirects.append(Redirect(item[: -len(operator)], operator, items[i]))
        else:
            if not simple.words and not simple.redirects:
                if item == "\n":
                    i += 1
                    continue
                raise SyntaxError_(f"syntax error near unexpected token `{item}'")
            if item == "|":
                pipeline.append(Simple())
            else:
                out.append((connector, pipeline))
                connector, pipeline = (";" if item in ("\n", "&") else item), [Simple()]
        i += 1
    if pipeline[-1].words or pipeline[-1].redirects:
        out.append((connector, pipeline))
    elif len(pipeline) > 1 or connector in ("&&", "||"):
        raise Incomplete
    return out
