# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the checks, run them, collect what they say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.finding import Finding, Severity


@dataclass(frozen=True)
class Tally:
    """How much of its question one check could answer."""

    name: str
    severity: Severity
    checked: int
    not_checked: int
    findings: int


@dataclass(frozen=True)
class Verdict:
    """The result of all checks."""

    findings: tuple[Finding, ...]
    tallies: tuple[Tally, ...]

    def count(self, severity: Severity) -> int:
        """Findings of one severity."""
        return sum(f.severity == severity for f in self.findings)


def discover() -> list[type[Check]]:
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
    return [found[name] for name in sorted(found)]


def verify(fabric: Fabric, checks: Iterable[type[Check]] | None = None) -> Verdict:
    """Ask every check."""
    findings: list[Finding] = []
    tallies = []
    for check in [kind() for kind in (discover() if checks is None else checks)]:
        found = list(check.run(fabric))
        findings += found
        tallies.append(Tally(check.name, check.severity, check.checked, check.not_checked, len(found)))
    return Verdict(tuple(sorted(findings, key=lambda f: f.order)), tuple(tallies))
