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
from typing import TYPE_CHECKING, Any

from lab.nvue.checks import macro_on
from lab.nvue.counters import Counters
from lab.nvue.device import mac_of
from lab.nvue.ranges import RangeError, expand, natural
from lab.nvue.routing import Routing
from lab.nvue.show_routing import ShowRouting
from lab.nvue.table import special, tree_table
from lab.nvue.tree import Tree, at, at_map, below, masked
from lab.nvue.yamltext import dump

if TYPE_CHECKING:
    from lab.nvue.device import NvueDevice

# Views of "nv show interface": word after "interface", or value of --view.
_VIEWS = ("lldp", "lldp-detail", "counters", "status", "description", "mac", "brief", "detail", "small", "up", "down")


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
        self.routing = Routing(device)
        self.counters = Counters(device)

    # -- entry -------------------------------------------------------------------------------------------------
    def text(self, words: list[str], *, rev: str, view: str, output: str, find: Callable[[str], Tree]) -> str | None:
        """The output, or None where nothing of that name exists."""
        if rev and rev != "operational":
            found = below(find(rev), words, self.device.model)
            return None if found is None else self._printed(masked(found), output)
        data = self.data(words, view)
        if data is None:
            return None
        if output in ("auto", "native"):
            text = special(words, view, data, old=self.device.old, port=self._kind)
            if text is not None:
                return text
        return self._printed(data, output)

    def _printed(self, data: Any, output: str) -> str:
        if output == "json":
            return json.dumps(data, indent=2)
        if output == "yaml":
            return "\n".join(line[2:] for line in dump([{"x": data}]).splitlines()[1:]) if data else "{}"
        return tree_table(data)

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
            return ShowRouting(self.device).bgp(words[4:], view)
        if words[:5] == ["vrf", "default", "router", "rib", "ipv4"]:
            return at({"route": ShowRouting(self.device).rib()}, words[5:])
        return self._configured(words)

    def _configured(self, words: list[str]) -> Any:
        return below(masked(self.tree), words, self.device.model)

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
            return {"counters": {"netstat": self.counters.netstat(name)}}
        whole = self._whole(name)
        if view in ("description", "mac"):
            return {k: v for k, v in whole.items() if k in ("link", "description", "type")}
        return whole

    def _one(self, name: str, words: list[str], view: str) -> Any:
        if not words:
            return self._viewed(name, view)
        if words[0] == "link":
            return at(self._link(name), words[1:])
        if words[0] == "lldp":
            return at({"neighbor": self._neighbors(name), **at_map(self.tree, ("interface", name, "lldp"))}, words[1:])
        if words[0] == "counters":
            return self.counters.all(name, words[1:])
        if words[0] == "qos":
            return self._qos(name, words[1:])
        if words[0] == "bond" and "bond" in at_map(self.tree, ("interface", name)):
            return at(self.routing.bond(name), words[1:])
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

    def admin_up(self, name: str) -> bool:
        return self.routing.admin_up(name)

    def up(self, name: str) -> bool:
        return self.routing.up(name)

    def _link(self, name: str) -> Tree:
        config = at_map(self.tree, ("interface", name, "link"))
        state = self.device.state(name)
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
            "stats": self.counters.stats(state),
        }
        if swp:
            out["fec"] = config.get("fec", "auto")
        if up and name != "lo":
            out["duplex"] = "full"
            out["speed"] = self._speed(name)
        return dict(sorted(out.items()))

    def _kind(self, name: str) -> tuple[str, str]:
        """Speed and type."""
        return self._speed(name), at(self.tree, ("interface", name, "type")) or "swp"

    def _speed(self, name: str) -> str:
        speed = self.device.state(name).speed
        if speed is not None:
            return f"{speed // 1000}G" if speed >= 1000 else f"{speed}M"
        configured = at(self.tree, ("interface", name, "link", "speed"))
        if configured not in (None, "auto"):
            return configured
        return "400G" if name in self.device.ports else "1G"

    def _neighbors(self, name: str) -> Tree:
        peer = self.device.state(name).peer
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

    def _word(self, on: bool) -> str:
        return (("on", "off") if self.device.old else ("enabled", "disabled"))[not on]

    # -- QoS of one port ---------------------------------------------------------------------------------------
    def _qos(self, name: str, words: list[str]) -> Any:
        if not words:
            return self._configured(["interface", name, "qos"]) or {}
        if words[0] == "pfc-watchdog":
            return at(self._watchdog(name), words[1:])
        if words[:2] == ["roce", "counters"]:
            return at(self.counters.roce(name), words[2:])
        if words[0] == "roce":
            status = self._roce()
            return status if len(words) == 1 else at(status, words[2:]) if words[1] == "status" else None
        if words[0] == "buffer":
            size, classes = self.counters.size, self.device.state(name).classes
            usage = {
                str(n): {"current-usage": size(c.depth_bytes), "max-usage": size(c.max_depth_bytes)}
                for n, c in sorted(classes.items())
            }
            return at({"traffic-class": usage}, words[1:])
        if words[0] in ("mapping", "pfc", "congestion-control", "egress-scheduler", "egress-queue-mapping", "remark"):
            return at(self._profile(name, words[0]), words[1:])
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
            classes = self.device.state(name).classes
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
                "max-threshold": self.counters.size(1500000),
                "min-threshold": self.counters.size(150000),
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
