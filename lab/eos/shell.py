# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line of EOS: exec commands and the way through configuration modes."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable
from functools import lru_cache

from lab.cli import CommandError, Grammar, Invalid, Match, Words
from lab.device import Logout, Shell
from lab.eos import show, show_routing, text, text_routing
from lab.eos.configure import INVALID, TOP, Frame, RejectedError, error_text
from lab.eos.device import EosDevice
from lab.eos.names import TYPES
from lab.eos.sessions import FULL, Session, SessionError
from lab.eos.tree import Node, Tree

PRIVILEGED = "% Invalid input (privileged mode required)"
UNCONVERTED = "% This is an unconverted command"
LOCKED = "% Unable to acquire the configuration lock: it is held by user 'operator' on vty3"

# pattern, text form, data form. <INTERFACES> limits the answer to these ports.
SHOW: list[tuple[str, Callable[[EosDevice, str | None], str], show.DataCommand]] = [
    ("show version", text.version, show.version),
    ("show hostname", text.hostname, show.hostname),
    ("show interfaces [<INTERFACES>]", text.interfaces, show.interfaces),
    ("show interfaces [<INTERFACES>] status", text.status, show.status),
    ("show interfaces [<INTERFACES>] switchport", text.switchport, show.switchport),
    ("show interfaces [<INTERFACES>] counters", text.counters, show.counters),
    ("show interfaces [<INTERFACES>] counters errors", text.errors, show.errors),
    ("show interfaces [<INTERFACES>] counters discards", text.discards, show.discards),
    ("show interfaces [<INTERFACES>] counters queue", text.queues, show.queue_drops),
    ("show interfaces [<INTERFACES>] counters queue drops", text.queues, show.queue_drops),
    ("show interfaces [<INTERFACES>] counters queue detail", text.queues, show.queue_detail),
    ("show interfaces [<INTERFACES>] {flow-control|flowcontrol}", text.flow_control, show.flow_control),
    ("show priority-flow-control", text.pfc, show.no_json),
    ("show priority-flow-control interfaces <INTERFACES>", text.pfc, show.no_json),
    ("show priority-flow-control status", text.pfc_status, show.no_json),
    ("show priority-flow-control [interfaces <INTERFACES>] counters", text.pfc_counters, show.pfc_counters),
    ("show priority-flow-control [interfaces <INTERFACES>] counters watchdog", text.pfc_watchdog, show.pfc_watchdog),
    ("show qos interfaces [<INTERFACES>] ecn", text.ecn, show.no_json),
    ("show qos interfaces [<INTERFACES>] ecn counters queue", text.ecn_counters, show.ecn_counters),
    ("show qos interfaces [<INTERFACES>] trust", text.trust, show.no_json),
    ("show qos maps", text.qos_maps, show.no_json),
    ("show qos profile", text.qos_profile, show.no_json),
    ("show qos profile summary", text.qos_profile_summary, show.no_json),
    ("show lldp neighbors [<INTERFACES>]", text.lldp, show.lldp),
    ("show lldp neighbors [<INTERFACES>] detail", text.lldp_detail, show.lldp_detail),
    ("show platform trident counters", text.queues, show.trident_counters),
    ("show platform trident mmu queue status", text.mmu_status, show.no_json),
    ("show queue-monitor length status", text.queue_monitor, show.queue_monitor),
    ("show vlan", text.vlan, show.vlan),
    ("show configuration sessions [detail]", text.sessions, show.sessions),
    ("show ip bgp summary [vrf default]", text_routing.bgp_summary, show_routing.ip_bgp_summary),
    ("show bgp summary [vrf default]", text_routing.bgp_summary, show_routing.bgp_summary),
    ("show bgp ipv4 unicast summary [vrf default]", text_routing.bgp_summary, show_routing.ip_bgp_summary),
    ("show bfd peers", text_routing.bfd_peers, show_routing.bfd_peers),
    ("show ip route [vrf default]", text_routing.ip_route, show_routing.ip_route),
    ("show ip route bgp", text_routing.ip_route_bgp, show_routing.ip_route_bgp),
    ("show port-channel [<INTERFACES>] [{detailed|all-ports}]", text_routing.port_channel, show_routing.port_channel),
    ("show port-channel dense", text_routing.port_channel_dense, show.no_json),
    ("show lacp interface", text_routing.lacp_interface, show_routing.lacp_interface),
    ("show mlag", text_routing.mlag, show_routing.mlag),
    ("show mlag detail", text_routing.mlag, show_routing.mlag_detail),
    ("show mlag interfaces", text_routing.mlag_interfaces, show_routing.mlag_interfaces),
]

