# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``nv show``: operational state made from configuration, port state and counters.

Shapes of interface, link, LLDP, QoS counters, RoCE and watchdog follow NVIDIA's documentation and public transcripts.
Guessed, because no public JSON was found: the groups of ``counters`` other than ``qos``, and ``qos buffer``.
``nv show`` of anything else prints the applied configuration below that path.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from lab.device import ClassCounters, PortState
from lab.nvue.checks import at_map, macro_on
from lab.nvue.device import mac_of
from lab.nvue.ranges import RangeError, expand, natural
from lab.nvue.routing import Routing, Session
from lab.nvue.tree import Tree, at, compressed, masked
from lab.nvue.yamltext import dump

if TYPE_CHECKING:
    from lab.nvue.device import NvueDevice

_UNITS = ("Bytes", "KB", "MB", "GB", "TB")
HUMANISED_UP_TO = 10  # minor release; later ones print integers and count ECN marks per queue
# Views of "nv show interface": word after "interface", or value of --view.
_VIEWS = ("lldp", "lldp-detail", "counters", "status", "description", "mac", "brief", "detail", "small", "up", "down")


def humanised(count: int) -> str:
    """Bytes as NVUE prints them: 146.48 KB."""
    value, unit = float(count), 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{count} Bytes" if unit == 0 else f"{value:.2f} {_UNITS[unit]}"


