# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Output of the ``show`` commands of EOS that tell the state of ports, as data; :mod:`lab.eos.text` prints it.

Shapes as Arista's eAPI answers them, among them its traps: counters of ECN are strings, "-" where nothing counts; LLDP
port names carry quotes; numbers of a queue without events are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from ipaddress import IPv4Interface
from typing import TYPE_CHECKING, Any

from lab.cli import compress_ranges
from lab.eos.routing_state import bundle_status, bundles
from lab.eos.state import PortStatus, port_status

if TYPE_CHECKING:
    from lab.eos.device import EosDevice

Json = dict[str, Any]


class UnconvertedError(Exception):
    """The command has no JSON form."""


def ports(device: EosDevice, names: str | None) -> list[PortStatus]:
    """The chosen ports, or all."""
    wanted: Iterable[str] = names.split(",") if names else device.ports
    return [port_status(device.tree, n, device.ports[n]) for n in wanted if n in device.ports]


def with_bundles(device: EosDevice, names: str | None) -> list[PortStatus]:
    """The chosen ports and port channels, or all."""
    wanted = names.split(",") if names else [*bundles(device), *device.ports]
    channels = [bundle_status(device, n) for n in wanted if n in bundles(device)]
    return channels + [port_status(device.tree, n, device.ports[n]) for n in wanted if n in device.ports]


def version(device: EosDevice, _: str | None) -> Json:
    uptime = device.clock() - device.booted
    return {
        "mfgName": "Arista",
        "modelName": device.model,
        "hardwareRevision": "00.00",
        "serialNumber": f"LAB{device.name.upper()}",
        "systemMacAddress": "02:00:00:00:00:01",
        "hwMacAddress": "02:00:00:00:00:01",
        "configMacAddress": "00:00:00:00:00:00",
        "version": device.release,
        "architecture": "x86_64",
        "internalVersion": f"{device.release}-lab",
        "internalBuildId": "00000000-0000-0000-0000-000000000000",
        "imageFormatVersion": "3.0",
        "imageOptimization": "Default",
        "bootupTimestamp": device.booted,
        "uptime": round(uptime, 2),
        "memTotal": 16000000,
        "memFree": 12000000,
        "isIntlVersion": False,
    }


def hostname(device: EosDevice, _: str | None) -> Json:
    return {"hostname": device.hostname, "fqdn": device.hostname}


def interfaces(device: EosDevice, names: str | None) -> Json:
    return {"interfaces": {p.name: _interface(p) for p in with_bundles(device, names)}}


def _interface(p: PortStatus) -> Json:
    s, c = p.state, p.config
    addresses = [IPv4Interface(a) for a in c.addresses]
    return {
        "name": p.name,
        "forwardingModel": "bridged" if c.switchport else "routed",
        "lineProtocolStatus": "up" if p.up else "down",
        "interfaceStatus": p.link_status,
        "hardware": "ethernet",
        "interfaceAddress": [
            {
                "primaryIp": {"address": str(addresses[0].ip), "maskLen": addresses[0].network.prefixlen},
                "secondaryIps": {},
                "secondaryIpsOrderedList": [
                    {"address": str(a.ip), "maskLen": a.network.prefixlen} for a in addresses[1:]
                ],
                "broadcastAddress": "255.255.255.255",
            }
        ]
        if addresses
        else [],
        "physicalAddress": "02:00:00:00:00:01",
        "burnedInAddress": "02:00:00:00:00:01",
        "description": c.description,
        "bandwidth": p.speed * 1_000_000,
        "mtu": c.effective_mtu,
        "l2Mru": 0,
        "duplex": "duplexFull",
        "autoNegotiate": "off",
        "loopbackMode": "loopbackNone",
        "lanes": 8 if p.speed >= 400_000 else 4,
        "interfaceCounters": {
            "inOctets": s.rx_bytes,
            "inUcastPkts": s.rx_packets,
            "inMulticastPkts": 0,
            "inBroadcastPkts": 0,
            "inDiscards": s.rx_discards,
            "inTotalPkts": s.rx_packets,
            "outOctets": s.tx_bytes,
            "outUcastPkts": s.tx_packets,
            "outMulticastPkts": 0,
            "outBroadcastPkts": 0,
            "outDiscards": s.tx_discards,
            "outTotalPkts": s.tx_packets,
            "linkStatusChanges": 1,
            "totalInErrors": s.rx_errors,
            "inputErrorsDetail": {
                "runtFrames": 0,
                "giantFrames": 0,
                "fcsErrors": s.crc_errors,
                "alignmentErrors": 0,
                "symbolErrors": 0,
                "rxPause": 0,
            },
            "totalOutErrors": s.tx_errors,
            "outputErrorsDetail": {"collisions": 0, "lateCollisions": 0, "deferredTransmissions": 0, "txPause": 0},
        },
    }


