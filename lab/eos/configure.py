# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a line that is typed in configuration mode does to a configuration."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lab.cli import Ambiguous, CommandError, Incomplete, Invalid, Match, Words, compress_ranges, expand_ranges
from lab.eos.language import Language, verbatim_kind
from lab.eos.line import Line
from lab.eos.names import short
from lab.eos.rejected import RejectedError
from lab.eos.routing_edit import RoutingEdits
from lab.eos.tree import Kind, Node, Tree

INVALID = "% Invalid input"
INCOMPLETE = "% Incomplete command"
AMBIGUOUS = "% Ambiguous command"


@dataclass(frozen=True)
class Frame:
    """One level of configuration mode: the sections that the lines go to (several for a range of interfaces)."""

    mode: str
    label: str  # in the prompt
    paths: tuple[tuple[tuple[str, Kind], ...], ...]  # from the top: (text, kind) of each section


TOP = Frame("config", "", ((),))

# Lines of sections that are kept as typed and look like commands of the top level.
_VERBATIM_ANYWAY = {"router": ("vlan",), "hardware": ("system",), "management": ("ip",)}
# Blocks that are never inside each other: one ends the other.
_SIBLINGS = {"address-family", "vlan", "vlan-aware-bundle", "vrf"}
# Sections that are not printed when nothing is in them.
_GONE_WHEN_EMPTY = ("tx-queue", "mc-tx-queue", "router-bgp-af", "router-bfd", "mlag")
# ``no`` of these is itself a setting that EOS prints.
_NO_IS_A_SETTING = ("spanning-tree", "ip routing", "ip igmp snooping", "logging")
_ON_BY_DEFAULT = ("spanning-tree vlan-id", "ip igmp snooping")


def error_text(exc: CommandError) -> str:
    if isinstance(exc, Incomplete):
        return INCOMPLETE
    return AMBIGUOUS if isinstance(exc, Ambiguous) else INVALID


