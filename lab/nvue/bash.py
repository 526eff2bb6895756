# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A login on Cumulus Linux: bash with the commands that a configuration tool uses, and ``nv``.

Quotes, ``;``, ``&&``, ``||``, pipes, redirections, here-documents, ``$?``, ``$NAME`` and ``$(command)`` work as in
bash; loops, functions and globs do not exist.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.device import Logout, Shell
from lab.nvue.files import HOME, FileError
from lab.nvue.syntax import Incomplete, Redirect, Simple, SyntaxError_, Word, closing, parse

if TYPE_CHECKING:
    from lab.nvue.device import NvueDevice


class Question(Exception):
    """The command asks something; the next line is the answer."""

    def __init__(self, text: str, prompt: str, answer: Callable[[str], Result]) -> None:
        super().__init__(prompt)
        self.text = text
        self.prompt = prompt
        self.answer = answer


@dataclass
class Result:
    """What a command leaves behind."""

    out: str = ""
    err: str = ""
    status: int = 0


class NvueShell(Shell):
    """One login."""

    device: NvueDevice

    def __init__(self, device: NvueDevice, user: str) -> None:
        super().__init__(device, user)
        self.hostname = device.hostname  # bash read it at login
        self.folder = HOME
        self.variables = {"USER": user, "HOME": HOME, "SHELL": "/bin/bash", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
        self.exit_status = 0
        self.umask = 0o022
        self.columns: int | None = None  # of tables; None: wide
        self.root = False  # inside sudo
        self._waiting = ""  # an unfinished line
        self._documents: list[Redirect] = []  # here-documents still to be typed
        self._plan: list[tuple[str, list[Simple]]] = []  # what runs when they are complete
        self._question: Question | None = None
        self._made = 0

    # -- contract ----------------------------------------------------------------------------------------------
    @property
    def prompt(self) -> str:
        if self._question:
            return self._question.prompt
        if self._waiting or self._documents:
            return "> "
        folder = "~" + self.folder[len(HOME) :] if (self.folder + "/").startswith(HOME + "/") else self.folder
        return f"{self.user}@{self.hostname}:mgmt:{folder}$ "

    def run(self, line: str) -> str:
        if self._question:
            question, self._question = self._question, None
            return self._finish(question.answer(line))
        if self._documents:
            return self._document_line(line)
        text = self._waiting + line
        self._waiting = ""
        try:
            self._plan = parse(text)
        except Incomplete:
            self._waiting = text + "\n"
            return ""
        except SyntaxError_ as exc:
            self.exit_status = 2
            return f"-bash: {exc}"
        self._documents = [
            r for _, line_ in self._plan for s in line_ for r in s.redirects if r.operator.startswith("<<")
        ]
        self._documents = [r for r in self._documents if r.operator != "<<<"]
        return "" if self._documents else self._execute()

    def close(self) -> None:
        """What was typed halfway is forgotten; revisions, files and timers stay on the switch."""
        self._waiting, self._documents, self._plan, self._question = "", [], [], None

    def _document_line(self, line: str) -> str:
        document = self._documents[0]
        text = line.lstrip("\t") if document.operator == "<<-" else line
        if text != document.target.text:
            document.body += text + "\n"
            return ""
        if not document.target.quoted:
            document.body = self._expanded(document.body)
        self._documents.pop(0)
        return "" if self._documents else self._execute()

    # -- running -----------------------------------------------------------------------------------------------
    def _finish(self, result: Result) -> str:
        self.exit_status = result.status
        return (result.out + result.err + self._execute()).rstrip("\n")

    def _execute(self) -> str:
        """Run the rest of the plan and return what the terminal shows."""
        shown = ""
        while self._plan:
            connector, pipeline = self._plan.pop(0)
            if (connector == "&&" and self.exit_status) or (connector == "||" and not self.exit_status):
                continue
            try:
                result = self._pipeline(pipeline)
            except Question as question:
                self._question = question
                return (shown + question.text).rstrip("\n")
            self.exit_status = result.status
            shown += result.out + result.err
        return shown.rstrip("\n")

    def _pipeline(self, pipeline: list[Simple]) -> Result:
        feed, err = "", ""
        result = Result()
        for simple in pipeline:
            result = self._simple(simple, feed)
            feed = result.out
            err += result.err
        return Result(feed, err, result.status)

    def _simple(self, simple: Simple, feed: str) -> Result:
        words = [w for word in simple.words for w in self._words(word)]
        while words and re.fullmatch(r"[A-Za-z_]\w*=.*", words[0], re.DOTALL) and not simple.words[0].quoted:
            name, _, value = words.pop(0).partition("=")
            if not words:
                self.variables[name] = value
        targets: list[tuple[str, str, str]] = []
        for redirect in simple.redirects:
            target = "".join(self._words(redirect.target))
            if redirect.operator.startswith("<<"):
                feed = target + "\n" if redirect.operator == "<<<" else redirect.body
            elif redirect.operator == "<":
                try:
                    feed = self.device.files.read(self.path(target), root=self.root)
                except FileError as exc:
                    return Result(err=f"-bash: {target}: {exc}\n", status=1)
            else:
                targets.append((redirect.descriptor, redirect.operator, target))
        told = " ".join([*words, *(f"{d}{o} {t}" for d, o, t in targets)])
        if words and words[0] != "nv" and self.device.fault("refuse", told):
            name = targets[0][2] if targets else words[0]
            return Result(err=f"-bash: {name}: No space left on device\n", status=1)
        return self._redirected(self._command(words, feed) if words else Result(), targets)

    def _redirected(self, result: Result, targets: list[tuple[str, str, str]]) -> Result:
        sinks = {"1": "out", "2": "err"}
        places: dict[str, str] = {"out": "out", "err": "err"}
        files: dict[str, tuple[str, bool]] = {}
        for descriptor, operator, target in targets:
            sink = sinks.get(descriptor or "1", "out")
            if operator == ">&":
                places[sink] = places[sinks.get(target, "out")]
                continue
            if operator == "&>":
                places["out"] = places["err"] = target
            else:
                places[sink] = target
            files[target] = (target, operator == ">>")
        texts: dict[str, str] = {"out": "", "err": "", **dict.fromkeys(files, "")}
        texts[places["out"]] += result.out
        texts[places["err"]] += result.err
        for target, append in files.values():
            try:
                self.write(target, texts[target], append=append)
            except FileError as exc:
                return Result(texts["out"], texts["err"] + f"-bash: {target}: {exc}\n", 1)
        return Result(texts["out"], texts["err"], result.status)

    # -- expansion ---------------------------------------------------------------------------------------------
    def _words(self, word: Word) -> list[str]:
        """One word after expansion; unquoted results are split."""
        parts = [""]
        for text, quote in word.pieces:
            if quote == "'":
                parts[-1] += text
            elif quote == '"':
                parts[-1] += self._expanded(text)
            else:
                value = self._expanded(text)
                if value == text:
                    parts[-1] += text
                    continue
                split = value.split()
                if split:
                    parts[-1] += split[0]
                    parts += split[1:]
        return [p for p in parts if p] if not word.quoted else parts

    def _expanded(self, text: str) -> str:
        out, i = "", 0
        while i < len(text):
            if text.startswith("$(", i):
                close = closing(text, i + 2)
                out += self._substitute(text[i + 2 : close])
                i = close + 1
                continue
            found = re.match(r"\$(\?|\$|[A-Za-z_]\w*|\{[A-Za-z_]\w*\})", text[i:])
            if found:
                name = found[1].strip("{}")
                value = {"?": str(self.exit_status), "$": "4242"}.get(name)
                out += self.variables.get(name, "") if value is None else value
                i += found.end()
                continue
            out += "$" if text[i] == "\0" else text[i]
            i += 1
        return out

    def _substitute(self, line: str) -> str:
        shown = ""
        for connector, pipeline in parse(line):
            if (connector == "&&" and self.exit_status) or (connector == "||" and not self.exit_status):
                continue
            result = self._pipeline(pipeline)
            self.exit_status = result.status
            shown += result.out
        return shown.rstrip("\n")

    # -- commands ----------------------------------------------------------------------------------------------
    def path(self, name: str) -> str:
        return self.device.files.path(name, self.folder)

    def write(self, name: str, text: str, *, append: bool = False) -> None:
        mode = 0o666 & ~self.umask
        self.device.files.write(self.path(name), text, append=append, mode=mode, root=self.root)

    def _command(self, words: list[str], feed: str) -> Result:
        method = getattr(self, "_do_" + {"[": "test", "nv": "nv"}.get(words[0], words[0]).replace("-", "_"), None)
        if method is None or not re.fullmatch(r"[a-z\[]+", words[0]):
            return Result(err=f"-bash: {words[0]}: command not found\n", status=127)
        return method(words[1:], feed)

    def _do_nv(self, words: list[str], feed: str) -> Result:
        from lab.nvue.cli import NvCli  # cli needs Question and Result of this module

        return NvCli(self).run(words)

    def _do_vtysh(self, words: list[str], feed: str) -> Result:
        from lab.nvue.show_routing import ShowRouting

        if not self.root:
            return Result(err="Exiting: failed to connect to any daemons.\n", status=1)
        if len(words) != 2 or words[0] not in ("-c", "--command") or not words[1].startswith("show "):
            return Result(err="vtysh: only -c 'show ...' is emulated\n", status=1)
        text = ShowRouting(self.device).vtysh(words[1][5:])
        return Result(f"% Unknown command: {words[1]}\n", status=1) if text is None else Result(text + "\n")

    def _do_sudo(self, words: list[str], feed: str) -> Result:
        words = [w for i, w in enumerate(words) if not (w in ("-n", "-E", "-S", "--") and i < 2)]
        if not words:
            return Result(err="usage: sudo -h | -K | -k | -V\n", status=1)
        before, self.root = self.root, True
        try:
            result = self._command(words, feed)
        finally:
            self.root = before
        if result.status == 127:
            result.err = f"sudo: {words[0]}: command not found\n"
            result.status = 1
        return result

    def _do_exit(self, words: list[str], feed: str) -> Result:
        raise Logout

    _do_logout = _do_exit

    def _do_cat(self, words: list[str], feed: str) -> Result:
        result = Result()
        for name in words or ["-"]:
            try:
                result.out += feed if name == "-" else self.device.files.read(self.path(name), root=self.root)
            except FileError as exc:
                result.err += f"cat: {name}: {exc}\n"
                result.status = 1
        return result

    def _do_rm(self, words: list[str], feed: str) -> Result:
        force = any(w.startswith("-") and "f" in w for w in words)
        result = Result()
        for name in [w for w in words if not w.startswith("-")]:
            try:
                self.device.files.remove(self.path(name))
            except FileError as exc:
                if force and str(exc) == "No such file or directory":
                    continue
                result.err += f"rm: cannot remove '{name}': {exc}\n"
                result.status = 1
        return result

    def _do_mktemp(self, words: list[str], feed: str) -> Result:
        names = [w for w in words if not w.startswith("-")]
        template = names[0] if names else "/tmp/tmp.XXXXXXXXXX"
        found = re.fullmatch(r"(.*?)(X{3,})(.*)", template)
        if not found:
            return Result(err=f"mktemp: too few X's in template '{template}'\n", status=1)
        while True:
            self._made += 1
            path = self.path(found[1] + f"{self._made:x}".rjust(len(found[2]), "0") + found[3])
            if not self.device.files.exists(path):
                break
        try:
            self.device.files.write(path, "", mode=0o600)
        except FileError as exc:
            return Result(err=f"mktemp: failed to create file via template '{template}': {exc}\n", status=1)
        return Result(path + "\n")

    def _do_umask(self, words: list[str], feed: str) -> Result:
        if not words:
            return Result(f"{self.umask:04o}\n")
        if not re.fullmatch(r"[0-7]{1,4}", words[0]):
            return Result(err=f"-bash: umask: {words[0]}: octal number out of range\n", status=1)
        self.umask = int(words[0], 8)
        return Result()

    def _do_chmod(self, words: list[str], feed: str) -> Result:
        try:
            for name in words[1:]:
                self.device.files.chmod(self.path(name), int(words[0], 8))
        except FileError as exc:
            return Result(err=f"chmod: cannot access '{name}': {exc}\n", status=1)
        return Result()

    def _do_stat(self, words: list[str], feed: str) -> Result:
        name = words[-1]
        path = self.path(name)
        if not self.device.files.exists(path):
            return Result(err=f"stat: cannot statx '{name}': No such file or directory\n", status=1)
        return Result(f"{self.device.files.mode(path):o}\n")

    def _do_test(self, words: list[str], feed: str) -> Result:
        words = [w for w in words if w != "]"]
        negate = words[:1] == ["!"]
        words = words[1:] if negate else words
        if len(words) == 2 and words[0] in ("-e", "-f", "-d", "-s", "-r", "-n", "-z"):
            flag, operand = words
            path = self.path(operand)
            exists, folder = self.device.files.exists(path), self.device.files.folder(path)
            true = {
                "-e": exists,
                "-r": exists,
                "-f": exists and not folder,
                "-d": folder,
                "-n": bool(operand),
                "-z": not operand,
            }.get(flag)
            if true is None:
                true = exists and (folder or bool(self.device.files.read(path, root=True)))
        elif len(words) == 3 and words[1] in ("=", "==", "!=", "-eq", "-ne"):
            true = (words[0] == words[2]) == (words[1] in ("=", "==", "-eq"))
        else:
            true = len(words) == 1 and bool(words[0])
        return Result(status=int(true == negate))

    def _do_ls(self, words: list[str], feed: str) -> Result:
        result = Result()
        for name in [w for w in words if not w.startswith("-")] or ["."]:
            path = self.path(name)
            if self.device.files.folder(path):
                result.out += "".join(n + "\n" for n in self.device.files.names(path))
            elif self.device.files.exists(path):
                result.out += name + "\n"
            else:
                result.err += f"ls: cannot access '{name}': No such file or directory\n"
                result.status = 2
        return result

    def _do_echo(self, words: list[str], feed: str) -> Result:
        newline = words[:1] != ["-n"]
        return Result(" ".join(words if newline else words[1:]) + ("\n" if newline else ""))

    def _do_printf(self, words: list[str], feed: str) -> Result:
        text = words[0].replace("\\n", "\n").replace("\\t", "\t") if words else ""
        rest = list(words[1:])
        return Result(re.sub(r"%[sd]", lambda _: rest.pop(0) if rest else "", text))

    def _do_hostname(self, words: list[str], feed: str) -> Result:
        return Result(self.device.hostname + "\n")

    def _do_whoami(self, words: list[str], feed: str) -> Result:
        return Result(("root" if self.root else self.user) + "\n")

    def _do_pwd(self, words: list[str], feed: str) -> Result:
        return Result(self.folder + "\n")

    def _do_cd(self, words: list[str], feed: str) -> Result:
        path = self.path(words[0] if words else HOME)
        if not self.device.files.folder(path):
            return Result(err=f"-bash: cd: {words[0]}: No such file or directory\n", status=1)
        self.folder = path
        return Result()

    def _do_stty(self, words: list[str], feed: str) -> Result:
        if len(words) >= 2 and words[0] in ("cols", "columns") and words[1].isdigit():
            self.columns = int(words[1]) or None
        return Result()

    def _do_export(self, words: list[str], feed: str) -> Result:
        for word in words:
            name, equals, value = word.partition("=")
            if not re.fullmatch(r"[A-Za-z_]\w*", name):
                return Result(err=f"-bash: export: `{word}': not a valid identifier\n", status=1)
            if equals:
                self.variables[name] = value
        return Result()

    def _do_unset(self, words: list[str], feed: str) -> Result:
        for word in words:
            self.variables.pop(word, None)
        return Result()

    def _do_true(self, words: list[str], feed: str) -> Result:
        return Result()

    def _do_false(self, words: list[str], feed: str) -> Result:
        return Result(status=1)

    def _do_basename(self, words: list[str], feed: str) -> Result:
        return Result(posixpath.basename(words[0]) + "\n" if words else "")

    def _do_grep(self, words: list[str], feed: str) -> Result:
        flags = {c for w in words if w.startswith("-") for c in w[1:]}
        rest = [w for w in words if not w.startswith("-")]
        text = feed
        if len(rest) > 1:
            try:
                text = self.device.files.read(self.path(rest[1]), root=self.root)
            except FileError as exc:
                return Result(err=f"grep: {rest[1]}: {exc}\n", status=2)
        pattern = re.escape(rest[0]) if "F" in flags else rest[0]
        found = [
            line
            for line in text.splitlines()
            if bool(re.search(pattern, line, re.IGNORECASE if "i" in flags else 0)) != ("v" in flags)
        ]
        out = "" if "q" in flags else f"{len(found)}\n" if "c" in flags else "".join(f + "\n" for f in found)
        return Result(out, status=0 if found else 1)

    def _do_head(self, words: list[str], feed: str) -> Result:
        digits = re.search(r"\d+", " ".join(words))
        return Result("".join(feed.splitlines(keepends=True)[: int(digits[0]) if digits else 10]))

    def _do_less(self, words: list[str], feed: str) -> Result:
        return Result(feed)
