# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an EOS configuration means for packets.

``mtu`` limits routed ports only; a switched port takes jumbo frames unless ``l2 mtu`` says otherwise. A port that does
not trust DSCP sorts by CoS, and frames without a tag have CoS 0 (EOS user manual, "Quality of Service").
"""

from __future__ import annotations

from ipaddress import IPv4Interface
from typing import TYPE_CHECKING

from lab.eos.routing_state import connected, sessions
from lab.eos.state import PortConfig, PortStatus, port_config, port_status, qos_map
from lab.forwarding import Classes, Gateway, PortForwarding, SwitchForwarding, mac_of

if TYPE_CHECKING:
    from lab.eos.device import EosDevice


def forwarding(device: EosDevice, ports: list[str]) -> SwitchForwarding:
    """The switch with these ports."""
    tree = device.tree
    maps = {source: list(qos_map(tree, source, "traffic-class").values()) for source in ("dscp", "cos")}
    adjacent = {s.interface for s in sessions(device) if s.established}
    lldp = all(node.text != "no lldp run" for node in tree.root.visible())
    routing = any(node.text in ("ip routing", "ip routing ipv6 interfaces") for node in tree.root.visible())
    found = SwitchForwarding(device.hostname, mac_of(device.name), routing=routing)
    for name in ports:
        port = _port(device, port_status(tree, name, device.ports[name]), maps)
        port.adjacent = name in adjacent
        port.lldp_transmit, port.lldp_receive = port.lldp_transmit and lldp, port.lldp_receive and lldp
        found.ports[name] = port
    for name in set(connected(device).values()):
        config = port_config(tree, name)
        if name.startswith("Vlan"):
            found.gateways[int(name[4:])] = Gateway(_addresses(device, name, config), config.mtu)
        elif name.startswith("Loopback"):
            found.loopbacks += _addresses(device, name, config)
    return found


def _port(device: EosDevice, port: PortStatus, maps: dict[str, list[int]]) -> PortForwarding:
    config = port.config
    vlans = device.vlans()
    trunk = config.mode == "trunk"
    untagged = config.native_vlan if trunk else config.access_vlan
    trust = config.effective_trust
    found = PortForwarding(
        up=port.up,
        mtu=_mtu(device, port),
        routed=not config.switchport,
        addresses=config.addresses,
        classes=Classes(maps["dscp"] if trust == "dscp" else None, maps["cos"] if trust == "cos" else None,
                        maps["cos"][0]),
        ecn=[n for n, queue in config.queues.items() if queue.ecn],
        no_drop=sorted(config.pfc_priorities) if config.pfc else [],
        description=config.description,
        lldp_transmit=config.lldp_transmit,
        lldp_receive=config.lldp_receive,
    )  # fmt: skip
    if config.switchport:
        carried = config.allowed if trunk else {untagged}
        found.untagged = untagged if untagged in vlans and untagged in carried else None
        found.tagged = sorted(config.allowed & set(vlans)) if trunk else []
    return found


def _mtu(device: EosDevice, port: PortStatus) -> int:
    section = device.tree.root.get(f"interface {port.name}")
    limit = section.get("l2 mtu") if section is not None and port.config.switchport else None
    return int(limit.text.split()[2]) if limit is not None else port.config.effective_mtu


def _addresses(device: EosDevice, name: str, config: PortConfig) -> list[str]:
    """Own ones, and the virtual ones that hosts use as their gateway."""
    section = device.tree.root.get(f"interface {name}")
    virtual = [n.text.split()[3] for n in section.visible() if n.text.startswith("ip address virtual ")]
    shared = [n.text.split()[3] for n in section.visible() if n.text.startswith("ip virtual-router address ")]
    length = IPv4Interface(config.addresses[0]).network.prefixlen if config.addresses else 32
    return [*config.addresses, *virtual, *(f"{address}/{length}" for address in shared)]
