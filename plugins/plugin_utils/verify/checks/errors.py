# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Error counters."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import PortFacts
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.words import plural, share

# Errors above 0.001 % of packets need attention: the limit of the requirements and of the alerts of this collection.
LIMIT = 1e-5
# Fewer packets say nothing about such a share: at the limit, a million packets are 10 errors, so that one or two stray
# frames (a link that came up) do not raise it; below, a single error could.
MINIMUM = 1_000_000


class Errors(Check):
    """Errors must stay at or below 0.001 % of packets, received and sent.

    Reads: error and packet counters since boot or the last clear, at least 1,000,000 packets. Old errors stay visible
    until the counters are cleared, and recent ones are diluted by the packets before them. A direction that carried
    too few packets is counted as not checked.
    """

    name = "errors"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.active_ports:
            facts = port.facts
            for direction, errors, packets in (
                ("received", received_errors(facts), facts.rx_packets),
                ("sent", facts.tx_errors, facts.tx_packets),
            ):
                known = errors is not None and packets is not None and errors + packets >= MINIMUM
                if not self.told(known or None) or not errors or not above_limit(errors, packets):
                    continue
                yield self.finding(
                    port,
                    expected="at most 0.001 % errors",
                    actual=f"{share(errors, errors + packets)} of {errors + packets} packets {direction}",
                    why="every lost packet makes a RoCE sender go back and repeat",
                    remedy="clean or replace cable and optics, check FEC; then clear the counters and watch"
                    if direction == "received"
                    else "check the MTU of the port and the switch's log for hardware errors",
                )


class Crc(Check):
    """No frame should arrive damaged.

    Reads: CRC (FCS) errors since boot or the last clear. Any number is a warning, since a healthy link has none with
    FEC in force; a share above 0.001 % is left to errors.
    """

    name = "crc"
    severity = "warning"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        for port in fabric.active_ports:
            crc = port.facts.crc_errors
            if not self.told(crc) or not crc:
                continue
            errors, packets = received_errors(port.facts), port.facts.rx_packets
            if errors is not None and packets is not None and above_limit(errors, packets):
                continue
            yield self.finding(
                port,
                expected="no CRC errors",
                actual=plural(crc, "CRC error"),
                why="frames arrive damaged: an optic or a cable begins to fail",
                remedy="clear the counters and watch; if they rise, clean or replace cable and optics",
            )


def received_errors(facts: PortFacts) -> int | None:
    """All errors received. Platforms differ in whether CRC errors are among rx_errors."""
    if facts.rx_errors is None or facts.crc_errors is None:
        return facts.crc_errors if facts.rx_errors is None else facts.rx_errors
    return max(facts.rx_errors, facts.crc_errors)


def above_limit(errors: int, packets: int) -> bool:
    """Whether the share is above the limit and rests on enough packets."""
    return errors + packets >= MINIMUM and errors > LIMIT * (errors + packets)
