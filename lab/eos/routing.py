# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration grammar of EOS for routing and MLAG: BGP, BFD, route maps, prefix lists, the MLAG domain.

Sources: EOS user manual (BGP, BFD, MLAG, routing policy), running configurations of EOS 4.23 to 4.32 and the order in
which Arista's AVD prints. EVPN, VRFs and other address families of BGP are heads: taken and kept as they are.
"""

from __future__ import annotations

from lab.eos.line import Line, block, head

PREFIX_MATCH = "{permit|deny} <NETWORK> [{eq <0-32>|le <0-32>|ge <0-32>|ge <0-32> le <0-32>}]"

# Lines of the top level, by the place in the order of the top level.
ROUTING: dict[str, list[Line]] = {
    "ip virtual-router": [
        Line("ip virtual-router mac-address | <MAC>", family="ip virtual-router"),
        Line("ip virtual-router mac-address mlag-peer", family="ip virtual-router"),
        head("ip virtual-router address", "ip virtual-router"),
        head("ip virtual-router mac-address advertisement-interval", "ip virtual-router"),
    ],
    # One command with an option (AVD and devices print one of the two); that the last one typed holds is our reading.
    "ip routing": [
        Line("ip routing", family="ip routing", key="ip routing"),
        Line("ip routing ipv6 interfaces", family="ip routing", key="ip routing", handler="ip-routing"),
        head("ip routing vrf", "ip routing"),
        head("ip routing ipv6 interfaces vrf", "ip routing"),
    ],
    "ip prefix-list": [
        Line("ip prefix-list <WORD>", mode="prefix-list", handler="prefix-list"),
        Line(
            f"ip prefix-list <WORD> seq <1-65535> | {PREFIX_MATCH}",
            key="ip prefix-list {0} seq {1}",
            family="ip prefix-list",
            handler="prefix-line",
        ),
        Line(f"ip prefix-list <WORD> {PREFIX_MATCH}", handler="prefix-line"),
    ],
    "mlag": [Line("mlag configuration", mode="mlag", handler="enter")],
    "route-map": [
        Line("route-map <WORD> {permit|deny} <1-16777215>", key="route-map {0} {1}", mode="route-map", handler="enter"),
        Line("route-map <WORD>", mode="route-map", handler="route-map"),
    ],
    "router": [
        Line("router bfd", mode="router-bfd", handler="enter"),
        Line("router bgp | <ASN>", mode="router-bgp", handler="bgp"),
        *[
            head(f"router {word}", mode="verbatim")
            for word in ("isis", "igmp", "l2-vpn", "msdp", "ospf", "ospf3", "ospfv3", "rip", "segment-security")
        ],
        *[
            block(f"router {word}")
            for word in ("adaptive-virtual-topology", "general", "internet-exit", "kernel", "multicast", "ospfv3")
        ],
        *[block(f"router {word}") for word in ("path-selection", "rip", "service-insertion", "traffic-engineering")],
        head("router pim", mode="verbatim"),
    ],
}

BFD = [
    Line(
        "interval | <50-60000> min-rx <50-60000> multiplier <3-50> [default]",
        hide=("interval 300 min-rx 300 multiplier 3 default",),
        handler="bfd-interval",
    ),
    head("multihop"),
    head("local-address"),
    head("session"),
    Line("slow-timer | <2000-60000>", hide=("slow-timer 2000",)),
    Line("shutdown", hide=("no shutdown",)),
]

# Lines of a neighbour or peer group, in printed order.
_PEER = [
    Line("neighbor <NEIGHBOR> peer group", key="neighbor {0} peer group", handler="neighbor-group"),
    Line("neighbor <NEIGHBOR> peer group | <WORD>", key="neighbor {0} peer group", handler="neighbor-member"),
    Line("neighbor <NEIGHBOR> peer-group", key="neighbor {0} peer group", handler="neighbor-group"),
    Line("neighbor <NEIGHBOR> peer-group | <WORD>", key="neighbor {0} peer group", handler="neighbor-member"),
    Line("neighbor <NEIGHBOR> remote-as | <ASN>", handler="neighbor"),
    Line("neighbor <NEIGHBOR> next-hop-self", handler="neighbor"),
    Line("neighbor <NEIGHBOR> next-hop-peer", handler="neighbor"),
    Line("neighbor <NEIGHBOR> next-hop-unchanged", handler="neighbor"),
    Line("neighbor <NEIGHBOR> shutdown", handler="neighbor"),
    Line("neighbor <NEIGHBOR> remove-private-as", handler="neighbor"),
    Line("neighbor <NEIGHBOR> as-path | <LINE>", handler="neighbor"),
    Line("neighbor <NEIGHBOR> local-as | <LINE>", handler="neighbor"),
    Line("neighbor <NEIGHBOR> weight | <0-65535>", handler="neighbor"),
    Line("neighbor <NEIGHBOR> passive", handler="neighbor"),
    Line("neighbor <NEIGHBOR> update-source | <WORD>", handler="neighbor"),
    Line("neighbor <NEIGHBOR> bfd", handler="neighbor"),
    Line(
        "neighbor <NEIGHBOR> bfd interval | <50-60000> min-rx <50-60000> multiplier <3-50>",
        handler="neighbor",
    ),
    Line("neighbor <NEIGHBOR> description | <LINE>", handler="neighbor"),
    Line("neighbor <NEIGHBOR> allowas-in | [<1-10>]", handler="neighbor"),
    Line("neighbor <NEIGHBOR> rib-in | <LINE>", handler="neighbor"),
    Line("neighbor <NEIGHBOR> ebgp-multihop | [<1-255>]", handler="neighbor"),
    Line("neighbor <NEIGHBOR> ttl maximum-hops | <0-254>", handler="neighbor"),
    Line("neighbor <NEIGHBOR> route-reflector-client", handler="neighbor"),
    Line("neighbor <NEIGHBOR> session tracker | <WORD>", handler="neighbor"),
    Line("neighbor <NEIGHBOR> timers | <0-3600> <HOLD>", handler="neighbor"),
    Line("neighbor <NEIGHBOR> route-map <WORD> in", key="neighbor {0} route-map in", handler="neighbor"),
    Line("neighbor <NEIGHBOR> route-map <WORD> out", key="neighbor {0} route-map out", handler="neighbor"),
    Line("neighbor <NEIGHBOR> prefix-list <WORD> in", key="neighbor {0} prefix-list in", handler="neighbor"),
    Line("neighbor <NEIGHBOR> prefix-list <WORD> out", key="neighbor {0} prefix-list out", handler="neighbor"),
    Line("neighbor <NEIGHBOR> password | <LINE>", handler="neighbor"),
    Line("neighbor <NEIGHBOR> default-originate | [<LINE>]", handler="neighbor"),
    Line("neighbor <NEIGHBOR> enforce-first-as", handler="neighbor"),
    Line("neighbor <NEIGHBOR> send-community | [<LINE>]", handler="neighbor"),
    Line("neighbor <NEIGHBOR> maximum-routes | <0-4294967294> [<LINE>]", handler="neighbor"),
    Line("neighbor <NEIGHBOR> maximum-accepted-routes | <0-4294967294> [<LINE>]", handler="neighbor"),
    Line("neighbor <NEIGHBOR> missing-policy | <LINE>", handler="neighbor"),
    Line("neighbor <NEIGHBOR> link-bandwidth | [<LINE>]", handler="neighbor"),
    Line("neighbor <NEIGHBOR>", handler="neighbor-all", typed=False),
]

_ROUTES = [
    Line("redistribute connected | [route-map <WORD>]"),
    *[
        head(f"redistribute {word}")
        for word in ("attached-host", "bgp", "dynamic", "isis", "ospf", "ospf3", "ospfv3", "rip", "static", "user")
    ],
    Line("redistribute static"),
    Line("redistribute attached-host"),
    Line("redistribute dynamic"),
    Line("network <NETWORK> | [route-map <WORD>]"),
    head("aggregate-address"),
]

BGP = [
    Line("bgp asn notation | {asplain|asdot}", hide=("bgp asn notation asplain",)),
    Line("shutdown", hide=("no shutdown",)),
    Line("router-id | <IPV4>"),
    Line("update wait-for-convergence"),
    Line("update wait-install"),
    Line("bgp default ipv4-unicast", hide=("bgp default ipv4-unicast",), no="no bgp default ipv4-unicast"),
    head("bgp default"),
    Line("timers bgp | <0-3600> <HOLD>", hide=("timers bgp 60 180",)),
    Line("distance bgp | <1-255> [<1-255> <1-255>]"),
    Line("graceful-restart restart-time | <1-3600>", hide=("graceful-restart restart-time 300",)),
    Line("graceful-restart stalepath-time | <1-3600>", hide=("graceful-restart stalepath-time 300",)),
    Line("graceful-restart"),
    Line("graceful-restart-helper", hide=("graceful-restart-helper",), no="no graceful-restart-helper"),
    head("graceful-restart-helper"),
    Line("maximum-paths | <1-600> [ecmp <1-600>]", hide=("maximum-paths 1",)),
    Line(
        "bgp bestpath as-path multipath-relax",
        hide=("bgp bestpath as-path multipath-relax",),
        no="no bgp bestpath as-path multipath-relax",
    ),
    Line("bgp bestpath as-path ignore"),
    Line("bgp bestpath as-path length ignore"),
    Line("bgp log-neighbor-changes", hide=("bgp log-neighbor-changes",), no="no bgp log-neighbor-changes"),
    *[head(f"bgp bestpath {word}") for word in ("d-path", "ecmp-fast", "med", "origin-as", "skip", "tie-break")],
    *[
        head(f"bgp {word}")
        for word in (
            "additional-paths",
            "advertise-inactive",
            "aigp",
            "auto-local-addr",
            "cluster-id",
            "client-to-client",
            "confederation",
            "control-plane-filter",
            "convergence",
            "enforce-first-as",
            "labeled-unicast",
            "listen",
            "missing-policy",
            "next-hop",
            "next-hop-unchanged",
            "peer-mac-resolution-timeout",
            "redistribute-internal",
            "route",
            "route-reflector",
            "rr",
            "session",
            "skip",
            "transport",
            "trace",
            "vpn-ipv4",
        )
    ],
    *[Line(f"bgp {word}") for word in ("advertise-inactive", "always-compare-med", "redistribute-internal")],
    Line("neighbor default send-community | [<LINE>]"),
    *_PEER,
    *_ROUTES,
    Line(
        "neighbor interface <INTERFACES> peer-group <WORD> | {remote-as <ASN>|peer-filter <WORD>}",
        handler="bgp-interface",
    ),
    head("dynamic"),
    head("ip access-group"),
    head("ipv6 access-group"),
    head("monitoring"),
    head("session"),
    head("rd"),
    Line("vlan <WORD>", mode="verbatim", handler="enter"),
    head("vpws", mode="verbatim"),
    Line("vlan-aware-bundle <WORD>", mode="verbatim", handler="enter"),
    block("route-distinguisher"),
    Line("address-family evpn", mode="verbatim", handler="enter"),
    Line("address-family flow-spec {ipv4|ipv6}", mode="verbatim", handler="enter"),
    Line("address-family ipv4", mode="router-bgp-af", handler="enter"),
    Line("address-family ipv4 {labeled-unicast|multicast|sr-te}", mode="verbatim", handler="enter"),
    Line("address-family ipv6", mode="verbatim", handler="enter"),
    Line("address-family ipv6 {labeled-unicast|multicast|sr-te}", mode="verbatim", handler="enter"),
    *[
        block(f"address-family {word}")
        for word in ("link-state", "path-selection", "rt-membership", "vpn-ipv4", "vpn-ipv6")
    ],
    Line("vrf <WORD>", mode="verbatim", handler="enter"),
    block("monitoring"),
]

BGP_IPV4 = [
    head("bgp"),
    Line("neighbor <NEIGHBOR> activate", no="no neighbor {0} activate", handler="neighbor-activate"),
    Line("neighbor <NEIGHBOR> additional-paths | <LINE>", handler="neighbor"),
    Line("neighbor <NEIGHBOR> default-originate | [<LINE>]", handler="neighbor"),
    Line("neighbor <NEIGHBOR> next-hop address-family ipv6 | [originate]", handler="neighbor"),
    Line("neighbor <NEIGHBOR> next-hop-unchanged", handler="neighbor"),
    Line("neighbor <NEIGHBOR> prefix-list <WORD> in", key="neighbor {0} prefix-list in", handler="neighbor"),
    Line("neighbor <NEIGHBOR> prefix-list <WORD> out", key="neighbor {0} prefix-list out", handler="neighbor"),
    Line("neighbor <NEIGHBOR> route-map <WORD> in", key="neighbor {0} route-map in", handler="neighbor"),
    Line("neighbor <NEIGHBOR> route-map <WORD> out", key="neighbor {0} route-map out", handler="neighbor"),
    Line("neighbor <NEIGHBOR> rcf | <LINE>", handler="neighbor"),
    *_ROUTES,
]

ROUTE_MAP = [
    Line("description | <LINE>"),
    Line("match ip address prefix-list | <WORD>"),
    Line("match ip address access-list | <WORD>"),
    Line("match ip next-hop prefix-list | <WORD>"),
    *[
        head(f"match {word}")
        for word in (
            "aggregate-role", "as", "as-path", "as-range", "community", "extcommunity", "interface", "invert-result",
            "ip resolved-next-hop", "ipv6", "isis", "large-community", "local-preference", "metric", "metric-type",
            "origin-as", "route-type", "router-id", "source-protocol", "tag",
        )
    ],
    head("sub-route-map"),
    head("continue"),
    Line("continue"),
    *[
        head(f"set {word}")
        for word in (
            "as-path", "bgp", "community", "distance", "extcommunity", "ip", "ipv6", "isis", "large-community",
            "local-preference", "metric", "metric-type", "origin", "tag", "weight",
        )
    ],
]  # fmt: skip

PREFIX_LIST = [
    head("remark"),
    Line(f"seq <1-65535> | {PREFIX_MATCH}", handler="prefix-entry"),
    Line(PREFIX_MATCH, handler="prefix-entry"),
]

MLAG = [
    Line("domain-id | <WORD>"),
    Line("heartbeat-interval | <1000-30000>", hide=("heartbeat-interval 4000",)),
    Line("local-interface | <INTERFACES>"),
    Line("peer-address | <IPV4>"),
    Line("peer-address heartbeat | <IPV4> [vrf <WORD>]"),
    Line("peer-link | <INTERFACES>"),
    Line("primary-priority | <1-32767>", hide=("primary-priority 32767",)),
    Line("dual-primary detection delay | <0-86400> [action errdisable all-interfaces]"),
    Line("dual-primary recovery delay mlag | <0-86400> non-mlag <0-86400>"),
    Line("reload-delay | <0-86400>"),
    Line("reload-delay mlag | {infinity|<0-86400>}"),
    Line("reload-delay non-mlag | {infinity|<0-86400>}"),
    Line("reload-delay mode | lacp standby"),
    Line("shutdown", hide=("no shutdown",)),
]
