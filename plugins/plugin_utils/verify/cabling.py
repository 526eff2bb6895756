# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an LLDP neighbour is the far end that the model names."""

from __future__ import annotations

import re
from collections import Counter

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Peer
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import Neighbor
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.fabric import Fabric


class Cabling:
    """Names as LLDP tells them, compared with names of the model."""

    def __init__(self, fabric: Fabric) -> None:
        # The host name of a switch is left alone, so it may differ from its name in the inventory.
        self._switches: dict[str, str] = {}
        # A host may call its ports otherwise than the intent; only a name of the intent can be a wrong one.
        self._nics: dict[str, set[str]] = {host: {n.lower() for n in nics} for host, nics in fabric.host_mtus.items()}
        hostnames = Counter(d.facts.hostname.lower() for d in fabric.devices.values() if d.facts)
        for device in fabric.devices.values():
            if device.facts and hostnames[device.facts.hostname.lower()] == 1:
                self._switches[device.facts.hostname.lower()] = device.name
        for port in fabric.ports:
            peer = port.model.peer
            if peer is not None and peer.kind == "host" and peer.port is not None:
                self._nics.setdefault(peer.device, set()).add(peer.port.lower())

    def fits(self, peer: Peer, heard: Neighbor) -> bool:
        """Whether ``heard`` may be ``peer``: another device or port is certain, not guessed."""
        if self.is_port(peer.device, peer.port, heard):
            return True
        if not _same_name(peer.device, self.device(heard)):
            return False
        return peer.kind == "host" and heard.port.lower() not in self._nics.get(peer.device, set())

    def is_port(self, device: str, port: str | None, heard: Neighbor) -> bool:
        """Whether ``heard`` is this port; without a port, whether it is this device."""
        return _same_name(device, self.device(heard)) and (port is None or _port(port) == _port(heard.port))

    def device(self, heard: Neighbor) -> str:
        """Name of the neighbour in the inventory if it is one of our switches, else as heard."""
        return self._switches.get(heard.device.lower(), heard.device)

    def text(self, heard: Neighbor) -> str:
        """The neighbour for people."""
        return f"{self.device(heard)} {heard.port}".rstrip()


def _same_name(ours: str, theirs: str) -> bool:
    """Equal, without regard to case; a bare name equals its fully qualified form."""
    a, b = ours.lower(), theirs.lower()
    if "." in a and "." in b:
        return a == b
    return a.split(".")[0] == b.split(".")[0]


def _port(name: str) -> str:
    """Platforms abbreviate: Et1/1, Eth1/1 and Ethernet1/1 are one port."""
    return re.sub(r"^et[a-z]*(?=\d)", "ethernet", name.strip().lower())
