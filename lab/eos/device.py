# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One emulated Arista switch."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from lab.cli import expand_ranges
from lab.device import Device, PortState
from lab.eos.configure import Editor
from lab.eos.language import Language, language
from lab.eos.sessions import Sessions
from lab.eos.tree import Node, Tree
from lab.forwarding import SwitchForwarding

if TYPE_CHECKING:
    from lab.exchange import Speaker

DEFAULT_RELEASE = "4.32.2F"
_DNX = ("jericho", "qumran", "ramon", "arad")


class EosDevice(Device):
    """Configuration, sessions and files of one switch."""

    platform = "eos"
    mtu_default = 1500

    def __init__(
        self,
        name: str,
        ports: list[str],
        *,
        clock: Callable[[], float],
        release: str | None = None,
        asic: str | None = None,
    ) -> None:
        super().__init__(name, ports, clock=clock, release=release or DEFAULT_RELEASE)
        self.asic = asic or "tomahawk4"
        self.booted = clock()
        self.files: dict[str, str] = {}  # "flash:NAME", "checkpoint:NAME"
        self.sessions = Sessions(lambda: self.tree, self.replace, lambda: self.clock(), lambda: self.version >= (4, 32))
        self.load(self.factory())

    # -- what it is --------------------------------------------------------------------------------------------
    @property
    def version(self) -> tuple[int, int]:
        m = re.match(r"(\d+)\.(\d+)", self.release or "")
        return (int(m[1]), int(m[2])) if m else (4, 32)

    @property
    def dnx(self) -> bool:
        """Virtual output queues (Jericho family) instead of unicast and multicast queues."""
        return self.asic.lower().startswith(_DNX)

    @property
    def model(self) -> str:
        return "Lab-emulated DCS-7280DR3A-36" if self.dnx else "Lab-emulated DCS-7060DX5-64S"

    @property
    def language(self) -> Language:
        return language(self.version)

    @property
    def editor(self) -> Editor:
        return Editor(self.language, self.version, lambda: self.ports, self.dnx)

    @property
    def hostname(self) -> str:
        line = self.tree.root.get("hostname")
        return line.text.split()[1] if line else "localhost"

    def vlans(self) -> dict[int, str]:
        """Number and name of every VLAN, the built-in one included."""
        found = {1: "default"}
        for node in self.tree.root.visible():
            if node.kind.mode == "vlan":
                name = node.get("name")
                for number in _numbers(node):
                    found[number] = name.text.split()[1] if name else f"VLAN{number:04}"
        return dict(sorted(found.items()))

    # -- configuration -----------------------------------------------------------------------------------------
    def load(self, text: str) -> None:
        self.tree = Tree.parse(text, self.language)
        self._startup = self.tree.text()
        self.sessions.clear()
        for node in self.tree.root.visible():
            if node.text.startswith("interface Ethernet"):
                self.ports.setdefault(node.text.split()[1], PortState())

    def replace(self, tree: Tree) -> None:
        """Another running configuration takes the place of the present one, at once."""
        self.tree = tree

    def running(self) -> str:
        return self.tree.text()

    def startup(self) -> str:
        return self._startup

    def save(self, text: str | None = None) -> None:
        """Keep a configuration (the running one) for the next boot."""
        self._startup = self.running() if text is None else text

    def show_text(self, command: str, text: str) -> str:
        """A configuration as ``show`` prints it: headed, and closed by ``end`` even if the loaded text was not."""
        head = f"! Command: {command}\n! device: {self.hostname} ({self.model}, EOS-{self.release})\n"
        body = text.rstrip("\n")
        return head + body + ("" if body.endswith("\nend") else "\n!\nend") + "\n"

    def leftovers(self) -> list[str]:
        found = [f"session {s.name} (pending)" for s in self.sessions.pending()]
        waiting = self.sessions.waiting()
        if waiting is not None:
            found.append(f"session {waiting.name} (commit timer)")
        return found + list(self.files)

    def tick(self) -> None:
        self.sessions.tick()

    def shell(self, user: str):
        from lab.eos.shell import EosShell  # the shell imports the device

        return EosShell(self, user)

    def forwarding(self, ports: list[str]) -> SwitchForwarding:
        from lab.eos.forwarding import forwarding  # it needs this module

        return forwarding(self, ports)

    def speaker(self) -> Speaker | None:
        from lab.eos.speaker import speaker  # it needs this module

        return speaker(self)

    # -- as delivered ------------------------------------------------------------------------------------------
    def factory(self) -> str:
        """A switch with a management address and a few things of its own; every port is listed, as EOS does."""
        ports = "".join(f"interface {port}\n!\n" for port in self.ports)
        return _FACTORY.format(name=self.name, release=self.release, ports=ports)


def _numbers(node: Node) -> list[int]:
    return sorted(expand_ranges(node.text.split()[1]) or ())


_FACTORY = """\
!
! boot system flash:/EOS-{release}.swi
!
no aaa root
!
username admin privilege 15 role network-admin secret sha512 $6$lab$NotAPasswordHash
!
aaa authorization exec default local
!
transceiver qsfp default-mode 4x10G
!
service routing protocols model multi-agent
!
hostname {name}
ip name-server vrf MGMT 192.0.2.53
!
snmp-server location lab rack A1
!
spanning-tree mode mstp
!
vlan 999
   name PARKING
!
vrf instance MGMT
!
management api http-commands
   no shutdown
!
{ports}interface Management1
   vrf MGMT
   ip address 192.0.2.10/24
!
ip access-list MGMT-IN
   10 permit tcp 192.0.2.0/24 any eq ssh
   20 deny ip any any log
!
ip routing
no ip routing vrf MGMT
!
ip route vrf MGMT 0.0.0.0/0 192.0.2.1
!
ntp server vrf MGMT 192.0.2.123
!
end
"""
