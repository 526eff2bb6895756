# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A second opinion on the EOS templates: pyavd 6.4 validates the same model and has to write the same lines.

Runs in an environment of its own (pyavd, pydantic, jinja2, pyyaml, pytest). The structured configuration is built here
from the model, not from our text, so that a wrong template cannot agree with itself.
"""

from __future__ import annotations

import copy
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyavd
import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Port, Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render
from tests.underlay import with_underlay

ROOT = Path(__file__).parents[2]
EXAMPLE: dict[str, Any] = yaml.safe_load((ROOT / "docs" / "model-example.yml").read_text())["switch"]

# Defaults that our templates write out and pyavd has no key for or leaves unsaid.
OURS_ONLY = {"no flowcontrol send", "no flowcontrol receive", "lldp run", "switchport mode access"}
# What pyavd writes for every switch.
THEIRS_ONLY = {"no enable password", "no aaa root", "no ip routing", "end"}

SPEED = {
    ("tomahawk4", 400000): "400g-8",
    ("tomahawk4", 100000): "100g-2",
    ("tomahawk5", 400000): "400g-4",
    ("tomahawk5", 100000): "100g-1",
    ("jericho2", 400000): "400g-8",
    ("jericho2", 100000): "100g-2",
}


def structured(switch: Switch, release: tuple[int, int]) -> dict[str, Any]:
    """The model in pyavd's terms."""
    roce, dnx = switch.roce, (switch.asic or "").startswith("jericho")
    named_dscp = {d for c in roce.classes for d in c.dscp}
    named_cos = {c for cls in roce.classes for c in cls.cos}
    maps: dict[str, list[str]] = {"dscp": [], "cos": [], "traffic_class": []}
    queues = []
    for cls in roce.classes:
        dscp = cls.dscp or sorted(set(range(64)) - named_dscp)
        cos = cls.cos if cls.dscp else sorted(set(range(8)) - named_cos)
        maps["dscp"].append(f"{' '.join(map(str, dscp))} to traffic-class {cls.priority}")
        maps["cos"].append(f"{' '.join(map(str, cos))} to traffic-class {cls.priority}")
        maps["traffic_class"].append(f"{cls.priority} to tx-queue {cls.queue}")
        queue: dict[str, Any] = {"id": cls.queue}
        if cls.scheduler.type == "strict":
            queue["priority"] = "priority strict"
        else:
            queue |= {"priority": "no priority", "bandwidth_percent": cls.scheduler.weight}
        if cls.ecn:
            whole = cls.ecn.min % 1000 == 0 and cls.ecn.max % 1000 == 0
            size = 1000 if whole else 1
            threshold = {
                "units": "kbytes" if whole else "bytes",
                "min": cls.ecn.min // size,
                "max": cls.ecn.max // size,
                "max_probability": cls.ecn.probability,
            }
            queue["random_detect"] = {"ecn": {"threshold": threshold, "count": release >= (4, 31)}}
        queues.append(queue)
    profile = {
        "name": roce.profile,
        "trust": roce.trust,
        "priority_flow_control": {
            "enabled": True,
            "priorities": [{"priority": c.priority, "no_drop": True} for c in roce.classes if c.lossless],
            "watchdog": {"enabled": True},
        },
        "tx_queues" if dnx else "uc_tx_queues": queues,
    }
    watchdog = roce.pfc_watchdog
    data: dict[str, Any] = {
        "vlans": [{"id": v.id, "name": v.name} for v in switch.vlans],
        "qos": {"map": maps},
        "qos_profiles": [profile],
        "priority_flow_control": {
            "watchdog": {
                "action": {"drop": "drop", "notify": "notify-only"}[watchdog.action],
                "timeout": _seconds(watchdog.detect_ms),
                "recovery_time": _seconds(watchdog.restore_ms),
                "polling_interval": _seconds(watchdog.poll_ms),
            }
        },
        "lldp": {"timer": switch.lldp.interval, "holdtime": switch.lldp.interval * switch.lldp.hold_multiplier},
        "ethernet_interfaces": [_port(switch, port, queues, release) for port in switch.ports],
    }
    if dnx:
        data["hardware_counters"] = {"features": [{"name": "ecn", "direction": "out"}]}
    return data


