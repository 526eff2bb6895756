# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What routing, bonds and MLAG of one switch come to: sessions, routes and bundles from configuration and links.

An emulated switch knows only itself. The AS number and the prefixes of the far end are in
:class:`lab.device.PortState`, where the route exchange of the lab puts them (:mod:`lab.exchange`). STAND-IN: where that
knows nobody, the far end of a port that has light and a cable speaks BGP and LACP with the settings that match. The
MLAG peer is there as long as the peer link is up and has the default priority.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.device import PortState
from lab.nvue.ranges import natural
from lab.nvue.tree import Tree, at, at_map

if TYPE_CHECKING:
    from lab.nvue.device import NvueDevice

ON = ("on", "enabled")
OFF = ("off", "disabled")
DEFAULT_PRIORITY = 32768  # of clagd
DEFAULT_MULTIPATHS = 64
STRANGER = 4200000000  # AS number of a far end that nobody named


def switched_on(tree: Tree) -> bool:
    """``enable: on`` or ``state: enabled``."""
    return tree.get("enable", tree.get("state")) in ON


@dataclass
class Session:
    """One BGP session of the default VRF."""

    neighbor: str
    port: str | None
    state: str
    asn: int | None
    group: str | None
    settings: Tree  # of the neighbour, completed by its peer group
    routes: tuple[str, ...] = ()  # accepted

    @property
    def established(self) -> bool:
        return self.state == "established"

    @property
    def unnumbered(self) -> bool:
        return self.neighbor == self.port


