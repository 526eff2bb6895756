# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one check says about one thing."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Severity = Literal["error", "warning"]
# pass and fail are answers; unknown: the value could not be read; skipped: the question does not apply here.
Status = Literal["pass", "fail", "waived", "unknown", "skipped"]


@dataclass(frozen=True)
class Outcome:
    """One line of the result. ``subject`` is empty when it concerns the whole host."""

    check: str
    severity: Severity
    status: Status
    subject: str
    expected: str
    actual: str
    why: str
    remedy: str
    waiver: str = ""  # reason and last day of the waiver that applies, or why one does not

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    def __str__(self) -> str:
        where = f"{self.check} {self.subject}".rstrip()
        return f"{where}: expected {self.expected}, found {self.actual} ({self.remedy})"
