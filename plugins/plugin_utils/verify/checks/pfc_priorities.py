# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Priorities that are paused."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.words import numbers


class PfcPriorities(Check):
    """Priority flow control must pause the lossless priorities of the intent and no others.

    Reads: priorities in force, on ports with link where PFC is on.
    """

    name = "pfc_priorities"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.lossless_ports:
            pfc = port.facts.pfc
            if pfc.enabled is False or pfc.operational is False:
                continue  # pfc_enabled, pfc_operational
            actual, planned = None if port.down else port.paused_priorities, port.intended_priorities
            if not self.told(actual) or actual == planned:
                continue
            lost = set(planned) - set(actual)
            far = fabric.far(port)
            paused = far.paused_priorities if far is not None else None
            known = f"; the far end, {far}, pauses {numbers(paused)}" if paused is not None else ""
            yield self.finding(
                port,
                expected=f"priority {numbers(planned)}",
                actual=f"priority {numbers(actual)}",
                why=(
                    f"RoCE traffic of priority {numbers(lost)} is dropped under congestion"
                    if lost
                    else "traffic that may be dropped is paused and can block the link"
                )
                + known,
                remedy="apply the intent to the switch (site.yml)",
            )


class PfcEnds(Check):
    """Both ends of a link must pause the same priorities.

    Reads: priorities in force at both ends of links that are up. An end that is unlike its own intent is reported by
    the other PFC checks; what remains here is an intent that differs between the ends.
    """

    name = "pfc_ends"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for a, b in self.links(fabric):
            paused = [None if end.down else end.paused_priorities for end in (a, b)]
            if not self.told(*paused) or paused[0] == paused[1]:
                continue
            if paused != [a.intended_priorities, b.intended_priorities]:
                continue
            yield self.finding(
                a,
                expected="the same lossless priorities at both ends",
                actual=f"{a}: {numbers(paused[0])}, {b}: {numbers(paused[1])}",
                why="one end does not understand the pause frames of the other, and drops",
                remedy="give both switches the same lossless priority, and lossless to both ports, in the intent",
            )