class Routing:
    """State of one switch."""

    def __init__(self, device: NvueDevice) -> None:
        self.device = device
        self.tree = device.applied

    # -- links -------------------------------------------------------------------------------------------------
    def interface(self, name: str) -> Tree:
        return at_map(self.tree, ("interface", name))

    def admin_up(self, name: str) -> bool:
        return "down" not in at_map(self.interface(name), ("link", "state"))

    def members(self, name: str) -> list[str]:
        return sorted(at_map(self.interface(name), ("bond", "member")), key=natural)

    def aggregated(self, bond: str) -> list[str]:
        """Members that carry traffic: up, with a partner at the far end."""
        return [m for m in self.members(bond) if self.up(m) and self.far(m) is not None]

    def up(self, name: str) -> bool:
        """Whether the interface works."""
        if not self.admin_up(name):
            return False
        base, dot, _ = name.partition(".")
        if dot:
            return self.up(base)
        state = self.device.ports.get(name)
        if state is not None:
            return state.link
        if "bond" in self.interface(name):
            return bool(self.aggregated(name))
        return True  # lo, eth0, SVIs

    def far(self, name: str) -> PortState | None:
        """The port state that holds what is known about the far end, if there is one."""
        base = name.partition(".")[0]
        if "bond" in self.interface(base):
            return next((s for m in self.members(base) if (s := self.far(m)) is not None and self.up(m)), None)
        state = self.device.ports.get(base)
        return state if state is not None and state.peer is not None else None

    def addresses(self, name: str) -> list[str]:
        family = "ip" if self.device.old else "ipv4"
        found = [a for a in at_map(self.interface(name), (family, "address")) if a != "dhcp"]
        if name == "lo":
            found += at_map(self.tree, ("vrf", "default", "loopback", "ip", "address"))
        return [a for a in found if ipaddress.ip_interface(a).version == 4]

    def vrf_of(self, name: str) -> str:
        port = self.interface(name)
        found = at(port, ("ip", "vrf")) if self.device.old else port.get("vrf")
        return found or ("mgmt" if name == "eth0" else "default")

    # -- BGP ---------------------------------------------------------------------------------------------------
    @property
    def bgp(self) -> Tree:
        return at_map(self.tree, ("vrf", "default", "router", "bgp"))

    @property
    def asn(self) -> int | None:
        """The own AS number; None while BGP is off."""
        router = at_map(self.tree, ("router", "bgp"))
        if not switched_on(router) or not switched_on(self.bgp):
            return None
        own = self.bgp.get("autonomous-system", "auto")
        own = router.get("autonomous-system") if own == "auto" else own
        return own if isinstance(own, int) else None

    @property
    def router_id(self) -> str:
        own = self.bgp.get("router-id", "auto")
        own = at(self.tree, ("router", "bgp", "router-id")) if own == "auto" else own
        loopback = next((a.partition("/")[0] for a in self.addresses("lo")), "0.0.0.0")
        return loopback if own in (None, "none") else own

    def sessions(self) -> dict[str, Session]:
        names = self.bgp.get("neighbor", {})
        return {name: self._session(name) for name in sorted(names, key=natural)}

    def _session(self, name: str) -> Session:
        own = at_map(self.bgp, ("neighbor", name))
        group = own.get("peer-group")
        settings = _completed(own, at_map(self.bgp, ("peer-group", group or "")))
        port = self._port(name)
        state, asn = self._state(settings, port, numbered=port != name)
        session = Session(name, port, state, asn, None if group == "none" else group, settings)
        if session.established:
            session.routes = tuple(r for r in self._offered(session) if self.passes(settings, "inbound", r))
        return session

    def _port(self, name: str) -> str | None:
        """The interface a neighbour is reached over; None: its address is in no network of this switch."""
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return name
        for port in self.tree.get("interface", {}):
            if any(address in ipaddress.ip_interface(a).network for a in self.addresses(port)):
                return port
        return None

    def _state(self, settings: Tree, port: str | None, *, numbered: bool) -> tuple[str, int | None]:
        wanted = settings.get("remote-as")
        named = wanted if isinstance(wanted, int) else None
        stopped = settings.get("shutdown") in ON or settings.get("enable", settings.get("state")) in OFF
        if self.asn is None or wanted is None or stopped or port is None or not self.up(port):
            return "idle", named
        far = self.far(port)
        if far is None and (port in self.device.ports or "bond" in self.interface(port)):
            return ("active" if numbered else "idle"), named
        known = far.peer_asn if far is not None else None
        if known is None:
            known = named if named is not None else self.asn if wanted == "internal" else STRANGER + len(port)
        fits = {"external": known != self.asn, "internal": known == self.asn, "auto": True}
        return ("established" if fits.get(wanted, known == named) else "connect"), known

    def _offered(self, session: Session) -> tuple[str, ...]:
        far = self.far(session.port)
        capability = at(session.settings, ("capabilities", "extended-nexthop"))
        if far is None or (session.unnumbered and capability in OFF):
            return ()
        family = at_map(session.settings, ("address-family", "ipv4-unicast"))
        if family.get("enable", family.get("state")) in OFF:
            return ()
        return far.announces

    # -- policies ----------------------------------------------------------------------------------------------
    def passes(self, settings: Tree, direction: str, route: str) -> bool:
        policy = at_map(settings, ("address-family", "ipv4-unicast", "policy", direction))
        prefix_list, route_map = policy.get("prefix-list"), policy.get("route-map")
        if prefix_list not in (None, "none") and not self._listed(prefix_list, route):
            return False
        return route_map in (None, "none") or self._mapped(route_map, route)

    def _listed(self, name: str, route: str) -> bool:
        """As FRR: a list that does not exist permits, one that exists denies what no rule names."""
        rules = at(self.tree, ("router", "policy", "prefix-list", name, "rule"))
        if rules is None:
            return True
        network = ipaddress.ip_network(route)
        for number in sorted(rules, key=int):
            for prefix, bounds in at_map(rules, (number, "match")).items():
                within = ipaddress.ip_network(prefix, strict=False)
                if within.version != network.version or not network.subnet_of(within):
                    continue
                low = bounds.get("min-prefix-len", within.prefixlen)
                widest = network.max_prefixlen if "min-prefix-len" in bounds else within.prefixlen
                if low <= network.prefixlen <= bounds.get("max-prefix-len", widest):
                    return at(rules, (number, "action")) == "permit"
        return False

    def _mapped(self, name: str, route: str) -> bool:
        """As FRR: a route map that does not exist denies. Conditions other than prefix lists hold."""
        rules = at(self.tree, ("router", "policy", "route-map", name, "rule")) or {}
        for number in sorted(rules, key=int):
            prefix_list = at(rules, (number, "match", "ip-prefix-list"))
            if prefix_list is None or self._listed(prefix_list, route):
                return "permit" in at_map(rules, (number, "action"))
        return False

    # -- routes ------------------------------------------------------------------------------------------------
    def connected(self) -> dict[str, str]:
        """Network: interface, of the default VRF."""
        out: dict[str, str] = {}
        for name in sorted({"lo", *self.tree.get("interface", {})}, key=natural):
            if self.vrf_of(name) == "default" and self.up(name):
                for address in self.addresses(name):
                    out.setdefault(str(ipaddress.ip_interface(address).network), name)
        return out

    def originated(self) -> list[str]:
        """Networks of this switch that BGP has."""
        family = at_map(self.bgp, ("address-family", "ipv4-unicast"))
        redistribute = at_map(family, ("redistribute", "connected"))
        route_map = redistribute.get("route-map", "none")
        own = [n for n in family.get("network", {}) if n in self.connected()]
        if switched_on(redistribute):
            own += [n for n in self.connected() if route_map == "none" or self._mapped(route_map, n)]
        return own

    def announced(self, session: Session) -> list[str]:
        """What this switch tells a neighbour: its networks and what others told it."""
        if not session.established:
            return []
        own = self.originated()
        others = [r for s in self.sessions().values() if s.neighbor != session.neighbor for r in s.routes]
        offered = sorted({*own, *others}, key=natural)
        return [r for r in offered if self.passes(session.settings, "outbound", r)]

    def learned(self) -> dict[str, list[Session]]:
        """Prefix: the sessions its equal paths lead over."""
        family = at_map(self.bgp, ("address-family", "ipv4-unicast"))
        most = at(family, ("multipaths", "ebgp")) or DEFAULT_MULTIPATHS
        any_path = at(self.bgp, ("path-selection", "multipath", "aspath-ignore")) in ON
        own = self.connected()
        paths: dict[str, list[Session]] = {}
        for session in self.sessions().values():
            for route in session.routes:
                if route not in own:
                    paths.setdefault(route, []).append(session)
        return {
            route: [s for s in found if any_path or s.asn == found[0].asn][:most]
            for route, found in sorted(paths.items(), key=lambda item: natural(item[0]))
        }

    # -- MLAG --------------------------------------------------------------------------------------------------
    def mlag(self) -> Tree:
        """As ``nv show mlag``; empty while it is off."""
        config = at_map(self.tree, ("mlag",))
        if not switched_on(config):
            return {}
        alive = self.up("peerlink.4094") and bool(self.members("peerlink"))
        priority = config.get("priority", DEFAULT_PRIORITY)
        primary = priority <= DEFAULT_PRIORITY or not alive
        out: Tree = {
            **config,
            "backup-active": bool(config.get("backup")),
            "debug": config.get("debug", "off" if self.device.old else "disabled"),
            "init-delay": config.get("init-delay", 180),
            "local-id": self.device.system_mac,
            "local-role": "primary" if primary else "secondary",
            "peer-alive": alive,
            "peer-interface": "peerlink.4094",
            "priority": priority,
        }
        if alive:
            peer_ip = config.get("peer-ip")
            out |= {
                "peer-id": "48:b0:2d:00:00:fe",
                "peer-ip": "fe80::4ab0:2dff:fe00:fe" if peer_ip == "linklocal" else peer_ip,
                "peer-priority": DEFAULT_PRIORITY,
                "peer-role": "secondary" if primary else "primary",
            }
        return dict(sorted(out.items()))

    def bond(self, name: str) -> Tree:
        """As ``nv show interface NAME bond``."""
        config = at_map(self.interface(name), ("bond",))
        out: Tree = {"down-delay": 0, "lacp-bypass": "off" if self.device.old else "disabled", "lacp-rate": "fast"}
        out |= {"mode": "lacp", "up-delay": 0, **config}
        if "mlag" in config and "id" in config["mlag"] and self.mlag():
            dual = self.mlag()["peer-alive"] and self.up(name)
            out["mlag"] = {**config["mlag"], "status": "dual" if dual else "single"}
            if dual:
                out["mlag"]["peer-interface"] = name
        return dict(sorted(out.items()))

    def proc_bonding(self, name: str) -> str | None:
        """/proc/net/bonding/NAME, as the kernel writes it."""
        if "bond" not in self.interface(name):
            return None
        config = self.bond(name)
        lacp = config["mode"] == "lacp"
        active = self.aggregated(name)
        partner = "02:00:00:00:00:01" if active else "00:00:00:00:00:00"
        mode = "IEEE 802.3ad Dynamic link aggregation" if lacp else "load balancing (xor)"
        lines = ["Ethernet Channel Bonding Driver", "", f"Bonding Mode: {mode}", "Transmit Hash Policy: layer3+4 (1)"]
        lines += [f"MII Status: {'up' if active else 'down'}", "MII Polling Interval (ms): 100"]
        lines += [f"Up Delay (ms): {config['up-delay']}", f"Down Delay (ms): {config['down-delay']}"]
        if lacp:
            lines += ["", "802.3ad info", f"LACP rate: {config['lacp-rate']}", "Min links: 1"]
            lines += ["Aggregator selection policy (ad_select): stable", f"System MAC address: {self._lacp_mac(name)}"]
            lines += ["Active Aggregator Info:", "\tAggregator ID: 1", f"\tNumber of ports: {len(active)}"]
            lines += [f"\tPartner Mac Address: {partner}"]
        for number, member in enumerate(self.members(name), 1):
            lines += ["", f"Slave Interface: {member}", f"MII Status: {'up' if self.up(member) else 'down'}"]
            lines += ["Duplex: full", "Link Failure Count: 0"]
            if lacp:
                # 63: active, aggregating, in sync, collecting and distributing; 69: no partner heard, defaulted
                port_state = 63 if member in active else 69
                there = partner if member in active else "00:00:00:00:00:00"
                lines += ["Slave queue ID: 0", f"Aggregator ID: {1 if member in active else number + 1}"]
                lines += [f"details partner lacp pdu:\n    system mac address: {there}\n    port state: {port_state}"]
        return "\n".join(lines) + "\n"

    def _lacp_mac(self, name: str) -> str:
        if at(self.interface(name), ("bond", "mlag", "id")) is not None:
            return str(at(self.tree, ("mlag", "mac-address")) or self.device.system_mac).lower()
        return self.device.system_mac


def _completed(own: Tree, group: Tree) -> Tree:
    """A neighbour with what its peer group says where it says nothing itself."""
    out: dict[str, Any] = dict(group)
    for name, value in own.items():
        both = isinstance(value, dict) and isinstance(out.get(name), dict)
        out[name] = _completed(value, out[name]) if both else value
    return out
