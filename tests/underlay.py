# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A model of one leaf of a pair that has everything: sessions with and without addresses, bonds, gateways, the pair."""

from __future__ import annotations

import copy
from typing import Any

# By platform: bond over both switches (two ports), bond of this switch, host, uplinks with and without address, pair.
NAMES = {
    "eos": [f"Ethernet{n}/1" for n in (1, 2, 3, 4, 49, 50, 51, 52)],
    "nxos": [f"Ethernet1/{n}" for n in (1, 2, 3, 4, 49, 50, 51, 52)],
    "nvue": [f"swp{n}" for n in (1, 2, 3, 4, 49, 50, 51, 52)],
}


def with_underlay(data: dict[str, Any], *, numbered: bool = True, unnumbered: bool = True) -> dict[str, Any]:
    """The model of docs/model-example.yml, or one like it, with a second half."""
    data = copy.deepcopy(data)
    platform = data["platform"]
    names = NAMES[platform]
    mtu = 9214 if platform == "eos" else 9216
    port = {"speed": 400000, "fec": "rs", "mtu": mtu, "cable_length": 5}
    trunk = port | {"mode": "trunk", "vlans": [100, 101]}
    uplink = port | {"mode": "routed", "cable_length": 40}
    pair = trunk | {"lossless": False, "peer": {"device": "leaf02", "kind": "switch"}}
    data["vlans"] = [{"id": 100, "name": "rail0"}, {"id": 101, "name": "storage"}]
    data["ports"] = [
        trunk | {"name": names[0], "description": "gpu01 bond", "peer": {"device": "gpu01", "kind": "host"}},
        trunk | {"name": names[1], "description": "gpu02 bond", "peer": {"device": "gpu01", "kind": "host"}},
        port | {"name": names[2], "mode": "access", "vlan": 101, "peer": {"device": "nas01", "kind": "host"}},
        port | {"name": names[3], "mode": "access", "vlan": 100, "peer": {"device": "gpu03", "kind": "host"}},
    ]
    neighbors = []
    if numbered:
        data["ports"].append(
            uplink | {"name": names[4], "address": "10.1.0.1/31", "peer": {"device": "spine01", "port": names[0]}}
        )
        neighbors.append({"port": names[4], "address": "10.1.0.0", "asn": 4200000001, "description": "spine01"})
    if unnumbered:
        data["ports"].append(uplink | {"name": names[5], "peer": {"device": "spine02", "port": names[0]}})
        neighbors.append({"port": names[5], "asn": 4200000002, "description": "spine02"})
    data["ports"] += [pair | {"name": name} for name in names[6:]]
    data["underlay"] = {
        "asn": 4200000011,
        "router_id": "10.0.0.11",
        "neighbors": neighbors,
        "announce": [{"within": "10.0.0.0/24", "length": 32}, {"within": "10.10.0.0/16", "length": 24}],
        "accept": [{"within": "10.0.0.0/24", "length": 32}, {"within": "10.10.0.0/16", "length": 24}],
    }
    data["gateways"] = [
        {"vlan": 100, "address": "10.10.0.2/24", "virtual_address": "10.10.0.1"},
        {"vlan": 101, "address": "10.10.1.1/24"},
    ]
    data["bonds"] = [
        {"id": 10, "members": names[:2], "description": "gpu01", "mlag_id": 10},
        {"id": 11, "members": names[2:3], "description": "nas01", "fast": False},
    ]
    data["peer_link"] = {
        "domain": 7,
        "ports": names[6:],
        "local": "10.255.255.0/31",
        "peer": "10.255.255.1",
        "keepalive": "192.0.2.12",
        "mac": "44:38:39:ff:00:07",
        "primary": True,
    }
    return data
