# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``nv``."""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from lab.nvue import yamltext
from lab.nvue.bash import Question, Result
from lab.nvue.counters import Counters
from lab.nvue.files import FileError
from lab.nvue.schema import Invalid, merged, normalise
from lab.nvue.show import Show, defaults
from lab.nvue.table import table
from lab.nvue.tree import Ambiguous, Tree, at, commands, compressed, difference, masked, parse, removed

if TYPE_CHECKING:
    from lab.nvue.bash import NvueShell
    from lab.nvue.device import Revision

EPOCH = datetime(2025, 1, 1)
# nv redraws one line of the terminal while it applies.
_STEPS = ("verifying", "verified", "readying", "ready", "reloading")
_REDRAW = "\x1b[1000D\x1b[J"
_VERBS = ("action", "config", "list-commands", "set", "show", "unset")
_CONFIG = ("apply", "attach", "delete", "detach", "diff", "find", "history", "patch", "replace", "revision", "save")
_SECRET_WORDS = re.compile(r"(password|secret|passphrase|community)")


class Failed(Exception):
    """The command ends with exit status 1 and this text."""


@dataclass
class Options:
    """Words of a command, sorted into options and the rest."""

    words: list[str] = field(default_factory=list)
    flags: dict[str, str] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.flags


_ALIASES = {
    "-y": "--assume-yes",
    "--y": "--assume-yes",
    "-o": "--output",
    "-r": "--rev",
    "-m": "--message",
    "-h": "--help",
}
_WITH_VALUE = ("--output", "--rev", "--message", "--view", "--filter", "--color", "--paginate", "--hostname")


