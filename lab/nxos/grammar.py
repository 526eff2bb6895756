# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command language: what may be typed in which mode, abbreviations, and the texts of refusal.

A command is written as a specification such as ``priority-flow-control mode {auto|on [send-tlv]|off}``. Braces hold
alternatives, brackets what may be left out, ``<name:kind>`` a value. Kinds: ``1-10`` a number, ``list/0-63`` numbers
and ranges, ``dscp``, ``word``, ``name`` (a word that is no longer than 63), ``line`` (the rest), ``iface``, ``ifaces``,
``ip``, ``prefix``, ``file``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from lab.nxos import values


class Reject(Exception):
    """The switch refuses a command; the text is what it prints."""


@dataclass(frozen=True)
class Token:
    """One word of a specification: a keyword or a value."""

    word: str = ""
    name: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Entry:
    """One command."""

    run: Callable[[Any, Match], str | None]
    feature: str | None = None  # the command exists only while this feature is enabled
    when: Callable[[Any], bool] | None = None  # the command exists only where this says so


@dataclass
class Match:
    """A typed command that fits: canonical words, and the values by name."""

    words: list[str] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def line(self) -> str:
        return " ".join(self.words)

    @property
    def negated(self) -> bool:
        return self.words[0] == "no"

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def get(self, name: str, default: Any = None) -> Any:
        return self.values.get(name, default)

    def __contains__(self, word: str) -> bool:
        return word in self.words


@dataclass(frozen=True)
class Variant:
    tokens: tuple[Token, ...]
    entry: Entry


class Grammar:
    """The commands of every mode."""

    def __init__(self) -> None:
        self.modes: dict[str, dict[str, list[Variant]]] = {}

    def add(self, modes: str | Iterable[str], spec: str, entry: Entry) -> None:
        for mode in [modes] if isinstance(modes, str) else modes:
            for tokens in compile_spec(spec):
                self.modes.setdefault(mode, {}).setdefault(tokens[0].word, []).append(Variant(tokens, entry))

    def command(self, modes: str | Iterable[str], *specs: str, feature: str | None = None, when=None):
        """Decorator: the function runs the commands of these specifications."""

        def register(run):
            for spec in specs:
                self.add(modes, spec, Entry(run, feature, when))
            return run

        return register


def compile_spec(spec: str) -> list[tuple[Token, ...]]:
    """Every sequence of tokens that a specification allows."""
    parts = re.findall(r"<[^>]+>|[{}|\[\]]|[^\s{}|\[\]]+", spec)
    sequences, rest = _alternatives(parts, 0)
    if rest != len(parts):
        raise ValueError(f"specification {spec!r}: unbalanced at {parts[rest]!r}")
    return [tuple(s) for s in sequences]


def _alternatives(parts: list[str], at: int) -> tuple[list[list[Token]], int]:
    done: list[list[Token]] = []
    current: list[list[Token]] = [[]]
    while at < len(parts) and parts[at] not in "]}":
        part = parts[at]
        if part == "|":
            done += current
            current = [[]]
        elif part in "{[":
            inner, at = _alternatives(parts, at + 1)
            if part == "[":
                inner = [*inner, []]
            current = [left + right for left in current for right in inner]
        elif part.startswith("<"):
            name, _, kind = part[1:-1].partition(":")
            current = [[*left, Token(name=name, kind=kind or "word")] for left in current]
        else:
            current = [[*left, Token(word=part)] for left in current]
        at += 1
    return done + current, at


# -- matching ----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Word:
    text: str
    at: int  # column in the typed line


def split_words(line: str) -> list[_Word]:
    """Words of a typed line. The name of an interface, and a list of them, may be typed in several words."""
    joined: list[_Word] = []
    for word in (_Word(m[0], m.start()) for m in re.finditer(r"\S+", line)):
        before = joined[-2].text.lower() if len(joined) > 1 else ""
        if len(before) > 2 and "interface".startswith(before) and _continues_interface(joined[-1].text, word.text):
            joined[-1] = _Word(joined[-1].text + word.text, joined[-1].at)
        else:
            joined.append(word)
    return joined


def _continues_interface(last: str, word: str) -> bool:
    if last.endswith(",") or word.startswith(","):
        return True
    kind = last.rpartition(",")[2].lower()
    return word[0].isdigit() and kind.replace("-", "").isalpha() and any(k.startswith(kind) for k in values.KINDS)


