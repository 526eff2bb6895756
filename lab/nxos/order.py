# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a line is printed: the fixed order of sections and of lines inside a section."""

from __future__ import annotations

import re
from functools import lru_cache

from lab.nxos.tree import Rank
from lab.nxos.values import natural

# In the order in which the switch lists them.
FEATURES = (
    "telnet", "nxapi", "bash-shell", "scp-server", "sftp-server", "privilege", "tacacs+", "scheduler", "grpc",
    "ospf", "bgp", "pim", "isis", "eigrp", "fabric forwarding", "msdp", "udld", "pbr", "interface-vlan", "netflow",
    "hsrp", "vn-segment-vlan-based", "lacp", "dhcp", "vpc", "ptp", "lldp", "bfd", "telemetry", "sflow", "vrrp",
    "nv overlay",
)  # fmt: skip

# Patterns of the top level; sections of one pattern are sorted when it ends in a star.
_TOP = (
    r"version ",
    r"switchname |hostname ",
    r"vdc ",
    r"(feature|cfs|nv overlay) ?",
    r"no password |password ",
    r"role ",
    r"username ",
    r"ssh |no ssh ",
    r"banner ",
    r"(no )?ip domain-lookup",
    r"ip domain-name ",
    r"ip name-server ",
    r"(no )?system default ",
    r"interface breakout *",
    r"errdisable ",
    r"ip access-list *",
    r"class-map type network-qos *",
    r"class-map (type qos |match-|\S+$)*",
    r"policy-map (type qos \S+|\S+)$*",
    r"policy-map type queuing *",
    r"policy-map type network-qos *",
    r"control-plane",
    r"system qos",
    r"copp ",
    r"snmp-server ",
    r"rmon ",
    r"callhome",
    r"ntp ",
    r"aaa ",
    r"system jumbomtu ",
    r"priority-flow-control *",
    r"lldp *|no lldp ",
    r"ip load-sharing ",
    r"fabric forwarding ",
    r"ip route ",
    r"vlan [\d,-]+$*",
    r"spanning-tree ",
    r"ip prefix-list *",
    r"route-map *",
    r"service ",
    r"vrf context *",
    r"hardware ",
    r"port-channel load-balance ",
    r"vpc domain ",
    r"bfd ",
    r"interface Vlan*",
    r"interface port-channel*",
    r"interface nve*",
    r"interface Ethernet*",
    r"interface mgmt",
    r"interface loopback*",
    r"clock ",
    r"cli alias ",
    r"line ",
    r"boot ",
    r"router ",
    r"(no )?logging ",
    r"scheduler aaa",
    r"scheduler logfile ",
    r"scheduler job *",
    r"scheduler schedule *",
)

_INTERFACE = (
    r"no shutdown$",  # first on VLAN interfaces only, see rank_of
    r"description ",
    r"(no )?lldp ",
    r"(no )?cdp ",
    r"(no )?lacp ",
    r"(no )?switchport$",
    r"switchport mode ",
    r"switchport access ",
    r"switchport trunk native ",
    r"switchport trunk allowed ",
    r"switchport ",
    r"priority-flow-control mode ",
    r"priority-flow-control watch-dog-interval ",
    r"flowcontrol ",
    r"spanning-tree ",
    r"speed ",
    r"duplex ",
    r"fec ",
    r"(no )?negotiate ",
    r"link debounce ",
    r"load-interval ",
    r"mtu ",
    r"medium ",
    r"logging event ",
    r"service-policy type qos ",
    r"service-policy type queuing input",
    r"service-policy type queuing output",
    r"service-policy ",
    r"channel-group ",
    r"vpc ",
    r"vrf member ",
    r"(no )?bfd ",
    r"no ip redirects",
    r"ip address \S+( tag \d+)?$",
    r"ip address dhcp",
    r"ip address ",
    r"ip unnumbered ",
    r"ip forward",
    r"no ipv6 redirects",
    r"ipv6 ",
    r"ip ospf ",
    r"ip router ",
    r"ip ",
    r"hsrp version ",
    r"hsrp \d+*",
    r"(no )?autostate",
    r"ptp",
    r"fabric forwarding ",
    r"(no )?shutdown( force)?$",
)

