# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each owned leaf changed, missing or extra: the exact commands, the disruption, and nothing else."""

from __future__ import annotations

import copy
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.driver import NvueChange, NvueDriver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.tree import Flat, Tree, flatten, nest
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render

GOLDEN = Path(__file__).parents[3] / "golden" / "nvue"
UNOWNED = """\
system:
  hostname: leaf01
  aaa:
    user:
      cumulus:
        hashed-password: $6$secret
interface:
  eth0: {type: eth, ip: {address: {dhcp: {}}, vrf: mgmt}}
  swp1:
    link: {auto-negotiate: 'off'}
    bridge: {domain: {br_default: {stp: {bpdu-guard: 'on'}}}}
  swp49:
    ip: {address: {2001:db8::1/127: {}}}
    router: {ospf: {area: '0'}}
  swp5-6:
    type: swp
    qos: {pfc: {profile: other}}
bridge: {domain: {br_default: {type: vlan-aware, vlan: {'100': {vni: {'100': {}}}, '999': {}}}}}
qos:
  pfc: {other: {switch-priority: {'5': {}}}}
  mapping: {default-global: {trust: both}}
  advance-buffer-config: {default-global: {ingress-lossless-buffer: {shared-alpha: alpha_2}}}
router: {bgp: {enable: 'on', autonomous-system: 65001}}
service: {lldp: {dot1-tlv: 'on'}}
"""


@lru_cache
def driver() -> NvueDriver:
    data = yaml.safe_load((GOLDEN / "model.yml").read_text())["switch"]
    return NvueDriver(Switch.model_validate(data, strict=False))


@lru_cache
def intended() -> Flat:
    return driver().intended(render(driver().model, (5, 14)))


def converged() -> Tree:
    """A running configuration that is as intended, with foreign parts around it."""
    golden = "".join(f"    {line}\n" for line in (GOLDEN / "5.14.yml").read_text().splitlines()[1:])
    foreign = "".join(f"    {line}\n" for line in UNOWNED.splitlines())
    return driver().parse(f"- set:\n{golden}- set:\n{foreign}")


def edit(tree: Tree, path: str, value: str | None) -> Tree:
    """Set a leaf; value None removes the object."""
    tree = copy.deepcopy(tree)
    node: Any = tree
    *parents, last = path.split()
    for key in parents:
        node = node.setdefault(key, {})
    if value is None:
        del node[last]
    else:
        node[last] = {} if value == "{}" else value
    return tree


def result(change: NvueChange) -> Tree:
    return nest(change.expected)


def test_converged_means_nothing_to_do() -> None:
    change = driver().plan(converged(), intended())
    assert not change
    assert change.commands == ()