def underlay(switch: Switch) -> dict[str, Any]:
    """Routing, bonds and the pair in pyavd's terms; the keys of ports are added to those of their ports."""
    data: dict[str, Any] = {"port_channel_interfaces": [], "vlan_interfaces": [], "ports": {}}
    if switch.underlay:
        data |= _bgp(switch)
    ports = {p.name: p for p in switch.ports}
    for bond in switch.bonds:
        port = ports[bond.members[0]]
        channel = {"name": f"Port-Channel{bond.id}", "shutdown": False, "mtu": port.mtu} | _forwarding(port)
        channel |= {"description": bond.description} if bond.description else {}
        channel |= {"mlag": bond.mlag_id} if bond.mlag_id else {}
        channel |= {"service_profile": switch.roce.profile} if port.lossless else {}
        data["port_channel_interfaces"].append(channel)
        for member in bond.members:
            data["ports"].setdefault(member, {}).update(_member(bond.id, fast=bond.fast))
    for gateway in switch.gateways:
        svi: dict[str, Any] = {"name": f"Vlan{gateway.vlan}", "shutdown": False, "ip_address": gateway.address}
        svi["mtu"] = min(p.mtu for p in switch.ports if gateway.vlan in (p.vlan, *p.vlans))
        if gateway.virtual_address:
            svi["ip_virtual_router_addresses"] = [gateway.virtual_address]
            data["ip_virtual_router_mac_address"] = switch.peer_link.mac if switch.peer_link else "00:1c:73:00:00:99"
        data["vlan_interfaces"].append(svi)
    if switch.peer_link:
        data |= _pair(switch, data)
    return data


def _member(number: int, *, fast: bool) -> dict[str, Any]:
    return {
        "channel_group": {"id": number, "mode": "active"},
        "lacp_timer": {"mode": "fast" if fast else "normal"},
        "switchport": {"enabled": True},
    }


def _pair(switch: Switch, data: dict[str, Any]) -> dict[str, Any]:
    link = switch.peer_link
    assert link is not None
    for member in link.ports:
        data["ports"].setdefault(member, {}).update(_member(1000, fast=False))
    trunk = {"enabled": True, "mode": "trunk", "trunk": {"groups": ["MLAG"]}}
    mtu = next(p.mtu for p in switch.ports if p.name == link.ports[0])
    channel = {"name": "Port-Channel1000", "description": "peer link", "shutdown": False, "mtu": mtu}
    data["port_channel_interfaces"].append(channel | {"switchport": trunk})
    data["vlan_interfaces"].append({"name": "Vlan4094", "no_autostate": True, "ip_address": link.local})
    return {
        "spanning_tree": {"no_spanning_tree_vlan": "4094"},
        "mlag_configuration": {
            "domain_id": str(link.domain),
            "local_interface": "Vlan4094",
            "peer_address": link.peer,
            "peer_address_heartbeat": {"peer_ip": link.keepalive},
            "peer_link": "Port-Channel1000",
        },
    }


def _bgp(switch: Switch) -> dict[str, Any]:
    under = switch.underlay
    assert under is not None
    group = under.peer_group
    numbered = [n for n in under.neighbors if n.address]
    unnumbered = [n for n in under.neighbors if not n.address]
    lists, maps = [], []
    for way, entries in (("IN", under.accept), ("OUT", under.announce)):
        numbers = [
            {"sequence": 10 * (i + 1), "action": f"permit {e.within} eq {e.length}"} for i, e in enumerate(entries)
        ]
        sequence: dict[str, Any] = {"sequence": 10, "type": "permit" if entries else "deny"}
        if entries:
            lists.append({"name": f"{group}-{way}", "sequence_numbers": numbers})
            sequence["match"] = [f"ip address prefix-list {group}-{way}"]
        maps.append({"name": f"{group}-{way}", "sequence_numbers": [sequence]})
    common = {"timers": f"{under.keepalive} {under.hold}", "bfd": under.bfd is not None}
    common |= {"route_map_in": f"{group}-IN", "route_map_out": f"{group}-OUT"}
    names = [group] * bool(numbered) + [f"{group}-UNNUMBERED"] * bool(unnumbered)
    family: list[dict[str, Any]] = [{"name": name, "activate": True} for name in names]
    if unnumbered:
        family[-1]["next_hop"] = {"address_family_ipv6": {"enabled": True, "originate": True}}
    ports: dict[str, dict[str, Any]] = {n.port: {"ipv6_enable": True} for n in unnumbered}
    if under.bfd:
        bfd = {"interval": under.bfd.interval_ms, "min_rx": under.bfd.interval_ms, "multiplier": under.bfd.multiplier}
        for n in under.neighbors:
            ports.setdefault(n.port, {})["bfd"] = bfd
    data: dict[str, Any] = {
        "ip_routing_ipv6_interfaces" if unnumbered else "ip_routing": True,
        "loopback_interfaces": [{"name": "Loopback0", "ip_address": f"{under.router_id}/32"}],
        "prefix_lists": lists,
        "route_maps": maps,
        "ports": ports,
        "router_bgp": {
            "as": str(under.asn),
            "router_id": under.router_id,
            "maximum_paths": {"paths": under.maximum_paths, "ecmp": under.maximum_paths},
            "peer_groups": [{"name": name} | common for name in names],
            "redistribute": {"connected": {"enabled": True, "route_map": f"{group}-OUT"}},
            "neighbors": [
                {"ip_address": n.address, "peer_group": group, "remote_as": str(n.asn), "description": n.description}
                for n in numbered
            ],
            "neighbor_interfaces": [
                {"name": n.port, "peer_group": f"{group}-UNNUMBERED", "remote_as": str(n.asn)} for n in unnumbered
            ],
            "address_family_ipv4": {"peer_groups": family},
        },
    }
    if unnumbered:
        data["ipv6_unicast_routing"] = True
    if under.adaptive_routing and (switch.asic or "").startswith("tomahawk"):
        data["ip_hardware"] = {"fib": {"load_balance_distribution": {"dynamic": {"enabled": True}}}}
    return data


