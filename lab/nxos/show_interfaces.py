# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show commands of interfaces: state, counters, addresses."""

from __future__ import annotations

import re

from lab.nxos import values
from lab.nxos.device import Port
from lab.nxos.grammar import Match, Reject, refusal
from lab.nxos.shell import GRAMMAR, NxosShell, structured, table

RULE = "-" * 80


def chosen(shell: NxosShell, match: Match, *kinds: str) -> list[Port]:
    """The interfaces that a show command is about."""
    device = shell.device
    known = device.interfaces()
    names = match.get("names") or [n for n in known if not kinds or values.kind_of(n) in kinds]
    for name in names:
        if name not in known:
            raise Reject(
                refusal("% Invalid interface format at '^' marker.", len(shell.prompt) + len("show interface "))
            )
    return [device.port(name) for name in names]


def speed_text(port: Port) -> str:
    if not port.oper_up:
        configured = port.value("speed", "auto")
        return configured if configured == "auto" else _short_speed(int(configured))
    return _short_speed(port.speed)


def _short_speed(speed: int) -> str:
    return f"{speed // 1000}G" if speed > 1000 else str(speed)


def _state(port: Port) -> str:
    if not port.admin_up:
        return "disabled"
    return "connected" if port.oper_up else "notconnect"


@GRAMMAR.command("exec", "show interface [<names:ifaces>] status")
def show_status(shell: NxosShell, match: Match) -> str:
    rows = []
    for port in chosen(shell, match):
        row = {"interface": port.name}
        if port.value("description"):
            row["name"] = port.value("description")
        row |= {
            "state": _state(port),
            "vlan": str(port.access_vlan) if port.mode == "access" else port.mode,
            "duplex": "full" if port.oper_up else "auto",
            "speed": speed_text(port),
            "type": "--" if port.kind != "Ethernet" else "QSFP-DD-400G-DR4",
        }
        rows.append(row)
    if shell.json:
        return structured(shell, table("interface", rows))
    head = f"{'Port':<14}{'Name':<19}{'Status':<10}{'Vlan':<10}{'Duplex':<8}{'Speed':<8}Type"
    lines = [RULE, head, RULE]
    for row in rows:
        name = row.get("name", "--")[:18]
        lines.append(
            f"{values.short_name(row['interface']):<14}{name:<19}{row['state'][:9]:<10}{row['vlan']:<10}"
            f"{row['duplex']:<8}{row['speed']:<8}{row['type'][:12]}"
        )
    return "\n".join(lines)


@GRAMMAR.command("exec", "show interface [<names:ifaces>] description")
def show_description(shell: NxosShell, match: Match) -> str:
    rows = [{"interface": p.name, "desc": p.value("description", "--")} for p in chosen(shell, match)]
    if shell.json:
        return structured(shell, table("interface", rows))
    lines = [RULE, f"{'Port':<14}{'Type':<7}{'Speed':<8}Description", RULE]
    for port in chosen(shell, match):
        name, text = values.short_name(port.name), port.value("description", "--")
        lines.append(f"{name:<14}{'eth':<7}{speed_text(port):<8}{text}")
    return "\n".join(lines)


@GRAMMAR.command("exec", "show interface [<names:ifaces>] brief")
def show_brief(shell: NxosShell, match: Match) -> str:
    rows = []
    for port in chosen(shell, match, "Ethernet"):
        rows.append(
            {
                "interface": port.name,
                "vlan": str(port.access_vlan) if port.mode == "access" else "--",
                "type": "eth",
                "portmode": port.mode,
                "state": "up" if port.oper_up else "down",
                "state_rsn_desc": _reason(port),
                "speed": speed_text(port),
                "ratemode": "D",
                "portchan": port.value("channel-group", "--").split()[0],
            }
        )
    if shell.json:
        return structured(shell, table("interface", rows))
    lines = [RULE, "Ethernet        VLAN    Type Mode   Status  Reason                 Speed     Port"]
    lines += ["Interface                                                                    Ch #", RULE]
    for r in rows:
        lines.append(
            f"{values.short_name(r['interface']):<16}{r['vlan']:<8}{r['type']:<5}{r['portmode']:<7}{r['state']:<8}"
            f"{r['state_rsn_desc']:<23}{r['speed'] + '(D)':<10}{r['portchan']}"
        )
    return "\n".join(lines)


