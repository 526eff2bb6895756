# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Carry out a change: arm the way back, write, tell the manager, wait until the kernel has it."""

from __future__ import annotations

import os
import select
import subprocess
import time

from ansible_collections.lossless.fabric.plugins.module_utils.network import live, manager, revert, sysctl
from ansible_collections.lossless.fabric.plugins.module_utils.network.change import STATE
from ansible_collections.lossless.fabric.plugins.module_utils.network.manager import must
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem


def carry_out(change):
    """Do it; whether it is on trial now. What does not work out is undone."""
    system, options = change.system, change.options
    trial = bool(options["apply"] and (change.files or change.at_risk))
    if trial:
        revert.arm(system, change.files, _way_back(change), options["revert_after"])
    try:
        _write(system, change.files)
        if options["apply"]:
            _apply(change)
    except (Problem, OSError) as problem:
        if trial and revert.undo(system):
            raise Problem("the change to work", str(problem), "host", "everything is as it was before") from problem
        raise
    return trial


def _write(system, files):
    for entry in files:
        if entry["after"] is None:
            system.at(entry["path"]).unlink()
        else:
            system.replace(entry["path"], entry["after"], entry["mode"])
    folder = system.at(STATE).parent
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _apply(change):
    system = change.system
    renamed = [link for link in change.touched if link.now]
    again = {link.name for link in change.made_again}
    present = set(change.live.links) - again | {link.name for link in renamed}
    with Monitor(system) as monitor:
        if any(entry["path"].endswith(".link") for entry in change.files):
            must(system, "udevadm", "control", "--reload")
        for link in renamed:
            must(system, "ip", "link", "set", link.now, "down")
            must(system, "ip", "link", "set", link.now, "name", link.name)
            link.now = None
        for name in sorted(again):
            must(system, "ip", "link", "del", name)
        chosen = _chosen(change, present)
        if change.files or chosen:
            change.manager.reload(system, chosen)
            for other in _former(change):
                other.reload(system, [])
        failed = [done for done in (system.run(*command) for command in change.manager.apply(chosen)) if done.rc]
        left, failed = _settle(change, monitor, failed)
    said = [done.said() for done in failed]
    if left:
        words = "; ".join([*(str(difference) for difference in left), *said])
        raise Problem("the interfaces as planned", words, change.manager.name, "see its journal")
    for text in said:
        change.find("warning", "manager", "no complaint", text, change.manager.name, "see its journal")


def _former(change):
    """Another manager that had files of ours, and who has to learn that they are gone."""
    paths = [entry["path"] for entry in change.files]
    others = [one for one in manager.ALL if one.networkd != change.manager.networkd and one.name != "netplan"]
    return [one for one in others if any(one.owns(path) for path in paths)]


def _chosen(change, present):
    """The interfaces that the manager is told about.

    A bond or VLAN that is missing is made when those below it are configured; networkd knows no name that is not there.
    """
    chosen = {link.name: link for link in change.touched}
    for link in change.touched:
        if link.name not in present:
            chosen.update({o.name: o for o in change.interfaces if o.name == link.parent or o.bond == link.name})
    if change.manager.networkd:
        return [link for link in chosen.values() if link.name in present]
    return list(chosen.values())


def _settle(change, monitor, failed):
    """Wait for the kernel, and take away what no manager takes away: the differences and the failures that stay.

    NetworkManager refuses the profile of a VLAN while its parent is being activated; what failed is tried again
    whenever the kernel has changed.
    """
    system, tried = change.system, set()
    deadline = time.monotonic() + change.options["settle"]
    while True:
        left = change.compare(live.Live.read(system))
        fixes = [difference.fix for difference in left if difference.fix and difference.fix not in tried]
        for command in fixes:
            system.run(*command)
        tried.update(fixes)
        for key in sysctl.differences(system, change.sysctl):
            system.write(f"/proc/sys/{key}", change.sysctl[key])
        if not left:
            return [], failed
        if not fixes and not monitor.wait(deadline):
            return left, failed
        failed = [done for done in (system.run(*one.argv) for one in failed) if done.rc]


def _way_back(change):
    """Commands after which the kernel has what it has now, given the files of now."""
    touched = [*change.touched, *change.gone]
    commands = revert.commands(change.live, touched)
    for one in [change.manager, *_former(change)]:
        commands += one.load()
    if change.manager.networkd:
        commands += [("networkctl", "reconfigure", link.live) for link in touched if link.live in change.live.links]
    else:  # a profile that was taken down by hand is not activated by itself
        names = {link.live for link in touched}
        commands += change.manager.apply([link for link in change.earlier if link.name in names])
    commands += [("sysctl", "-q", "-w", f"{key}={value}") for key, value in change.settings.items()]
    return commands


class Monitor:
    """Waits for the kernel to tell of a change, instead of asking again and again."""

    def __init__(self, system):
        self.command = [system.tool("ip") or "ip", "monitor", "link", "address", "route", "rule"]
        self.process = None

    def __enter__(self):
        quiet = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, **quiet)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def wait(self, deadline):
        """Whether something happened before the deadline."""
        ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
        return bool(ready) and bool(os.read(self.process.stdout.fileno(), 65536))
