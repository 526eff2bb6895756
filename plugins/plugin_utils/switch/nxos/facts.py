# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operational state of NX-OS: output of show commands -> :class:`Facts`.

JSON of NX-OS is a table in a table: ``TABLE_x: {ROW_x: ...}``, where one row is an object and several rows are a list,
numbers are strings, and names of keys differ between releases. Where a release answers a command with text, or refuses
it, the text is read or the facts stay None.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.tree import Line
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import (
    BgpPeer,
    BondFacts,
    Facts,
    Neighbor,
    PairFacts,
    PortFacts,
    Queue,
    Watchdog,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos.filters import expand_ids
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos.ownership import single_matches
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos.routing import asplain

ALL_VLANS = tuple(range(1, 4095))
_PORT = re.compile(r"Eth(?:ernet)?(\d+(?:/\d+)+)")
# Rows of the "PFC Statistics" table: cos, qos group, PG, TxPause, TxCount, RxPause, RxCount.
_PAUSE_BOX = re.compile(
    r"\|\s*(?P<cos>[0-7])\s*\|\s*\S+\s*\|\s*\S+\s*\|\s*\w+\s*\|\s*(?P<tx>\d+)\s*\|\s*\w+\s*\|\s*(?P<rx>\d+)\s*\|"
)
_PAUSE_PLAIN = re.compile(
    r"\s*(?P<cos>[0-7])\s+\d\s+\S+\s+(?:Inactive|Active)\s+(?P<tx>\d+)\s+(?:Inactive|Active)\s+(?P<rx>\d+)\s*$"
)
_FEC = {"rs-fec": "rs", "rs-cons16": "rs", "rs-ieee": "rs", "fc-fec": "fc", "off": "none", "fec-off": "none"}


# -- shapes -------------------------------------------------------------------------------------------------------


def _json(text: str) -> dict[str, Any] | None:
    """The object in the output, or None when it is not JSON."""
    start = text.find("{")
    if start < 0 or text[:start].strip():
        return None
    try:
        value = json.loads(text[start:])
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _rows(node: Any, name: str) -> Iterator[dict[str, Any]]:
    """All rows ``ROW_name`` anywhere below ``node``, whether there is one or several."""
    for value in _values(node, f"ROW_{name}"):
        yield from (row for row in (value if isinstance(value, list) else [value]) if isinstance(row, dict))


def _values(node: Any, key: str) -> Iterator[Any]:
    if isinstance(node, list):
        for item in node:
            yield from _values(item, key)
    elif isinstance(node, dict):
        for name, value in node.items():
            if name == key:
                yield value
            else:
                yield from _values(value, key)


def _number(value: Any) -> int | None:
    """``"12"``, ``12``, ``"--"``."""
    text = str(value).strip().replace(",", "")
    return int(text) if re.fullmatch(r"\d+", text) else None


def _get(row: Mapping[str, Any], *names: str) -> Any:
    """The first of several names that a key has had; ``-`` and ``_`` are one."""
    plain = {key.replace("-", "_"): value for key, value in row.items()}
    return next((plain[name] for name in names if plain.get(name) not in (None, "")), None)


def _port_name(text: Any) -> str | None:
    """``Eth1/1`` or ``Ethernet1/1`` -> ``Ethernet1/1``; None for anything else."""
    found = _PORT.fullmatch(str(text).strip())
    return f"Ethernet{found[1]}" if found else None


def _port(facts: Facts, text: Any) -> PortFacts | None:
    name = _port_name(text)
    return None if name is None else facts.ports.setdefault(name, PortFacts())


def speed(text: Any) -> int | None:
    """``400 Gb/s``, ``400000 Mb/s``, ``400G``, ``100000000 Kbit``, ``a-100G`` -> Mb/s; None for ``auto``."""
    found = re.search(r"(\d+(?:\.\d+)?)\s*([KMGT])", str(text), re.IGNORECASE)
    if found:
        factor = {"K": 0.001, "M": 1, "G": 1000, "T": 1000000}[found[2].upper()]
        return int(float(found[1]) * factor) or None
    return _number(text) or None


def bitmap(text: Any) -> tuple[int, ...]:
    """``(9)`` -> (0, 3): a hexadecimal mask of priorities."""
    found = re.search(r"\(?([0-9a-fA-F]+)\)?$", str(text).strip())
    if not found:
        return ()
    mask = int(found[1], 16)
    return tuple(bit for bit in range(8) if mask >> bit & 1)


# -- one function per command ---------------------------------------------------------------------------------------


def version(text: str, facts: Facts) -> None:
    """Release, hardware, host name."""
    data = _json(text) or {}
    facts.hostname = str(data.get("host_name", facts.hostname))
    release = _get(data, "nxos_ver_str", "kickstart_ver_str", "sys_ver_str", "rr_sys_ver")
    facts.release = str(release or facts.release)
    facts.model = data.get("chassis_id") or facts.model


def interfaces(text: str, facts: Facts) -> None:
    """State, speed, MTU, counters."""
    for row in _rows(_json(text), "interface"):
        port = _port(facts, row.get("interface"))
        if port is None:
            continue
        state = str(row.get("state", "")).lower()
        admin = str(row.get("admin_state", "")).lower()
        port.admin_up = admin == "up" if admin else None
        port.oper_up = state == "up"
        port.mtu = _number(row.get("eth_mtu"))
        port.speed = speed(row.get("eth_speed")) if port.oper_up else None
        port.description = row.get("desc") or None
        port.rx_packets = _number(_get(row, "eth_inpkts"))
        port.tx_packets = _number(_get(row, "eth_outpkts"))
        port.rx_bytes = _number(_get(row, "eth_inbytes"))
        port.tx_bytes = _number(_get(row, "eth_outbytes"))
        port.rx_errors = _number(_get(row, "eth_inerr"))
        port.tx_errors = _number(_get(row, "eth_outerr"))
        port.crc_errors = _number(_get(row, "eth_crc"))
        port.rx_discards = _number(_get(row, "eth_indiscard", "eth_in_ifdown_drops"))
        port.tx_discards = _number(_get(row, "eth_outdiscard", "eth_outdisc"))


def fec(text: str, facts: Facts) -> None:
    """``show interface fec``: JSON in newer releases, a table in older ones (name, ifindex, admin, oper, ...)."""
    data = _json(text)
    if data is not None:
        for row in [*_rows(data, "interface"), *_rows(data, "fec_status")]:
            _fec(facts, _get(row, "interface", "intf_name", "if_name"), _get(row, "oper_fec", "fec_oper"))
        return
    header: list[str] = []
    for line in text.splitlines():
        words = line.split()
        if "Oper-fec" in words:
            header = words
        elif header and words and len(words) > header.index("Oper-fec"):
            _fec(facts, words[0], words[header.index("Oper-fec")])


def _fec(facts: Facts, name: Any, value: Any) -> None:
    port = _port(facts, name)
    if port is not None:
        port.fec = _FEC.get(str(value).strip().lower())


def pfc(text: str, facts: Facts) -> None:
    """Mode, operation and bitmap of priorities; totals of pause frames."""
    data = _json(text)
    if data is None:
        for line in text.splitlines():
            found = re.match(
                r"(?P<port>Eth\S+)\s+(?P<admin>Auto|On|Off)\s+(?P<oper>On|Off)\s*(?P<map>\([0-9a-fA-F]+\))?"
                r"\s+(?P<rx>\d+)\s+(?P<tx>\d+)\s*$",
                line.strip(),
            )
            if found:
                _pfc(facts, found["port"], found["admin"], found["oper"], found["map"], found["rx"], found["tx"])
        return
    for row in _rows(data, "pfc_interface"):
        oper = str(_get(row, "oper") or "")
        mask = _get(row, "vl_bmap", "vlbmap", "vl_bitmap")
        if mask is None:
            found = re.search(r"\(([0-9a-fA-F]+)\)", oper)
            mask = found[1] if found else None
        rx, tx = _get(row, "rx_stats", "rxppp"), _get(row, "tx_stats", "txppp")
        _pfc(facts, _get(row, "if_name_str", "interface"), _get(row, "admin", "mode"), oper, mask, rx, tx)


def _pfc(facts: Facts, name: Any, admin: Any, oper: Any, mask: Any, rx: Any, tx: Any) -> None:
    port = _port(facts, name)
    if port is None:
        return
    port.pfc.enabled = str(admin).lower() == "on"
    port.pfc.operational = str(oper).lower().startswith("on")
    port.pfc.priorities = bitmap(mask) if mask and port.pfc.operational else ()
    port.pfc.rx_total, port.pfc.tx_total = _number(rx), _number(tx)


def queuing(text: str, facts: Facts) -> None:
    """Counters per queue and pause frames per priority."""
    data = _json(text)
    if data is None:
        _queuing_text(text, facts)
        return
    for row in _rows(data, "queuing_interface"):
        port = _port(facts, _get(row, "if_name_str", "interface"))
        if port is None:
            continue
        for stats in _rows(row, "qosgrp_egress_stats"):
            number = _queue_number(_get(stats, "eq_qosgrp"))
            if number is None:
                continue
            queue = port.queues.setdefault(number, Queue())
            for entry in _rows(stats, "qosgrp_egress_stats_entry"):
                label = f"{_get(entry, 'eq_stat_type') or ''} {_get(entry, 'eq_stat_units') or ''}"
                counts = [_number(v) for k, v in entry.items() if k.replace("_", "-").endswith("stat-value")]
                _count(queue, label, sum(count for count in counts if count is not None))
        for stats in _rows(row, "pfc_stats"):
            cos = _number(_get(stats, "cos"))
            if cos is not None:
                _pause(port, cos, _get(stats, "rx_pause_count"), _get(stats, "tx_pause_count"))


def _queue_number(value: Any) -> int | None:
    """``3`` and ``QOS GROUP 3``; control and SPAN queues have no number."""
    found = re.fullmatch(r"(?:QOS GROUP )?(\d)", str(value).strip(), re.IGNORECASE)
    return int(found[1]) if found else None


def _count(queue: Queue, label: str, value: int) -> None:
    """One row of a queue's statistics; its name says what it counts."""
    label = label.lower()
    frames = "pkts" in label or "packets" in label
    if "depth" in label:
        queue.depth_bytes = value
    elif "ecn" in label and frames:
        queue.ecn_marked = (queue.ecn_marked or 0) + value
    elif "drop" in label and frames:
        queue.drops = (queue.drops or 0) + value
    elif label.startswith("tx ") and frames:
        queue.tx_packets = value
    elif label.startswith("tx ") and "byt" in label:
        queue.tx_bytes = value


def _pause(port: PortFacts, cos: int, rx: Any, tx: Any) -> None:
    for counts, value in ((port.pfc.rx, _number(rx)), (port.pfc.tx, _number(tx))):
        if value is not None:
            counts[cos] = value


def _queuing_text(text: str, facts: Facts) -> None:
    """The boxed tables of ``show queuing interface``."""
    port: PortFacts | None = None
    queue: Queue | None = None
    for line in text.splitlines():
        head = re.match(r"\s*(?:Egress |Ingress )?Queuing (?:Egress |Ingress )?for (?P<port>Eth\S+)", line)
        group = re.match(r"\|\s*QOS GROUP (\d)\s*\|", line)
        entry = re.match(r"\|\s*(?P<label>[A-Za-z][^|]*?)\s*\|(?P<values>[\d\s|]+)\|\s*$", line)
        pause = _PAUSE_BOX.match(line) or _PAUSE_PLAIN.match(line)
        if head:
            port, queue = _port(facts, head["port"]), None
        elif port is None:
            continue
        elif group:
            queue = port.queues.setdefault(int(group[1]), Queue())
        elif re.match(r"\|\s*(?:CONTROL|SPAN) QOS GROUP", line):
            queue = None
        elif pause:
            _pause(port, int(pause["cos"]), pause["rx"], pause["tx"])
        elif entry and queue is not None:
            _count(queue, entry["label"], sum(int(part) for part in re.findall(r"\d+", entry["values"])))


def watchdog(text: str, facts: Facts) -> None:
    """``show queuing pfc-queue detail``: state of each no-drop queue and how often it was shut and restored."""
    data = _json(text)
    if data is not None:
        _watchdog_rows(data, None, facts)
        return
    port: PortFacts | None = None
    dog: Watchdog | None = None
    for line in text.splitlines():
        name = re.match(r"\|?\s*(Eth\S+)\s+Interface PFC watchdog", line, re.IGNORECASE)
        group = re.match(r"\|\s*QOS GROUP (\d)(?:\s*\[(\S+)\])?", line)
        count = re.match(r"\|\s*(Shutdown|Restored)\s*\|\s*(\d+)\s*\|", line, re.IGNORECASE)
        if name:
            port, dog = _port(facts, name[1]), None
        elif port is not None and group:
            dog = port.watchdog.setdefault(int(group[1]), Watchdog())
            dog.stuck = _stuck(group[2])
        elif dog is not None and count and count[1].lower() == "shutdown":
            dog.detected = int(count[2])
        elif dog is not None and count:
            dog.restored = int(count[2])


def _watchdog_rows(node: Any, port: PortFacts | None, facts: Facts) -> None:
    if isinstance(node, list):
        for item in node:
            _watchdog_rows(item, port, facts)
        return
    if not isinstance(node, dict):
        return
    # Older releases put the heading of the text form into the name: "Ethernet1/1 Interface PFC watchdog: [Enabled]".
    port = _port(facts, str(_get(node, "if_name_str", "interface") or "").partition(" ")[0]) or port
    number = _queue_number(_get(node, "eq_qosgrp"))
    if port is not None and number is not None:
        dog = port.watchdog.setdefault(number, Watchdog())
        dog.stuck = _stuck(_get(node, "eq_qosgrp_state"))
        shut = [_number(value) for value in _values(node, "q-shutdown")]
        restored = [_number(value) for value in _values(node, "q-restored")]
        dog.detected, dog.restored = next(iter(shut), None), next(iter(restored), None)
        return
    for value in node.values():
        _watchdog_rows(value, port, facts)


def _stuck(state: Any) -> bool | None:
    text = str(state or "").lower()
    return None if not text else any(word in text for word in ("shut", "drop", "stuck"))


def neighbors(text: str, facts: Facts) -> None:
    """``show lldp neighbors detail``; text where there is no JSON."""
    data = _json(text)
    found: dict[str, list[Neighbor]] = {}
    if data is not None:
        for row in [*_rows(data, "nbor_detail"), *_rows(data, "nbor")]:
            local = _port_name(_get(row, "l_port_id"))
            device = _get(row, "sys_name", "chassis_id")
            if local and device and _get(row, "port_id"):
                found.setdefault(local, []).append(Neighbor(str(device), str(_get(row, "port_id"))))
    else:
        for entry in re.split(r"(?m)^Chassis id:", text)[1:]:
            words = dict(re.findall(r"(?m)^(Local Port id|Port id|System Name): ?(.*?)\s*$", entry))
            local = _port_name(words.get("Local Port id", ""))
            if local and words.get("System Name"):
                found.setdefault(local, []).append(Neighbor(words["System Name"], words.get("Port id", "")))
    for name, heard in found.items():
        if name in facts.ports:
            facts.ports[name].neighbors = tuple(heard)


def bgp(text: str, facts: Facts) -> None:
    """Sessions of the default VRF. A session without addresses bears the name of its port."""
    for vrf in _rows(_json(text), "vrf"):
        if str(_get(vrf, "vrf_name_out") or "default") != "default":
            continue
        for row in _rows(vrf, "neighbor"):
            name = str(_get(row, "neighborid", "neighbor_id") or "").partition("%")[0]
            state = str(_get(row, "state") or "")
            asn = _get(row, "neighboras", "neighbor_as")
            if name:
                facts.bgp[_port_name(name) or name] = BgpPeer(
                    established=state.lower().startswith("estab"),
                    asn=int(asplain(str(asn))) if asn else None,
                    received=_number(_get(row, "prefixreceived", "prefix_received")),
                )


def routes(text: str, facts: Facts) -> None:
    """Prefixes learned by BGP in the default VRF, and over how many next hops they are reached."""
    for vrf in _rows(_json(text), "vrf"):
        if str(_get(vrf, "vrf_name_out") or "default") != "default":
            continue
        for row in _rows(vrf, "prefix"):
            hops = [
                hop
                for hop in _rows(row, "path")
                if str(_get(hop, "clientname") or "").startswith("bgp") and str(_get(hop, "ubest") or "true") != "false"
            ]
            if hops and _get(row, "ipprefix"):
                facts.paths[str(_get(row, "ipprefix"))] = len(hops)


def port_channels(text: str, facts: Facts) -> None:
    """``show port-channel summary``: U is up; P is a member in the bundle."""
    for row in _rows(_json(text), "channel"):
        number = _number(_get(row, "group"))
        if number is None:
            continue
        members = {
            port: str(_get(member, "port_status") or "").upper() == "P"
            for member in _rows(row, "member")
            if (port := _port_name(_get(member, "port")))
        }
        up = str(_get(row, "status") or "").upper() == "U"
        facts.bonds[number] = BondFacts(up, members, lacp=str(_get(row, "prtcl") or "").upper() == "LACP")


def vpc(text: str, facts: Facts) -> None:
    """``show vpc``: domain, the other switch, role, the peer link, and each vPC."""
    data = _json(text)
    if data is None or not _number(_get(data, "vpc_domain_id")):
        return
    role = str(_get(data, "vpc_role") or "")
    peer_up = str(_get(data, "vpc_peer_status")) == "peer-ok"
    links = [str(_get(row, "peer_link_port_state")) == "1" for row in _rows(data, "peerlink")]
    facts.pair = PairFacts(
        domain=str(_get(data, "vpc_domain_id")),
        peer_up=peer_up,
        # "secondary, operational primary" is what it does now
        primary=role.split()[-1] == "primary" if role.startswith(("primary", "secondary")) else None,
        peer_link_up=links[0] if links else None,
    )
    for row in _rows(data, "vpc"):
        number = _number(_get(row, "vpc_id"))
        if number is not None:
            facts.pair.bonds[number] = peer_up and str(_get(row, "vpc_port_state")) == "1"


# In the order in which they are asked; interfaces come first, the others add to them.
PARSERS: dict[str, Callable[[str, Facts], None]] = {
    "show version | json": version,
    "show interface | json": interfaces,
    "show interface fec": fec,
    "show interface priority-flow-control | json": pfc,
    "show queuing interface | json": queuing,
    "show queuing pfc-queue detail | json": watchdog,
    "show lldp neighbors detail | json": neighbors,
}
ROUTING: dict[str, Callable[[str, Facts], None]] = {
    "show bgp ipv4 unicast summary | json": bgp,
    "show ip route bgp | json": routes,
}
BUNDLES: dict[str, Callable[[str, Facts], None]] = {"show port-channel summary | json": port_channels}
PAIR: dict[str, Callable[[str, Facts], None]] = {"show vpc | json": vpc}
EVERYTHING = {**PARSERS, **ROUTING, **BUNDLES, **PAIR}


def reload_pending(text: str, facts: Facts) -> None:
    """Numbered lines between two rules; a sentence when there are none."""
    rows = re.findall(r"(?m)^\d+\s+(\S.*?)\s*$", text)
    if rows or re.search(r"(?i)\bno\b.*\bpending\b|^\s*$", text):
        facts.reload_pending = tuple(rows)


def parsers(model: Switch) -> dict[str, Callable[[str, Facts], None]]:
    """What is asked of this switch."""
    return {
        **PARSERS,
        **(ROUTING if model.underlay else {}),
        **(
            {"show system config reload-pending": reload_pending}
            if model.underlay and model.underlay.adaptive_routing
            else {}
        ),
        **(BUNDLES if model.bonds or model.peer_link else {}),
        **(PAIR if model.peer_link else {}),
    }


def commands(model: Switch) -> tuple[str, ...]:
    """The show commands, in the order in which they are sent."""
    return tuple(parsers(model))


# -- what only the configuration tells --------------------------------------------------------------------------------


def configured(config: list[Line], facts: Facts, model: Switch) -> None:
    """Mode, VLANs, addresses and trust of ports; the DSCP map in force on the ports of the fabric."""
    layer3 = any(line.text == "no system default switchport" for line in config)
    policies = {line.text.split()[-1]: line for line in config if line.text.startswith("policy-map ")}
    maps = {line.text.split()[-1]: line for line in config if line.text.startswith("class-map ")}
    channels = {line.text: line for line in config if line.text.startswith("interface port-channel")}
    in_force: dict[str, dict[int, int]] = {}
    for line in config:
        name = line.text.removeprefix("interface ")
        if name == line.text or name not in facts.ports:
            continue
        port = facts.ports[name]
        _layer(port, [child.text for child in line.children], layer3)
        bundle = next((c.text.split()[1] for c in line.children if c.text.startswith("channel-group ")), "")
        holder = channels.get(f"interface port-channel{bundle}", line)  # policies are on the bundle
        policy = next(
            (c.text.split()[4] for c in holder.children if c.text.startswith("service-policy type qos input ")), ""
        )
        matches = list(_matches(policies.get(policy), maps))
        kinds = {kind for kind, _, _ in matches}
        port.trust = {frozenset(): "none", frozenset({"dscp"}): "dscp", frozenset({"cos"}): "cos"}.get(
            frozenset(kinds), "both"
        )
        in_force[name] = {value: group for kind, value, group in matches if kind == "dscp"}
    priority_of = {cls.queue: cls.priority for cls in model.roce.classes}
    for port in model.ports:
        if port.lossless and in_force.get(port.name):
            facts.dscp_to_priority = {d: priority_of.get(g, g) for d, g in sorted(in_force[port.name].items())}
            break


def _layer(port: PortFacts, lines: list[str], layer3: bool) -> None:
    def last(prefix: str) -> str | None:
        return next((text.removeprefix(prefix) for text in reversed(lines) if text.startswith(prefix)), None)

    if "no switchport" in lines or (layer3 and "switchport" not in lines):
        port.mode = "routed"
        port.addresses = tuple(t.split()[2] for t in lines if re.match(r"ip address \d", t))
    elif last("switchport mode ") == "trunk":
        port.mode = "trunk"
        port.native_vlan = int(last("switchport trunk native vlan ") or 1)
        allowed = [
            re.sub(r"^.* vlan (?:add )?", "", t) for t in lines if t.startswith("switchport trunk allowed vlan ")
        ]
        port.vlans = tuple(sorted({n for part in allowed for n in expand_ids(part)})) or tuple(range(1, 4095))
    else:
        port.mode = "access"
        port.vlan = int(last("switchport access vlan ") or 1)


def _matches(policy: Line | None, maps: Mapping[str, Line]) -> Iterator[tuple[str, int, int]]:
    """(dscp or cos, value, qos-group) of a policy of type qos; earlier classes win."""
    seen = set()
    for cls in policy.children if policy else ():
        group = next((int(c.text.split()[-1]) for c in cls.children if c.text.startswith("set qos-group ")), 0)
        for child in maps[cls.text.split()[-1]].children if cls.text.split()[-1] in maps else ():
            if not re.match(r"match (?:ip )?(?:dscp|cos) ", child.text):
                continue
            for single in single_matches(child.text):
                kind, value = single.split()[1], int(single.split()[2])
                if (kind, value) not in seen:
                    seen.add((kind, value))
                    yield kind, value, group


def assemble(outputs: Mapping[str, str], config: list[Line], model: Switch) -> Facts:
    """Facts of a switch from the outputs of :func:`commands` and its configuration."""
    facts = Facts(hostname="", platform="nxos", release="")
    for command, parse in parsers(model).items():
        parse(outputs.get(command, ""), facts)
    if not facts.hostname:
        facts.hostname = next((line.text.split()[1] for line in config if line.text.startswith("hostname ")), "")
    if not facts.release:
        facts.release = next((line.text.split()[1] for line in config if line.text.startswith("version ")), "")
    configured(config, facts, model)
    return facts
