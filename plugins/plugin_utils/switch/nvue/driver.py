# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NVIDIA Cumulus Linux 5.9 to 5.18 through NVUE.

Configuration is a tree; owned configuration is a flat mapping of paths to values (``tree.Flat``). A change is two
patches of one pending revision, first what goes away, then what is set: NVUE does not order the two inside one patch.
``Change.commands`` are the same edits in the form of ``nv unset`` and ``nv set``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import (
    CONCERNS,
    Change,
    Driver,
    SectionDiff,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import SwitchError, Unreadable
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import Facts
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue import facts, revision
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.ownership import (
    Leaves,
    Ownership,
    disruptions,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.tree import (
    NUMBERED,
    Flat,
    Path,
    Tree,
    compress,
    flatten,
    merge,
    natural_path,
    nest,
    parents,
    read_config,
    to_yaml,
    without,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import Dialect, Session

READ = "nv config show -o json"
_VERSION = re.compile(r'"version": *"Cumulus Linux (\d+\.\d+(?:\.\d+)?)')  # in the header of the configuration
Edit = tuple[Path, "str | None"]
# Depth of the heading of a section in a diff: "interface swp1", "qos pfc ROCE-5m".
_HEADING = {"interface": 2, "service": 2, "bridge": 3, "qos": 3, "system": 3, "mlag": 1, "router": 4, "vrf": 6}
_ASN = (("router", "bgp", "autonomous-system"), ("vrf", "default", "router", "bgp", "autonomous-system"))


@dataclass(frozen=True)
class NvueChange(Change):
    """A change, and what apply() needs to carry it out and to prove it before it is in force."""

    unset: tuple[Path, ...] = ()
    set: tuple[tuple[Path, str | None], ...] = ()
    # The whole configuration before and after. It may hold secrets of others, so it never shows.
    running: Mapping[Path, str | None] = field(default_factory=dict, compare=False, repr=False)
    expected: Mapping[Path, str | None] = field(default_factory=dict, compare=False, repr=False)


class NvueDriver(Driver):
    """Cumulus Linux."""

    platform = "nvue"
    dialect: ClassVar[Dialect] = Dialect(
        netmiko_type="linux",
        # cumulus@leaf01:mgmt:~$
        prompt=r"(?P<host>[a-z_][\w.\-]*@[A-Za-z0-9][\w.\-]*)(?::[\w\-]+)?:[^\s$#]*[$#]",
        errors=(
            re.compile(r"^(?:Error|Invalid Command|Ambiguous Command|Incomplete Command)\b.*", re.M),
            re.compile(r"^(?:Invalid config|Failure during apply|Failed to)\b.*", re.M | re.I),
            re.compile(r"^-?bash: .*", re.M),
        ),
    )

    def __init__(self, model: Switch) -> None:
        super().__init__(model)
        self.ownership = Ownership(model)
        self._revisions = revision.Revisions()
        self._looked_at: tuple[Tree | None, Flat] = (None, {})  # the last configuration that owned() was asked about

    # -- pure ---------------------------------------------------------------------------------------------------
    def parse(self, running: str) -> Tree:
        return read_config(running, f"configuration of {self.model.name}")

    def owned(self, config: Tree) -> Flat:
        if config is not self._looked_at[0]:
            self._looked_at = (config, self.ownership.project(config))
        return self._looked_at[1]

    def intended(self, rendered: Mapping[str, str]) -> Flat:
        whole: Tree = {}
        for concern in CONCERNS:
            tree = read_config(f"- set:\n{_indent(rendered[concern])}", f"template nvue/{concern}.j2")
            for path, _value in flatten(tree):
                if self.ownership.pattern(path) is None:
                    raise SwitchError(
                        f"template nvue/{concern}.j2 renders {' '.join(path)!r} for {self.model.name}, which the model "
                        "does not own (plugins/plugin_utils/switch/nvue/ownership.yml): it could never be removed again"
                    )
            merge(whole, tree)
        return dict(self.ownership.project(whole))

    def plan(self, running: Tree, intended: Flat) -> NvueChange:
        raw: Flat = dict(flatten(running))
        self._check_asn(raw, intended)
        current = self.owned(running)
        written = intended.written if isinstance(intended, Leaves) else {}
        new = {path: value for path, value in intended.items() if current.get(path, ...) != value}
        stale = {path for path in current if path not in intended}
        if not new and not stale:
            return NvueChange(predicted=intended)
        new |= {path: value for path, value in written.items() if raw.get(path, ...) != value}
        stale -= written.keys()
        # An object that only stands for what is below it is not removed when its content is replaced.
        stays = {**intended, **written}
        gone = stale - parents(stays)
        unset = self._unset_paths(raw, gone, stays)
        unset |= {path[:-1] for path in new if self.ownership.rivals(path, raw)}
        expected = without(raw, unset) | new
        shown = {path: current[path] for path in stale if not (current[path] is None and path in parents(current))}
        lost = {path: current[path] for path in (*stale, *new) if path in current}
        ordered_unset = tuple(sorted(unset, key=natural_path))
        ordered_set = tuple(sorted(_leaves(new).items(), key=lambda item: natural_path(item[0])))
        return NvueChange(
            # A default that is written out counts as absent, but it is there to be seen and it is replaced.
            diffs=self._diffs(current | {path: raw[path] for path in new if path in raw}, shown, _leaves(new)),
            commands=(*_lines("unset", [(p, None) for p in ordered_unset]), *_lines("set", ordered_set)),
            disruptions=disruptions(lost, new),
            predicted=intended,
            unset=ordered_unset,
            set=ordered_set,
            running=raw,
            expected=expected,
        )

    def _check_asn(self, raw: Flat, intended: Flat) -> None:
        """BGP that already runs with another number belongs to somebody else."""
        wanted = intended.get(_ASN[0])
        for path in _ASN:
            found = raw.get(path)
            if wanted and found and found.isdigit() and found != wanted:
                raise SwitchError(
                    f"{self.model.name}: expected BGP with AS number {wanted} or no BGP, found {found} "
                    f"({' '.join(path)}). Set underlay.asn to {found}, or remove the BGP of this switch by hand"
                )

    def _unset_paths(self, raw: Flat, gone: set[Path], stays: Flat) -> set[Path]:
        """The fewest paths that remove ``gone`` and nothing else: whole objects where nothing of them stays."""
        kept = parents(stays) | set(stays)
        children: dict[Path, set[Path]] = {}
        for path in raw:
            for length in range(1, len(path)):
                children.setdefault(path[:length], set()).add(path)
        empty = gone | {path for path, value in raw.items() if self.ownership.is_default(path, value)}
        result: set[Path] = set()
        for path in gone:
            pattern = self.ownership.pattern(path)
            base = pattern.base if pattern else len(path)
            if self.ownership.choice(path[:-1]):
                base = len(path) - 1
            while len(path) > base:
                parent = path[:-1]
                if parent in kept or not children.get(parent, set()) <= empty:
                    break
                path = parent
            result.add(path)
        return {path for path in result if not any(path[:n] in result for n in range(1, len(path)))}

    def _diffs(self, current: Flat, stale: Flat, new: Flat) -> tuple[SectionDiff, ...]:
        """Differing leaves under their headings."""
        sections: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
        for path in sorted({*stale, *new}, key=natural_path):
            pattern = self.ownership.pattern(path)
            depth = min(_HEADING.get(path[0], 2), max(len(path) - 1, 1))
            key = (pattern.concern if pattern else "", " ".join(path[:depth]))
            before, after = sections.setdefault(key, ([], []))
            if path in stale:
                before.append(_line(path[depth:], stale[path]))
            else:
                if path in current:
                    before.append(_line(path[depth:], current[path]))
                after.append(_line(path[depth:], new[path]))
        order = sorted(sections, key=lambda key: CONCERNS.index(key[0]))
        return tuple(SectionDiff(key[0], (key[1],), *map(tuple, sections[key])) for key in order)

    def dump(self, owned: Flat) -> str:
        return to_yaml(nest({**owned, **(owned.written if isinstance(owned, Leaves) else {})})) or "{}\n"

    def load(self, text: str) -> Flat:
        stripped = text.lstrip()
        if not stripped.startswith(("- ", "[")):
            text = f"- set:\n{_indent(text)}"
        return self.ownership.project(read_config(text, f"file for {self.model.name}"))

    # -- on a session -------------------------------------------------------------------------------------------
    def release(self, session: Session) -> str:
        release = facts.parse_system(session.send("nv show system -o json")).release
        if not release:
            raise Unreadable(f"{session.target.where}: 'nv show system' names no release; expected one like 5.14.0")
        self.running_release = release
        return release

    def read(self, session: Session) -> str:
        text = session.send(READ)
        found = _VERSION.search(text, 0, 4096)
        if found:
            self.running_release = found[1]
        return text

    def clean(self, session: Session) -> list[str]:
        return self._revisions.clean(session)

    def apply(self, session: Session, change: Change, name: str, timer: int) -> None:
        assert isinstance(change, NvueChange)
        self._revisions.apply(session, change, name, timer, self.ownership)

    def confirm(self, session: Session, name: str) -> None:
        self._revisions.confirm(session, name)

    def roll_back(self, session: Session, name: str) -> None:
        self._revisions.roll_back(session, name)

    def save(self, session: Session) -> None:
        session.send("nv config save", timeout=revision.SLOW)

    def read_facts(self, session: Session) -> Facts:
        return facts.read(self, session)


def _indent(text: str) -> str:
    return "".join(f"    {line}" for line in text.splitlines(keepends=True)) or "    {}\n"


def _leaves(flat: Flat) -> Flat:
    """``flat`` without objects that its other paths imply."""
    implied = parents(flat)
    return {path: value for path, value in flat.items() if value is not None or path not in implied}


def _line(path: Path, value: str | None) -> str:
    return " ".join(path) if value is None else f"{' '.join(path)}: {value}"


def _lines(verb: str, edits: Sequence[Edit]) -> list[str]:
    """nv commands; ports and numbers that get the same are written as a range."""
    edits = _ranges(edits, lambda path: 1 if path[0] == "interface" else None)
    edits = _ranges(edits, _number_in)
    return [
        " ".join(["nv", verb, *map(shlex.quote, path), *([] if value is None else [shlex.quote(value)])])
        for path, value in edits
    ]


def _ranges(edits: Sequence[Edit], place: Callable[[Path], int | None]) -> list[Edit]:
    """Join edits that differ in the name at one place only."""
    groups: dict[tuple[Path, Path, str | None], list[str]] = {}
    for path, value in edits:
        at = place(path)
        head, name, tail = (path, "", ()) if at is None else (path[:at], path[at], path[at + 1 :])
        groups.setdefault((head, tail, value), []).append(name)
    return [
        ((*head, *([compress(names)] if names != [""] else []), *tail), value)
        for (head, tail, value), names in groups.items()
    ]


def _number_in(path: Path) -> int | None:
    """Where a list of numbers may stand."""
    for index, key in enumerate(path[:-1], start=1):
        if key in NUMBERED and path[index].isdigit():
            return index
    return None
