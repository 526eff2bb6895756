# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Work on configuration trees: patch, remove, compare, and print them compressed. Trees are never changed in place."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Any

from lab.nvue.ranges import compress, natural
from lab.nvue.schema import Invalid, Node, key_names, merged

Tree = dict[str, Any]

# Leaves that hold a secret, wherever they are. NVUE shows them as '*'.
_SECRET = re.compile(r".*(password|secret|passphrase|auth-key|md5-key|community-string)|key-value")
# Collections whose very keys are secrets stay readable: SNMP community names are keys, and NVUE prints keys.


def masked(tree: Any, key: str = "") -> Any:
    """The tree without its secrets."""
    if isinstance(tree, dict):
        return {k: masked(v, k) for k, v in tree.items()}
    if isinstance(tree, (str, int)) and _SECRET.fullmatch(key) and tree not in ("enabled", "disabled", "on", "off"):
        return "*"
    return tree


def patched(node: Node, base: Tree, patch: Tree, *, old: bool) -> Tree:
    """``base`` with ``patch`` set in it; what excludes each other on the switch is exchanged."""
    out = merged(base, patch)
    for name, port in patch.get("interface", {}).items():
        wanted = at(port, ("link", "state"))
        if wanted and len(wanted) == 1:
            out = replaced(out, ("interface", name, "link", "state"), dict(wanted))
    return _with_switches(_with_types(out, patch), patch, old=old)


def _with_types(tree: Tree, patch: Tree) -> Tree:
    """NVUE fills in what the name of an interface says: its type, the VLAN of an SVI, the base of a subinterface."""
    for name in patch.get("interface", {}):
        port = tree["interface"][name]
        implied: Tree = {}
        if "type" not in port:
            implied["type"] = _type_of(name, port)
        if name.startswith("vlan") and "vlan" not in port:
            implied["vlan"] = int(name[4:])
        if "." in name and not name.startswith("vlan"):
            base, _, tag = name.partition(".")
            implied |= {k: v for k, v in (("base-interface", base), ("vlan", int(tag))) if k not in port}
        if implied:
            tree = merged(tree, {"interface": {name: implied}})
    if at(patch, ("interface", "peerlink", "bond", "member")):
        above = {"type": "sub", "base-interface": "peerlink", "vlan": 4094}
        tree = merged(tree, {"interface": {"peerlink.4094": {**above, **tree["interface"].get("peerlink.4094", {})}}})
    return tree


# Objects that are switched on by setting anything in them; "*" is any key.
_SWITCHES = (
    ("router", "bgp"),
    ("vrf", "*", "router", "bgp"),
    ("vrf", "*", "router", "bgp", "address-family", "*"),
    ("vrf", "*", "router", "bgp", "address-family", "*", "redistribute", "*"),
    ("mlag",),
    ("interface", "*", "bond", "mlag"),
)


def _with_switches(tree: Tree, patch: Tree, *, old: bool) -> Tree:
    """NVUE also switches on what is configured, and tells numbered from unnumbered neighbours by their names."""
    toggle, on = ("enable", "on") if old else ("state", "enabled")
    for pattern in _SWITCHES:
        for path in _matching(patch, pattern):
            if toggle not in (at(tree, path) or {}):
                tree = merged(tree, _nest(path, {toggle: on}))
    for path in _matching(patch, ("vrf", "*", "router", "bgp", "neighbor", "*")):
        if "type" not in (at(tree, path) or {}):
            kind = "numbered" if re.fullmatch(r"[0-9.]+|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*", path[-1]) else "unnumbered"
            tree = merged(tree, _nest(path, {"type": kind}))
    return tree


