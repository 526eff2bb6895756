# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operational state of a Cumulus switch: ``nv show ... -o json`` to platform-neutral facts.

Keys move and values change their form between releases (``"10 KB"`` or 10240, maps or lists, a group at the top or
below another key), so groups are looked for by name and numbers are read in every form. What is not there stays None.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import Refused
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
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.tree import Tree, natural, read_json

if TYPE_CHECKING:
    from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.driver import NvueDriver
    from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import Session

_UNITS = {"": 1, "B": 1, "BYTE": 1, "BYTES": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4, "P": 1024**5}
_NUMBER = re.compile(r"^(-?[\d,]+(?:\.\d+)?)\s*([A-Za-z]*)$")
_SPEED = re.compile(r"^(\d+(?:\.\d+)?)\s*([MG])", re.I)
_FEC = {"rs": "rs", "baser": "fc", "fc": "fc", "off": "none", "none": "none"}
_TRUST = {"l2": "cos", "l3": "dscp", "both": "both", "port": "none"}


def number(value: Any) -> int | None:
    """10240, "10240", "10 KB" and "10.00 KB" are 10240; anything else is None."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return int(value)
    found = _NUMBER.match(str(value).strip())
    if not found:
        return None
    unit = found[2].upper()
    factor = _UNITS.get(unit) or _UNITS.get(unit.removesuffix("B").removesuffix("I"))
    return None if factor is None else round(float(found[1].replace(",", "")) * factor)


def speed(value: Any) -> int | None:
    """Mb/s."""
    found = _SPEED.match(str(value))
    return int(float(found[1]) * (1000 if found[2].upper() == "G" else 1)) if found else None


def group(value: Any, name: str) -> Any:
    """The first object called ``name``, at whatever depth a release puts it."""
    if isinstance(value, Mapping):
        if name in value:
            return value[name]
        value = list(value.values())
    if isinstance(value, list):
        for child in value:
            found = group(child, name)
            if found is not None:
                return found
    return None


def rows(value: Any, *keys: str) -> dict[int, Mapping[str, Any]]:
    """Rows by number: a map {"3": {...}} or a list [{"traffic-class": 3, ...}]."""
    if isinstance(value, Mapping):
        return {int(k): row for k, row in value.items() if str(k).isdigit() and isinstance(row, Mapping)}
    result = {}
    for row in value if isinstance(value, list) else []:
        index = next((number(row[k]) for k in keys if k in row), None) if isinstance(row, Mapping) else None
        if index is not None:
            result[index] = row
    return result


def total(values: Iterable[int | None]) -> int | None:
    """Sum of what is known; None when nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


# -- one parser per command ---------------------------------------------------------------------------------------
def parse_system(text: str) -> Facts:
    """``nv show system``: up to 5.x "build": "Cumulus Linux 5.9.0", later "product-release": "5.14.0"."""
    data = read_json(text, "nv show system")
    release = re.search(r"\d+\.\d+(?:\.\d+)?", str(group(data, "product-release") or group(data, "build") or ""))
    return Facts(
        hostname=str(group(data, "hostname") or ""),
        platform="nvue",
        release=release[0] if release else "",
        reload_pending=(),
    )


def parse_platform(text: str) -> str | None:
    """``nv show platform``: hardware model."""
    data = read_json(text, "nv show platform")
    for key in ("product-name", "model", "part-number"):
        value = group(data, key)
        if isinstance(value, str) and value:
            return value
    return None


def parse_interfaces(text: str) -> dict[str, PortFacts]:
    """``nv show interface`` and its views: link, counters, neighbours, whichever are in the output."""
    result = {}
    for name, data in read_json(text, "nv show interface").items():
        if isinstance(data, Mapping) and name.startswith("swp"):
            result[name] = _interface(data)
    return result


