# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML as NVUE reads and writes it: the words of YAML 1.2.

NVUE prints ``enable: on`` without quotes and reads its own startup.yaml and NVIDIA's examples back, so ``on``, ``off``,
``yes`` and ``no`` are strings to it. A client with a YAML 1.1 parser makes booleans of them and writes ``true``, which
NVUE refuses where it wants a word.
"""

from __future__ import annotations

import re
from typing import Any

import yaml


class YamlError(Exception):
    """Not YAML. The message names the place, never the text: a file may hold secrets."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Null, true, false and numbers are special, nothing else; a key may be written once."""

    yaml_implicit_resolvers: dict[str, list] = {}


_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), "tTfF")
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?[0-9]+$"), "-+0123456789")
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$"), "-+.0123456789"
)
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""])


def _integer(loader: _Loader, node: yaml.ScalarNode) -> int:
    return int(loader.construct_scalar(node))


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict:
    seen = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, (str, int, float)):
            raise yaml.constructor.ConstructorError(None, None, "found unhashable key", key_node.start_mark)
        if key in seen:
            raise yaml.constructor.ConstructorError(None, None, "found duplicate key", key_node.start_mark)
        seen[key] = loader.construct_object(value_node, deep=True)
    return seen


_Loader.add_constructor("tag:yaml.org,2002:int", _integer)
_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def load(text: str) -> Any:
    """The document as plain data."""
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise YamlError(f"{exc.problem}{where}") from None
    except yaml.YAMLError as exc:
        raise YamlError(type(exc).__name__) from None


class _Dumper(yaml.SafeDumper):
    """Quotes what the loader above would not read back as a string."""

    yaml_implicit_resolvers = _Loader.yaml_implicit_resolvers


_EASY = re.compile(r"[A-Za-z_][\w./-]*")


def scalar(value: Any) -> str:
    """One value or key."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return str(value)
    if _EASY.fullmatch(value) and value.lower() not in ("null", "true", "false"):
        return value
    style = '"' if "\n" in value else None
    return (
        yaml.dump(value, Dumper=_Dumper, width=10**6, allow_unicode=True, default_style=style)
        .removesuffix("\n")
        .removesuffix("\n...")
    )


def dump(operations: list[dict[str, Any]]) -> str:
    """``[{"set": tree}, ...]`` as NVUE prints it: two spaces, sorted as given, lines without end."""
    out: list[str] = []
    for operation in operations:
        for index, (name, tree) in enumerate(operation.items()):
            lead = "- " if index == 0 else "  "
            if isinstance(tree, dict) and tree:
                out.append(f"{lead}{name}:")
                _lines(tree, 4, out)
            else:
                out.append(f"{lead}{name}: {{}}")
    return "\n".join(out)


def _lines(tree: dict[str, Any], indent: int, out: list[str]) -> None:
    for key, value in tree.items():
        head = " " * indent + scalar(key) + ":"
        if isinstance(value, dict) and value:
            out.append(head)
            _lines(value, indent + 2, out)
        elif isinstance(value, dict):
            out.append(head + " {}")
        elif isinstance(value, list):
            out.append(head)
            out.extend(" " * indent + "- " + scalar(item) for item in value)
        else:
            out.append(f"{head} {scalar(value)}".rstrip())
