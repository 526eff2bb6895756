# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""BGP and routes as ``nv show`` and FRR's ``vtysh`` print them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lab.nvue.device import mac_of
from lab.nvue.ranges import natural
from lab.nvue.routing import Routing, Session
from lab.nvue.tree import Tree, at, at_map, below, masked

if TYPE_CHECKING:
    from lab.nvue.device import NvueDevice


class ShowRouting:
    """Sessions and routes of one switch, for one command."""

    def __init__(self, device: NvueDevice) -> None:
        self.device = device
        self.routing = Routing(device)

    def bgp(self, words: list[str], view: str) -> Any:
        configured = below(masked(self.device.applied), ["vrf", "default", "router", "bgp", *words], self.device.model)
        sessions = self.routing.sessions()
        if not words:
            up = sum(s.established for s in sessions.values())
            return {**(configured or {}), "configured-neighbors": len(sessions), "established-neighbors": up}
        if words[0] != "neighbor":
            return configured
        if len(words) == 1:
            # Since 5.12 the list is a summary, and --view=detail shows what was shown before.
            brief = self.device.minor >= 12 and view != "detail"
            return {name: self._summary(s) if brief else self._detail(s) for name, s in sessions.items()}
        session = sessions.get(words[1])
        return None if session is None else at(self._detail(session), words[2:])

    def _summary(self, session: Session) -> Tree:
        out: Tree = {
            "afi-safi": {"ipv4-unicast": self._prefixes(session)},
            "last-reset-time": 1000,
            "message-stats": {"rx-total": 0, "tx-total": 0},
            "remote-as": session.asn if session.asn is not None else 0,
            "state": session.state,
        }
        if session.established:
            out["uptime"] = self._uptime()
        return dict(sorted(out.items()))

    def _detail(self, session: Session) -> Tree:
        config = at_map(masked(self.device.applied), ("vrf", "default", "router", "bgp", "neighbor", session.neighbor))
        families = {**at_map(config, ("address-family",))}
        families["ipv4-unicast"] = {**families.get("ipv4-unicast", {}), **self._prefixes(session)}
        out: Tree = {
            **config,
            "address-family": families,
            "bgp-version": 4,
            "connections-established": int(session.established),
            "local-as": {"asn": self.routing.asn or 0},
            "remote-as": session.asn if session.asn is not None else 0,
            "state": session.state,
            "timers": at_map(session.settings, ("timers",)),
        }
        if session.group:
            out["peer-group"] = session.group
        if session.established:
            out |= {"established-time": self._uptime(), "remote-router-id": "192.0.2.1"}
        return dict(sorted(out.items()))

    def _prefixes(self, session: Session) -> Tree:
        return {"rx-prefix": len(session.routes), "tx-prefix": len(self.routing.announced(session))}

    def _uptime(self) -> int:
        return int((self.device.clock() - self.device.booted) * 1000)

    def rib(self) -> Tree:
        """Shape of the entries as client programs read it; NVIDIA documents the tables only."""
        routes: Tree = {}
        for network, name in self.routing.connected().items():
            via = {name: {"flags": {"active": {}}, "interface": name, "type": "interface"}}
            routes[network] = _route("connected", 0, via)
        for network, sessions in self.routing.learned().items():
            via = {}
            for s in sessions:
                hop = _link_local(s.neighbor) if s.unnumbered else s.neighbor
                via[hop] = {"flags": {"active": {}}, "interface": s.port, "type": "ip-address", "weight": 1}
            routes[network] = _route("bgp", 20, via)
        return {network: routes[network] for network in sorted(routes, key=natural)}

    def vtysh(self, command: str) -> str | None:
        """FRR's own answer in JSON; None for what it is not asked here."""
        words = command.split()
        words = ["bgp", *words[2:]] if words[:2] == ["ip", "bgp"] else words
        if "vrf" in words:
            spot = words.index("vrf")
            if words[spot + 1 : spot + 2] != ["default"]:
                return None
            del words[spot : spot + 2]
        if words in (["bgp", "summary", "json"], ["bgp", "ipv4", "unicast", "summary", "json"]):
            summary = self._frr_summary()
            return json.dumps(summary if words[1] == "ipv4" else {"ipv4Unicast": summary} if summary else {}, indent=2)
        if words in (["ip", "route", "json"], ["ip", "route", "bgp", "json"]):
            return json.dumps(self._frr_routes(bgp_only="bgp" in words), indent=2)
        return None

    def _frr_summary(self) -> Tree:
        if self.routing.asn is None:
            return {}
        peers = {}
        for s in self.routing.sessions().values():
            peers[s.neighbor] = {
                "remoteAs": s.asn or 0,
                "version": 4,
                "peerUptime": "00:10:00" if s.established else "never",
                "pfxRcd": len(s.routes),
                "pfxSnt": len(self.routing.announced(s)),
                "state": s.state.capitalize(),
                "peerState": "OK",
                "idType": "interface" if s.unnumbered else "ipv4",
            }
        return {
            "routerId": self.routing.router_id,
            "as": self.routing.asn,
            "vrfName": "default",
            "peers": peers,
            "failedPeers": sum(p["state"] != "Established" for p in peers.values()),
            "totalPeers": len(peers),
        }

    def _frr_routes(self, *, bgp_only: bool) -> Tree:
        out: Tree = {}
        for network, entry in self.rib().items():
            route = entry["route-entry"]["1"]
            if bgp_only and route["protocol"] != "bgp":
                continue
            hops = []
            for hop, via in route["via"].items():
                where = {"interfaceName": via["interface"], "active": True, "fib": True}
                known = {"directlyConnected": True} if hop == via["interface"] else {"ip": hop}
                hops.append({**known, **where})
            out[network] = [
                {
                    "prefix": network,
                    "protocol": route["protocol"],
                    "selected": True,
                    "distance": route["distance"],
                    "metric": 0,
                    "installed": True,
                    "nexthops": hops,
                }
            ]
        return out


def _route(protocol: str, distance: int, via: Tree) -> Tree:
    flags: Tree = {"fib-selected": {}, "installed": {}, "selected": {}}
    entry = {"distance": distance, "flags": flags, "metric": 0, "protocol": protocol, "table-id": 254, "via": via}
    return {"route-entry": {"1": entry}}


def _link_local(name: str) -> str:
    """The IPv6 address the far end of a port would have."""
    octets = mac_of(name + " far").split(":")
    return f"fe80::4ab0:{octets[2]}ff:fe{octets[3]}:{octets[4]}{octets[5]}"
