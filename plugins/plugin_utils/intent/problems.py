# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One problem is one line: file, line, path, what was expected, what was found, what to do.

Also the translation of pydantic's errors into that form; the intent and the model (host variables) share it.
"""

from __future__ import annotations

import difflib
import re
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

Path = tuple[str | int, ...]

# A key that looks like this holds a secret: its value is never printed and never accepted.
SECRET = re.compile(
    r"pass(word|wd|phrase)?$|secret|communit(y|ies)|token|credential|private_?key|api_?key|auth_?key|shared_?key|^key$|psk",
    re.I,
)


@dataclass(frozen=True)
class Problem:
    """Something the author of a file has to change."""

    where: str  # file, or "host variables of leaf01"
    line: int | None
    path: str  # "switches.leaf01.ports.Ethernet1/1.mtu"; "" for the file as a whole
    text: str

    def __str__(self) -> str:
        place = self.where if self.line is None else f"{self.where}:{self.line}"
        return f"{place}: {self.path}: {self.text}" if self.path else f"{place}: {self.text}"


class IntentError(ValueError):
    """A file cannot be used. ``problems`` is never empty; the text is one line per problem."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(problems), key=lambda p: (p.line or 0, p.path, p.text))
        super().__init__("\n".join(str(p) for p in self.problems))


class ModelError(IntentError):
    """Host variables do not follow the model."""


def expected(what: str, found: Any, todo: str) -> str:
    """The second half of a line."""
    return f"expected {what}, found {show(found)} ({todo})"


def dotted(path: Sequence[str | int]) -> str:
    """``("links", 3, "a")`` -> ``links[3].a``."""
    text = ""
    for part in path:
        if isinstance(part, int) and text and text != "vlans":  # the intent keys its VLANs by number
            text += f"[{part}]"
        else:
            text += f".{part}" if text else str(part)
    return text


def show(value: Any) -> str:
    """A value as a reader of the file knows it: short, one line."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)}"
    if isinstance(value, (int, float)):
        return str(value)
    text = str(value)
    text = "".join(c if c.isprintable() else "?" for c in text)
    return f'"{text[:57]}..."' if len(text) > 60 else f'"{text}"'


# -- pydantic -----------------------------------------------------------------------------------------------------


def explain(error: ErrorDetails, root: type[BaseModel], data: Any) -> tuple[Path, str]:
    """Path (as far as the document has it) and text of one pydantic error."""
    path = _real_path(error["loc"], data)
    kind, context, found = error["type"], error.get("ctx", {}), error["input"]
    name = str(path[-1]) if path else ""
    parent, field = _field_at(root, path)
    if kind == "extra_forbidden":
        if SECRET.search(name):
            return (
                path,
                (
                    "expected no secret in this file, found a field that names one "
                    "(put it into group_vars next to the file, encrypted with ansible-vault)"
                ),
            )
        known = sorted(parent.model_fields) if parent else []
        close = difflib.get_close_matches(name, known, 1, 0.6)
        if close:
            return path, f'expected a known field, found "{name}" (did you mean {close[0]}?)'
        return path, f'expected one of {", ".join(known) or "no fields"}, found unknown field "{name}" (remove it)'
    if kind == "missing":
        missing = error["loc"][-1]
        _, wanted = _field_at(root, (*path, missing))
        return path, f'expected field "{missing}" ({_meaning(wanted)}), found nothing (add it)'
    if kind == "union_tag_invalid":
        tag = context["discriminator"].strip("'")
        return (*path, tag), expected(_what(kind, context, field), context["tag"], _todo(field, kind))
    if kind == "union_tag_not_found":
        tag = context["discriminator"].strip("'")
        return path, f'expected field "{tag}" ({_meaning(field)}), found nothing (add it)'
    if kind == "value_error" or kind == "assertion_error":
        text = str(context.get("error", error["msg"]))
        return path, text if text.startswith("expected") else f"{text} (correct it)"
    if error["loc"] and error["loc"][-1] == "[key]":
        return path, expected(_what(kind, context, _KeyOf(root, path)), path[-1] if path else found, "change the key")
    todo = "write it in quotes" if kind == "string_type" and isinstance(found, (int, float)) else _todo(field, kind)
    return path, expected(_what(kind, context, field), found, todo)


def _real_path(loc: Sequence[str | int], data: Any) -> Path:
    """pydantic adds steps of its own (names of union members, "[key]"): keep those that exist in the data."""
    path: list[str | int] = []
    here = data
    for part in loc:
        if (isinstance(here, Mapping) and part in here) or (
            isinstance(here, (list, tuple)) and isinstance(part, int) and part < len(here)
        ):
            here = here[part]
        else:
            continue
        path.append(part)
    return tuple(path)


def _field_at(root: type[BaseModel], path: Sequence[str | int]) -> tuple[type[BaseModel] | None, Any]:
    """The model that holds the last step of a path, and its field (None where there is no such field)."""
    here: Any = root
    parent: type[BaseModel] | None = root
    field: Any = None
    for part in path:
        model = _model_in(here, part)
        if model is not None:
            parent, field = model, model.model_fields.get(str(part))
            here = field.annotation if field is not None else None
        else:
            parent, here = None, _item_of(here)
    return parent, field


def _members(annotation: Any) -> list[Any]:
    """Members of a union with None and Annotated peeled off."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _members(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        return [m for arg in get_args(annotation) if arg is not type(None) for m in _members(arg)]
    return [annotation]


