# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts that gave no facts."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class HostUnreachable(Check):
    """A managed host must give facts.

    Reads: the outcome of host_facts. Nothing else is known of such a host, so all other checks count its NICs as not
    checked.
    """

    name = "host_unreachable"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for host in fabric.hosts.values():
            self.checked += 1
            if host.error:
                yield self.finding(
                    host,
                    expected="facts of the host",
                    actual=host.error,
                    why="nothing is known about this host and the far ends of its cables",
                    remedy="make the host reachable over SSH and verify again",
                )
