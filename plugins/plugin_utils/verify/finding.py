# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One thing that is not as it should be."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Literal

Severity = Literal["error", "warning"]


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key that puts Ethernet2/1 before Ethernet10/1."""
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", text) if part)


@dataclass(frozen=True)
class Finding:
    """What a check found. ``port`` is empty when it concerns the whole device."""

    check: str
    severity: Severity
    device: str
    port: str
    expected: str
    actual: str
    why: str  # what it does to the traffic
    remedy: str

    @property
    def order(self) -> tuple[object, ...]:
        """Errors first, then by device and port as people count, the same in every run."""
        return (
            self.severity != "error",
            natural(self.device),
            natural(self.port),
            self.check,
            self.expected,
            self.actual,
        )

    def as_dict(self) -> dict[str, str]:
        """Plain data."""
        return asdict(self)

    def __str__(self) -> str:
        where = f"{self.device} {self.port}".rstrip()
        return (
            f"{self.severity}: {where}: {self.check}: expected {self.expected}, found {self.actual}; "
            f"{self.why}; {self.remedy}"
        )
