# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible groups of a fabric, in the order in which they should be read."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.host import Host
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.waves import WAVES

# parent -> children that always exist, so that a playbook may name them on every site.
TREE = {
    "switches": ("leafs", "spines", "superspines"),
    "platforms": ("eos", "nxos", "nvue"),
    "pods": (),
    "racks": (),
    "gpu_hosts": ("managed_hosts",),
    "waves": tuple(f"wave_{wave}" for wave in WAVES),
    # Filled while a playbook runs.
    "rollout": (*(f"rollout_{wave}" for wave in WAVES), "rollout_hosts"),
}
FIXED = frozenset(TREE) | {child for children in TREE.values() for child in children} | {"all", "ungrouped"}


def groups(
    switches: Mapping[str, Switch],
    hosts: Mapping[str, Host],
    places: Mapping[str, tuple[str | None, str | None]],
    wave: Mapping[str, str],
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Members of each group, and children of each group. ``places``: device -> (pod, rack)."""
    children = {parent: list(names) for parent, names in TREE.items()}
    members: dict[str, list[str]] = {name: [] for parent, names in TREE.items() for name in (parent, *names)}
    for name, switch in switches.items():
        members[f"{switch.role}s"].append(name)
        members[switch.platform].append(name)
        members[f"wave_{wave[name]}"].append(name)
    members["gpu_hosts"] = list(hosts)
    members["managed_hosts"] = [name for name, host in hosts.items() if host.managed]
    for parent, prefix, index in (("pods", "pod", 0), ("racks", "rack", 1)):
        for name in (*switches, *hosts):
            place = places[name][index]
            if place is not None:
                group = f"{prefix}_{place}"
                if group not in members:
                    members[group] = []
                    children[parent].append(group)
                members[group].append(name)
    return members, children