class Editor(RoutingEdits):
    """Applies typed lines. ``ports`` are the physical ports, ``has_uc_queues`` and ``release`` select dialects."""

    def __init__(
        self, language: Language, release: tuple[int, int], ports: Callable[[], Iterable[str]], dnx: bool | None
    ) -> None:
        self._language = language
        self._release = release
        self._ports = ports
        self._dnx = dnx

    def type(self, tree: Tree, frames: tuple[Frame, ...], text: str) -> tuple[Frame, ...]:
        """Apply one line and return the mode it leads to. Raises Invalid, Incomplete, Ambiguous or RejectedError."""
        words = Words(text)
        if not len(words) or (words.words[0].startswith("!") and not words.words[0].startswith("!!")):
            return frames
        failure: CommandError = Invalid()
        for depth in range(len(frames) - 1, -1, -1):
            frame, outer = frames[depth], frames[: depth + 1]
            if self._language.modes[frame.mode].verbatim:
                ended = self._is_top_level(frame, words) or self._opens_outer(frames, words)
                if depth == len(frames) - 1 and not ended:
                    return self._type_verbatim(tree, outer, words)
                continue
            try:
                return self._type_in(tree, outer, words)
            except Invalid:
                continue
        raise failure

    def _is_top_level(self, frame: Frame, words: Words) -> bool:
        """Whether a line typed in a section that is kept as typed ends it: EOS tries the outer modes too."""
        negated = words.words[0] in ("no", "default")
        if negated and len(words) == 1:
            return False
        body = Words(words.rest(1)) if negated else words
        section = frame.paths[0][0][0].split()[0]
        if body.words[0] in _VERBATIM_ANYWAY.get(section, ()):
            return False
        try:
            match = self._language.match("config", body, negated=negated)
        except CommandError:
            return False
        return match.words[0] == body.words[0]  # an abbreviation would be a guess

    def _opens_outer(self, frames: tuple[Frame, ...], words: Words) -> bool:
        """Whether a line typed in a kept section of BGP (a VLAN, a VRF) opens the next section of BGP."""
        mode = next((f.mode for f in reversed(frames) if not self._language.modes[f.mode].verbatim), "config")
        if mode == "config" or (
            frames[-1].paths[0][-1][0].startswith("vlan-aware-bundle") and words.words[0] == "vlan"
        ):
            return False
        try:
            match = self._language.match(mode, words)
        except CommandError:
            return False
        return match.payload.mode is not None and match.words[0] == words.words[0]

    # -- one mode ----------------------------------------------------------------------------------------------
    def _type_in(self, tree: Tree, frames: tuple[Frame, ...], words: Words) -> tuple[Frame, ...]:
        frame = frames[-1]
        verb = words.words[0].lower()
        to_default = len(verb) > 2 and "default".startswith(verb)
        if verb == "no" or to_default:
            if len(words) == 1:
                raise Incomplete
            match = self._language.match(frame.mode, Words(words.rest(1)), negated=True)
            line: Line = match.payload
            self._check(line, match, frame)
            self._remove(tree, frame, match, to_default=to_default)
            return frames
        match = self._language.match(frame.mode, words)
        line = match.payload
        self._check(line, match, frame)
        if line.mode is not None:
            return self._enter(tree, frames, match)
        handler = getattr(self, f"_set_{line.handler.replace('-', '_')}", self._set_plain)
        for path in frame.paths:
            handler(tree, path, match, self._language.kind(frame.mode, match))
        return frames

    def _type_verbatim(self, tree: Tree, frames: tuple[Frame, ...], words: Words) -> tuple[Frame, ...]:
        text = words.line
        first = words.words[0]
        negated = first in ("no", "default") and len(words) > 1
        while len(frames[-1].paths[0]) > 1 and self._language.modes[frames[-2].mode].verbatim:
            inside = frames[-1].paths[0][-1][0].split()[0]
            within = (inside, first) == ("vlan-aware-bundle", "vlan")
            if within or (first != inside and not {first, inside} <= _SIBLINGS):
                break
            frames = frames[:-1]
        path_end = frames[-1].paths[0][-1][0].split()[0]
        kind = verbatim_kind(text)
        if (path_end, first) == ("vlan-aware-bundle", "vlan"):
            kind = Kind(kind.key, kind.rank)  # a list of VLANs, not a section
        for path in frames[-1].paths:
            section = self._section(tree, path)
            if negated and self._drop_verbatim(section, words.rest(1)):
                continue
            if first != "default":
                node = next((c for c in section.children if c.text == text), None)
                if node is None:
                    section.put(text, kind)
                else:
                    node.hidden = False
        if kind.mode is None or negated:
            return frames
        paths = tuple((*path, (text, kind)) for path in frames[-1].paths)
        return (*frames, Frame(kind.mode, _slug(text), paths))

    def _drop_verbatim(self, section: Node, rest: str) -> bool:
        """``no X`` removes X, or if there is no such line, all lines that X begins."""
        found = [c for c in section.visible() if c.text == rest]
        found = found or [c for c in section.visible() if c.text.startswith(f"{rest} ")]
        for node in found:
            section.drop(node)
        return bool(found)

    # -- sections ----------------------------------------------------------------------------------------------
    def _section(self, tree: Tree, path: tuple[tuple[str, Kind], ...]) -> Node:
        """The node of a path, created where it is missing."""
        node = tree.root
        for text, kind in path:
            if kind.mode == "vlan":
                node = self._own_vlan(tree, int(text.split()[1]))
            else:
                node = node.get(kind.key) or node.put(text, kind)
        return node

    def _find(self, tree: Tree, path: tuple[tuple[str, Kind], ...]) -> Node | None:
        node: Node | None = tree.root
        for text, kind in path:
            node = _vlan_node(tree, int(text.split()[1])) if kind.mode == "vlan" else node.get(kind.key)
            if node is None:
                return None
        return node

    def _prune(self, tree: Tree, path: tuple[tuple[str, Kind], ...]) -> None:
        """Sections that EOS does not print when nothing is in them: queues, and physical ports that were not listed."""
        for length in range(len(path), 0, -1):
            text, kind = path[length - 1]
            parent, node = self._find(tree, path[: length - 1]), self._find(tree, path[:length])
            if parent is None or node is None or any(node.visible()):
                continue
            if kind.mode == "vlan":
                self._merge_vlan(tree, node)
            elif kind.mode in _GONE_WHEN_EMPTY or (
                kind.mode == "interface" and not node.loaded and text.split()[1] in self._ports()
            ):
                parent.drop(node)

    def _enter(self, tree: Tree, frames: tuple[Frame, ...], match: Match) -> tuple[Frame, ...]:
        match = self._before(tree, match)
        line: Line = match.payload
        frame = frames[-1]
        if line.handler == "interface":
            return self._enter_interfaces(tree, frames, match)
        if line.handler == "vlan":
            ids = sorted(expand_ranges(match.args[0]) or ())
            kinds = [Kind(f"vlan {v}", self._vlan_rank(v), "vlan") for v in ids]
            for v in ids:
                self._create_vlan(tree, v)
            paths = tuple(((f"vlan {v}", kind),) for v, kind in zip(ids, kinds, strict=True))
            return (frames[0], Frame("vlan", match.args[0], paths))
        kind = self._language.kind(frame.mode, match)
        step = (match.text, kind)
        paths = tuple((*path, step) for path in frame.paths)
        if line.mode not in _GONE_WHEN_EMPTY:
            for path in paths:
                section = self._section(tree, path)
                if line.mode == "route-map":
                    section.text = match.text  # permit and deny of one number replace each other
        label = match.args[-1] if match.args and line.mode != "verbatim" else _slug(match.text)
        return (*frames, Frame(str(line.mode), label, paths))

    def _enter_interfaces(self, tree: Tree, frames: tuple[Frame, ...], match: Match) -> tuple[Frame, ...]:
        names = match.args[0].split(",")
        ports = set(self._ports())
        if any(n.startswith("Ethernet") and n not in ports for n in names):
            raise Invalid
        paths = []
        for name in names:
            step = (f"interface {name}", self._interface_kind(name))
            paths.append((step,))
            if not name.startswith(("Ethernet", "Management")):
                self._section(tree, (step,))
        label = short(names[0]) if len(names) == 1 else f"{short(names[0])}-{re.sub('^[A-Za-z-]+', '', names[-1])}"
        return (frames[0], Frame("interface", label, tuple(paths)))

    def _interface_kind(self, name: str) -> Kind:
        return self._language.classify("config", f"interface {name}")

    # -- setting -----------------------------------------------------------------------------------------------
    def _check(self, line: Line, match: Match, frame: Frame) -> None:
        if self._release < line.since or (line.queues == "uc" and self._dnx):
            raise Invalid
        if line.on and not all(path[-1][0].startswith(f"interface {line.on}") for path in frame.paths):
            raise Invalid
        in_profile = any(kind.mode == "qos-profile" for path in frame.paths for _, kind in path)
        if line.handler == "ecn-count" and in_profile and not self._dnx and self._release < (4, 31):
            raise Invalid

    def _put(self, tree: Tree, path: tuple, text: str, kind: Kind, line: Line) -> None:
        if text in line.hide:
            self._to_default(tree, path, kind.key)
            return
        self._section(tree, path).put(text, kind)

    def _to_default(self, tree: Tree, path: tuple, key: str) -> None:
        section = self._find(tree, path)
        node = section.get(key) if section else None
        if section is None or node is None:
            return
        written = node.raw.strip() if node.raw is not None else ""
        if written and self._language.classify(section.kind.mode, written).default:
            node.text = written  # it was written out although it is the default
        else:
            section.drop(node)
        self._prune(tree, path)

    def _set_plain(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        self._put(tree, path, match.text, kind, match.payload)

    def _set_thresholds(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        words = match.words
        low, high = words.index("minimum-threshold"), words.index("maximum-threshold")
        if words[low + 2] != words[high + 2]:
            raise Invalid
        if int(words[low + 1]) > int(words[high + 1]):
            raise RejectedError("% Minimum threshold must not be greater than maximum threshold")
        text = _full_thresholds(match.text)
        section = self._section(tree, path)
        written = next((c.raw.strip() for c in section.children if c.raw and c.kind.key == kind.key), "")
        self._put(tree, path, written if _full_thresholds(written) == text else text, kind, match.payload)

    def _set_verbatim(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        section = self._section(tree, path)
        existing = section.get(kind.key)
        if existing is not None and existing.text == f"no {match.text}" and match.text.startswith(_ON_BY_DEFAULT):
            section.drop(existing)
        else:
            section.put(match.text, kind)

    def _set_allowed_vlan(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        everything = set(range(1, 4095))
        section = self._find(tree, path)
        node = section.get(kind.key) if section else None
        listed = node.text.split()[-1] if node else "1-4094"
        current = everything if listed == "all" else expand_ranges(listed) or set()
        verb = match.words[4]
        given = expand_ranges(match.args[0]) or set() if match.args else set()
        wanted = {
            "all": everything,
            "none": set(),
            "add": current | given,
            "remove": current - given,
            "except": everything - given,
        }.get(verb, given)
        text = f"switchport trunk allowed vlan {compress_ranges(wanted) or 'none'}"
        self._put(tree, path, text, kind, match.payload)

    def _set_address_secondary(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        section = self._find(tree, path)
        if section is None or section.get("ip address") is None:
            raise RejectedError("% Primary address must be assigned first")
        self._put(tree, path, match.text, kind, match.payload)

    def _set_fec(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        """Both codes may be allowed at once; a code and "none" exclude each other."""
        self._to_default(tree, path, " ".join(match.prefix))
        self._put(tree, path, match.text, kind, match.payload)

    def _remove_fec(self, tree: Tree, path: tuple, match: Match, kind: Kind, *, to_default: bool) -> None:
        if match.words != match.prefix:
            self._to_default(tree, path, kind.key)
            return
        for code in ("reed-solomon", "fire-code"):
            self._to_default(tree, path, f"{match.text} {code}")
        if to_default:
            self._to_default(tree, path, kind.key)
        else:
            self._put(tree, path, match.payload.no, kind, match.payload)

    def _set_end(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        """``end`` inside a pasted configuration; the shell handles the typed one."""

    # -- removing ----------------------------------------------------------------------------------------------
    def _remove(self, tree: Tree, frame: Frame, match: Match, *, to_default: bool) -> None:
        line: Line = match.payload
        kind = self._language.kind(frame.mode, match)
        take_away = getattr(self, f"_take_{line.handler.replace('-', '_')}", None)
        for path in frame.paths:
            if take_away is not None:
                take_away(tree, path, match, kind)
            elif line.handler == "interface":
                for name in match.args[0].split(","):
                    self._remove_interface(tree, name)
            elif line.handler == "vlan":
                for v in expand_ranges(match.args[0]) or ():
                    self._remove_vlan(tree, v)
            elif line.handler == "qos-map":
                self._map(tree, match, None)
            elif line.handler == "verbatim":
                self._remove_verbatim(tree, path, match, kind)
            elif line.mode is not None:
                section = self._find(tree, path)
                node = section.get(kind.key) if section else None
                if section is not None and node is not None:
                    section.drop(node)
                    self._prune(tree, path)
            elif line.handler == "fec":
                self._remove_fec(tree, path, match, kind, to_default=to_default)
            elif line.no and not to_default:
                self._put(tree, path, line.no.format(*match.args), kind, line)
            else:
                if line.handler == "address":
                    self._remove_secondaries(tree, path)
                self._to_default(tree, path, kind.key)

    def _remove_verbatim(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        section = self._section(tree, path)
        negated = f"no {match.text}"
        written = next((c for c in section.children if c.raw is not None and c.raw.strip() == negated), None)
        if written is not None:
            written.text, written.hidden = negated, False
        elif self._drop_verbatim(section, match.text):
            self._prune(tree, path)
        elif section.get(kind.key) is None and match.text.startswith(_NO_IS_A_SETTING):
            section.put(negated, kind)

    def _remove_secondaries(self, tree: Tree, path: tuple) -> None:
        section = self._find(tree, path)
        for node in list(section.visible()) if section else []:
            if node.text.startswith("ip address ") and node.text.endswith(" secondary"):
                section.drop(node)

    def _remove_interface(self, tree: Tree, name: str) -> None:
        path = ((f"interface {name}", self._interface_kind(name)),)
        node = self._find(tree, path)
        if node is None:
            return
        if not name.startswith(("Ethernet", "Management")):
            if not self._keep_bundle(tree, node, name):
                tree.root.drop(node)
            return
        for child in list(node.visible()):
            if not child.kind.default:
                node.drop(child)
        self._prune(tree, path)

    # -- VLANs: those without settings share one line ------------------------------------------------------------
    def _vlan_rank(self, vlan: int) -> tuple:
        return self._language.classify("config", f"vlan {vlan}").rank

    def _create_vlan(self, tree: Tree, vlan: int) -> None:
        if vlan == 1 or _vlan_node(tree, vlan) is not None:
            return
        removed = next((n for n in tree.root.children if n.hidden and n.raw and vlan in _vlans_of(n, n.raw)), None)
        bare = next((n for n in _vlan_nodes(tree) if not any(n.visible())), None)
        if removed is not None and removed.kind.mode == "vlan":
            removed.hidden = False
            _set_vlans(removed, {vlan})
            for child in removed.children:
                child.hidden = True
        elif bare is not None:
            _set_vlans(bare, _vlans_of(bare) | {vlan})
        else:
            tree.root.put(f"vlan {vlan}", Kind(f"vlan {vlan}", self._vlan_rank(vlan), "vlan"))

    def _own_vlan(self, tree: Tree, vlan: int) -> Node:
        """The section of this VLAN alone, taken out of a shared line."""
        node = _vlan_node(tree, vlan)
        if node is not None and _vlans_of(node) != {vlan}:
            _set_vlans(node, _vlans_of(node) - {vlan})
            node = None
        key = f"vlan {vlan}"
        return node or tree.root.put(key, Kind(key, self._vlan_rank(vlan), "vlan"))

    def _merge_vlan(self, tree: Tree, node: Node) -> None:
        other = next((n for n in _vlan_nodes(tree) if n is not node and not any(n.visible())), None)
        if other is not None:
            vlans = _vlans_of(node)
            tree.root.drop(node)
            _set_vlans(other, _vlans_of(other) | vlans)

    def _remove_vlan(self, tree: Tree, vlan: int) -> None:
        node = _vlan_node(tree, vlan)
        if node is None:
            return
        rest = _vlans_of(node) - {vlan}
        if rest:
            _set_vlans(node, rest)
        else:
            tree.root.drop(node)

    # -- qos map: values with the same target share one line -----------------------------------------------------
    def _set_qos_map(self, tree: Tree, path: tuple, match: Match, kind: Kind) -> None:
        fixed = match.words[2] == "traffic-class" and match.words[5] == "tx-queue"
        if fixed and ("7" in match.words[3].split()) != (match.words[6] == "7"):
            raise Invalid  # traffic class 7 and queue 7 are for control traffic and belong together
        self._map(tree, match, " ".join(match.words[4:]))

    def _map(self, tree: Tree, match: Match, target: str | None) -> None:
        """Map the values of the command to ``target`` ("to traffic-class 3"); None: as the switch does by itself."""
        source = match.words[2]
        relation = (source, match.words[5] if len(match.words) > 5 else "traffic-class")
        lines = [(n, *m) for n in tree.root.children if (m := self._map_line(n.text, relation))]
        written = [(n, *m) for n in tree.root.children if n.raw and (m := self._map_line(n.raw.strip(), relation))]
        for value in map(int, match.words[3].split()):
            wanted = target or _default_target(relation, value)
            holding = [(node, to) for node, values, to in lines if not node.hidden and value in values]
            if (holding[-1][1] if holding else _default_target(relation, value)) == wanted:
                continue
            for node, values, _ in lines:
                if value in values and not node.hidden:
                    values.discard(value)
                    _set_values(tree, node, values)
            spelled_out = any(value in values and to == wanted for _, values, to in written)
            if wanted is None or (wanted == _default_target(relation, value) and not spelled_out):
                continue
            same = [(node, values) for node, values, to in lines if to == wanted]
            if same:
                node, values = same[0]
                values.add(value)
                _set_values(tree, node, values)
            else:
                text = f"qos map {source} {value} {wanted}"
                key = f"qos map {source} {wanted}"
                kind = self._language.kind("config", self._language.match("config", text))
                node = tree.root.put(text, Kind(key, kind.rank, None, kind.family))
                lines.append((node, {value}, wanted))
        if _effect((v, to) for n, v, to in lines if not n.hidden) == _effect((v, to) for _, v, to in written):
            for node, _, _ in lines:  # all is as it was loaded, so it reads as it was loaded
                if node.raw is not None:
                    node.text, node.hidden = node.raw.strip(), False
                elif node in tree.root.children:
                    tree.root.drop(node)

    def _map_line(self, text: str, relation: tuple[str, str]) -> tuple[set[int], str] | None:
        words = text.split()
        if words[:2] != ["qos", "map"] or words[2] != relation[0] or "to" not in words:
            return None
        to = words.index("to")
        if words[to + 1] != relation[1]:
            return None
        return {int(v) for v in words[3:to]}, " ".join(words[to:])


def _default_target(relation: tuple[str, str], value: int) -> str | None:
    """What EOS does without a line. The two lowest classes are exchanged: unmarked traffic is better than scavenger."""
    if relation[1] == "traffic-class":
        n = value // 8 if relation[0] == "dscp" else value
        return f"to traffic-class {({0: 1, 1: 0}).get(n, n)}"
    return f"to tx-queue {value}" if relation[1] == "tx-queue" else None


def _effect(lines: Iterable[tuple[set[int], str]]) -> dict[int, str]:
    """What a set of map lines says in the end; a later line overrides an earlier one."""
    return {value: target for values, target in lines for value in values}


def _set_values(tree: Tree, node: Node, values: set[int]) -> None:
    words = node.text.split()
    if not values:
        tree.root.drop(node)
        return
    node.hidden = False
    if node.raw is not None and {w for w in node.raw.split()[3:] if w.isdecimal()} >= {str(v) for v in values}:
        raw = node.raw.split()
        if {int(v) for v in raw[3 : raw.index("to")]} == values:
            node.text = node.raw.strip()
            return
    to = words.index("to")
    node.text = " ".join(["qos map", words[2], *map(str, sorted(values)), *words[to:]])


def _full_thresholds(text: str) -> str:
    """EOS prints the probability even if it was not typed, and hides weight 0."""
    text = text.removesuffix(" weight 0")
    if text.startswith("random-detect ecn") and "max-mark-probability" not in text:
        before, weight, after = text.partition(" weight ")
        return f"{before} max-mark-probability 100{weight}{after}"
    return text


def _vlan_nodes(tree: Tree) -> list[Node]:
    return [n for n in tree.root.visible() if n.kind.mode == "vlan"]


def _vlans_of(node: Node, text: str = "") -> set[int]:
    words = (text or node.text).split()
    return (expand_ranges(words[1]) if words[0] == "vlan" and len(words) == 2 else None) or set()


def _set_vlans(node: Node, vlans: set[int]) -> None:
    node.text = f"vlan {compress_ranges(vlans)}"


def _vlan_node(tree: Tree, vlan: int) -> Node | None:
    return next((n for n in _vlan_nodes(tree) if vlan in _vlans_of(n)), None)


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")
