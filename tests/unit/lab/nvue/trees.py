# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A leaf of an eBGP-unnumbered Clos with RoCE, as an NVUE tree in both dialects, and a device to try it on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lab.nvue.device import NvueDevice

PORTS = [f"swp{n}" for n in range(1, 65)]


def device(release: str = "5.14.0", clock: Callable[[], float] | None = None) -> NvueDevice:
    return NvueDevice("leaf01", PORTS, clock=clock or (lambda: 0.0), release=release)


class Time:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def qos() -> dict[str, Any]:
    """The explicit lossless tables. They are the same from 5.9 to 5.18."""
    return {
        "mapping": {
            "default-global": {
                "trust": "l3",
                "dscp": {"26": {"switch-priority": 3}, "48": {"switch-priority": 6}},
            }
        },
        "pfc": {"roce": {"switch-priority": {"3": {}}, "tx": "enable", "rx": "enable", "cable-length": 40}},
        "congestion-control": {
            "default-global": {
                "traffic-class": {
                    "3": {
                        "min-threshold": 150000,
                        "max-threshold": 1500000,
                        "probability": 100,
                        "ecn": "enable",
                        "red": "disable",
                    }
                }
            }
        },
        "egress-queue-mapping": {
            "default-global": {"switch-priority": {"3": {"traffic-class": 3}, "6": {"traffic-class": 6}}}
        },
        "egress-scheduler": {
            "roce": {
                "traffic-class": {
                    "0": {"mode": "dwrr", "bw-percent": 50},
                    "3": {"mode": "dwrr", "bw-percent": 50},
                    "6": {"mode": "strict"},
                }
            }
        },
        "traffic-pool": {"default-lossless": {"memory-percent": 50}, "default-lossy": {"memory-percent": 50}},
        "pfc-watchdog": {"polling-interval": 100, "robustness": 3},
    }


def leaf(*, old: bool) -> dict[str, Any]:
    """``old``: up to 5.14."""
    on = {"enable": "on"} if old else {"state": "enabled"}
    word = "on" if old else "enabled"

    def addresses(*nets: str) -> dict[str, Any]:
        return {"ip" if old else "ipv4": {"address": {net: {} for net in nets}}}

    lldp: dict[str, Any] = {
        "tx-interval": 30,
        "tx-hold-multiplier": 4,
        "application-tlv": {"udp-port": {"4791": {"priority": 3}}},
    }
    fields = ("source-ip", "destination-ip", "source-port", "destination-port", "ip-protocol")
    system: dict[str, Any] = {"hostname": "leaf01", "forwarding": {"ecmp-hash": dict.fromkeys(fields, word)}}
    peer_group: dict[str, Any] = {
        "remote-as": "external",
        "description": "fabric underlay",
        "timers": {"keepalive": 3, "hold": 9, "connection-retry": 10},
        "capabilities": {"extended-nexthop": word},
        "address-family": {"ipv4-unicast": on},
    }
    router: dict[str, Any] = {
        "bgp": {**on, "autonomous-system": 4200000011, "router-id": "10.0.0.11"},
        "adaptive-routing": on,
        "policy": {
            "prefix-list": {
                "FABRIC": {
                    "type": "ipv4",
                    "rule": {
                        "10": {
                            "action": "permit",
                            "match": {"10.0.0.0/24": {"min-prefix-len": 32, "max-prefix-len": 32}},
                        }
                    },
                }
            },
            "route-map": {
                "FABRIC": {
                    "rule": {"10": {"action": {"permit": {}}, "match": {"type": "ipv4", "ip-prefix-list": "FABRIC"}}}
                }
            },
        },
    }
    tree: dict[str, Any] = {"system": system, "router": router, "qos": qos()}
    eth0: dict[str, Any] = {"type": "eth"}
    if old:
        eth0["ip"] = {"address": {"dhcp": {}}, "vrf": "mgmt"}
        system["timezone"] = "Etc/UTC"
        ntp = {"mgmt": {"listen": "eth0", "server": {"192.0.2.123": {"iburst": "on"}}}}
        tree["service"] = {"lldp": lldp, "ntp": ntp}
        peer_group["bfd"] = {"enable": "on", "detect-multiplier": 3, "min-rx-interval": 300, "min-tx-interval": 300}
    else:
        eth0 |= {"ipv4": {"dhcp-client": {"state": "enabled"}}, "vrf": "mgmt"}
        system["lldp"] = {"state": "enabled", **lldp}
        system["ntp"] = {
            "state": "enabled",
            "vrf": "mgmt",
            "listen": {"eth0": {}},
            "server": {"192.0.2.123": {"iburst": "enabled"}},
        }
        system["date-time"] = {"timezone": "Etc/UTC"}
        system["gnmi-server"] = {"state": "enabled", "listening-address": {"192.0.2.11": {}}, "port": 9339}
        router["bfd"] = {
            "state": "enabled",
            "profile": {"fabric": {"detect-multiplier": 3, "min-rx-interval": 300, "min-tx-interval": 300}},
        }
        peer_group["bfd"] = {"profile": "fabric"}
    tree["interface"] = {
        "lo": {"type": "loopback", **addresses("10.0.0.11/32")},
        "eth0": eth0,
        "swp49": {
            "type": "swp",
            "description": "fabric swp49",
            "link": {"state": {"up": {}}, "mtu": 9216, "speed": "400G"},
            "qos": {
                "mapping": {"profile": "default-global"},
                "pfc": {"profile": "roce"},
                "congestion-control": {"profile": "default-global"},
                "egress-scheduler": {"profile": "roce"},
                "pfc-watchdog": {"state": "enable"},
            },
            "router": {"adaptive-routing": on},
        },
        "swp1": {"bridge": {"domain": {"br_default": {"access": 10}}}},
        "swp2": {"bridge": {"domain": {"br_default": {"untagged": 1, "vlan": {"10": {}, "20": {}}}}}},
        "vlan10": {"type": "svi", "vlan": 10, **addresses("10.10.10.1/24")},
    }
    tree["vrf"] = {
        "default": {
            "router": {
                "bgp": {
                    **on,
                    "address-family": {
                        "ipv4-unicast": {
                            **on,
                            "network": {"10.0.0.11/32": {}},
                            "redistribute": {"connected": {**on, "route-map": "FABRIC"}},
                            "multipaths": {"ebgp": 64},
                        }
                    },
                    "path-selection": {"multipath": {"aspath-ignore": word}},
                    "neighbor": {"swp49": {"type": "unnumbered", "remote-as": "external", "peer-group": "underlay"}},
                    "peer-group": {"underlay": peer_group},
                }
            }
        }
    }
    tree["bridge"] = {"domain": {"br_default": {"type": "vlan-aware", "untagged": 1, "vlan": {"10": {}, "20": {}}}}}
    return tree
