# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result as data, as a table and as one line."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight import links
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.runner import Verdict
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View

WIDTH = 118
COLUMNS = (("result", 8), ("check", 18), ("where", 28), ("expected", 28), ("found", 28))


def document(name: str, view: View, verdict: Verdict, generated: str) -> dict[str, Any]:
    """The JSON report."""
    return {
        "schema": 1,
        "generated": generated,
        "host": name,
        "hardware": view.facts["hardware"],
        "kernel": view.facts["kernel"]["release"],
        "virtual": view.facts["virtual"],
        "summary": summary(verdict),
        "notes": list(verdict.notes),
        "not_read": view.facts["not_read"],
        "links": links.rows(view),
        "outcomes": [outcome.as_dict() for outcome in verdict.outcomes],
    }


def summary(verdict: Verdict) -> dict[str, int]:
    """Figures."""
    count = Counter(outcome.status for outcome in verdict.outcomes)
    return {
        "errors": len(verdict.select("fail", "error")),
        "warnings": len(verdict.select("fail", "warning")),
        "waived": count["waived"],
        "unknown": count["unknown"],
        "skipped": count["skipped"],
        "passed": count["pass"],
    }


def headline(name: str, verdict: Verdict) -> str:
    """One line; names the first error, so that the play's recap tells what to do."""
    figures = summary(verdict)
    text = (
        f"{name}: {_count(figures['errors'], 'error')}, {_count(figures['warnings'], 'warning')}, "
        f"{figures['waived']} waived, {figures['passed']} passed, {figures['unknown']} could not be read"
    )
    failed = verdict.select("fail", "error") or verdict.select("fail", "warning")
    return f"{text}; first: {failed[0]}" if failed else text


def text(name: str, verdict: Verdict, *, everything: bool = False) -> str:
    """A table of what needs attention (or of everything), then what the findings mean and what to do."""
    wanted = ("fail", "waived", "unknown", "pass") if everything else ("fail", "waived", "unknown")
    shown = [o for o in verdict.outcomes if o.status in wanted]
    lines = [f"Preflight of {name}"]
    if shown:
        lines += [_row([title for title, _ in COLUMNS])[0], "-" * WIDTH]
        for outcome in shown:
            lines += _row([_word(outcome), outcome.check, outcome.subject, outcome.expected, outcome.actual])
    said = set()
    for outcome in verdict.select("fail"):
        if (key := (outcome.check, outcome.why, outcome.remedy)) not in said:
            said.add(key)
            lines += ["", f"{outcome.check}: {outcome.why}.", f"  fix: {outcome.remedy}"]
        if outcome.waiver:
            lines.append(f"  {outcome.subject}: {outcome.waiver}")
    for outcome in verdict.select("waived"):
        lines.append(f"waived: {outcome.check} {outcome.subject}: {outcome.waiver}")
    for reason, checks in _skipped(verdict).items():
        lines.append(f"skipped: {', '.join(checks)}: {reason}")
    lines += [f"note: {note}" for note in verdict.notes]
    return "\n".join([*lines, headline(name, verdict)])


def _skipped(verdict: Verdict) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for outcome in verdict.select("skipped"):
        found.setdefault(outcome.actual, []).append(f"{outcome.check} {outcome.subject}".rstrip())
    return found


def _word(outcome: Outcome) -> str:
    return outcome.severity if outcome.status == "fail" else outcome.status


def _row(cells: list[str]) -> list[str]:
    wrapped = [textwrap.wrap(cell, width) or [""] for cell, (_, width) in zip(cells, COLUMNS, strict=True)]
    height = max(len(cell) for cell in wrapped)
    lines = []
    for index in range(height):
        parts = (
            (cell[index] if index < len(cell) else "").ljust(width)
            for cell, (_, width) in zip(wrapped, COLUMNS, strict=True)
        )
        lines.append("  ".join(parts).rstrip())
    return lines


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
