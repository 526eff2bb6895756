# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The measures of a generated fabric: everything that names, ports and addresses are computed from.

They are what ``fabric.lock.yml`` holds. As long as they stay, what exists stays: number n has its place whatever is
added after it (docs/decisions/0006-lock-the-measures.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import ceil, log2

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.sizing.topology import Topology

VERSION = 1
HEAD = """\
# Measures of the fabric, written by the planner. Names, ports, addresses and AS numbers are computed from them, so that
# what is built stays as it is when nodes are added. Commit it; remove it only to plan the fabric anew.
"""


@dataclass(frozen=True, slots=True)
class Measures:
    """Counts of one stripe, leaf, pod and spine. See sizing.topology.Topology."""

    layout: str
    tiers: int
    rails: int
    twins: int
    planes: int
    stripe_nodes: int
    stripe_leafs: int
    rails_per_leaf: int
    leaf_uplinks: int
    spines: int  # of a leaf
    pod_stripes: int  # 0: one pod
    spine_uplinks: int
    cores: int  # of a spine
    rail_prefix: int  # of the subnet of a rail on a leaf

    @property
    def per_pair(self) -> int:
        """Links between a leaf and a spine."""
        return self.leaf_uplinks // self.spines if self.spines else 0

    @property
    def per_core(self) -> int:
        """Links between a spine and a core."""
        return self.spine_uplinks // self.cores if self.cores else 0


def measures_of(topology: Topology, rails: int, twins: int) -> Measures:
    """Measures of a sized topology."""
    tiers = 3 if topology.core else 2 if topology.spine else 1
    return Measures(
        topology.layout,
        tiers,
        rails,
        twins,
        topology.planes,
        topology.stripe_nodes,
        topology.stripe_leafs,
        topology.rails_per_leaf,
        topology.up,
        topology.spines_of_leaf,
        topology.pod_stripes if tiers == 3 else 0,
        topology.spine_up,
        topology.cores_of_spine,
        # Network, broadcast, three gateway addresses (two of a pair and the shared one) and a host per node.
        32 - ceil(log2(topology.stripe_nodes + 5)),
    )


def as_text(measures: Measures) -> str:
    """The lock file."""
    lines = [f"  {name}: {value}" for name, value in asdict(measures).items()]
    return HEAD + "---\n" + f"version: {VERSION}\ndesign:\n" + "\n".join(lines) + "\n"


def from_data(data: object) -> Measures:
    """Measures from the plain data of a lock file. ValueError says what is wrong."""
    if not isinstance(data, Mapping) or data.get("version") != VERSION:
        raise ValueError(
            f"expected version {VERSION} of the lock file, found another (restore it from version control)"
        )
    stated = data.get("design")
    wanted = {f.name: str if f.name == "layout" else int for f in fields(Measures)}
    if not isinstance(stated, Mapping) or set(stated) != set(wanted):
        raise ValueError(
            f"expected the fields {', '.join(wanted)} in design, found others (restore it from version control)"
        )
    for name, kind in wanted.items():
        if type(stated[name]) is not kind or (kind is int and not 0 <= stated[name] <= 100000):
            raise ValueError(f"expected a number for {name}, found another value (restore it from version control)")
    return Measures(**stated)
