# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operational state of an EOS switch: one batch of show commands, one reader per command.

A reader adds what it knows to the facts and leaves the rest alone. A command that a release or an ASIC does not have
is no error: what only it tells stays None.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.asics import asic
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.routing import plain_asn
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import Unreadable
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

if TYPE_CHECKING:
    from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import Session

SLOW = 60.0  # seconds; counters of a full chassis take a while


class _Ports(dict[str, PortFacts]):
    """Ports by name, made on demand; management, VLAN and other logical interfaces are not kept."""

    def named(self, data: dict[str, Any]) -> Iterator[tuple[PortFacts, Any]]:
        for name, value in data.items():
            if name.startswith("Ethernet") and "." not in name:
                yield self.setdefault(name, PortFacts()), value


# -- JSON -----------------------------------------------------------------------------------------------------------
def version(facts: Facts, data: dict[str, Any]) -> None:
    """show version"""
    facts.release = str(data.get("version", "")).split("-")[0]
    facts.model = data.get("modelName")


def hostname(facts: Facts, data: dict[str, Any]) -> None:
    """show hostname"""
    facts.hostname = data.get("hostname", facts.hostname)


def interfaces(facts: Facts, data: dict[str, Any]) -> None:
    """show interfaces"""
    for port, entry in _ports(facts).named(data.get("interfaces", {})):
        port.admin_up = entry.get("interfaceStatus") not in ("disabled", "errdisabled")
        port.oper_up = entry.get("lineProtocolStatus") == "up"
        port.speed = _megabits(entry.get("bandwidth"))
        port.mtu = entry.get("mtu")
        port.description = entry.get("description") or None
        if entry.get("forwardingModel") == "routed":
            port.mode = "routed"
        port.addresses = tuple(_addresses(entry.get("interfaceAddress")))
        counters = entry.get("interfaceCounters", {})
        port.rx_packets, port.tx_packets = _packets(counters, "in"), _packets(counters, "out")
        port.rx_bytes, port.tx_bytes = counters.get("inOctets"), counters.get("outOctets")
        port.rx_errors = counters.get("totalInErrors", counters.get("inErrors"))
        port.tx_errors = counters.get("totalOutErrors", counters.get("outErrors"))
        port.crc_errors = counters.get("inputErrorsDetail", {}).get("fcsErrors")
        port.rx_discards, port.tx_discards = counters.get("inDiscards"), counters.get("outDiscards")


def interfaces_status(facts: Facts, data: dict[str, Any]) -> None:
    """show interfaces status"""
    for port, entry in _ports(facts).named(data.get("interfaceStatuses", {})):
        port.admin_up = entry.get("linkStatus") not in ("disabled", "errdisabled")
        port.oper_up = entry.get("lineProtocolStatus", "up") == "up" and entry.get("linkStatus") == "connected"
        port.speed = _megabits(entry.get("bandwidth"))
        port.description = entry.get("description") or None
        vlan = entry.get("vlanInformation", {})
        mode = {"bridged": "access", "trunk": "trunk", "routed": "routed"}.get(vlan.get("interfaceMode"))
        port.mode = mode or port.mode
        port.vlan = vlan.get("vlanId") if mode == "access" else None


def switchport(facts: Facts, data: dict[str, Any]) -> None:
    """show interfaces switchport"""
    for port, entry in _ports(facts).named(data.get("switchports", {})):
        if not entry.get("enabled", True):
            continue
        info = entry.get("switchportInfo", {})
        port.mode = info.get("mode")
        if port.mode == "access":
            port.vlan = info.get("accessVlanId")
        elif port.mode == "trunk":
            port.vlan = None
            port.native_vlan = info.get("trunkingNativeVlanId")
            port.vlans = _vlans(info.get("trunkAllowedVlans", ""))


def errors(facts: Facts, data: dict[str, Any]) -> None:
    """show interfaces counters errors"""
    for port, entry in _ports(facts).named(data.get("interfaceErrorCounters", {})):
        port.rx_errors, port.tx_errors = entry.get("inErrors"), entry.get("outErrors")
        port.crc_errors = entry.get("fcsErrors")


def discards(facts: Facts, data: dict[str, Any]) -> None:
    """show interfaces counters discards"""
    for port, entry in _ports(facts).named(data.get("interfaces", {})):
        port.rx_discards, port.tx_discards = entry.get("inDiscards"), entry.get("outDiscards")


