# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints, rollback, replacing and saving the configuration, files on bootflash."""

from __future__ import annotations

import re

from lab.nxos import tree, values
from lab.nxos.device import MAX_CHECKPOINTS, VOLATILE, Checkpoint, CommitTimer, NxosDevice
from lab.nxos.grammar import Match, Reject
from lab.nxos.shell import GRAMMAR, NxosShell
from lab.nxos.tree import Node

FULL = (
    f"ERROR: Maximum number of checkpoints ({MAX_CHECKPOINTS}) reached, delete a checkpoint before creating another one"
)


# -- checkpoints -----------------------------------------------------------------------------------------------
@GRAMMAR.command("exec", "checkpoint [<name:word>] [description <text:line>]", "checkpoint file <file:file>")
def checkpoint(shell: NxosShell, match: Match) -> str:
    device = shell.device
    if "file" in match.values:
        stamp = f"!Command: Checkpoint cmd vdc 1\n!Time: {device.date(device.clock())}\n"
        device.files[match["file"]] = stamp + device.running()
        return "Done"
    name = match.get("name") or _free_name(device)
    if name.startswith("system"):
        raise Reject("ERROR: Checkpoint name can not start with system")
    if len(name) > 80:
        raise Reject("ERROR: Checkpoint name is longer than 80 characters")
    if name in device.checkpoints:
        raise Reject(f"ERROR: Checkpoint {name} already exists")
    if len(device.user_checkpoints()) >= MAX_CHECKPOINTS or device.fault("sessions-full", match.line):
        raise Reject(FULL)
    device.checkpoints[name] = Checkpoint(device.running(), shell.user, device.clock(), match.get("text", "None"))
    created = "" if "name" in match.values else f"{name} created Successfully\n"
    return f"{created}\nDone" if created else "...Done"


def _free_name(device: NxosDevice) -> str:
    return next(n for n in (f"user-checkpoint-{i}" for i in range(1, 1000)) if n not in device.checkpoints)


@GRAMMAR.command("exec", "no checkpoint <name:word>")
def no_checkpoint(shell: NxosShell, match: Match) -> None:
    found = _checkpoint(shell, match["name"])
    if found.system:
        raise Reject(f"ERROR: Checkpoint {match['name']} was created by the system and can not be deleted")
    del shell.device.checkpoints[match["name"]]


@GRAMMAR.command("exec", "clear checkpoint database [user|system]")
def clear_checkpoints(shell: NxosShell, match: Match) -> str:
    kept = {
        name: c
        for name, c in shell.device.checkpoints.items()
        if ("user" in match and c.system) or ("system" in match and not c.system)
    }
    shell.device.checkpoints = kept
    return ".Done"


def _checkpoint(shell: NxosShell, name: str) -> Checkpoint:
    found = shell.device.checkpoints.get(name)
    if found is None:
        raise Reject(f"ERROR: Checkpoint {name} does not exist")
    return found


@GRAMMAR.command("exec", "show checkpoint summary [user|system]")
def show_summary(shell: NxosShell, match: Match) -> str:
    parts = []
    for system, title in ((False, "User Checkpoint Summary"), (True, "System Checkpoint Summary")):
        if ("user" in match and system) or ("system" in match and not system):
            continue
        entries = [(n, c) for n, c in shell.device.checkpoints.items() if c.system == system]
        if not entries:
            continue
        parts.append(f"{title}\n{'-' * 80}")
        parts += [_summary(shell.device, number, *entry) for number, entry in enumerate(entries, 1)]
    return "\n".join(parts)


def _summary(device: NxosDevice, number: int, name: str, found: Checkpoint) -> str:
    date = device.date(found.at).split()
    at = f"{date[0]}, {date[3]} {date[2]} {date[1]} {date[4]}"
    return (
        f"{number}) {name}:\nCreated by {found.user}\nCreated at {at}\nSize is {len(found.text):,} bytes\n"
        f"Description: {found.description}\n"
    )


@GRAMMAR.command("exec", "show checkpoint [all] [user|system]", "show checkpoint <name:word> [all]")
def show_checkpoint(shell: NxosShell, match: Match) -> str:
    device = shell.device
    if "name" in match.values:
        chosen = {match["name"]: _checkpoint(shell, match["name"])}
    else:
        chosen = {
            n: c
            for n, c in device.checkpoints.items()
            if not ("user" in match and c.system) and not ("system" in match and not c.system)
        }
    rule = "-" * 80
    parts = []
    for name, found in chosen.items():
        head = f"!Command: Checkpoint cmd vdc 1\n!Time: {device.date(found.at)}\n"
        parts.append(f"{rule}\nName: {name}\n\n{head}{found.text}")
    return "\n".join(parts)


# -- rollback --------------------------------------------------------------------------------------------------
_SOURCE = "{checkpoint <checkpoint:word>|file <file:file>|running-config|startup-config}"


