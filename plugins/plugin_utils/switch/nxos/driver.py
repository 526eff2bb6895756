# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cisco Nexus 9000, NX-OS.

There is no candidate configuration: a line acts as soon as it is typed. A change is therefore a checkpoint, a dead-man
timer that rolls back to it (a job of the command scheduler), and lines in an order in which each one is harmless.
The deletion of the checkpoint is the moment at which the change becomes permanent; docs/decisions/0003 has the details.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli import plan as cli_plan
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.ownership import Entry, Own, Owned, extract
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.tree import Line, format_lines, parse
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import CONCERNS, Change, Driver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import Busy, Refused, Unreadable
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import Facts
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos import breakouts, dlb, routing
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos import facts as nxos_facts
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos.bundles import CHANNEL, COPIED
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos.canonical import SYNTAX, canonical
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos.ownership import (
    LAYER,
    LAYER_LINES,
    load_sharing_tail,
    rules,
    single_matches,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import CLI_PROMPT, Dialect, Session

NAME = "lossless-"
SOLE = "-sole"  # end of the job's name when the command scheduler was switched on for it alone
SLOW = 300.0  # seconds for a checkpoint, a rollback or saving, on a chassis with a large configuration
LINE = 120.0  # seconds for one line: a network-qos policy cuts the buffers of all ports before the prompt returns

_DISRUPTIONS = yaml.safe_load(Path(__file__).with_name("disruptions.yml").read_text(encoding="utf-8"))
_REASONS: dict[str, str] = {kind: entry["reason"] for kind, entry in _DISRUPTIONS.items()}
_NOT_WHEN_NEW = {kind for kind, entry in _DISRUPTIONS.items() if entry.get("new") == "harmless"}
_LOCKED = re.compile(
    r"(?i)\block(?:ed)?\b|rollback\b.*\bin progress|another (?:user|session)|session is (?:already )?active"
)
_FULL = re.compile(r"(?i)max(?:imum)?\b|limit|exceed|no (?:more )?(?:room|space)|full\b")
_ROLLED_BACK = re.compile(r"Rollback completed|Patch is Empty", re.IGNORECASE)
_VERSION = re.compile(r"^version (\S+)", re.MULTILINE)
_CONFIGURATION = re.compile(r"^(?:version|hostname|switchname|feature|vdc) \S", re.MULTILINE)


class NxosDriver(Driver):
    """Driver of platform ``nxos``."""

    platform: ClassVar[str] = "nxos"
    clock = re.compile(r"^!Time: .*\n", re.MULTILINE)
    dialect: ClassVar[Dialect] = Dialect(
        netmiko_type="cisco_nxos",
        prompt=CLI_PROMPT,
        errors=(
            re.compile(r"(?im)^\s*% ?(?!success)\S.*$"),
            re.compile(r"(?im)^\s*error:.*$"),
            re.compile(r"(?im)^.*syntax error while parsing.*$"),
            re.compile(r"(?im)^.*(?:invalid|incomplete|ambiguous) .* at '\^' marker.*$"),
            re.compile(r"(?im)^.*sufficient free entries are not available in tcam bank.*$"),
            re.compile(r"(?im)^.*configuration (?:database )?is locked.*$"),
            re.compile(r"(?im)^.*rollback (?:operation )?(?:is )?(?:already )?in progress.*$"),
        ),
        setup=("terminal length 0", "terminal width 511"),
    )

    @cached_property
    def _rules(self) -> tuple[Own, ...]:
        return rules(self.model)

    # -- pure ---------------------------------------------------------------------------------------------------
    def parse(self, running: str) -> list[Line]:
        """Tree of the whole configuration."""
        return parse(running, SYNTAX)

    def owned(self, config: list[Line]) -> Owned:
        """Ours, in normal form."""
        if config is not self._looked_at[0]:
            self._looked_at = (config, self._extract(config))
        return self._looked_at[1]

    def _extract(self, config: list[Line]) -> Owned:
        return extract(canonical(config, self.model), self._rules)

    def intended(self, rendered: Mapping[str, str]) -> Owned:
        """What the templates say, in the order in which it is applied."""
        return self._extract(self.parse("".join(rendered[concern] for concern in CONCERNS)))

    def plan(self, running: list[Line], intended: Owned) -> Change:
        """The change, and commands that are safe on a switch where every line acts at once."""
        self._check(running, intended)
        now = self.owned(running)
        change = cli_plan.plan(now, intended, _REASONS)
        if not change:
            return change
        before, after = breakouts.settled(now, intended)
        before = _match_lines_anew(_members_follow(_after_layer_change(before, after), after), after)
        safe = cli_plan.plan(before, _shares_shrink_first(now, after), _REASONS)
        tail = next((load_sharing_tail(line.text) for line in running if line.text.startswith("ip load-sharing ")), "")
        commands = [
            line + tail if line.startswith("ip load-sharing ") else line for line in _whole_matches(safe.commands)
        ]
        wanted = intended.get(dlb.SECTION)
        balanced = [entry.line.split()[1] for entry in wanted.children.values()] if wanted else []
        commands = dlb.spoken(routing.hsrp_version_last(commands), running, balanced)
        lost = set(_lost(now, intended))
        disruptions = tuple(d for d in change.disruptions if d.kind not in _NOT_WHEN_NEW or (d.kind, d.where) in lost)
        return replace(change, commands=tuple(sorted(commands, key=_goes_last)), disruptions=disruptions)

    def dump(self, owned: Owned) -> str:
        """Configuration text in a fixed order; policies come before what refers to them."""
        return "".join(f"{line}\n" for line in format_lines(_sorted(owned), "  "))

    def load(self, text: str) -> Owned:
        """Inverse of dump()."""
        return self._extract(self.parse(text))

    def _check(self, running: list[Line], intended: Owned) -> None:
        """A switch has one AS number and one vPC domain: those of somebody else are not replaced."""
        underlay, pair = self.model.underlay, self.model.peer_link
        for wanted, found, what in (
            (underlay and underlay.asn, routing.bgp_asns(running), "router bgp"),
            (pair and pair.domain, routing.vpc_domains(running), "vpc domain"),
        ):
            if wanted and f"{what} {wanted}" in intended and found and found != [wanted]:
                raise Refused(
                    f"{self.model.name}: expected no {what!r} or '{what} {wanted}', found '{what} {found[0]}' on the "
                    f"switch; remove it there ('no {what} {found[0]}') or give the model this number"
                )

    # -- on a session -------------------------------------------------------------------------------------------
    def release(self, session: Session) -> str:
        """From ``show version``; normally read() has seen it already."""
        facts = Facts("", self.platform, "")
        nxos_facts.version(session.send("show version | json", check=False), facts)
        if not facts.release:
            raise Unreadable(f"{session.target.where}: no NX-OS release in the output of show version")
        self.running_release = facts.release
        return facts.release

    def read(self, session: Session) -> str:
        """The running configuration (the one that clean() has just read, if it changed nothing)."""
        text = self._read_before.pop(id(session), None) if self._read_before else None
        return self._running(session) if text is None else text

    def clean(self, session: Session) -> list[str]:
        """A checkpoint of ours means: a change that nobody confirmed. A job without checkpoint: one that was."""
        removed = []
        for name in _checkpoints(session):
            self._undo(session, name)
            removed.append(f"change {name} was not confirmed and has been rolled back")
        text = self._running(session)
        jobs = _Jobs(text)
        if jobs.ours:
            self._drop(session, jobs)
            removed += [f"job {job}" for job in jobs.ours]
            text = self._running(session)
        self._read_before = {id(session): text}
        return removed

    def apply(self, session: Session, change: Change, name: str, timer: int) -> None:
        """Checkpoint, timer, lines."""
        session.send("terminal dont-ask")  # "no vpc domain" asks otherwise; holds for this session
        _ask(session, "configure terminal")  # tells at once, and before anything is left, whether somebody holds it
        session.send("end")
        _ask(session, f"checkpoint {name}", full=True)
        _ask(session, "configure terminal")
        job = name if self._scheduler else name + SOLE
        session.configure(_timer(name, job, timer, enable=not self._scheduler))
        session.configure(change.commands, timeout=LINE)
        session.send("end")

    def confirm(self, session: Session, name: str) -> None:
        """Without its checkpoint the timer is harmless: that deletion is the confirm, the rest is tidying."""
        _ask(session, f"no checkpoint {name}")
        self._drop(session, _Jobs(self._running(session)))

    def roll_back(self, session: Session, name: str) -> None:
        """Back to the checkpoint; when there is none, the change was confirmed or never began."""
        _leave_configuration(session)
        if name in _checkpoints(session):
            self._undo(session, name)
        jobs = _Jobs(self._running(session))
        if jobs.ours:
            self._drop(session, jobs)

    def save(self, session: Session) -> None:
        """Takes long on a real switch: it writes the configuration of every service."""
        answer = _ask(session, "copy running-config startup-config")
        if "Copy complete" not in answer:
            last = (answer.strip().splitlines() or ["nothing"])[-1]
            raise Refused(
                f"{session.target.where}: expected 'Copy complete' after copy running-config startup-config, "
                f"found {last!r}; the running configuration is in force but not saved",
                "copy running-config startup-config",
                last,
            )

    def read_facts(self, session: Session) -> Facts:
        """One batch of show commands."""
        outputs = {
            command: session.send(command, check=False, timeout=SLOW) for command in nxos_facts.commands(self.model)
        }
        config = self.parse(self._running(session))
        return nxos_facts.assemble(outputs, config, self.model)

    # -- pieces -------------------------------------------------------------------------------------------------
    _looked_at: tuple[list[Line] | None, Owned] = (None, {})  # the last configuration that owned() was asked about
    _scheduler = False  # whether the command scheduler was on before we came
    _read_before: Mapping[int, str] | None = None

    def _running(self, session: Session) -> str:
        text = session.send("show running-config", timeout=SLOW)
        if not _CONFIGURATION.search(text):
            raise Unreadable(
                f"{session.target.where}: expected lines like 'version ...' and 'hostname ...' in show running-config, "
                f"found {len(text.splitlines())} lines without them; is the user's role network-admin?"
            )
        found = _VERSION.search(text)
        self.running_release = found[1] if found else ""
        self._scheduler = bool(re.search(r"^feature scheduler\s*$", text, re.MULTILINE))
        return text

    def _undo(self, session: Session, name: str) -> None:
        answer = _ask(session, f"rollback running-config checkpoint {name}")
        if not _ROLLED_BACK.search(answer):
            last = (answer.strip().splitlines() or ["nothing"])[-1]
            raise Refused(
                f"{session.target.where}: the rollback to checkpoint {name} did not complete, "
                f"the switch says {last!r}. The checkpoint is still there: see 'show rollback log exec'",
                f"rollback running-config checkpoint {name}",
                last,
            )
        _ask(session, f"no checkpoint {name}")

    def _drop(self, session: Session, jobs: _Jobs) -> None:
        """Remove timers; switch the scheduler off again if it was switched on for them and serves nobody else."""
        if not jobs.ours:
            return
        _ask(session, "configure terminal")
        if jobs.sole:
            session.send("no feature scheduler")
        else:
            for schedule in jobs.schedules:
                session.send(f"no scheduler schedule name {schedule}")
            for job in jobs.ours:
                session.send(f"no scheduler job name {job}")
        session.send("end")


class _Jobs:
    """What the command scheduler holds."""

    def __init__(self, running: str) -> None:
        jobs = re.findall(r"^scheduler job name (\S+)", running, re.MULTILINE)
        schedules = re.findall(r"^scheduler schedule name (\S+)", running, re.MULTILINE)
        self.ours = [job for job in jobs if job.startswith(NAME)]
        self.schedules = [schedule for schedule in schedules if schedule.startswith(NAME)]
        others = len(jobs) + len(schedules) - len(self.ours) - len(self.schedules)
        self.sole = not others and any(job.endswith(SOLE) for job in self.ours)


def _ask(session: Session, command: str, *, full: bool = False) -> str:
    """Send a command that a busy switch refuses: the refusal becomes Busy."""
    try:
        return session.send(command, timeout=SLOW)
    except Refused as error:
        if _LOCKED.search(error.answer):
            raise Busy(
                f"{session.target.where}: the configuration is held by somebody else ({error.answer}); "
                "expected it free. Try again when they are done: show configuration session, show rollback status"
            ) from error
        if full and _FULL.search(error.answer):
            raise Busy(
                f"{session.target.where}: no room for a checkpoint ({error.answer}); NX-OS keeps 10. "
                "Remove one that is not needed: show checkpoint summary, no checkpoint NAME"
            ) from error
        raise


def _leave_configuration(session: Session) -> None:
    if "(" in session.prompt:
        session.send("end")


def _checkpoints(session: Session) -> list[str]:
    """Our checkpoints."""
    output = session.send("show checkpoint summary", timeout=SLOW)
    return list(dict.fromkeys(re.findall(rf"(?m)^\s*\d+\)\s*({re.escape(NAME)}[\w.-]+)", output)))


def _timer(name: str, job: str, seconds: int, *, enable: bool) -> list[str]:
    """The dead-man timer. The scheduler counts whole minutes: never less than what was asked for."""
    minutes = -(-seconds // 60) + 1
    return [
        *(["feature scheduler"] if enable else []),
        f"scheduler job name {job}",
        f"rollback running-config checkpoint {name}",
        "exit",
        f"scheduler schedule name {name}",
        f"job name {job}",
        f"time start +{minutes // 60:02d}:{minutes % 60:02d}",
        "exit",
    ]


# -- order --------------------------------------------------------------------------------------------------------


def _after_layer_change(running: Owned, intended: Owned) -> Owned:
    """``running`` as the switch leaves a port behind ``switchport`` or ``no switchport``.

    It drops the lines of the old layer, which must not be removed again (they would be refused), and what else it
    resets depends on the release: whatever the port shall have is sent anew.
    """
    result = dict(running)
    for key, want in intended.items():
        have = running.get(key)
        if have is None or LAYER not in have.children or LAYER not in want.children:
            continue
        # A port that leaves a bundle: whether it comes back as it was before or as the bundle was, no manual says.
        leaves = CHANNEL in have.children and CHANNEL not in want.children
        if have.children[LAYER].line == want.children[LAYER].line and not leaves:
            continue
        rest = {
            name: entry
            for name, entry in have.children.items()
            if want.children.get(name) != entry and (leaves or not LAYER_LINES.fullmatch(entry.line))
        }
        result[key] = replace(have, children=rest)
    return result


def _members_follow(running: Owned, intended: Owned) -> Owned:
    """``running`` with members of port-channels as their bundle will have made them: typed on them, it is refused."""
    result = dict(running)
    for key, want in intended.items():
        have = running.get(key)
        if have is None or CHANNEL not in want.children or have.children.get(CHANNEL) != want.children[CHANNEL]:
            continue
        copied = {name: entry for name, entry in want.children.items() if COPIED.fullmatch(name)}
        rest = {name: entry for name, entry in have.children.items() if not COPIED.fullmatch(name)}
        result[key] = replace(have, children={**copied, **rest})
    return result


def _lost(running: Owned, intended: Owned, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """(kind of disruption, where) of what is there and goes or changes, as opposed to what is new."""
    for key, have in running.items():
        want = intended.get(key)
        if want is None or have.line != want.line:
            yield have.rule.disruption, path[0] if path else (want or have).line
        yield from _lost(have.children, want.children if want else {}, (*path, (want or have).line))


def _match_lines_anew(running: Owned, intended: Owned) -> Owned:
    """``running`` without the values that stand in one ``match`` line with values that have to go: they come anew."""
    result = dict(running)
    for key, want in intended.items():
        have = running.get(key)
        if have is None or not want.line.startswith("class-map "):
            continue
        going = {entry.groups["printed"] for name, entry in have.children.items() if name not in want.children}
        rest = {
            name: entry
            for name, entry in have.children.items()
            if name not in want.children or entry.groups["printed"] not in going
        }
        result[key] = replace(have, children=rest)
    return result


_VALUES = re.compile(r"no match (?:ip )?(?:dscp|cos) ")


def _whole_matches(commands: Iterable[str]) -> Iterator[str]:
    """One ``no match`` per printed line. Whether a release takes the line away or the values in it is not documented:
    what has just been typed and is among those values is typed again."""
    typed: list[str] = []
    gone: set[str] = set()
    for line in commands:
        if line.startswith("no match "):
            if line not in gone:
                gone.add(line)
                yield line
                values = single_matches(line.removeprefix("no ")) if _VALUES.match(line) else []
                yield from (match for match in typed if match in values)
            continue
        if line.startswith("match "):
            typed.append(line)
        else:
            typed, gone = [], set()
        yield line


def _shares_shrink_first(running: Owned, intended: Owned) -> Owned:
    """Within a queuing policy, queues that give bandwidth away come first: the sum never exceeds 100 percent."""
    result = {}
    for key, want in intended.items():
        have = running.get(key)
        if have is not None and want.line.startswith("policy-map type queuing "):
            order = sorted(want.children, key=lambda name: _growth(have.children.get(name), want.children[name]))
            want = replace(want, children={name: want.children[name] for name in order})
        result[key] = want
    return result


_REFERRED_TO = ("no class-map ", "no ip prefix-list ")


def _goes_last(command: str) -> int:
    """What others refer to goes after them; a feature when its lines are gone, which are unknown without it."""
    return 2 if command.startswith("no feature ") else 1 if command.startswith(_REFERRED_TO) else 0


def _growth(have: Entry | None, want: Entry) -> int:
    return _share(want) - (_share(have) if have else 0)


def _share(queue: Entry) -> int:
    entry = queue.children.get("bandwidth")
    return int(entry.line.split()[-1]) if entry and entry.line.split()[-1].isdigit() else 0


def _sorted(owned: Owned) -> list[Line]:
    def place(entry: Entry) -> tuple[int, bool, list[Any]]:
        return CONCERNS.index(entry.rule.concern), entry.rule is not breakouts.RULE, _natural(entry.line)

    return [Line(entry.line, _sorted(entry.children)) for entry in sorted(owned.values(), key=place)]


def _natural(text: str) -> list[Any]:
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", text) if part]