INVALID = "% Invalid command at '^' marker."
INCOMPLETE = "% Incomplete command at '^' marker."
AMBIGUOUS = "% Ambiguous command at '^' marker."


def refusal(text: str, column: int) -> str:
    return f"{' ' * column}^\n{text}"


@dataclass
class _Try:
    variant: Variant
    ranks: tuple[int, ...] = ()  # per word: 0 exact keyword, 1 abbreviation, 2 value
    match: Match = field(default_factory=Match)
    done: bool = False  # a value took the rest of the line


def find(variants: list[Variant], line: str, offset: int) -> tuple[Variant, Match]:
    """The one command that was typed. ``offset`` is the width of the prompt. Raises Reject."""
    words = split_words(line)
    alive = [_Try(v) for v in variants]
    for index, word in enumerate(words):
        column = offset + word.at
        survivors: list[_Try] = []
        problems: list[str] = []
        for trial in alive:
            if trial.done:
                survivors.append(trial)
                continue
            if index >= len(trial.variant.tokens):
                continue
            token = trial.variant.tokens[index]
            if token.word:
                rank = 0 if token.word == word.text.lower() else 1 if token.word.startswith(word.text.lower()) else None
                if rank is not None:
                    survivors.append(_step(trial, rank, token.word))
                continue
            try:
                canonical, value = convert(token.kind, word.text, line[word.at :])
            except ValueError as exc:
                problems.append(str(exc))
                continue
            if canonical is not None:
                step = _step(trial, 2, canonical)
                step.match.values[token.name] = value
                step.done = token.kind == "line"
                survivors.append(step)
        if not survivors:
            raise Reject(refusal(problems[0] if problems else INVALID, column))
        exact = [t for t in survivors if t.done or t.ranks[index] == 0]
        alive = exact if any(not t.done for t in exact) else survivors
    return _choose(alive, words, line, offset)


def _step(trial: _Try, rank: int, canonical: str) -> _Try:
    match = Match([*trial.match.words, canonical], dict(trial.match.values))
    return _Try(trial.variant, (*trial.ranks, rank), match)


def _choose(alive: list[_Try], words: list[_Word], line: str, offset: int) -> tuple[Variant, Match]:
    for index, word in enumerate(words):
        short = {t.match.words[index] for t in alive if len(t.ranks) > index and t.ranks[index] == 1}
        if len(short) > 1:
            raise Reject(refusal(AMBIGUOUS, offset + word.at))
    complete = [t for t in alive if t.done or len(t.variant.tokens) == len(words)]
    if not complete:
        raise Reject(refusal(INCOMPLETE, offset + len(line.rstrip())))
    best = min(complete, key=lambda t: t.ranks)
    return best.variant, best.match


def convert(kind: str, word: str, rest: str) -> tuple[str | None, Any]:
    """Canonical text and value of a typed value; (None, None) when it is not of this kind. ValueError: out of range."""
    if re.fullmatch(r"\d+-\d+", kind):
        low, high = map(int, kind.split("-"))
        if not word.isdigit():
            return None, None
        if not low <= int(word) <= high:
            raise ValueError(f"% Invalid number, range is ({low}-{high}) at '^' marker.")
        return str(int(word)), int(word)
    if kind.startswith("list/") or kind == "dscp":
        low, high = map(int, kind[5:].split("-")) if kind != "dscp" else (0, 63)
        try:
            numbers = values.dscp_list(word) if kind == "dscp" else values.expand(word, low, high)
        except ValueError:
            raise ValueError("% Invalid range at '^' marker.") from None
        return (values.compress(numbers), numbers) if numbers else (None, None)
    if kind == "line":
        return rest.rstrip(), rest.rstrip()
    if kind == "word":
        return word, word
    if kind == "name":
        if len(word) > 63:
            raise ValueError("% String exceeded max length of (63) at '^' marker.")
        return (word, word) if re.fullmatch(r"[!-~]+", word) else (None, None)
    if kind == "file":
        found = re.fullmatch(r"(?:bootflash|volatile):(?://[^/]*/|/+)?([\w.-]+)", word)
        return (f"bootflash:{found[1]}", found[1]) if found else (None, None)
    convertible = {
        "iface": values.interface_name,
        "ifaces": values.interface_range,
        "ip": values.address,
        "prefix": values.prefix,
    }[kind](word)
    canonical = ",".join(convertible) if isinstance(convertible, list) else convertible
    return (canonical, convertible) if convertible else (None, None)
