# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports, buffers and bandwidth are enough."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking.site import Site
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.findings import Finding


def radix(site: Site) -> Iterator[Finding]:
    """No more links than the switch has."""
    for name, most in site.panels.items():
        used = len(site.switches[name].ports)
        if most is not None and used > most:
            text = (
                f"expected at most {most} links, all that the profile has, found {used} (a larger switch, or"
                " fewer links)"
            )
            yield Finding("radix", "error", name, "", text)


def numbers(site: Site) -> Iterator[Finding]:
    """Headroom fits into the buffer, ECN marks before PFC pauses: findings of the numbers."""
    for name, found in site.numbers.items():
        for finding in found.findings if found is not None else ():
            yield Finding(finding.check, finding.severity, name, "", finding.text)


def oversubscription(site: Site) -> Iterator[Finding]:
    """No tier has less bandwidth upwards than asked for. An error in a design, a warning where it was not asked."""
    severity = "error" if site.designed else "warning"
    level = {"leaf": 0, "spine": 1, "superspine": 2}
    for name, switch in site.switches.items():
        down = up = 0
        for port in switch.ports:
            if port.peer is None or not port.speed or not port.enabled:
                continue
            far = site.switches.get(port.peer.device)
            if port.peer.kind == "host" or (far is not None and level[far.role] < level[switch.role]):
                down += port.speed
            elif far is not None and level[far.role] > level[switch.role]:
                up += port.speed
        if up and down > up * site.oversubscription * 1.0001:
            text = (
                f"expected at most {site.oversubscription:g}:1 in tier {switch.role}, found {down / up:.2f}:1"
                f" ({down // 1000}G"
                f" down, {up // 1000}G up; more uplinks, or fewer hosts)"
            )
            yield Finding("oversubscription", severity, name, "", text)
