# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The NVUE tree as data: text to nested mappings, to flat paths, and back to YAML.

Every scalar is a string, because NVUE itself is not consistent (``'10'`` and ``10``, ``on`` that YAML 1.1 reads as
true). An object without content (``{}``, null) is an empty mapping; flat, it is a path with the value None.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import Unreadable

Tree = dict[str, Any]
Path = tuple[str, ...]
Flat = dict[Path, "str | None"]

# Kernel and syslog lines that land in a terminal between the lines of an output.
_LOG_LINE = re.compile(
    r"^(?:\[ *\d+\.\d+\] |[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |\d{4}-\d\d-\d\dT\S+ [\w.-]+ ).*\n?", re.M
)
# Under these keys NVUE compresses numbers: '10-12', '10,20'.
NUMBERED = frozenset({"vlan", "dscp", "pcp", "switch-priority", "traffic-class"})
_NUMBERS = re.compile(r"^\d+(-\d+)?(,\d+(-\d+)?)*$")
_NAMED = re.compile(r"^(?P<stem>[A-Za-z_]+(?:\d+s)?)?(?P<first>\d+)(?:-(?P<last>\d+))?$")
_LIMIT = 4096  # a longer range is not one that a switch wrote


class _Loader(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc] # in C where PyYAML has it
    """Finds the structure and leaves types alone: all is text, and no ``on`` becomes true."""

    def resolve(self, kind: type, value: object, implicit: object) -> str:
        return ""


def _strings(node: yaml.Node | None) -> Any:
    """A node as mappings, lists and strings; half the time of PyYAML's own constructor."""
    if isinstance(node, yaml.MappingNode):
        return {_strings(key): _strings(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_strings(item) for item in node.value]
    return None if node is None else node.value


def read_json(text: str, what: str) -> Any:
    """JSON printed by a command, log lines in between removed."""
    clean = _LOG_LINE.sub("", text).strip()
    start = min((i for i in (clean.find("{"), clean.find("[")) if i >= 0), default=-1)
    if start < 0:
        if clean:
            raise Unreadable(f"{what}: expected JSON, found {clean.splitlines()[0][:120]!r}")
        return {}
    try:
        value, end = json.JSONDecoder().raw_decode(clean, start)
    except ValueError as error:
        raise Unreadable(f"{what}: expected JSON, found something else: {error}") from None
    if clean[end:].strip():
        lines = clean[end:].strip().count("\n") + 1
        raise Unreadable(f"{what}: expected nothing behind the JSON, found {lines} more line(s)")
    return value


def read_config(text: str, what: str) -> Tree:
    """The ``set`` tree of ``nv config show`` (JSON or YAML) or of a startup.yaml."""
    clean = _LOG_LINE.sub("", text).strip()
    if clean.startswith(("[{", "{", "[\n")):
        value = read_json(clean, what)
    else:
        try:
            value = _strings(yaml.compose(clean, Loader=_Loader))
        except yaml.YAMLError as error:
            # Without the excerpt that PyYAML would add: it may hold a secret.
            mark = getattr(error, "problem_mark", None)
            where = f" in line {mark.line + 1}" if mark else ""
            raise Unreadable(f"{what}: neither JSON nor YAML: {getattr(error, 'problem', 'error')}{where}") from None
    tree: Tree = {}
    for part in value if isinstance(value, list) else [value or {}]:
        if not isinstance(part, Mapping):
            raise Unreadable(f"{what}: expected a list of header and set, found {type(part).__name__} in it")
        merge(tree, normal(part.get("set") or {}))
    return tree


def normal(value: Any, path: Path = ()) -> Any:
    """Strings, empty mappings and single names instead of numbers, nulls, lists and ranges."""
    if value is None or (value == "" and path):
        return {}
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple)):
        value = {str(item): {} for item in value}
    if not isinstance(value, dict):
        return str(value)
    result: Tree = {}
    for key, child in value.items():
        for name in expand(str(key), path):
            merged = normal(child, (*path, name))
            if isinstance(result.get(name), dict) and isinstance(merged, dict):
                merge(result[name], merged)
            else:
                result[name] = merged
    return result


def expand(key: str, path: Path) -> list[str]:
    """The names behind one key: 'swp1-3,swp7' where ports stand, '10-12' under vlan; any other key is itself."""
    if path == ("interface",) or (path and path[-1] in ("member", "neighbor") and key.startswith("swp")):
        return _expand_names(key)
    if path and path[-1] in NUMBERED and _NUMBERS.match(key):
        return [str(n) for item in key.split(",") for n in _span(item)]
    return [key]


def _expand_names(key: str) -> list[str]:
    names: list[str] = []
    stem = ""
    for item in key.split(","):
        found = _NAMED.match(item)
        if not found or not (found["stem"] or stem):
            if "," in key and re.fullmatch(r"[\w.-]+", item):
                names.append(item)
                continue
            return [key]
        stem = found["stem"] or stem
        names += [f"{stem}{n}" for n in _span(f"{found['first']}-{found['last'] or found['first']}")]
    return names


