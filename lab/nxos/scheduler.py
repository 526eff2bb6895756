# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command scheduler: jobs, schedules, and what it shows.

Syntax and displays follow "Configuring the Scheduler" of the Nexus 9000 system management guide. A time that is given
as a delay (``time start +00:05``) is stored and printed as the moment itself (``time start 2026:11:29:12:05``); the
switch keeps the seconds, the printed configuration does not.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from lab.nxos import tree
from lab.nxos.device import Job
from lab.nxos.grammar import INVALID, Match, Reject, refusal
from lab.nxos.shell import GRAMMAR, NxosShell, setting

FEATURE = "scheduler"
NOT_FOUND = "Error: entry not found"


@GRAMMAR.command("config", "scheduler job name <name:name>", feature=FEATURE)
def job(shell: NxosShell, match: Match) -> None:
    header = f"scheduler job name {match['name']}"
    if shell.device.job_commands(match["name"]):
        raise Reject(f"ERROR: Job {match['name']} already exists; delete it before defining it again")
    if not shell.device.config.sections(header):
        node = shell.device.insert_top(header)
        node.children = [tree.Node(), tree.Node("end-job")]
    shell.enter("config-job", (header,))


@GRAMMAR.command("config", "scheduler schedule name <name:name>", feature=FEATURE)
def schedule(shell: NxosShell, match: Match) -> None:
    header = f"scheduler schedule name {match['name']}"
    if not shell.device.config.sections(header):
        shell.device.insert_top(header)
    shell.device.jobs.setdefault(match["name"], Job(None, shell.user))
    shell.enter("config-schedule", (header,))


@GRAMMAR.command(
    "config", "no scheduler job name <name:name>", "no scheduler schedule name <name:name>", feature=FEATURE
)
def no_entry(shell: NxosShell, match: Match) -> None:
    header = match.line.removeprefix("no ")
    found = shell.device.config.sections(header)
    if not found:
        raise Reject(NOT_FOUND)
    tree.remove(shell.device.config, found[0])
    if "schedule" in match.words[2:3]:
        shell.device.jobs.pop(match["name"], None)


setting("config", "scheduler logfile size <kilobytes:16-1024>", "scheduler logfile size", feature=FEATURE)


@GRAMMAR.command("config-schedule", "job name <name:name>", "no job name <name:name>")
def job_of_schedule(shell: NxosShell, match: Match) -> None:
    line = f"job name {match['name']}"
    if match.negated:
        if not shell.drop(line, exact=True):
            raise Reject(NOT_FOUND)
        return
    if not shell.device.config.sections(f"scheduler job name {match['name']}"):
        raise Reject(f"ERROR: Job {match['name']} does not exist")
    shell.put(line)


@GRAMMAR.command("config-schedule", "time start <moment:word> [repeat <interval:word>]")
def time_start(shell: NxosShell, match: Match) -> None:
    now = shell.device.clock()
    due = _moment(shell, match["moment"], now)
    repeat = _span(match["interval"]) if "interval" in match.values else 0.0
    if due is None or repeat is None or (match["moment"] == "now" and not repeat):
        raise Reject(refusal(INVALID, len(shell.prompt) + len("time start ")))
    if due < now:
        raise Reject("ERROR: The start time lies in the past")
    printed = shell.device.moment(due).strftime("%Y:%m:%d:%H:%M")
    tail = f" repeat {match['interval']}" if repeat else ""
    shell.put(f"time start {printed}{tail}", "time")
    shell.device.jobs[shell.ctx.name] = Job(due, shell.user, repeat)


@GRAMMAR.command("config-schedule", "no time")
def no_time(shell: NxosShell, match: Match) -> None:
    shell.drop("time")
    shell.device.jobs[shell.ctx.name] = Job(None, shell.user)


def _span(text: str) -> float | None:
    """``[days:]hours:minutes`` in seconds."""
    found = re.fullmatch(r"(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})", text)
    if not found or int(found[2]) > 23 or int(found[3]) > 59:
        return None
    seconds = ((int(found[1] or 0) * 24 + int(found[2])) * 60 + int(found[3])) * 60.0
    return seconds or None


