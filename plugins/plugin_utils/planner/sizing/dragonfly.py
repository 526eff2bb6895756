# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragonfly (Kim, Dally, Scott, Abts 2008), sizing only: p hosts, a routers per group, h global links per router."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.request import Blocked


@dataclass(frozen=True, slots=True)
class Dragonfly:
    """Counts of one Dragonfly."""

    hosts_per_router: int  # p
    routers_per_group: int  # a
    global_per_router: int  # h
    groups: int
    endpoints: int  # that fit

    @property
    def radix(self) -> int:
        """Ports of a router that are used."""
        return self.hosts_per_router + self.routers_per_group - 1 + self.global_per_router

    @property
    def routers(self) -> int:
        """All switches."""
        return self.routers_per_group * self.groups

    @property
    def local_links(self) -> int:
        """Cables inside groups: every router to every other."""
        return self.groups * self.routers_per_group * (self.routers_per_group - 1) // 2

    @property
    def global_links(self) -> int:
        """Cables between groups, when every global port is used."""
        return self.groups * self.routers_per_group * self.global_per_router // 2


def balanced(h: int) -> Dragonfly:
    """The largest balanced one: a = 2p = 2h."""
    a = 2 * h
    groups = a * h + 1
    return Dragonfly(h, a, h, groups, a * h * groups)


def dragonfly(endpoints: int, radix: int) -> Dragonfly:
    """The smallest balanced Dragonfly of routers with at most ``radix`` ports that holds the endpoints."""
    most = balanced((radix + 1) // 4)
    if radix < 3 or endpoints > most.endpoints:
        text = f"expected at most {most.endpoints} endpoints on routers with {radix} ports, found {endpoints}"
        raise Blocked("group", text, ("routers with more ports", "a Clos network"))
    h = next(n for n in range(1, (radix + 1) // 4 + 1) if balanced(n).endpoints >= endpoints)
    groups = max(2, ceil(endpoints / (2 * h * h)))
    return Dragonfly(h, 2 * h, h, groups, 2 * h * h * groups)