class NvCli:
    """One run of ``nv``."""

    def __init__(self, shell: NvueShell) -> None:
        self.shell = shell
        self.device = shell.device
        self.user = "root" if shell.root else shell.user
        self.typed = ""

    def run(self, words: list[str]) -> Result:
        """Run it; errors become text and an exit status."""
        from lab.nvue.device import NvueError  # device needs the shell, the shell needs this

        self.typed = " ".join(["nv", *words])
        try:
            return Result(_ended(self._verb(words)))
        except (Failed, NvueError, yamltext.YamlError) as exc:
            return Result(err=_ended(str(exc)), status=1)

    def _verb(self, words: list[str]) -> str:
        if not words or words[0] in ("-h", "--help"):
            return "usage:\n  nv [options] <command>\n\nCommands:\n  " + "\n  ".join(_VERBS)
        verb = self._one_of(_VERBS, words[0], words)
        if verb == "config":
            return self._config(words[1:])
        if self.device.fault("refuse", self.typed):
            raise Failed(f"Error: Invalid Command: {self._echo(words)}")
        if verb in ("set", "unset"):
            return self._edit(verb, words[1:])
        if verb == "show":
            return self._show(words[1:])
        if verb == "action":
            return self._action(words[1:])
        return "\n".join(f"nv {v} ..." for v in _VERBS)

    def _one_of(self, choices: tuple[str, ...], word: str, words: list[str]) -> str:
        if word in choices:
            return word
        fits = [c for c in choices if c.startswith(word)]
        if len(fits) == 1:
            return fits[0]
        if fits:
            places = [c for w in words[1:2] for c in self.device.model.children if c.startswith(w)]
            rest = places[0] if len(places) == 1 else " ".join(words[1:])
            raise Failed("Error: Ambiguous Command:\n" + "\n".join(f"  {c} {rest}".rstrip() for c in fits))
        raise Failed(f"Error: Invalid Command: {self._echo(words)}")

    def _echo(self, words: list[str]) -> str:
        """The command as nv repeats it; a secret is not repeated."""
        out, hide = [], False
        for word in words:
            out.append("*" if hide else word)
            hide = hide or bool(_SECRET_WORDS.search(word))
        return " ".join(out)

    def _options(self, words: list[str], command: str, allowed: str) -> Options:
        out = Options()
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if not word.startswith("-") or word == "-":
                out.words.append(word)
                continue
            name, equals, value = word.partition("=")
            name = _ALIASES.get(name, name)
            if name not in allowed.split():
                raise Failed(f"Error: Invalid Command: {self._echo([*command.split(), *words])}")
            if name in _WITH_VALUE:
                if not equals and not rest:
                    raise Failed(f"Error: Option {word} requires an argument")
                value = value if equals else rest.pop(0)
            elif name == "--confirm" and not equals and rest and re.fullmatch(r"\d+[a-z]*", rest[0]):
                value = rest.pop(0)
            out.flags[name] = value
        output = out.flags.get("--output")
        if output is not None and output not in ("auto", "json", "yaml", "commands", "native"):
            raise Failed(f"Error: Invalid output format: {output}")
        return out

    # -- nv set, nv unset --------------------------------------------------------------------------------------
    def _edit(self, verb: str, words: list[str]) -> str:
        return self._change(verb, self._patch_of(verb, words))

    def _patch_of(self, verb: str, words: list[str]) -> Tree:
        command = self._echo([verb, *words])
        if not words:
            raise Failed(f"Error: Invalid Command: {command}")
        try:
            return parse(self.device.model, words, unset=verb == "unset", release=self.device.minor)
        except Invalid as exc:
            secret = any(_SECRET_WORDS.search(p) for p in exc.path)
            hint = "" if secret else f"\n  {exc}"
            raise Failed(f"Error: Invalid Command: {command}{hint}") from None
        except Ambiguous as exc:
            shown = "\n".join(f"  {choice}" for choice in exc.choices)
            raise Failed(f"Error: Ambiguous Command:\n{shown}") from None

    def _change(self, verb: str, tree: Tree) -> str:
        unset, wanted = (tree, {}) if verb == "unset" else ({}, tree)
        return self.device.change(self.user, unset, wanted, self.typed)

    # -- nv config ---------------------------------------------------------------------------------------------
    def _config(self, words: list[str]) -> str:
        if not words:
            raise Failed("Error: Invalid Command: config")
        name = self._one_of((*_CONFIG, "show", "translate"), words[0], ["config", *words])
        # Applying is refused by the device, as an invalid revision; answering a confirm is refused here.
        applies = name == "apply" and not any(w.startswith(("--confirm-y", "--confirm-n")) for w in words)
        if not applies and self.device.fault("refuse", self.typed):
            raise Failed(f"Error: Invalid Command: {self._echo(['config', *words])}")
        return getattr(self, f"_config_{name}")(words[1:])

    def _config_show(self, words: list[str]) -> str:
        allowed = "--output --rev --all --applied --startup --pending --operational --verbose"
        options = self._options(words, "config show", allowed)
        if options.words:
            raise Failed(f"Error: Invalid Command: config show {self._echo(options.words)}")
        tree = self.device.find(self._rev(options, "applied"), self.user)
        if "--all" in options:
            tree = merged(defaults(self.device, tree), tree)
        output = options.flags.get("--output", "auto")
        shown = masked(tree)
        if output == "commands":
            return "\n".join(commands("set", self.device.model, shown))
        if output == "json":
            return json.dumps([{"header": self.device.header}, {"set": compressed(shown)}], indent=2)
        return self.device.yaml(tree)

    def _rev(self, options: Options, default: str) -> str:
        for flag in ("applied", "startup", "pending", "operational"):
            if f"--{flag}" in options:
                return flag
        return options.flags.get("--rev", default)

    def _config_diff(self, words: list[str]) -> str:
        options = self._options(words, "config diff", "--output --verbose")
        pending = "pending" if self.device.pending(self.user) else "applied"
        base, target = [*options.words[:2], *["applied", pending][len(options.words[:2]) :]]
        if len(options.words) > 2:
            raise Failed(f"Error: Invalid Command: config diff {' '.join(options.words)}")
        old, new = self.device.find(base, self.user), self.device.find(target, self.user)
        unset, wanted = difference(old, new)
        operations = [{k: masked(v)} for k, v in (("unset", unset), ("set", wanted)) if v]
        output = options.flags.get("--output", "auto")
        if output == "json":
            return json.dumps([{k: compressed(v) for k, v in o.items()} for o in operations], indent=2)
        if output == "commands":
            return "\n".join(
                line for o in operations for k, v in o.items() for line in commands(k, self.device.model, v)
            )
        return yamltext.dump([{k: compressed(v) for k, v in o.items()} for o in operations])

    def _config_patch(self, words: list[str]) -> str:
        unset, wanted = self._file(words, "patch")
        return self.device.change(self.user, unset, wanted, self.typed)

    def _config_replace(self, words: list[str]) -> str:
        unset, wanted = self._file(words, "replace")
        pending = self.device.pending(self.user)
        tree = removed(self.device.model, wanted, unset)
        if pending:
            pending.tree, pending.state = tree, "pending"
            return ""
        revision, said = self.device.new_revision(self.user, self.device.applied, self.typed)
        revision.tree = tree
        return said

    def _file(self, words: list[str], command: str) -> tuple[Tree, Tree]:
        """(what to unset, what to set) of a file of operations or of commands."""
        options = self._options(words, f"config {command}", "--assume-yes --assume-no --verbose")
        if len(options.words) != 1:
            raise Failed(f"Error: Invalid Command: config {command} {' '.join(options.words)}".rstrip())
        name = options.words[0]
        try:
            text = self.device.files.read(self.shell.path(name), root=self.shell.root)
        except FileError as exc:
            raise Failed(f"Error: {exc}: '{name}'") from None
        lines = [line.strip() for line in text.splitlines()]
        is_commands = [re.match(r"nv\s+(set|unset)\b", line) is not None for line in lines if line and line[0] != "#"]
        if is_commands and all(is_commands):
            return self._commands_file(posixpath.basename(name), lines)
        return self._operations(name, text)

    def _commands_file(self, name: str, lines: list[str]) -> tuple[Tree, Tree]:
        trees: dict[str, Tree] = {"unset": {}, "set": {}}
        for number, line in enumerate(lines, 1):
            if not line or line.startswith("#"):
                continue
            try:
                words = shlex.split(line)
                trees[words[1]] = merged(trees[words[1]], self._patch_of(words[1], words[2:]))
            except (Failed, ValueError) as exc:
                reason = str(exc) if isinstance(exc, Failed) else "Error: Invalid Command: unbalanced quotes"
                shown = self._echo(line.split())
                raise Failed(f"{reason}\nError: {name}:{number} '{shown}' failed (line {number})") from None
        return trees["unset"], trees["set"]

    def _operations(self, name: str, text: str) -> tuple[Tree, Tree]:
        try:
            document = yamltext.load(text)
        except yamltext.YamlError as exc:
            raise Failed(f"Error: Failed to parse YAML file '{name}': {exc}") from None
        if not isinstance(document, list) or not all(isinstance(o, dict) for o in document):
            raise Failed(f"Error: '{name}' must contain a list of operation objects")
        unset: Tree = {}
        wanted: Tree = {}
        for operation in document:
            for verb, tree in operation.items():
                if verb == "header":
                    continue
                if verb not in ("set", "unset"):
                    raise Failed(f"Error: '{name}': {verb!r} is not one of ['header', 'set', 'unset']")
                try:
                    if verb == "unset":
                        unset = merged(unset, normalise(self.device.model, tree or {}, unset=True))
                    else:
                        wanted = merged(wanted, normalise(self.device.model, tree or {}))
                except Invalid as exc:
                    secret = any(_SECRET_WORDS.search(p) for p in exc.path)
                    reason = "invalid value" if secret else exc.reason
                    raise Failed(f"Error: Config invalid at {'.'.join(exc.path)}: {reason}") from None
        return unset, wanted

    def _config_apply(self, words: list[str]) -> str:
        allowed = "--assume-yes --assume-no --message --confirm --confirm-yes --confirm-no --confirm-status --verbose"
        options = self._options(words, "config apply", allowed)
        if len(options.words) > 1:
            raise Failed(f"Error: Invalid Command: config apply {' '.join(options.words)}")
        if "--confirm-status" in options:
            return self._confirm_status()
        if "--confirm-yes" in options or "--confirm-no" in options:
            return self._answer(options)
        seconds = _seconds(options.flags["--confirm"]) if "--confirm" in options else None
        revision = self._to_apply(options)
        if revision is None:
            raise Failed("Error: No pending configuration to apply.")  # STAND-IN
        message = options.flags.get("--message", "")

        def go() -> str:
            said = self.device.apply(self.user, revision, confirm=seconds, message=message, command=self.typed)
            return "".join(step + _REDRAW for step in _STEPS) + said

        warning = self._warning(revision)
        if warning and "--assume-no" in options:
            revision.state = "ays_no"
            raise Failed(f"{warning}\nDeclined apply after warnings [rev_id: {revision.number}]")  # STAND-IN
        if warning and "--assume-yes" not in options:
            raise Question(_ended(warning), "Are you sure? [y/N] ", lambda reply: self._sure(reply, go, revision))
        return go()

    def _sure(self, reply: str, go: Any, revision: Revision) -> Result:
        from lab.nvue.device import NvueError

        if reply.strip().lower() not in ("y", "yes"):
            revision.state = "ays_no"
            return Result(err=f"Declined apply after warnings [rev_id: {revision.number}]\n", status=1)  # STAND-IN
        try:
            return Result(_ended(go()))
        except NvueError as exc:
            return Result(err=_ended(str(exc)), status=1)

    def _warning(self, revision: Revision) -> str:
        name = at(revision.tree, ("system", "hostname"))
        if name and name != self.device.hostname:
            return f"Warning: current hostname `{self.device.hostname}` will be replaced with `{name}`"
        return ""

    def _to_apply(self, options: Options) -> Revision | None:
        if not options.words:
            return self.device.pending(self.user)
        name = options.words[0]
        if name in ("applied", "startup", "empty"):
            revision, _ = self.device.new_revision(self.user, self.device.find(name, self.user), self.typed)
            return revision
        return self.device.numbered(name)

    def _answer(self, options: Options) -> str:
        if options.words:
            revision = self.device.numbered(options.words[0])
        elif self.device.confirmation:
            revision = self.device.confirmation.revision
        else:
            raise Failed("Error: No configuration is waiting for confirmation.")  # STAND-IN
        return self.device.answer(revision, keep="--confirm-yes" in options)

    def _confirm_status(self) -> str:
        waiting = self.device.confirmation
        if not waiting:
            return "No configuration is waiting for confirmation."  # STAND-IN
        left = timedelta(seconds=max(0, round(waiting.deadline - self.device.clock())))
        return f"confirm [rev_id: {waiting.revision.number}]: automatic rollback in {left}"  # STAND-IN

    def _config_save(self, words: list[str]) -> str:
        self._options(words, "config save", "--assume-yes --assume-no")
        self.device.check_lock(self.typed)
        self.device.saved = self.device.applied
        number = self.device.applied_number
        if number in self.device.revisions:
            self.device.revisions[number].state = "applied_and_saved"
        return "saved [rev_id: applied]"

    def _config_detach(self, words: list[str]) -> str:
        revision = self.device.detach(self.user)
        return f"detached [rev_id: {revision.number}]" if revision else ""

    def _config_attach(self, words: list[str]) -> str:
        options = self._options(words, "config attach", "--assume-yes --assume-no")
        if len(options.words) != 1:
            raise Failed("Error: Invalid Command: config attach")
        name = options.words[0]
        if name in ("applied", "startup", "empty"):
            revision, _ = self.device.new_revision(self.user, self.device.find(name, self.user), self.typed)
        else:
            revision = self.device.numbered(name)
            if revision.state not in ("pending", "detached", "invalid", "ays_no"):
                raise Failed(f"Error: Revision {name} is {revision.state} and cannot be changed.")  # STAND-IN
            revision.state = "pending"
            self.device.attached[self.user] = revision.number
        return f"attached [rev_id: {revision.number}]"

    def _config_delete(self, words: list[str]) -> str:
        options = self._options(words, "config delete", "--assume-yes --assume-no")
        if not options.words:
            raise Failed("Error: Invalid Command: config delete")
        for name in options.words:
            self.device.delete(name)
        return "\n".join(f"deleted [rev_id: {name}]" for name in options.words)

    def _config_find(self, words: list[str]) -> str:
        tree = _matching(masked(self.device.applied), words[0] if words else "")
        return yamltext.dump([{"set": compressed(tree)}]) if tree else ""

    def _config_translate(self, words: list[str]) -> str:
        if words[:1] == ["revision"] and len(words) == 2:
            tree = self.device.find(words[1], self.user)
        elif words[:1] == ["filename"] and len(words) == 2:
            tree = self._file(words[1:], "translate")[1]
        else:
            raise Failed("Error: Invalid Command: config translate")
        return "\n".join(commands("set", self.device.model, masked(tree)))

    def _config_revision(self, words: list[str]) -> str:
        options = self._options(words, "config revision", "--output --applied")
        if options.flags.get("--output") != "json":
            return table(_HISTORY, self._rows(self.device.revisions.values()))
        out: dict[str, Any] = {str(r.number): self._revision_json(r) for r in self.device.revisions.values()}
        if "--applied" in options:
            out = {}
        applied = self.device.revisions.get(self.device.applied_number or -1)
        out["applied"] = {**(self._revision_json(applied) if applied else {}), **_state("applied")}
        if "--applied" not in options:
            out |= {"empty": _state("inactive"), "startup": _state("inactive")}
        return json.dumps(out, indent=2)

    def _config_history(self, words: list[str]) -> str:
        options = self._options(words, "config history", "--output --verbose")
        revisions = [r for r in self.device.revisions.values() if r.applied_at is not None]
        if options.words:
            revisions = [self.device.numbered(options.words[0])]
        if options.flags.get("--output") == "json":
            return json.dumps({f"rev_{r.number}_apply_1": self._revision_json(r) for r in revisions}, indent=2)
        return table(_HISTORY, self._rows(revisions))

    def _rows(self, revisions: Any) -> list[list[str]]:
        rows = []
        for r in revisions:
            known = r.applied_at is not None
            rows.append(
                [
                    str(r.number),
                    r.state,
                    f"rev_{r.number}_apply_1" if known else "",
                    self._date(r.applied_at) if known else "",
                    "CLI",
                    r.user,
                    "Config update",
                    r.message,
                ]
            )
        return rows

    def _date(self, seconds: float) -> str:
        return (EPOCH + timedelta(seconds=seconds - self.device.booted)).strftime("%Y-%m-%d %H:%M:%S")

    def _revision_json(self, r: Revision) -> dict[str, Any]:
        issues = {
            str(n): {"code": "config_invalid", "message": text, "severity": "error"} for n, text in enumerate(r.issues)
        }
        out = _state(r.state, issues)
        out["additional-data"] = {"parent-revision-id": str(r.parent) if r.parent else "", "user": r.user}
        if r.applied_at is not None:
            out["additional-data"] |= {"message": r.message, "apply-date": self._date(r.applied_at)}
        return out

    # -- nv show, nv action ------------------------------------------------------------------------------------
    def _show(self, words: list[str]) -> str:
        allowed = (
            "--output --rev --applied --startup --pending --operational --view --filter --color --paginate --tab "
            "--hostname --verbose"
        )
        options = self._options(words, "show", allowed)
        text = Show(self.device).text(
            options.words,
            rev=self._rev(options, ""),
            view=options.flags.get("--view", ""),
            output=options.flags.get("--output", "auto"),
            find=lambda name: self.device.find(name, self.user),
        )
        if text is None:
            raise Failed("Error: The requested item does not exist.")
        if options.flags.get("--output", "auto") == "auto" and self.shell.columns:
            text = "\n".join(line[: self.shell.columns].rstrip() for line in text.splitlines())
        return text

    def _action(self, words: list[str]) -> str:
        if words[:1] != ["clear"] or not Counters(self.device).clear(words[1:]):
            raise Failed(f"Error: Invalid Command: {self._echo(['action', *words])}")
        return "Action succeeded"


_HISTORY = ["Rev ID", "State", "Apply ID", "Apply Date", "Type", "User", "Reason", "Message"]


def _state(state: str, issues: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"state": state, "transition": {"issue": issues or {}, "progress": ""}}


def _ended(text: str) -> str:
    return text + "\n" if text and not text.endswith("\n") else text


def _seconds(text: str) -> float:
    """Time of --confirm: 600s, 10m, 1h; a bare number is minutes, nothing is ten minutes."""
    if not text:
        return 600.0
    found = re.fullmatch(r"(\d+)([smh]?)", text)
    if not found or not int(found[1]):
        raise Failed(f"Error: Invalid time for --confirm: {text}")
    return int(found[1]) * {"s": 1.0, "m": 60.0, "h": 3600.0, "": 60.0}[found[2]]


def _matching(tree: Any, text: str) -> Any:
    if not isinstance(tree, dict):
        return tree if text in str(tree) else {}
    out = {}
    for name, below in tree.items():
        found = below if text in name else _matching(below, text)
        if found or (text in name and below == {}):
            out[name] = found
    return out
