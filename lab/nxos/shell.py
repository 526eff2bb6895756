# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One login: the mode, the prompt, and how a typed line finds its command."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from lab.device import Shell
from lab.nxos import bundles, order, tree
from lab.nxos.device import NxosDevice, Port
from lab.nxos.grammar import AMBIGUOUS, INCOMPLETE, INVALID, Grammar, Match, Reject, Variant, find, refusal
from lab.nxos.tree import Node

GRAMMAR = Grammar()
LOCKED = "ERROR: Configuration is locked by user oper on another VSH session: rollback in progress, try again later"
REFUSED = "ERROR: Command failed: resource is not available, try again later"


@dataclass
class Context:
    """One level of configuration and the sections it works on."""

    mode: str
    targets: list[tuple[str, ...]] = field(default_factory=lambda: [()])

    @property
    def interfaces(self) -> list[str]:
        return [path[0][len("interface ") :] for path in self.targets]

    @property
    def name(self) -> str:
        """The last word of the header of the section."""
        return self.targets[0][-1].split()[-1]


class NxosShell(Shell):
    """A login on one Nexus."""

    device: NxosDevice

    def __init__(self, device: NxosDevice, user: str) -> None:
        super().__init__(device, user)
        self.page_length = 24
        self.width = 80
        self.stack: list[Context] = []
        self.json = ""  # "json" or "json-pretty" while a command runs that was asked for structured output

    # -- contract ----------------------------------------------------------------------------------------------
    @property
    def prompt(self) -> str:
        if not self.stack:
            return f"{self.device.hostname}# "
        mode = self.stack[-1].mode
        if mode == "config-if" and len(self.stack[-1].targets) > 1:
            mode = "config-if-range"
        return f"{self.device.hostname}({mode})# "

    def run(self, line: str) -> str:
        self.device.tick()
        text = line.strip()
        if self.ctx_mode == "config-job" and not self._leaves_job(text):
            return self._add_to_job(text)
        if not text or text[0] in "!#":
            return ""
        parts = [text] if re.search(r"\bdescr\w* |\bbanner ", text) else re.split(r"\s+;\s+", text)
        outputs = []
        for part in parts:
            answer = self._run_one(part, line.find(part))
            outputs.append(answer)
            if answer.startswith(("%", "ERROR")) or "\n% " in answer:
                break
        return "\n".join(output for output in outputs if output)

    # -- finding the command -----------------------------------------------------------------------------------
    @property
    def ctx(self) -> Context:
        return self.stack[-1]

    @property
    def ctx_mode(self) -> str:
        return self.stack[-1].mode if self.stack else "exec"

    def _run_one(self, text: str, column: int) -> str:
        command, *filters = [part.strip() for part in text.split(" | ")] if re.match(r"sh\w* ", text) else [text]
        self.json = next((f for f in filters if f in ("json", "json-pretty")), "")
        try:
            level, variant, match = self._find(command, len(self.prompt) + max(column, 0))
            changes = level >= 0 or match.words[0] in CHANGING
            if changes and self.device.fault("locked", text):
                return LOCKED
            if self.device.fault("refuse", text):
                return REFUSED
            answer = self._execute(level, variant, match)
        except Reject as refused:
            return str(refused)
        if level >= 0:
            self.device.touch()
        if self.json and not answer.startswith(("{", "%", "ERROR")):
            return "Error: structured output unsupported"
        return apply_filters(answer, filters)

    def _execute(self, level: int, variant: Variant, match: Match) -> str:
        """Run a command at its level of the stack; a refused command leaves the mode as it was."""
        before = list(self.stack)
        if level >= 0:
            del self.stack[level + 1 :]
        guard = bundles.Guard(self.device, self.ctx.interfaces if self.ctx_mode == "config-if" else [])
        try:
            answer = variant.entry.run(self, match) or ""
            guard.check()
        except Reject:
            self.stack = before
            raise
        return answer

    def _find(self, command: str, offset: int) -> tuple[int, Variant, Match]:
        """Level of the stack (-1: exec), command, match. The innermost mode that knows the command wins."""
        levels = [(i, self.stack[i]) for i in range(len(self.stack) - 1, -1, -1)] + [(-1, Context("exec"))]
        typed = command.split()[0].lower()
        found: list[tuple[int, Variant, Match]] = []
        possible: set[str] = set()
        refused: list[Reject] = []
        exact = any(typed in GRAMMAR.modes.get(ctx.mode, {}) for _, ctx in levels)  # then it is no abbreviation
        for level, ctx in levels:
            words = GRAMMAR.modes.get(ctx.mode, {})
            for word in [w for w in words if w in (typed, "") or (not exact and w.startswith(typed))]:
                usable = [v for v in words[word] if self._exists(v, ctx)]
                try:
                    variant, match = find(usable, command, offset)
                except Reject as exc:
                    refused.append(exc)
                    if INCOMPLETE in str(exc) or AMBIGUOUS in str(exc):
                        possible.add(word)
                    continue
                found.append((level, variant, match))
                possible.add(word)
                if exact:
                    return found[-1]
        if len(possible) > 1:
            raise Reject(refusal(AMBIGUOUS, offset))
        if found:
            return found[0]
        if refused:
            raise max(refused, key=lambda exc: str(exc).find("^"))
        raise Reject(refusal(INVALID, offset))

    def _exists(self, variant: Variant, ctx: Context) -> bool:
        entry = variant.entry
        if entry.feature and not self.device.enabled(entry.feature):
            return False
        return entry.when is None or entry.when(self.device, ctx)

    # -- configuration helpers for the commands ----------------------------------------------------------------
    def enter(self, mode: str, *targets: tuple[str, ...]) -> None:
        """Go one level deeper."""
        self.stack.append(Context(mode, list(targets) or [()]))

    def node(self, path: tuple[str, ...], *, create: bool = False) -> Node | None:
        """The section at ``path``; a section printed in pieces is the first piece that has the rest of the path."""
        nodes = [self.device.config]
        for depth, header in enumerate(path):
            deeper = [section for node in nodes for section in node.sections(header)]
            if not deeper and not create:
                return None
            if not deeper:
                if not depth:
                    deeper = [self.device.insert_top(header)]
                else:
                    rank = order.rank_of(self.stack[depth].mode, path[0], self.device.major)
                    deeper = [tree.insert(nodes[-1], header, rank)]
            nodes = deeper
        return nodes[0]

    def lines(self) -> list[str]:
        """Lines of the section that is being configured (the first one of a range)."""
        node = self.node(self.ctx.targets[0])
        return node.lines() if node else []

    def put(self, text: str, slot: str | None = None) -> None:
        """Have this line in every section of the context, in place of what is in its slot."""
        for path in self.ctx.targets:
            node = self.node(path, create=True)
            old = [
                c for c in node.children if not c.filler and (in_slot(c.text, slot) if slot else c.text == text.strip())
            ]
            if old:
                old[0].raw = old[0].raw[: len(old[0].raw) - len(old[0].raw.lstrip())] + text
                for child in old[1:]:
                    tree.remove(node, child)
            elif path:
                rank = order.rank_of(self.ctx.mode, path[0], self.device.major)
                tree.insert(node, text, rank)
            else:
                self.device.insert_top(text)

    def drop(self, slot: str, *, exact: bool = False) -> bool:
        """Remove what is in this slot (or exactly this line) from every section of the context; whether it was so."""
        dropped = False
        for path in self.ctx.targets:
            node = self.node(path)
            for child in list(node.children) if node else []:
                if child.text != slot and (exact or not in_slot(child.text, slot)):
                    continue
                tree.remove(node, child)
                dropped = True
        return dropped

    def ports(self) -> list[Port]:
        return [self.device.port(name) for name in self.ctx.interfaces]

    # -- the body of a scheduled job ---------------------------------------------------------------------------
    def _leaves_job(self, text: str) -> bool:
        return text in ("exit", "end") or text.startswith(("scheduler ", "no scheduler ", "show scheduler"))

    def _add_to_job(self, text: str) -> str:
        if not text:
            return ""
        node = self.node(self.ctx.targets[0])
        if node is None:  # removed by somebody else meanwhile
            return REFUSED
        body = [c for c in node.children if c.text not in ("", "end-job")]
        body += [Node("  " + part) for part in re.split(r"\s*;\s*", text) if part]
        node.children = [*body, Node(), Node("end-job")]
        self.device.touch()
        return ""


