# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be connected, and with what. Speeds in Mb/s."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Layout = Literal["auto", "single", "leaf-spine", "three-tier", "rail-optimised", "rail-only"]
SMALL = 64  # nodes; below, the simplest tier that does not block
LEAST_SPINES = 2  # so that the loss of one leaves a path
WISHED_SPINES = 4  # Juniper's validated design: with two, a double failure under load may start PFC storms


@dataclass(frozen=True, slots=True)
class NodeKind:
    """A GPU server. ``planes`` is the number of ports into which each NIC is split."""

    gpus: int = 8
    nics: int = 8  # rails
    speed: int = 400000  # of a whole NIC
    planes: int = 1

    @property
    def port_speed(self) -> int:
        """Speed of one port of a NIC."""
        return self.speed // self.planes


@dataclass(frozen=True, slots=True)
class SwitchKind:
    """A switch: ``ports`` on the front, each of ``speed``, each splittable into up to ``breakout`` ports."""

    name: str
    ports: int
    speed: int = 400000
    breakout: int = 1

    def split(self, speed: int) -> int:
        """Links of that speed on one front port; 0 when it is too fast."""
        return min(self.breakout, self.speed // speed)

    def radix(self, speed: int) -> int:
        """Links of that speed on the whole switch."""
        return self.ports * self.split(speed)


@dataclass(frozen=True, slots=True)
class Request:
    """A fabric that is wanted.

    oversubscription: speed towards hosts by speed towards spines, 1 is non-blocking. down, up: links of a leaf, instead
    of what the oversubscription gives. spine_down: links of a spine to leafs when it has others to a core. grow_to:
    nodes that spines and cores are laid out for. tors: the ports of a NIC go to that many leafs of one network, instead
    of to networks of their own.
    """

    node: NodeKind
    nodes: int
    leaf: SwitchKind
    spine: SwitchKind | None = None
    core: SwitchKind | None = None
    layout: Layout = "auto"
    oversubscription: float = 1.0
    spine_oversubscription: float = 1.0
    grow_to: int | None = None
    down: int | None = None
    up: int | None = None
    spine_down: int | None = None
    uplink_speed: int | None = None
    tors: int = 1
    least_spines: int = LEAST_SPINES
    stripe: int | None = None  # nodes behind one set of leafs, instead of as many as fit
    rails_per_leaf: int | None = None  # with stripe; none: a leaf per rail
    spines: int | None = None  # of a plane (two tiers) or of a pod, instead of the least that does not block

    @property
    def spine_kind(self) -> SwitchKind:
        """The spine; the leaf when none is stated."""
        return self.spine or self.leaf

    @property
    def core_kind(self) -> SwitchKind:
        """The core; the spine when none is stated."""
        return self.core or self.spine_kind

    @property
    def planes(self) -> int:
        """Networks of their own."""
        return 1 if self.tors > 1 else self.node.planes

    @property
    def twins(self) -> int:
        """Leafs that a NIC is cabled to."""
        return self.node.planes

    @property
    def link_speed(self) -> int:
        """Speed of a link between switches."""
        return self.uplink_speed or self.node.port_speed

    @property
    def most(self) -> int:
        """Nodes that the fabric is laid out for."""
        return max(self.nodes, self.grow_to or 0)


class Blocked(ValueError):
    """The request cannot be met. ``tier`` is the one that blocks, ``fixes`` what would help."""

    def __init__(self, tier: str, text: str, fixes: tuple[str, ...] = ()) -> None:
        self.tier, self.fixes = tier, fixes
        super().__init__(f"{text} ({'; or '.join(fixes)})" if fixes else text)