def _reason(port: Port) -> str:
    if port.oper_up:
        return "none"
    return "Administratively down" if not port.admin_up else "Link not connected"


def primary_address(port: Port) -> str | None:
    found = [ln.split()[2] for ln in port.lines if re.match(r"ip address \d\S+/\d+", ln) and "secondary" not in ln]
    return found[0] if found else None


@GRAMMAR.command("exec", "show interface [<names:ifaces>]")
def show_interface(shell: NxosShell, match: Match) -> str:
    ports = chosen(shell, match)
    if shell.json:
        return structured(shell, table("interface", [_row(port) for port in ports]))
    return "\n\n".join(_text(port) for port in ports)


def _row(port: Port) -> dict:
    state = port.state
    row = {
        "interface": port.name,
        "state": "up" if port.oper_up else "down",
        "admin_state": "up" if port.admin_up else "down",
        "share_state": "Dedicated",
        "eth_hw_desc": "400000 Ethernet",
        "eth_hw_addr": "5254.0000.0001",
        "eth_bia_addr": "5254.0000.0001",
        "eth_mtu": str(port.mtu),
        "eth_bw": port.speed * 1000,
        "eth_mode": port.mode,
        "eth_duplex": "full" if port.oper_up else "auto",
        "eth_speed": f"{port.speed // 1000} Gb/s" if port.oper_up else "auto-speed",
        "eth_autoneg": "on",
        "eth_in_flowctrl": port.value("flowcontrol receive", "off"),
        "eth_out_flowctrl": port.value("flowcontrol send", "off"),
        "eth_inpkts": str(state.rx_packets),
        "eth_inbytes": str(state.rx_bytes),
        "eth_outpkts": str(state.tx_packets),
        "eth_outbytes": str(state.tx_bytes),
        "eth_crc": str(state.crc_errors),
        "eth_inerr": str(state.rx_errors),
        "eth_outerr": str(state.tx_errors),
        "eth_indiscard": str(state.rx_discards),
        "eth_outdiscard": str(state.tx_discards),
        "eth_outdisc": str(state.tx_discards),
        "eth_inpause": "0",
        "eth_outpause": "0",
    }
    if not port.oper_up:
        row["state_rsn_desc"] = _reason(port)
    if port.value("description"):
        row["desc"] = port.value("description")
    address = primary_address(port)
    if address:
        row["eth_ip_addr"], mask = address.split("/")
        row["eth_ip_mask"] = int(mask)
    return row


def _text(port: Port) -> str:
    row = _row(port)
    down = "" if port.oper_up else f" ({_reason(port)})"
    lines = [
        f"{port.name} is {row['state']}{down}",
        f"admin state is {row['admin_state']}, Dedicated Interface",
        f"  Hardware: {row['eth_hw_desc']}, address: {row['eth_hw_addr']} (bia {row['eth_bia_addr']})",
    ]
    if "desc" in row:
        lines.append(f"  Description: {row['desc']}")
    if "eth_ip_addr" in row:
        lines.append(f"  Internet Address is {row['eth_ip_addr']}/{row['eth_ip_mask']}")
    lines += [
        f"  MTU {row['eth_mtu']} bytes, BW {row['eth_bw']} Kbit , DLY 10 usec",
        "  reliability 255/255, txload 1/255, rxload 1/255",
        "  Encapsulation ARPA, medium is broadcast",
        f"  Port mode is {row['eth_mode']}",
        f"  {row['eth_duplex']}-duplex, {row['eth_speed']}",
        "  Beacon is turned off",
        "  Auto-Negotiation is turned on  FEC mode is " + fec_state(port).capitalize(),
        f"  Input flow-control is {row['eth_in_flowctrl']}, output flow-control is {row['eth_out_flowctrl']}",
        "  RX",
        f"    {row['eth_inpkts']} unicast packets  0 multicast packets  0 broadcast packets",
        f"    {row['eth_inpkts']} input packets  {row['eth_inbytes']} bytes",
        f"    0 jumbo packets  0 storm suppression bytes\n    0 runts  0 giants  {row['eth_crc']} CRC  0 no buffer",
        f"    {row['eth_inerr']} input error  0 short frame  0 overrun   0 underrun  0 ignored",
        "    0 watchdog  0 bad etype drop  0 bad proto drop  0 if down drop",
        f"    0 input with dribble  {row['eth_indiscard']} input discard",
        "    0 Rx pause",
        "  TX",
        f"    {row['eth_outpkts']} unicast packets  0 multicast packets  0 broadcast packets",
        f"    {row['eth_outpkts']} output packets  {row['eth_outbytes']} bytes",
        "    0 jumbo packets",
        f"    {row['eth_outerr']} output error  0 collision  0 deferred  0 late collision",
        f"    0 lost carrier  0 no carrier  0 babble  {row['eth_outdiscard']} output discard",
        "    0 Tx pause",
    ]
    return "\n".join(lines)


