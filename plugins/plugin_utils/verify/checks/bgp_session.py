# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eBGP session that is not established."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class BgpSession(Check):
    """Every planned session of the underlay must be established with the planned AS number.

    Reads: sessions of the default VRF. A session over a port without link is the port's finding, not this one's.
    """

    name = "bgp_session"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for device in fabric.devices.values():
            underlay = device.model.underlay
            for neighbor in underlay.neighbors if underlay else ():
                port = fabric.port(device.name, neighbor.port)
                sessions = device.facts.bgp if device.facts else {}
                session = sessions.get(neighbor.address or neighbor.port)
                known = session.established if session else (False if sessions else None)
                if port is None or not self.told(None if port.down else known):
                    continue
                if known and (session is None or session.asn in (None, neighbor.asn)):
                    continue
                found = "not established" if not known else f"AS {session.asn}" if session else ""
                yield self.finding(
                    port,
                    expected=f"session with AS {neighbor.asn}, established",
                    actual=found if session else "no such session",
                    why="this path carries nothing, the others carry more",
                    remedy="check address, AS number and filters at both ends, and BFD",
                )
