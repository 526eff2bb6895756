# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ``show`` commands of EOS about BGP, BFD, routes, port channels and MLAG as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.eos import routing_state as state
from lab.eos import show_routing
from lab.eos.names import short
from lab.eos.routing_edit import members

if TYPE_CHECKING:
    from lab.eos.device import EosDevice


def bgp_summary(device: EosDevice, _: str | None) -> str:
    bgp = state.process(device)
    if bgp is None:
        return "% BGP inactive"
    lines = [
        "BGP summary information for VRF default",
        f"Router identifier {state.router_id(device, bgp)}, local AS number {state.asn(bgp)}",
        "Neighbor Status Codes: m - Under maintenance",
        f"  {'Description':<24} {'Neighbor':<28} V {'AS':<12} {'MsgRcvd':>7} {'MsgSent':>9}  InQ OutQ {'Up/Down':>8}"
        f" {'State':<8} {'PfxRcd':>6} {'PfxAcc':>6}",
    ]
    for s in state.sessions(device):
        messages = 10 if s.established else 0
        word = "Estab" if s.established else s.state
        counts = f" {len(s.received):<6} {len(s.accepted)}" if s.established else ""
        lines.append(
            f"  {s.description[:24]:<24} {s.address:<28} 4 {s.asn or 0:<12} {messages:>7} {messages:>9}    0    0"
            f" 00:10:00 {word:<8}{counts}".rstrip()
        )
    return "\n".join(lines)


def bfd_peers(device: EosDevice, _: str | None) -> str:
    lines = [
        "VRF name: default",
        "-----------------",
        f"{'DstAddr':<28} {'MyDisc':>10} {'YourDisc':>10} {'Interface/Transport':<22} {'Type':<8} State",
    ]
    for family in show_routing.bfd_peers(device, None)["vrfs"]["default"].values():
        for address, peer in family.items():
            for interface, d in peer["peerStats"].items():
                lines.append(
                    f"{address:<28} {d['localDisc']:>10} {d['remoteDisc']:>10} {interface:<22} {'normal':<8}"
                    f" {d['status'].capitalize()}"
                )
    return "\n".join(lines)


def ip_route(device: EosDevice, _: str | None) -> str:
    return _routes(show_routing.ip_route(device, None))


def ip_route_bgp(device: EosDevice, _: str | None) -> str:
    return _routes(show_routing.ip_route_bgp(device, None))


def _routes(data: dict) -> str:
    lines = [
        "VRF: default",
        "Codes: C - connected, S - static, B E - eBGP, B I - iBGP",
        "",
        "Gateway of last resort is not set",
        "",
    ]
    for prefix, route in data["vrfs"]["default"]["routes"].items():
        if route["directlyConnected"]:
            lines.append(f" C        {prefix} is directly connected, {route['vias'][0]['interface']}")
            continue
        head = f" B E      {prefix} [{route['preference']}/{route['metric']}]"
        for via in route["vias"]:
            lines.append(f"{head} via {via['nexthopAddr']}, {via['interface']}")
            head = " " * len(head)
    return "\n".join(lines)


def port_channel(device: EosDevice, names: str | None) -> str:
    blocks = []
    for name, d in show_routing.port_channel(device, names)["portChannels"].items():
        lines = [f"Port Channel {name} (Fallback State: Unconfigured):"]
        for title, ports in (
            ("Active Ports", d["activePorts"]),
            ("Configured, but inactive ports", d["inactivePorts"]),
        ):
            lines.append(f"  {title}: {' '.join(ports)}".rstrip())
        blocks.append("\n".join(lines))
    return "\n".join(blocks)


def port_channel_dense(device: EosDevice, _: str | None) -> str:
    lines = [
        "Number of channels in use: {}",
        "   Port-Channel       Protocol    Ports",
        "------------------ -------------- -----",
    ]
    in_use = 0
    for name, ports in state.bundles(device).items():
        modes = members(device.tree, name.removeprefix("Port-Channel"))
        good = [p for p, status in ports.items() if state.bundled(status, modes[p])]
        in_use += bool(good)
        marks = [f"{short(p)}({'PG+' if p in good else 'D'})" for p in ports]
        protocol = "LACP(a)" if "on" not in modes.values() else "Static"
        lines.append(f"   {short(name)}({'U' if good else 'D'})            {protocol:<14} {' '.join(marks)}".rstrip())
    return "\n".join([f"Number of channels in use: {in_use}", *lines])


def lacp_interface(device: EosDevice, _: str | None) -> str:
    lines = []
    for name, d in show_routing.lacp_interface(device, None)["portChannels"].items():
        lines.append(f"Port Channel {name}:")
        for port, p in d["interfaces"].items():
            lines.append(f"  {short(port):<10} {p['actorPortStatus']:<12} partner {p['partnerSystemId']}")
    return "\n".join(lines)


def mlag(device: EosDevice, _: str | None) -> str:
    d = show_routing.mlag(device, None)
    rows = [
        ("MLAG Configuration:", None),
        ("domain-id", d.get("domainId", "")),
        ("local-interface", d.get("localInterface", "")),
        ("peer-address", d.get("peerAddress", "")),
        ("peer-link", d.get("peerLink", "")),
        ("peer-config", d.get("peerConfig", "")),
        ("", None),
        ("MLAG Status:", None),
        ("state", d["state"].capitalize()),
        ("negotiation status", d.get("negStatus", "").capitalize()),
        ("peer-link status", d.get("peerLinkStatus", "").capitalize()),
        ("local-int status", d.get("localIntfStatus", "").capitalize()),
        ("system-id", d.get("systemId", "")),
        ("", None),
        ("MLAG Ports:", None),
        *((name, str(count)) for name, count in d["mlagPorts"].items()),
    ]
    return "\n".join(name if value is None else f"{name:<35}:{value:>25}" for name, value in rows)


def mlag_interfaces(device: EosDevice, _: str | None) -> str:
    lines = [
        f"{'mlag':>5}   {'desc':<24} {'state':<16} {'local':<8} {'remote':<8} status",
        f"{'-' * 5}   {'-' * 24} {'-' * 16} {'-' * 8} {'-' * 8} {'-' * 9}",
    ]
    for number, d in show_routing.mlag_interfaces(device, None)["interfaces"].items():
        lines.append(
            f"{number:>5}   {d['localInterfaceDescription'][:24]:<24} {d['status']:<16}"
            f" {short(d['localInterface']):<8} {short(d['peerInterface']):<8} {d['localInterfaceStatus']}"
        )
    return "\n".join(lines)