def fec_state(port: Port) -> str:
    """Operational FEC: what was set, or what such a speed takes."""
    configured = port.value("fec", "auto")
    if configured != "auto":
        return configured
    return "rs-fec" if port.speed >= 100_000 else "off"


@GRAMMAR.command("exec", "show interface [<names:ifaces>] fec")
def show_fec(shell: NxosShell, match: Match) -> str:
    rows = [
        {
            "interface": port.name,
            "ifindex": f"0x{0x1A000000 + 0x200 * index:x}",
            "admin_fec": port.value("fec", "auto"),
            "oper_fec": fec_state(port) if port.oper_up else "auto",
            "status": _state(port),
            "speed": speed_text(port),
            "type": "QSFP-DD-400G-DR4",
        }
        for index, port in enumerate(chosen(shell, match, "Ethernet"))
    ]
    if shell.json:
        return structured(shell, table("interface", rows))
    lines = ["-" * 97, "Name          Ifindex         Admin-fec    Oper-fec      Status     Speed    Type", "-" * 97]
    for r in rows:
        lines.append(
            f"{values.short_name(r['interface']):<14}{r['ifindex']:<16}{r['admin_fec']:<13}{r['oper_fec']:<14}"
            f"{r['status'][:9]:<11}{r['speed']:<9}{r['type']}"
        )
    return "\n".join(lines)


@GRAMMAR.command("exec", "show interface [<names:ifaces>] flowcontrol")
def show_flowcontrol(shell: NxosShell, match: Match) -> str:
    lines = [
        RULE,
        "Port         Send FlowControl  Receive FlowControl  RxPause TxPause",
        "             admin    oper     admin    oper",
        RULE,
    ]
    for port in chosen(shell, match, "Ethernet"):
        send, receive = port.value("flowcontrol send", "off"), port.value("flowcontrol receive", "off")
        lines.append(f"{values.short_name(port.name):<13}{send:<9}{send:<9}{receive:<9}{receive:<12}{0:<8}{0}")
    return "\n".join(lines)


@GRAMMAR.command("exec", "show interface [<names:ifaces>] counters")
def show_counters(shell: NxosShell, match: Match) -> str:
    ports = chosen(shell, match, "mgmt", "Ethernet")
    columns = (
        ("eth_inbytes", "InOctets", "rx_bytes"),
        ("eth_inucast", "InUcastPkts", "rx_packets"),
        ("eth_outbytes", "OutOctets", "tx_bytes"),
        ("eth_outucast", "OutUcastPkts", "tx_packets"),
    )
    if shell.json:
        # Each pair of columns is a table of its own, rows of all of them follow each other.
        return structured(
            shell,
            {
                f"TABLE_{way}_counters": {
                    f"ROW_{way}_counters": _single(
                        [
                            {f"interface_{way}": p.name} | {k: str(getattr(p.state, a)) for k, _, a in pair}
                            for p in ports
                        ]
                    )
                }
                for way, pair in (("rx", columns[:2]), ("tx", columns[2:]))
            },
        )
    parts = []
    for pair in (columns[:2], columns[2:]):
        parts.append("\n".join([RULE, "Port" + "".join(f"{title:>26}" for _, title, _ in pair), RULE]))
        for port in ports:
            numbers = "".join(f"{getattr(port.state, attribute):>26}" for _, _, attribute in pair)
            parts.append(f"{values.short_name(port.name):<4}{numbers}")
    return "\n".join(parts)


def _single(rows: list[dict]) -> dict | list[dict]:
    return rows[0] if len(rows) == 1 else rows


