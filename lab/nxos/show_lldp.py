# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show commands of LLDP."""

from __future__ import annotations

from lab.nxos import values
from lab.nxos.device import Port
from lab.nxos.grammar import Match
from lab.nxos.shell import GRAMMAR, NxosShell, structured, table
from lab.nxos.show_interfaces import chosen

_CAPABILITIES = (
    "Capability codes:\n  (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device\n"
    "  (W) WLAN Access Point, (P) Repeater, (S) Station, (O) Other\n"
    "Device ID            Local Intf      Hold-time  Capability  Port ID  "
)


def _neighbors(shell: NxosShell, match: Match) -> list[Port]:
    ports = chosen(shell, match, "Ethernet")
    return [p for p in ports if p.state.peer and p.oper_up and "no lldp receive" not in p.lines]


@GRAMMAR.command("exec", "show lldp neighbors [interface <names:ifaces>]", feature="lldp")
def show_neighbors(shell: NxosShell, match: Match) -> str:
    ports = _neighbors(shell, match)
    if shell.json:
        rows = [
            {
                "chassis_type": "7",
                "chassis_id": p.state.peer[0],
                "l_port_id": values.short_name(p.name),
                "hold_time": "120",
                "capability": "BR",
                "port_type": "5",
                "port_id": p.state.peer[1],
            }
            for p in ports
        ]
        return structured(shell, table("nbor", rows) | {"neigh_count": len(rows)})
    lines = [_CAPABILITIES]
    for port in ports:
        name, far = port.state.peer
        rest = f"{values.short_name(port.name):<16}{'120':<11}{'BR':<12}{far}"
        lines += [name, f"{'':<21}{rest}"] if len(name) > 20 else [f"{name:<21}{rest}"]
    return "\n".join([*lines, f"Total entries displayed: {len(ports)}"])


@GRAMMAR.command("exec", "show lldp neighbors [interface <names:ifaces>] detail", feature="lldp")
def show_neighbors_detail(shell: NxosShell, match: Match) -> str:
    rows = [
        {
            "chassis_type": "4",
            "chassis_id": "5254.0000.00fe",
            "port_type": "5",
            "port_id": p.state.peer[1],
            "l_port_id": values.short_name(p.name),
            "port_desc": p.state.peer[1],
            "sys_name": p.state.peer[0],
            "sys_desc": "network device",
            "ttl": "112",
            "system_capability": "B, R",
            "enabled_capability": "B, R",
            "mgmt_addr_type": "IPV4",
            "mgmt_addr": "192.0.2.200",
            "mgmt_addr_ipv6": "not advertised",
            "vlan_id": "not advertised",
        }
        for p in _neighbors(shell, match)
    ]
    if shell.json:
        return structured(shell, table("nbor_detail", rows) | {"neigh_count": len(rows)})
    parts = [_CAPABILITIES]
    for r in rows:
        parts.append(
            f"\nChassis id: {r['chassis_id']}\nPort id: {r['port_id']}\nLocal Port id: {r['l_port_id']}\n"
            f"Port Description: {r['port_desc']}\nSystem Name: {r['sys_name']}\nSystem Description: {r['sys_desc']}\n"
            f"Time remaining: {r['ttl']} seconds\nSystem Capabilities: {r['system_capability']}\n"
            f"Enabled Capabilities: {r['enabled_capability']}\nManagement Address: {r['mgmt_addr']}\n"
            f"Management Address IPV6: {r['mgmt_addr_ipv6']}\nVlan ID: {r['vlan_id']}\n"
        )
    return "\n".join([*parts, f"Total entries displayed: {len(rows)}"])


@GRAMMAR.command("exec", "show lldp timers", feature="lldp")
def show_lldp_timers(shell: NxosShell, match: Match) -> str:
    device = shell.device
    timers = {"ttl": device.value("lldp holdtime", "120"), "reinit": device.value("lldp reinit", "2"),
              "tx_interval": device.value("lldp timer", "30")}  # fmt: skip
    if shell.json:
        return structured(shell, timers)
    return (
        f"LLDP Timers:\n\n    Holdtime in seconds: {timers['ttl']}\n    Reinit-time in seconds: {timers['reinit']}\n"
        f"    Transmit interval in seconds: {timers['tx_interval']}"
    )
