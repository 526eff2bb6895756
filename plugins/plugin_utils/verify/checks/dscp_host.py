# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the switch does with the packets of a host."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class DscpHost(Check):
    """The port of a host must put the DSCP that its NIC sends into the lossless priority.

    Reads: DSCP map in force at the switch, policy of the host. The map as a whole is the matter of dscp_map; this names
    each port behind which a host loses packets.
    """

    name = "dscp_host"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for nic in fabric.nics:
            port, roce = fabric.port_of(nic), nic.device.model.roce
            if port is None or not port.model.lossless or port.device.model.roce.trust != "dscp":
                continue
            table = port.device.facts.dscp_to_priority if port.device.facts else None
            if not self.told(table or None):
                continue
            classes = port.device.model.roce.classes
            default = next(c.priority for c in classes if not c.dscp)
            sent, actual = roce.dscp[0], table.get(roce.dscp[0], default)
            if actual == roce.priority:
                continue
            yield self.finding(
                port,
                expected=f"DSCP {sent} of {nic} in priority {roce.priority}",
                actual=f"in priority {actual}",
                why=f"RoCE packets of {nic} take a queue that drops",
                remedy="apply the intent to the switch (site.yml)",
            )