# pattern, method of the shell. Everything but the first group needs enable mode.
UNPRIVILEGED: list[tuple[str, str]] = [
    ("enable", "enable"),
    ("disable", "disable"),
    ("{exit|quit|logout}", "leave"),
    ("terminal length <0-32767>", "terminal_length"),
    ("terminal width <10-32767>", "terminal_width"),
]
PRIVILEGED_COMMANDS: list[tuple[str, str]] = [
    ("configure [terminal]", "configure"),
    ("configure session [<WORD>]", "configure_session"),
    ("configure session <WORD> commit", "session_commit"),
    ("configure session <WORD> commit timer <DURATION>", "session_commit_timer"),
    ("configure session <WORD> abort", "session_abort"),
    ("configure replace <FILE>", "configure_replace"),
    ("configure checkpoint save [<WORD>]", "checkpoint_save"),
    ("configure checkpoint restore <WORD>", "checkpoint_restore"),
    ("copy running-config <FILE>", "copy_running"),
    ("copy startup-config <FILE>", "copy_startup"),
    ("copy <FILE> <FILE>", "copy_file"),
    ("write [memory]", "write"),
    ("delete <FILE>", "delete"),
    ("more <FILE>", "more"),
    ("dir [<WORD>]", "directory"),
    ("show running-config", "show_running"),
    ("show running-config interfaces <INTERFACES>", "show_running_interfaces"),
    ("show running-config section <LINE>", "show_running_section"),
    ("show running-config diffs", "show_running_diffs"),
    ("show startup-config", "show_startup"),
    ("show session-config", "show_session"),
    ("show session-config diffs", "show_session_diffs"),
]
_CONTROL = {"exit", "end", "abort", "commit", "rollback"}


def _duration(words: Words, i: int) -> tuple[int, str] | None:
    m = re.fullmatch(r"(\d{1,2}):(\d{2}):(\d{2})", words.words[i])
    ok = m and int(m[2]) < 60 and int(m[3]) < 60 and any(int(p) for p in m.groups())
    return (1, words.words[i]) if ok else None


def _file(words: Words, i: int) -> tuple[int, str] | None:
    name = words.words[i]
    if len(name) > 4 and "startup-config".startswith(name):
        return 1, "startup-config"
    if len(name) > 3 and "running-config".startswith(name):
        return 1, "running-config"
    return (1, name) if re.fullmatch(r"(flash|checkpoint):/?[\w.-]+|session-config", name) else None


@lru_cache(maxsize=2)
def _exec_grammar(privileged: bool) -> Grammar:
    grammar = Grammar({**TYPES, "DURATION": _duration, "FILE": _file})
    for pattern, as_text, as_data in SHOW:
        grammar.add(pattern, (as_text, as_data))
    for pattern, method in UNPRIVILEGED + (PRIVILEGED_COMMANDS if privileged else []):
        grammar.add(pattern, method)
    return grammar


