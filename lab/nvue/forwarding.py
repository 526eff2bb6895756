# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an NVUE configuration means for packets: DSCP or PCP gives the switch priority, which gives the traffic class.

Cumulus Linux trusts PCP unless a mapping profile or the RoCE macro says otherwise (user guide, "Quality of Service").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.forwarding import Classes, Gateway, PortForwarding, SwitchForwarding, mac_of
from lab.nvue.checks import macro_on
from lab.nvue.routing import Routing
from lab.nvue.tree import Tree, at, at_map

if TYPE_CHECKING:
    from lab.nvue.device import NvueDevice

_MACRO_CLASSES = {3: 3, 6: 6}  # switch priority -> traffic class; the others share class 0


def forwarding(device: NvueDevice, ports: list[str]) -> SwitchForwarding:
    """The switch with these ports."""
    routing = Routing(device)
    adjacent = {session.port for session in routing.sessions().values() if session.established}
    found = SwitchForwarding(device.hostname, mac_of(device.name), loopbacks=routing.addresses("lo"))
    for name in ports:
        found.ports[name] = _port(device, routing, name)
        found.ports[name].adjacent = name in adjacent
    for name, port in device.applied.get("interface", {}).items():
        addresses = _addresses(device, routing, name)
        if port.get("type") == "svi" and addresses and routing.up(name) and routing.vrf_of(name) == "default":
            found.gateways[int(at(port, ("vlan",)))] = Gateway(addresses, _mtu(device, name))
    return found


def _port(device: NvueDevice, routing: Routing, name: str) -> PortForwarding:
    tree = device.applied
    lldp = _lldp(device, name)
    domains = at_map(tree, ("interface", name, "bridge", "domain"))
    found = PortForwarding(
        up=routing.up(name),
        mtu=_mtu(device, name),
        routed=not domains,
        addresses=routing.addresses(name),
        classes=_classes(device, name),
        ecn=_marking(device, name),
        no_drop=_no_drop(device, name),
        description=at(tree, ("interface", name, "description")) or "",
        lldp_transmit=lldp,
        lldp_receive=lldp,
    )
    for domain, membership in domains.items():
        _join(found, at_map(tree, ("bridge", "domain", domain)), membership)
    return found


def _mtu(device: NvueDevice, name: str) -> int:
    return at(device.applied, ("interface", name, "link", "mtu")) or device.mtu_default


def _lldp(device: NvueDevice, name: str) -> bool:
    service = ("service", "lldp") if device.old else ("system", "lldp")
    states = at(device.applied, (*service, "state")), at(device.applied, ("interface", name, "lldp", "state"))
    return "disabled" not in states


def _join(port: PortForwarding, bridge: Tree, membership: Tree) -> None:
    """A port without VLANs of its own carries those of the bridge."""
    default = bridge.get("untagged", 1)
    vlans = {int(vlan) for vlan in bridge.get("vlan", {})} | ({default} if isinstance(default, int) else set())
    access = membership.get("access")
    if isinstance(access, int):
        port.untagged = access if access in vlans else None
        return
    own = {int(vlan) for vlan in membership.get("vlan", {})}
    port.tagged = sorted(own & vlans if own else vlans)
    untagged = membership.get("untagged", "auto")
    untagged = default if untagged == "auto" else untagged
    port.untagged = untagged if untagged in vlans else None


def _addresses(device: NvueDevice, routing: Routing, name: str) -> list[str]:
    """Own ones, and the virtual ones that hosts use as their gateway."""
    family = "ip" if device.old else "ipv4"
    return [*routing.addresses(name), *at_map(routing.interface(name), (family, "vrr", "address"))]


# -- quality of service ----------------------------------------------------------------------------------------
def _profile(device: NvueDevice, name: str, kind: str) -> Tree:
    """The profile in force on a port."""
    profile = at(device.applied, ("interface", name, "qos", kind, "profile")) or "default-global"
    return at_map(device.applied, ("qos", kind, profile))


def _macro(device: NvueDevice) -> bool:
    return macro_on(device.applied.get("qos", {}), old=device.old)


def _classes(device: NvueDevice, name: str) -> Classes:
    mapping = _profile(device, name, "mapping")
    trust = mapping.get("trust", "both" if _macro(device) else "l2")
    queues = at_map(device.applied, ("qos", "egress-queue-mapping", "default-global", "switch-priority"))

    def queue(priority: int) -> int:
        default = _MACRO_CLASSES.get(priority, 0) if _macro(device) else priority
        return queues.get(str(priority), {}).get("traffic-class", default)

    def table(key: str, size: int) -> list[int]:
        listed = mapping.get(key, {})
        return [queue(listed.get(str(n), {}).get("switch-priority", n * 8 // size)) for n in range(size)]

    return Classes(
        dscp=table("dscp", 64) if trust in ("l3", "both") else None,
        cos=table("pcp", 8) if trust in ("l2", "both") else None,
        default=queue(mapping.get("port-default-sp", 0)),
    )


def _marking(device: NvueDevice, name: str) -> list[int]:
    queues = _profile(device, name, "congestion-control").get("traffic-class", {})
    if not queues and _macro(device):
        return [0, 3]
    return sorted(int(number) for number, queue in queues.items() if queue.get("ecn") == "enable")


def _no_drop(device: NvueDevice, name: str) -> list[int]:
    priorities = _profile(device, name, "pfc").get("switch-priority", {})
    if not priorities and _macro(device):
        return [3] if at(device.applied, ("qos", "roce", "mode")) in (None, "lossless", "lossless-single-ipool") else []
    return sorted(int(priority) for priority in priorities)