_CLASS_MAP = (r"description ", r"match ")
_POLICY = (r"description ", r"class (?!class-default)", r"class ")
_QOS_CLASS = (r"set qos-group ", r"set dscp ", r"set cos ", r"set precedence ", r"police ")
_QUEUING_CLASS = (
    r"priority",
    r"bandwidth percent ",
    r"bandwidth remaining ",
    r"shape ",
    r"random-detect",
    r"queue-limit ",
    r"pause ",
)
_NETWORK_CLASS_OLD = (r"mtu ", r"(no )?pause")
_NETWORK_CLASS_NEW = (r"(no )?pause", r"mtu ")
_SYSTEM_QOS = (
    r"service-policy type qos input ",
    r"service-policy type queuing input ",
    r"service-policy type queuing output ",
    r"service-policy type network-qos ",
)
_VLAN = (r"name ", r"state ", r"shutdown", r"vn-segment ")
_PREFIX_MATCH = (r"description ", r"match ", r"continue", r"set ")
_BGP = (
    r"router-id ",
    r"cluster-id ",
    r"timers ",
    r"(no )?graceful-restart",
    r"bestpath ",
    r"reconnect-interval ",
    r"log-neighbor-changes",
    r"address-family *",
    r"template peer *",
    r"neighbor *",
    r"vrf *",
)
_BGP_FAMILY = (r"network *", r"redistribute *", r"maximum-paths ", r"aggregate-address *")
_BGP_NEIGHBOR = (
    r"inherit ",
    r"bfd",
    r"remote-as ",
    r"description ",
    r"update-source ",
    r"ebgp-multihop ",
    r"timers ",
    r"shutdown",
    r"address-family *",
)
_BGP_NEIGHBOR_FAMILY = (
    r"send-community$",
    r"send-community extended",
    r"route-map \S+ in",
    r"route-map \S+ out",
    r"prefix-list \S+ in",
    r"prefix-list \S+ out",
    r"allowas-in",
    r"next-hop-self",
    r"maximum-prefix ",
    r"soft-reconfiguration ",
)
_VPC_DOMAIN = (
    r"peer-switch",
    r"role priority ",
    r"system-mac ",
    r"system-priority ",
    r"peer-keepalive ",
    r"delay restore ",
    r"peer-gateway",
    r"layer3 peer-router",
    r"auto-recovery",
    r"ipv6 nd synchronize",
    r"ip arp synchronize",
)
_HSRP = (r"authentication ", r"name ", r"mac-address ", r"preempt", r"priority ", r"timers ", r"ip ")
_SCHEDULE = (r"job name *", r"time ")


def _ranker(patterns: tuple[str, ...]) -> Rank:
    compiled = [(re.compile(p.rstrip("*")), p.endswith("*")) for p in patterns]

    @lru_cache(maxsize=4096)
    def rank(text: str) -> tuple | None:
        for index, (pattern, is_sorted) in enumerate(compiled):
            if pattern.match(text):
                return (index, natural(text)) if is_sorted else (index,)
        return None

    return rank


_rank_top_plain = _ranker(_TOP)


def rank_top(text: str) -> tuple | None:
    """Order of the top level."""
    rank = _rank_top_plain(text)
    if rank and text.startswith("feature "):
        name = text[len("feature ") :]
        return (*rank, FEATURES.index(name) if name in FEATURES else len(FEATURES))
    found = re.fullmatch(r"(?:ip prefix-list (\S+) seq (\d+)|route-map (\S+) (?:permit|deny) (\d+)) ?.*", text)
    if rank and found:
        return (rank[0], natural(found[1] or found[3]), int(found[2] or found[4]))
    if rank and re.match(r"(cfs|nv overlay) ?", text):  # stand among the features; a new feature goes by its own rank
        return None
    if rank and re.fullmatch(r"vlan [\d,-]+", text) and re.search(r"[,-]", text):
        return (rank[0],)  # the summary of all VLANs stands before their blocks
    return rank


_rank_interface = _ranker(_INTERFACE[1:])
_rank_svi = _ranker(_INTERFACE)
_rank_network_old = _ranker(_NETWORK_CLASS_OLD)
_rank_network_new = _ranker(_NETWORK_CLASS_NEW)
_RANKS: dict[str, Rank] = {
    "config-vlan": _ranker(_VLAN),
    "config-cmap-qos": _ranker(_CLASS_MAP),
    "config-cmap-nqos": _ranker(_CLASS_MAP),
    "config-pmap-qos": _ranker(_POLICY),
    "config-pmap-nqos": _ranker(_POLICY),
    "config-pmap-que": _ranker(_POLICY),
    "config-pmap-c-qos": _ranker(_QOS_CLASS),
    "config-pmap-c-que": _ranker(_QUEUING_CLASS),
    "config-sys-qos": _ranker(_SYSTEM_QOS),
    "config-schedule": _ranker(_SCHEDULE),
    "config-route-map": _ranker(_PREFIX_MATCH),
    "config-router": _ranker(_BGP),
    "config-router-vrf": _ranker(_BGP),
    "config-router-af": _ranker(_BGP_FAMILY),
    "config-router-neighbor": _ranker(_BGP_NEIGHBOR),
    "config-router-neighbor-af": _ranker(_BGP_NEIGHBOR_FAMILY),
    "config-vpc-domain": _ranker(_VPC_DOMAIN),
    "config-if-hsrp": _ranker(_HSRP),
}


def rank_of(mode: str, header: str, major: int) -> Rank:
    """Order inside a section; ``major`` is the first number of the release."""
    if mode == "config-if":
        return _rank_svi if header.startswith("interface Vlan") else _rank_interface
    if mode == "config-pmap-nqos-c":
        return _rank_network_new if major >= 10 else _rank_network_old
    return _RANKS.get(mode, lambda text: None)
