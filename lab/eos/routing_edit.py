# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What typed lines of BGP, route maps, prefix lists and port channels do beyond setting a value.

``_before`` sees a line that opens a section, ``_set_*`` set and ``_take_*`` answer ``no``. Where the wording of an
error is not documented it is the lab's own; that the line is refused is what matters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lab.cli import Match
from lab.eos.names import is_address
from lab.eos.rejected import RejectedError
from lab.eos.tree import Kind, Node, Tree

if TYPE_CHECKING:
    from lab.eos.language import Language
    from lab.eos.line import Line

BGP_KEY = "router bgp"


class RoutingEdits:
    """Part of the editor."""

    _language: Language
    _section: Any
    _find: Any
    _put: Any
    _prune: Any
    _to_default: Any

    # -- sections ----------------------------------------------------------------------------------------------
    def _before(self, tree: Tree, match: Match) -> Match:
        line: Line = match.payload
        if line.handler == "bgp":
            _check_asn(tree, match)
        elif line.handler == "route-map":
            return self._language.match("config", f"route-map {match.args[0]} permit 10")
        return match

    def _take_bgp(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        if len(match.words) > 2:
            _check_asn(tree, match)
        node = tree.root.get(BGP_KEY)
        if node is not None:
            tree.root.drop(node)

    def _take_route_map(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        for node in [n for n in tree.root.visible() if n.text.split()[:2] == ["route-map", match.args[0]]]:
            tree.root.drop(node)

    # -- prefix lists: in a section, or (as they were loaded from older releases) each entry with the name -------
    def _take_prefix_list(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        for node in [n for n in tree.root.visible() if n.text.split()[:3] == ["ip", "prefix-list", match.args[0]]]:
            tree.root.drop(node)

    def _set_prefix_line(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        self._add_prefix(tree, match.args[0], " ".join(match.words[3:]))

    def _take_prefix_line(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        self._remove_prefix(tree, match.args[0], match.words[3:])

    def _set_prefix_entry(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        self._add_prefix(tree, path[-1][0].split()[-1], match.text)

    def _take_prefix_entry(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        self._remove_prefix(tree, path[-1][0].split()[-1], match.words)

    def _add_prefix(self, tree: Tree, name: str, entry: str) -> None:
        entries = prefix_entries(tree, name)
        if not entry.startswith("seq "):
            entry = f"seq {max(entries, default=0) // 10 * 10 + 10} {entry}"
        _check_lengths(entry)
        number = int(entry.split()[1])
        if entries.get(number) == entry.split()[2:]:
            return
        if number in entries:
            raise RejectedError(f"% Error: Duplicate sequence number {number}")
        if any(_flat(n.text, name) for n in tree.root.children):  # removed ones too: the place they were loaded at
            text = f"ip prefix-list {name} {entry}"
            tree.root.put(text, self._language.classify("config", text))
            return
        text = f"ip prefix-list {name}"
        section = self._section(tree, ((text, self._language.classify("config", text)),))
        section.put(entry, self._language.classify("prefix-list", entry))

    def _remove_prefix(self, tree: Tree, name: str, words: list[str]) -> None:
        for parent, node, entry in list(_prefix_nodes(tree, name)):
            if entry[:2] == words[:2] if words[0] == "seq" else entry[2:] == words:
                parent.drop(node)

    # -- BGP ---------------------------------------------------------------------------------------------------
    def _set_neighbor(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        name = match.args[0]
        if not is_address(name) and not _is_group(tree, path, name):
            raise RejectedError(f"% Peer group {name} does not exist")
        self._put(tree, path, match.text, kind, match.payload)

    def _set_neighbor_activate(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        self._set_neighbor(tree, path, match, kind)

    def _take_neighbor_activate(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        bgp = self._find(tree, path[:1])
        by_default = bgp is not None and bgp.get("bgp default ipv4-unicast") is None
        node = self._find(tree, path)
        written = node is not None and any(c.raw and c.raw.strip() == f"no {match.text}" for c in node.children)
        if by_default or written:
            self._put(tree, path, f"no {match.text}", kind, match.payload)
        else:
            self._to_default(tree, path, kind.key)

    def _set_neighbor_group(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        name = match.args[0]
        if is_address(name):
            raise RejectedError(f"% {name} is an address, not the name of a peer group")
        self._put(tree, path, f"neighbor {name} peer group", kind, match.payload)

    def _take_neighbor_group(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        name = match.args[0]
        if is_address(name):
            self._to_default(tree, path, kind.key)
            return
        bgp = self._section(tree, path)
        _drop_neighbor(bgp, name)
        for node in list(bgp.visible()):
            words = node.text.split()
            member = words[0] == "neighbor" and words[2:] == ["peer", "group", name]
            if member or (words[:2] == ["neighbor", "interface"] and words[3:5] == ["peer-group", name]):
                bgp.drop(node)
        self._prune_families(tree, path)

    def _set_neighbor_member(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        name, group = match.args
        if not _is_group(tree, path, group):
            raise RejectedError(f"% Peer group {group} does not exist")
        if not is_address(name):
            raise RejectedError(f"% {name} is not an address")
        self._put(tree, path, f"neighbor {name} peer group {group}", kind, match.payload)

    def _take_neighbor_member(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        self._to_default(tree, path, kind.key)

    def _take_neighbor_all(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        bgp = self._section(tree, path)
        if _is_group(tree, path, match.args[0]):
            self._take_neighbor_group(tree, path, match, kind)
            return
        _drop_neighbor(bgp, match.args[0])
        self._prune_families(tree, path)

    def _prune_families(self, tree: Tree, path: tuple) -> None:
        for node in list(self._section(tree, path).visible()):
            if node.kind.mode == "router-bgp-af":
                self._prune(tree, (*path, (node.text, node.kind)))

    def _set_bgp_interface(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        if not _is_group(tree, path, match.args[1]):
            raise RejectedError(f"% Peer group {match.args[1]} does not exist")
        for name in match.args[0].split(","):
            text = " ".join(["neighbor interface", name, *match.words[3:]])
            self._put(tree, path, text, Kind(_interface_key(name), kind.rank), match.payload)

    def _take_bgp_interface(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        for name in match.args[0].split(","):
            self._to_default(tree, path, _interface_key(name))

    # -- one command with an option ------------------------------------------------------------------------------
    def _take_ip_routing(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        node = tree.root.get(kind.key)
        if node is not None and node.text == "ip routing ipv6 interfaces":
            tree.root.put("ip routing", kind)

    def _set_bfd_interval(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        text = match.text if match.words[-1] == "default" else f"{match.text} default"
        self._put(tree, path, text, kind, match.payload)

    # -- port channels -------------------------------------------------------------------------------------------
    def _set_channel_group(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        """The first member makes the port channel; its members all speak LACP or none does."""
        number, mode = match.args[0], match.words[-1]
        for port, other in members(tree, number).items():
            if f"interface {port}" != path[-1][0] and (other == "on") != (mode == "on"):
                raise RejectedError(f"% Port-Channel{number} has members in mode {other}")
        name = f"interface Port-Channel{number}"
        self._section(tree, ((name, self._language.classify("config", name)),))
        self._put(tree, path, match.text, kind, match.payload)

    def _keep_bundle(self, tree: Tree, node: Node, name: str) -> bool:
        """A port channel with members is there, with or without settings."""
        if not name.startswith("Port-Channel") or not members(tree, name.removeprefix("Port-Channel")):
            return False
        for child in list(node.visible()):
            node.drop(child)
        return True


def members(tree: Tree, number: str) -> dict[str, str]:
    """Ports of a port channel and their mode."""
    found = {}
    for node in tree.root.visible():
        if node.kind.mode == "interface":
            line = node.get("channel-group")
            if line is not None and line.text.split()[1] == number:
                found[node.text.split()[1]] = line.text.split()[-1]
    return found


def prefix_entries(tree: Tree, name: str) -> dict[int, list[str]]:
    """Number and words (``permit 10.0.0.0/8 le 32``) of the entries of a prefix list, in order."""
    found = {int(entry[1]): entry[2:] for _, _, entry in _prefix_nodes(tree, name) if entry[0] == "seq"}
    return dict(sorted(found.items()))


def _prefix_nodes(tree: Tree, name: str):
    for node in tree.root.visible():
        if _flat(node.text, name):
            yield tree.root, node, node.text.split()[3:]
        elif node.text == f"ip prefix-list {name}":
            yield from ((node, child, child.text.split()) for child in node.visible())


def _flat(text: str, name: str) -> bool:
    return text.startswith(f"ip prefix-list {name} seq ")


def _check_lengths(entry: str) -> None:
    words = entry.split()
    length = int(words[3].partition("/")[2])
    limits = [int(w) for w in words[5::2]]
    if any(limit < length for limit in limits) or limits != sorted(limits):
        raise RejectedError("% Invalid prefix length range")


def _check_asn(tree: Tree, match: Match) -> None:
    node = tree.root.get(BGP_KEY)
    if node is not None and node.text.split()[2] != match.args[0]:
        raise RejectedError(f"% BGP is already running with AS number {node.text.split()[2]}")


def _is_group(tree: Tree, path: tuple, name: str) -> bool:
    bgp = tree.root.get(BGP_KEY)
    pattern = rf"neighbor {re.escape(name)} peer[ -]group"
    return bgp is not None and any(re.fullmatch(pattern, n.text) for n in bgp.visible())


def _drop_neighbor(section: Node, name: str) -> None:
    for node in list(section.visible()):
        words = node.text.removeprefix("no ").split()
        if words[:2] == ["neighbor", name]:
            section.drop(node)
        elif node.kind.mode in ("router-bgp-af", "verbatim") and node.text.startswith("address-family "):
            _drop_neighbor(node, name)


def _interface_key(name: str) -> str:
    return f"neighbor interface {name}"