# path, value on the switch (None: missing), commands, disruption kinds
CASES = [
    # vlans
    ("bridge domain br_default vlan 200", None, ["nv set bridge domain br_default vlan 200"], []),
    # qos, changed and missing
    ("qos mapping ROCE trust", "both", ["nv set qos mapping ROCE trust l3"], []),
    ("qos mapping ROCE dscp 26", None, ["nv set qos mapping ROCE dscp 26 switch-priority 3"], []),
    ("qos mapping ROCE dscp 26 switch-priority", "4", ["nv set qos mapping ROCE dscp 26 switch-priority 3"], []),
    (
        "qos egress-queue-mapping default-global switch-priority 3 traffic-class",
        "1",
        ["nv set qos egress-queue-mapping default-global switch-priority 3 traffic-class 3"],
        ["queue-mapping"],
    ),
    (
        "qos egress-scheduler ROCE traffic-class 6 mode",
        "dwrr",
        ["nv set qos egress-scheduler ROCE traffic-class 6 mode strict"],
        [],
    ),
    (
        "qos egress-scheduler ROCE traffic-class 0 bw-percent",
        "70",
        ["nv set qos egress-scheduler ROCE traffic-class 0 bw-percent 50"],
        [],
    ),
    (
        "qos congestion-control ROCE traffic-class 3 min-threshold",
        "40000",
        ["nv set qos congestion-control ROCE traffic-class 3 min-threshold 150000"],
        [],
    ),
    (
        "qos congestion-control ROCE traffic-class 3 ecn",
        None,
        ["nv set qos congestion-control ROCE traffic-class 3 ecn enable"],
        [],
    ),
    ("qos pfc ROCE-5m switch-priority 3", None, ["nv set qos pfc ROCE-5m switch-priority 3"], ["pfc"]),
    ("qos pfc ROCE-5m cable-length", "100", ["nv set qos pfc ROCE-5m cable-length 5"], ["pfc"]),
    ("qos pfc ROCE-30m-120000 port-buffer", "1", ["nv set qos pfc ROCE-30m-120000 port-buffer 130000"], ["pfc"]),
    (
        "qos traffic-pool default-lossless memory-percent",
        "20",
        ["nv set qos traffic-pool default-lossless memory-percent 50"],
        ["buffer-pool"],
    ),
    ("qos pfc-watchdog robustness", "9", ["nv set qos pfc-watchdog robustness 2"], []),
    (
        "qos pfc-watchdog",
        None,
        ["nv set qos pfc-watchdog polling-interval 100", "nv set qos pfc-watchdog robustness 2"],
        [],
    ),
    # qos, extra
    (
        "qos pfc ROCE-5m switch-priority 4",
        "{}",
        ["nv unset qos pfc ROCE-5m switch-priority 4"],
        ["pfc"],
    ),
    ("qos pfc ROCE-99m cable-length", "99", ["nv unset qos pfc ROCE-99m"], ["pfc"]),
    ("qos pfc ROCE-5m xoff-threshold", "7", ["nv unset qos pfc ROCE-5m xoff-threshold"], ["pfc"]),
    (
        "qos congestion-control ROCE traffic-class 0 ecn",
        "enable",
        ["nv unset qos congestion-control ROCE traffic-class 0"],
        [],
    ),
    ("qos mapping ROCE pcp 1 switch-priority", "3", ["nv unset qos mapping ROCE pcp"], []),
    ("qos roce enable", "on", ["nv unset qos roce"], ["roce-macro"]),
    # ports, changed and missing
    ("interface swp1 link mtu", "1500", ["nv unset interface swp1 link mtu"], []),  # 9216 is the default
    ("interface swp49 link mtu", "1500", ["nv set interface swp49 link mtu 9214"], []),
    ("interface swp49 link mtu", None, ["nv set interface swp49 link mtu 9214"], []),
    ("interface swp1 link speed", "100G", ["nv set interface swp1 link speed 400G"], ["port-speed"]),
    ("interface swp2s0 link fec", None, ["nv set interface swp2s0 link fec off"], ["port-fec"]),
    ("interface swp1 description", "old", ["nv set interface swp1 description 'gpu01 rail0'"], []),
    (
        "interface swp2s0 description",
        None,
        ["nv set interface swp2s0 description 'storage #1, it'\"'\"'s wide!'"],
        [],
    ),
    (
        "interface swp1 bridge domain br_default access",
        "200",
        ["nv set interface swp1 bridge domain br_default access 100"],
        ["port-bridge"],
    ),
    (
        "interface swp2s0 bridge domain br_default vlan 100",
        None,
        ["nv set interface swp2s0 bridge domain br_default vlan 100"],
        [],
    ),
    (
        "interface swp2s0 bridge domain br_default untagged",
        "1",
        ["nv set interface swp2s0 bridge domain br_default untagged 200"],
        ["port-bridge"],
    ),
    ("interface swp49 ip address 10.0.0.0/31", None, ["nv set interface swp49 ip address 10.0.0.0/31"], []),
    ("interface swp1 qos pfc profile", "other", ["nv set interface swp1 qos pfc profile ROCE-5m"], ["pfc"]),
    ("interface swp1 qos pfc-watchdog", None, ["nv set interface swp1 qos pfc-watchdog state enable"], []),
    ("interface swp1 qos mapping", None, ["nv set interface swp1 qos mapping profile ROCE"], []),
    # ports, extra
    ("interface swp3 description", "spare", ["nv unset interface swp3 description"], []),
    ("interface swp3 link speed", "100G", ["nv unset interface swp3 link speed"], ["port-speed"]),
    (
        "interface swp2s0 bridge domain br_default vlan 999",
        "{}",
        ["nv unset interface swp2s0 bridge domain br_default vlan 999"],
        ["port-bridge"],
    ),
    (
        "interface swp49 bridge domain br_default access",
        "999",
        ["nv unset interface swp49 bridge domain br_default"],
        ["port-bridge"],
    ),
    ("interface swp49 bridge domain other", "{}", ["nv unset interface swp49 bridge domain other"], ["port-bridge"]),
    (
        "interface swp49 ip address 192.0.2.1/24",
        "{}",
        ["nv unset interface swp49 ip address 192.0.2.1/24"],
        ["port-address"],
    ),
    ("interface swp1 qos link-pause profile", "p", ["nv unset interface swp1 qos link-pause"], ["link-pause"]),
    ("interface swp3 qos pfc profile", "other", ["nv unset interface swp3 qos"], ["pfc"]),
    ("interface swp1 qos remark profile", "r", ["nv unset interface swp1 qos remark"], []),
    # lldp, ecmp
    ("service lldp tx-interval", "5", ["nv unset service lldp tx-interval"], []),
    ("service lldp state", "disabled", ["nv unset service lldp state"], []),
    ("system forwarding ecmp-hash source-port", "off", ["nv set system forwarding ecmp-hash source-port on"], []),
    ("system forwarding ecmp-hash inner-source-ip", "on", ["nv unset system forwarding ecmp-hash inner-source-ip"], []),
]