def status(device: EosDevice, names: str | None) -> Json:
    return {"interfaceStatuses": {p.name: _status(p) for p in with_bundles(device, names)}}


def _status(p: PortStatus) -> Json:
    c = p.config
    if not c.switchport:
        vlan: Json = {"interfaceMode": "routed", "interfaceForwardingModel": "routed"}
    elif c.mode == "trunk":
        vlan = {"interfaceMode": "trunk", "interfaceForwardingModel": "bridged", "vlanExplanation": "trunk"}
    else:
        vlan = {"interfaceMode": "bridged", "interfaceForwardingModel": "bridged", "vlanId": c.access_vlan}
    return {
        "description": c.description,
        "linkStatus": p.link_status,
        "lineProtocolStatus": "up" if p.up else "down",
        "vlanInformation": vlan,
        "bandwidth": p.speed * 1_000_000,
        "duplex": "duplexFull",
        "autoNegotiateActive": False,
        "autoNegotigateActive": False,
        "interfaceType": "400GBASE-CR8" if p.state.link else "Not Present",
    }


def switchport(device: EosDevice, names: str | None) -> Json:
    return {"switchports": {p.name: _switchport(p) for p in with_bundles(device, names)}}


def _switchport(p: PortStatus) -> Json:
    c = p.config
    if not c.switchport:
        return {"enabled": False}
    return {
        "enabled": True,
        "switchportInfo": {
            "mode": c.mode,
            "accessVlanId": c.access_vlan,
            "accessVlanName": "default" if c.access_vlan == 1 else f"VLAN{c.access_vlan:04}",
            "trunkingNativeVlanId": c.native_vlan,
            "trunkingNativeVlanName": "default" if c.native_vlan == 1 else f"VLAN{c.native_vlan:04}",
            "trunkAllowedVlans": "ALL" if len(c.allowed) == 4094 else compress_ranges(c.allowed) or "NONE",
            "macLearning": True,
            "tpid": "0x8100",
            "tpidStatus": True,
            "dot1qVlanTagRequired": False,
        },
    }


def counters(device: EosDevice, names: str | None) -> Json:
    kinds = ("Octets", "UcastPkts", "MulticastPkts", "BroadcastPkts", "Discards")
    keys = [way + kind for way in ("in", "out") for kind in kinds]
    return {
        "interfaces": {
            p.name: {k: v for k, v in _interface(p)["interfaceCounters"].items() if k in keys}
            for p in ports(device, names)
        }
    }


def errors(device: EosDevice, names: str | None) -> Json:
    return {
        "interfaceErrorCounters": {
            p.name: {
                "inErrors": p.state.rx_errors,
                "outErrors": p.state.tx_errors,
                "fcsErrors": p.state.crc_errors,
                "alignmentErrors": 0,
                "symbolErrors": 0,
                "frameTooLongs": 0,
                "frameTooShorts": 0,
            }
            for p in ports(device, names)
        }
    }


def discards(device: EosDevice, names: str | None) -> Json:
    chosen = ports(device, names)
    return {
        "inDiscardsTotal": sum(p.state.rx_discards for p in chosen),
        "outDiscardsTotal": sum(p.state.tx_discards for p in chosen),
        "interfaces": {p.name: {"inDiscards": p.state.rx_discards, "outDiscards": p.state.tx_discards} for p in chosen},
    }


def _queue_counts(device: EosDevice, p: PortStatus, queue: int) -> Json:
    c = p.state.classes[queue]
    return {
        "enqueuedPackets": c.tx_packets,
        "enqueuedBytes": c.tx_bytes,
        "droppedPackets": c.drops,
        "droppedBytes": c.drops * 1500,
    }


def queue_drops(device: EosDevice, names: str | None) -> Json:
    """Switches with virtual output queues (Jericho): per traffic class, ingress and egress."""
    zero = {"enqueuedPackets": 0, "enqueuedBytes": 0, "droppedPackets": 0, "droppedBytes": 0}
    return {
        "interfaces": {
            p.name: {
                "trafficClasses": {
                    f"TC{n}": {
                        "ingressVoqCounters": {"countersSum": dict(zero)},
                        "egressQueueCounters": {"countersSum": _queue_counts(device, p, n)},
                    }
                    for n in range(8)
                }
            }
            for p in ports(device, names)
        }
    }


def queue_detail(device: EosDevice, names: str | None) -> Json:
    """Switches with unicast and multicast queues (Trident, Tomahawk)."""
    return {
        "egressQueueCounters": {
            "interfaces": {
                p.name: {
                    "ucastQueues": {
                        "trafficClasses": {
                            f"TC{n}": {"dropPrecedences": {"DP0": _queue_counts(device, p, n)}} for n in range(8)
                        }
                    },
                    "mcastQueues": {"trafficClasses": {}},
                }
                for p in ports(device, names)
            }
        }
    }


