# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which part of the tree the model owns, what counts as equal there, and which changes may disturb traffic.

The tables are ``ownership.yml`` and ``disruption.yml`` beside this file.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.breakout import front_of, split
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.reserved import (
    retired_bonds,
    retired_gateways,
    retired_vlans,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import Disruption
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.filters import pfc_profiles
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.tree import (
    Flat,
    Path,
    Tree,
    flatten,
    natural_path,
)

_HERE = pathlib.Path(__file__).parent


def _table(name: str) -> Any:
    return yaml.safe_load((_HERE / name).read_text(encoding="utf-8"))


# Read at once: before workers are forked.
_OWNERSHIP = _table("ownership.yml")
_DISRUPTION = _table("disruption.yml")


@dataclass(frozen=True)
class Pattern:
    """One line of the table."""

    concern: str
    keys: Path
    base: int  # removing leaves may be written as removing an object, but none above this depth

    @classmethod
    def of(cls, concern: str, line: str) -> Pattern:
        keys = line.split()
        if "|" in keys:
            base = keys.index("|")
            keys.remove("|")
        else:
            base = len(keys) - (keys[-1] == "**")
        return cls(concern, tuple(keys), base)


class Leaves(dict[Path, "str | None"]):
    """Owned leaves. ``written`` are those that say what holds anyway: they count as absent, so two configurations that
    differ in them are equal; but whoever gives an earlier configuration back writes them again."""

    def __init__(self, leaves: Flat, written: Flat) -> None:
        super().__init__(leaves)
        self.written = written


class Ownership:
    """The tables applied to the names of one model."""

    def __init__(self, model: Switch) -> None:
        table = _OWNERSHIP
        self._ports = {p.name for p in model.ports}
        self._split = {b.port: b.parts for b in model.breakouts}
        self._fronts = {*self._split, *(p for p in self._ports if front_of("nvue", p) == p)}
        self._addressed = {p.name for p in model.ports if p.mode != "routed" or p.address}
        self._vlans = {*(str(v.id) for v in model.vlans), *map(str, retired_vlans(model))}
        self._retired = {f"bond{n}" for n in retired_bonds(model)} | {f"vlan{n}" for n in retired_gateways(model)}
        self._profile = model.roce.profile
        self._profiles = {self._profile, *(p.name for p in pfc_profiles(model))}
        underlay = model.underlay
        self._has = {
            "underlay": underlay is not None,
            "bfd": underlay is not None and underlay.bfd is not None,
            "bonds": bool(model.bonds or model.peer_link),
            "peer_link": model.peer_link is not None,
        }
        self._bonds = {f"bond{b.id}" for b in model.bonds}
        self._gateways = {f"vlan{g.vlan}" for g in model.gateways}
        self._peer_group = underlay.peer_group if underlay else ""
        self._router_id = f"{underlay.router_id}/32" if underlay else ""
        self._neighbors = {n.address or n.port for n in underlay.neighbors} if underlay else set()
        self.patterns = [
            Pattern.of(concern, line)
            for concern, lines in table["owned"].items()
            for line in map(self._counts, lines)
            if line
        ]
        self._defaults = [(tuple(line.split()), value or None) for line, value in table["defaults"].items()]
        self._choices = [tuple(line.split()) for line in table["choices"]]
        self.implied: Flat = {tuple(line.split()): value for line, value in table["implied"].items()}
        # What was found for one path holds for all of the same kind: the 64 ports of a switch say much the same.
        self._pattern_of: dict[Path, Pattern | None] = {}
        self._defaults_of: dict[Path, tuple[str | None, ...]] = {}

    def _counts(self, line: str) -> str:
        """A line of the table less its condition; nothing if the condition does not hold."""
        condition, mark, rest = line.partition("? ")
        return line if not mark else rest if self._has[condition] else ""

    def look_at(self, tree: Tree) -> None:
        """Neighbours that are in our peer group are ours, whether the model has them or not."""
        found = _below(tree, "vrf", "default", "router", "bgp", "neighbor")
        ours = {n for n, v in found.items() if isinstance(v, Mapping) and v.get("peer-group") == self._peer_group}
        if self._peer_group and not ours <= self._neighbors:
            self._neighbors |= ours
            self._pattern_of.clear()
            self._defaults_of.clear()

    def _names(self, key: str, pattern: str) -> bool:
        """Whether a key of the tree is one that the key of a pattern stands for."""
        match pattern:
            case "*":
                return True
            case "{port}":
                return key in self._ports
            case "{front}":
                return key in self._fronts
            case "{orphan}":
                front = front_of("nvue", key)
                return (
                    front != key
                    and front in self._fronts
                    and key not in split("nvue", front, self._split.get(front, 1))
                )
            case "{addressed}":
                return key in self._addressed
            case "{vlan}":
                return key in self._vlans
            case "{profile}":
                return key == self._profile or key.startswith(f"{self._profile}-")
            case "{ipv4}":
                return ":" not in key
            case "{bond}":
                return key in self._bonds
            case "{retired}":
                return key in self._retired
            case "{gateway}":
                return key in self._gateways
            case "{peer_group}":
                return key == self._peer_group
            case "{filter}":
                return key in (f"{self._peer_group}-IN", f"{self._peer_group}-OUT")
            case "{router_id}":
                return key == self._router_id
            case "{neighbor}":
                return key in self._neighbors
        return key == pattern

    def project(self, tree: Tree) -> Leaves:
        """The owned leaves of a whole tree; values that mean the same as none are set apart."""
        self.look_at(tree)
        found: dict[Path, str | None] = {}
        for pattern in self.patterns:
            for path, value in self._walk(tree, pattern.keys, ()):
                found[path] = value
        lent = self._lent(tree)
        leaves: Flat = {}
        written: Flat = {}
        for path, value in found.items():
            if path[:3] not in lent:
                (written if self.is_default(path, value) else leaves)[path] = value
        return Leaves(leaves, written)

    def _lent(self, tree: Tree) -> set[Path]:
        """QoS objects with a name like ours that the model does not need and a port outside the model uses."""
        used = {
            ("qos", kind, bound["profile"])
            for name, port in (tree.get("interface") or {}).items()
            if name not in self._ports and isinstance(port, Mapping)
            for kind, bound in (port.get("qos") or {}).items()
            if isinstance(bound, Mapping) and "profile" in bound
        }
        return {path for path in used if path[2] not in self._profiles}

    def _walk(self, node: Any, keys: Path, path: Path) -> Iterator[tuple[Path, str | None]]:
        if not keys:
            yield path, None if isinstance(node, dict) else node
        elif keys[0] == "**":
            yield from flatten(node, path)
        elif isinstance(node, dict):
            for key, child in self._select(node, keys[0]):
                yield from self._walk(child, keys[1:], (*path, key))

    def _select(self, node: Mapping[str, Any], pattern: str) -> Iterable[tuple[str, Any]]:
        if pattern[0] not in "*{":
            return [(pattern, node[pattern])] if pattern in node else []
        return [(key, child) for key, child in node.items() if self._names(key, pattern)]

    def _kind(self, path: Path) -> Path:
        """``path`` with one word for all ports that the tables do not tell apart."""
        if path[0] != "interface" or len(path) < 2 or path[1] not in self._ports:
            return path
        return ("interface", "{addressed}" if path[1] in self._addressed else "{port}", *path[2:])

    def pattern(self, path: Path) -> Pattern | None:
        """The line that owns a path."""
        kind = self._kind(path)
        if kind not in self._pattern_of:
            self._pattern_of[kind] = next((p for p in self.patterns if self._matches(path, p.keys)), None)
        return self._pattern_of[kind]

    def _matches(self, path: Path, keys: Path) -> bool:
        if keys[-1] == "**":
            keys = keys[:-1]
            return len(path) >= len(keys) and all(map(self._names, path, keys))
        return len(path) == len(keys) and all(map(self._names, path, keys))

    def is_default(self, path: Path, value: str | None) -> bool:
        kind = self._kind(path)
        if kind not in self._defaults_of:
            self._defaults_of[kind] = tuple(default for keys, default in self._defaults if self._matches(path, keys))
        return value in self._defaults_of[kind]

    def rivals(self, path: Path, flat: Iterable[Path]) -> set[Path]:
        """Members of a choice that setting ``path`` replaces."""
        parent = path[:-1]
        if not any(self._matches(parent, keys) for keys in self._choices):
            return set()
        return {p for p in flat if p[: len(parent)] == parent and p != path}

    def choice(self, path: Path) -> bool:
        """Whether ``path`` is an object with exactly one member."""
        return any(self._matches(path, keys) for keys in self._choices)


def disruptions(gone: Mapping[Path, str | None], new: Mapping[Path, str | None]) -> tuple[Disruption, ...]:
    """Classify a change: ``gone`` are leaves that vanish or change their value, ``new`` leaves that are set."""
    found: dict[tuple[str, str], Disruption] = {}
    ordered = {
        "set": sorted(new, key=natural_path),
        "loss": sorted(gone, key=natural_path),
        "any": sorted({*gone, *new}, key=natural_path),
    }
    for row in _DISRUPTION:
        for line in row["paths"]:
            keys = tuple(line.split())
            for path in ordered[row["when"]]:
                if _plain_match(path, keys):
                    where = _object(path)
                    found.setdefault((row["kind"], where), Disruption(row["kind"], where, row["reason"]))
    return tuple(found.values())


def _object(path: Path) -> str:
    """The port or object that a path belongs to, for people."""
    match path[0]:
        case "interface":
            return path[1]
        case "vrf":
            return " ".join(path[3:6])
        case "router":
            return " ".join(path[:4])
    return " ".join(path[:3])


def _below(tree: Tree, *path: str) -> Mapping[str, Any]:
    node: Any = tree
    for key in path:
        node = node.get(key) if isinstance(node, Mapping) else None
    return node if isinstance(node, Mapping) else {}


def _plain_match(path: Path, keys: Path) -> bool:
    if keys[-1] == "**":
        keys = keys[:-1]
        path = path[: len(keys)]
    return len(path) == len(keys) and all(k in ("*", p) for p, k in zip(path, keys, strict=True))
