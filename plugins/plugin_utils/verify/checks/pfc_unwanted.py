# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Priority flow control where it should not be."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.words import numbers


class PfcUnwanted(Check):
    """Priority flow control must be off at ports that do not carry the RoCE policy.

    Reads: whether PFC is configured or operational, at ports of the model with lossless: false. Ports that the model
    does not list are not ours and are not looked at.
    """

    name = "pfc_unwanted"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.ports:
            pfc = port.facts.pfc
            if port.model.lossless or not self.told(pfc.enabled) or not (pfc.enabled or pfc.operational):
                continue
            yield self.finding(
                port,
                expected="PFC off",
                actual=f"PFC on, priority {numbers(pfc.priorities)}",
                why="pause frames from this port can stop lossless queues of the whole fabric",
                remedy="apply the intent to the switch (site.yml), or make the port lossless in the intent",
            )
