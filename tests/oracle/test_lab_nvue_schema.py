# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema of the emulated NVUE against nvueschema (PyPI), whose models are generated from NVIDIA's OpenAPI files.

Runs in an environment of its own with pytest, pyyaml and nvueschema. Every leaf of the strict branches is tried in both
directions for each release: what the emulator takes nvueschema must take, and the other way round; what is just outside
a range, misspelt or of the other dialect both must refuse. nvueschema does not look at keys of collections and not at
anything between two values; those checks of the emulator are tested in tests/unit/lab/nvue.
"""

from __future__ import annotations

import importlib
import json
import sys
import types
import typing
from collections.abc import Iterator
from typing import Any

import pydantic
import pytest

from lab.nvue.schema import LEAVES, Invalid, Node, normalise, schema
from tests.unit.lab.nvue.trees import leaf, qos

RELEASES = range(9, 19)
# Integers that NVIDIA's files do not bound. The emulator refuses negative ones.
UNBOUNDED = {"service-pool", "key", "table"}
# Names for the keys of collections, by kind of the emulator's tables.
KEYS = {
    "profile": "default-global",
    "port": "swp1",
    "domain": "br_default",
    "vrf": "default",
    "vlan": "10",
    "vni": "10",
    "prefix": "10.0.0.0/31",
    "ipv4net": "10.0.0.0/31",
    "ipv6net": "2001:db8::/127",
    "ip": "10.0.0.1",
    "ipv4": "10.0.0.1",
    "ipv6": "2001:db8::1",
    "host": "192.0.2.1",
    "breakout": "2x",
    "pg": "bulk",
    "instance": "1",
    "l4port": "4791",
    "word": "any",
    "source4": "connected",
    "net": "10.0.0.0/31",
    "peer": "swp1",
    "hash": "source-port",
    "laghash": "source-port",
}
SAMPLES = {
    "text": "some",
    "port": "swp2",
    "vrf": "mgmt",
    "mac": "00:00:5e:00:53:01",
    "ip": "10.0.0.1",
    "ipv4": "10.0.0.1",
    "hostname": "leaf01",
    "timezone": "Etc/UTC",
}


class _Strict(pydantic.BaseModel):
    """The generated models ignore keys that they do not know; with this base they refuse them."""

    model_config = pydantic.ConfigDict(extra="forbid")


@pytest.fixture(scope="module", params=RELEASES, ids=lambda r: f"5.{r}")
def release(request) -> int:
    return request.param


@pytest.fixture(scope="module")
def model(release) -> type[pydantic.BaseModel]:
    name = f"nvueschema.models.v5_{release}"
    sys.modules.pop(name, None)
    stock = pydantic.BaseModel
    pydantic.BaseModel = _Strict
    try:
        return importlib.import_module(name).NvueConfig
    finally:
        pydantic.BaseModel = stock
        sys.modules.pop(name, None)


def theirs(model: type[pydantic.BaseModel], tree: dict[str, Any]) -> list[str]:
    """Complaints of nvueschema."""
    try:
        model.model_validate_json(json.dumps(tree), strict=True)
    except pydantic.ValidationError as exc:
        return [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in exc.errors()]
    return []


def ours(release: int, tree: dict[str, Any]) -> list[str]:
    """Complaints of the emulator."""
    try:
        normalise(schema(release), tree)
    except Invalid as exc:
        return [str(exc)]
    return []


def nest(path: tuple[str, ...], value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


def our_leaves(node: Node, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[Any], list[Any]]]:
    """(path, values that fit, values that do not) of every checked leaf of the emulator."""
    if node.anything:
        return
    if node.leaf is not None:
        good: list[Any] = list(node.leaf.words)
        bad: list[Any] = [{}, ["x"]]
        for low, high in node.leaf.ranges:
            good += [low, low if high is None else high]
            bad += [low - 1, *([] if high is None else [high + 1])]
        good += [SAMPLES[kind] for kind in node.leaf.kinds]
        if not node.leaf.kinds:
            bad += ["nonsense", "on" if "on" not in node.leaf.words else "enable", True]
        yield path, good, bad
        return
    if node.key is not None:
        yield from our_leaves(node.entry, (*path, KEYS.get(node.key, "3")))
    if not node.children and node.key is None:
        yield path, [{}], []
    for name, child in node.children.items():
        yield from our_leaves(child, (*path, name))


def test_what_the_emulator_takes_nvueschema_takes(release, model):
    tried, wrong = 0, []
    for path, good, _ in our_leaves(schema(release)):
        for value in good:
            tree = nest(path, value)
            assert ours(release, tree) == [], "the emulator refuses its own sample"
            tried += 1
            wrong += theirs(model, tree)
    assert wrong == []
    assert tried > 450


def test_what_is_just_outside_both_refuse(release, model):
    tried, wrong = 0, []
    for path, _, bad in our_leaves(schema(release)):
        for value in bad:
            tree = nest(path, value)
            tried += 1
            if not ours(release, tree):
                wrong.append(f"{path}: the emulator takes {value!r}")
            if not theirs(model, tree) and path[-1] not in UNBOUNDED:
                wrong.append(f"{path}: nvueschema takes {value!r}")
    assert wrong == []
    assert tried > 450


def _parts(annotation: Any) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """The alternatives of an annotation with their constraints, without Optional."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        own = [c for a in arguments[1:] for c in getattr(a, "metadata", [a])]
        for part, constraints in _parts(arguments[0]):
            yield part, (*constraints, *own)
    elif origin in (typing.Union, types.UnionType):
        for argument in arguments:
            if argument is not type(None):
                yield from _parts(argument)
    else:
        yield annotation, ()


