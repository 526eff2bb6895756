# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML with positions: plain data, and for every path the line it stands on.

YAML 1.1, which Ansible and most editors read, turns some plain words into something else (``on`` into true, ``1:30``
into 90, ``010`` into 8). Each such word is an error here, as are duplicate keys, templates and tags such as ``!vault``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import Any

import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import (
    SECRET,
    IntentError,
    Path,
    Problem,
    dotted,
)

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})$")
_FLOAT = re.compile(r"[-+]?[0-9]+\.[0-9]+$")
MAX_DEPTH = 20  # the schema needs 7; more is a mistake or an attack on the stack


class Document:
    """One YAML file as plain data (``data``) that remembers its lines."""

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self.problems: list[Problem] = []
        self._data: dict[int, Any] = {}  # node id -> plain value, so that aliases cost nothing
        self._index: dict[int, dict[Any, tuple[yaml.Node, yaml.Node]]] = {}
        self.root = self._compose(text)
        self.data = self._plain(self.root, ())

    @classmethod
    def read(cls, path: str) -> Document:
        """Read a file; every reason why it cannot be read is an IntentError."""
        file, path = path, _short(path)
        try:
            raw = FilePath(file).read_bytes()
        except OSError as error:
            raise IntentError([Problem(path, None, "", f"cannot be read: {error.strerror}")]) from None
        if raw.startswith(b"$ANSIBLE_VAULT"):
            text = (
                "expected plain YAML, found a file encrypted with ansible-vault (decrypt it; the intent holds no"
                " secrets)"
            )
            raise IntentError([Problem(path, 1, "", text)])
        try:
            return cls(raw.decode("utf-8-sig"), path)
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            text = f"expected UTF-8 text, found byte 0x{raw[error.start]:02x} (save the file as UTF-8)"
            raise IntentError([Problem(path, line, "", text)]) from None

    def locate(self, path: Sequence[str | int]) -> int:
        """Line of the deepest part of a path that the document has."""
        node, line = self.root, self.root.start_mark.line
        for part in path:
            found = None
            if isinstance(node, yaml.MappingNode):
                found = self._entries(node).get(part)
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                found = (node.value[part], node.value[part])
            if found is None:
                break
            line, node = found[0].start_mark.line, found[1]
        return line + 1

    def _entries(self, node: yaml.MappingNode) -> dict[Any, tuple[yaml.Node, yaml.Node]]:
        """Key -> nodes of key and value; built when the first problem asks for it."""
        if id(node) not in self._index:
            entries = reversed(node.value)  # of a duplicate key the first counts, as in the data
            self._index[id(node)] = {self._data.get(id(key)): (key, value) for key, value in entries}
        return self._index[id(node)]

    def problem(self, path: Sequence[str | int], text: str) -> Problem:
        """A problem at a path of this document."""
        return Problem(self.name, self.locate(path), dotted(path), text)

    # -- reading --------------------------------------------------------------------------------------------------

    def _compose(self, text: str) -> yaml.Node:
        loader = None
        try:
            loader = _Loader(text)
            root = loader.get_single_node()
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
            line = mark.line + 1 if mark else None
            raise IntentError([Problem(self.name, line, "", _syntax(error))]) from None
        finally:
            if loader is not None:
                loader.dispose()
        if root is None or root.tag == _TAG + "null":
            raise IntentError(
                [Problem(self.name, 1, "", "expected a fabric, found an empty file (start from inventories/example)")]
            )
        if not isinstance(root, yaml.MappingNode):
            found = "a list" if isinstance(root, yaml.SequenceNode) else "text"
            text = (
                f"expected a mapping that starts with plugin: lossless.fabric.fabric, found {found} (start from"
                " inventories/example)"
            )
            raise IntentError([Problem(self.name, root.start_mark.line + 1, "", text)])
        return root

    def _add(self, node: yaml.Node, path: Path, text: str) -> None:
        self.problems.append(Problem(self.name, node.start_mark.line + 1, dotted(path), text))

    def _plain(self, node: yaml.Node, path: Path) -> Any:
        key = id(node)
        if key in self._data:
            if self._data[key] is _OPEN:
                self._add(node, path, "expected a value, found an alias to what it is part of (write it out)")
                return None
            return self._data[key]
        self._data[key] = _OPEN
        if len(path) > MAX_DEPTH:
            self._add(
                node,
                path[:3],
                f"expected at most {MAX_DEPTH} levels, found more (see docs/intent.md for the structure)",
            )
            value: Any = None
        elif isinstance(node, yaml.ScalarNode):
            value = self._scalar(node, path)
        elif node.tag not in (_TAG + "map", _TAG + "seq"):
            self._tag(node, path)
            value = None
        elif isinstance(node, yaml.MappingNode):
            value = self._mapping(node, path)
        else:
            value = [self._plain(child, (*path, index)) for index, child in enumerate(node.value)]
        self._data[key] = value
        return value

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        lines: dict[Any, int] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self._add(
                    key_node,
                    path,
                    "expected a name before the colon, found a list or mapping (quote names that hold [ or {)",
                )
                continue
            if key_node.tag == _TAG + "merge":
                self._add(key_node, path, "expected a field, found the merge key << (put shared values into a profile)")
                continue
            key = self._plain(key_node, (*path, key_node.value))
            if key in result:
                text = f"expected each key once, found it again; the first is in line {lines[key]} (join the two)"
                self._add(key_node, (*path, key), text)
                continue
            lines[key] = key_node.start_mark.line + 1
            result[key] = self._plain(value_node, (*path, key))
        return result

    def _scalar(self, node: yaml.ScalarNode, path: Path) -> Any:
        kind, text = node.tag.removeprefix(_TAG), node.value
        if kind == "str":
            if "{{" in text or "{%" in text or "{#" in text:
                self._add(
                    node,
                    path,
                    "expected a plain value, found a template (the intent is not templated; write the value)",
                )
            return text
        if kind == "null":
            return None
        if kind == "bool":
            if text.lower() not in ("true", "false"):
                value = "true" if text.lower() in ("yes", "on") else "false"
                self._add(
                    node,
                    path,
                    f"expected true, false or quoted text, found {text}, which YAML reads as {value} (write {value} or"
                    f' "{text}")',
                )
            return text.lower() in ("true", "yes", "on")
        if kind == "int" and _INTEGER.match(text):
            return int(text)
        if kind == "float" and _FLOAT.match(text):
            return float(text)
        if kind in ("int", "float", "timestamp"):
            seen = _other_integer(text) if kind == "int" else "a date" if kind == "timestamp" else "a number"
            self._add(
                node,
                path,
                f'expected a plain number or quoted text, found {text}, which YAML reads as {seen} (write "{text}" for'
                " the text)",
            )
            return text
        self._tag(node, path)
        return None

    def _tag(self, node: yaml.Node, path: Path) -> None:
        if node.tag in ("!vault", "!vault-encrypted"):
            text = (
                "expected a plain value, found !vault (the intent holds no secrets; put them into group_vars next to"
                " the file)"
            )
        elif path and isinstance(path[-1], str) and SECRET.search(path[-1]):
            text = (
                "expected no secret in this file (put it into group_vars next to the file, encrypted with"
                " ansible-vault)"
            )
        else:
            text = f"expected a plain value, found the tag {node.tag.replace(_TAG, '!!')} (remove the tag)"
        self._add(node, path, text)


