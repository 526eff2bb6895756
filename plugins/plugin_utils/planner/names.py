# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and references: everything that is named exists, and nothing has a name that is taken."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.hosts import HostIntent
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import PATTERNS, show
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.values import NAME
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import Checks
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.groups import FIXED


def check_names(fabric: Fabric, hosts: Mapping[str, HostIntent], checks: Checks) -> None:
    """Profiles exist, device names are unique and free, pairs are pairs."""
    _profiles(fabric, checks)
    _devices(fabric, hosts, checks)
    _pairs(fabric, checks)
    _vlan_names(fabric, checks)


def _profiles(fabric: Fabric, checks: Checks) -> None:
    for name, switch in fabric.switches.items():
        if switch.role is None or switch.profile is None:
            missing = "role" if switch.role is None else "profile"
            text = f'expected field "{missing}" of a switch that the design does not generate, found nothing (add it)'
            checks.add(("switches", name), text)
        elif switch.profile not in fabric.switch_profiles:
            known = ", ".join(fabric.switch_profiles) or "which is empty"
            text = (
                f"expected one of switch_profiles ({known}), found {show(switch.profile)} (correct the name or add it)"
            )
            checks.add(("switches", name, "profile"), text)


def _devices(fabric: Fabric, hosts: Mapping[str, HostIntent], checks: Checks) -> None:
    places = (*fabric.switches.values(), *hosts.values())
    groups = FIXED | {f"pod_{d.pod}" for d in places} | {f"rack_{d.rack}" for d in places}
    seen: dict[str, str] = {}
    for section, names in (("switches", fabric.switches), ("hosts", hosts)):
        for name in names:
            path = (section, name)
            if name in groups:
                checks.add(
                    path,
                    f"expected a name that is no group, found {show(name)} (groups: see docs/intent.md; rename the"
                    " device)",
                )
            if not re.match(NAME, name):
                checks.add(path, f"expected {PATTERNS[NAME]}, found {show(name)} (rename it)")
            other = seen.setdefault(name.lower(), f"{section}.{name}")
            if other != f"{section}.{name}":
                checks.add(path, f"expected a name of its own, found {show(name)}, which is also {other} (rename one)")


def _pairs(fabric: Fabric, checks: Checks) -> None:
    pairs: dict[str, list[str]] = {}
    for name, switch in fabric.switches.items():
        if switch.pair is not None:
            pairs.setdefault(switch.pair, []).append(name)
    for pair, names in pairs.items():
        path = ("switches", names[-1], "pair")
        if len(names) != 2:
            todo = "set pair on its partner or remove it" if len(names) == 1 else "give the others another name"
            checks.add(
                path, f"expected two switches in pair {show(pair)}, found {len(names)}: {', '.join(names)} ({todo})"
            )
        elif fabric.switches[names[0]].role != fabric.switches[names[1]].role:
            text = (
                f"expected two switches of one role in pair {show(pair)}, found {names[0]} and {names[1]} (correct role"
                " or pair)"
            )
            checks.add(path, text)


def _vlan_names(fabric: Fabric, checks: Checks) -> None:
    seen: dict[str, int] = {}
    for number, vlan in fabric.vlans.items():
        other = seen.setdefault(vlan.name.lower(), number)
        if other != number:
            checks.add(
                ("vlans", number, "name"),
                f"expected a name of its own, found {show(vlan.name)}, which VLAN {other} has (rename one)",
            )