def _source(shell: NxosShell, match: Match, which: int) -> str:
    """Text of the first or second configuration that ``show diff rollback-patch`` compares."""
    words = match.words[3:]
    sources: list[str] = []
    while words:
        if words[0] in ("checkpoint", "file"):
            sources.append(" ".join(words[:2]))
            words = words[2:]
        else:
            sources.append(words[0])
            words = words[1:]
    kind, _, name = sources[which].partition(" ")
    if kind == "checkpoint":
        return _checkpoint(shell, name).text
    if kind == "file":
        return _file(shell, name.partition(":")[2])
    return shell.device.running() if kind == "running-config" else shell.device.startup()


@GRAMMAR.command("exec", f"show diff rollback-patch {_SOURCE} {_SOURCE}")
def show_diff(shell: NxosShell, match: Match) -> str:
    lines = patch(tree.parse(_source(shell, match, 0)), tree.parse(_source(shell, match, 1)))
    head = "Collecting Running-Config\n" if "running-config" in match else ""
    if not lines:
        return f"{head}#Generating Rollback Patch\nRollback Patch is Empty"
    return f"{head}#Generating Rollback Patch\n\n!!\n" + "\n".join(lines)


def patch(now: Node, wanted: Node) -> list[str]:
    """Commands that lead from one configuration to another: removals first, then what is new."""
    vlans = [_vlans(now), _vlans(wanted)]
    gone = _difference(now, wanted, remove=True)
    if vlans[0] - vlans[1]:
        gone += ["!", f"no vlan {values.compress(vlans[0] - vlans[1])}"]
    if vlans[1] - vlans[0]:
        gone += ["!", f"vlan {values.compress(vlans[1] - vlans[0])}"]
    return [*gone, *_difference(wanted, now, remove=False)]


def _vlans(config: Node) -> set[int]:
    """What the summary line lists."""
    lines = [n.text for n in config.children if re.fullmatch(r"vlan [\d,-]+", n.text) and not n.children]
    return set(values.expand(lines[0].split()[1], 1, 4094)) if lines else set()


def _difference(left: Node, right: Node, *, remove: bool) -> list[str]:
    """Lines of ``left`` that ``right`` lacks."""
    result: list[str] = []
    for child in left.children:
        if child.filler or re.fullmatch(r"vlan \S*[,-]\S*|vlan 1", child.text):
            continue
        others = right.sections(child.text)
        if not others:
            if remove and child.text.startswith("no "):
                result.append("!" if not left.raw else "")
                result[-1:] = [child.raw.replace("no ", "", 1)]
            elif remove:
                indent = child.raw[: len(child.raw) - len(child.raw.lstrip())]
                result += [*(["!"] if not left.raw else []), f"{indent}no {child.text}"]
            else:
                result += [*(["!"] if not left.raw else []), child.raw, *(n.raw for n in child.walk() if not n.filler)]
            continue
        below: list[str] = []
        merged = Node(others[0].raw)
        merged.children = [c for other in others for c in other.children]
        below = _difference(child, merged, remove=remove)
        if below:
            result += [*(["!"] if not left.raw else []), child.raw, *below]
    return result


_ADVISORY = (
    "ADVISORY: Rollback operation started...\n"
    "Modifying running configuration from another VSH terminal in parallel\n"
    "is not recommended, as this may lead to Rollback failure.\n\n"
)
_NOTE = "Note: Applying config parallelly may fail Rollback verification\n"


@GRAMMAR.command(
    "exec",
    "rollback running-config checkpoint <name:word> [atomic|best-effort|stop-at-first-failure] [verbose]",
    "rollback running-config file <file:file> [atomic|best-effort|stop-at-first-failure] [verbose]",
)
def rollback(shell: NxosShell, match: Match) -> str:
    device = shell.device
    text = _checkpoint(shell, match["name"]).text if "name" in match.values else _file(shell, match["file"])
    lines = patch(device.config, tree.parse(text))
    new = device.major >= 10
    head = _ADVISORY if new else _NOTE
    head += (
        "Collecting Running-Config\nGenerating Rollback patch for switch profile\nRollback Patch is Empty\n"
        "Collecting Running-Config\n#Generating Rollback Patch\n"
    )
    if not lines and device.running() == text:
        return f"{head}Rollback Patch is Empty\n\nRollback completed successfully."
    device.restore(text)
    shell.stack = shell.stack[:1] if shell.stack else []
    verbose = "`conf t`\n" + "\n".join(f"`{line.strip()}`" for line in lines if line != "!") + "\n"
    middle = "Executing Rollback Patch\n" + (verbose if "verbose" in match else "")
    tail = "Generating Running-config for verification\n" + (
        "Generating Rollback Patch\n" if new else "Generating Patch for verification\n"
    )
    return f"{head}{middle}{tail}\nRollback completed successfully."


