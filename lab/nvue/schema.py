# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema of one release, made from the tables: what may be set where, and why not otherwise.

Messages are those of a JSON schema checker, which is what NVUE prints ("'400g' is not one of [...]").
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from lab.nvue import tables
from lab.nvue.ranges import RangeError, expand

OLDEST, NEWEST = 9, 18  # minor releases the tables describe; others are taken for the nearest


def _ip(text: str, version: int | None = None) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return version is None or address.version == version


def _net(text: str, version: int | None = None) -> bool:
    try:
        network = ipaddress.ip_interface(text)
    except ValueError:
        return False
    return "/" in text and (version is None or network.version == version)


def _number(low: int, high: int) -> Callable[[str], bool]:
    return lambda text: text.isascii() and text.isdigit() and str(int(text)) == text and low <= int(text) <= high


def _like(pattern: str) -> Callable[[str], bool]:
    return lambda text: re.fullmatch(pattern, text) is not None


_HOST = r"[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*"


def port_name(text: str) -> bool:
    """An interface NVUE knows: swp1, swp1s0, swp1.10, eth0, lo, bond1, vlan10, peerlink.4094; not Ethernet1."""
    if text.startswith("swp"):
        return re.fullmatch(r"swp[1-9][0-9]*(s[0-9])?(\.[1-9][0-9]*)?", text) is not None
    if text.startswith("eth"):
        return re.fullmatch(r"eth[0-9]+(\.[1-9][0-9]*)?", text) is not None
    if re.fullmatch(r"vlan[0-9]+", text):
        return _number(1, 4094)(text[4:])
    return re.fullmatch(r"[a-z][a-z0-9_]{0,14}(\.[1-9][0-9]*)?", text) is not None


# Kinds of keys: (is it one, may it be written as a range). Ranges end where names contain '-' themselves.
KEYS: dict[str, tuple[Callable[[str], bool], bool]] = {
    "profile": (_like(r"[A-Za-z][A-Za-z0-9_.-]{0,63}"), False),
    "dscp": (_number(0, 63), True),
    "pcp": (_number(0, 7), True),
    "sp": (_number(0, 7), True),
    "tc": (_number(0, 7), True),
    "tc16": (_number(0, 15), True),
    "pool": (_number(0, 7), True),
    "pg": (_like(r"bulk|service[1-7]"), False),
    "port": (port_name, True),
    "vlan": (_number(1, 4094), True),
    "vni": (_number(1, 16777215), True),
    "rule": (_number(1, 65535), True),
    "l4port": (_number(1, 65535), True),
    "instance": (_number(1, 1), False),
    "breakout": (_like(r"[1248]x|disabled|loopback"), False),
    "domain": (_like(r"[a-z][a-z0-9_]{0,14}"), False),
    "vrf": (_like(r"[a-zA-Z][a-zA-Z0-9_-]{0,14}"), False),
    "word": (_like(r"\S+"), False),
    "source4": (_like(r"connected|static|kernel|ospf"), False),
    "net": (_net, False),
    "peer": (lambda text: _ip(text) or re.fullmatch(r"[A-Za-z][\w.-]*", text) is not None, True),
    "host": (lambda text: _ip(text) or re.fullmatch(_HOST, text) is not None, False),
    "ip": (_ip, False),
    "ipv4": (lambda text: _ip(text, 4), False),
    "ipv6": (lambda text: _ip(text, 6), False),
    "prefix": (lambda text: text == "dhcp" or _net(text), False),
    "ipv4net": (lambda text: _net(text, 4), False),
    "ipv6net": (lambda text: _net(text, 6), False),
    "hash": (
        _like(
            r"(inner-)?(source|destination)-(ip|port)|(inner-)?ip-protocol|(inner-)?ipv6-label"
            r"|gtp-teid|ingress-interface"
        ),
        False,
    ),
    "laghash": (_like(r"(source|destination)-(ip|port|mac)|ip-protocol|ether-type|vlan|gtp-teid"), False),
}

LEAVES: dict[str, Callable[[str], bool]] = {
    "text": lambda text: True,
    "port": port_name,
    "vrf": KEYS["vrf"][0],
    "mac": _like(r"([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}"),
    "ip": _ip,
    "ipv4": lambda text: _ip(text, 4),
    "hostname": _like(_HOST),
    "timezone": _like(r"[A-Z][A-Za-z0-9_+-]*(/[A-Z][A-Za-z0-9_+-]*){0,2}"),
}


