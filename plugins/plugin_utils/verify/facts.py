# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts as plain data (what Facts.as_dict() returned, perhaps by way of JSON) back to dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import (
    BgpPeer,
    BondFacts,
    Facts,
    Neighbor,
    PairFacts,
    Pfc,
    PortFacts,
    Queue,
    Watchdog,
)


class FactsError(ValueError):
    """Data that is not what switch_facts returns."""


def facts_from(data: Mapping[str, Any], switch: str) -> Facts:
    """Inverse of Facts.as_dict() for one switch."""
    try:
        fields = dict(data)
        fields["dscp_to_priority"] = _numbered(data["dscp_to_priority"])
        fields["ports"] = {str(name): _port(port) for name, port in data["ports"].items()}
        fields["bgp"] = {str(name): BgpPeer(**peer) for name, peer in data.get("bgp", {}).items()}
        fields["bonds"] = {int(number): BondFacts(**bond) for number, bond in data.get("bonds", {}).items()}
        if data.get("pair") is not None:
            fields["pair"] = PairFacts(**(dict(data["pair"]) | {"bonds": _numbered(data["pair"]["bonds"])}))
        return Facts(**fields)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise FactsError(
            f"{switch}: expected facts as switch_facts returns them, found {type(error).__name__}: {error}; "
            "read the facts with lossless.fabric.switch_facts of the same version"
        ) from None


def _port(data: Mapping[str, Any]) -> PortFacts:
    pfc = dict(data["pfc"])
    pfc["priorities"] = tuple(pfc["priorities"])
    pfc["rx"], pfc["tx"] = _numbered(pfc["rx"]), _numbered(pfc["tx"])
    fields = dict(data)
    fields["vlans"] = tuple(data["vlans"])
    fields["addresses"] = tuple(data["addresses"])
    fields["pfc"] = Pfc(**pfc)
    fields["queues"] = {int(n): Queue(**queue) for n, queue in data["queues"].items()}
    fields["watchdog"] = {int(n): Watchdog(**watchdog) for n, watchdog in data["watchdog"].items()}
    fields["neighbors"] = tuple(Neighbor(**neighbor) for neighbor in data["neighbors"])
    return PortFacts(**fields)


def _numbered(data: Mapping[Any, int]) -> dict[int, int]:
    return {int(key): value for key, value in data.items()}