# -- configure replace -----------------------------------------------------------------------------------------
@GRAMMAR.command(
    "exec", "configure replace <file:file> [verbose] [best-effort] [verify-only] [commit-timeout <seconds:30-3600>]"
)
def configure_replace(shell: NxosShell, match: Match) -> str:
    device = shell.device
    text = _file(shell, match["file"])
    if device.commit_timer:
        raise Reject("ERROR: A configure replace with commit-timeout is in progress, commit it first")
    problems = check(device, text)
    if problems and "best-effort" not in match:
        listing = "\n".join(f"Syntax error while parsing '{line}'" for line in problems)
        return f"{listing}\nConfigure replace failed. Use 'show config-replace log exec' to see the reason."
    if "verify-only" in match:
        return "Patch validation completed successful"
    before = device.running()
    device.restore(text)
    shell.stack.clear()
    if "seconds" in match.values:
        device.commit_timer = CommitTimer(device.clock() + match["seconds"], before, shell.user)
    return (
        "Version match between user file and running configuration.\nPre-check for User config PASSED\n"
        + _ADVISORY.replace("Rollback", "Config Replace")
        + "Collecting Running-Config\nGenerating Rollback patch for switch profile\nRollback Patch is Empty\n"
        "Collecting Running-Config\n#Generating Rollback Patch\nExecuting Rollback Patch\n"
        "Generating Running-config for verification\nGenerating Rollback Patch\n\n"
        "Configure replace completed successfully. Please run 'show config-replace log exec' to see if there is any "
        "configuration that requires reload to take effect."
    )


@GRAMMAR.command("exec", "configure replace commit")
def configure_commit(shell: NxosShell, match: Match) -> str:
    if shell.device.commit_timer is None:
        raise Reject("ERROR: No configure replace is waiting for a commit")
    shell.device.commit_timer = None
    return "Commit successful"


def check(device: NxosDevice, text: str) -> list[str]:
    """Lines of a file that the switch would refuse; what it prints now is not in question."""
    scratch = NxosDevice(device.name, device.unsplit, clock=device.clock, release=device.release)
    scratch.load(device.running())
    known = {(path, line) for path, line in _paths(scratch.config)}
    shell = NxosShell(scratch, "check")
    problems: list[str] = []
    for path, line in _paths(tree.parse(text)):
        if (path, line) in known:
            continue
        shell.run("configure terminal")
        answers = [shell.run(part) for part in (*path, line)]
        if any(re.search(r"(?m)^(%|ERROR|Error)", answer) for answer in answers):
            problems.append(line)
    return problems


def _paths(node: Node, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], str]]:
    found = []
    for child in node.children:
        if not child.filler:
            found.append((path, child.text))
            found += _paths(child, (*path, child.text))
    return found


# -- files and saving ------------------------------------------------------------------------------------------
def _file(shell: NxosShell, name: str) -> str:
    if name not in shell.device.files:
        raise Reject(f"ERROR: No such file or directory (bootflash:{name})")
    lines = shell.device.files[name].split("\n")
    while lines and VOLATILE.match(lines[0]):
        del lines[0]
    return "\n".join(lines)


_DONE = "\nCopy complete, now saving to disk (please wait)...\nCopy complete."


@GRAMMAR.command("exec", "copy running-config startup-config", "write memory")
def save(shell: NxosShell, match: Match) -> str:
    shell.device.save()
    return f"[{'#' * 40}] 100%{_DONE}"


@GRAMMAR.command("exec", "copy {running-config|startup-config} <file:file>")
def copy_to_file(shell: NxosShell, match: Match) -> str:
    device = shell.device
    text = device.running() if match.words[1] == "running-config" else device.startup()
    device.files[match["file"]] = text
    return _DONE[1:]


@GRAMMAR.command("exec", "copy <file:file> startup-config")
def copy_to_startup(shell: NxosShell, match: Match) -> str:
    shell.device._startup = _file(shell, match["file"])
    return f"[{'#' * 40}] 100%{_DONE}"


@GRAMMAR.command("exec", "delete <file:file> [no-prompt]")
def delete(shell: NxosShell, match: Match) -> None:
    _file(shell, match["file"])
    del shell.device.files[match["file"]]


@GRAMMAR.command("exec", "dir [bootflash:]")
def directory(shell: NxosShell, match: Match) -> str:
    device = shell.device
    rows = [
        f"{len(text):>12}    {device.date(device.clock())[4:]}  {name}" for name, text in sorted(device.files.items())
    ]
    return "\n".join([*rows, "", "Usage for bootflash://sup-local", " 2051047424 bytes used"])


@GRAMMAR.command("exec", "show file <file:file>")
def show_file(shell: NxosShell, match: Match) -> str:
    _file(shell, match["file"])
    return shell.device.files[match["file"]]