def _span(item: str) -> range:
    first, _, last = item.partition("-")
    numbers = range(int(first), int(last or first) + 1)
    if len(numbers) > _LIMIT:
        raise Unreadable(f"range {item!r} holds {len(numbers)} names; expected at most {_LIMIT}")
    return numbers


def merge(into: Tree, other: Mapping[str, Any]) -> None:
    """Add ``other`` to ``into``; where both have a scalar the new one counts."""
    for key, value in other.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            merge(into[key], value)
        else:
            into[key] = value


def flatten(node: Any, path: Path = ()) -> Iterator[tuple[Path, str | None]]:
    """Leaves of a tree; an empty object is a leaf with the value None."""
    if not isinstance(node, dict):
        yield path, node
    elif not node:
        if path:
            yield path, None
    else:
        for key, child in node.items():
            yield from flatten(child, (*path, key))


def nest(flat: Mapping[Path, str | None]) -> Tree:
    """The tree of a flat mapping."""
    tree: Tree = {}
    for path, value in flat.items():
        node = tree
        for key in path[:-1]:
            node = node.setdefault(key, {})
        if value is None:
            node.setdefault(path[-1], {})
        else:
            node[path[-1]] = value
    return tree


def without(flat: Mapping[Path, str | None], gone: set[Path]) -> Flat:
    """``flat`` less everything at or below the paths in ``gone``."""
    if not gone:
        return dict(flat)
    lengths = sorted({len(path) for path in gone})
    return {
        path: value
        for path, value in flat.items()
        if not any(path[:length] in gone for length in lengths if length <= len(path))
    }


def parents(paths: Any) -> set[Path]:
    """Every proper prefix of the paths."""
    return {path[:length] for path in paths for length in range(1, len(path))}


def to_flow(tree: Mapping[str, Any], *, empty: str, width: int, indent: str) -> str:
    """The same as few lines of about ``width`` characters, for typing it into a terminal; ``empty`` is how an object
    without content is written."""
    lines, line = [], indent
    for token in _tokens(tree, empty):
        if len(line) + len(token) > width and line.strip():
            lines.append(line)
            line = indent
        line += token
    return "".join(f"{line.rstrip()}\n" for line in (*lines, line))


def _tokens(tree: Mapping[str, Any], empty: str) -> Iterator[str]:
    yield "{"
    for position, key in enumerate(sorted(tree, key=natural)):
        value = tree[key]
        label = f"{', ' if position else ''}{_key(key)}: "
        if isinstance(value, Mapping) and value:
            yield label
            yield from _tokens(value, empty)
        else:
            yield label + (empty if isinstance(value, Mapping) else _scalar(value))
    yield "}"


_BARE = re.compile(r"^[A-Za-z][A-Za-z0-9_.-]*$|^(?:0|[1-9][0-9]*)$")
_YAML_WORDS = frozenset({"on", "off", "yes", "no", "true", "false", "null", "y", "n", "none"})


def to_yaml(tree: Mapping[str, Any], indent: int = 0) -> str:
    """Block YAML, sorted, without a character that a shell or YAML 1.1 could take for something else."""
    lines = []
    for key in sorted(tree, key=natural):
        value = tree[key]
        label = f"{' ' * indent}{_key(key)}:"
        if isinstance(value, Mapping) and value:
            lines.append(f"{label}\n{to_yaml(value, indent + 2)}")
        elif isinstance(value, Mapping):
            lines.append(f"{label} {{}}\n")
        else:
            lines.append(f"{label} {_scalar(value)}\n")
    return "".join(lines)


def _key(key: str) -> str:
    return f"'{key}'" if key.isdigit() or key.lower() in _YAML_WORDS else _scalar(key)


def _scalar(text: str) -> str:
    if _BARE.match(text) and text.lower() not in _YAML_WORDS:
        return text
    if "'" not in text and "!" not in text and "\\" not in text:
        return f"'{text}'"
    # An interactive shell may expand '!' even where it is quoted; YAML has an escape for it.
    return json.dumps(text).replace("!", "\\x21")


@lru_cache(maxsize=4096)  # the same few words, in thousands of paths
def natural(text: str) -> tuple[Any, ...]:
    """Sort key: swp2 before swp10."""
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", text) if part)


def natural_path(path: Path) -> tuple[Any, ...]:
    return tuple(natural(key) for key in path)


def compress(names: list[str]) -> str:
    """swp1,swp2,swp3,swp7 -> swp1-3,swp7; 10,11,12 -> 10-12."""
    groups: list[tuple[str, int, int]] = []
    for name in sorted(names, key=natural):
        found = _NAMED.match(name)
        stem, number = (found["stem"] or "", int(found["first"])) if found and not found["last"] else (name, -1)
        if number >= 0 and groups and groups[-1][0] == stem and groups[-1][2] == number - 1:
            groups[-1] = (stem, groups[-1][1], number)
        else:
            groups.append((stem, number, number))
    return ",".join(
        stem if first < 0 else f"{stem}{first}" if first == last else f"{stem}{first}-{last}"
        for stem, first, last in groups
    )
