# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bundle and its members have in common: the lines of the bundle are printed at every member, too."""

from __future__ import annotations

import re

from lab.nxos import order, tree
from lab.nxos.device import NxosDevice, Port
from lab.nxos.grammar import Reject

_SHARED = re.compile(r"(no )?switchport( |$)|mtu |speed |duplex |flowcontrol ")


def shared(port: Port) -> list[str]:
    """Lines that a member has from its bundle."""
    return [line for line in port.lines if _SHARED.match(line)]


def copy(device: NxosDevice, lines: list[str], name: str) -> None:
    """Give an interface these shared lines in place of its own."""
    port = device.port(name)
    node = port.node or device.insert_top(f"interface {name}")
    node.children = [child for child in node.children if child.filler or not _SHARED.match(child.text)]
    rank = order.rank_of("config-if", f"interface {name}", device.major)
    for line in lines:
        tree.insert(node, line, rank)


def dissolve(device: NxosDevice, bundle: str) -> None:
    """The bundle goes: its ports stand alone and keep their lines."""
    for port in device.members(bundle):
        port.node.children = [c for c in port.node.children if not c.text.startswith("channel-group ")]


class Guard:
    """Around one command on interfaces: members follow their bundle and are not configured themselves."""

    def __init__(self, device: NxosDevice, names: list[str]) -> None:
        self.device = device
        ports = [device.port(name) for name in names]
        self.members = {p.name: (p.group, [(c, c.raw) for c in p.node.children]) for p in ports if p.group}
        self.bundles = [p.name for p in ports if p.kind == "port-channel"]

    def check(self) -> None:
        """After the command. Raises Reject."""
        for name, (group, children) in self.members.items():
            port = self.device.port(name)
            if port.group == group and set(shared(port)) != {
                raw.strip() for _, raw in children if _SHARED.match(raw.strip())
            }:
                for child, raw in children:
                    child.raw = raw
                port.node.children = [child for child, _ in children]
                raise Reject(f"ERROR: {name}: port is a member of {group}, this can only be set on the port-channel")
        for name in self.bundles:
            wanted = shared(self.device.port(name))
            for port in self.device.members(name):
                if sorted(shared(port)) != sorted(wanted):
                    copy(self.device, wanted, port.name)
