# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward error correction."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding

WORDS = {"rs": "rs (Reed-Solomon)", "fc": "fc (FireCode)"}


class Fec(Check):
    """A port must use the forward error correction of the intent.

    Reads: FEC in force. A port whose FEC the intent leaves to the platform is compared with its far end only.
    """

    name = "fec"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.active_ports:
            planned, actual = port.model.fec, port.fec
            if planned is None or not self.told(actual) or actual == planned:
                continue
            yield self.finding(
                port,
                expected=WORDS.get(planned, planned),
                actual=WORDS.get(actual, actual),
                why="without the right FEC the link stays down or has bit errors",
                remedy="apply the intent to the switch (site.yml), then check that the optic supports it",
            )


class FecEnds(Check):
    """Both ends of a link must use the same forward error correction.

    Reads: FEC in force at both ends. An end that is unlike its own intent is left to fec.
    """

    name = "fec_ends"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for a, b in self.links(fabric):
            if not self.told(a.fec, b.fec) or a.fec == b.fec:
                continue
            if any(end.model.fec is not None and end.model.fec != end.fec for end in (a, b)):
                continue
            yield self.finding(
                a,
                expected="the same FEC at both ends",
                actual=f"{a}: {WORDS.get(a.fec, a.fec)}, {b}: {WORDS.get(b.fec, b.fec)}",
                why="the link stays down or has bit errors",
                remedy="set fec at both ends in the intent",
            )
