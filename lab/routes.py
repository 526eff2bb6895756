# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the far end of each port would announce over BGP, worked out once from the models of all switches.

A stand-in for route propagation: emulated switches do not speak to each other. A neighbour in a higher tier announces
everybody's prefixes but those of the switch that listens; a neighbour below announces its own and those below it.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_interface
from typing import Any

_TIERS = {"leaf": 0, "spine": 1, "superspine": 2}

Routes = dict[tuple[str, str], tuple[int, tuple[str, ...]]]  # (switch, port) -> AS number and prefixes of the far end


def far_ends(switches: Mapping[str, Mapping[str, Any]]) -> Routes:
    """``switches``: host variable ``switch`` by name. Ports towards switches without underlay are left out."""
    routed = {name: s for name, s in switches.items() if s.get("underlay")}
    own = {name: _own(s) for name, s in routed.items()}
    below = {name: _below(name, routed) for name in routed}
    everything = {prefix for prefixes in own.values() for prefix in prefixes}
    result: Routes = {}
    for name, switch in routed.items():
        for port in switch["ports"]:
            far = (port.get("peer") or {}).get("device")
            if far not in routed:
                continue
            if _tier(routed[far]) > _tier(switch):
                # Switches beside the far end share its AS number, so it does not hear of them.
                beside = {d for d, s in routed.items() if d != far and _tier(s) == _tier(routed[far])}
                prefixes = everything - {prefix for device in (name, *beside) for prefix in own[device]}
            else:
                prefixes = {prefix for device in below[far] for prefix in own[device]}
            result[name, port["name"]] = (routed[far]["underlay"]["asn"], tuple(sorted(prefixes)))
    return result


def _tier(switch: Mapping[str, Any]) -> int:
    return _TIERS.get(str(switch.get("role")), 0)


def _own(switch: Mapping[str, Any]) -> list[str]:
    networks = [str(ip_interface(g["address"]).network) for g in switch.get("gateways") or []]
    return [f"{switch['underlay']['router_id']}/32", *networks]


def _below(name: str, switches: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """The switch and all that hang under it."""
    found, todo = {name}, [name]
    while todo:
        switch = switches[todo.pop()]
        for port in switch["ports"]:
            far = (port.get("peer") or {}).get("device")
            if far in switches and far not in found and _tier(switches[far]) < _tier(switch):
                found.add(far)
                todo.append(far)
    return found