def pfc_counters(facts: Facts, data: dict[str, Any]) -> None:
    """show priority-flow-control counters: totals per port, EOS does not split them by priority"""
    for port, entry in _ports(facts).named(data.get("interfaceCounters", {})):
        port.pfc.rx_total, port.pfc.tx_total = entry.get("rxFrames", 0), entry.get("txFrames", 0)


def watchdog(facts: Facts, data: dict[str, Any]) -> None:
    """show priority-flow-control counters watchdog: a queue that is not in the answer had no event"""
    for port, entry in _ports(facts).named(data.get("interfaces", {})):
        for name, counts in entry.get("txQueues", {}).items():
            number = _number(name)
            if number is not None:
                port.watchdog[number] = Watchdog(None, counts.get("stuckCount", 0), counts.get("recoveryCount", 0))


def ecn_counters(facts: Facts, data: dict[str, Any]) -> None:
    """show qos interfaces ecn counters queue: strings, "-" where the queue is not counted"""
    for port, entry in _ports(facts).named(data.get("intfQueueCounters", {})):
        for name, value in entry.get("queueCounters", {}).items():
            number = _number(name)
            if number is not None and str(value).isdigit():
                port.queues.setdefault(number, Queue()).ecn_marked = int(value)


def queue_drops(facts: Facts, data: dict[str, Any]) -> None:
    """show interfaces counters queue drops, of switches with virtual output queues"""
    for port, entry in _ports(facts).named(data.get("interfaces", {})):
        for name, counters in entry.get("trafficClasses", {}).items():
            number = _number(name)
            if number is not None:
                sides = [counters.get(side, {}).get("countersSum", {}) for side in _VOQ]
                queue = port.queues.setdefault(number, Queue())
                queue.drops = _total(sides, "droppedPackets")
                queue.tx_packets = sides[1].get("enqueuedPackets", queue.tx_packets)
                queue.tx_bytes = sides[1].get("enqueuedBytes", queue.tx_bytes)


def queue_detail(facts: Facts, data: dict[str, Any]) -> None:
    """show interfaces counters queue detail, of switches with unicast and multicast queues"""
    for port, entry in _ports(facts).named(data.get("egressQueueCounters", {}).get("interfaces", {})):
        for name, counters in entry.get("ucastQueues", {}).get("trafficClasses", {}).items():
            number = _number(name)
            if number is not None:
                levels = list(counters.get("dropPrecedences", {}).values())
                queue = port.queues.setdefault(number, Queue())
                queue.drops = _total(levels, "droppedPackets")
                queue.tx_packets = _total(levels, "enqueuedPackets")
                queue.tx_bytes = _total(levels, "enqueuedBytes")


def lldp(facts: Facts, data: dict[str, Any]) -> None:
    """show lldp neighbors"""
    for entry in data.get("lldpNeighbors", []):
        for port, _ in _ports(facts).named({entry.get("port", ""): None}):
            port.neighbors += (Neighbor(entry.get("neighborDevice", ""), entry.get("neighborPort", "")),)


# -- routing, bonds, the pair; asked for only when the model has them ------------------------------------------------
def bgp(facts: Facts, data: dict[str, Any]) -> None:
    """show ip bgp summary: a neighbour without address is listed as fe80::1%Et49/1"""
    for name, entry in _default_vrf(data).get("peers", {}).items():
        address, _, port = name.partition("%")
        asn = str(entry.get("asn", ""))
        facts.bgp[_long(port) or address] = BgpPeer(
            established=entry.get("peerState") == "Established",
            asn=int(plain_asn(asn)) if asn else None,
            received=entry.get("prefixAccepted", entry.get("prefixReceived")),
        )


def routes(facts: Facts, data: dict[str, Any]) -> None:
    """show ip route bgp"""
    for prefix, entry in _default_vrf(data).get("routes", {}).items():
        facts.paths[prefix] = len(entry.get("vias", []))


def port_channels(facts: Facts, data: dict[str, Any]) -> None:
    """show port-channel detailed"""
    for name, entry in data.get("portChannels", {}).items():
        active, inactive = entry.get("activePorts", {}), entry.get("inactivePorts", {})
        protocols = {port.get("protocol") for port in (*active.values(), *inactive.values())} - {None}
        facts.bonds[int(name.removeprefix("Port-Channel"))] = BondFacts(
            up=bool(active),
            members={port: port in active for port in sorted((*active, *inactive))},
            lacp="lacp" in protocols if protocols else None,
        )


