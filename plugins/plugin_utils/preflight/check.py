# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every check has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome, Severity
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class Check(ABC):
    """One question about a host.

    A new check is one new file in ``checks/`` with one subclass: what it reads, why it matters and what to do are
    data, ``examine`` compares. A value that could not be read is ``unknown``, never taken for health.
    """

    name: ClassVar[str]
    severity: ClassVar[Severity] = "error"
    reads: ClassVar[str]
    why: ClassVar[str]
    remedy: ClassVar[str]

    @abstractmethod
    def examine(self, view: View) -> Iterator[Outcome]:
        """Answers: at least one."""

    def answer(
        self,
        subject: str,
        expected: object,
        actual: object,
        good: bool | None,
        *,
        why: str | None = None,
        remedy: str | None = None,
        severity: Severity | None = None,
    ) -> Outcome:
        """One comparison; ``good`` is None when ``actual`` could not be read (``actual`` then says why)."""
        return Outcome(
            self.name,
            severity or self.severity,
            "unknown" if good is None else "pass" if good else "fail",
            subject,
            str(expected),
            str(actual),
            why or self.why,
            remedy or self.remedy,
        )

    def skip(self, reason: str, subject: str = "") -> Outcome:
        """The question does not apply."""
        return Outcome(self.name, self.severity, "skipped", subject, "", reason, self.why, "")