class EosShell(Shell):
    """One login."""

    device: EosDevice

    def __init__(self, device: EosDevice, user: str) -> None:
        super().__init__(device, user)
        self.page_length = 24  # until "terminal length"; the server pages
        # Without this line even a user of level 15 starts in user mode.
        self._privileged = any(n.text.startswith("aaa authorization exec default") for n in device.tree.root.visible())
        self._frames: tuple[Frame, ...] = ()  # empty: exec mode
        self._session: Session | None = None

    @property
    def prompt(self) -> str:
        name = self.device.hostname
        if not self._frames:
            return f"{name}{'#' if self._privileged else '>'}"
        where = ["config"]
        if self._session is not None:
            where.append(f"s-{self._session.name[:6]}")
        modes = self.device.language.modes
        where += [modes[f.mode].prompt.format(name=f.label) for f in self._frames[1:]]
        return f"{name}({'-'.join(where)})#"

    @property
    def _tree(self) -> Tree:
        """The configuration that is being edited."""
        return self._session.tree if self._session is not None else self.device.tree

    # -- one line ----------------------------------------------------------------------------------------------
    def run(self, line: str) -> str:
        line = line.strip()
        if not line or (line.startswith("!") and not line.startswith("!!")):
            return ""
        if self.device.fault("refuse", line):
            return INVALID
        if self._session is not None and self._session.state != "pending":
            self._leave_configuration()  # somebody else has ended it
        try:
            return self._configure_line(line) if self._frames else self._exec_line(line)
        except CommandError as exc:
            return error_text(exc)
        except (RejectedError, SessionError) as exc:
            return str(exc)

    def _exec_line(self, line: str) -> str:
        command, *pipes = [part.strip() for part in line.split("|")]
        try:
            match = _exec_grammar(self._privileged).match(command)
        except Invalid:
            if not self._privileged and _matches(_exec_grammar(True), command):
                return PRIVILEGED
            raise
        if isinstance(match.payload, str):
            if pipes and pipes[0] == "json":
                return UNCONVERTED
            output = getattr(self, f"_do_{match.payload}")(match)
            return _piped(output, pipes)
        as_text, as_data = match.payload
        names = match.args[0] if match.args else None
        if names and any(not self._exists(n) for n in names.split(",")):
            raise Invalid
        if pipes and pipes[0] == "json":
            try:
                return _piped(json.dumps(as_data(self.device, names), indent=4), pipes[1:])
            except show.UnconvertedError:
                return UNCONVERTED
        return _piped(as_text(self.device, names), pipes)

    def _exists(self, interface: str) -> bool:
        return interface in self.device.ports or self.device.tree.root.get(f"interface {interface}") is not None

    def _configure_line(self, line: str) -> str:
        first = line.split()[0].lower()
        if first in _CONTROL:
            handled = self._control(line)
            if handled is not None:
                return handled
        try:
            self._frames = self.device.editor.type(self._tree, self._frames, line)
        except Invalid:
            return self._exec_line(line)
        return ""

    def _control(self, line: str) -> str | None:
        words = line.split()
        session = self._session
        match words:
            case ["exit"]:
                self._frames = self._frames[:-1]
                if not self._frames:
                    self._leave_configuration()
            case ["end"]:
                self._leave_configuration()
            case ["abort"] if session is not None:
                self.device.sessions.abort(session)
                self._leave_configuration()
            case ["abort"]:
                self._leave_configuration()
            case ["commit"] if session is not None:
                self._commit(session, None, line)
            case ["commit", "timer", duration] if session is not None and _duration(Words(duration), 0):
                self._commit(session, _seconds(duration), line)
            case ["rollback", "clean-config"] if session is not None:
                session.tree.clear()
                self._frames = (TOP,)
            case _:
                return None
        return ""

    def _leave_configuration(self) -> None:
        self._frames, self._session = (), None

    def _commit(self, session: Session, timer: float | None, line: str) -> None:
        self._check_lock(line)
        self.device.sessions.commit(session, timer)
        self._leave_configuration()

    def _check_lock(self, line: str) -> None:
        if self.device.fault("locked", line):
            raise SessionError(LOCKED)

    # -- exec commands -----------------------------------------------------------------------------------------
    def _do_enable(self, match: Match) -> str:
        self._privileged = True
        return ""

    def _do_disable(self, match: Match) -> str:
        self._privileged = False
        return ""

    def _do_leave(self, match: Match) -> str:
        raise Logout

    def _do_terminal_length(self, match: Match) -> str:
        self.page_length = int(match.args[0])
        return f"Pagination set to {self.page_length} lines." if self.page_length else "Pagination disabled."

    def _do_terminal_width(self, match: Match) -> str:
        return f"Width set to {match.args[0]} columns."

    def _do_configure(self, match: Match) -> str:
        self._check_lock(match.text)
        self._frames, self._session = (TOP,), None
        return ""

    def _do_configure_session(self, match: Match) -> str:
        self._check_lock(match.text)
        name = match.args[0] if match.args else None
        if (name is None or self.device.sessions.get(name) is None) and self.device.fault("sessions-full", match.text):
            raise SessionError(FULL)
        self._session = self.device.sessions.open(name, self.user)
        self._frames = (TOP,)
        return ""

    def _do_session_commit(self, match: Match) -> str:
        self._check_lock(match.text)
        # EOS opens a session of that name if there is none, so this may commit an empty one.
        session = self.device.sessions.get(match.args[0]) or self.device.sessions.open(match.args[0], self.user)
        self.device.sessions.commit(session, None)
        return ""

    def _do_session_commit_timer(self, match: Match) -> str:
        self._check_lock(match.text)
        session = self.device.sessions.get(match.args[0]) or self.device.sessions.open(match.args[0], self.user)
        self.device.sessions.commit(session, _seconds(match.args[1]))
        return ""

    def _do_session_abort(self, match: Match) -> str:
        session = self.device.sessions.get(match.args[0])
        if session is None:
            raise SessionError(f"% Session {match.args[0]} does not exist.")
        self.device.sessions.abort(session)
        return ""

    # -- files -------------------------------------------------------------------------------------------------
    def _read(self, name: str) -> str:
        if name == "running-config":
            return self.device.running()
        if name == "startup-config":
            return self.device.startup()
        stored = self.device.files.get(name.replace(":/", ":"))
        if stored is None:
            raise SessionError(f"% Error copying {name} (No such file or directory)")
        return stored

    def _replace(self, content: str) -> None:
        self.device.replace(Tree.parse(content, self.device.language))

    def _store(self, name: str, content: str) -> str:
        if name == "startup-config":
            self.device.save(content)
        elif name in ("running-config", "session-config"):
            for line in content.splitlines():
                self.device.editor.type(self._tree, (TOP,), line)
        else:
            self.device.files[name.replace(":/", ":")] = content
        return "Copy completed successfully."

    def _do_configure_replace(self, match: Match) -> str:
        self._check_lock(match.text)
        self._replace(self._read(match.args[0]))
        return ""

    def _do_checkpoint_save(self, match: Match) -> str:
        name = match.args[0] if match.args else f"ckp-{len(self.device.files)}"
        self.device.files[f"checkpoint:{name}"] = self.device.running()
        return ""

    def _do_checkpoint_restore(self, match: Match) -> str:
        self._replace(self._read(f"checkpoint:{match.args[0]}"))
        return ""

    def _do_copy_running(self, match: Match) -> str:
        return self._store(match.args[0], self.device.running())

    def _do_copy_startup(self, match: Match) -> str:
        return self._store(match.args[0], self.device.startup())

    def _do_copy_file(self, match: Match) -> str:
        return self._store(match.args[1], self._read(match.args[0]))

    def _do_write(self, match: Match) -> str:
        self.device.save()
        return "Copy completed successfully."

    def _do_delete(self, match: Match) -> str:
        if self.device.files.pop(match.args[0].replace(":/", ":"), None) is None:
            return f"% Error deleting {match.args[0]} (No such file or directory)"
        return ""

    def _do_more(self, match: Match) -> str:
        return self._read(match.args[0])

    def _do_directory(self, match: Match) -> str:
        wanted = match.args[0].rstrip("/") if match.args else "flash:"
        lines = [f"Directory of {wanted}/", ""]
        for name, content in self.device.files.items():
            if name.startswith(wanted):
                lines.append(f"       -rw-  {len(content):>12}           Nov 29 12:00  {name.partition(':')[2]}")
        return "\n".join([*lines, "", "4000000000 bytes total (3000000000 bytes free)"])

    # -- configurations ----------------------------------------------------------------------------------------
    def _do_show_running(self, match: Match) -> str:
        return self.device.show_text("show running-config", self.device.running())

    def _do_show_startup(self, match: Match) -> str:
        return self.device.show_text("show startup-config", self.device.startup())

    def _do_show_running_interfaces(self, match: Match) -> str:
        wanted = [f"interface {name}" for name in match.args[0].split(",")]
        nodes = [n for n in self.device.tree.root.visible() if n.text in wanted]
        return "\n".join("\n".join(self.device.tree.section(n)) for n in nodes)

    def _do_show_running_section(self, match: Match) -> str:
        return _section(self.device.running(), match.args[0])

    def _do_show_running_diffs(self, match: Match) -> str:
        return _diff("startup-config", self.device.startup(), "running-config", self.device.running())

    def _do_show_session(self, match: Match) -> str:
        if self._session is None:
            raise Invalid
        return self.device.show_text("show session-config", self._session.tree.text())

    def _do_show_session_diffs(self, match: Match) -> str:
        if self._session is None:
            raise Invalid
        changes = _changes(self.device.tree.root, self._session.tree.root, 0)
        name = f"session:/{self._session.name}-session-config"
        return "\n".join(["--- system:/running-config", f"+++ {name}", *changes]) if changes else ""


