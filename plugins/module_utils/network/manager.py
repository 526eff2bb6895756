# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who manages the network of the host, and what it has to be told so that new files become effective.

A manager is told about single interfaces only. None is restarted: that would touch every interface of the host.
"""

from __future__ import annotations

import os

from ansible_collections.lossless.fabric.plugins.module_utils.network import keyfile, netplan, networkd
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem

NAMES = ("netplan", "networkd", "NetworkManager")
REMEDY = "set host_network_manager to netplan, networkd or NetworkManager"


class Manager:
    """One of the three."""

    def __init__(self, name):
        self.name = name
        self.source = {"netplan": netplan, "networkd": networkd, "NetworkManager": keyfile}[name]

    @property
    def networkd(self):
        """Whether systemd-networkd carries it out."""
        return self.name != "NetworkManager"

    @property
    def mode(self):
        """Mode of its files."""
        return self.source.MODE

    def files(self, interfaces):
        """Text of every file by its path."""
        return self.source.files(interfaces)

    def owns(self, path):
        """Whether a file is ours and of this manager."""
        folder, _, name = path.rpartition("/")
        if self.name == "netplan":
            return path == netplan.PATH
        if self.name == "networkd":
            return folder == networkd.FOLDER and name.startswith(networkd.PREFIX) and not name.endswith(".link")
        return path == keyfile.SETTINGS or (folder == keyfile.FOLDER and name.startswith(keyfile.PREFIX))

    def reload(self, system, links):
        """Have the manager read its files. ``links`` are read anew even if their files are the same.

        networkd 252 keeps what it made of a file that has not changed, also a bond that is gone since: its members
        would wait for that one for ever.
        """
        if self.name == "netplan":
            netplan.generate(system)
        if self.networkd:
            for link in links:
                place = system.at(self.source.unit(link))
                if place.exists():
                    os.utime(str(place))
            must(system, "networkctl", "reload")
            return
        for command in self.load():
            must(system, *command)

    def load(self):
        """Commands after which the manager knows its files, for a script."""
        if self.networkd:
            first = [("netplan", "generate")] if self.name == "netplan" else []
            return [*first, ("networkctl", "reload")]
        return [("nmcli", "general", "reload", "conf"), ("nmcli", "connection", "reload")]

    def apply(self, interfaces):
        """Commands that bring the given interfaces, and no other, to what the files say."""
        if self.networkd:
            return [("networkctl", "reconfigure", link.name) for link in interfaces]
        order = {"bond": 0, "nic": 1, "vlan": 2}
        chosen = sorted(interfaces, key=lambda link: order[link.kind])
        return [("nmcli", "--wait", "30", "connection", "up", "uuid", keyfile.identity(link.label)) for link in chosen]


def must(system, *command):
    """Run a command that has to succeed."""
    done = system.run(*command)
    if done.rc:
        raise Problem("success", done.said(), done.command, "see the journal")


ALL = [Manager(name) for name in NAMES]


def detect(system, chosen):
    """The manager in charge."""
    if chosen in ("networkd", "NetworkManager"):
        return Manager(chosen)
    planned = list(netplan.documents(system)) if system.tool("netplan") else None
    if chosen == "netplan" and planned is None:
        raise Problem("netplan", "it is not installed", "host_network_manager", REMEDY)
    if chosen == "netplan" or planned or (planned is not None and system.exists(netplan.PATH)):
        return _netplan(planned, chosen)
    running = [
        name
        for name, unit in (("networkd", "systemd-networkd"), ("NetworkManager", "NetworkManager"))
        if system.tool("systemctl") and system.run("systemctl", "is-active", "--quiet", f"{unit}.service").rc == 0
    ]
    if len(running) != 1:
        found = " and ".join(running) if running else "none of netplan, systemd-networkd and NetworkManager"
        raise Problem("one manager of the network", found, "host", REMEDY)
    return Manager(running[0])


def _netplan(planned, chosen):
    """netplan gives no routing rules to NetworkManager (seen with 0.106): that one gets its own files then."""
    renderers = [network["renderer"] for _, network in planned if network.get("renderer")]
    if renderers[-1:] != ["NetworkManager"]:
        return Manager("netplan")
    if chosen == "netplan":
        text = "set host_network_manager to NetworkManager: netplan does not hand routing rules to it"
        raise Problem("renderer networkd", "NetworkManager", "netplan", text)
    return Manager("NetworkManager")
