# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Host variables -> model. Written by the inventory plugin or by hand; what is wrong is said in one line each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent import values  # noqa: F401 - fills PATTERNS
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import (
    PATTERNS,
    ModelError,
    Problem,
    dotted,
    expected,
    explain,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.base import PORT_NAME, Strict
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.host import Host
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch

# The model has the patterns of the intent, which are in words already, and this one.
PATTERNS[PORT_NAME] = "the name of a port such as Ethernet1/1 or swp1"

Model = TypeVar("Model", bound=Strict)


def load_switch(data: Any, where: str) -> Switch:
    """Host variable ``switch`` of ``where`` (the inventory name). ModelError: one line per problem."""
    return _load(Switch, data, where, "switch")


def load_host(data: Any, where: str) -> Host:
    """Host variable ``host`` of ``where``. ModelError: one line per problem."""
    return _load(Host, data, where, "host")


def _load(model: type[Model], data: Any, where: str, variable: str) -> Model:
    if not isinstance(data, Mapping):
        text = expected("a mapping", data, "see docs/model.md, or take it from the inventory plugin")
        raise ModelError([Problem(where, None, variable, text)])
    try:
        return model.model_validate_json(json.dumps(data))  # three times as quick as the next lines, and says less
    except (ValueError, TypeError):
        plain = _plain(data)
    try:
        return model.model_validate(plain)
    except ValidationError as error:
        problems = []
        for item in error.errors(include_url=False):
            path, text = explain(item, model, plain)
            problems.append(Problem(where, None, dotted((variable, *path)), text))
        raise ModelError(problems) from None


def _plain(value: Any) -> Any:
    """Ansible's own string and container types -> Python's; lists become the tuples of the model."""
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Mapping):
        return {str(key) if isinstance(key, str) else _plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(map(_plain, value))
    return value
