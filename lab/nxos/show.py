# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show commands of configuration, versions, interfaces, VLANs and LLDP."""

from __future__ import annotations

import re

from lab.nxos import values
from lab.nxos.device import NxosDevice, Port
from lab.nxos.grammar import Match, Reject, refusal
from lab.nxos.shell import GRAMMAR, NxosShell, structured, table

RULE = "-" * 80


# -- configuration ---------------------------------------------------------------------------------------------
def _header(shell: NxosShell, command: str) -> str:
    device = shell.device
    return (
        f"\n!Command: {command}\n!Running configuration last done at: {device.date(device.changed_at)}\n"
        f"!Time: {device.date(device.clock())}\n"
    )


def _printed(text: str) -> str:
    """The terminal adds the newline that ends the last line."""
    return text[:-1] if text.endswith("\n") else text


@GRAMMAR.command("exec", "show running-config", "show running-config exclude security")
def show_running(shell: NxosShell, match: Match) -> str:
    return _header(shell, match.line) + _printed(shell.device.running())


@GRAMMAR.command("exec", "show startup-config")
def show_startup(shell: NxosShell, match: Match) -> str:
    device = shell.device
    saved = f"!Startup config saved at: {device.date(device.changed_at)}\n"
    return _header(shell, match.line) + saved + _printed(device.startup())


def _version_line(device: NxosDevice) -> str:
    return next((n.raw for n in device.config.children if n.text.startswith("version ")), f"version {device.release}")


@GRAMMAR.command("exec", "show running-config interface [<names:ifaces>] [all]")
def show_running_interface(shell: NxosShell, match: Match) -> str:
    device = shell.device
    parts = []
    for name in match.get("names") or [n for n in device.interfaces() if device.port(n).node]:
        port = device.port(name)
        if port.node is None and name not in device.ports:
            raise Reject(f"ERROR: Interface {name} does not exist")
        lines = [child.raw for child in port.node.walk()] if port.node else []
        if "all" in match:
            lines += [f"  {line}" for line in _hidden(port)]
        parts.append("\n".join([f"interface {name}", *lines]))
    return _header(shell, match.line) + f"\n{_version_line(device)}\n\n" + "\n\n".join(parts)


def _hidden(port: Port) -> list[str]:
    """Lines that are in force and only ``all`` prints."""
    defaults = {"mtu": "1500"}
    if port.kind == "Ethernet":
        defaults |= {
            "priority-flow-control mode": "auto",
            "priority-flow-control watch-dog-interval": "off",
            "speed": "auto",
            "fec": "auto",
            "flowcontrol receive": "off",
            "flowcontrol send": "off",
        }
    if not port.routed:
        defaults |= {
            "switchport mode": "access",
            "switchport access vlan": "1",
            "switchport trunk allowed vlan": "1-4094",
        }
    found = [f"{key} {value}" for key, value in defaults.items() if not port.value(key)]
    return found + (
        [] if any("shutdown" in ln for ln in port.lines) else ["no shutdown" if port.admin_up else "shutdown"]
    )


@GRAMMAR.command("exec", "show running-config all")
def show_running_all(shell: NxosShell, match: Match) -> str:
    device = shell.device
    parts: list[str] = []
    for node in device.config.children:
        parts += [node.raw, *(child.raw for child in node.walk())]
        if node.text.startswith("interface ") and node.text[10:] in device.interfaces():
            parts += [f"  {line}" for line in _hidden(device.port(node.text[len("interface ") :]))]
    return _header(shell, match.line) + _printed("\n".join(parts))


_SECTIONS = {
    "ipqos": r"class-map|policy-map|system qos|priority-flow-control",
    "vlan": r"vlan ",
    "lldp": r"feature lldp|(no )?lldp ",
    "scheduler": r"feature scheduler|scheduler ",
}


@GRAMMAR.command("exec", *(f"show running-config {name}" for name in _SECTIONS))
def show_running_section(shell: NxosShell, match: Match) -> str:
    name = match.words[2]
    parts = [_version_line(shell.device)]
    for node in shell.device.config.children:
        if re.match(_SECTIONS[name], node.text):
            parts += [node.raw, *(child.raw for child in node.walk())]
        elif name == "ipqos" and node.text.startswith("interface "):
            lines = [c.raw for c in node.children if re.match(r"service-policy|priority-flow-control", c.text)]
            parts += ["", node.raw, *lines] if lines else []
    return _header(shell, match.line) + "\n" + "\n".join(parts)