def their_leaves(annotation: Any, node: Node | None, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """(path, value that fits) of the models, as far as the emulator checks; ``node`` is its place there."""
    if node is not None and node.anything:
        return
    for part, constraints in _parts(annotation):
        origin = typing.get_origin(part)
        if origin is dict:
            key = KEYS.get(node.key, "3") if node is not None and node.key else "1"
            below = node.child(key) if node is not None else None
            value = typing.get_args(part)[1]
            if value is Any:
                yield (path, {}) if node is not None and node.key is None else ((*path, key), {})
            else:
                yield from their_leaves(value, below, (*path, key))
        elif origin is typing.Literal:
            yield from ((path, word) for word in typing.get_args(part))
        elif isinstance(part, type) and issubclass(part, pydantic.BaseModel):
            for name, info in part.model_fields.items():
                name = info.alias or name
                below = node.child(name) if node is not None else None
                yield from their_leaves(_with(info), below, (*path, name))
        elif part is int:
            low = next((c.ge for c in constraints if getattr(c, "ge", None) is not None), 1)
            high = next((c.le for c in constraints if getattr(c, "le", None) is not None), low)
            yield from ((path, low), (path, high))


def _with(info: pydantic.fields.FieldInfo) -> Any:
    return typing.Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation


# Branches that the emulator checks wholly. Elsewhere it knows what a lossless fabric uses and keeps the rest.
WHOLE = (
    "qos",
    "interface.*.link",
    "interface.*.qos",
    "interface.*.type",
    "interface.*.lldp",
    "interface.*.bridge",
    "interface.*.bond",
    "interface.*.router",
    "interface.*.ip",
    "interface.*.ipv4",
    "interface.*.ipv6",
    "bridge",
    "system.lldp",
    "service.lldp",
    "system.ntp",
    "service.ntp",
    "system.gnmi-server",
    "system.forwarding",
    "system.config",
    "router.adaptive-routing",
    "router.bfd",
    "router.bgp",
    "router.vrr",
    "router.policy.prefix-list",
    "vrf.default.router.bgp",
    "mlag",
)


def test_what_nvueschema_takes_the_emulator_takes(release, model):
    tried, wrong = 0, []
    for path, value in their_leaves(model, schema(release), ()):
        shape = ".".join("*" if i == 1 and path[0] == "interface" else p for i, p in enumerate(path))
        if not any(shape == w or shape.startswith(w + ".") for w in WHOLE):
            continue
        tried += 1
        wrong += [f"{shape} = {value!r}: {c}" for c in ours(release, nest(path, value))]
    assert wrong == []
    assert tried > 300


def test_a_leaf_in_its_dialect(release, model):
    old = release <= 14
    assert theirs(model, leaf(old=old)) == []
    assert ours(release, leaf(old=old)) == []
    assert theirs(model, leaf(old=not old)) != []
    assert ours(release, leaf(old=not old)) != []


def test_unknown_keys_are_refused_by_both(release, model):
    def objects(tree: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
        if isinstance(tree, dict) and tree:
            yield path
            for name, below in tree.items():
                yield from objects(below, (*path, name))

    tried = 0
    for path in objects({"qos": qos()}):
        node = schema(release)
        for name in path:
            node = node.child(name)
        if node.key is not None:
            continue  # keys of collections are free in nvueschema
        tree = nest((*path, "un-known"), "enable")
        assert ours(release, tree), path
        assert theirs(model, tree), path
        tried += 1
    assert tried > 15


def test_samples_cover_all_kinds():
    assert set(SAMPLES) == set(LEAVES)
