# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Host variables written by hand: each mistake gives one clear line."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import ModelError
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.load import load_host, load_switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.site import plan_site

ROOT = Path(__file__).parents[3]
EXAMPLE = yaml.safe_load((ROOT / "docs" / "model-example.yml").read_text())["switch"]


def put(*path: Any, value: Any) -> Callable[[dict], None]:
    def change(data: Any) -> None:
        for step in path[:-1]:
            data = data[step]
        data[path[-1]] = value

    return change


def drop(*path: Any) -> Callable[[dict], None]:
    def change(data: Any) -> None:
        for step in path[:-1]:
            data = data[step]
        del data[path[-1]]

    return change


PORT = "switch.ports[0]"
CASES = {
    "missing": (
        drop("platform"),
        (
            'switch: expected field "platform" (Operating system: Arista EOS, Cisco NX-OS, Cumulus Linux NVUE), '
            "found nothing (add it)"
        ),
    ),
    "unknown": (
        put("ports", 0, "sped", value=1),
        f'{PORT}.sped: expected a known field, found "sped" (did you mean speed?)',
    ),
    "secret": (
        put("enable_password", value="hunter2"),
        (
            "switch.enable_password: expected no secret in this file, found a field that names one "
            "(put it into group_vars next to the file, encrypted with ansible-vault)"
        ),
    ),
    "platform": (
        put("platform", value="ios"),
        (
            'switch.platform: expected one of eos, nxos, nvue, found "ios" '
            "(operating system: Arista EOS, Cisco NX-OS, Cumulus Linux NVUE)"
        ),
    ),
    "mtu text": (
        put("ports", 0, "mtu", value="jumbo"),
        (
            f'{PORT}.mtu: expected an integer between 1500 and 9216, found "jumbo" '
            "(bytes of IP packet; EOS takes at most 9214, NX-OS and NVUE 9216)"
        ),
    ),
    "mtu range": (
        put("ports", 0, "mtu", value=9217),
        (
            f"{PORT}.mtu: expected an integer between 1500 and 9216, found 9217 "
            "(bytes of IP packet; EOS takes at most 9214, NX-OS and NVUE 9216)"
        ),
    ),
    "mtu platform": (
        put("ports", 0, "mtu", value=9216),
        "switch: expected an mtu of at most 9214, the maximum of eos, found 9216 on Ethernet1/1 (lower it)",
    ),
    "number as text": (
        put("roce", "classes", 1, "priority", value="3"),
        (
            'switch.roce.classes[1].priority: expected an integer between 0 and 7, found "3" '
            "(802.1p and PFC priority; switch-priority, traffic class or qos-group of the platform)"
        ),
    ),
    "speed": (
        put("ports", 0, "speed", value=400),
        (
            f"{PORT}.speed: expected one of 10000, 25000, 40000, 50000, 100000, 200000, 400000, 800000, found 400 "
            "(megabits per second; none: as the optic says)"
        ),
    ),
    "port name": (
        put("ports", 0, "name", value="Eth1/1"),
        (
            f'{PORT}.name: expected the name of a port such as Ethernet1/1 or swp1, found "Eth1/1" '
            "(name as the platform spells it)"
        ),
    ),
    "port of another platform": (
        put("ports", 0, "name", value="swp1"),
        'switch: expected a port of platform eos, found "swp1" (spell it as the switch does)',
    ),
    "port twice": (
        put("ports", 1, "name", value="Ethernet1/1"),
        "switch: expected each port once, found Ethernet1/1 again (join the two)",
    ),
    "description": (
        put("ports", 0, "description", value='say "hi"'),
        (
            f"{PORT}.description: expected one line of ASCII without double quote, question mark and outer spaces "
            '(200 at most), found "say "hi"" (description on the switch)'
        ),
    ),
    "vlan without access": (
        put("ports", 1, "vlan", value=100),
        "switch.ports[1]: expected no vlan with mode routed, found 100 (remove it or use mode access)",
    ),
    "trunk without vlans": (
        put("ports", 1, value={"name": "Ethernet2/1", "mode": "trunk"}),
        "switch.ports[1]: expected vlans with mode trunk, found none (add vlans)",
    ),
    "address": (
        put("ports", 1, "address", value="10.0.0.0"),
        (
            "switch.ports[1]: expected address as IPv4 address with prefix length such as 10.0.0.0/31, "
            'found "10.0.0.0" (correct it)'
        ),
    ),
    "vlan not listed": (
        put("ports", 0, "vlan", value=200),
        "switch: expected VLAN 200 of port Ethernet1/1 in vlans, found it missing (add it to vlans)",
    ),
    "scheduler": (
        put("roce", "classes", 2, "scheduler", "type", value="wrr"),
        'switch.roce.classes[2].scheduler.type: expected one of ets, strict, found "wrr" (how the queue is served)',
    ),
    "dscp twice": (
        put("roce", "classes", 2, "dscp", value=[26]),
        (
            "switch.roce: expected dscp 26 in one class once, found it in class roce and again in class cnp "
            "(give one of them another)"
        ),
    ),
    "two default classes": (
        put("roce", "classes", 2, "dscp", value=[]),
        (
            "switch.roce: expected one class without dscp, the default class, found 2: default, cnp "
            "(add dscp to the others)"
        ),
    ),
    "weights": (
        put("roce", "classes", 0, "scheduler", "weight", value=60),
        "switch.roce: expected weights of the ets classes that add up to 100, found 110 (change one of them)",
    ),
    "ecn": (
        put("roce", "classes", 1, "ecn", "min", value=2000000),
        "switch.roce.classes[1].ecn: expected min of at most max, found min 2000000 and max 1500000 (bytes; lower min)",
    ),
    "nothing lossless": (
        put("roce", "classes", 1, "lossless", value=False),
        "switch.roce: expected a class with lossless: true, found none (mark the class of RoCE data)",
    ),
    "watchdog": (
        put("roce", "pfc_watchdog", "detect_ms", value=250),
        (
            "switch.roce.pfc_watchdog: expected detect_ms to be a multiple of poll_ms 100 and at least twice as long, "
            "found 250 (milliseconds; change one of them)"
        ),
    ),
    "list for mapping": (
        put("roce", value=[]),
        "switch.roce: expected a mapping, found a list of 0 (write fields below it, indented)",
    ),
}