@pytest.mark.parametrize(("path", "value", "commands", "kinds"), CASES, ids=[f"{c[0]} = {c[1]}" for c in CASES])
def test_one_difference(path: str, value: str | None, commands: list[str], kinds: list[str]) -> None:
    running = edit(converged(), path, value)
    change = driver().plan(running, intended())
    assert list(change.commands) == commands
    assert sorted({d.kind for d in change.disruptions}) == kinds
    assert len(change.diffs) == 1
    assert change.predicted == intended() == driver().owned(result(change))
    untouched = {p for p in flatten(running) if driver().ownership.pattern(p[0]) is None}
    assert untouched <= set(flatten(result(change)))


UNTOUCHED = [
    ("interface swp5 qos pfc profile", "x"),  # not a port of the model
    ("interface swp1 link auto-negotiate", "on"),
    ("interface swp1 bridge domain br_default stp admin-edge", "on"),
    ("interface swp49 ip address 2001:db8::3/127", "{}"),
    ("interface swp49 ip vrf", "RED"),
    ("bridge domain br_default vlan 999", None),
    ("bridge domain br_default vlan 100 vni 100", None),
    ("qos pfc other cable-length", "7"),
    ("qos mapping default-global trust", "l2"),
    ("qos traffic-pool mine memory-percent", "1"),
    ("system hostname", "x"),
    ("service lldp dot1-tlv", "off"),
    ("router bgp autonomous-system", "65002"),
]


@pytest.mark.parametrize(("path", "value"), UNTOUCHED, ids=[u[0] for u in UNTOUCHED])
def test_what_is_not_owned_is_not_seen(path: str, value: str | None) -> None:
    assert not driver().plan(edit(converged(), path, value), intended())


def test_a_profile_with_our_prefix_that_others_use_stays() -> None:
    running = edit(converged(), "qos pfc ROCE-99m cable-length", "99")
    running = edit(running, "interface swp6 qos pfc profile", "ROCE-99m")
    assert not driver().plan(running, intended())


def test_what_the_model_needs_is_ours_whoever_else_uses_it() -> None:
    running = edit(converged(), "interface swp6 qos pfc profile", "ROCE-5m")
    running = edit(running, "qos pfc ROCE-5m cable-length", "100")
    assert driver().plan(running, intended()).commands == ("nv set qos pfc ROCE-5m cable-length 5",)


