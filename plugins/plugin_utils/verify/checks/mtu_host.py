# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""MTU of ports that hosts are attached to."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class MtuHost(Check):
    """A port must take the packets of the host behind it.

    Reads: MTU of the port, MTU of the NIC in the model of the host. Not counted when there is no model of the host. A
    port whose MTU is unlike its own intent is left to mtu.
    """

    name = "mtu_host"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.active_ports:
            peer = port.model.peer
            nics = fabric.host_mtus.get(peer.device) if peer is not None and peer.kind == "host" else None
            if not nics:
                continue
            host = nics.get(peer.port) if peer.port is not None else max(nics.values())
            if not self.told(port.facts.mtu, host) or port.facts.mtu >= host or port.facts.mtu != port.model.mtu:
                continue
            yield self.finding(
                port,
                expected=f"at least the {host} bytes of {peer.device} {peer.port or ''}".rstrip(),
                actual=f"{port.facts.mtu} bytes",
                why=f"packets of the host above {port.facts.mtu} bytes are lost at this port",
                remedy="raise the mtu of the port or lower that of the host in the intent",
            )