def test_the_example_of_the_documentation_is_a_model():
    assert load_switch(EXAMPLE, "leaf01").name == "leaf01"


@pytest.mark.parametrize("change, line", CASES.values(), ids=CASES)
def test_one_clear_line(change: Callable[[dict], None], line: str):
    data = deepcopy(EXAMPLE)
    change(data)
    with pytest.raises(ModelError) as caught:
        load_switch(data, "leaf01")
    assert str(caught.value) == f"leaf01: {line}"


def test_all_problems_at_once_and_no_secret():
    data = deepcopy(EXAMPLE)
    for name in ("mtu text", "secret", "speed"):
        CASES[name][0](data)
    with pytest.raises(ModelError) as caught:
        load_switch(data, "leaf01")
    assert len(caught.value.problems) == 3
    assert "hunter2" not in str(caught.value)


def test_no_mapping():
    with pytest.raises(ModelError, match=r"^leaf01: switch: expected a mapping, found nothing \("):
        load_switch(None, "leaf01")


@pytest.mark.parametrize("site", ["lab", "example"])
def test_what_the_planner_writes_is_a_model(site: str):
    """As Ansible hands it over: lists, not tuples."""
    plan = plan_site(str(ROOT / "inventories" / site / "fabric.yml"))
    for name, switch in plan.switches.items():
        assert load_switch(switch.model_dump(mode="json"), name) == switch
    for name, host in plan.hosts.items():
        assert load_host(host.model_dump(mode="json"), name) == host
