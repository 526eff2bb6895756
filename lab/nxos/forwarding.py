# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an NX-OS configuration means for packets.

A packet is in qos-group 0 unless the input policy of the port or of the system says otherwise; the group is the queue.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Interface

from lab.forwarding import Classes, Gateway, PortForwarding, SwitchForwarding, mac_of
from lab.nxos import sessions
from lab.nxos.device import NxosDevice, Port
from lab.nxos.show_qos import dscp_to_group, out_policy, pfc_priorities


def forwarding(device: NxosDevice, ports: list[str]) -> SwitchForwarding:
    """The switch with these ports."""
    adjacent = {peer.port.name for peer in sessions.peers(device) if peer.established and peer.port}
    found = SwitchForwarding(device.hostname, mac_of(device.name))
    for name in ports:
        found.ports[name] = _port(device, device.port(name))
        found.ports[name].adjacent = name in adjacent
    for name in {port.name for _, port in sessions.connected(device)}:
        port = device.port(name)
        if port.kind == "Vlan" and device.enabled("interface-vlan") and int(name[4:]) in device.vlans():
            found.gateways[int(name[4:])] = Gateway(_addresses(port), port.mtu)
        elif port.kind == "loopback":
            found.loopbacks += _addresses(port)
    return found


def _port(device: NxosDevice, port: Port) -> PortForwarding:
    lldp = device.enabled("lldp")
    found = PortForwarding(
        up=port.oper_up,
        mtu=port.mtu,
        routed=port.routed,
        addresses=_addresses(port),
        classes=_classes(device, port),
        ecn=_marking(port),
        no_drop=pfc_priorities(port),
        description=port.value("description"),
        lldp_transmit=lldp and "no lldp transmit" not in port.lines,
        lldp_receive=lldp and "no lldp receive" not in port.lines,
    )
    if not port.routed:
        vlans = set(device.vlans())
        trunk = port.mode == "trunk"
        untagged = port.native_vlan if trunk else port.access_vlan
        carried = set(port.allowed_vlans) if trunk else {untagged}
        found.untagged = untagged if untagged in vlans & carried else None
        found.tagged = sorted(carried & vlans) if trunk else []
    return found


def _classes(device: NxosDevice, port: Port) -> Classes:
    groups = dscp_to_group(device, port)
    name = port.value("service-policy type qos input").split(" ")[0] or device.system_policy("qos input")
    lines = device.policy("qos", name).get("class-default", [])
    default = next((int(line.split()[-1]) for line in lines if line.startswith("set qos-group ")), 0)
    return Classes(dscp=[groups.get(dscp, default) for dscp in range(64)], default=default)


def _marking(port: Port) -> list[int]:
    """Queues of the output policy whose ``random-detect`` ends in ``ecn``."""
    found = []
    for cls, lines in port.device.policy("queuing", out_policy(port)[0]).items():
        queue = re.fullmatch(r"c-out-8q-q(\d|-default)", cls)
        if queue and any(line.startswith("random-detect ") and line.endswith(" ecn") for line in lines):
            found.append(0 if queue[1] == "-default" else int(queue[1]))
    return sorted(found)


def _addresses(port: Port) -> list[str]:
    """Own ones, and the virtual ones of HSRP that hosts use as their gateway."""
    own = [found[1] for line in port.lines if (found := re.match(r"ip address (\d\S+/\d+)", line))]
    groups = [n for n in port.node.children if n.text.startswith("hsrp ")] if port.node else []
    shared = [line.split()[1] for group in groups for line in group.lines() if re.match(r"ip \d", line)]
    length = IPv4Interface(own[0]).network.prefixlen if own else 32
    return [*own, *(f"{address}/{length}" for address in shared)]
