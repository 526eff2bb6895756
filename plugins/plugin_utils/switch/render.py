# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Model -> text: one Jinja2 template per platform and concern.

Templates see ``switch`` (the validated model), ``release`` ((major, minor) of the switch, or None for the newest
dialect) and the filters of the platform (``switch/<platform>/filters.py``). An undefined name is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import jinja2

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import CONCERNS

TEMPLATES = Path(__file__).parents[3] / "roles" / "switch" / "templates"


@lru_cache(maxsize=8)
def _environment(platform: str, folders: tuple[str, ...]) -> jinja2.Environment:
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader([f"{folder}/{platform}" for folder in folders]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # switch configuration, not HTML; the model's types forbid line breaks
    )
    filters = import_module(f"ansible_collections.lossless.fabric.plugins.plugin_utils.switch.{platform}.filters")
    env.filters.update(filters.FILTERS)
    return env


def render(model: Switch, release: tuple[int, int] | None = None, folders: Sequence[str] = ()) -> dict[str, str]:
    """Render every concern. ``folders`` are searched before the collection's own templates: a file there wins."""
    env = _environment(model.platform, (*folders, str(TEMPLATES)))
    context: dict[str, Any] = {"switch": model, "release": release}
    return {concern: env.get_template(f"{concern}.j2").render(context) for concern in CONCERNS}
