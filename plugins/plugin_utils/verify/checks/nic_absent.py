# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NICs that do not exist."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class NicAbsent(Check):
    """A NIC of the model must be a network interface of the host.

    Reads: the interface of the PCI address, or of the name where the model gives no PCI address.
    """

    name = "nic_absent"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for host in fabric.hosts.values():
            for nic in host.nics.values():
                if not self.told(None if host.error else True) or not nic.absent:
                    continue
                yield self.finding(
                    nic,
                    expected=f"a network interface at {nic.model.pci_address or nic.name}",
                    actual="none",
                    why="the rail is missing, and every job that uses it",
                    remedy="look at lspci and the kernel log, or correct pci_address in the intent",
                )