def flow_control(device: EosDevice, names: str | None) -> Json:
    return {
        "interfaceFlowControls": {
            p.name: {
                "txAdminState": p.config.flow_send,
                "txOperState": p.config.flow_send if p.up else "unknown",
                "rxAdminState": p.config.flow_receive,
                "rxOperState": p.config.flow_receive if p.up else "unknown",
                "txPause": 0,
                "rxPause": 0,
            }
            for p in ports(device, names)
        }
    }


def pfc_counters(device: EosDevice, names: str | None) -> Json:
    return {
        "interfaceCounters": {
            p.name: {
                "rxFrames": sum(c.pause_rx for c in p.state.classes.values()),
                "txFrames": sum(c.pause_tx for c in p.state.classes.values()),
            }
            for p in ports(device, names)
        }
    }


def pfc_watchdog(device: EosDevice, names: str | None) -> Json:
    result: Json = {}
    for p in ports(device, names):
        queues = {
            str(n): {"stuckCount": c.watchdog_detected, "recoveryCount": c.watchdog_restored}
            for n, c in p.state.classes.items()
            if c.watchdog_detected or c.watchdog_restored
        }
        if queues:
            result[p.name] = {"txQueues": queues}
    return {"interfaces": result}


def ecn_counters(device: EosDevice, names: str | None) -> Json:
    return {
        "intfQueueCounters": {
            p.name: {
                "queueCounters": {
                    str(n): str(p.state.classes[n].ecn_marked) if q.ecn_count else "-"
                    for n, q in p.config.queues.items()
                }
            }
            for p in ports(device, names)
        }
    }


def lldp_peers(device: EosDevice, names: str | None) -> list[tuple[str, str, str]]:
    """(port, system, port there) of every neighbour that is heard."""
    if any(n.text == "no lldp run" for n in device.tree.root.visible()):
        return []
    return [(p.name, *p.state.peer) for p in ports(device, names) if p.up and p.state.peer and p.config.lldp_receive]


def lldp(device: EosDevice, names: str | None) -> Json:
    return {
        "tablesLastChangeTime": device.booted,
        "tablesAgeOuts": 0,
        "tablesDeletes": 0,
        "tablesDrops": 0,
        "tablesInserts": 1,
        "lldpNeighbors": [
            {"port": port, "neighborDevice": system, "neighborPort": there, "ttl": 120}
            for port, system, there in lldp_peers(device, names)
        ],
    }


def lldp_detail(device: EosDevice, names: str | None) -> Json:
    heard = {port: (system, there) for port, system, there in lldp_peers(device, names)}
    result: Json = {}
    for p in ports(device, names):
        info = []
        if p.name in heard:
            system, there = heard[p.name]
            info = [
                {
                    "chassisIdType": "macAddress",
                    "chassisId": "0200.0000.0002",
                    "systemName": system,
                    "systemDescription": "lab",
                    "ttl": 120,
                    "neighborInterfaceInfo": {
                        "interfaceIdType": "interfaceName",
                        "interfaceId": f'"{there}"',
                        "interfaceId_v2": there,
                    },
                }
            ]
        result[p.name] = {"lldpNeighborInfo": info}
    return {"lldpNeighbors": result}


def trident_counters(device: EosDevice, names: str | None) -> Json:
    return {
        "ethernet": {
            p.name: {
                "count": {
                    "drop": {"rxMmuDrop": p.state.rx_discards, "txMmuDrop": p.state.tx_discards},
                    "error": {"rxFcsError": p.state.crc_errors, "txError": p.state.tx_errors},
                }
            }
            for p in ports(device, names)
        }
    }


def queue_monitor(device: EosDevice, _: str | None) -> Json:
    on = any(n.text == "queue-monitor length" for n in device.tree.root.visible())
    return {"lanzEnabled": on}


def vlan(device: EosDevice, _: str | None) -> Json:
    chosen = ports(device, None)
    result: Json = {}
    for number, name in device.vlans().items():
        members = {
            p.name: {"privatePromoted": False}
            for p in chosen
            if p.config.switchport and p.config.mode == "access" and p.config.access_vlan == number
        }
        result[str(number)] = {"name": name, "dynamic": False, "status": "active", "interfaces": members}
    return {"sourceDetail": "", "vlans": result}


def sessions(device: EosDevice, _: str | None) -> Json:
    return device.sessions.as_json()


def no_json(device: EosDevice, _: str | None) -> Json:
    raise UnconvertedError


DataCommand = Callable[["EosDevice", "str | None"], Json]