# Tables of ``show interface counters errors``: key, title, attribute of the state (None: always zero).
_ERROR_TABLES = (
    (
        ("eth_align_err", "Align-Err", None),
        ("eth_fcs_err", "FCS-Err", "crc_errors"),
        ("eth_xmit_err", "Xmit-Err", "tx_errors"),
        ("eth_rcv_err", "Rcv-Err", "rx_errors"),
        ("eth_undersize", "UnderSize", None),
        ("eth_outdisc", "OutDiscards", "tx_discards"),
    ),
    (
        ("eth_single_col", "Single-Col", None),
        ("eth_multi_col", "Multi-Col", None),
        ("eth_late_col", "Late-Col", None),
        ("eth_excess_col", "Exces-Col", None),
        ("eth_carri_sen", "Carri-Sen", None),
        ("eth_runts", "Runts", None),
    ),
    (
        ("eth_giants", "Giants", None),
        ("eth_sqetest_err", "SQETest-Err", None),
        ("eth_deferred_tx", "Deferred-Tx", None),
        ("eth_inmactx_err", "IntMacTx-Er", None),
        ("eth_inmacrx_err", "IntMacRx-Er", None),
        ("eth_symbol_err", "Symbol-Err", None),
    ),
    (("eth_indisc", "InDiscards", "rx_discards"),),
)


@GRAMMAR.command("exec", "show interface [<names:ifaces>] counters errors")
def show_errors(shell: NxosShell, match: Match) -> str:
    ports = chosen(shell, match, "mgmt", "Ethernet")
    rows: list[dict] = []
    parts: list[str] = []
    for columns in _ERROR_TABLES:
        parts.append("\n".join([RULE, f"{'Port':<11}" + "".join(f"{title:>12}" for _, title, _ in columns), RULE]))
        for port in ports:
            none = port.kind == "mgmt"
            cells = {k: "--" if none else str(getattr(port.state, a) if a else 0) for k, _, a in columns}
            rows.append({"interface": port.name} | cells)
            parts.append(f"{values.short_name(port.name):<11}" + "".join(f"{cell:>12}" for cell in cells.values()))
        parts.append("")
    if shell.json:
        return structured(shell, table("interface", rows))
    return "\n".join(parts).rstrip("\n")


@GRAMMAR.command("exec", "show interface [<names:ifaces>] trunk")
def show_trunk(shell: NxosShell, match: Match) -> str:
    ports = [p for p in chosen(shell, match, "Ethernet", "port-channel") if p.mode == "trunk"]
    rows = [
        {
            "interface": p.name,
            "native": str(p.native_vlan),
            "status": "trunking" if p.oper_up else "not-trunking",
            "portchannel": "--",
        }
        for p in ports
    ]
    allowed = [{"interface": p.name, "allowedvlans": values.compress(p.allowed_vlans) or "none"} for p in ports]
    if shell.json:
        return structured(shell, table("interface", rows) | table("allowed_vlans", allowed))
    lines = [RULE, f"{'Port':<15}{'Native':<8}{'Status':<15}Port", f"{'':<15}{'Vlan':<23}Channel", RULE]
    lines += [f"{values.short_name(r['interface']):<15}{r['native']:<8}{r['status']:<15}--" for r in rows]
    lines += ["", RULE, f"{'Port':<15}Vlans Allowed on Trunk", RULE]
    lines += [f"{values.short_name(r['interface']):<15}{r['allowedvlans']}" for r in allowed]
    return "\n".join(lines)


@GRAMMAR.command("exec", "show ip interface brief [vrf <vrf:name>]")
def show_ip_brief(shell: NxosShell, match: Match) -> str:
    device = shell.device
    vrf = match.get("vrf", "default")
    ports = [device.port(n) for n in device.interfaces()]
    rows = [
        {
            "intf-name": values.short_name(p.name),
            "prefix": primary_address(p).split("/")[0],
            "proto-state": "up" if p.oper_up else "down",
            "link-state": "up" if p.oper_up else "down",
            "admin-state": "up" if p.admin_up else "down",
            "vrf-name-out": vrf,
        }
        for p in ports
        if primary_address(p) and vrf in ("all", p.value("vrf member", "default"))
    ]
    if shell.json:
        return structured(shell, table("intf", rows))
    lines = [f'IP Interface Status for VRF "{vrf}"(1)', "Interface            IP Address      Interface Status"]
    lines += [
        f"{r['intf-name']:<21}{r['prefix']:<16}protocol-{r['proto-state']}/link-{r['link-state']}/admin-{r['admin-state']}"
        for r in rows
    ]
    return "\n".join(lines)