def _matches(grammar: Grammar, command: str) -> bool:
    try:
        grammar.match(command)
    except CommandError:
        return False
    return True


def _seconds(duration: str) -> int:
    hours, minutes, seconds = map(int, duration.split(":"))
    return hours * 3600 + minutes * 60 + seconds


def _piped(output: str, pipes: list[str]) -> str:
    for pipe in pipes:
        verb, _, argument = pipe.partition(" ")
        lines = output.splitlines()
        if verb == "no-more":
            continue
        if verb in ("include", "grep"):
            output = "\n".join(x for x in lines if re.search(argument, x))
        elif verb == "exclude":
            output = "\n".join(x for x in lines if not re.search(argument, x))
        elif verb == "begin":
            start = next((i for i, x in enumerate(lines) if re.search(argument, x)), len(lines))
            output = "\n".join(lines[start:])
        elif verb == "section":
            output = _section(output, argument)
        else:
            raise Invalid
    return output


def _section(config: str, pattern: str) -> str:
    """Lines that match, with what is above and below them."""
    lines = config.splitlines()
    keep: set[int] = set()
    for i, line in enumerate(lines):
        if not re.search(pattern, line) or line.strip().startswith("!"):
            continue
        depth = len(line) - len(line.lstrip())
        keep.add(i)
        below = i + 1
        while below < len(lines) and len(lines[below]) - len(lines[below].lstrip()) > depth:
            keep.add(below)
            below += 1
        for above in range(i - 1, -1, -1):
            indent = len(lines[above]) - len(lines[above].lstrip())
            if indent < depth and not lines[above].strip().startswith("!"):
                keep.add(above)
                depth = indent
    return "\n".join(lines[i] for i in sorted(keep))


def _diff(name: str, before: str, other: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"flash:/{name}", f"system:/{other}", lineterm="", n=1
    )
    return "\n".join(lines)


def _changes(before: Node, after: Node, depth: int) -> list[str]:
    """Differences of two sections as EOS prints them: changed lines under the unchanged headers they belong to."""
    old, new = list(before.visible()), list(after.visible())
    matcher = difflib.SequenceMatcher(a=[n.text for n in old], b=[n.text for n in new], autojunk=False)
    out: list[str] = []
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag == "equal":
            for x, y in zip(old[a1:a2], new[b1:b2], strict=True):
                inner = _changes(x, y, depth + 1)
                if inner:
                    out += [f" {'   ' * depth}{x.text}", *inner]
            continue
        for sign, nodes in (("-", old[a1:a2]), ("+", new[b1:b2])):
            for node in nodes:
                out += _whole(sign, node, depth)
    return out


def _whole(sign: str, node: Node, depth: int) -> list[str]:
    lines = [f"{sign}{'   ' * depth}{node.text}"]
    for child in node.visible():
        lines += _whole(sign, child, depth + 1)
    return lines
