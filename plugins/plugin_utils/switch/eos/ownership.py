# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which lines of an EOS configuration belong to the model: tables of :class:`Own` rules. see docs/platforms/eos.md.

``no X`` returns a setting to its default, except where ``no X`` is itself a value (``no qos trust``,
``no error-correction encoding``, ``no switchport``): there ``default X`` or the positive default is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.reserved import (
    retired_bonds,
    retired_gateways,
    retired_vlans,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.ownership import Groups, Own
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos import routing
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.asics import asic
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.bundles import PEER_VLAN, bundles
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.filters import ranges


# -- normal forms ---------------------------------------------------------------------------------------------------
def expand(text: str) -> list[int]:
    """ "1-3,7 9" -> [1, 2, 3, 7, 9]."""
    values: list[int] = []
    for part in re.split(r"[,\s]+", text.strip()):
        first, _, last = part.partition("-")
        values += range(int(first), int(last or first) + 1)
    return values


def _one_by_one(line: str) -> list[str]:
    """``qos map dscp 8 9 10 to traffic-class 1``, which EOS groups, as one line per value."""
    head, values, tail = re.fullmatch(r"(qos map \S+ )([\d ,-]+?)( to .*)", line).groups()  # type: ignore[union-attr]
    return [f"{head}{value}{tail}" for value in expand(values)]


def _plain_number(line: str) -> list[str]:
    """``timeout 0.20`` as ``timeout 0.2``."""
    head, _, last = line.rpartition(" ")
    try:
        return [f"{head} {Decimal(last).normalize():f}"]
    except InvalidOperation:
        return [line]


def _sub(pattern: str, replacement: str) -> Callable[[str], Sequence[str]]:
    return lambda line: [re.sub(pattern, replacement, line)]


def _vlan_list(line: str) -> list[str]:
    head, _, values = line.rpartition(" ")
    return [f"{head} {ranges(expand(values))}" if re.fullmatch(r"[\d,-]+", values) else line]


# Two spellings of one speed, by release; the one on the right is taken by all of them.
_SPEEDS = {
    "10gfull": "forced 10000full",
    "10000full": "forced 10000full",
    "25gfull": "forced 25gfull",
    "40gfull": "forced 40gfull",
    "40g-4": "forced 40gfull",
    "50gfull": "forced 50gfull",
    "50g-2": "forced 50gfull",
    "100gfull": "forced 100gfull",
    "100g-4": "forced 100gfull",
}


def _speed(line: str) -> list[str]:
    value = line.removeprefix("speed ")
    return [f"speed {_SPEEDS.get(value, value)}"]


# -- defaults -------------------------------------------------------------------------------------------------------
def _default_class(value: int) -> int:
    """EOS' own map swaps the two lowest classes: CoS 0 (DSCP 0-7) is class 1, CoS 1 (DSCP 8-15) is class 0."""
    return {0: 1, 1: 0}.get(value, value)


def _dscp_default(groups: Groups) -> str:
    value = int(groups["value"])
    return f"qos map dscp {value} to traffic-class {_default_class(value // 8)}"


def _cos_default(groups: Groups) -> str:
    value = int(groups["value"])
    return f"qos map cos {value} to traffic-class {_default_class(value)}"


def _queue_default(groups: Groups) -> str:
    return f"qos map traffic-class {groups['value']} to tx-queue {groups['value']}"


def _undo(groups: Groups) -> str:
    """Removal of a line that no other rule knows."""
    line = groups["line"]
    return f"default {line[3:]}" if line.startswith("no ") else f"no {line}"


# -- an egress queue, in a profile or on a port ---------------------------------------------------------------------
def _queue(priority: Own) -> tuple[Own, ...]:
    return (
        priority,
        Own(r"bandwidth percent \d+.*", "qos", "bandwidth percent", "no bandwidth percent"),
        Own(r"bandwidth guaranteed .+", "qos", "bandwidth guaranteed", "no bandwidth guaranteed"),
        Own(r"shape rate .+", "qos", "shape rate", "no shape rate"),
        Own(
            r"random-detect ecn minimum-threshold .+",
            "qos",
            "random-detect ecn",
            "no random-detect ecn minimum-threshold",
            normalise=_sub(r" weight 0$", ""),
        ),
        Own(r"random-detect ecn count", "qos"),
        Own(r"no (?:bandwidth|shape|random-detect) .+", "qos", default="{line}"),  # of show running-config all
        Own(r".+", "qos", remove=_undo),
    )


QUEUE = r"(?P<queue>(?:uc-|mc-)?tx-queue \d+)"
# A queue without ``no priority`` is strict; EOS need not print it.
STRICT = Own(r"no priority|priority strict", "qos", "priority", "priority strict", default="priority strict")
QUEUE_RULE = Own(QUEUE, "qos", "{queue}", children=_queue(STRICT))
PORT_QUEUE = _queue(Own(r"no priority|priority strict", "qos", "priority", "default priority"))

# -- priority flow control, in a profile or on a port ---------------------------------------------------------------
PFC = (
    Own(r"priority-flow-control on", "qos", remove="no priority-flow-control", disruption="pfc"),
    Own(
        r"priority-flow-control priority (?P<value>\d) (?:no-drop|drop)",
        "qos",
        "priority-flow-control priority {value}",
        "no priority-flow-control priority {value}",
        disruption="pfc",
    ),
    Own(
        r"priority-flow-control pause watchdog port (?P<what>action|timer) .+",
        "qos",
        "priority-flow-control pause watchdog port {what}",
        "no priority-flow-control pause watchdog port {what}",
    ),
)

PROFILE = (
    Own(r"(?:no )?qos trust.*", "qos", "qos trust", "default qos trust"),
    *PFC,
    # On, off, or unsaid: then the port decides, which has it on.
    Own(
        r"(?:no )?priority-flow-control pause watchdog",
        "qos",
        "watchdog",
        "default priority-flow-control pause watchdog",
    ),
    QUEUE_RULE,
    Own(r".+", "qos", remove=_undo),
)

# -- a port ---------------------------------------------------------------------------------------------------------
PORT = (
    Own(r"description .+", "ports", "description", "no description"),
    Own(r"(?:no )?shutdown", "ports", "shutdown", "no shutdown", default="no shutdown", disruption="port-state"),
    Own(r"mtu \d+", "ports", "mtu", "no mtu", default="mtu 1500"),
    Own(r"l2 mtu \d+", "ports", "l2 mtu", "no l2 mtu"),
    Own(
        r"(?:no )?flowcontrol (?P<way>send|receive).*",
        "ports",
        "flowcontrol {way}",
        "no flowcontrol {way}",
        default="no flowcontrol {way}",
        normalise=_sub(r"^flowcontrol (\S+) off$", r"no flowcontrol \1"),
        disruption="link-pause",
    ),
    Own(
        r"speed .+",
        "ports",
        "speed",
        "default speed",
        default="speed auto",
        normalise=_speed,
        disruption="port-speed",
    ),
    # `no error-correction encoding CODE` is a setting of its own, so there is only one way back: the default of both.
    Own(
        r"(?:no )?error-correction encoding.*",
        "ports",
        "error-correction encoding",
        "default error-correction encoding",
        overwrite=False,
        disruption="port-fec",
    ),
    Own(r"(?:no )?switchport", "ports", "switchport", "switchport", disruption="port-mode"),
    Own(
        r"switchport mode .+",
        "ports",
        "switchport mode",
        "no switchport mode",
        default="switchport mode access",
        disruption="port-mode",
    ),
    Own(
        r"switchport access vlan .+",
        "ports",
        "switchport access vlan",
        "no switchport access vlan",
        default="switchport access vlan 1",
        disruption="port-vlan",
    ),
    Own(
        r"switchport trunk native vlan .+",
        "ports",
        "switchport trunk native vlan",
        "no switchport trunk native vlan",
        default="switchport trunk native vlan 1",
        disruption="port-vlan",
    ),
    Own(
        r"switchport trunk allowed vlan .+",
        "ports",
        "switchport trunk allowed vlan",
        "no switchport trunk allowed vlan",
        default="switchport trunk allowed vlan 1-4094",
        normalise=_vlan_list,
        disruption="port-vlan",
    ),
    Own(r"service-profile \S+", "ports", "service-profile", "no service-profile", disruption="pfc"),
    # What a port says itself wins over its profile.
    Own(r"(?:no )?qos trust.*", "qos", "qos trust", "default qos trust"),
    Own(r"qos (?P<what>cos|dscp) \d+", "qos", "qos {what}", "no qos {what}", default="qos {what} 0"),
    Own(r"service-policy type qos input \S+", "qos", "service-policy type qos input"),
    Own(r"shape rate .+", "qos", "shape rate", "no shape rate"),
    *PFC,
    Own(
        r"(?:no )?priority-flow-control pause watchdog",
        "qos",
        "watchdog",
        "priority-flow-control pause watchdog",
        default="priority-flow-control pause watchdog",
    ),
    Own(QUEUE, "qos", "{queue}", children=PORT_QUEUE),
    Own(r"(?:no )?lldp (?P<way>transmit|receive)", "lldp", "lldp {way}", "lldp {way}", default="lldp {way}"),
)

ADDRESS = (
    Own(r"ip address \S+ secondary", "ports", remove_early=True, disruption="port-address"),
    Own(r"ip address .+", "ports", "ip address", "no ip address", disruption="port-address"),
)

# What a port has of the bond, the pair and the underlay that it is in.
MEMBER = (
    Own(
        r"channel-group \d+ mode \S+",
        "bonds",
        "channel-group",
        "no channel-group",
        disruption="bond-member",
    ),
    Own(
        r"lacp (?:timer|rate) \S+",
        "bonds",
        "lacp timer",
        "no lacp timer",
        default="lacp timer normal",
        normalise=_sub(r" rate ", " timer "),
        disruption="bond-member",
    ),
)
BFD = (
    Own(
        r"bfd interval .+",
        "underlay",
        "bfd interval",
        "no bfd interval",
        normalise=_sub(r"min_rx", "min-rx"),
        disruption="bgp-session",
    ),
)
LINK_LOCAL = (Own(r"ipv6 enable", "underlay", disruption="bgp-session"),)

# -- port channels and the pair -------------------------------------------------------------------------------------
# A port channel says what its ports would say, less what belongs to a cable.
_OF_A_CABLE = ("speed", "error-correction encoding", "lldp {way}")
_OF_A_PORT = tuple(
    replace(rule, concern="bonds" if rule.concern == "ports" else rule.concern)
    for rule in (*PORT, *ADDRESS)
    if rule.key not in _OF_A_CABLE
)
BUNDLE = (
    *_OF_A_PORT,
    Own(r"mlag \d+", "bonds", "mlag", "no mlag", disruption="bond"),
)
TRUNK_GROUP = Own(r"switchport trunk group \S+", "bonds", disruption="mlag")
_PEER_SVI = (
    Own(r"(?:no )?autostate", "bonds", "autostate", "autostate", default="autostate"),
    Own(r"(?:no )?shutdown", "bonds", "shutdown", "no shutdown", default="no shutdown", disruption="mlag"),
    Own(r"mtu \d+", "bonds", "mtu", "no mtu", default="mtu 1500"),
    Own(r"ip address .+", "bonds", "ip address", "no ip address", disruption="mlag"),
)
_MLAG = (
    Own(r"domain-id .+", "bonds", "domain-id", "no domain-id", disruption="mlag"),
    Own(r"local-interface \S+", "bonds", "local-interface", "no local-interface", disruption="mlag"),
    # The VRF is that of the management interface: see EosDriver.plan.
    Own(
        r"peer-address heartbeat \S+(?: vrf \S+)?",
        "bonds",
        "heartbeat",
        "no peer-address heartbeat",
        normalise=_sub(r" vrf \S+$", ""),
    ),
    Own(r"peer-address \S+", "bonds", "peer-address", "no peer-address", disruption="mlag"),
    Own(r"peer-link \S+", "bonds", "peer-link", "no peer-link", disruption="mlag"),
    Own(r"shutdown", "bonds", disruption="mlag"),
)


def _peer_vlan(line: str) -> list[str]:
    """Our VLAN of those that have no spanning tree."""
    values = line.rpartition(" ")[2]
    return [f"no spanning-tree vlan-id {PEER_VLAN}"] if PEER_VLAN in expand(values) else []


def _pair(model: Switch) -> list[Own]:
    """The link to the other switch and what is spoken over it."""
    if model.peer_link is None:
        return []
    vlan = _vlan(PEER_VLAN)
    group = Own(r"trunk group \S+", "bonds")
    return [
        replace(vlan, concern="bonds", children=(*(replace(c, concern="bonds") for c in vlan.children), group)),
        Own(
            r"no spanning-tree vlan(?:-id)? [\d,-]+",
            "bonds",
            remove=f"spanning-tree vlan-id {PEER_VLAN}",
            normalise=_peer_vlan,
        ),
        Own(f"interface Vlan{PEER_VLAN}", "bonds", whole=True, rest=False, children=_PEER_SVI),
        Own("mlag configuration", "bonds", whole=True, rest=False, children=_MLAG),
    ]


# -- the switch -----------------------------------------------------------------------------------------------------
QOS = (
    Own(
        r"qos map dscp (?P<value>[\d ,-]+?) to traffic-class \d(?: drop-precedence \d)?",
        "qos",
        "qos map dscp {value}",
        _dscp_default,
        default=_dscp_default,
        normalise=_one_by_one,
    ),
    Own(
        r"qos map cos (?P<value>[\d ,-]+?) to traffic-class \d(?: drop-precedence \d)?",
        "qos",
        "qos map cos {value}",
        _cos_default,
        default=_cos_default,
        normalise=_one_by_one,
    ),
    Own(
        r"qos map traffic-class (?P<value>[\d ,-]+?) to tx-queue \d",
        "qos",
        "qos map traffic-class {value} to tx-queue",
        _queue_default,
        default=_queue_default,
        normalise=_one_by_one,
    ),
    # The DSCP of a packet must leave as it came, or the next switch takes it for another class.
    Own(r"qos rewrite dscp", "qos"),
    Own(
        r"qos map traffic-class (?P<value>[\d ,-]+?) to dscp \d+",
        "qos",
        "qos map traffic-class {value} to dscp",
        "no qos map traffic-class {value} to dscp",
        normalise=_one_by_one,
    ),
    Own(r"qos random-detect ecn global-buffer .+", "qos", "ecn", "no qos random-detect ecn global-buffer"),
    Own(r"priority-flow-control all off", "qos", disruption="pfc"),
    Own(
        r"priority-flow-control pause watchdog default (?P<what>timeout|recovery-time|polling-interval) .+",
        "qos",
        "watchdog {what}",
        "no priority-flow-control pause watchdog default {what}",
        normalise=_plain_number,
    ),
    Own(
        r"priority-flow-control pause watchdog action \S+",
        "qos",
        "watchdog action",
        "no priority-flow-control pause watchdog action",
        default="priority-flow-control pause watchdog action errdisable",
    ),
    Own(r"priority-flow-control pause watchdog override action drop", "qos"),
)

LLDP = (
    Own(r"(?:no )?lldp run", "lldp", "lldp run", "lldp run", default="lldp run"),
    Own(r"lldp timer \d+", "lldp", "lldp timer", "no lldp timer", default="lldp timer 30"),
    Own(
        r"lldp hold-?time \d+",
        "lldp",
        "lldp hold-time",
        "no lldp hold-time",
        default="lldp hold-time 120",
        normalise=_sub("holdtime", "hold-time"),
    ),
)


def _vlan(vid: int) -> Own:
    """One VLAN: that it exists, its name and that it is not suspended; trunk groups and the rest are not ours."""
    name = "name default" if vid == 1 else f"name VLAN{vid:04}"
    children = (
        Own(r"name .+", "vlans", "name", "no name", default=name),
        Own(r"state \S+", "vlans", "state", "state active", default="state active"),
    )
    return Own(f"vlan {vid}", "vlans", whole=True, rest=False, children=children)


def _retired(model: Switch) -> list[Own]:
    """VLANs, gateways and bundles in the ranges of the fabric that the model does not have, whole."""
    found = (
        (r"vlan \d+", "vlans", "", "vlan ", retired_vlans(model)),
        (r"interface Vlan\d+", "underlay", "gateway", "interface Vlan", retired_gateways(model)),
        (r"interface Port-Channel\d+", "bonds", "bond", "interface Port-Channel", retired_bonds(model)),
    )
    return [
        Own(pattern, concern, among=frozenset(f"{head}{n}" for n in numbers), whole=True, disruption=kind)
        for pattern, concern, kind, head, numbers in found
        if numbers
    ]


def _interfaces(ports: Sequence[str]) -> frozenset[str]:
    return frozenset(f"interface {port}" for port in ports)


def rules(model: Switch) -> tuple[Own, ...]:
    """The table for one switch: its VLANs, its profile, its ports and port channels by name, its routing."""
    profile = re.escape(model.roce.profile)
    table = [*(_vlan(v.id) for v in model.vlans), *_retired(model), *QOS]
    if asic(model.asic).ecn_counter_feature:
        table.append(Own(r"hardware counter feature ecn out", "qos"))
    table.append(Own(rf"qos profile {profile}(?:-\S+)?", "qos", whole=True, children=PROFILE))
    for bundle in bundles(model):
        children = (*BUNDLE, TRUNK_GROUP) if bundle.peer_link else BUNDLE
        table.append(Own(f"interface {bundle.name}", "bonds", whole=True, rest=False, children=children))
    for children, ports in _ports(model).items():
        table.append(Own("interface .+", "ports", among=_interfaces(ports), children=children))
    if bonds := retired_bonds(model):  # ports that are not in the model, or not any more, in a bundle of ours
        numbers = "|".join(map(str, sorted(bonds)))
        member = replace(MEMBER[0], pattern=rf"channel-group (?:{numbers}) mode \S+")
        table.append(Own(r"interface Ethernet\S+", "bonds", children=(member,)))
    return (*table, *LLDP, *_pair(model), *routing.rules(model))


def _ports(model: Switch) -> dict[tuple[Own, ...], list[str]]:
    """Ports by what of them is ours."""
    neighbors = {n.port: n for n in model.underlay.neighbors} if model.underlay else {}
    kinds: dict[tuple[bool, bool, bool], list[str]] = {}
    for port in model.ports:
        neighbor = neighbors.get(port.name)
        # A routed port without an address may be unnumbered or addressed by somebody else: its addresses are not ours.
        bound = port.mode != "routed" or port.address is not None
        kind = (bound, neighbor is not None, neighbor is not None and neighbor.address is None)
        kinds.setdefault(kind, []).append(port.name)
    member = MEMBER if model.bonds or model.peer_link or model.reserved.bonds else ()
    return {
        (*PORT, *ADDRESS * bound, *member, *BFD * session, *LINK_LOCAL * link_local): names
        for (bound, session, link_local), names in kinds.items()
    }
