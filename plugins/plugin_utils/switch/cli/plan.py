# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the owned configuration that is to the one that should be: the shortest list of commands that is safe.

* A setting that has a value is overwritten by its new line; it is never negated first, because the moment without a
  PFC, ECN or classification line is a moment in which a lossless fabric loses packets.
* Within a section lines are added before extra lines are taken away; sections come in the order of the intent
  (a policy exists before it is attached) and go in reverse order, last of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.ownership import Entry, Owned
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import Change, Disruption, SectionDiff

Path = tuple[str, ...]


@dataclass
class _Plan:
    reasons: Mapping[str, str]  # disruption kind -> sentence
    commands: list[str] = field(default_factory=list)
    late: list[list[str]] = field(default_factory=list)  # removals of whole sections, to be sent last, newest first
    diffs: dict[tuple[str, Path], tuple[list[str], list[str]]] = field(default_factory=dict)
    disruptions: dict[tuple[str, str], Disruption] = field(default_factory=dict)

    def note(self, entry: Entry, path: Path, *, before: str | None, after: str | None) -> None:
        pair = self.diffs.setdefault((entry.rule.concern, path), ([], []))
        if before is not None:
            pair[0].append(before)
        if after is not None:
            pair[1].append(after)
        kind = entry.rule.disruption
        if kind:
            where = path[0] if path else entry.line
            self.disruptions.setdefault((kind, where), Disruption(kind, where, self.reasons[kind]))

    def note_section(self, entry: Entry, path: Path, *, added: bool) -> None:
        """A whole section appears or disappears: it and all its lines."""
        texts = [entry.line] if not entry.children else []
        for text in texts:
            self.note(entry, path, before=None if added else text, after=text if added else None)
        for child in entry.children.values():
            if child.rule.section:
                self.note_section(child, (*path, entry.line), added=added)
            else:
                line = child.line
                self.note(child, (*path, entry.line), before=None if added else line, after=line if added else None)


def plan(running: Owned, intended: Owned, reasons: Mapping[str, str]) -> Change:
    """The one change from ``running`` to ``intended``."""
    work = _Plan(reasons)
    work.commands += _section(work, (), running, intended)
    for commands in reversed(work.late):
        work.commands += commands
    diffs = tuple(SectionDiff(concern, path, tuple(a), tuple(b)) for (concern, path), (a, b) in work.diffs.items())
    return Change(diffs, tuple(work.commands), tuple(work.disruptions.values()), predicted=intended)


def _section(work: _Plan, path: Path, running: Owned, intended: Owned) -> list[str]:
    early, add, remove = [], [], []
    for key, old in running.items():
        if key in intended:
            continue
        if not old.rule.section:
            work.note(old, path, before=old.line, after=None)
            (early if old.rule.remove_early else remove).append(old.removal)
        elif old.rule.whole:
            work.note_section(old, path, added=False)
            work.late.append([*path, old.removal, *["exit"] * len(path)])
        else:
            inner = _section(work, (*path, old.line), old.children, {})
            remove += _inside(old.line, inner)
    for key, new in intended.items():
        old = running.get(key)
        if new.rule.section:
            add += _subsection(work, path, old, new)
        elif old is None:
            work.note(new, path, before=None, after=new.line)
            add.append(new.line)
        elif old.line != new.line:
            work.note(new, path, before=old.line, after=new.line)
            add += [new.line] if new.rule.overwrite else [old.removal, new.line]
    return [*early, *add, *remove]


def _subsection(work: _Plan, path: Path, old: Entry | None, new: Entry) -> list[str]:
    if old is None and new.rule.whole:
        work.note_section(new, path, added=True)
        return _inside(new.line, list(_all_lines(new)), keep_empty=True)
    if old is not None and old.line != new.line and new.rule.whole and not new.rule.overwrite:
        work.note_section(old, path, added=False)
        work.note_section(new, path, added=True)
        return [old.removal, *_inside(new.line, list(_all_lines(new)), keep_empty=True)]
    inner = _section(work, (*path, new.line), old.children if old else {}, new.children)
    renamed = old is not None and old.line != new.line
    if renamed:
        work.note(new, path, before=old.line, after=new.line)
    return _inside(new.line, inner, keep_empty=renamed)


def _all_lines(entry: Entry) -> Iterator[str]:
    for child in entry.children.values():
        if child.rule.section:
            yield from _inside(child.line, list(_all_lines(child)), keep_empty=True)
        else:
            yield child.line


def _inside(line: str, commands: list[str], *, keep_empty: bool = False) -> list[str]:
    """Enter a section, do something, leave it."""
    if not commands and not keep_empty:
        return []
    return [line, *commands, "exit"]
