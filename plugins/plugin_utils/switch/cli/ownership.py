# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which lines of a switch are ours, when two lines are the same setting, and how a setting is taken away.

A platform describes this as a table of :class:`Own` rules. Extraction turns a tree into the owned configuration:
nested dictionaries of :class:`Entry` by identity, with the platform's hidden defaults removed, so that two of them are
equal exactly when the switch would behave the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.tree import Line

Groups = dict[str, str]


@dataclass(frozen=True)
class Own:
    """One owned setting, or one section with owned settings in it.

    ``key`` and ``remove`` are format strings over the named groups of ``pattern``, ``{line}`` and, in ``remove``,
    ``{printed}``: the line as the switch prints it, before ``normalise``. Two lines with the same key are the same
    setting: the later one overwrites the earlier one on the switch.
    """

    pattern: str  # regular expression that the whole line must match
    concern: str  # vlans, qos, ports, lldp, ecmp
    key: str = "{line}"  # identity within its section; the default is for lines of which there can be many
    remove: str | Callable[[Groups], str] = "no {line}"  # what takes the setting away; the groups include ``line``
    # The line that the platform does not show because it is its default; a line equal to it counts as absent.
    default: str | Callable[[Groups], str] = ""
    overwrite: bool = True  # False: the old value must be removed before the new line is accepted
    remove_early: bool = False  # True: take an extra line away before lines are added to this section
    disruption: str = ""  # key of the platform's disruption table, when a change of this line may drop traffic
    # Splits or rewrites a line as the platform may group it ("... dscp 8 9 ...") into canonical single lines.
    normalise: Callable[[str], Sequence[str]] | None = None
    among: frozenset[str] = frozenset()  # if given, the line must also be one of these: the ports of a model
    whole: bool = False  # sections: the section itself is ours; it is removed when the intent does not have it
    rest: bool = True  # whole sections: lines in it that no child rule matches are ours as well
    children: tuple[Own, ...] = ()
    regex: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # At once: tables are made when a platform is imported, before workers are forked.
        object.__setattr__(self, "regex", re.compile(self.pattern))

    @cached_property
    def section(self) -> bool:
        return bool(self.children) or self.whole

    @cached_property
    def remainder(self) -> Own | None:
        """Rule for the lines of a whole section that no child rule matches."""
        return Own(".*", self.concern, disruption=self.disruption) if self.whole and self.rest else None

    def hidden(self, line: str, groups: Groups) -> bool:
        """Whether the platform would not show this line."""
        default = self.default(groups) if callable(self.default) else self.default.format(line=line, **groups)
        return line == default


@dataclass
class Entry:
    """One owned line of a configuration."""

    line: str
    rule: Own = field(compare=False, repr=False)
    groups: Groups = field(compare=False, repr=False)
    children: Owned = field(default_factory=dict)

    @property
    def removal(self) -> str:
        groups = {**self.groups, "line": self.line}
        return self.rule.remove(groups) if callable(self.rule.remove) else self.rule.remove.format(**groups)


Owned = dict[str, Entry]


# What a line is in a section: the same for the 64 ports of a switch, which say much the same.
_Match = tuple[Own, str, Groups, str, bool]  # rule, normal form, groups, key, hidden
_Memo = dict[tuple[int, int, str], list[_Match]]


def extract(lines: Iterable[Line], rules: Sequence[Own]) -> Owned:
    """The owned part of a tree."""
    return _extract(lines, rules, None, {})


def _extract(lines: Iterable[Line], rules: Sequence[Own], everything: Own | None, memo: _Memo) -> Owned:
    """``everything`` owns the lines that no rule matches (inside sections that are ours)."""
    owned: Owned = {}
    for line in lines:
        what = (id(rules), id(everything), line.text)
        matches = memo.get(what)
        if matches is None:
            matches = memo[what] = [
                (
                    rule,
                    text,
                    groups,
                    rule.key.format(line=text, **groups),
                    not rule.section and rule.hidden(text, groups),
                )
                for rule, text, groups in _match(line.text, rules, everything)
            ]
        for rule, text, groups, key, hidden in matches:
            if not rule.section:
                if hidden:
                    owned.pop(key, None)
                else:
                    owned[key] = Entry(text, rule, groups)
                continue
            children = _extract(line.children, rule.children, rule.remainder, memo)
            if key in owned:
                owned[key].children.update(children)
            elif children or rule.whole:
                owned[key] = Entry(text, rule, groups, children)
    return owned


def _match(text: str, rules: Sequence[Own], everything: Own | None) -> Iterator[tuple[Own, str, Groups]]:
    for rule in rules:
        if not rule.regex.fullmatch(text) or (rule.among and text not in rule.among):
            continue
        for part in rule.normalise(text) if rule.normalise else (text,):
            again = rule.regex.fullmatch(part)
            if again is None:  # a mistake in the platform's table, not in the device's output
                raise ValueError(f"ownership rule {rule.pattern!r} does not match its own normal form {part!r}")
            yield rule, part, {"printed": text, **{k: v or "" for k, v in again.groupdict().items()}}
        return
    if everything is not None:
        yield everything, text, {"printed": text}


def lines_of(owned: Owned) -> list[Line]:
    """Owned configuration as a tree, in the order in which it was found."""
    return [Line(entry.line, lines_of(entry.children)) for entry in owned.values()]
