# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Output of the ``show`` commands of EOS that tell the state of BGP, BFD, routes, port channels and MLAG, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.eos import routing_state as state
from lab.eos.routing_edit import members
from lab.eos.routing_state import Session
from lab.eos.state import port_config

if TYPE_CHECKING:
    from lab.eos.device import EosDevice

Json = dict[str, Any]


def _summary(device: EosDevice, peers: Json) -> Json:
    bgp = state.process(device)
    if bgp is None:
        return {"vrfs": {}}
    vrf = {"vrf": "default", "routerId": state.router_id(device, bgp), "asn": str(state.asn(bgp)), "peers": peers}
    return {"vrfs": {"default": vrf}}


def ip_bgp_summary(device: EosDevice, _: str | None) -> Json:
    """``show ip bgp summary``: one address family, so the counts stand beside the state."""
    return _summary(device, {s.address: _peer(device, s) for s in state.sessions(device)})


def _peer(device: EosDevice, s: Session) -> Json:
    found: Json = {"description": s.description} if s.description else {}
    return found | {
        "version": 4,
        "msgReceived": 10 if s.established else 0,
        "msgSent": 10 if s.established else 0,
        "inMsgQueue": 0,
        "outMsgQueue": 0,
        "asn": str(s.asn or 0),
        "prefixAccepted": len(s.accepted),
        "prefixReceived": len(s.received),
        "upDownTime": device.booted,
        "underMaintenance": False,
        "peerState": s.state,
        **({} if s.established else {"peerStateIdleReason": "Admin"} if s.state == "Idle" else {}),
    }


def bgp_summary(device: EosDevice, _: str | None) -> Json:
    """``show bgp summary``: all address families of a session."""
    peers = {
        s.address: {
            "version": 4,
            "msgReceived": 10 if s.established else 0,
            "msgSent": 10 if s.established else 0,
            "inMsgQueue": 0,
            "outMsgQueue": 0,
            "peerAsn": str(s.asn or 0),
            "upDownTime": device.booted,
            "underMaintenance": False,
            "peerState": s.state,
            "ipv4Unicast": {
                "afiSafiState": "negotiated" if s.established else "configured",
                "nlrisReceived": len(s.received),
                "nlrisAccepted": len(s.accepted),
            },
        }
        for s in state.sessions(device)
    }
    return _summary(device, peers)


def bfd_peers(device: EosDevice, _: str | None) -> Json:
    families: dict[str, Json] = {"ipv4Neighbors": {}, "ipv6Neighbors": {}}
    for s in state.sessions(device):
        if s.bfd and s.interface:
            family = "ipv6Neighbors" if ":" in s.address else "ipv4Neighbors"
            families[family][s.address.partition("%")[0]] = {
                "peerStats": {
                    s.interface: {
                        "status": "up" if s.established else "down",
                        "authType": "None",
                        "l3intf": s.interface,
                        "lastUp": device.booted,
                        "lastDown": 0.0,
                        "lastDiag": "diagNone",
                        "localDisc": 1,
                        "remoteDisc": 1 if s.established else 0,
                        "sessType": "sessionTypeNormal",
                    }
                }
            }
    return {"vrfs": {"default": families}}


def ip_route(device: EosDevice, _: str | None) -> Json:
    return _routes(_connected(device) | _learned(device))


def ip_route_bgp(device: EosDevice, _: str | None) -> Json:
    return _routes(_learned(device))


def _routes(found: Json) -> Json:
    vrf = {
        "routes": found,
        "allRoutesProgrammedKernel": True,
        "allRoutesProgrammedHardware": True,
        "defaultRouteState": "notSet",
        "routingDisabled": False,
    }
    return {"vrfs": {"default": vrf}}


def _connected(device: EosDevice) -> Json:
    return {
        str(network): {
            "hardwareProgrammed": True,
            "routeType": "connected",
            "routeLeaked": False,
            "kernelProgrammed": True,
            "routeAction": "forward",
            "directlyConnected": True,
            "vias": [{"interface": interface}],
        }
        for network, interface in state.connected(device).items()
    }


def _learned(device: EosDevice) -> Json:
    bgp = state.process(device)
    line = bgp.get("distance bgp") if bgp is not None else None
    distance = int(line.text.split()[2]) if line is not None else 200
    return {
        prefix: {
            "hardwareProgrammed": True,
            "routeType": "eBGP",
            "routeLeaked": False,
            "kernelProgrammed": True,
            "preference": distance,
            "metric": 0,
            "routeAction": "forward",
            "directlyConnected": False,
            "vias": [{"nexthopAddr": s.address.partition("%")[0], "interface": s.interface} for s in used],
        }
        for prefix, used in state.routes(device).items()
    }