def mlag(facts: Facts, data: dict[str, Any]) -> None:
    """show mlag detail"""
    if not data.get("domainId"):
        return
    state = data.get("detail", {}).get("mlagState")
    pair = _pair(facts)
    pair.domain = data["domainId"]
    pair.peer_up = data.get("state") == "active" and data.get("negStatus") == "connected"
    pair.primary = {"primary": True, "secondary": False}.get(state)
    pair.peer_link_up = data.get("peerLinkStatus") == "up"


def mlag_interfaces(facts: Facts, data: dict[str, Any]) -> None:
    """show mlag interfaces"""
    for number, entry in data.get("interfaces", {}).items():
        _pair(facts).bonds[int(number)] = entry.get("status") == "active-full"


def _pair(facts: Facts) -> PairFacts:
    facts.pair = facts.pair or PairFacts()
    return facts.pair


def _default_vrf(data: dict[str, Any]) -> dict[str, Any]:
    return data.get("vrfs", {}).get("default", {})


# -- text -----------------------------------------------------------------------------------------------------------
def pfc_status(facts: Facts, text: str) -> None:
    """show priority-flow-control: ``Port Enabled Priorities Active Note``"""
    row = re.compile(r"^(E[a-z]+[\d/]+)\s+(Yes|No)\s+([\d ,-]*?)\s*(Yes|No)\b", re.MULTILINE)
    for name, enabled, priorities, active in row.findall(text):
        for port, _ in _ports(facts).named({_long(name): None}):
            port.pfc.enabled, port.pfc.operational = enabled == "Yes", active == "Yes"
            port.pfc.priorities = tuple(sorted({int(p) for p in re.findall(r"\d", priorities)}))


def pfc_counters_text(facts: Facts, text: str) -> None:
    """show priority-flow-control counters, of releases that have no JSON for it: ``Port RxPfc TxPfc``"""
    for name, rx, tx in re.findall(r"^(E[a-z]+[\d/]+)\s+(\d+)\s+(\d+)\s*$", text, re.MULTILINE):
        for port, _ in _ports(facts).named({_long(name): None}):
            port.pfc.rx_total, port.pfc.tx_total = int(rx), int(tx)


def trust(facts: Facts, text: str) -> None:
    """show qos interfaces trust: ``Port Operational Configured``"""
    for name, mode in re.findall(r"^(E[a-z]+[\d/]+)\s+(\w+)\s+\w+", text, re.MULTILINE):
        for port, _ in _ports(facts).named({_long(name): None}):
            port.trust = {"DSCP": "dscp", "COS": "cos"}.get(mode.upper(), "none")


def qos_maps(facts: Facts, text: str) -> None:
    """show qos maps: the DSCP table has the tens in rows (d1) and the units in columns (d2)"""
    found = re.search(r"^\s*Dscp-tc map:\s*$(.*?)(?:\n\s*\n|\Z)", text, re.MULTILINE | re.DOTALL | re.IGNORECASE)
    for tens, row in re.findall(r"^\s*([0-6])\s*:\s*((?:\d\s*)+)$", found[1] if found else "", re.MULTILINE):
        for units, value in enumerate(row.split()):
            facts.dscp_to_priority[int(tens) * 10 + units] = int(value)


# -- small things ---------------------------------------------------------------------------------------------------
_VOQ = ("ingressVoqCounters", "egressQueueCounters")


def _ports(facts: Facts) -> _Ports:
    if not isinstance(facts.ports, _Ports):
        facts.ports = _Ports(facts.ports)
    return facts.ports


def _long(name: str) -> str:
    """Et1/1 -> Ethernet1/1"""
    return re.sub(r"^Et(?:h|hernet)?(?=\d)", "Ethernet", name)


def _number(name: str) -> int | None:
    """The queue in "3", "TC3" or "UC3"; None for ranges and multicast."""
    found = re.fullmatch(r"(?:TC|UC)?(\d)", name)
    return int(found[1]) if found else None


def _megabits(bandwidth: int | None) -> int | None:
    return bandwidth // 1_000_000 if bandwidth else None


def _packets(counters: dict[str, Any], way: str) -> int | None:
    keys = [f"{way}{kind}Pkts" for kind in ("Ucast", "Multicast", "Broadcast")]
    if all(key not in counters for key in keys):
        return counters.get(f"{way}TotalPkts")
    return sum(counters.get(key, 0) for key in keys)