def _interface(data: Mapping[str, Any]) -> PortFacts:
    link = data.get("link") or data
    stats = group(data, "stats") or group(data, "netstat") or group(data, "counters") or {}

    def counter(*keys: str) -> int | None:
        return next((number(stats[key]) for key in keys if key in stats), None)

    facts = PortFacts(
        oper_up=_is_up(link.get("oper-status")),
        admin_up=_is_up(link.get("admin-status") or _first(link.get("state"))),
        speed=speed(link.get("speed")),
        mtu=number(link.get("mtu")),
        fec=_FEC.get(str(link.get("fec", "")).lower().split("-")[0]),
        description=data.get("description") or None,
        rx_packets=counter("in-pkts", "rx-ok"),
        tx_packets=counter("out-pkts", "tx-ok"),
        rx_bytes=counter("in-bytes"),
        tx_bytes=counter("out-bytes"),
        rx_errors=counter("in-errors", "rx-err"),
        tx_errors=counter("out-errors", "tx-err"),
        crc_errors=counter("in-crc-errors", "crc-errors"),
        rx_discards=counter("in-drops", "rx-drop"),
        tx_discards=counter("out-drops", "tx-drop"),
    )
    facts.neighbors = _neighbors(data.get("lldp") or {})
    return facts


def _is_up(value: Any) -> bool | None:
    return None if value in (None, "") else str(value).lower() == "up"


def _first(value: Any) -> Any:
    return next(iter(value), None) if isinstance(value, Mapping) else value


def _neighbors(lldp: Mapping[str, Any]) -> tuple[Neighbor, ...]:
    found = []
    for key, data in (lldp.get("neighbor") or {}).items():
        chassis, port = data.get("chassis") or {}, data.get("port") or {}
        device = chassis.get("system-name") or chassis.get("name") or key
        # A Linux host announces a MAC address as port id and the interface name as description.
        ident = port.get("name") or port.get("id") or ""
        if str(port.get("type", "")).lower() in ("mac", "mac-address") and port.get("description"):
            ident = port["description"]
        found.append(Neighbor(device=str(device), port=str(ident)))
    return tuple(found)


def parse_qos_counters(text: str, facts: PortFacts) -> None:
    """``nv show interface X counters qos``."""
    data = read_json(text, "nv show interface X counters qos")
    for tc, row in rows(group(data, "egress-queue-stats"), "traffic-class").items():
        facts.queues[tc] = Queue(
            tx_packets=number(row.get("tx-frames")),
            tx_bytes=number(row.get("tx-bytes")),
            drops=total(number(row.get(k)) for k in ("tx-uc-buffer-discards", "wred-discards")),
            ecn_marked=number(row.get("ecn-marked-frames")),  # not there in older releases
        )
    for priority, row in rows(group(data, "pfc-stats"), "switch-priority").items():
        for counters, key in ((facts.pfc.rx, "rx-pause-frames"), (facts.pfc.tx, "tx-pause-frames")):
            value = number(row.get(key))
            if value is not None:
                counters[priority] = value
    facts.pfc.rx_total = total(facts.pfc.rx.values())
    facts.pfc.tx_total = total(facts.pfc.tx.values())


def parse_buffer(text: str, facts: PortFacts) -> None:
    """``nv show interface X qos buffer``: occupancy of the egress queues."""
    data = read_json(text, "nv show interface X qos buffer")
    egress = next((v for k in ("traffic-class", "egress-traffic-class") if (v := group(data, k)) is not None), None)
    for tc, row in rows(egress, "traffic-class", "name").items():
        queue = facts.queues.setdefault(tc, Queue())
        queue.depth_bytes = number(row.get("current-usage", row.get("usage")))
        queue.max_depth_bytes = number(row.get("max-usage", row.get("tc-max-usage")))


def parse_watchdog(text: str, facts: PortFacts) -> None:
    """``nv show interface X qos pfc-watchdog``."""
    data = read_json(text, "nv show interface X qos pfc-watchdog")
    for tc, row in rows(group(data, "status"), "traffic-class").items():
        stuck = str(row.get("status", "")).upper() == "DEADLOCK" if "status" in row else None
        facts.watchdog[tc] = Watchdog(stuck=stuck, detected=number(row.get("deadlock-count")))


