# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings as a file for programs and as a table for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.finding import Finding
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.runner import Verdict
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.words import plural

SCHEMA = {"name": "lossless.fabric/verify", "version": 1}
WIDTH = 118
# Rows that people still read; the file has all of them.
ROWS = 100
# Widest cells of the columns; what is longer does not widen the column of the others.
MAXIMA = (7, 24, 26, 16, 34, 44)
INDENT = " " * 9


def document(fabric: Fabric, verdict: Verdict, generated: str) -> dict[str, Any]:
    """The report file. Only ``generated`` differs between two runs over the same fabric."""
    return {
        "schema": SCHEMA,
        "generated": generated,
        "summary": summary(fabric, verdict),
        "checks": [asdict(tally) for tally in verdict.tallies],
        "findings": [finding.as_dict() for finding in verdict.findings],
    }


def summary(fabric: Fabric, verdict: Verdict) -> dict[str, Any]:
    """Figures of one run."""
    return {
        "switches": len(fabric.devices),
        "unreachable": [device.name for device in fabric.devices.values() if device.facts is None],
        "ports": len(fabric.ports),
        "hosts": len(fabric.hosts),
        "unreachable_hosts": [host.name for host in fabric.hosts.values() if host.error],
        "errors": verdict.count("error"),
        "warnings": verdict.count("warning"),
        "checked": sum(tally.checked for tally in verdict.tallies),
        "not_checked": sum(tally.not_checked for tally in verdict.tallies),
    }


def headline(fabric: Fabric, verdict: Verdict) -> str:
    """One line."""
    figures = summary(fabric, verdict)
    where = f"{plural(figures['switches'], 'switch', 'switches')} and {plural(figures['ports'], 'port')}"
    if fabric.hosts:
        where += f", {plural(figures['hosts'], 'host')} and {plural(len(fabric.nics), 'NIC')}"
    return f"{plural(figures['errors'], 'error')}, {plural(figures['warnings'], 'warning')} on {where}"


def text(fabric: Fabric, verdict: Verdict, report: str = "") -> str:
    """The table, with what could not be checked below it."""
    figures = summary(fabric, verdict)
    lines = [f"{headline(fabric, verdict)} ({figures['checked']} comparisons)"]
    groups = _alike(verdict.findings)
    if groups:
        lines += ["", *_table(groups[:ROWS])]
    if len(groups) > ROWS:
        lines += ["", f"and {len(groups) - ROWS} more rows" + (f" in {report}" if report else "")]
    blind = [tally for tally in verdict.tallies if tally.not_checked]
    if blind:
        told = ", ".join(f"{t.name} {t.not_checked} of {t.checked + t.not_checked}" for t in blind)
        lines += [
            "",
            *textwrap.wrap(
                f"Not checked, for lack of an answer or of enough traffic: {told}.", WIDTH, break_long_words=False
            ),
        ]
    if report:
        lines += ["", f"Report: {report}"]
    return "\n".join(lines)


def _alike(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Findings that differ in the port only are one row."""
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for f in findings:
        why = f.why if f.port else ""
        groups.setdefault((f.severity, f.device, f.check, f.expected, f.actual, why, f.remedy), []).append(f)
    return list(groups.values())


def _ports(group: Sequence[Finding]) -> str:
    """All ports if they fit into the column, else the first and how many more."""
    ports = ", ".join(finding.port for finding in group)
    return ports if len(ports) <= MAXIMA[2] else f"{group[0].port} and {len(group) - 1} more"


def _table(groups: Sequence[Sequence[Finding]]) -> list[str]:
    rows = [("", "DEVICE", "PORT", "CHECK", "EXPECTED", "FOUND")]
    for group in groups:
        first = group[0]
        rows.append((first.severity.upper(), first.device, _ports(group), first.check, first.expected, first.actual))
    widths = [max((len(row[n]) for row in rows if len(row[n]) <= MAXIMA[n]), default=0) for n in range(len(MAXIMA))]
    lines = []
    for number, row in enumerate(rows):
        short = len(row[4]) <= MAXIMA[4] and len(row[5]) <= MAXIMA[5]
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join(cells if short else cells[:4]).rstrip())
        if not short:
            lines += [f"{INDENT}expected {row[4]}", f"{INDENT}found    {row[5]}"]
        if number:
            first = groups[number - 1][0]
            note = f"{first.why[:1].upper()}{first.why[1:]}. To do: {first.remedy}."
            lines += textwrap.wrap(note, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)
    return lines
