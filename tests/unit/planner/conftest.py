# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small fabric as data, and a way to plan variants of it."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.plan import Plan, plan

BASE: dict[str, Any] = {
    "plugin": "lossless.fabric.fabric",
    "fabric": "test",
    "policy": {"speed": "400G"},
    "vlans": {100: {"name": "rail0", "subnet": "10.100.0.0/24"}, 200: {"name": "storage"}},
    "switch_profiles": {"eos": {"platform": "eos"}, "nxos": {"platform": "nxos"}, "nvue": {"platform": "nvue"}},
    "switches": {
        "leaf01": {"role": "leaf", "profile": "eos", "pod": 1, "rack": "r1", "pair": "r1"},
        "leaf02": {"role": "leaf", "profile": "nxos", "pod": 1, "rack": "r1", "pair": "r1"},
        "spine01": {"role": "spine", "profile": "nxos"},
        "spine02": {"role": "spine", "profile": "nvue"},
    },
    "links": [
        {"a": "leaf01:Ethernet49..50/1", "b": "spine01:Ethernet1/1..2", "subnet": "10.0.0.0/30"},
        {"a": "leaf02:Ethernet1/49", "b": "spine02:swp1", "subnet": "10.0.0.4/30"},
    ],
    "host_profiles": {"gpu": {"nics": {"rail0..1": {"vlan": 100}}}},
    "hosts": {"gpu01..02": {"profile": "gpu", "rack": "r1"}},
    "attachments": [
        {"host": "gpu01..02:rail0", "switch": "leaf01:Ethernet1..2/1"},
        {"host": "gpu01..02:rail1", "switch": "leaf02:Ethernet1/1..2"},
    ],
}


def build(change: Callable[[dict[str, Any]], None] | None = None) -> Plan:
    data = deepcopy(BASE)
    if change is not None:
        change(data)
    return plan(Fabric.model_validate(data))


@pytest.fixture(scope="session")
def planned() -> Plan:
    return build()