def test_a_routed_port_without_address_is_addressed_by_somebody_else() -> None:
    running = edit(converged(), "interface swp3 ip address 192.0.2.1/31", "{}")
    assert not driver().plan(running, intended())
    running = edit(converged(), "interface swp1 ip address 192.0.2.1/31", "{}")  # an access port has none
    assert driver().plan(running, intended()).commands == ("nv unset interface swp1 ip address 192.0.2.1/31",)


def test_a_default_may_be_written_or_not() -> None:
    """A release that hides defaults and one that shows what was set are the same to us."""
    hidden = converged()
    for path in ("interface swp1 link mtu", "interface swp1 link state", "service lldp tx-interval"):
        hidden = edit(hidden, path, None)
    assert not driver().plan(hidden, intended())
    assert driver().owned(hidden) == driver().owned(converged())


def test_port_up_and_down() -> None:
    """Exactly one of up and down may be there, so the old one goes first."""
    swp3_up = edit(edit(converged(), "interface swp3 link state down", None), "interface swp3 link state up", "{}")
    change = driver().plan(swp3_up, intended())
    assert change.commands == ("nv unset interface swp3 link state", "nv set interface swp3 link state down")
    assert [(d.kind, d.where) for d in change.disruptions] == [("port-down", "swp3")]
    assert result(change)["interface"]["swp3"]["link"]["state"] == {"down": {}}

    swp1_down = edit(edit(converged(), "interface swp1 link state up", None), "interface swp1 link state down", "{}")
    change = driver().plan(swp1_down, intended())
    assert change.commands == ("nv unset interface swp1 link state",)
    assert change.disruptions == ()


def test_membership_goes_with_what_hangs_on_it() -> None:
    """A routed port is in no bridge at all: spanning tree settings of the membership cannot stay."""
    running = edit(converged(), "interface swp49 bridge domain br_default stp admin-edge", "on")
    assert driver().plan(running, intended()).commands == ("nv unset interface swp49 bridge domain br_default",)


def test_the_macro_is_replaced_in_one_go() -> None:
    running = driver().parse("- set: {qos: {roce: {enable: 'on', mode: lossless}}}")
    change = driver().plan(running, intended())
    assert change.commands[0] == "nv unset qos roce"
    assert "nv set qos mapping ROCE trust l3" in change.commands
    macro = next(d for d in change.disruptions if d.kind == "roce-macro")
    assert "replaced by explicit tables" in macro.reason
    assert next(d for d in change.diffs if d.path == ("qos roce",)).before == ("enable: on", "mode: lossless")


def test_an_empty_switch_gets_everything() -> None:
    change = driver().plan(driver().parse("[]"), intended())
    assert driver().owned(result(change)) == intended()
    assert not [c for c in change.commands if c.startswith("nv unset")]
    assert "nv set interface swp1,swp2s0,swp49 qos mapping profile ROCE" in change.commands
    assert "nv set qos mapping ROCE dscp 0-25,27-47,49-63 switch-priority 0" in change.commands


def test_sections_say_where_and_what() -> None:
    running = edit(converged(), "interface swp49 link mtu", "1500")
    running = edit(running, "qos pfc ROCE-5m switch-priority 4", "{}")
    diffs = driver().plan(running, intended()).diffs
    assert [(d.concern, d.path, d.before, d.after) for d in diffs] == [
        ("qos", ("qos pfc ROCE-5m",), ("switch-priority 4",), ()),
        ("ports", ("interface swp49",), ("link mtu: 1500",), ("link mtu: 9214",)),
    ]


def test_dump_and_load() -> None:
    text = driver().dump(intended())
    assert driver().load(text) == intended()
    assert driver().dump(driver().load(text)) == text
    assert yaml.safe_load(text)["system"]["forwarding"]["ecmp-hash"]["source-ip"] == "on"
    assert driver().load(f"- set:\n{''.join(f'    {line}' for line in text.splitlines(keepends=True))}") == intended()


def test_nothing_secret_is_dumped() -> None:
    assert "secret" not in driver().dump(driver().owned(converged()))