class Invalid(Exception):
    """A path or a value that the schema does not have."""

    def __init__(self, path: tuple[str, ...], reason: str) -> None:
        super().__init__(f"{'.'.join(path)}: {reason}" if path else reason)
        self.path = path
        self.reason = reason


@dataclass
class Leaf:
    """What one value may be."""

    words: tuple[str, ...] = ()
    ranges: tuple[tuple[int, int | None], ...] = ()
    kinds: tuple[str, ...] = ()
    longest: int | None = None

    @classmethod
    def parse(cls, text: str) -> Leaf:
        words, ranges, kinds, longest = [], [], [], None
        for part in text.split("|"):
            bounds = re.fullmatch(r"([0-9]+)(-([0-9]*))?", part)
            if bounds:
                high = int(bounds[1]) if bounds[2] is None else int(bounds[3]) if bounds[3] else None
                ranges.append((int(bounds[1]), high))
            elif part.startswith("@"):
                kind, _, length = part[1:].partition(":")
                kinds.append(kind)
                longest = int(length) if length else None
            else:
                words.append(part.strip("'"))
        return cls(tuple(words), tuple(ranges), tuple(kinds), longest)

    def check(self, value: Any) -> str | None:
        """Why this value is wrong, or None."""
        if isinstance(value, str):
            if value in self.words:
                return None
            if any(LEAVES[kind](value) for kind in self.kinds):
                if not 1 <= len(value) <= (self.longest or 65535):
                    return f"{value!r} is too {'long' if value else 'short'}"
                return None
        elif isinstance(value, int) and not isinstance(value, bool):
            low = [a for a, _ in self.ranges]
            if any(a <= value and (b is None or value <= b) for a, b in self.ranges):
                return None
            if low and not self.words:
                limit = self.ranges[-1][1]
                if limit is not None and value > limit:
                    return f"{value} is greater than the maximum of {limit}"
                return f"{value} is less than the minimum of {min(low)}"
        return self._mismatch(value)

    def _mismatch(self, value: Any) -> str:
        forms = bool(self.words) + bool(self.ranges) + bool(self.kinds)
        if forms > 1:
            return f"{value!r} is not valid under any of the given schemas"
        if self.words:
            return f"{value!r} is not one of {list(self.words)}"
        if self.ranges:
            return f"{value!r} is not of type 'integer'"
        if not isinstance(value, str):
            return f"{value!r} is not of type 'string'"
        return f"{value!r} is not a '{self.kinds[0]}'"

    def typed(self, text: str) -> Any:
        """A word of the command line as a value: an integer where one fits."""
        if text in self.words or not re.fullmatch(r"-?[0-9]+", text):
            return text
        return int(text) if self.ranges else text

    @property
    def help(self) -> str:
        numbers = [f"integer:{a} - {'' if b is None else b}".rstrip() for a, b in self.ranges]
        return " | ".join([*(["enum:" + ", ".join(self.words)] if self.words else []), *numbers, *self.kinds])


@dataclass
class Node:
    """One place of the tree. At most one of ``leaf``, ``anything`` and the children is in use."""

    children: dict[str, Node] = field(default_factory=dict)
    key: str | None = None  # kind of the keys of a collection
    entry: Node | None = None  # what is below each key
    leaf: Leaf | None = None
    anything: bool = False  # this node and all below it are kept as they are
    others: bool = False  # children that are not listed are kept as they are
    foreign: str = ""  # but not this one: it is how the other dialect switches the object on

    def child(self, name: str) -> Node | None:
        if self.anything:
            return self
        if self.entry is not None:
            return self.entry
        return self.children.get(name) or (_ANYTHING if self.others and name != self.foreign else None)

    @property
    def ranged(self) -> bool:
        return self.key is not None and KEYS[self.key][1]


_ANYTHING = Node(anything=True)


def minor(release: str | None) -> int:
    """The minor release that the tables know: '5.14.0' -> 14."""
    found = re.match(r"5\.(\d+)", release or "")
    return min(max(int(found[1]), OLDEST), NEWEST) if found else NEWEST