def _short(path: str) -> str:
    """Relative to where the user stands, when the file is below it."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


class _Open:
    """A node whose value is still being built."""


_OPEN = _Open()


def _other_integer(text: str) -> str:
    """What YAML 1.1 makes of ``1:30``, ``010``, ``0x10`` and ``1_000``."""
    digits = text.replace("_", "").lstrip("+-")
    if len(digits) > 18:
        return "a huge number"
    if ":" in digits:
        value = 0
        for part in digits.split(":"):
            value = value * 60 + int(part)
        return f"the number {value} (base 60)"
    base = 16 if digits.startswith("0x") else 2 if digits.startswith("0b") else 8 if digits.startswith("0") else 10
    return f"the number {int(digits, base)}"


def _syntax(error: yaml.YAMLError) -> str:
    """One line for a syntax error, without the source line (it may hold anything)."""
    problem = str(getattr(error, "problem", None) or "it is not valid").replace("\n", " ")
    if "mapping values are not allowed" in problem:
        hint = "quote text that holds a colon and a space, and check the indentation"
    elif "cannot start any token" in problem:
        hint = "indent with spaces, and quote text that starts with a special character"
    elif "tab" in problem:
        hint = "indent with spaces"
    elif "but found another document" in problem:
        hint = "keep one document; remove the second ---"
    elif "alias" in problem:
        hint = "quote text that starts with *"
    else:
        hint = "check indentation, brackets and quotes up to this line"
    return f"expected YAML, found a syntax error: {problem} ({hint})"
