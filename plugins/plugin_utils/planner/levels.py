# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Overrides: policy, then switch profile, then switch, then port. The nearest that states a value wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import Path


@dataclass(frozen=True)
class Value:
    """A value and where it was stated; no path: our default."""

    value: Any
    path: Path = ()


Level = tuple[Path, BaseModel]


def levels_of(fabric: Fabric, switch: str) -> list[Level]:
    """The levels of a switch, nearest first."""
    intent = fabric.switches[switch]
    return [
        (("switches", switch), intent),
        (("switch_profiles", intent.profile), fabric.switch_profiles[intent.profile]),
        (("policy",), fabric.policy),
    ]


def nearest(levels: list[Level], name: str, default: Any = None) -> Value:
    """The value of the nearest level that states one."""
    for path, level in levels:
        value = getattr(level, name, None)
        if value is not None:
            return Value(value, (*path, name))
    return Value(default)


def merged(levels: list[Level], section: str, defaults: dict[str, Any]) -> tuple[dict[str, Any], Path]:
    """A section whose fields are inherited one by one; the path is the nearest statement of any of them."""
    result, nearest_path = dict(defaults), ()
    for path, level in reversed(levels):
        stated = getattr(level, section, None)
        if stated is not None:
            result.update({k: v for k, v in stated.model_dump().items() if v is not None})
            nearest_path = (*path, section)
    return result, nearest_path
