# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes as results, diffs and messages for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import Change, Driver, SectionDiff
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.transaction import Outcome


def change_result(driver: Driver, outcome: Outcome, host: str) -> dict[str, Any]:
    """The result of a task that planned or made a change."""
    change = outcome.change
    # What did not change is the same text twice, tens of kilobytes per switch: ``gathered`` shows it to who asks.
    texts = {"before": driver.dump(outcome.before), "after": driver.dump(change.predicted)} if change else {}
    return {
        "changed": bool(change),
        **texts,
        "commands": list(change.commands),
        "sections": [
            {"concern": d.concern, "path": list(d.path), "before": list(d.before), "after": list(d.after)}
            for d in change.diffs
        ],
        "disruptions": [{"kind": d.kind, "where": d.where, "reason": d.reason} for d in change.disruptions],
        "diff": section_diff(change.diffs, host) if change else [],
        "saved": outcome.saved,
        "release": driver.running_release,
        "notes": outcome.notes,
    }


def section_diff(diffs: Sequence[SectionDiff], host: str) -> list[dict[str, str]]:
    """One before/after pair per concern: the lines that differ, each under its section."""
    result = []
    for concern in dict.fromkeys(d.concern for d in diffs):
        sides: tuple[list[str], list[str]] = ([], [])
        for diff in (d for d in diffs if d.concern == concern):
            indent = "  " * len(diff.path)
            for side, lines in zip(sides, (diff.before, diff.after), strict=True):
                side += [f"{'  ' * depth}{text}" for depth, text in enumerate(diff.path)]
                side += [indent + line for line in lines]
        result.append(
            {
                "before_header": f"{host}: {concern} (running)",
                "after_header": f"{host}: {concern} (intended)",
                "before": "".join(f"{line}\n" for line in sides[0]),
                "after": "".join(f"{line}\n" for line in sides[1]),
            }
        )
    return result


def text_diff(before: str, after: str, path: str) -> list[dict[str, str]]:
    """Diff of a file."""
    if before == after:
        return []
    return [{"before_header": path, "after_header": path, "before": before, "after": after}]


def disruption_error(switch: str, change: Change) -> str:
    """Why nothing was done without consent."""
    lines = [f"  {d.where}: {d.reason} [{d.kind}]" for d in change.disruptions]
    return (
        f"{switch}: this change may drop traffic or flap links, nothing was done:\n"
        + "\n".join(lines)
        + "\nDrain the jobs behind this switch, then allow it: -e switch_allow_disruptive=true"
    )