def _matching(tree: Any, pattern: tuple[str, ...], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if not pattern:
        yield path
    elif isinstance(tree, dict):
        for name in list(tree) if pattern[0] == "*" else [n for n in pattern[:1] if n in tree]:
            yield from _matching(tree[name], pattern[1:], (*path, name))


def _type_of(name: str, port: Tree) -> str:
    if "." in name:
        return "sub"
    if "bond" in port and name != "peerlink":
        return "bond"
    kinds = {"swp": "swp", "eth": "eth", "lo": "loopback", "vlan": "svi", "peerlink": "peerlink", "bond": "bond"}
    return kinds.get(re.match(r"[a-z_]*", name)[0], "bond" if name != "mgmt" else "vrf")


def removed(node: Node, base: Tree, unset: Tree) -> Tree:
    """``base`` without what ``unset`` names (null: all below). Objects left empty go, entries of collections stay."""
    out = dict(base)
    for name, below in unset.items():
        if name not in out:
            continue
        child = node.child(name)
        if below is None or below == {} or not isinstance(out[name], dict):
            del out[name]
            continue
        rest = removed(child, out[name], below)
        if rest or node.key is not None or not out[name]:
            out[name] = rest
        else:
            del out[name]
    return out


def replaced(tree: Tree, path: tuple[str, ...], value: Any) -> Tree:
    """The tree with one place exchanged."""
    out = dict(tree)
    out[path[0]] = value if len(path) == 1 else replaced(out.get(path[0], {}), path[1:], value)
    return out


def at(tree: Any, path: Iterable[str]) -> Any:
    """What is at a place; None where there is nothing."""
    for name in path:
        if not isinstance(tree, dict) or name not in tree:
            return None
        tree = tree[name]
    return tree


def at_map(tree: Any, path: Iterable[str]) -> Tree:
    """The mapping at a place, empty where there is none."""
    found = at(tree, path)
    return found if isinstance(found, dict) else {}


def below(tree: Tree, words: list[str], node: Any) -> Any:
    """The configuration at a path; an empty object where the schema has that path and nothing is configured."""
    found: Any = tree
    for word in words:
        node = node.child(word) if node is not None else None
        if node is None:
            return None
        found = found.get(word) if isinstance(found, dict) else None
    return {} if found is None else found if words else compressed(tree)


def overlap(unset: Tree, wanted: Tree, path: tuple[str, ...] = ()) -> tuple[str, ...] | None:
    """A place that is both unset and set, if there is one: NVUE does not say which comes first."""
    for name, below in unset.items():
        if name not in wanted:
            continue
        if not below or not isinstance(wanted[name], dict):
            return (*path, name)
        found = overlap(below, wanted[name], (*path, name))
        if found:
            return found
    return None


def difference(old: Tree, new: Tree) -> tuple[Tree, Tree]:
    """(what to unset, what to set) to come from old to new. Only new values are told, as NVUE does."""
    unset: Tree = {}
    wanted: Tree = {}
    for name in old:
        if name not in new:
            unset[name] = None
    for name, value in new.items():
        if name not in old:
            wanted[name] = value
        elif isinstance(value, dict) and isinstance(old[name], dict):
            below_unset, below_set = difference(old[name], value)
            if below_unset:
                unset[name] = below_unset
            if below_set:
                wanted[name] = below_set
        elif value != old[name]:
            wanted[name] = value
    return unset, wanted


# -- printing --------------------------------------------------------------------------------------------------
def ordered(tree: Any) -> Any:
    """Sorted as NVUE prints: by name, numbers by value."""
    if not isinstance(tree, dict):
        return tree
    return {k: ordered(tree[k]) for k in sorted(tree, key=natural)}


def compressed(tree: Tree) -> Tree:
    """Interfaces that have the same leaf are told together: ``swp1-3,7: {type: swp}``."""
    out = ordered(tree)
    ports = out.get("interface")
    if not isinstance(ports, dict) or not ports:
        return out
    groups: dict[tuple[tuple[str, ...], str, str], list[str]] = {}
    values: dict[tuple[tuple[str, ...], str, str], Any] = {}
    for name, port in ports.items():
        for path, value in leaves(port):
            key = (path, repr(value), name.rstrip("0123456789") or name)
            groups.setdefault(key, []).append(name)
            values[key] = value
    told: Tree = {}
    for key, names in groups.items():
        path, value, name = key[0], values[key], compress(names)
        if path:
            told[name] = merged(told.get(name, {}), _nest(path, value))
        else:
            told.setdefault(name, value)
    return {**out, "interface": ordered(told)}


def leaves(tree: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """(path, value) of all values and empty objects."""
    if isinstance(tree, dict) and tree:
        for name, below in tree.items():
            yield from leaves(below, (*path, name))
    else:
        yield path, tree


def _nest(path: tuple[str, ...], value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


def commands(verb: str, node: Node, tree: Tree) -> list[str]:
    """``nv set ...`` lines, members of collections compressed to ranges, sorted."""
    groups: dict[tuple[tuple[str, ...], str], list[tuple[int, str]]] = {}
    for path, value in leaves(compressed(tree)):
        words = list(path)
        if not (value is None or isinstance(value, dict)):
            words += [" ".join(value)] if isinstance(value, list) else [str(value)]
        # The last collection in the path that may be written as a range, other than the interfaces above.
        spot = max((i for i, ranged in enumerate(_ranged(node, path)) if ranged and i != 1), default=None)
        if spot is None:
            groups.setdefault((tuple(words), ""), []).append((-1, ""))
        else:
            shape = (tuple(words[:spot]), "\0".join(words[spot + 1 :]))
            groups.setdefault(shape, []).append((spot, words[spot]))
    out = []
    for (head, tail), members in groups.items():
        words = list(head)
        if members[0][0] >= 0:
            words += [compress(name for _, name in members), *(tail.split("\0") if tail else [])]
        out.append(" ".join(["nv", verb, *map(_quoted, words)]))
    return sorted(out)


def _ranged(node: Node, path: tuple[str, ...]) -> Iterator[bool]:
    for name in path:
        ranged = node.ranged if node is not None else False
        yield ranged and name.isdigit()
        node = node.child(name) if node is not None else None


def _quoted(word: str) -> str:
    return word if re.fullmatch(r"[\w@%+=:,./*-]+", word) else shlex.quote(word)


# -- command line ----------------------------------------------------------------------------------------------
class Ambiguous(Exception):
    """A shortened word fits more than one."""

    def __init__(self, choices: list[str]) -> None:
        super().__init__(", ".join(choices))
        self.choices = choices


# Shortest forms that set more than an empty object.
_IMPLIED = {
    ("qos", "roce"): lambda old: {"enable": "on"} if old else {"state": "enabled"},
    ("router", "adaptive-routing"): lambda old: {"enable": "on"} if old else {"state": "enabled"},
    ("interface", "*", "qos", "pfc-watchdog"): lambda old: {"state": "enable"},
}


def parse(node: Node, words: list[str], *, unset: bool, release: int) -> Tree:
    """The patch that the words after ``nv set`` or ``nv unset`` mean. Raises Invalid or Ambiguous."""
    shape: list[str] = []
    tree = _parse(node, words, (), shape, unset=unset)
    if not unset:
        for pattern, value in _IMPLIED.items():
            if len(shape) == len(pattern) and all(p in ("*", s) for p, s in zip(pattern, shape, strict=True)):
                tree = _fill(tree, value(release <= 14))
    return tree


def _fill(tree: Any, value: Tree) -> Any:
    return {k: _fill(v, value) for k, v in tree.items()} if tree else value


def _parse(node: Node, words: list[str], path: tuple[str, ...], shape: list[str], *, unset: bool) -> Any:
    if node.anything:
        return _loose(words, path, unset=unset)
    if not words:
        if node.leaf is not None and not unset:
            raise Invalid(path, "a value is required")
        return None if unset else {}
    if node.leaf is not None:
        if len(words) > 1:
            raise Invalid(path, f"{words[1]!r} was unexpected")
        value = node.leaf.typed(words[0])
        reason = node.leaf.check(value)
        if reason:
            raise Invalid(path, reason)
        return None if unset else value
    word, rest = words[0], words[1:]
    if node.key is not None:
        names = key_names(node, word, path)
        shape.append("*")
        mark = len(shape)
        out = {}
        for name in names:
            del shape[mark:]
            out[name] = _parse(node.entry, rest, (*path, name), shape, unset=unset)
        return out
    name = _keyword(node, word, path)
    shape.append(name)
    return {name: _parse(node.child(name), rest, (*path, name), shape, unset=unset)}


def _keyword(node: Node, word: str, path: tuple[str, ...]) -> str:
    if word in node.children:
        return word
    fits = [name for name in node.children if name.startswith(word)]
    if len(fits) == 1:
        return fits[0]
    if len(fits) > 1:
        raise Ambiguous(fits)
    if node.others and word != node.foreign:
        return word
    raise Invalid(path, f"Additional properties are not allowed ({word!r} was unexpected)")


# Collections below what is not checked: the word after one of these names a member, not a value.
_MEMBERS = {
    *("access", "action", "address", "allow-users", "apply", "bgp", "deny-users", "gateway", "head-end-replication"),
    *(
        "ignore",
        "inbound",
        "interface",
        "listen",
        "listening-address",
        "match",
        "member",
        "network",
        "outbound",
        "permit",
    ),
    *("readonly-community", "redistribute", "relay", "rule", "server", "source", "user", "username", "vni", "vrf"),
}


def _loose(words: list[str], path: tuple[str, ...], *, unset: bool) -> Any:
    """What is not checked: the last word is the value of the one before it, unless that names a collection."""
    if unset or not words:
        return _nest(tuple(words), None if unset else {})
    parent = words[-2] if len(words) > 1 else path[-1]
    value: Any = int(words[-1]) if re.fullmatch(r"[0-9]+", words[-1]) else words[-1]
    if parent in _MEMBERS or (len(words) > 1 and words[-2].isdigit()):
        return _nest(tuple(words), {})
    if len(words) == 1:
        return value
    return _nest(tuple(words[:-1]), value)
