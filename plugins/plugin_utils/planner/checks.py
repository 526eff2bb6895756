# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Collects what is wrong with a plan, each with its place in the intent."""

from __future__ import annotations

from dataclasses import dataclass, field

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import Path, dotted


@dataclass
class Checks:
    """Problems as (path in the intent, text), in the order found, each once."""

    found: dict[tuple[Path, str], None] = field(default_factory=dict)

    def add(self, path: Path, text: str) -> None:
        """Note one problem."""
        self.found[(path, text)] = None

    def finish(self) -> None:
        """Raise PlanError when there is a problem."""
        if self.found:
            raise PlanError(tuple(self.found))


class PlanError(ValueError):
    """The intent is well formed and cannot be built. ``problems``: (path, text)."""

    def __init__(self, problems: tuple[tuple[Path, str], ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(f"{dotted(path)}: {text}" for path, text in problems))