def with_routing(switch: Switch, release: tuple[int, int]) -> dict[str, Any]:
    """All of a model in pyavd's terms."""
    data, more = structured(switch, release), underlay(switch)
    for port in data["ethernet_interfaces"]:
        port |= more["ports"].get(port["name"], {})
    if switch.peer_link:
        data["vlans"].append({"id": 4094, "name": "MLAG", "trunk_groups": ["MLAG"]})
    return data | {key: value for key, value in more.items() if key != "ports"}


def _seconds(milliseconds: int) -> str:
    return f"{(Decimal(milliseconds) / 1000).normalize():f}"


def _port(switch: Switch, port: Port, queues: list[dict[str, Any]], release: tuple[int, int]) -> dict[str, Any]:
    data: dict[str, Any] = {"name": port.name, "shutdown": not port.enabled, "mtu": port.mtu}
    if port.description:
        data["description"] = port.description
    if port.speed:
        data["speed"] = SPEED[switch.asic or "", port.speed]
    if port.fec == "none":
        data["error_correction_encoding"] = {"enabled": False}
    elif port.fec:
        data["error_correction_encoding"] = {"reed_solomon" if port.fec == "rs" else "fire_code": True}
    if port.lossless:
        data["service_profile"] = switch.roce.profile
        if release < (4, 31):
            counted = [
                {"id": q["id"], "random_detect": {"ecn": {"count": True}}} for q in queues if "random_detect" in q
            ]
            data["tx_queues" if (switch.asic or "").startswith("jericho") else "uc_tx_queues"] = counted
    return data | _forwarding(port)


def _forwarding(port: Port) -> dict[str, Any]:
    if port.mode == "routed":
        return {"switchport": {"enabled": False}} | ({"ip_address": port.address} if port.address else {})
    if port.mode == "access":
        return {"switchport": {"enabled": True, "mode": "access", "access_vlan": port.vlan}}
    trunk: dict[str, Any] = {"allowed_vlan": _ranges(port.vlans)}
    if port.native_vlan:
        trunk["native_vlan"] = port.native_vlan
    return {"switchport": {"enabled": True, "mode": "trunk", "trunk": trunk}}


def _ranges(vlans: tuple[int, ...]) -> str:
    """The two VLANs of the tests, as EOS prints neighbouring ones."""
    first, *rest = vlans
    return f"{first}-{rest[0]}" if rest and rest[0] == first + 1 else ",".join(map(str, vlans))


def violations(data: dict[str, Any]) -> list[Any]:
    """What pyavd's schema has against a structured configuration."""
    return list(pyavd.validate_structured_config(data).validation_result.violations)


def lines(text: str) -> set[tuple[str, ...]]:
    """Every line with the sections that it is in; order within a section differs by release and does not count."""
    found: set[tuple[str, ...]] = set()
    path: list[tuple[int, str]] = []
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("!"):
            continue
        indent = len(raw) - len(raw.lstrip())
        path = [(depth, head) for depth, head in path if depth < indent]
        path.append((indent, line))
        found.add(tuple(head for _, head in path))
    return found


def variants() -> dict[str, dict[str, Any]]:
    """Models that together use every branch of the templates that pyavd can express."""
    access, routed = EXAMPLE["ports"]
    trunk = {"name": "Ethernet2/1", "mode": "trunk", "vlans": [100, 102], "native_vlan": 100, "fec": "fc"}
    rich = copy.deepcopy(EXAMPLE)
    rich["vlans"] = [{"id": 100, "name": "rail0"}, {"id": 102, "name": "storage"}]
    rich["ports"] = [
        access | {"enabled": False, "fec": "none", "speed": None},
        trunk,
        routed,
        routed | {"lossless": False},
    ]
    rich["ports"][3] = rich["ports"][3] | {"name": "Ethernet50/1", "address": "10.0.0.2/31", "speed": 100000}
    rich["roce"]["pfc_watchdog"] |= {"action": "notify", "detect_ms": 1500, "restore_ms": 2500}
    rich["roce"]["classes"][1]["ecn"] = {"min": 153600, "max": 1536000, "probability": 7}
    rich["roce"]["trust"] = "cos"
    rich["lldp"] = {"enabled": True, "interval": 10, "hold_multiplier": 3}
    return {"example": EXAMPLE, "rich": rich}


