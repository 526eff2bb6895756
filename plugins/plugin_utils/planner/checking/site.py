# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the checks look at: models of a whole fabric, by hand or planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.host import Host
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Port, Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.findings import Finding
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.fabric import SwitchNumbers


@dataclass(frozen=True)
class Site:
    """Models, and what is known beyond them where a plan made them."""

    switches: Mapping[str, Switch]
    hosts: Mapping[str, Host]
    numbers: Mapping[str, SwitchNumbers | None] = field(default_factory=dict)
    panels: Mapping[str, int | None] = field(default_factory=dict)  # links that a switch has
    oversubscription: float = 1.0
    designed: bool = False  # whether the oversubscription was asked for

    @cached_property
    def ports(self) -> dict[tuple[str, str], Port]:
        """Every port by switch and name."""
        return {(name, port.name): port for name, switch in self.switches.items() for port in switch.ports}

    @cached_property
    def links(self) -> list[tuple[str, Port, str, Port]]:
        """Cables between switches whose ends name each other, each once."""
        found = []
        ports = self.ports
        for (name, own), port in ports.items():
            peer = port.peer
            if peer is None or peer.kind != "switch" or peer.port is None:
                continue
            far = ports.get((peer.device, peer.port))
            if far is None or far.peer is None or (far.peer.device, far.peer.port) != (name, own):
                continue
            if (name, own) < (peer.device, peer.port):
                found.append((name, port, peer.device, far))
        return found

    @cached_property
    def routed(self) -> dict[str, set[str]]:
        """Switch -> switches behind its routed links."""
        graph: dict[str, set[str]] = {name: set() for name in self.switches}
        for a, port, b, _ in self.links:
            if port.mode == "routed" and port.enabled:
                graph[a].add(b)
                graph[b].add(a)
        return graph


Check = Callable[[Site], Iterator[Finding]]


def majority(values: Mapping[str, Any]) -> tuple[Any, list[str]]:
    """The value that most have, and who has another. Of equally many the first counts."""
    counts = Counter(values.values())
    if not counts:
        return None, []
    usual = counts.most_common(1)[0][0]
    return usual, [name for name, value in values.items() if value != usual]
