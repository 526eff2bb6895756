# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the checks, ask them, apply the waivers."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight import waivers
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome, Severity, Status
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View

ORDER = {"fail": 0, "waived": 1, "unknown": 2, "skipped": 3, "pass": 4}


@dataclass(frozen=True)
class Verdict:
    """The result of all checks on one host."""

    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...]

    def select(self, status: Status, severity: Severity | None = None) -> list[Outcome]:
        """Outcomes of one kind."""
        return [o for o in self.outcomes if o.status == status and severity in (None, o.severity)]


def discover() -> dict[str, type[Check]]:
    """Every check in the folder ``checks``, by name."""
    package = __name__.rpartition(".")[0] + ".checks"
    found: dict[str, type[Check]] = {}
    for file in sorted((Path(__file__).parent / "checks").glob("[!_]*.py")):
        module = import_module(f"{package}.{file.stem}")
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Check) and value.__module__ == module.__name__:
                if value.name in found:
                    raise ValueError(f"check {value.name} is defined in {found[value.name].__module__} and in {file}")
                found[value.name] = value
    return dict(sorted(found.items()))


def examine(
    view: View, waived: Sequence[Any] = (), today: datetime.date | None = None, skip: Sequence[str] = ()
) -> Verdict:
    """Ask every check that is not skipped by name."""
    checks = discover()
    unknown = sorted(set(skip) - set(checks))
    if unknown:
        raise waivers.WaiverError(f"skip: expected names of {', '.join(checks)}, found {', '.join(unknown)}")
    decisions = waivers.parse(waived, checks)
    outcomes = [o for name, kind in checks.items() if name not in skip for o in kind().examine(view)]
    outcomes, notes = waivers.apply(outcomes, decisions, today or datetime.datetime.now(datetime.UTC).date())
    outcomes.sort(key=lambda o: (ORDER[o.status], o.severity != "error", o.check, o.subject))
    return Verdict(tuple(outcomes), tuple(notes))