def lines(release: int) -> Iterator[tuple[list[str], str]]:
    """(path, kind) of every line that holds for this release; SWITCH and TOGGLE are resolved."""
    old = release <= 14
    toggle = "on|off" if old else "enabled|disabled"
    for line in tables.LINES.splitlines():
        match = re.fullmatch(r"\s*(?:\[(\d*)-(\d*)\])?\s*(\S+)\s+(\S+)\s*", line)
        if not match:
            if line.strip():
                raise ValueError(f"schema line {line!r}")
            continue
        low, high, path, kind = match.groups()
        if not int(low or 0) <= release <= int(high or 99):
            continue
        path = path.replace("LLDP.", "service.lldp." if old else "system.lldp.")
        if kind == "SWITCH":
            yield [*path.split("."), "state" if old else "enable"], "FOREIGN"
            path, kind = path + (".enable" if old else ".state"), toggle
        elif kind == "TOGGLE":
            kind = toggle
        # Keys hold no dots in the tables, so that a plain split is right.
        yield path.split("."), kind


@cache
def schema(release: int) -> Node:
    """The tree of one minor release."""
    root = Node()
    for path, kind in lines(release):
        node = root
        if kind == "FOREIGN":
            path, foreign = path[:-1], path[-1]
        for name in path:
            if name == "*":
                node.others = True
                break
            if name.startswith("<"):
                node.key = name.strip("<>")
                node.entry = node.entry or Node()
                node = node.entry
            else:
                node = node.children.setdefault(name, Node())
        else:
            if kind == "FOREIGN":
                node.foreign = foreign
            elif kind == "*":
                node.anything = True
            elif kind != "{}":
                node.leaf = Leaf.parse(kind)
    return root


def normalise(node: Node, tree: Any, path: tuple[str, ...] = (), *, unset: bool = False) -> Any:
    """The tree with ranges expanded and keys as strings; raises :class:`Invalid` for what the schema does not have.

    With ``unset`` a missing value (null) stands for everything below it.
    """
    if unset and tree is None:
        return None
    if node.anything:
        return _plain(tree, path, unset=unset)
    if node.leaf is not None:
        if unset and tree == {}:
            return None
        if isinstance(tree, dict):
            raise Invalid(path, f"{tree!r} is not valid under any of the given schemas")
        reason = node.leaf.check(tree)
        if reason:
            raise Invalid(path, reason)
        return tree
    if tree is None:
        tree = {}
    if not isinstance(tree, dict):
        raise Invalid(path, f"{tree!r} is not of type 'object'")
    out: dict[str, Any] = {}
    for raw, value in tree.items():
        for name in key_names(node, raw, path):
            child = node.child(name)
            if child is None:
                raise Invalid(path, f"Additional properties are not allowed ({name!r} was unexpected)")
            below = normalise(child, value, (*path, name), unset=unset)
            out[name] = merged(out[name], below) if isinstance(below, dict) and name in out else below
    return out


def key_names(node: Node, raw: Any, path: tuple[str, ...]) -> list[str]:
    if isinstance(raw, bool) or not isinstance(raw, (str, int)):
        raise Invalid(path, f"{raw!r} is not of type 'string'")
    name = str(raw)
    if node.key is None:
        return [name]
    valid, ranged = KEYS[node.key]
    try:
        names = [name] if valid(name) or not ranged else expand(name)
    except RangeError as exc:
        raise Invalid(path, str(exc)) from exc
    for each in names:
        if not valid(each):
            raise Invalid(path, f"{each!r} is not a '{node.key}'")
    return names


def _plain(tree: Any, path: tuple[str, ...], *, unset: bool) -> Any:
    if isinstance(tree, dict):
        out = {}
        for raw, value in tree.items():
            if isinstance(raw, bool) or not isinstance(raw, (str, int)):
                raise Invalid(path, f"{raw!r} is not of type 'string'")
            out[str(raw)] = _plain(value, (*path, str(raw)), unset=unset)
        return out
    if isinstance(tree, bool):
        raise Invalid(path, f"{tree!r} is not valid under any of the given schemas")
    if tree is None and not unset:
        return {}
    return tree


def merged(base: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """A new tree: ``base`` with the values of ``patch``."""
    out = dict(base)
    for name, value in patch.items():
        old = out.get(name)
        out[name] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return out