def _moment(shell: NxosShell, text: str, now: float) -> float | None:
    if text == "now":
        return now
    if text.startswith("+"):
        span = _span(text[1:])
        return None if span is None else now + span
    found = re.fullmatch(r"(\d{4}):(\d{1,2}):(\d{1,2}):(\d{1,2}):(\d{1,2})", text)
    try:
        return shell.device.seconds(datetime(*map(int, found.groups()), tzinfo=UTC)) if found else None
    except ValueError:
        return None


# -- show ------------------------------------------------------------------------------------------------------
@GRAMMAR.command("exec", "show scheduler config", feature=FEATURE)
def show_config(shell: NxosShell, match: Match) -> str:
    device = shell.device
    size = device.value("scheduler logfile size", "16")
    parts = [f"config terminal\n  feature scheduler\n  scheduler logfile size {size}\nend"]
    for node in device.config.children:
        if node.text.startswith("scheduler job name "):
            body = "\n".join(f"  {line}" for line in node.lines() if line != "end-job")
            parts.append(f"config terminal\n  {node.text}\n{body}\n\nend")
        elif node.text.startswith("scheduler schedule name "):
            body = "\n".join(f"    {line}" for line in node.lines())
            parts.append(f"config terminal\n  {node.text}\n{body}\nend")
    return "\n\n".join(parts)


@GRAMMAR.command("exec", "show scheduler job [name <name:name>]", feature=FEATURE)
def show_job(shell: NxosShell, match: Match) -> str:
    prefix = "scheduler job name "
    names = [line[len(prefix) :] for line in shell.device.config.lines() if line.startswith(prefix)]
    if "name" in match.values:
        names = [name for name in names if name == match["name"]]
        if not names:
            return NOT_FOUND
    rule = "=" * 78
    parts = [f"Job Name: {n}\n{'-' * (10 + len(n))}\n" + "\n".join(shell.device.job_commands(n)) for n in names]
    return "\n".join(f"{part}\n{rule}" for part in parts)


@GRAMMAR.command("exec", "show scheduler schedule [name <name:name>]", feature=FEATURE)
def show_schedule(shell: NxosShell, match: Match) -> str:
    device = shell.device
    names = device.schedules()
    if "name" in match.values:
        names = [name for name in names if name == match["name"]]
        if not names:
            return NOT_FOUND
    parts = []
    for name in names:
        run = device.jobs.get(name) or Job(None, shell.user)
        lines = [f"Schedule Name       : {name}", "-" * (22 + len(name)), f"User Name           : {run.user}"]
        if run.repeat:
            minutes = int(run.repeat) // 60
            text = f"Run every {minutes // 1440} Days {minutes // 60 % 24} Hrs {minutes % 60} Mins"
            lines += [
                f"Schedule Type       : {text}",
                f"Start Time          : {device.date(run.due or device.clock())}",
            ]
        else:
            when = f"Run once on {device.date(_printed_due(shell, name, run))}" if _has_time(shell, name) else "None"
            lines.append(f"Schedule Type       : {when}")
        last = device.date(run.started) if run.started is not None else "Yet to be executed"
        lines.append(f"Last Execution Time : {last}")
        if run.ended is not None:
            lines += [f"Last Completion Time: {device.date(run.ended)}", f"Execution count     : {run.count}"]
        status = "-NA-" if run.ended is None else "Success (0)" if run.ok else "Failed (-1)"
        node = device.config.sections(f"scheduler schedule name {name}")[0]
        jobs = [line.split()[-1] for line in node.lines() if line.startswith("job name ")]
        rule = "-" * 47
        lines += [rule, "     Job Name            Last Execution Status", rule]
        lines += [f"{job:<32} {status}" for job in jobs]
        parts.append("\n".join([*lines, "=" * 78]))
    return "\n\n".join(parts)


def _has_time(shell: NxosShell, name: str) -> bool:
    return shell.device.due_as_printed(name) is not None


def _printed_due(shell: NxosShell, name: str, run: Job) -> float:
    return run.due if run.due is not None else shell.device.due_as_printed(name)


@GRAMMAR.command("exec", "show scheduler logfile", feature=FEATURE)
def show_logfile(shell: NxosShell, match: Match) -> str:
    return "\n".join(shell.device.logfile)


@GRAMMAR.command("exec", "clear scheduler logfile", feature=FEATURE)
def clear_logfile(shell: NxosShell, match: Match) -> None:
    shell.device.logfile.clear()