def _total(parts: list[dict[str, Any]], key: str) -> int | None:
    values = [part[key] for part in parts if key in part]
    return sum(values) if values else None


def _vlans(text: str) -> tuple[int, ...]:
    if text.upper() in ("ALL", "NONE", ""):
        return tuple(range(1, 4095)) if text.upper() == "ALL" else ()
    parts = [part.partition("-") for part in text.split(",")]
    return tuple(v for first, _, last in parts for v in range(int(first), int(last or first) + 1))


def _addresses(blocks: Any) -> Iterator[str]:
    for block in blocks if isinstance(blocks, list) else [blocks or {}]:
        for ip in [block.get("primaryIp") or {}, *(block.get("secondaryIpsOrderedList") or [])]:
            if ip.get("address", "0.0.0.0") != "0.0.0.0":
                yield f"{ip['address']}/{ip['maskLen']}"


# -- the batch ------------------------------------------------------------------------------------------------------
Reader = Callable[[Facts, Any], None]
JSON: tuple[tuple[str, Reader], ...] = (
    ("show version", version),
    ("show hostname", hostname),
    ("show interfaces", interfaces),
    ("show interfaces status", interfaces_status),
    ("show interfaces switchport", switchport),
    ("show interfaces counters errors", errors),
    ("show interfaces counters discards", discards),
    ("show priority-flow-control counters", pfc_counters),
    ("show priority-flow-control counters watchdog", watchdog),
    ("show qos interfaces ecn counters queue", ecn_counters),
    ("show lldp neighbors", lldp),
)
TEXT: tuple[tuple[str, Reader], ...] = (
    ("show priority-flow-control", pfc_status),
    ("show qos interfaces trust", trust),
    ("show qos maps", qos_maps),
)
UNDERLAY: tuple[tuple[str, Reader], ...] = (("show ip bgp summary", bgp), ("show ip route bgp", routes))
BONDS: tuple[tuple[str, Reader], ...] = (("show port-channel detailed", port_channels),)
PAIR: tuple[tuple[str, Reader], ...] = (("show mlag detail", mlag), ("show mlag interfaces", mlag_interfaces))
REQUIRED = {version, interfaces}
QUEUES: dict[str, tuple[str, Reader]] = {
    "tx-queue": ("show interfaces counters queue drops", queue_drops),
    "uc-tx-queue": ("show interfaces counters queue detail", queue_detail),
}
TEXT_INSTEAD: dict[Reader, Reader] = {pfc_counters: pfc_counters_text}


def gather(session: Session, model: Switch) -> Facts:
    """All facts of one switch."""
    facts = Facts(hostname=model.name, platform="eos", release="", reload_pending=())
    commands = [*JSON, QUEUES[asic(model.asic).queue]]
    commands += UNDERLAY if model.underlay else ()
    commands += BONDS if model.bonds or model.peer_link else ()
    commands += PAIR if model.peer_link else ()
    for command, reader in commands:
        _read_json(session, facts, command, reader)
    for command, reader in TEXT:
        answer = _ask(session, command)
        if answer is not None:
            reader(facts, answer)
    _classes_to_queues(facts, model)
    return facts


def _ask(session: Session, command: str) -> str | None:
    """The answer, or None when the switch does not know the command."""
    answer = session.send(command, timeout=SLOW, check=False)
    return None if re.match(r"\s*% ?\S", answer) else answer


def _read_json(session: Session, facts: Facts, command: str, reader: Reader) -> None:
    answer = _ask(session, f"{command} | json")
    try:
        data = json.loads(answer or "")
    except ValueError:
        data = None
    if isinstance(data, dict) and not data.get("errors"):
        reader(facts, data)
    elif reader in REQUIRED:
        found = (answer or "an error").strip()[:80]
        raise Unreadable(f"{session.target.where}: {command!r} did not answer with JSON but with {found!r}")
    elif reader in TEXT_INSTEAD:
        text = _ask(session, command)
        if text is not None:
            TEXT_INSTEAD[reader](facts, text)


def _classes_to_queues(facts: Facts, model: Switch) -> None:
    """Watchdog counters name only queues that had an event: the others of the lossless classes had none."""
    queues = [c.queue for c in model.roce.classes if c.lossless]
    if not model.roce.pfc_watchdog.enabled:
        return
    for port in facts.ports.values():
        if port.pfc.enabled:
            for queue in queues:
                port.watchdog.setdefault(queue, Watchdog(None, 0, 0))
    facts.ports = dict(facts.ports)