# First words of exec commands that change the configuration or copy it.
CHANGING = ("checkpoint", "rollback", "copy", "no", "write", "clear")


def in_slot(text: str, slot: str) -> bool:
    return text == slot or text.startswith(slot + " ")


def apply_filters(answer: str, filters: list[str]) -> str:
    """What ``| include X`` and its kind do; ``json`` is done by the command itself."""
    for text in filters:
        word, _, argument = text.partition(" ")
        argument = argument.strip().strip('"')
        lines = answer.split("\n")
        if word in ("json", "json-pretty", "xml", "no-more"):
            continue
        if word in ("include", "inc", "i", "egrep", "grep"):
            answer = "\n".join(ln for ln in lines if re.search(argument, ln))
        elif word in ("exclude", "exc", "ex"):
            answer = "\n".join(ln for ln in lines if not re.search(argument, ln))
        elif word in ("begin", "beg"):
            start = next((i for i, ln in enumerate(lines) if re.search(argument, ln)), len(lines))
            answer = "\n".join(lines[start:])
        elif word in ("section", "sec"):
            answer = "\n".join(_section(lines, argument))
        elif word == "count":
            answer = str(len(lines))
        elif word == "last":
            answer = "\n".join(lines[-int(argument or 10) :])
        else:
            return refusal(INVALID, 0)
    return answer


