# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Arista EOS: configuration session with commit timer. docs/platforms/eos.md tells the whole story."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar

import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.reserved import retired_vlans
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.ownership import Entry, Own, Owned, extract
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.plan import plan as plan_change
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.tree import (
    Line,
    Syntax,
    format_lines,
    parse,
    until,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import CONCERNS, Change, Driver, SectionDiff
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos import routing
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.asics import asic
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.bundles import PEER_VLAN, bundles
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.facts import gather
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.ownership import (
    PROFILE,
    QUEUE_RULE,
    STRICT,
    expand,
    rules,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import (
    Busy,
    Mismatch,
    Refused,
    SessionLost,
    Unreadable,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import Facts
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import CLI_PROMPT, Dialect, Session
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.transaction import NAME

INDENT = "   "
SLOW = 120.0  # seconds for commands that write flash or program hardware
FULL = "Maximum number of pending sessions has been reached"

SYNTAX = Syntax(
    comment="!",
    blocks=(
        until(r"banner (?:login|motd|exec)\b", "EOF"),
        until(r"action bash$", "EOF"),
        until(r"code(?: unit \S+)?$", "EOF"),
    ),
    block_words=("banner ", "action bash", "code"),
)

_DISRUPTIONS = yaml.safe_load(Path(__file__).with_name("disruptions.yml").read_text())
REASONS: dict[str, str] = {kind: entry["reason"] for kind, entry in _DISRUPTIONS.items()}


class EosDriver(Driver):
    """Arista EOS."""

    platform: ClassVar[str] = "eos"
    dialect: ClassVar[Dialect] = Dialect(
        netmiko_type="arista_eos",
        prompt=CLI_PROMPT,
        errors=(re.compile(r"^% ?\S.*$", re.MULTILINE), re.compile(rf"^.*{FULL}.*$", re.MULTILINE)),
        setup=("terminal length 0", "terminal width 511"),
    )

    _looked_at: tuple[list[Line] | None, Owned] = (None, {})  # the last configuration that owned() was asked about

    @cached_property
    def rules(self) -> tuple[Own, ...]:
        """What of this switch is ours."""
        return rules(self.model)

    # -- pure ---------------------------------------------------------------------------------------------------
    def parse(self, running: str) -> list[Line]:
        return routing.plain(parse(running, SYNTAX))

    def owned(self, config: list[Line]) -> Owned:
        if config is not self._looked_at[0]:
            self._looked_at = (config, _sorted(extract(self._explicit(config), self.rules), self.rules))
        return self._looked_at[1]

    def intended(self, rendered: Mapping[str, str]) -> Owned:
        text = "\n".join(rendered[concern] for concern in CONCERNS)
        return self.load(text)

    def plan(self, running: list[Line], intended: Owned) -> Change:
        routing.check(running, self.model, self.dialect_release)
        before = self.owned(running)
        change = plan_change(before, self._spoken(running, before, intended), REASONS)
        sent = routing.spoken(_one_code(change.commands), before, intended)
        sent = _in_vrf(sent, _management_vrf(running))
        diffs, commands = tuple(map(_grouped_diff, change.diffs)), tuple(_grouped(sent))
        # A profile that did not exist is used by no port yet: the ports that attach it are listed themselves.
        disruptions = tuple(d for d in change.disruptions if not d.where.startswith("qos profile") or d.where in before)
        return Change(diffs, commands, disruptions, predicted=intended)

    def dump(self, owned: Owned) -> str:
        return "".join(f"{line}\n" for line in format_lines(_lines(owned), INDENT))

    def load(self, text: str) -> Owned:
        return _sorted(extract(self.parse(text), self.rules), self.rules)

    def _explicit(self, config: list[Line]) -> list[Line]:
        """The same configuration with what EOS leaves unsaid or groups, as far as it depends on other lines."""
        routed = any(line.text == "switchport default mode routed" for line in config)
        vlans = {n: f"vlan {n}" for n in (*(v.id for v in self.model.vlans), *retired_vlans(self.model))}
        ports = {f"interface {p.name}" for p in self.model.ports}
        channels = {f"interface {b.name}" for b in bundles(self.model)} & {line.text for line in config}
        if self.model.peer_link:
            vlans[PEER_VLAN] = f"vlan {PEER_VLAN}"
        elsewhere = _profiles_of_others(config, ports | channels) - {self.model.roce.profile}
        left = {*ports, *channels, *(f"qos profile {name}" for name in elsewhere)}
        result = [line for line in config if not line.text.startswith("vlan ") and line.text not in left]
        for line in config:
            found = re.fullmatch(r"vlan ([\d,-]+)", line.text)
            for vid in expand(found[1]) if found else ():
                if vid in vlans:
                    result.append(Line(vlans[vid], line.children))
        if 1 in vlans:
            result.append(Line("vlan 1"))  # always there, printed only when something about it was changed
        if self.model.underlay:
            result = routing.ours(result, self.model)
        known = {line.text: line.children for line in config if line.text in ports | channels}
        for port in sorted(ports | channels):
            children = known.get(port, [])
            if all(child.text not in ("switchport", "no switchport") for child in children):
                children = [*children, Line("no switchport" if routed else "switchport")]
            result.append(Line(port, _with_one_fec_line(children)))
        return result

    def _spoken(self, running: list[Line], before: Owned, intended: Owned) -> Owned:
        """A profile that is written to says which queues are strict, although that is the default and needs no line."""
        head = f"qos profile {self.model.roce.profile}"
        profile = intended.get(head)
        if profile is None or before.get(head) == profile:
            return intended
        printed = {child.text: child.children for line in running if line.text == head for child in line.children}
        children = dict(profile.children)
        for cls in self.model.roce.classes:
            queue = f"{asic(self.model.asic).queue} {cls.queue}"
            if cls.scheduler.type == "strict" and Line(STRICT.default) not in printed.get(queue, []):
                entry = children.get(queue) or Entry(queue, QUEUE_RULE, {})
                said = {"priority": Entry(STRICT.default, STRICT, {})}
                children[queue] = replace(entry, children={**said, **entry.children})
        return {**intended, head: replace(profile, children=_sorted(children, PROFILE))}

    # -- on a session -------------------------------------------------------------------------------------------
    def release(self, session: Session) -> str:
        self.running_release = str(_json(session, "show version").get("version", "")).split("-")[0]
        return self.running_release

    def read(self, session: Session) -> str:
        _enable(session)
        text = session.send("show running-config", timeout=SLOW, check=False)
        if not re.search(r"^end\s*\Z", text, re.MULTILINE):
            last = text.strip().splitlines()[-1:] or [""]
            raise Unreadable(
                f"{session.target.where}: show running-config is not complete: expected 'end' as its last line, "
                f"found {last[0][:80]!r}; run again"
            )
        found = re.search(r"^! device: .*\bEOS-([\w.]+)", text, re.MULTILINE)
        if found:
            self.running_release = found[1]
        return text

    def clean(self, session: Session) -> list[str]:
        ours = [name for name in self._unfinished(session) if name.startswith(NAME)]
        for name in ours:
            session.send(f"configure session {name} abort", timeout=SLOW)
        return [f"configuration session {name}" for name in ours]

    def apply(self, session: Session, change: Change, name: str, timer: int) -> None:
        where = session.target.where
        unfinished = self._unfinished(session)
        for other, state in unfinished.items():
            if state == "timer":
                raise Busy(
                    f"{where}: session {other} of somebody else waits for its confirmation; "
                    f"wait for it, or end it with 'configure session {other} commit' or 'abort'"
                )
        try:
            session.send(f"configure session {name}")
        except Refused as error:
            if FULL in error.answer or "lock" in error.answer.lower():
                raise Busy(
                    f"{where}: no configuration session to be had ({error.answer}); pending are "
                    f"{', '.join(unfinished) or 'none'}. Abort one that nobody needs: 'configure session NAME abort'"
                ) from error
            raise
        session.configure(change.commands)
        if not session.send("show session-config diffs", timeout=SLOW).strip():
            raise Mismatch(f"{where}: the switch took {len(change.commands)} lines and says that they change nothing")
        session.send(f"commit timer {timer // 3600:02}:{timer // 60 % 60:02}:{timer % 60:02}", timeout=SLOW)

    def confirm(self, session: Session, name: str) -> None:
        state = self._unfinished(session).get(name)
        if state != "timer":
            # "configure session NAME commit" would quietly commit a new, empty session.
            raise Mismatch(
                f"{session.target.where}: session {name} does not wait for a confirmation any more "
                f"(expected a running commit timer, found {state or 'none'}); the switch has undone the change"
            )
        session.send(f"configure session {name} commit", timeout=SLOW)

    def roll_back(self, session: Session, name: str) -> None:
        if "(" in session.prompt:
            session.send("end")
        if name in self._unfinished(session):
            session.send(f"configure session {name} abort", timeout=SLOW)

    def save(self, session: Session) -> None:
        _enable(session)
        session.send("copy running-config startup-config", timeout=SLOW)

    def read_facts(self, session: Session) -> Facts:
        _enable(session)
        return gather(session, self.model)

    def _unfinished(self, session: Session) -> dict[str, str]:
        """Sessions that are not over: name -> "pending", or "timer" while it waits to be confirmed.

        Before 4.32 the session itself says pendingCommitTimer; since then it reads "committed" and the answer names it
        at the top.
        """
        _enable(session)
        answer = _json(session, "show configuration sessions")
        states = {}
        for name, entry in answer.get("sessions", {}).items():
            if entry.get("state") == "pending":
                states[name] = "pending"
            elif entry.get("state") == "pendingCommitTimer":
                states[name] = "timer"
        waiting = answer.get("commitTimerSessionName")
        if waiting:
            states[waiting] = "timer"
        return states


# -- helpers --------------------------------------------------------------------------------------------------------
def _enable(session: Session) -> None:
    """Without ``aaa authorization exec default local`` every login begins unprivileged, whatever the user may do."""
    if not session.prompt.endswith(">"):
        return
    problem = ""
    try:
        session.send("enable")
    except (Refused, SessionLost) as error:
        problem = str(error)
    if problem or session.prompt.endswith(">"):
        raise Refused(
            f"{session.target.where}: 'enable' does not make this user privileged ({problem or session.prompt!r}); "
            "expected a user with privilege level 15 and no enable password, or 'aaa authorization exec default local'",
            "enable",
        )


def _json(session: Session, command: str) -> dict[str, Any]:
    text = session.send(f"{command} | json")
    try:
        return json.loads(text)
    except ValueError as error:
        raise Unreadable(
            f"{session.target.where}: {command!r} did not answer with JSON but with {text.strip()[:80]!r}"
        ) from error


@lru_cache(maxsize=4096)
def _natural(text: str) -> list[tuple[int, str]]:
    """Sort key that puts Ethernet2 before Ethernet10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", text)]


def _sorted(owned: Owned, table: Iterable[Own]) -> Owned:
    """Owned configuration in one order, whatever the order in which a release prints it."""
    place = {id(rule): number for number, rule in enumerate(table)}
    for entry in owned.values():
        entry.children = _sorted(entry.children, entry.rule.children)
    return dict(sorted(owned.items(), key=lambda item: (place.get(id(item[1].rule), len(place)), _natural(item[0]))))


def _profiles_of_others(config: Iterable[Line], ports: set[str]) -> set[str]:
    """Profiles that interfaces outside the model use: one of them that bears our prefix is not ours to remove."""
    return {
        child.text.removeprefix("service-profile ")
        for line in config
        if line.text.startswith("interface ") and line.text not in ports
        for child in line.children
        if child.text.startswith("service-profile ")
    }


_FEC = "error-correction encoding "


def _with_one_fec_line(children: list[Line]) -> list[Line]:
    """Reed-Solomon and Fire code may both be allowed, on a line each; they are one setting."""
    codes = sorted(c.text.removeprefix(_FEC) for c in children if c.text.startswith(_FEC))
    if len(codes) < 2:
        return children
    return [*(c for c in children if not c.text.startswith(_FEC)), Line(_FEC + " ".join(codes))]


def _one_code(commands: Iterable[str]) -> Iterator[str]:
    """The other way round: one command per code."""
    for command in commands:
        if command.startswith(_FEC):
            yield from (_FEC + code for code in command.removeprefix(_FEC).split())
        else:
            yield command


def _management_vrf(running: Iterable[Line]) -> str:
    """The VRF of the management interface; empty: the default one."""
    for line in running:
        if re.fullmatch(r"interface Management\S+", line.text):
            for child in line.children:
                found = re.fullmatch(r"vrf (?:forwarding )?(\S+)", child.text)
                if found:
                    return found[1]
    return ""


def _in_vrf(commands: Iterable[str], vrf: str) -> list[str]:
    """The two switches of a pair hear each other's heartbeat on their management interfaces."""
    return [f"{c} vrf {vrf}" if vrf and c.startswith("peer-address heartbeat ") else c for c in commands]


_MAP = re.compile(r"(qos map (?:dscp|cos|traffic-class) )(\d+)( to .+)")


def _grouped(lines: Iterable[str]) -> list[str]:
    """Map lines with the same target as one, at the place of the first: the way EOS prints them."""
    result: list[tuple[str, list[str]]] = []
    places: dict[str, int] = {}
    for line in lines:
        found = _MAP.fullmatch(line)
        if not found:
            result.append((line, []))
            continue
        form = f"{found[1]}{{}}{found[3]}"
        if form not in places:
            places[form] = len(result)
            result.append((form, []))
        result[places[form]][1].append(found[2])
    return [form.format(" ".join(values)) if values else form for form, values in result]


def _grouped_diff(diff: SectionDiff) -> SectionDiff:
    return SectionDiff(diff.concern, diff.path, tuple(_grouped(diff.before)), tuple(_grouped(diff.after)))


def _lines(owned: Owned) -> list[Line]:
    """Owned configuration as a tree with grouped map lines."""
    children = {entry.line: _lines(entry.children) for entry in owned.values()}
    return [Line(text, children.get(text, [])) for text in _grouped(entry.line for entry in owned.values())]
