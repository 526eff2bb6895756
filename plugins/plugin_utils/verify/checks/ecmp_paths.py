# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leafs that reach each other over fewer paths than planned."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.check import Check, Fabric, Finding

_TIERS = {"leaf": 0, "spine": 1, "superspine": 2}


class EcmpPaths(Check):
    """A leaf reaches the loopback of every other leaf over all its uplinks.

    Reads: next hops of BGP routes. Fewer paths are a warning, none at all is an error. Leafs of another plane are not
    reachable by design, so only leafs that share a spine or superspine are compared.
    """

    name = "ecmp_paths"
    severity = "warning"

    def run(self, fabric: Fabric) -> Iterator[Finding]:
        routed = [d for d in fabric.devices.values() if d.model.underlay and d.model.role == "leaf"]
        reach = {d.name: _above(fabric, d.name) for d in routed}
        for device in routed:
            underlay = device.model.underlay
            assert underlay is not None
            uplinks = sum(_tier(fabric, device.name, n.port) > 0 for n in underlay.neighbors)
            planned = min(uplinks, underlay.maximum_paths)
            paths = device.facts.paths if device.facts else {}
            for other in routed:
                if other is device or not reach[device.name] & reach[other.name] or not planned:
                    continue
                assert other.model.underlay is not None
                loopback = f"{other.model.underlay.router_id}/32"
                found = paths.get(loopback, 0) if paths else None
                if not self.told(found) or found is None or found >= planned:
                    continue
                yield self.finding(
                    device,
                    expected=f"{planned} paths to {other.name} ({loopback})",
                    actual=f"{found} paths" if found else "no route",
                    why="less bandwidth between these leafs"
                    if found
                    else "hosts of these leafs do not reach each other",
                    remedy="see the findings of bgp_session and port_down; if there are none, check the route filters",
                    severity="warning" if found else "error",
                )


def _tier(fabric: Fabric, device: str, port: str) -> int:
    """How many tiers the far end of a port is above a leaf."""
    here = fabric.port(device, port)
    far = fabric.devices.get(here.model.peer.device) if here and here.model.peer else None
    return _TIERS[far.model.role] if far else 1 if here and here.model.peer and here.model.peer.kind == "switch" else 0


def _above(fabric: Fabric, leaf: str) -> set[str]:
    """All switches above a leaf."""
    found: set[str] = set()
    todo = [leaf]
    while todo:
        device = fabric.devices.get(todo.pop())
        for port in device.model.ports if device else ():
            far = fabric.devices.get(port.peer.device) if port.peer and port.peer.kind == "switch" else None
            if device and far and _TIERS[far.model.role] > _TIERS[device.model.role] and far.name not in found:
                found.add(far.name)
                todo.append(far.name)
    return found
