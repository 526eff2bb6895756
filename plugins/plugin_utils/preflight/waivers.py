# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waivers: somebody decided to live with a finding, for a reason and until a day."""

from __future__ import annotations

import datetime
import fnmatch
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome

FIELDS = {"check", "subject", "reason", "until"}


class WaiverError(ValueError):
    """A waiver cannot be used."""


@dataclass(frozen=True)
class Waiver:
    """One decision. ``subject`` may have wildcards."""

    check: str
    subject: str
    reason: str
    until: datetime.date

    def covers(self, outcome: Outcome) -> bool:
        """Whether it is about this finding."""
        return self.check == outcome.check and fnmatch.fnmatchcase(outcome.subject, self.subject)


def parse(items: Sequence[Any], checks: Collection[str]) -> list[Waiver]:
    """Waivers from plain data; reason and last day must be there."""
    return [_parse(f"waivers[{index}]", item, checks) for index, item in enumerate(items)]


def _parse(where: str, item: Any, checks: Collection[str]) -> Waiver:
    if not isinstance(item, dict):
        raise WaiverError(f"{where}: expected a mapping with check, reason and until, found {type(item).__name__}")
    unknown = sorted(set(item) - FIELDS)
    if unknown:
        raise WaiverError(f"{where}: expected the fields {', '.join(sorted(FIELDS))}, found {', '.join(unknown)}")
    check, reason = str(item.get("check") or ""), str(item.get("reason") or "").strip()
    if check not in checks:
        raise WaiverError(f'{where}.check: expected one of {", ".join(sorted(checks))}, found "{check}"')
    if len(reason) < 5:
        raise WaiverError(f"{where}.reason: expected why {check} is waived, found nothing that says so (add a reason)")
    try:
        until = datetime.date.fromisoformat(str(item.get("until") or ""))
    except ValueError:
        found = item.get("until") or "nothing"
        raise WaiverError(f'{where}.until: expected the last day such as 2027-03-31, found "{found}"') from None
    return Waiver(check, str(item.get("subject") or "*"), reason, until)


def apply(
    outcomes: Sequence[Outcome], waivers: Sequence[Waiver], today: datetime.date
) -> tuple[list[Outcome], list[str]]:
    """Findings with waivers applied, and what is wrong with the waivers themselves."""
    result, used = [], set()
    for outcome in outcomes:
        found = [w for w in waivers if w.covers(outcome)] if outcome.status == "fail" else []
        used.update(found)
        valid = [w for w in found if w.until >= today]
        if valid:
            result.append(replace(outcome, status="waived", waiver=f"{valid[0].reason} (until {valid[0].until})"))
        elif found:
            result.append(replace(outcome, waiver=f"waiver expired on {max(w.until for w in found)}"))
        else:
            result.append(outcome)
    notes = [f"waiver for {w.check} {w.subject} matches no finding (remove it)" for w in waivers if w not in used]
    return result, notes