# -- the switch ------------------------------------------------------------------------------------------------
@GRAMMAR.command("exec", "show version")
def show_version(shell: NxosShell, match: Match) -> str:
    device = shell.device
    short = (device.release or "").rstrip("F")
    up = int(device.clock() - device.booted)
    image = f"bootflash:///nxos.{short.replace('(', '.').replace(')', '')}.bin"
    if shell.json:
        data = {
            "header_str": "Cisco Nexus Operating System (NX-OS) Software\n",
            "bios_ver_str": "05.48",
            "nxos_ver_str": device.release,
            "nxos_file_name": image,
            "chassis_id": device.model,
            "cpu_name": "Intel(R) Xeon(R) CPU D-1526 @ 1.80GHz",
            "memory": 24632252,
            "mem_type": "kB",
            "proc_board_id": "FDO00000000",
            "host_name": device.hostname,
            "bootflash_size": 115343360,
            "kern_uptm_days": up // 86400,
            "kern_uptm_hrs": up // 3600 % 24,
            "kern_uptm_mins": up // 60 % 60,
            "kern_uptm_secs": up % 60,
            "rr_reason": "Unknown",
            "manufacturer": "Cisco Systems, Inc.",
        }
        if device.major < 9:  # the keys of old releases
            data["kickstart_ver_str"] = device.release
            data["rr_sys_ver"] = device.release
            del data["nxos_ver_str"]
        return structured(shell, data)
    uptime = f"{up // 86400} day(s), {up // 3600 % 24} hour(s), {up // 60 % 60} minute(s), {up % 60} second(s)"
    return (
        "Cisco Nexus Operating System (NX-OS) Software\n"
        "TAC support: http://www.cisco.com/tac\n\n"
        "Software\n  BIOS: version 05.48\n"
        f" NXOS: version {device.release}\n  BIOS compile time:  04/11/2023\n"
        f"  NXOS image file is: {image}\n  NXOS compile time:  1/1/2024 12:00:00 [01/01/2024 20:00:00]\n\n\n"
        f"Hardware\n  cisco {device.model} \n"
        "  Intel(R) Xeon(R) CPU D-1526 @ 1.80GHz with 24632252 kB of memory.\n"
        "  Processor Board ID FDO00000000\n\n"
        f"  Device name: {device.hostname}\n  bootflash:  115343360 kB\n\n"
        f"Kernel uptime is {uptime}\n\nLast reset \n  Reason: Unknown\n"
    )


@GRAMMAR.command("exec", "show hostname")
def show_hostname(shell: NxosShell, match: Match) -> str:
    name = shell.device.hostname
    return structured(shell, {"hostname": name}) if shell.json else name


@GRAMMAR.command("exec", "show clock")
def show_clock(shell: NxosShell, match: Match) -> str:
    date = shell.device.date(shell.device.clock()).split()
    text = f"{date[3]}.000 UTC {date[0]} {date[1]} {date[2]} {date[4]}"
    return (
        structured(shell, {"simple_time": text, "time_source": "NTP"}) if shell.json else f"{text}\nTime source is NTP"
    )


@GRAMMAR.command("exec", "show users")
def show_users(shell: NxosShell, match: Match) -> str:
    head = "NAME     LINE         TIME         IDLE          PID COMMENT"
    return f"{head}\n{shell.user:<8} pts/0        -            .            1 *"


@GRAMMAR.command("exec", "show feature")
def show_feature(shell: NxosShell, match: Match) -> str:
    from lab.nxos.order import FEATURES

    state = {name: "enabled" if shell.device.enabled(name) else "disabled" for name in FEATURES}
    if shell.json:
        rows = [
            {"cfcFeatureName2": n, "cfcFeatureCtrlInstanceNum2": "1", "cfcFeatureCtrlOpStatus2": s}
            for n, s in state.items()
        ]
        return structured(shell, table("cfcFeatureCtrl2Table", rows))
    rows = "\n".join(f"{name:<22} 1          {s}" for name, s in sorted(state.items()))
    return f"Feature Name          Instance  State\n--------------------  --------  --------\n{rows}"


@GRAMMAR.command("exec", "show inventory")
def show_inventory(shell: NxosShell, match: Match) -> str:
    device = shell.device
    row = {
        "name": "Chassis",
        "desc": device.model,
        "productid": "N9K-C9332D-GX2B",
        "vendorid": "V01",
        "serialnum": "FDO00000000",
    }
    if shell.json:
        return structured(shell, table("inv", [row]))
    return (
        f'NAME: "Chassis",  DESCR: "{device.model}"\n'
        f"PID: {row['productid']:<19},  VID: {row['vendorid']} ,  SN: {row['serialnum']}"
    )


# -- VLANs -----------------------------------------------------------------------------------------------------
@GRAMMAR.command("exec", "show vlan [brief]")
def show_vlan(shell: NxosShell, match: Match) -> str:
    device = shell.device
    ports = [device.port(name) for name in device.interfaces("Ethernet")]
    rows = []
    for number in device.vlans():
        members = [p.name for p in ports if _carries(p, number)]
        rows.append(
            {
                "vlanshowbr-vlanid": str(number),
                "vlanshowbr-vlanid-utf": str(number),
                "vlanshowbr-vlanname": vlan_name(device, number),
                "vlanshowbr-vlanstate": "active",
                "vlanshowbr-shutstate": "noshutdown",
                "vlanshowplist-ifidx": ",".join(members),
            }
        )
    if shell.json:
        return structured(shell, table("vlanbriefxbrief", rows))
    lines = ["", "VLAN Name                             Status    Ports", f"{'-' * 4} {'-' * 32} {'-' * 9} {'-' * 31}"]
    for row in rows:
        names = [values.short_name(n) for n in row["vlanshowplist-ifidx"].split(",") if n]
        chunks = [", ".join(names[i : i + 4]) for i in range(0, len(names), 4)] or [""]
        lines.append(f"{row['vlanshowbr-vlanid']:<4} {row['vlanshowbr-vlanname']:<32} {'active':<9} {chunks[0]}")
        lines += [f"{'':<48}{chunk}" for chunk in chunks[1:]]
    return "\n".join(lines)


def vlan_name(device: NxosDevice, number: int) -> str:
    for node in device.config.sections(f"vlan {number}"):
        for line in node.lines():
            if line.startswith("name "):
                return line[len("name ") :]
    return "default" if number == 1 else f"VLAN{number:04d}"


def _carries(port: Port, number: int) -> bool:
    if port.routed:
        return False
    return port.access_vlan == number if port.mode == "access" else number in port.allowed_vlans


# -- interfaces ------------------------------------------------------------------------------------------------
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


# -- LLDP ------------------------------------------------------------------------------------------------------
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
