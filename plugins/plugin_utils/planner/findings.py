# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a check of the whole fabric found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line: check, device, port (empty where the whole device or fabric is meant), expected, found, what to do."""

    check: str
    severity: Severity
    device: str
    port: str
    text: str

    def as_dict(self) -> dict[str, Any]:
        """Plain data, the same in every run."""
        return {n: getattr(self, n) for n in self.__slots__}

    def __str__(self) -> str:
        place = f"{self.device}:{self.port}" if self.port else self.device or "fabric"
        return f"{self.severity}: {self.check}: {place}: {self.text}"


def errors(findings: Iterable[Finding]) -> list[Finding]:
    """Those that forbid to build the fabric."""
    return [f for f in findings if f.severity == "error"]
