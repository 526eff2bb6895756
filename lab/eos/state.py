# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a configuration means for the ports: the bridge between the tree of lines and the ``show`` commands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lab.cli import expand_ranges
from lab.device import PortState
from lab.eos.tree import Node, Tree

L2_MTU = 9214


@dataclass
class QueueConfig:
    """One egress queue as configured."""

    strict: bool = True
    percent: int | None = None
    ecn: tuple[int, int, str, int] | None = None  # min, max, unit, probability
    ecn_count: bool = False


@dataclass
class PortConfig:
    """One port as configured, profile included."""

    shutdown: bool = False
    description: str = ""
    mtu: int = 1500
    speed: int | None = None  # Mb/s
    fec: str | None = None
    switchport: bool = True
    mode: str = "access"
    access_vlan: int = 1
    native_vlan: int = 1
    allowed: set[int] = field(default_factory=lambda: set(range(1, 4095)))
    addresses: list[str] = field(default_factory=list)
    trust: str | None = None  # configured; None: the default of the port
    flow_send: str = "off"
    flow_receive: str = "off"
    lldp_transmit: bool = True
    lldp_receive: bool = True
    pfc: bool = False
    pfc_priorities: set[int] = field(default_factory=set)
    pfc_watchdog: bool = True
    profile: str | None = None
    queues: dict[int, QueueConfig] = field(default_factory=lambda: {n: QueueConfig() for n in range(8)})

    @property
    def effective_mtu(self) -> int:
        """``mtu`` is the IP MTU; a switched port forwards what fits into a jumbo frame."""
        return L2_MTU if self.switchport else self.mtu

    @property
    def effective_trust(self) -> str:
        return self.trust or ("cos" if self.switchport else "dscp")


def port_config(tree: Tree, name: str) -> PortConfig:
    config = PortConfig()
    if not name.startswith(("Ethernet", "Port-Channel")):
        config.switchport = False
    section = tree.root.get(f"interface {name}")
    if section is None:
        return config
    profile_line = section.get("service-profile")
    if profile_line is not None:
        config.profile = profile_line.text.split()[1]
        profile = tree.root.get(f"qos profile {config.profile}")
        if profile is not None:
            _apply(profile, config)
    _apply(section, config)
    return config


def _apply(section: Node, config: PortConfig) -> None:
    for node in section.visible():
        if node.is_block:
            _apply_queue(node, config)
            continue
        negated = node.text.startswith(("no ", "default "))
        text = node.text.partition(" ")[2] if negated else node.text
        for pattern, setter in _SETTERS:
            m = re.match(pattern, text)
            if m:
                setter(config, m, negated)
                break


def _apply_queue(block: Node, config: PortConfig) -> None:
    m = re.fullmatch(r"(?:uc-)?tx-queue (\d)", block.text)
    if not m:
        return
    queue = config.queues[int(m[1])]
    for node in block.visible():
        if node.text in ("no priority", "priority strict"):
            queue.strict = node.text == "priority strict"
        elif m := re.match(r"bandwidth percent (\d+)", node.text):
            queue.percent = int(m[1])
        elif m := re.match(
            r"random-detect ecn minimum-threshold (\d+) (\w+) maximum-threshold (\d+) \w+"
            r"(?: max-mark-probability (\d+))?",
            node.text,
        ):
            queue.ecn = (int(m[1]), int(m[3]), m[2], int(m[4] or 100))
        elif node.text == "random-detect ecn count":
            queue.ecn_count = True


def speed_of(text: str) -> int | None:
    """Mb/s in "400g-8", "forced 100gfull", "forced 10000full", "auto 100g-2"; None for auto."""
    if m := re.search(r"(\d+)g", text):
        return int(m[1]) * 1000
    m = re.search(r"(\d+)full", text)
    return int(m[1]) if m else None


def _addresses(config: PortConfig, m: re.Match[str], negated: bool) -> None:
    if not negated and re.fullmatch(r"[\d.]+/\d+", m[1]):
        config.addresses.append(m[1])


def _pfc_priority(config: PortConfig, m: re.Match[str], negated: bool) -> None:
    change = config.pfc_priorities.discard if negated or m[2] != "no-drop" else config.pfc_priorities.add
    change(int(m[1]))


def _allowed(config: PortConfig, m: re.Match[str], negated: bool) -> None:
    listed = "1-4094" if negated or m[1] == "all" else m[1]
    config.allowed = set() if listed == "none" else expand_ranges(listed) or set()


