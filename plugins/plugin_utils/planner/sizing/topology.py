# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The answer: counts of a fabric, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Tier:
    """Switches of one tier. Links are those of one switch; ``free``: links that could be added to the whole tier."""

    name: str
    kind: str
    switches: int
    down: int
    up: int
    oversubscription: float  # speed down by speed up; 0: nothing above
    free: int


@dataclass(frozen=True, slots=True)
class Topology:
    """Counts of one fabric. Counts are of all planes; ``per_pair`` and the like are of one."""

    layout: str
    nodes: int
    gpus: int
    planes: int
    tiers: tuple[Tier, ...]
    leaf: int
    spine: int
    core: int
    pods: int
    stripes: int
    stripe_nodes: int  # nodes behind one set of leafs
    stripe_leafs: int  # leafs of the set, of one twin
    rails_per_leaf: int
    down: int  # links of a leaf to hosts
    up: int  # links of a leaf to spines
    spines_of_leaf: int  # spines that a leaf reaches, of its plane and pod
    per_pair: int  # links between a leaf and a spine
    pod_stripes: int  # stripes that fit into a pod
    spine_up: int
    cores_of_spine: int
    per_core: int  # links between a spine and a core
    host_links: int
    leaf_spine_links: int
    spine_core_links: int
    hops: int  # switches on the longest path
    bisection_gbps: int
    room: int  # nodes that can be added without touching a cable
    spine_loss: float  # share of the bandwidth between leafs that remains without one spine
    leaf_loss: str  # what the loss of one leaf does
    notes: tuple[str, ...] = ()

    @property
    def switches(self) -> int:
        """All of them."""
        return self.leaf + self.spine + self.core

    @property
    def fabric_links(self) -> int:
        """Cables between switches."""
        return self.leaf_spine_links + self.spine_core_links

    @property
    def cables(self) -> int:
        """All of them."""
        return self.host_links + self.fabric_links

    def optics(self, host_copper: bool = True) -> int:
        """Transceivers: two for every cable that is not copper."""
        return 2 * (self.fabric_links + (0 if host_copper else self.host_links))

    @property
    def non_blocking(self) -> bool:
        """No tier has less speed upwards than downwards."""
        return all(tier.oversubscription <= 1 for tier in self.tiers)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for a report, the same in every run."""
        names = [n for n in self.__slots__ if n not in ("tiers", "notes")]
        return {
            **{n: getattr(self, n) for n in names},
            "switches": self.switches,
            "cables": self.cables,
            "tiers": [{n: getattr(t, n) for n in t.__slots__} for t in self.tiers],
            "notes": list(self.notes),
        }
