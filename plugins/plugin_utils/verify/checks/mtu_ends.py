# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""MTU at both ends of a link."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding


class MtuEnds(Check):
    """Both ends of a link must have the same MTU.

    Reads: MTU of both ends. An end that is unlike its own intent is reported by mtu, with the MTU of the far end; what
    remains here is an intent that differs between the ends.
    """

    name = "mtu_ends"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for a, b in self.links(fabric):
            mtus = a.facts.mtu, b.facts.mtu
            if not self.told(*mtus) or mtus[0] == mtus[1] or mtus != (a.model.mtu, b.model.mtu):
                continue
            yield self.finding(
                a,
                expected="the same MTU at both ends",
                actual=f"{a}: {mtus[0]} bytes, {b}: {mtus[1]} bytes",
                why=f"packets above {min(mtus)} bytes are lost on this link",
                remedy="give both ends the same mtu in the intent",
            )
