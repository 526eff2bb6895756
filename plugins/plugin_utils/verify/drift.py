# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans of all switches as a drift report: a file for programs, text for people, metrics for Prometheus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import CONCERNS
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.finding import natural
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.words import plural

SCHEMA = {"name": "lossless.fabric/drift", "version": 1}
# Lines of one section that people still read; the file has all of them.
LINES = 40


@dataclass(frozen=True)
class SwitchDrift:
    """What the plan of one switch said."""

    name: str
    state: str  # in_sync, drift, failed (no plan), unreachable
    release: str = ""
    sections: Sequence[Mapping[str, Any]] = ()
    disruptions: Sequence[Mapping[str, Any]] = ()
    message: str = ""

    @property
    def compared(self) -> bool:
        return self.state in ("in_sync", "drift")

    @property
    def lines(self) -> int:
        """Lines that would go or come."""
        return sum(len(s["before"]) + len(s["after"]) for s in self.sections)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "name": self.name,
            "state": self.state,
            "release": self.release,
            "lines": self.lines,
            "sections": [{key: s[key] for key in ("concern", "path", "before", "after")} for s in self.sections],
            "disruptions": [{key: d[key] for key in ("kind", "where", "reason")} for d in self.disruptions],
            "message": self.message,
        }


class Drift:
    """All switches, in order."""

    def __init__(self, results: Mapping[str, Mapping[str, Any] | None]) -> None:
        """``results``: what switch_config returned per switch; None when it did not run."""
        self.switches = [_read(name, results[name]) for name in sorted(results, key=natural)]

    @property
    def drifted(self) -> list[SwitchDrift]:
        return [s for s in self.switches if s.state == "drift"]

    @property
    def not_compared(self) -> list[SwitchDrift]:
        return [s for s in self.switches if not s.compared]

    def summary(self) -> dict[str, int]:
        """Figures of one run."""
        return {
            "switches": len(self.switches),
            "in_sync": len(self.switches) - len(self.drifted) - len(self.not_compared),
            "drift": len(self.drifted),
            "not_compared": len(self.not_compared),
            "lines": sum(s.lines for s in self.switches),
        }

    def document(self, generated: str, corrected: bool) -> dict[str, Any]:
        """The report file. Only ``generated`` differs between two runs over the same switches."""
        return {
            "schema": SCHEMA,
            "generated": generated,
            "corrected": corrected,
            "summary": self.summary(),
            "switches": [s.as_dict() for s in self.switches],
        }

    def headline(self) -> str:
        """One line."""
        drifted, missing = len(self.drifted), len(self.not_compared)
        total = plural(len(self.switches), "switch", "switches")
        if drifted:
            head = f"Drift on {drifted} of {total}"
        else:
            head = f"No drift on {plural(len(self.switches) - missing, 'switch', 'switches')}"
        return head + (f"; {missing} of {total} could not be compared" if missing else "")

    def text(self, corrected: bool, report: str = "") -> str:
        """The report for people."""
        drifted, missing = self.drifted, self.not_compared
        lines = [f"{self.headline()}."]
        if drifted:
            lines.append("- is on the switch and not intended, + is intended and not on the switch.")
        for switch in drifted:
            lines += ["", *_switch(switch)]
        if missing:
            lines += ["", "Not compared:"]
            lines += [f"  {s.name}: {' '.join(s.message.split())}" for s in missing]
        if report:
            lines += ["", f"Report: {report}"]
        if drifted and corrected:
            lines.append("This run corrects it.")
        elif drifted:
            limit = f" --limit {','.join(s.name for s in drifted)}" if len(drifted) <= 5 else ""
            lines.append(f"Correct it: ansible-playbook playbooks/drift.yml -e drift_correct=true{limit}")
        return "\n".join(lines)

    def metrics(self, timestamp: int) -> str:
        """Text file for node_exporter's textfile collector."""
        compared = [s for s in self.switches if s.compared]
        lines = [
            "# HELP lossless_drift_lines Configuration lines that differ from the intent.",
            "# TYPE lossless_drift_lines gauge",
        ]
        for switch in compared:
            concerns = dict.fromkeys(CONCERNS, 0)
            for section in switch.sections:
                count = len(section["before"]) + len(section["after"])
                concerns[section["concern"]] = concerns.get(section["concern"], 0) + count
            lines += [
                f'lossless_drift_lines{{device="{_label(switch.name)}",concern="{_label(concern)}"}} {count}'
                for concern, count in concerns.items()
            ]
        for name, text, value in (
            ("devices", "Switches that differ from the intent.", len(self.drifted)),
            ("unreachable", "Switches that could not be compared with the intent.", len(self.not_compared)),
            ("timestamp_seconds", "When the switches were compared, seconds since 1970.", timestamp),
        ):
            lines += [
                f"# HELP lossless_drift_{name} {text}",
                f"# TYPE lossless_drift_{name} gauge",
                f"lossless_drift_{name} {value}",
            ]
        return "\n".join(lines) + "\n"


def _read(name: str, result: Mapping[str, Any] | None) -> SwitchDrift:
    if result is None:
        return SwitchDrift(name, "failed", message="expected a plan of this switch, found none; was it left out?")
    if "sections" in result:
        sections = result["sections"]
        return SwitchDrift(
            name,
            "drift" if sections else "in_sync",
            result.get("release") or "",
            sections,
            result.get("disruptions") or (),
        )
    message = str(result.get("msg") or "switch_config returned neither a plan nor a message")
    return SwitchDrift(name, "unreachable" if result.get("unreachable") else "failed", message=message)


def _switch(switch: SwitchDrift) -> list[str]:
    release = f" (release {switch.release})" if switch.release else ""
    sections = plural(len(switch.sections), "section")
    lines = [f"{switch.name}{release}: {plural(switch.lines, 'line')} in {sections}"]
    for section in switch.sections:
        where = " / ".join(section["path"]) or "(top level)"
        lines.append(f"  {section['concern']}: {where}")
        differing = [f"    - {line}" for line in section["before"]] + [f"    + {line}" for line in section["after"]]
        lines += [line.rstrip() for line in differing[:LINES]]
        if len(differing) > LINES:
            lines.append(f"    and {len(differing) - LINES} more lines")
    if switch.disruptions:
        lines.append("  Correcting may drop traffic or flap links:")
        lines += [f"    {d['where']}: {d['reason']} [{d['kind']}]" for d in switch.disruptions]
    return lines


def _label(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