def _section(lines: list[str], pattern: str) -> list[str]:
    kept: list[str] = []
    inside = -1
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if inside >= 0 and line.strip() and indent > inside:
            kept.append(line)
            continue
        inside = indent if line.strip() and re.search(pattern, line) else -1
        if inside >= 0:
            kept.append(line)
    return kept


def table(name: str, rows: list[dict]) -> dict:
    """``TABLE_x`` as the switch writes it: one row is an object, several are a list, none is nothing."""
    if not rows:
        return {}
    return {f"TABLE_{name}": {f"ROW_{name}": rows[0] if len(rows) == 1 else rows}}


def structured(shell: NxosShell, data: dict) -> str:
    return json.dumps(data, indent=4) if shell.json == "json-pretty" else json.dumps(data)


def setting(
    modes: str | tuple[str, ...],
    spec: str,
    slot: str,
    default: str | None = None,
    *,
    feature: str | None = None,
    when=None,
    check=None,
) -> None:
    """A line that replaces what is in its slot; its default is not printed, ``no`` goes back to the default."""

    def run(shell: NxosShell, match: Match) -> None:
        if match.negated:
            shell.drop(slot)
            return
        if check:
            check(shell, match)
        if match.line == default:
            shell.drop(slot)
        else:
            shell.put(match.line, slot)

    GRAMMAR.command(modes, spec, f"no {spec}", feature=feature, when=when)(run)
    GRAMMAR.command(modes, f"no {slot}", feature=feature, when=when)(run)


def switch(modes: str | tuple[str, ...], spec: str, *, default: bool, feature: str | None = None, when=None) -> None:
    """A line without a value that is on or off; only the state that is not the default is printed."""

    def run(shell: NxosShell, match: Match) -> None:
        plain = match.line.removeprefix("no ")
        shell.drop(plain, exact=True)
        shell.drop(f"no {plain}", exact=True)
        if match.negated == default:
            shell.put(match.line)

    GRAMMAR.command(modes, spec, f"no {spec}", feature=feature, when=when)(run)


def entry_line(modes: str | tuple[str, ...], spec: str, *, feature: str | None = None, when=None, check=None) -> None:
    """A line of which there may be several; ``no`` and the same words remove it."""

    def run(shell: NxosShell, match: Match) -> None:
        if not match.negated:
            if check:
                check(shell, match)
            shell.put(match.line)
        elif not shell.drop(match.line.removeprefix("no "), exact=True):
            raise Reject("ERROR: No such configuration")

    GRAMMAR.command(modes, spec, f"no {spec}", feature=feature, when=when)(run)
