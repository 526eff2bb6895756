# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A change of the network is on trial until the control node says over a new connection that it still gets here.

Before the first file is written, everything that is needed to go back lies in one folder, and a timer of systemd is
armed that goes back. Confirming takes the folder away. Whoever renames the folder first, has it: the timer or the
confirmation, never both.
"""

from __future__ import annotations

import shlex
import shutil

from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem

FOLDER = "/var/lib/lossless-fabric/host-network"
UNIT = "lossless-host-network-revert"
ARMED, CONFIRMED, REVERTING, REVERTED = "armed", "confirmed", "reverting", "reverted"

HEAD = """#!/bin/sh
# Undoes a change of the network that was not confirmed. Written by Ansible (lossless.fabric.host_network).
PATH={path}
export PATH
cd {folder} || exit 0
mv {armed} {reverting} 2>/dev/null || exit 0
"""
TAIL = """rm -rf {reverting}
date > {reverted}
"""


def arm(system, changes, commands, seconds):
    """Keep what is there now, and start the timer."""
    for tool in ("systemd-run", "systemctl"):
        if not system.tool(tool):
            raise Problem("systemd, whose timer undoes a change that cuts the host off", f"no {tool}", "host", "use it")
    names = {"armed": ARMED, "reverting": REVERTING, "reverted": REVERTED}
    place = shlex.quote(str(system.at(FOLDER)))
    folders = []  # those that were made for a file go with it
    lines = [HEAD.format(path=shlex.quote(system.search), folder=place, **names)]
    for number, change in enumerate(changes):
        path = shlex.quote(str(system.at(change["path"])))
        if change["before"] is None:
            lines.append(f"rm -f {path}\n")
            folders.append(shlex.quote(str(system.at(change["path"]).parent)))
            continue
        kept = f"files/{number}"
        system.replace(f"{FOLDER}/{ARMED}/{kept}", change["before"], change["old_mode"])
        # Beside the file and then over it: a reader sees the old one or the new one.
        lines.append(f"mkdir -p {shlex.quote(str(system.at(change['path']).parent))}\n")
        lines.append(f"cp -p {REVERTING}/{kept} {path}.lossless && mv -f {path}.lossless {path}\n")
    lines += [f"rmdir {folder} 2>/dev/null\n" for folder in dict.fromkeys(folders)]
    lines += [" ".join(shlex.quote(word) for word in command) + "\n" for command in commands]
    lines.append(TAIL.format(**names))
    system.replace(f"{FOLDER}/{ARMED}/revert.sh", "".join(lines), 0o700)
    system.at(FOLDER).chmod(0o700)
    done = system.run(
        *("systemd-run", f"--unit={UNIT}", f"--on-active={seconds}", "--timer-property=AccuracySec=1s", "--quiet"),
        *("/bin/sh", str(system.at(f"{FOLDER}/{ARMED}/revert.sh"))),
    )
    if done.rc:
        clear(system)
        raise Problem("a timer of systemd that undoes the change", done.said(), done.command, "see the journal")


def undo(system):
    """Go back now; whether there was something to undo."""
    script = system.at(f"{FOLDER}/{ARMED}/revert.sh")
    found = script.exists()
    if found:
        system.run("sh", str(script))
    _disarm(system)
    clear(system)
    return found


def confirm(system):
    """Keep the change. False if none is on trial; a problem if it was undone meanwhile."""
    folder = system.at(FOLDER)
    try:
        (folder / ARMED).rename(folder / CONFIRMED)
    except FileNotFoundError:
        if not system.exists(f"{FOLDER}/{REVERTED}") and not system.exists(f"{FOLDER}/{REVERTING}"):
            return False
        when = system.read(f"{FOLDER}/{REVERTED}") or "just now"
        clear(system)
        raise Problem(
            "a confirmation before the timer",
            f"the change was undone ({when}): the host could not be reached in time",
            "host",
            "see whether the change cuts the way to the host, or give host_network_revert_after more seconds",
        ) from None
    _disarm(system)
    clear(system)
    return True


def clear(system):
    """Leave nothing behind."""
    folder = system.at(FOLDER)
    shutil.rmtree(str(folder), ignore_errors=True)
    if folder.parent.is_dir() and not any(folder.parent.iterdir()):
        folder.parent.rmdir()


def _disarm(system):
    system.run("systemctl", "stop", f"{UNIT}.timer")
    system.run("systemctl", "reset-failed", f"{UNIT}.service")


def commands(before, touched):
    """Commands of ip that bring the kernel back to what it had, for the interfaces that are touched.

    The manager only knows what its files say; a NIC that it did not manage gets back what it had by hand. Tables and
    rules of other interfaces are not named: networkd takes a rule that was made anew for one of somebody else.
    """
    found = []
    for link in touched:
        found += _interface(before, link)
    tables = {link.table for link in touched if link.table}
    for number in sorted(tables):
        found.append(("ip", "-4", "rule", "del", "priority", str(number)))
        found.append(("ip", "-4", "route", "flush", "table", str(number)))
    names = {link.live for link in touched}
    for route in before.routes:
        if not route["kernel"] and (route["table"] in tables or route["dev"] in names):
            found.append(_route(route))
    for rule in before.rules:
        if rule["table"] in tables:
            words = ("priority", str(rule["priority"]), "from", rule["from"], "table", str(rule["table"]))
            found.append(("ip", "-4", "rule", "del", *words))  # not twice
            # The protocol that managers use: another one would be a second rule beside theirs.
            found.append(("ip", "-4", "rule", "add", *words, "protocol", "static"))
    return found


def _interface(before, link):
    """State, MTU, bond and addresses of one interface as before."""
    name = link.live
    if name not in before.links:
        return [("ip", "link", "del", link.name)]
    found = []
    if link.now:
        found += [("ip", "link", "set", link.name, "down"), ("ip", "link", "set", link.name, "name", link.now)]
    state = before.links[name]
    found.append(("ip", "link", "set", name, "mtu", str(state["mtu"])))
    if link.kind == "nic" and link.bond != state.get("master"):
        master = ("master", state["master"]) if state.get("master") else ("nomaster",)
        found.append(("ip", "link", "set", name, *master))
    found.append(("ip", "-4", "address", "flush", "dev", name, "scope", "global"))
    found += [("ip", "address", "replace", address, "dev", name) for address in before.addresses(name)]
    found.append(("ip", "link", "set", name, "up" if "UP" in state.get("flags", ()) else "down"))
    return found


def _route(route):
    words = [route["to"], *(("via", route["via"]) if route["via"] else ("scope", "link")), "dev", route["dev"]]
    words += ["src", route["source"]] if route["source"] else []
    words += ["metric", str(route["metric"]), "table", str(route["table"]), "protocol", "static"]
    return ("ip", "-4", "route", "replace", *words)
