# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration grammar of EOS as tables: one list of lines per mode, in the order in which EOS prints them.

Sources: EOS user manual (QoS, PFC, DLB, sessions), Arista's public YANG models for ranges, running configurations as
printed by EOS 4.21 to 4.36. What the product never types but real devices have (routing, AAA, ACLs ...) is here only as
heads: such lines are accepted and kept as they are.
"""

from __future__ import annotations

from lab.eos.line import Line, Mode, block, head
from lab.eos.routing import BFD, BGP, BGP_IPV4, MLAG, PREFIX_LIST, ROUTE_MAP, ROUTING

UNIT = "{segments|bytes|kbytes|mbytes|milliseconds|microseconds}"


MMU_QUEUE = [
    Line("ingress reserved bytes | <0-1000000000>"),
    Line("ingress threshold | <ALPHA>"),
    Line("ingress headroom bytes | <0-1000000000>"),
    Line("ingress resume | <0-1000000000>"),
    Line("ingress priority-group <0-7> reserved bytes | <0-1000000000>"),
    Line("ingress priority-group <0-7> threshold | <ALPHA>"),
    Line("egress unicast queue <0-7> reserved bytes | <0-1000000000>"),
    Line("egress unicast queue <0-7> threshold | <ALPHA>"),
    Line("egress unicast queue <0-7> drop precedence <1-2> drop-threshold | <ALPHA>"),
    Line("egress multicast queue <0-7> reserved bytes | <0-1000000000>"),
    Line("egress multicast queue <0-7> threshold | <ALPHA>"),
]

CONFIG = [
    Line("enable password | <LINE>", no="no enable password", family="aaa root"),
    Line("aaa root", hide=("aaa root",), no="no aaa root", family="aaa root"),
    head("username"),
    head("aaa authentication", "aaa"),
    head("aaa authorization", "aaa"),
    head("aaa accounting", "aaa"),
    head("tacacs-server"),
    head("radius-server"),
    head("role", mode="verbatim"),
    head("alias"),
    Line("hardware counter feature ecn {in|out}", family="hardware counter"),
    head("hardware counter feature", "hardware counter"),
    head("daemon", mode="verbatim"),
    Line("dhcp relay", mode="verbatim", handler="enter"),
    head("vlan internal order", "vlan internal"),
    head("ip igmp snooping", "ip igmp snooping"),
    head("errdisable"),
    head("event-monitor"),
    head("load-interval"),
    head("transceiver"),
    head("interface defaults", mode="verbatim"),
    head("service routing"),
    Line("queue-monitor length", family="queue-monitor"),
    Line("queue-monitor length notifying", family="queue-monitor"),
    Line("queue-monitor length default thresholds | <1-1000000> [<1-1000000>]", family="queue-monitor"),
    Line("queue-monitor streaming", mode="verbatim", handler="enter"),
    block("load-balance policies"),
    block("load-balance cluster"),
    Line("lldp timer | <5-32768>", hide=("lldp timer 30",), family="lldp"),
    Line("lldp hold-time | <10-65535>", hide=("lldp hold-time 120",), family="lldp"),
    head("lldp management-address", "lldp"),
    head("lldp tlv", "lldp"),
    Line("lldp run", hide=("lldp run",), no="no lldp run", family="lldp"),
    head("logging"),
    head("match-list input", mode="verbatim"),
    head("mcs", mode="verbatim"),
    Line(
        "platform trident mmu queue profile <WORD> apply",
        key="platform trident mmu apply",
        handler="mmu-apply",
        family="mmu",
    ),
    Line("platform trident mmu queue profile <WORD>", mode="mmu-profile", handler="enter"),
    Line("platform trident mmu headroom-pool limit bytes | <0-1000000000>", family="mmu"),
    head("platform trident", "platform trident"),
    Line("platform sand qos map traffic-class <0-7> | to network-qos <0-7>", family="platform sand"),
    head("platform sand", "platform sand"),
    head("platform", "platform"),
    Line("hostname | <WORD>", handler="hostname"),
    head("dns domain"),
    head("ip domain-name"),
    head("ip name-server"),
    head("ip domain lookup", "ip domain lookup"),
    head("ip host"),
    Line("ptp mode | {boundary|e2etransparent|gptp|ordinarymaster|p2ptransparent|generalized|disabled}", family="ptp"),
    *[
        head(f"ptp {word}", "ptp")
        for word in ("clock-accuracy", "domain", "forward-unicast", "forward-v1", "free-running", "hold-ptp-time")
    ],
    *[head(f"ptp {word}", "ptp") for word in ("message-type", "monitor", "priority1", "priority2", "source", "ttl")],
    Line("qos profile <WORD>", mode="qos-profile", handler="enter"),
    head("sflow", "sflow"),
    head("snmp-server", "snmp-server"),
    head("spanning-tree", "spanning-tree"),
    head("tap aggregation", mode="verbatim"),
    head("clock"),
    Line("vlan <VLANS>", mode="vlan", handler="vlan"),
    Line("vrf instance <WORD>", mode="verbatim", handler="enter"),
    head("banner"),
    block("management api http-commands"),
    block("management api gnmi"),
    block("management api netconf"),
    block("management api models"),
    block("management console"),
    block("management cvx"),
    block("management defaults"),
    block("management security"),
    block("management ssh"),
    block("management telnet"),
    Line("interface <INTERFACES>", mode="interface", handler="interface"),
    head("mac address-table"),
    head("hardware tcam", mode="verbatim"),
    block("hardware tcam"),
    head("hardware speed-group", "hardware speed-group"),
    head("hardware"),
    head("monitor", mode="verbatim"),
    head("event-handler", mode="verbatim"),
    *ROUTING["ip virtual-router"],
    head("ip address virtual"),
    Line("ip access-list <WORD>", mode="verbatim", handler="enter"),
    Line("ip access-list standard <WORD>", mode="verbatim", handler="enter"),
    Line("ipv6 access-list <WORD>", mode="verbatim", handler="enter"),
    Line("mac access-list <WORD>", mode="verbatim", handler="enter"),
    head("system"),
    *ROUTING["ip routing"],
    Line("ip icmp redirect", family="ip icmp", no="no ip icmp redirect", hide=("ip icmp redirect",)),
    Line(
        "ip hardware fib load-balance distribution dynamic [flow-set-size <1-7>]",
        key="ip hardware fib load-balance distribution",
        family="ip hardware",
        queues="uc",
    ),
    head("ip hardware fib", "ip hardware"),
    head("ip load-sharing", "ip load-sharing"),
    head("port-channel load-balance", "port-channel load-balance"),
    head("ip community-list"),
    head("ip extcommunity-list"),
    *ROUTING["ip prefix-list"],
    Line("ipv6 unicast-routing", family="ipv6 unicast-routing"),
    head("ipv6 unicast-routing", "ipv6 unicast-routing"),
    Line("ipv6 prefix-list <WORD>", mode="verbatim", handler="enter"),
    *ROUTING["mlag"],
    head("ip route"),
    head("ipv6 route"),
    head("arp"),
    head("ntp"),
    head("ip radius"),
    head("ip tacacs"),
    head("ip ssh"),
    head("ip ftp"),
    head("ip nat"),
    Line("qos rewrite {cos|dscp}", family="qos map"),
    Line(
        "qos map cos <INTS:0-7> | to traffic-class <0-7> [drop-precedence <0-2>]", handler="qos-map", family="qos map"
    ),
    Line(
        "qos map dscp <INTS:0-63> | to traffic-class <0-7> [drop-precedence <0-2>]",
        handler="qos-map",
        family="qos map",
    ),
    Line("qos map traffic-class <INTS:0-7> to cos | <0-7>", handler="qos-map", family="qos map"),
    Line("qos map traffic-class <INTS:0-7> to dscp | <0-63>", handler="qos-map", family="qos map"),
    Line("qos map traffic-class <INTS:0-7> to tx-queue | <0-7>", handler="qos-map", family="qos map"),
    Line("qos map exp <INTS:0-7> | to traffic-class <0-7>", handler="qos-map", family="qos map"),
    Line(
        "qos random-detect ecn allow non-ect [chip-based]", key="qos random-detect ecn allow non-ect", family="qos rd"
    ),
    Line(
        f"qos random-detect ecn global-buffer | minimum-threshold <1-10000000> {UNIT}"
        f" maximum-threshold <1-10000000> {UNIT}",
        handler="thresholds",
        family="qos rd",
    ),
    Line("class-map type qos match-any <WORD>", mode="class-map", handler="enter"),
    *[Line(f"class-map type {kind} match-any <WORD>", mode="verbatim", handler="enter") for kind in ("copp", "pbr")],
    Line("policy-map type quality-of-service <WORD>", mode="policy-map", handler="enter"),
    *[
        Line(f"policy-map type {kind} <WORD>", mode="verbatim", handler="enter")
        for kind in ("copp", "pbr", "pdp", "tcp-mss")
    ],
    Line("priority-flow-control all off", family="pfc"),
    Line("priority-flow-control pause watchdog default timeout | <0.01-60>", family="pfc"),
    Line("priority-flow-control pause watchdog default recovery-time | <0.01-60>", family="pfc"),
    Line("priority-flow-control pause watchdog default polling-interval | <0.005-30>", family="pfc"),
    Line("priority-flow-control pause watchdog action | {drop|errdisable|no-drop|notify-only}", family="pfc"),
    Line("priority-flow-control pause watchdog override action drop", family="pfc"),
    *ROUTING["route-map"],
    head("peer-filter", mode="verbatim"),
    *ROUTING["router"],
    head("segment-security", mode="verbatim"),
    head("traffic-policies", mode="verbatim"),
    head("vmtracer", mode="verbatim"),
    block("management api restconf"),
    Line("end", handler="end"),
]

TRUST = Line("qos trust | {cos|dscp}", no="no qos trust")
PORT_QOS = [
    TRUST,
    Line("qos cos | <0-7>", hide=("qos cos 0",)),
    Line("qos dscp | <0-63>", hide=("qos dscp 0",)),
    Line("shape rate | <8-1000000000> [{kbps|percent|pps}]"),
]
PFC = [
    Line("priority-flow-control | on"),
    Line("priority-flow-control priority <0-7> | {drop|no-drop}"),
    Line("priority-flow-control pause watchdog", no="no priority-flow-control pause watchdog"),
    Line("priority-flow-control pause watchdog port action | {drop|notify-only}"),
    Line(
        "priority-flow-control pause watchdog port timer | timeout <0.01-60> polling-interval {auto|<0.005-30>}"
        " recovery-time <0.01-60> [forced]"
    ),
]
SERVICE_POLICY = Line("service-policy type qos input | <WORD>")
QUEUE_BLOCKS = [
    Line("tx-queue <0-7>", mode="tx-queue", handler="enter"),
    Line("uc-tx-queue <0-7>", mode="tx-queue", handler="enter", queues="uc"),
    Line("mc-tx-queue <0-7>", mode="mc-tx-queue", handler="enter", queues="uc"),
]

# The printed order of a profile changed with 4.35.
QOS_PROFILE = [*PORT_QOS, *PFC, SERVICE_POLICY, *QUEUE_BLOCKS]
QOS_PROFILE_BEFORE_4_35 = [*PORT_QOS, SERVICE_POLICY, *QUEUE_BLOCKS, *PFC]

SCHEDULER = [
    Line("priority | strict", no="no priority"),
    Line("bandwidth percent | <1-100>"),
    Line("bandwidth guaranteed | {percent <1-100>|<8-1000000000>}"),
    Line("shape rate | <1-1000000000> [{kbps|percent|pps}]"),
]
TX_QUEUE = [
    *SCHEDULER,
    Line(
        f"random-detect ecn minimum-threshold | <1-256000000> {UNIT} maximum-threshold <1-256000000> {UNIT}"
        " [max-mark-probability <1-100>] [weight <0-15>]",
        handler="thresholds",
    ),
    Line(
        f"random-detect drop [drop-precedence <0-2>] | minimum-threshold <1-256000000> {UNIT}"
        f" maximum-threshold <1-256000000> {UNIT} drop-probability <1-100> [weight <0-15>]",
        handler="thresholds",
    ),
    Line("random-detect ecn count", handler="ecn-count"),
]

SPEED = (
    "{auto|10g|25g|40g|40g-4|50g|50g-1|50g-2|100g|100g-1|100g-2|100g-4|200g|200g-1|200g-2|200g-4|400g|400g-2|400g-4"
    "|400g-8|800g-4|800g-8|forced 1000full|forced 10000full|forced 25gfull|forced 40gfull|forced 50gfull"
    "|forced 100gfull|auto 10gfull|auto 40gfull|auto 100gfull|auto 100g-2|auto 200g-4|auto 400g-4|auto 400g-8"
    "|auto 800g-8}"
)

INTERFACE = [
    Line("description | <LINE>"),
    Line("shutdown", hide=("no shutdown",)),
    Line("load-interval | <0-600>"),
    Line("mtu | <68-9214>", hide=("mtu 1500",)),
    head("logging event"),
    Line("dcbx mode | {ieee|cee}"),
    head("l2-protocol"),
    head("mac-address"),
    head("link-debounce"),
    Line("flowcontrol send | {on|off|desired}", hide=("flowcontrol send off", "no flowcontrol send")),
    Line("flowcontrol receive | {on|off|desired}", hide=("flowcontrol receive off", "no flowcontrol receive")),
    head("mac"),
    Line(f"speed | {SPEED}", hide=("speed auto",)),
    Line("l2 mtu | <68-9416>"),
    head("unidirectional"),
    head("traffic-loopback"),
    Line(
        "error-correction encoding | {reed-solomon|fire-code}",
        no="no error-correction encoding",
        handler="fec",
    ),
    head("phy"),
    Line("switchport access vlan | <1-4094>", hide=("switchport access vlan 1",)),
    Line("switchport trunk native vlan | {<1-4094>|tag}", hide=("switchport trunk native vlan 1",)),
    head("switchport vlan translation"),
    Line(
        "switchport trunk allowed vlan | {all|none|<VLANS>|add <VLANS>|remove <VLANS>|except <VLANS>}",
        hide=("switchport trunk allowed vlan 1-4094",),
        handler="allowed-vlan",
    ),
    Line("switchport mode | {access|trunk|dot1q-tunnel|tap|tool}", hide=("switchport mode access",)),
    head("switchport dot1q"),
    head("switchport trunk group"),
    head("switchport port-security"),
    Line("switchport", hide=("switchport",), no="no switchport"),
    *[head(f"switchport {word}") for word in ("backup-link", "block", "mac", "source-interface", "tap", "tool")],
    head("encapsulation"),
    Line("vrf | <WORD>"),
    Line("evpn ethernet-segment", mode="verbatim", handler="enter"),
    head("flow-spec"),
    head("snmp trap"),
    head("ip proxy-arp"),
    Line("autostate", hide=("autostate",), no="no autostate"),
    Line("ip address | <PREFIX>", handler="address"),
    Line("ip address <PREFIX> secondary", handler="address-secondary"),
    Line("ip address | {dhcp|unnumbered <WORD>|virtual <PREFIX>}", handler="address"),
    *[
        head(f"ip {word}")
        for word in ("access-group", "arp", "attached-host", "attached-routes", "dhcp", "helper-address", "igmp")
    ],
    *[head(f"ip {word}") for word in ("local-proxy-arp", "nat", "ospf", "pim", "rip", "verify")],
    Line("ip virtual-router address <IPV4>"),
    head("ip virtual-router subnet"),
    Line("ipv6 enable"),
    head("ipv6"),
    head("arp"),
    head("bfd"),
    head("tcp"),
    Line("channel-group | <1-999999> mode {active|passive|on}", handler="channel-group", on="Ethernet"),
    head("port-channel"),
    Line("lacp timer | {fast|normal}", hide=("lacp timer normal",), on="Ethernet"),
    Line("lacp port-priority | <0-65535>", hide=("lacp port-priority 32768",), on="Ethernet"),
    Line("lacp system-id | <WORD>", on="Port-Channel"),
    Line("lldp transmit", hide=("lldp transmit",), no="no lldp transmit"),
    Line("lldp receive", hide=("lldp receive",), no="no lldp receive"),
    head("lldp med"),
    head("lldp tlv"),
    Line("mlag | <1-2000>", on="Port-Channel"),
    head("multicast"),
    head("mld"),
    head("mpls"),
    head("ntp"),
    head("pim"),
    head("isis"),
    Line("ptp enable"),
    *[
        head(f"ptp {word}")
        for word in ("announce", "delay-mechanism", "delay-req", "role", "sync-message", "transport")
    ],
    SERVICE_POLICY,
    head("service-policy type pbr"),
    Line("service-profile | <WORD>"),
    *PORT_QOS,
    *[
        line
        if line.pattern != "priority-flow-control pause watchdog"
        else Line(line.pattern, no=line.no, hide=(line.pattern,))
        for line in PFC
    ],
    *QUEUE_BLOCKS,
    head("rip"),
    head("sflow"),
    head("storm-control"),
    head("spanning-tree"),
    head("vxlan"),
]

CLASS_MAP = [
    Line("match {ip|ipv6|mac} access-group <WORD>"),
    Line("match {cos|dscp|vlan} <LINE>"),
]
POLICY_MAP = [
    Line("class <WORD>", mode="policy-class", handler="enter"),
    Line("class built-in <WORD>", mode="policy-class", handler="enter"),
]
POLICY_CLASS = [
    Line("set traffic-class | <0-7>"),
    Line("set dscp | <0-63>"),
    Line("set cos | <0-7>"),
    Line("set drop-precedence | <0-2>"),
    head("police"),
]

VLAN = [
    Line("name | <WORD>"),
    Line("state | {active|suspend}", hide=("state active",)),
    head("trunk group"),
    head("private-vlan"),
]


def modes(release: tuple[int, int]) -> dict[str, Mode]:
    profile = QOS_PROFILE if release >= (4, 35) else QOS_PROFILE_BEFORE_4_35
    queue = tuple(TX_QUEUE)
    return {
        "config": Mode("", tuple(CONFIG)),
        "interface": Mode("if-{name}", tuple(INTERFACE)),
        "vlan": Mode("vlan-{name}", tuple(VLAN)),
        "qos-profile": Mode("qos-profile-{name}", tuple(profile)),
        "mmu-profile": Mode("mmu-queue-profile-{name}", tuple(MMU_QUEUE)),
        "tx-queue": Mode("txq-{name}", queue),
        "mc-tx-queue": Mode("mc-txq-{name}", tuple(SCHEDULER)),
        "class-map": Mode("cmap-qos-{name}", tuple(CLASS_MAP)),
        "policy-map": Mode("pmap-quality-of-service-{name}", tuple(POLICY_MAP)),
        "policy-class": Mode("pmap-c-{name}", tuple(POLICY_CLASS)),
        "router-bgp": Mode("router-bgp", tuple(BGP)),
        "router-bgp-af": Mode("af", tuple(BGP_IPV4)),
        "router-bfd": Mode("router-bfd", tuple(BFD)),
        "route-map": Mode("route-map-{name}", tuple(ROUTE_MAP)),
        "prefix-list": Mode("ip-pfx", tuple(PREFIX_LIST)),
        "mlag": Mode("mlag", tuple(MLAG)),
        "verbatim": Mode("{name}", verbatim=True),
    }
