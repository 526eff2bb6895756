# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small sites that consist of a design."""

from __future__ import annotations

from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.design.measures import Measures
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.plan import Plan, plan

PORTS = {"eos": "Ethernet1..64/1", "nxos": "Ethernet1/1..64", "nvue": "swp1..64"}
CHIP = {"eos": "tomahawk4", "nxos": "cloudscale-gx2", "nvue": "spectrum4"}
SPLIT_NICS = {"rail0..7p0": {"plane": 0}, "rail0..7p1": {"plane": 1}}


def intent(
    nodes: int, platform: str = "nvue", nics: dict | None = None, profile: dict | None = None, **design: Any
) -> dict:
    """One switch profile for every tier, eight rails."""
    return {
        "plugin": "lossless.fabric.fabric",
        "fabric": "test",
        "policy": {"speed": "400G", "fec": "rs"},
        "underlay": {},
        "switch_profiles": {
            "s": {"platform": platform, "asic": CHIP[platform], "ports": [PORTS[platform]], **(profile or {})}
        },
        "host_profiles": {"gpu": {"nics": nics or {"rail0..7": {}}}},
        "design": {"nodes": nodes, "node": "gpu", "leaf": "s", **design},
    }


def planned(data: dict, lock: Measures | None = None) -> Plan:
    """Validate and plan."""
    return plan(Fabric.model_validate(data), lock)