def table(head: list[str], rows: list[list[Any]], indent: str = "") -> str:
    """Columns two spaces apart under a ruler."""
    texts = [[str(c) for c in row] for row in rows]
    widths = [max([len(h), *(len(r[i]) for r in texts)]) for i, h in enumerate(head)]
    lines = [head, ["-" * w for w in widths], *texts]
    return "\n".join(indent + "  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in lines)


def defaults(device: NvueDevice, tree: Tree) -> Tree:
    """What ``--all`` adds: the defaults of what is configured, as far as a lossless fabric is concerned."""
    toggle = "off" if device.old else "disabled"
    macro = {"enable": toggle} if device.old else {"state": toggle}
    out: Tree = {"qos": {"pfc-watchdog": {"polling-interval": 100, "robustness": 3}, "roce": macro}, "interface": {}}
    for name in at_map(tree, ("qos", "pfc")):
        out["qos"].setdefault("pfc", {})[name] = {"cable-length": 10, "tx": "enable", "rx": "disable"}
    for name, port in tree.get("interface", {}).items():
        if port.get("type") == "swp":
            link = {"mtu": 9216, "speed": "auto", "fec": "auto"}
            out["interface"][name] = {"link": link | ({} if at(port, ("link", "state")) else {"state": {"up": {}}})}
    return out


class Show:
    """State of one switch, for one command."""

    def __init__(self, device: NvueDevice) -> None:
        self.device = device
        self.tree = device.applied
        self.ints = device.minor > HUMANISED_UP_TO
        self.routing = Routing(device)

    # -- entry -------------------------------------------------------------------------------------------------
    def text(self, words: list[str], *, rev: str, view: str, output: str, find: Callable[[str], Tree]) -> str | None:
        """The output, or None where nothing of that name exists."""
        if rev and rev != "operational":
            found = _below(find(rev), words, self.device.model)
            return None if found is None else self._printed(masked(found), output, words)
        data = self.data(words, view)
        if data is None:
            return None
        if output in ("auto", "native"):
            special = self._table(words, view, data)
            if special is not None:
                return special
        return self._printed(data, output, words)

    def _printed(self, data: Any, output: str, words: list[str]) -> str:
        if output == "json":
            return json.dumps(data, indent=2)
        if output == "yaml":
            return "\n".join(line[2:] for line in dump([{"x": data}]).splitlines()[1:]) if data else "{}"
        rows = [[" " * 2 * depth + name, value, value] for depth, name, value in _flat(data)]
        return table(["", "operational", "applied"], rows)

    def data(self, words: list[str], view: str = "") -> Any:
        """What ``-o json`` prints."""
        head = words[:1]
        if head == ["system"]:
            return self._system(words[1:])
        if words == ["platform"]:
            return self._platform()
        if head == ["interface"]:
            return self._interfaces(words[1:], view)
        if words[:2] == ["qos", "roce"] and len(words) == 2:
            return self._roce()
        if words == ["mlag"]:
            return self.routing.mlag() or {"enable" if self.device.old else "state": self._word(False)}
        if words[:4] == ["vrf", "default", "router", "bgp"]:
            return self._bgp(words[4:], view)
        if words[:5] == ["vrf", "default", "router", "rib", "ipv4"]:
            return _into({"route": self._rib()}, words[5:])
        return self._configured(words)

    def _configured(self, words: list[str]) -> Any:
        return _below(masked(self.tree), words, self.device.model)

    # -- system ------------------------------------------------------------------------------------------------
    def _system(self, words: list[str]) -> Any:
        release = self.device.release
        build = f"{release}.0001"
        if words == ["version"]:
            return {
                "base-os": "Debian GNU/Linux 12.13",
                "image": {"build-date": "Wed Jan 1 00:00:00 UTC 2025", "build-id": build},
                "kernel": "6.1.0-cl-1-amd64",
                "onie": "2021.05-5.3.0008-115200",
                "product-release": release,
            }
        if words:
            return self._configured(["system", *words])
        seconds = max(0, int(self.device.clock() - self.device.booted))
        uptime = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        common = {"hostname": self.device.hostname, "uptime": uptime}
        if self.device.old:
            return {
                "build": f"Cumulus Linux {release}",
                **common,
                "platform": "SN5600",
                "product-name": "Cumulus Linux",
                "product-release": release,
                "timezone": at(self.tree, ("system", "timezone")) or "Etc/UTC",
            }
        return {
            "date-time": {"timezone": at(self.tree, ("system", "date-time", "timezone")) or "Etc/UTC"},
            "fqdn": self.device.hostname,
            "health": {"status": "OK"},
            **common,
            "product-name": "Cumulus Linux",
            "version": {"product-release": release},
        }

    def _platform(self) -> Tree:
        return {
            "asic-model": "Spectrum-4",
            "cpu": "x86_64",
            "manufacturer": "Nvidia",
            "part-number": "MSN5600-CS2FC",
            "product-name": "SN5600",
            "serial-number": f"EMU{sum(map(ord, self.device.name)):08d}",
            "system-mac": self.device.system_mac,
        }

    # -- interfaces --------------------------------------------------------------------------------------------
    def _interfaces(self, words: list[str], view: str) -> Any:
        configured = self.tree.get("interface", {})
        logical = (name for name in configured if not name.startswith("swp"))  # a port is there or it is not
        names = sorted({*self.device.ports, *logical}, key=natural)
        if not words or (words[0] in _VIEWS and words[0] not in names):
            view = view or (words[0] if words else "")
            if len(words) > 1:
                return None
            wanted = {"up": [True], "down": [False]}.get(view, [True, False])
            return {name: self._viewed(name, view) for name in names if self.up(name) in wanted}
        try:
            chosen = expand(words[0])
        except RangeError:
            return None
        found = {name: self._one(name, words[1:], view) for name in chosen if name in names}
        if not found or any(value is None for value in found.values()):
            return None
        return found[chosen[0]] if len(chosen) == 1 else found

    def _viewed(self, name: str, view: str) -> Tree:
        if view in ("lldp", "lldp-detail"):
            neighbors = self._neighbors(name)
            return {"lldp": {"neighbor": neighbors}} if neighbors else {}
        if view == "counters":
            return {"counters": {"netstat": self._netstat(name)}}
        whole = self._whole(name)
        if view in ("description", "mac"):
            return {k: v for k, v in whole.items() if k in ("link", "description", "type")}
        return whole

    def _one(self, name: str, words: list[str], view: str) -> Any:
        if not words:
            return self._viewed(name, view)
        if words[0] == "link":
            return _into(self._link(name), words[1:])
        if words[0] == "lldp":
            return _into(
                {"neighbor": self._neighbors(name), **at_map(self.tree, ("interface", name, "lldp"))}, words[1:]
            )
        if words[0] == "counters":
            return self._counters(name, words[1:])
        if words[0] == "qos":
            return self._qos(name, words[1:])
        if words[0] == "bond" and "bond" in at_map(self.tree, ("interface", name)):
            return _into(self.routing.bond(name), words[1:])
        if words[0] in ("type", "description"):
            return self._whole(name).get(words[0])
        return self._configured(["interface", name, *words])

    def _whole(self, name: str) -> Tree:
        """All of one interface: configuration, completed by state."""
        port = at_map(masked(self.tree), ("interface", name))
        out = {k: v for k, v in port.items() if k not in ("link", "lldp")}
        out.setdefault("type", "swp" if name in self.device.ports else "eth")
        out["link"] = self._link(name)
        if "bond" in port:
            out["bond"] = self.routing.bond(name)
        neighbors = self._neighbors(name)
        if neighbors:
            out["lldp"] = {"neighbor": neighbors}
        return out

    def state(self, name: str) -> PortState:
        return self.device.ports.get(name) or _OTHER

    def admin_up(self, name: str) -> bool:
        return self.routing.admin_up(name)

    def up(self, name: str) -> bool:
        return self.routing.up(name)

    def _link(self, name: str) -> Tree:
        config = at_map(self.tree, ("interface", name, "link"))
        state = self.state(name)
        admin, up = self.admin_up(name), self.up(name)
        swp = name in self.device.ports
        toggle = ("on", "off") if self.device.old else ("enabled", "disabled")
        out: Tree = {
            "admin-status": "up" if admin else "down",
            "auto-negotiate": config.get("auto-negotiate", toggle[0]),
            "mac-address": config.get("mac-address", mac_of(name)),
            "mtu": config.get("mtu", self.device.mtu_default if name not in ("eth0",) else 1500),
            "oper-status": "up" if up else "down",
            "state": {"up" if up else "down": {}},
            "stats": self._stats(state),
        }
        if swp:
            out["fec"] = config.get("fec", "auto")
        if up and name != "lo":
            out["duplex"] = "full"
            out["speed"] = self._speed(name)
        return dict(sorted(out.items()))

    def _speed(self, name: str) -> str:
        speed = self.state(name).speed
        if speed is not None:
            return f"{speed // 1000}G" if speed >= 1000 else f"{speed}M"
        configured = at(self.tree, ("interface", name, "link", "speed"))
        if configured not in (None, "auto"):
            return configured
        return "400G" if name in self.device.ports else "1G"

    def _stats(self, s: PortState) -> Tree:
        return {
            "carrier-transitions": 1 if s.link else 2,
            "in-bytes": self._bytes(s.rx_bytes),
            "in-drops": s.rx_discards,
            "in-errors": s.rx_errors,
            "in-pkts": s.rx_packets,
            "out-bytes": self._bytes(s.tx_bytes),
            "out-drops": s.tx_discards,
            "out-errors": s.tx_errors,
            "out-pkts": s.tx_packets,
        }

    def _bytes(self, count: int) -> int | str:
        return count if self.ints else humanised(count)

    def _neighbors(self, name: str) -> Tree:
        peer = self.state(name).peer
        service = ("service", "lldp") if self.device.old else ("system", "lldp")
        off = "disabled" in (
            at(self.tree, (*service, "state")),
            at(self.tree, ("interface", name, "lldp", "state")),
        )
        if not peer or not self.up(name) or off:
            return {}
        system, port = peer
        return {
            system: {
                "age": "0:10:00",
                "chassis": {
                    "capability": {"is-bridge": "on", "is-router": "on"},
                    "chassis-id": mac_of(system),
                    "system-description": "emulated",
                    "system-name": system,
                },
                "port": {"description": port, "name": port, "ttl": 120, "type": "ifname"},
            }
        }

    # -- routing -----------------------------------------------------------------------------------------------
    def _word(self, on: bool) -> str:
        return (("on", "off") if self.device.old else ("enabled", "disabled"))[not on]

    def _bgp(self, words: list[str], view: str) -> Any:
        configured = self._configured(["vrf", "default", "router", "bgp", *words])
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
        return None if session is None else _into(self._detail(session), words[2:])

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
        config = at_map(masked(self.tree), ("vrf", "default", "router", "bgp", "neighbor", session.neighbor))
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

    def _rib(self) -> Tree:
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
        for network, entry in self._rib().items():
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

    # -- counters ----------------------------------------------------------------------------------------------
    def _netstat(self, name: str) -> Tree:
        s = self.state(name)
        return {
            "rx-drop": s.rx_discards,
            "rx-err": s.rx_errors,
            "rx-ok": s.rx_packets,
            "tx-drop": s.tx_discards,
            "tx-err": s.tx_errors,
            "tx-ok": s.tx_packets,
        }

    def _counters(self, name: str, words: list[str]) -> Any:
        if words[:1] == ["qos"]:
            return _into(self._qos_counters(name), words[1:])
        s = self.state(name)
        both = lambda rx, tx: {"receive": rx, "transmit": tx}  # noqa: E731 - two columns of the table
        data = {
            **self._stats(s),
            "detailed": {
                "total-octets": both(self._bytes(s.rx_bytes), self._bytes(s.tx_bytes)),
                "total-packets": both(s.rx_packets, s.tx_packets),
            },
            "drops": {"total-drops": both(s.rx_discards, s.tx_discards)},
            "errors": {"fcs-errors": both(s.crc_errors, "n/a"), "total-errors": both(s.rx_errors, s.tx_errors)},
            "netstat": self._netstat(name),
            "qos": self._qos_counters(name),
        }
        return _into(data, words)

    def _qos_counters(self, name: str) -> Tree:
        s = self.state(name)
        egress, ingress, pfc = {}, {}, {}
        for n in range(8):
            c = s.classes[n]
            queue: Tree = {
                "tx-bytes": self._bytes(c.tx_bytes),
                "tx-frames": c.tx_packets,
                # A count of frames. Old releases print it with a unit of bytes all the same.
                "tx-uc-buffer-discards": self._bytes(c.drops),
                "wred-discards": 0,
            }
            if self.ints:
                queue["ecn-marked-frames"] = c.ecn_marked
            egress[str(n)] = queue
            ingress[str(n)] = {
                "rx-buffer-discards": self._bytes(0),
                "rx-frames": c.rx_packets,
                "rx-shared-buffer-discards": self._bytes(0),
            }
            pfc[str(n)] = {
                "rx-pause-duration": 0,
                "rx-pause-frames": c.pause_rx,
                "tx-pause-duration": 0,
                "tx-pause-frames": c.pause_tx,
            }
        classes = s.classes.values()
        return {
            "egress-queue-stats": egress,
            "ingress-buffer-stats": ingress,
            "pfc-stats": pfc,
            "qos-port-stats": {
                "ecn-marked-packets": {"receive": "n/a", "transmit": sum(c.ecn_marked for c in classes)},
                "mc-buffer-discards": {"receive": "n/a", "transmit": 0},
                "pause-frames": {"receive": 0, "transmit": 0},
            },
        }

    # -- QoS of one port ---------------------------------------------------------------------------------------
    def _qos(self, name: str, words: list[str]) -> Any:
        if not words:
            return self._configured(["interface", name, "qos"]) or {}
        if words[0] == "pfc-watchdog":
            return _into(self._watchdog(name), words[1:])
        if words[:2] == ["roce", "counters"]:
            return _into(self._roce_counters(name), words[2:])
        if words[0] == "roce":
            status = self._roce()
            return status if len(words) == 1 else _into(status, words[2:]) if words[1] == "status" else None
        if words[0] == "buffer":
            classes = self.state(name).classes
            usage = {
                str(n): {"current-usage": self._bytes(c.depth_bytes), "max-usage": self._bytes(c.max_depth_bytes)}
                for n, c in sorted(classes.items())
            }
            return _into({"traffic-class": usage}, words[1:])
        if words[0] in ("mapping", "pfc", "congestion-control", "egress-scheduler", "egress-queue-mapping", "remark"):
            return _into(self._profile(name, words[0]), words[1:])
        return self._configured(["interface", name, "qos", *words])

    def _profile(self, name: str, kind: str) -> Tree:
        """The profile in force on a port: its name and its content."""
        profile = at(self.tree, ("interface", name, "qos", kind, "profile")) or "default-global"
        content = at_map(self.tree, ("qos", kind, profile))
        return dict(content) if kind == "egress-queue-mapping" else {**content, "profile": profile}

    def _watchdog(self, name: str) -> Tree:
        state = at(self.tree, ("interface", name, "qos", "pfc-watchdog", "state")) or "disable"
        out: Tree = {"state": state}
        if state == "enable":
            classes = self.state(name).classes
            out["status"] = {
                str(n): {
                    "deadlock-count": c.watchdog_detected,
                    "status": "DEADLOCK" if c.watchdog_detected > c.watchdog_restored else "OK",
                }
                for n, c in sorted(classes.items())
            }
        return out

    def _roce(self) -> Tree:
        """The macro as the switch expands it. This never shows up in the configuration."""
        qos = self.tree.get("qos", {})
        toggle = "enable" if self.device.old else "state"
        if not macro_on(qos, old=self.device.old):
            return {toggle: "off" if self.device.old else "disabled"}
        mode = at(qos, ("roce", "mode")) or "lossless"
        out: Tree = {
            toggle: "on" if self.device.old else "enabled",
            "congestion-control": {
                "congestion-mode": "ECN,RED" if mode.startswith("lossy") else "ECN",
                "enabled-tc": "0,3",
                "max-threshold": self._bytes(1500000),
                "min-threshold": self._bytes(150000),
                "probability": 100,
            },
            "lldp-app-tlv": {"priority": 3, "protocol-id": 4791, "selector": "UDP"},
            "mode": mode,
            "prio-map": {
                "cnp": {"dscp": "48", "pcp": "6", "switch-prio": 6},
                "roce": {"dscp": "26", "pcp": "3", "switch-prio": 3},
            },
            "tc-map": {
                "cnp": {"scheduler-weight": "strict priority", "switch-prio": 6, "traffic-class": 6},
                "roce": {"scheduler-weight": "dwrr-50%", "switch-prio": 3, "traffic-class": 3},
            },
            "trust": {"trust-mode": "pcp,dscp"},
        }
        if not mode.startswith("lossy"):
            out["pfc"] = {"pfc-priority": 3, "rx-enabled": "yes", "tx-enabled": "yes"}
        return out

    def _roce_counters(self, name: str) -> Tree:
        s = self.state(name)
        roce, cnp = s.classes[3], s.classes[6]
        other = [c for n, c in s.classes.items() if n not in (3, 6)]
        return {
            "rx-stats": {
                "rx-non-roce-stats": {"no-buffer-discards": 0, "non-roce-packets": sum(c.rx_packets for c in other)},
                "rx-pfc-stats": {"pause-duration": 0, "pause-packets": roce.pause_rx},
                "rx-roce-stats": {"no-buffer-discards": 0, "roce-packets": roce.rx_packets},
            },
            "tx-stats": {
                "tx-cnp-stats": {"cnp-packets": cnp.tx_packets, "unicast-no-buffer-discard": cnp.drops},
                "tx-ecn-stats": {"ecn-marked-packets": roce.ecn_marked},
                "tx-pfc-stats": {"pause-duration": 0, "pause-packets": roce.pause_tx},
                "tx-roce-stats": {
                    "roce-packets": roce.tx_packets,
                    "tc-max-usage": self._bytes(roce.max_depth_bytes),
                    "tc-usage": self._bytes(roce.depth_bytes),
                    "unicast-no-buffer-discard": roce.drops,
                },
            },
        }

    # -- tables ------------------------------------------------------------------------------------------------
    def _table(self, words: list[str], view: str, data: Any) -> str | None:
        if words == ["interface"] and view in ("", "status", "brief"):
            return self._interface_table(data)
        if words in (["interface", "lldp"], ["interface"]) and "lldp" in (view, words[-1]):
            rows = []
            for name, entry in data.items():
                for host, neighbor in at_map(entry, ("lldp", "neighbor")).items():
                    kind = at(self.tree, ("interface", name, "type")) or "swp"
                    rows.append([name, self._speed(name), kind, host, neighbor["port"]["name"]])
            return table(["Interface", "Speed", "Type", "Remote Host", "Remote Port"], rows)
        if words == ["vrf", "default", "router", "bgp", "neighbor"]:
            rows = []
            for name, entry in data.items():
                counts = at_map(entry, ("afi-safi", "ipv4-unicast")) or entry["address-family"]["ipv4-unicast"]
                told = [counts["tx-prefix"], counts["rx-prefix"]]
                rows.append([name, entry["remote-as"], entry["state"], "ipv4-unicast", *told])
            return table(["Neighbor", "AS", "State", "Afi-Safi", "PfxSent", "PfxRcvd"], rows)
        if words == ["vrf", "default", "router", "rib", "ipv4", "route"]:
            entries = [(name, entry["route-entry"]["1"]) for name, entry in data.items()]
            rows = [[name, e["protocol"], e["distance"], e["metric"], "*Si"] for name, e in entries]
            return table(["Route", "Protocol", "Distance", "Metric", "Flags"], rows)
        if words[:1] == ["interface"] and words[2:] == ["counters", "qos"]:
            return _counter_tables(data)
        if words[:1] == ["interface"] and words[2:] == ["qos", "pfc-watchdog"]:
            text = table(["", "operational", "applied"], [["state", data["state"] + "d", data["state"] + "d"]])
            rows = [[n, s["status"], s["deadlock-count"]] for n, s in data.get("status", {}).items()]
            head = ["traffic-class", "status", "deadlock-count"]
            return f"{text}\n\nPFC WD Status\n===========================\n{table(head, rows, '    ')}"
        return None

    def _interface_table(self, data: Tree) -> str:
        rows = []
        for name, entry in data.items():
            link = entry["link"]
            host, port = next(
                ((h, n["port"]["name"]) for h, n in at_map(entry, ("lldp", "neighbor")).items()), ("", "")
            )
            family = "ip" if self.device.old else "ipv4"
            summary = ", ".join(f"IP Address: {a}" for a in at_map(entry, (family, "address")))
            rows.append(
                [
                    name,
                    link["admin-status"],
                    link["oper-status"],
                    link.get("speed", ""),
                    link["mtu"],
                    entry["type"],
                    host,
                    port,
                    summary,
                ]
            )
        head = [
            "Interface",
            "Admin Status",
            "Oper Status",
            "Speed",
            "MTU",
            "Type",
            "Remote Host",
            "Remote Port",
            "Summary",
        ]
        return table(head, rows)

    # -- actions -----------------------------------------------------------------------------------------------
    def clear(self, words: list[str]) -> bool:
        """``nv action clear ...``; False if there is no such action."""
        if words[:1] != ["interface"]:
            return words == ["qos", "buffer", "pool"]
        if len(words) == 2 and words[1] == "counters":
            names, what = list(self.device.ports), ["counters"]
        elif len(words) > 2 and words[1] in self.device.ports:
            names, what = [words[1]], words[2:]
        else:
            return False
        for name in names:
            state = self.state(name)
            if what == ["qos", "pfc-watchdog", "deadlock-count"]:
                for c in state.classes.values():
                    c.watchdog_detected = c.watchdog_restored = 0
            elif what == ["qos", "buffer"]:
                for c in state.classes.values():
                    c.max_depth_bytes = c.depth_bytes
            elif what in (["counters"], ["counters", "qos"], ["qos", "roce", "counters"]):
                self._zero(state, port=what == ["counters"])
            else:
                return False
        return True

    @staticmethod
    def _zero(state: PortState, *, port: bool) -> None:
        state.classes = {n: ClassCounters(depth_bytes=c.depth_bytes) for n, c in state.classes.items()}
        if port:
            for f in fields(PortState):
                if f.name.split("_")[0] in ("rx", "tx", "crc", "fec"):
                    setattr(state, f.name, 0)


_OTHER = PortState()  # lo, eth0, SVIs: up, nothing counted


def _route(protocol: str, distance: int, via: Tree) -> Tree:
    flags: Tree = {"fib-selected": {}, "installed": {}, "selected": {}}
    entry = {"distance": distance, "flags": flags, "metric": 0, "protocol": protocol, "table-id": 254, "via": via}
    return {"route-entry": {"1": entry}}


def _link_local(name: str) -> str:
    """The IPv6 address the far end of a port would have."""
    octets = mac_of(name + " far").split(":")
    return f"fe80::4ab0:{octets[2]}ff:fe{octets[3]}:{octets[4]}{octets[5]}"


def _into(data: Any, words: list[str]) -> Any:
    for word in words:
        if not isinstance(data, dict) or word not in data:
            return None
        data = data[word]
    return data


def _below(tree: Tree, words: list[str], node: Any) -> Any:
    """The configuration at a path; an empty object where the schema has that path and nothing is configured."""
    found: Any = tree
    for word in words:
        node = node.child(word) if node is not None else None
        if node is None:
            return None
        found = found.get(word) if isinstance(found, dict) else None
    return {} if found is None else found if words else compressed(tree)


def _flat(data: Any, depth: int = 0) -> list[tuple[int, str, str]]:
    if not isinstance(data, dict):
        return [(depth, "", str(data))]
    out: list[tuple[int, str, str]] = []
    for name, value in data.items():
        if isinstance(value, dict) and value:
            out.append((depth, name, ""))
            out += _flat(value, depth + 1)
        else:
            out.append((depth, name, "" if isinstance(value, dict) else str(value)))
    return out


def _counter_tables(data: Tree) -> str:
    parts = []
    shapes = (
        ("Ingress Buffer Statistics", "ingress-buffer-stats", "priority-group", 28),
        ("Egress Queue Statistics", "egress-queue-stats", "traffic-class", 26),
        ("PFC Statistics", "pfc-stats", "switch-priority", 17),
    )
    for title, key, first, ruler in shapes:
        columns = [c for c in _COLUMNS[key] if c in data[key]["0"]]
        rows = [[n, *(entry[c] for c in columns)] for n, entry in data[key].items()]
        parts.append(f"{title}\n{'=' * ruler}\n{table([first, *columns], rows, '    ')}")
    rows = [[name, v["receive"], v["transmit"]] for name, v in data["qos-port-stats"].items()]
    parts.append(f"Qos Port Statistics\n{'=' * 22}\n{table(['Counter', 'Receive', 'Transmit'], rows, '    ')}")
    return "\n\n".join(parts)


_COLUMNS = {
    "ingress-buffer-stats": ("rx-frames", "rx-buffer-discards", "rx-shared-buffer-discards"),
    "egress-queue-stats": ("tx-frames", "tx-bytes", "tx-uc-buffer-discards", "wred-discards", "ecn-marked-frames"),
    "pfc-stats": ("rx-pause-frames", "rx-pause-duration", "tx-pause-frames", "tx-pause-duration"),
}