# -- what only the configuration tells ------------------------------------------------------------------------------
def from_config(tree: Tree, name: str, facts: PortFacts) -> None:
    """Mode, VLANs, addresses, trust and lossless priorities as they are applied."""
    port = (tree.get("interface") or {}).get(name) or {}
    qos = tree.get("qos") or {}
    domains = (port.get("bridge") or {}).get("domain") or {}
    bridge = next(iter(domains.values()), None)
    if bridge is None:
        facts.mode = "routed"
    elif "access" in bridge:
        facts.mode, facts.vlan = "access", int(bridge["access"])
    else:
        facts.mode = "trunk"
        untagged = bridge.get("untagged", "")
        facts.native_vlan = int(untagged) if untagged.isdigit() else None
        every = ((tree.get("bridge") or {}).get("domain") or {}).get(next(iter(domains))) or {}
        vlans = bridge.get("vlan") or every.get("vlan") or {}
        facts.vlans = tuple(sorted(int(v) for v in vlans if v.isdigit()))
    addresses = ((port.get(family) or {}).get("address") or {} for family in ("ip", "ipv4", "ipv6"))
    facts.addresses = tuple(sorted(a for family in addresses for a in family if a != "dhcp"))
    facts.description = facts.description or port.get("description")
    bound = port.get("qos") or {}
    mapping = (qos.get("mapping") or {}).get((bound.get("mapping") or {}).get("profile", "default-global")) or {}
    facts.trust = _TRUST.get(mapping.get("trust", ""))
    profile = (qos.get("pfc") or {}).get((bound.get("pfc") or {}).get("profile", "default-global"))
    facts.pfc.enabled = bool(profile)
    facts.pfc.priorities = tuple(sorted(int(p) for p in (profile or {}).get("switch-priority") or {}))


