# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ``show`` commands of EOS as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.eos import show
from lab.eos.names import short
from lab.eos.state import PortStatus, qos_map

if TYPE_CHECKING:
    from lab.eos.device import EosDevice


def version(device: EosDevice, _: str | None) -> str:
    d = show.version(device, None)
    hours, minutes = divmod(int(d["uptime"]) // 60, 60)
    return (
        f"Arista {d['modelName']}\n"
        f"Hardware version: {d['hardwareRevision']}\n"
        f"Serial number: {d['serialNumber']}\n"
        f"Hardware MAC address: 0200.0000.0001\n"
        f"System MAC address: 0200.0000.0001\n\n"
        f"Software image version: {d['version']}\n"
        f"Architecture: {d['architecture']}\n"
        f"Internal build version: {d['internalVersion']}\n"
        f"Image format version: {d['imageFormatVersion']}\n\n"
        f"Uptime: {hours} hours and {minutes} minutes\n"
        f"Total memory: {d['memTotal']} kB\n"
        f"Free memory: {d['memFree']} kB\n"
    )


def hostname(device: EosDevice, _: str | None) -> str:
    return f"Hostname: {device.hostname}\nFQDN:     {device.hostname}"


def interfaces(device: EosDevice, names: str | None) -> str:
    return "\n".join(_interface(p) for p in show.with_bundles(device, names))


def _interface(p: PortStatus) -> str:
    s, c = p.state, p.config
    protocol = "up" if p.up else "down"
    lines = [f"{p.name} is {'administratively down' if c.shutdown else protocol}, line protocol is {protocol}"]
    lines[0] += f" ({p.link_status})"
    lines.append("  Hardware is Ethernet, address is 0200.0000.0001 (bia 0200.0000.0001)")
    if c.description:
        lines.append(f"  Description: {c.description}")
    lines += [f"  Internet address is {a}" for a in c.addresses[:1]]
    lines.append(f"  {'Ethernet' if c.switchport else 'IP'} MTU {c.effective_mtu} bytes, BW {p.speed * 1000} kbit")
    lines.append(f"  Full-duplex, {_rate(p.speed)}, auto negotiation: off, uni-link: n/a")
    lines += [
        f"     {s.rx_packets} packets input, {s.rx_bytes} bytes",
        "     Received 0 broadcasts, 0 multicast",
        "     0 runts, 0 giants",
        f"     {s.rx_errors} input errors, {s.crc_errors} CRC, 0 alignment, 0 symbol, {s.rx_discards} input discards",
        "     0 PAUSE input",
        f"     {s.tx_packets} packets output, {s.tx_bytes} bytes",
        "     Sent 0 broadcasts, 0 multicast",
        f"     {s.tx_errors} output errors, 0 collisions",
        f"     0 late collision, 0 deferred, {s.tx_discards} output discards",
        "     0 PAUSE output",
    ]
    return "\n".join(lines)


def _rate(speed: int) -> str:
    return f"{speed // 1000}Gb/s" if speed else "0b/s"


def status(device: EosDevice, names: str | None) -> str:
    chosen = show.with_bundles(device, names)
    wide = max([4, *(len(p.config.description) for p in chosen)])
    lines = [
        f"{'Port':<10} {'Name':<{wide}} {'Status':<12} {'Vlan':<8} {'Duplex':<6} {'Speed':<6} {'Type':<15} Flags"
        " Encapsulation"
    ]
    for p in chosen:
        c = p.config
        vlan = "routed" if not c.switchport else "trunk" if c.mode == "trunk" else str(c.access_vlan)
        speed = f"{p.speed // 1000}G" if p.speed else "unconf" if c.speed is None else f"{c.speed // 1000}G"
        kind = "400GBASE-CR8" if p.state.link else "Not Present"
        lines.append(
            f"{short(p.name):<10} {c.description:<{wide}} {p.link_status:<12} {vlan:<8} {'full':<6} {speed:<6}"
            f" {kind:<15}".rstrip()
        )
    return "\n".join(lines)


def switchport(device: EosDevice, names: str | None) -> str:
    blocks = []
    for name, d in show.switchport(device, names)["switchports"].items():
        lines = [f"Name: {short(name)}", f"Switchport: {'Enabled' if d['enabled'] else 'Disabled'}"]
        if d["enabled"]:
            i = d["switchportInfo"]
            lines += [
                f"Administrative Mode: {'static access' if i['mode'] == 'access' else i['mode']}",
                f"Access Mode VLAN: {i['accessVlanId']} ({i['accessVlanName']})",
                f"Trunking Native Mode VLAN: {i['trunkingNativeVlanId']} ({i['trunkingNativeVlanName']})",
                f"Trunking VLANs Enabled: {i['trunkAllowedVlans']}",
            ]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def counters(device: EosDevice, names: str | None) -> str:
    chosen = show.ports(device, names)
    tables = []
    for way in ("In", "Out"):
        lines = [
            f"{'Port':<10}{way + 'Octets':>20}{way + 'UcastPkts':>20}{way + 'McastPkts':>15}{way + 'BcastPkts':>15}"
        ]
        for p in chosen:
            s = p.state
            octets, packets = (s.rx_bytes, s.rx_packets) if way == "In" else (s.tx_bytes, s.tx_packets)
            lines.append(f"{short(p.name):<10}{octets:>20}{packets:>20}{0:>15}{0:>15}")
        tables.append("\n".join(lines))
    return "\n\n".join(tables)


def errors(device: EosDevice, names: str | None) -> str:
    lines = [f"{'Port':<10}{'FCS':>9}{'Align':>9}{'Symbol':>9}{'Rx':>9}{'Runts':>9}{'Giants':>9}{'Tx':>9}"]
    for p in show.ports(device, names):
        s = p.state
        lines.append(f"{short(p.name):<10}{s.crc_errors:>9}{0:>9}{0:>9}{s.rx_errors:>9}{0:>9}{0:>9}{s.tx_errors:>9}")
    return "\n".join(lines)


def discards(device: EosDevice, names: str | None) -> str:
    d = show.discards(device, names)
    lines = [f"{'Port':<10}{'InDiscards':>15}{'OutDiscards':>16}"]
    lines += [f"{short(n):<10}{v['inDiscards']:>15}{v['outDiscards']:>16}" for n, v in d["interfaces"].items()]
    lines.append(f"{'---------':<10}{'-----------':>15}{'-----------':>16}")
    lines.append(f"{'Totals':<10}{d['inDiscardsTotal']:>15}{d['outDiscardsTotal']:>16}")
    return "\n".join(lines)


def queues(device: EosDevice, names: str | None) -> str:
    lines = [f"{'Port':<10}{'TxQ':<6}{'Counter/pkts':>16}{'Counter/bytes':>20}{'Drop/pkts':>14}{'Drop/bytes':>16}"]
    for p in show.ports(device, names):
        for n, c in p.state.classes.items():
            name = f"TC{n}" if device.dnx else f"UC{n}"
            lines.append(
                f"{short(p.name):<10}{name:<6}{c.tx_packets:>16}{c.tx_bytes:>20}{c.drops:>14}{c.drops * 1500:>16}"
            )
    return "\n".join(lines)


def flow_control(device: EosDevice, names: str | None) -> str:
    lines = [
        "Port       Send FlowControl  Receive FlowControl  RxPause       TxPause",
        "           admin    oper     admin    oper",
        "---------- -------- -------- -------- --------    ------------- -------------",
    ]
    for name, d in show.flow_control(device, names)["interfaceFlowControls"].items():
        lines.append(
            f"{short(name):<10} {d['txAdminState']:<8} {d['txOperState']:<8} {d['rxAdminState']:<8}"
            f" {d['rxOperState']:<8}    {0:<13} {0:<13}".rstrip()
        )
    return "\n".join(lines)


def pfc(device: EosDevice, names: str | None) -> str:
    lines = [f"{'Port':<17}{'Enabled':<9}{'Priorities':<12}{'Active':<8}Note"]
    for p in show.ports(device, names):
        c = p.config
        priorities = " ".join(map(str, sorted(c.pfc_priorities))) if c.pfc else ""
        enabled, active = ("Yes" if flag else "No" for flag in (c.pfc, p.pfc_active))
        lines.append(f"{p.name:<17}{enabled:<9}{priorities:<12}{active:<8}DCBX disabled")
    return "\n".join(lines)


def pfc_status(device: EosDevice, names: str | None) -> str:
    settings = {
        word: next((n.text.split()[-1] for n in device.tree.root.visible() if n.text.startswith(line)), default)
        for word, line, default in (
            ("timeout", "priority-flow-control pause watchdog default timeout", "0.0"),
            ("recovery-time", "priority-flow-control pause watchdog default recovery-time", "0.0"),
            ("polling-interval", "priority-flow-control pause watchdog default polling-interval", "0.0"),
            ("action", "priority-flow-control pause watchdog action", "errdisable"),
        )
    }
    head = [
        "The hardware supports PFC on priorities 0 1 2 3 4 5 6 7",
        "PFC receive processing is enabled on priorities 0 1 2 3 4 5 6 7",
        f"The PFC watchdog timeout is {settings['timeout']} second(s)",
        f"The PFC watchdog recovery-time is {settings['recovery-time']} second(s) (auto)",
        f"The PFC watchdog polling-interval is {settings['polling-interval']} second(s)",
        f"The PFC watchdog action is {settings['action']}",
        "",
    ]
    return "\n".join(head) + pfc(device, names)


def pfc_counters(device: EosDevice, names: str | None) -> str:
    lines = [f"{'Port':<12}{'RxPfc':>14}{'TxPfc':>14}"]
    for name, d in show.pfc_counters(device, names)["interfaceCounters"].items():
        lines.append(f"{short(name):<12}{d['rxFrames']:>14}{d['txFrames']:>14}")
    return "\n".join(lines)


def pfc_watchdog(device: EosDevice, names: str | None) -> str:
    lines = [f"{'Port':<12}{'TxQ':<8}{'Total times stuck':<24}Total times recovered"]
    for name, d in show.pfc_watchdog(device, names)["interfaces"].items():
        for queue, counts in d["txQueues"].items():
            lines.append(f"{short(name):<12}UC{queue:<6}{counts['stuckCount']:<24}{counts['recoveryCount']}")
    return "\n".join(lines)


def ecn(device: EosDevice, names: str | None) -> str:
    blocks = []
    for p in show.ports(device, names):
        rows = [
            f"{n:<10}{q.ecn[2]:<12}{q.ecn[0]:<12}{q.ecn[1]:<12}{q.ecn[3]}"
            if q.ecn
            else f"{n:<10}{'-':<12}{'-':<12}{'-':<12}-"
            for n, q in reversed(p.config.queues.items())
        ]
        blocks.append(
            f"{p.name}:\n\n"
            f"{'Tx-Queue':<10}{'Threshold':<12}{'ECN Min':<12}{'ECN Max':<12}Max Mark\n"
            f"{'':<10}{'Unit':<12}{'Threshold':<12}{'Threshold':<12}Probability\n" + "-" * 60 + "\n" + "\n".join(rows)
        )
    return "\n\n".join(blocks)


def ecn_counters(device: EosDevice, names: str | None) -> str:
    lines = [f"{'Port':<12}{'TxQ':<6}{'Marked packets':>18}"]
    for name, d in show.ecn_counters(device, names)["intfQueueCounters"].items():
        lines += [f"{short(name):<12}{queue:<6}{count:>18}" for queue, count in d["queueCounters"].items()]
    return "\n".join(lines)


def trust(device: EosDevice, names: str | None) -> str:
    lines = [f"{'Port':<32}Trust Mode", f"{'':<21}{'Operational':<23}Configured", "-" * 63]
    for p in show.ports(device, names):
        configured = {"none": "UNTRUSTED", None: "DEFAULT"}.get(p.config.trust, str(p.config.trust).upper())
        operational = p.config.effective_trust.upper().replace("NONE", "UNTRUSTED")
        lines.append(f"{p.name:<21}{operational:<23}{configured}")
    return "\n".join(lines)


def qos_maps(device: EosDevice, _: str | None) -> str:
    rewrites = {n.text for n in device.tree.root.visible() if n.text.startswith("qos rewrite")}
    cos, dscp = (qos_map(device.tree, source, "traffic-class") for source in ("cos", "dscp"))
    queue = qos_map(device.tree, "traffic-class", "tx-queue")
    lines = [
        "   Number of Traffic Classes supported: 8",
        "   Number of Transmit Queues supported: 8",
        f"   Cos Rewrite: {'Enabled' if 'qos rewrite cos' in rewrites else 'Disabled'}",
        f"   Dscp Rewrite: {'Enabled' if 'qos rewrite dscp' in rewrites else 'Disabled'}",
        "",
        "   Cos-tc map:",
        "     cos:  0  1  2  3  4  5  6  7",
        "     ----------------------------",
        "     tc:   " + "  ".join(str(cos[n]) for n in range(8)),
        "",
        "   Dscp-tc map:",
        "     d1 :  d2 0  1  2  3  4  5  6  7  8  9",
        "     --------------------------------------",
    ]
    lines += [
        f"      {tens} :     " + "  ".join(str(dscp[n]) for n in range(tens * 10, min(tens * 10 + 10, 64)))
        for tens in range(7)
    ]
    lines += [
        "",
        "   Tc - tx-queue map:",
        "     tc:        0  1  2  3  4  5  6  7",
        "     ---------------------------------",
        "     tx-queue:  " + "  ".join(str(queue[n]) for n in range(8)),
        "",
    ]
    return "\n".join(lines)


def qos_profile(device: EosDevice, _: str | None) -> str:
    profiles = [n for n in device.tree.root.visible() if n.kind.mode == "qos-profile"]
    return "\n".join("\n".join(device.tree.section(p)) for p in profiles)


def qos_profile_summary(device: EosDevice, _: str | None) -> str:
    blocks = []
    for node in device.tree.root.visible():
        if node.kind.mode == "qos-profile":
            name = node.text.split()[-1]
            users = [p.name for p in show.ports(device, None) if p.config.profile == name]
            blocks.append(f"Qos Profile: {name}\n   Configured on: {', '.join(users)}")
    return "\n".join(blocks)


def lldp(device: EosDevice, names: str | None) -> str:
    lines = [
        "Last table change time   : 0:01:00 ago",
        "Number of table inserts  : 1",
        "Number of table deletes  : 0",
        "Number of table drops    : 0",
        "Number of table age-outs : 0",
        "",
        f"{'Port':<13}{'Neighbor Device ID':<33}{'Neighbor Port ID':<23}TTL",
        f"{'-' * 10:<13}{'-' * 30:<33}{'-' * 20:<23}---",
    ]
    lines += [f"{short(port):<13}{system:<33}{there:<23}120" for port, system, there in show.lldp_peers(device, names)]
    return "\n".join(lines)


def lldp_detail(device: EosDevice, names: str | None) -> str:
    heard = {port: (system, there) for port, system, there in show.lldp_peers(device, names)}
    blocks = []
    for p in show.ports(device, names):
        lines = [f"Interface {p.name} detected {int(p.name in heard)} LLDP neighbors:"]
        if p.name in heard:
            system, there = heard[p.name]
            lines += [
                "",
                f"  Neighbor 0200.0000.0002/{there}, age 1 seconds",
                "  Discovered 0:01:00 ago; Last changed 0:01:00 ago",
                "  - Chassis ID type: MAC address (4)",
                "    Chassis ID     : 0200.0000.0002",
                "  - Port ID type: Interface name(5)",
                f'    Port ID     : "{there}"',
                "  - Time To Live: 120 seconds",
                f'  - System Name: "{system}"',
            ]
        blocks.append("\n".join(lines))
    return "\n".join(blocks)


def queue_monitor(device: EosDevice, _: str | None) -> str:
    on = show.queue_monitor(device, None)["lanzEnabled"]
    return f"queue-monitor length {'enabled' if on else 'disabled'}"


def mmu_status(device: EosDevice, _: str | None) -> str:
    applied = device.tree.root.get("platform trident mmu apply")
    name = applied.text.split()[-2] if applied else "default"
    return f"Active queue profile: {name}"


def vlan(device: EosDevice, _: str | None) -> str:
    lines = ["VLAN  Name                             Status    Ports", f"----- {'-' * 32} {'-' * 9} {'-' * 31}"]
    for number, d in show.vlan(device, None)["vlans"].items():
        members = ", ".join(short(n) for n in d["interfaces"])
        lines.append(f"{number:<5} {d['name']:<32} {d['status']:<9} {members}".rstrip())
    return "\n".join(lines)


def sessions(device: EosDevice, _: str | None) -> str:
    return device.sessions.as_text()