def _field(name: str, convert=str, negated_value=None):
    def setter(config: PortConfig, m: re.Match[str], negated: bool) -> None:
        if not negated:
            setattr(config, name, convert(m[1]))
        elif negated_value is not None:
            setattr(config, name, negated_value)

    return setter


def _flag(name: str):
    def setter(config: PortConfig, m: re.Match[str], negated: bool) -> None:
        setattr(config, name, not negated)

    return setter


_SETTERS = [
    (r"shutdown$", _flag("shutdown")),
    (r"description (.+)", _field("description")),
    (r"mtu (\d+)", _field("mtu", int)),
    (r"speed (.+)", _field("speed", speed_of)),
    (r"error-correction encoding(?: (\S+))?$", _field("fec", str, "none")),
    (r"switchport$", _flag("switchport")),
    (r"switchport mode (\S+)", _field("mode")),
    (r"switchport access vlan (\d+)", _field("access_vlan", int)),
    (r"switchport trunk native vlan (\d+)", _field("native_vlan", int)),
    (r"switchport trunk allowed vlan (\S+)", _allowed),
    (r"ip address (.+?)(?: secondary)?$", _addresses),
    (r"qos trust(?: (\S+))?", _field("trust", str, "none")),
    (r"flowcontrol send (\S+)", _field("flow_send")),
    (r"flowcontrol receive (\S+)", _field("flow_receive")),
    (r"lldp transmit", _flag("lldp_transmit")),
    (r"lldp receive", _flag("lldp_receive")),
    (r"priority-flow-control(?: on)?$", _flag("pfc")),
    (r"priority-flow-control priority (\d)(?: (\S+))?", _pfc_priority),
    (r"priority-flow-control pause watchdog$", _flag("pfc_watchdog")),
]


@dataclass
class PortStatus:
    """One port as it is now."""

    name: str
    config: PortConfig
    state: PortState
    inactive: bool = False  # its lane is part of a wider port: Ethernet1/5 while Ethernet1/1 has all eight lanes

    @property
    def up(self) -> bool:
        return self.state.link and not self.config.shutdown and not self.inactive

    @property
    def link_status(self) -> str:
        if self.config.shutdown:
            return "disabled"
        return "inactive" if self.inactive else "connected" if self.state.link else "notconnect"

    @property
    def speed(self) -> int:
        """Mb/s; 0 while the link is down."""
        if not self.up:
            return 0
        return self.state.speed or self.config.speed or (400_000 if "/" in self.name else 100_000)

    @property
    def pfc_active(self) -> bool:
        return self.config.pfc and self.up and bool(self.config.pfc_priorities)


def port_status(tree: Tree, name: str, state: PortState) -> PortStatus:
    return PortStatus(name, port_config(tree, name), state, _inactive(tree, name))


def _inactive(tree: Tree, name: str) -> bool:
    """Whether a port with a lower lane of the same cage is wide enough to hold this lane."""
    cage, _, lane = name.rpartition("/")
    if not cage or lane == "1":
        return False
    wide = (int(lower) + _lanes(tree, f"{cage}/{lower}") > int(lane) for lower in range(1, int(lane)))
    return any(wide)


_FORCED = {"forced 40gfull": 4, "forced 50gfull": 2, "forced 100gfull": 4}


def _lanes(tree: Tree, name: str) -> int:
    """Lanes of a port as its speed is configured. The first port of a cage has all of them unless it says otherwise."""
    section = tree.root.get(f"interface {name}")
    line = section.get("speed") if section is not None else None
    speed = line.text.removeprefix("speed ") if line is not None else "auto"
    found = re.fullmatch(r"\d+g-(\d)", speed)
    if found:
        return int(found[1])
    return _FORCED.get(speed, 8 if speed == "auto" and name.endswith("/1") else 1)


def qos_map(tree: Tree, source: str, target: str) -> dict[int, int]:
    """A global map in force, defaults included: ``qos_map(tree, "dscp", "traffic-class")``."""
    size = 64 if source == "dscp" else 8
    exchange = {0: 1, 1: 0}
    result = {}
    for n in range(size):
        step = n // 8 if source == "dscp" else n
        result[n] = exchange.get(step, step) if target == "traffic-class" else step
    for node in tree.root.visible():
        words = node.text.split()
        if words[:3] == ["qos", "map", source] and "to" in words:
            to = words.index("to")
            if words[to + 1] == target:
                result.update({int(v): int(words[to + 2]) for v in words[3:to]})
    return result