def _model_in(annotation: Any, part: str | int) -> type[BaseModel] | None:
    models = [m for m in _members(annotation) if isinstance(m, type) and issubclass(m, BaseModel)]
    return next((m for m in models if part in m.model_fields), models[0] if models else None)


def _item_of(annotation: Any) -> Any:
    for member in _members(annotation):
        args = get_args(member)
        if get_origin(member) is dict:
            return args[1]
        if get_origin(member) in (list, tuple):
            return args[0]
    return None


class _KeyOf:
    """The keys of a mapping, seen as a field."""

    description = None

    def __init__(self, root: type[BaseModel], path: Sequence[str | int]) -> None:
        _, field = _field_at(root, path[:-1])
        mapping = next((m for m in _members(field.annotation) if get_origin(m) is dict), None) if field else None
        self.annotation = get_args(mapping)[0] if mapping is not None else None


def _meaning(field: Any) -> str:
    return (field.description or "").split(". ")[0].rstrip(".") if field is not None else "see docs"


def _limits(field: Any) -> str:
    low = high = None
    stack = list(getattr(field, "metadata", ()))
    for member in (getattr(field, "annotation", None) and [field.annotation, *get_args(field.annotation)]) or ():
        if get_origin(member) is Annotated:
            for extra in get_args(member)[1:]:
                stack.extend(getattr(extra, "metadata", None) or [extra])
    for item in stack:
        low = getattr(item, "ge", low)
        high = getattr(item, "le", high)
    if low is not None and high is not None:
        return f" between {low} and {high}"
    return f" of {low} or more" if low is not None else ""


def _what(kind: str, context: Mapping[str, Any], field: Any) -> str:
    """What pydantic wanted, in words."""
    if kind.startswith("int") or kind in ("greater_than_equal", "less_than_equal"):
        limits = _limits(field)
        if not limits:
            limits = (
                f" of {context['ge']} or more"
                if "ge" in context
                else f" of {context['le']} or less"
                if "le" in context
                else ""
            )
        return f"an integer{limits}"
    if kind == "string_type":
        return "text"
    if kind == "string_pattern_mismatch":
        return PATTERNS.get(context.get("pattern", ""), f"text of the form {context.get('pattern')}")
    if kind == "bool_type":
        return "true or false"
    if kind in ("literal_error", "union_tag_invalid"):
        choices = str(context.get("expected") or context.get("expected_tags")).replace("'", "").replace(" or ", ", ")
        return f"one of {choices}" if "," in choices else choices
    if kind in ("model_type", "dict_type", "model_attributes_type"):
        return "a mapping"
    if kind in ("list_type", "tuple_type"):
        return "a list"
    if kind == "too_short":
        return f"at least {context.get('min_length')} entries"
    if kind == "too_long":
        return f"at most {context.get('max_length')} entries"
    return "another value"


def _todo(field: Any, kind: str) -> str:
    meaning = _meaning(field)
    if kind in ("model_type", "dict_type"):
        return "write fields below it, indented"
    if not meaning or meaning == "see docs":
        return "correct it"
    return meaning if meaning[1:2].isupper() else meaning[0].lower() + meaning[1:]  # DSCP stays DSCP


# pattern -> words; filled by the modules that define the patterns.
PATTERNS: dict[str, str] = {}
