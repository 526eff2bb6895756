# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Priority flow control of the NICs."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.words import numbers


class NicPfc(Check):
    """A NIC must pause the lossless priority and no other, and must not do global pause.

    Reads: PFC priorities and global pause of the NIC; what the switch port pauses is told with it. A port that is
    unlike its own intent is reported by pfc_enabled, pfc_operational and pfc_priorities.
    """

    name = "nic_pfc"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for nic in fabric.nics:
            far = fabric.port_of(nic)
            paused = far.paused_priorities if far is not None else None
            known = f"; the switch port, {far}, pauses {numbers(paused)}" if paused is not None else ""
            planned, actual = (nic.device.model.roce.priority,), nic.facts.pfc
            if self.told(actual) and tuple(sorted(actual)) != planned:
                yield self.finding(
                    nic,
                    expected=f"PFC for priority {numbers(planned)}",
                    actual=f"PFC for priority {numbers(actual)}",
                    why=(
                        "the NIC does not understand the pause frames of its switch port, which then drops"
                        if set(planned) - set(actual)
                        else "traffic that may be dropped is paused and can block the link"
                    )
                    + known,
                    remedy="apply the intent to the host (site.yml)",
                )
            pause = nic.facts.global_pause
            if self.told(pause) and any(pause.values()):
                yield self.finding(
                    nic,
                    expected="global pause off",
                    actual=f"global pause on ({', '.join(side for side, on in sorted(pause.items()) if on)})",
                    why="a port does PFC or global pause; all priorities stop together",
                    remedy="apply the intent to the host (site.yml)",
                )


class NicPfcEnds(Check):
    """A NIC and its switch port must pause the same priorities.

    Reads: PFC priorities in force at both ends of cables that have a link. An end that is unlike its own intent is
    reported by the other PFC checks; what remains here are models of host and switch that differ.
    """

    name = "nic_pfc_ends"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for nic in fabric.nics:
            port = fabric.port_of(nic)
            if port is None or port.down or not port.model.lossless:
                continue
            paused = nic.facts.pfc, port.paused_priorities
            if not self.told(*paused) or paused[0] == paused[1]:
                continue
            if paused != ((nic.device.model.roce.priority,), port.intended_priorities):
                continue
            yield self.finding(
                nic,
                expected="the same lossless priorities at both ends",
                actual=f"{nic}: {numbers(paused[0])}, {port}: {numbers(paused[1])}",
                why="one end does not understand the pause frames of the other, and drops",
                remedy="give host and switch the same lossless priority in the intent",
            )