def dscp_map(tree: Tree, profile: str) -> dict[int, int]:
    """The DSCP map of a profile on top of the switch's own (DSCP / 8)."""
    mapping = ((tree.get("qos") or {}).get("mapping") or {}).get(profile) or {}
    result = {dscp: dscp // 8 for dscp in range(64)}
    for dscp, row in (mapping.get("dscp") or {}).items():
        if "switch-priority" in row:
            result[int(dscp)] = int(row["switch-priority"])
    return result


# -- routing, bundles and the pair ----------------------------------------------------------------------------------
def parse_bgp(text: str) -> dict[str, BgpPeer]:
    """``nv show vrf default router bgp neighbor``; the counts of a family stand under ``afi-safi`` or
    ``address-family``, and only where the session is established."""
    found = {}
    for name, data in read_json(text, "nv show vrf default router bgp neighbor").items():
        if not isinstance(data, Mapping):
            continue
        state = data.get("state", data.get("session-state"))
        family = group({k: data[k] for k in ("afi-safi", "address-family") if k in data}, "ipv4-unicast") or {}
        established = None if state in (None, "") else str(state).lower() == "established"
        found[name] = BgpPeer(
            established=established,
            asn=next((n for k in ("remote-as", "peer-asn", "as") if (n := number(data.get(k)))), None),
            received=number(family.get("rx-prefix")) if established else None,
        )
    return found


def parse_paths(text: str) -> dict[str, int]:
    """``nv show vrf default router rib ipv4 route``: next hops in use of the routes that BGP gave."""
    data = read_json(text, "nv show vrf default router rib ipv4 route")
    found = {}
    for prefix, route in (data.get("route") or data).items():
        entries = (route.get("route-entry") or {}) if isinstance(route, Mapping) else {}
        for entry in entries.values() if isinstance(entries, Mapping) else entries:
            if entry.get("protocol") != "bgp" or ("flags" in entry and "selected" not in entry["flags"]):
                continue
            hops = entry.get("via-entry") or entry.get("via") or {}
            if hops:
                found[prefix] = len(hops)
    return found


def parse_bond(text: str, ports: Mapping[str, PortFacts], up: bool | None) -> tuple[BondFacts, bool | None]:
    """``nv show interface bond1 bond``: the bundle, and whether both switches of a pair have it up."""
    data = read_json(text, "nv show interface X bond")
    data = data.get("bond") or data
    members = data.get("member") or ()  # a map or a list
    facts = BondFacts(up=up, lacp=data["mode"] == "lacp" if "mode" in data else None)
    for name in sorted(members, key=natural):
        facts.members[name] = bool(up) and bool(ports.get(name, PortFacts()).oper_up)
    status = (data.get("mlag") or {}).get("status")
    return facts, None if status is None else str(status).lower() == "dual"


def parse_pair(text: str) -> PairFacts | None:
    """``nv show mlag``. CLAG knows its pair by the shared MAC address, not by a number."""
    data = read_json(text, "nv show mlag")
    if not data or str(data.get("enable", data.get("state", "on"))).lower() in ("off", "disabled"):
        return None
    role = data.get("local-role")
    return PairFacts(
        domain=str(data["mac-address"]) if "mac-address" in data else None,
        peer_up=_is_true(data.get("peer-alive")),
        primary=None if role is None else str(role).lower() == "primary",
    )


def _is_true(value: Any) -> bool | None:
    return None if value in (None, "") else str(value).lower() in ("true", "on", "enabled", "yes", "up")


def parse_oper_up(text: str) -> dict[str, bool | None]:
    """``nv show interface``: which interfaces of any kind are up."""
    found = {}
    for name, data in read_json(text, "nv show interface").items():
        if isinstance(data, Mapping):
            found[name] = _is_up((data.get("link") or data).get("oper-status"))
    return found


def _read_routing(driver: NvueDriver, session: Session, facts: Facts) -> None:
    if driver.model.underlay is None:
        return
    for command, key, parser in (
        ("nv show vrf default router bgp neighbor -o json", "bgp", parse_bgp),
        ("nv show vrf default router rib ipv4 route -o json", "paths", parse_paths),
    ):
        with suppress(Refused):  # BGP may not run yet
            setattr(facts, key, parser(session.send(command)))


def _read_bonds(driver: NvueDriver, session: Session, facts: Facts, up: Mapping[str, bool | None]) -> None:
    dual = {}
    for bond in driver.model.bonds:
        with suppress(Refused):  # it may not be there yet
            text = session.send(f"nv show interface bond{bond.id} bond -o json")
            facts.bonds[bond.id], both = parse_bond(text, facts.ports, up.get(f"bond{bond.id}"))
            if bond.mlag_id is not None and both is not None:
                dual[bond.mlag_id] = both
    if driver.model.peer_link is not None:
        with suppress(Refused):
            facts.pair = parse_pair(session.send("nv show mlag -o json"))
        if facts.pair is not None:
            facts.pair.bonds, facts.pair.peer_link_up = dual, up.get("peerlink")


def read(driver: NvueDriver, session: Session) -> Facts:
    """Everything, with as few commands as there are: NVUE has queue counters per port only."""
    facts = parse_system(session.send("nv show system -o json"))
    driver.running_release = facts.release
    facts.model = parse_platform(session.send("nv show platform -o json"))
    tree = driver.parse(driver.read(session))
    interfaces = session.send("nv show interface -o json")
    facts.ports = parse_interfaces(interfaces)
    views = ["lldp"]
    if any(port.rx_packets is None for port in facts.ports.values()):
        views.append("counters")
    for view in views:
        for name, part in parse_interfaces(session.send(f"nv show interface --view {view} -o json")).items():
            _complete(facts.ports.setdefault(name, PortFacts()), part)
    facts.ports = {name: facts.ports[name] for name in sorted(facts.ports, key=natural)}
    for name, port in facts.ports.items():
        from_config(tree, name, port)
    for port in driver.model.ports:
        found = facts.ports.get(port.name)
        if found is not None and port.lossless:
            parse_qos_counters(session.send(f"nv show interface {port.name} counters qos -o json"), found)
            with suppress(Refused):  # not on every ASIC and release
                parse_buffer(session.send(f"nv show interface {port.name} qos buffer -o json"), found)
            parse_watchdog(session.send(f"nv show interface {port.name} qos pfc-watchdog -o json"), found)
    _read_routing(driver, session, facts)
    _read_bonds(driver, session, facts, parse_oper_up(interfaces))
    facts.dscp_to_priority = dscp_map(tree, driver.model.roce.profile)
    return facts


def _complete(into: PortFacts, part: PortFacts) -> None:
    """Fill what is missing from another view of the same port."""
    for key, value in vars(part).items():
        if value not in (None, (), {}, Pfc()) and getattr(into, key) in (None, ()):
            setattr(into, key, value)