@pytest.mark.parametrize("release", [(4, 28), (4, 35)], ids=["4.28", "4.35"])
@pytest.mark.parametrize("asic", ["tomahawk4", "tomahawk5", "jericho2"])
@pytest.mark.parametrize("variant", ["example", "rich"])
def test_pyavd_writes_the_same_lines(variant: str, asic: str, release: tuple[int, int]) -> None:
    switch = Switch.model_validate_json(json.dumps(variants()[variant] | {"asic": asic}))
    data = structured(switch, release)
    assert violations(data) == []
    theirs = {path for path in lines(pyavd.get_device_config(data)) if path[0] not in THEIRS_ONLY}
    ours = {path for path in lines("\n".join(render(switch, release).values())) if path[-1] not in OURS_ONLY}
    theirs = {path for path in theirs if path[-1] not in OURS_ONLY}
    assert ours - theirs == set(), "our templates write lines that pyavd does not"
    assert theirs - ours == set(), "pyavd writes lines that our templates do not"


UNDERLAYS = {
    "both": {},
    "numbered": {"unnumbered": False},
    "unnumbered": {"numbered": False},
}
# Says what is the default anyway, for which pyavd has no key.
UNDERLAY_ONLY = OURS_ONLY | {"bgp bestpath as-path multipath-relax"}


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("asic", ["tomahawk4", "jericho2"])
@pytest.mark.parametrize("sessions", UNDERLAYS)
def test_pyavd_writes_the_same_underlay(sessions: str, asic: str, adaptive: bool) -> None:
    plain = with_underlay(EXAMPLE, **UNDERLAYS[sessions]) | {"asic": asic}
    plain["underlay"] |= {"adaptive_routing": adaptive}
    if adaptive:
        plain["underlay"] |= {"bfd": None, "accept": []}
    switch = Switch.model_validate_json(json.dumps(plain))
    data = with_routing(switch, (4, 35))
    assert violations(data) == []
    theirs = {path for path in lines(pyavd.get_device_config(data)) if path[0] not in THEIRS_ONLY}
    theirs = {path if path[0].partition(" seq ")[1] else _one_line(path) for path in theirs} - {None}
    ours = {path for path in lines("\n".join(render(switch, (4, 35)).values())) if path[-1] not in UNDERLAY_ONLY}
    theirs = {path for path in theirs if path[-1] not in UNDERLAY_ONLY}
    assert ours - theirs == set(), "our templates write lines that pyavd does not"
    assert theirs - ours == set(), "pyavd writes lines that our templates do not"


def _one_line(path: tuple[str, ...]) -> tuple[str, ...] | None:
    """pyavd writes prefix lists as newer releases print them; one line per entry is what all of them take."""
    if not path[0].startswith("ip prefix-list "):
        return path
    return (" ".join(path),) if len(path) == 2 else None


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("router_bgp", "maximum_paths", "paths"), 601),
        (("router_bgp", "peer_groups", 0, "bfd"), "on"),
        (("router_bgp", "neighbor_interfaces", 0, "interface"), "Ethernet1"),
        (("mlag_configuration", "domain"), "7"),
        (("port_channel_interfaces", 0, "mlag"), 20000),
        (("ethernet_interfaces", 0, "channel_group", "mode"), "lacp"),
        (("ethernet_interfaces", 0, "lacp_timer", "mode"), "slow"),
        (("route_maps", 0, "sequence_numbers", 0, "type"), "allow"),
    ],
)
def test_pyavd_would_object_to_routing(where: tuple[Any, ...], value: Any) -> None:
    data = with_routing(Switch.model_validate_json(json.dumps(with_underlay(EXAMPLE))), (4, 35))
    place: Any = data
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] = value
    assert violations(data)


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("qos_profiles", 0, "uc_tx_queues", 1, "random_detect", "ecn", "threshold", "units"), "cells"),
        (("qos_profiles", 0, "uc_tx_queues", 1, "random_detect", "ecn", "threshold", "max_probability"), 101),
        (("qos_profiles", 0, "priority_flow_control", "priorities", 0, "priority"), 8),
        (("priority_flow_control", "watchdog", "action"), "shutdown"),
        (("priority_flow_control", "watchdog", "timeout"), "0.205"),
        (("ethernet_interfaces", 0, "speed"), "forced 400gfull"),
    ],
)
def test_pyavd_would_object(where: tuple[Any, ...], value: Any) -> None:
    """The oracle sees mistakes: values that EOS does not take fail its validation."""
    data = structured(Switch.model_validate_json(json.dumps(EXAMPLE)), (4, 35))
    place: Any = data
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] = value
    assert violations(data)
