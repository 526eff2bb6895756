# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run every check."""

from __future__ import annotations

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking import (
    capacity,
    deadlock,
    ends,
    policy,
    rails,
    redundancy,
    sessions,
    unique,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking.site import Check, Site
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.findings import Finding

CHECKS: tuple[Check, ...] = (
    ends.cables,
    ends.links,
    ends.hosts,
    policy.mapping,
    policy.lossless,
    policy.mtu_chain,
    unique.addresses,
    unique.as_numbers,
    sessions.sessions,
    sessions.filters,
    capacity.radix,
    capacity.numbers,
    capacity.oversubscription,
    rails.rails,
    rails.nodes,
    redundancy.spines,
    redundancy.single_points,
    redundancy.partition,
    redundancy.bonds,
    redundancy.hosts,
    deadlock.deadlock,
)


def check(site: Site) -> tuple[Finding, ...]:
    """Everything that is wrong with a fabric, errors first."""
    found = dict.fromkeys(finding for each in CHECKS for finding in each(site))
    return tuple(sorted(found, key=lambda finding: finding.severity != "error"))