def port_channel(device: EosDevice, names: str | None) -> Json:
    wanted = names.split(",") if names else None
    found: Json = {}
    for name, ports in state.bundles(device).items():
        if wanted is not None and name not in wanted:
            continue
        modes = members(device.tree, name.removeprefix("Port-Channel"))
        active, inactive = {}, {}
        for port, status in ports.items():
            protocol = "static" if modes[port] == "on" else "lacp"
            if state.bundled(status, modes[port]):
                active[port] = {"timeBecameActive": device.booted, "protocol": protocol}
            else:
                reason = "waiting for LACP response" if status.up else "link down"
                inactive[port] = {"protocol": protocol, "reasonUnconfigured": reason}
        found[name] = {
            "recircFeature": [],
            "fallbackState": "unconfigured",
            "inactiveLag": not active,
            "minLinks": 0,
            "minSpeed": "0 gbps",
            "activePorts": active,
            "inactivePorts": inactive,
        }
    return {"portChannels": found}


def lacp_interface(device: EosDevice, _: str | None) -> Json:
    found: Json = {}
    for name, ports in state.bundles(device).items():
        modes = members(device.tree, name.removeprefix("Port-Channel"))
        interfaces = {}
        for port, status in ports.items():
            if modes[port] == "on":
                continue
            good = state.bundled(status, modes[port])
            section = device.tree.root.get(f"interface {port}")
            flags = {
                "activity": modes[port] == "active",
                "timeout": section is not None and section.get("lacp timer") is not None,
                "aggregation": True,
                "synchronization": good,
                "collecting": good,
                "distributing": good,
                "defaulted": not good,
                "expired": False,
            }
            interfaces[port] = {
                "actorPortStatus": "bundled" if good else "noAgg" if status.up else "negotiation",
                "partnerSystemId": "8000,02-00-00-00-00-02" if good else "0000,00-00-00-00-00-00",
                "actorPortState": flags,
                "partnerPortState": flags | {"timeout": False},
            }
        found[name] = {"interfaces": interfaces}
    return {"portChannels": found, "orphanPorts": {}}


def mlag(device: EosDevice, _: str | None) -> Json:
    m = state.mlag(device)
    counts = {"Disabled": 0, "Configured": 0, "Inactive": 0, "Active-partial": 0, "Active-full": 0}
    for d in mlag_interfaces(device, None)["interfaces"].values():
        counts[{"active-full": "Active-full", "inactive": "Inactive"}.get(d["status"], "Active-partial")] += 1
    found: Json = {"state": m.state, "mlagPorts": counts, "portsErrdisabled": False}
    if not m.configured:
        return found
    return {
        "domainId": m.domain,
        "localInterface": m.local_interface,
        "peerAddress": m.peer_address,
        "peerLink": m.peer_link,
        "peerConfig": "consistent" if m.active else "",
        "state": m.state,
        "negStatus": "connected" if m.active else "connecting",
        "peerLinkStatus": "up" if m.link_up else "down",
        "localIntfStatus": "up" if m.local_up else "down",
        "systemId": "02:00:00:00:00:01" if m.active else "00:00:00:00:00:00",
        "dualPrimaryDetectionState": "disabled",
        "dualPrimaryPortsErrdisabled": False,
        **{k: found[k] for k in ("portsErrdisabled", "mlagPorts")},
    }


def mlag_detail(device: EosDevice, _: str | None) -> Json:
    m = state.mlag(device)
    found = mlag(device, None)
    if m.configured:
        role = ("primary" if m.primary else "secondary") if m.active else "inactive"
        other = {"primary": "secondary", "secondary": "primary"}.get(role, "unknown")
        found["detail"] = {"mlagState": role, "peerMlagState": other, "mlagHwReady": True, "failover": False}
    return found


def mlag_interfaces(device: EosDevice, _: str | None) -> Json:
    active = state.mlag(device).active
    found = {}
    for number, name in state.mlag_interfaces(device).items():
        up = state.is_up(device, name)
        status = "inactive" if not active else "active-full" if up else "active-partial"
        found[str(number)] = {
            "localInterface": name,
            "localInterfaceStatus": "up" if up else "down",
            "localInterfaceDescription": port_config(device.tree, name).description,
            "peerInterface": name,
            "peerInterfaceStatus": "up" if active else "unknown",
            "status": status,
        }
    return {"interfaces": found}
