# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A number that says where it comes from, and what a check of numbers found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["error", "warning"]
Value = int | float
Inputs = tuple[tuple[str, int | float | str], ...]


@dataclass(frozen=True, slots=True)
class Number:
    """One number of the plan with everything needed to check it by hand."""

    name: str
    value: Value
    unit: str
    formula: str  # in words or symbols that a reader can redo
    inputs: Inputs = ()
    source: str = ""
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Plain data, the same in every run."""
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "formula": self.formula,
            "inputs": dict(self.inputs),
            "source": self.source,
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        inputs = ", ".join(f"{name} {value}" for name, value in self.inputs)
        text = f"{self.name} {self.value}{' ' if self.unit else ''}{self.unit} = {self.formula}"
        text += f" ({inputs})" if inputs else ""
        text += f" [{self.source}]" if self.source else ""
        return text + "".join(f"; warning: {warning}" for warning in self.warnings)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check of numbers found. The caller adds the device or the place in the intent."""

    check: str
    severity: Severity
    text: str  # expected, found, what to do
    margin: float | None = None  # (limit - found) / limit; below zero: over the limit

    def as_dict(self) -> dict[str, Any]:
        """Plain data, the same in every run."""
        return {"check": self.check, "severity": self.severity, "text": self.text, "margin": self.margin}

    def __str__(self) -> str:
        return f"{self.severity}: {self.check}: {self.text}"
