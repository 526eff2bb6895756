# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show commands of quality of service: queues, pauses, watchdog, policies.

Shapes: "Show Commands" reference of Nexus 9000 for the JSON keys. Releases differ in the rows of a queue (7.x counts
drops only, 9.x adds ``Ecn Marked``, 10.x names them ``WRED/AFD & Tail Drop`` and ``ECN``) and in the name of the port
in the JSON of the watchdog, which carries the whole heading up to 9.x.
"""

from __future__ import annotations

from lab.nxos import values
from lab.nxos.device import NxosDevice, Port
from lab.nxos.grammar import Match, Reject
from lab.nxos.qos import DEFAULT_POLICIES
from lab.nxos.shell import GRAMMAR, NxosShell, structured, table
from lab.nxos.show_interfaces import chosen

_THICK = "=" * 60
_LINE = "+" + "-" * 67 + "+"
_RULE = "-" * 80


# -- priority flow control -------------------------------------------------------------------------------------
def pfc_priorities(port: Port) -> list[int]:
    """Priorities that are paused on this port: the no-drop classes in force, once flow control is on at both layers."""
    if port.pfc_mode != "on" or not port.oper_up:
        return []
    return sorted(port.device.lossless())


@GRAMMAR.command("exec", "show interface [<names:ifaces>] priority-flow-control [detail]")
def show_pfc(shell: NxosShell, match: Match) -> str:
    rows = []
    for port in chosen(shell, match, "Ethernet"):
        priorities = pfc_priorities(port)
        bitmap = f"({sum(1 << p for p in priorities):x})" if priorities else ""
        rows.append(
            {
                "if_name_str": port.name,
                "admin": port.pfc_mode.capitalize(),
                "oper": f"On  {bitmap}" if priorities else "Off",
                "rx-stats": str(sum(c.pause_rx for c in port.state.classes.values())),
                "tx-stats": str(sum(c.pause_tx for c in port.state.classes.values())),
            }
        )
    if shell.json:
        return structured(shell, table("module", [table("pfc_interface", rows)]))
    lines = [_THICK, "Port               Mode Oper(VL bmap)  RxPPP      TxPPP", _THICK, ""]
    for r in rows:
        oper = r["oper"].replace("  ", " ").replace("(", "  (") if "(" in r["oper"] else r["oper"]
        lines.append(f"{r['if_name_str']:<18} {r['admin']:<4} {oper:<14} {r['rx-stats']:<10} {r['tx-stats']}")
    return "\n".join(lines)


# -- queues ----------------------------------------------------------------------------------------------------
def out_policy(port: Port) -> tuple[str, str]:
    """Name of the output queuing policy in force, and where it is attached."""
    own = port.value("service-policy type queuing output")
    return (own, "Interface") if own else (port.device.system_policy("queuing output"), "System")


def queue_config(device: NxosDevice, policy: str) -> list[dict]:
    """One row per queue of an output policy, highest first."""
    classes = device.policy("queuing", policy)
    rows = []
    for queue in range(7, -1, -1):
        lines = classes.get(f"c-out-8q-q{queue or '-default'}", [])
        share = next((ln.split()[-1] for ln in lines if ln.startswith("bandwidth ")), None)
        strict = next((ln.split()[-1] for ln in lines if ln.startswith("priority")), None)
        if policy in DEFAULT_POLICIES["queuing"]:
            share, strict = ("100", None) if not queue else (None, "1") if queue == 7 else ("0", None)
        rows.append(
            {
                "qosgrp": str(queue),
                "bandwidth": share or "-",
                "priority": strict or "-",
                "shape-min": "-",
                "shape-max": "-",
                "shape-units": "-",
                "q-limit": "9",
                "q-limit-type": "D",
            }
        )
    return rows


def _queue_rows(device: NxosDevice, port: Port, queue: int) -> list[tuple[str, str, int]]:
    """Counters of one queue: type, unit, value."""
    c = port.state.classes[queue]
    rows = [("Tx", "Pkts", c.tx_packets), ("Tx", "Byts", c.tx_bytes)]
    if device.major < 9:
        return [*rows, ("Dropped", "Pkts", c.drops), ("Dropped", "Byts", c.drops * 1024)]
    if device.major < 10:
        rows += [
            ("Dropped", "Pkts", c.drops),
            ("Dropped", "Byts", c.drops * 1024),
            ("Ecn Marked", "Pkts", c.ecn_marked),
        ]
    else:
        drop = "WRED/AFD & Tail Drop"
        rows += [(drop, "Pkts", c.drops), (drop, "Byts", c.drops * 1024)]
        rows += [("ECN", "Pkts", c.ecn_marked), ("ECN", "Byts", c.ecn_marked * 1024)]
    return [*rows, ("Q Depth", "Byts", c.depth_bytes)]


def _pfc_rows(port: Port) -> list[dict]:
    lossless = port.device.lossless()
    active = pfc_priorities(port)
    rows = []
    for cos in range(8):
        c = port.state.classes[cos]
        group = str(lossless[cos]) if cos in lossless else "-"
        state = "Active" if cos in active else "Inactive"
        rows.append(
            {
                "cos": str(cos),
                "pfc-qosgrp": group,
                "pfc-pg": group,
                "tx-pause-state": state,
                "tx-pause-count": str(c.pause_tx),
                "rx-pause-state": state,
                "rx-pause-count": str(c.pause_rx),
            }
        )
    return rows


@GRAMMAR.command("exec", "show queuing [interface [<names:ifaces>]]")
def show_queuing(shell: NxosShell, match: Match) -> str:
    ports = chosen(shell, match, "Ethernet")
    if shell.json:
        rows = [row for port in ports for row in _queuing_json(shell.device, port)]
        return structured(shell, table("module", [table("queuing_interface", rows)]))
    return "slot  1\n=======\n\n\n" + "\n\n".join(_queuing_text(shell.device, port) for port in ports)


def _queuing_json(device: NxosDevice, port: Port) -> list[dict]:
    policy, _ = out_policy(port)
    stats = []
    for queue in range(8):
        entries = [
            {"eq-stat-type": kind, "eq-stat-units": unit, "eq-uc-stat-value": str(value), "eq-mc-stat-value": "0"}
            for kind, unit, value in _queue_rows(device, port, queue)
        ]
        stats.append({"eq-qosgrp": str(queue)} | table("qosgrp_egress_stats_entry", entries))
    state = port.state
    out = {"dir": "Egress", "if_name_str": port.name}
    out |= table("qosgrp_cfg", queue_config(device, policy)) | table("qosgrp_egress_stats", stats)
    drops = sum(c.drops for c in state.classes.values())
    out |= table(
        "egress_stats_entry", [{"ep-stat-type": "WRED Drop", "ep-stat-units": "Pkts", "ep-stat-value": str(drops)}]
    )
    pauses = _pfc_rows(port)
    ingress = [
        {"ip-stat-type": "Ingress MMU Drop", "ip-stat-units": "Pkts", "ip-stat-value": str(state.rx_discards)},
        {"ip-stat-type": "Ingress MMU Drop", "ip-stat-units": "Bytes", "ip-stat-value": str(state.rx_discards * 1024)},
    ]
    into = {"dir": "Ingress", "if_name_str": port.name} | table("ingress_stats_entry", ingress)
    into |= {
        "tx-ppp": str(sum(int(r["tx-pause-count"]) for r in pauses)),
        "rx-ppp": str(sum(int(r["rx-pause-count"]) for r in pauses)),
    }
    return [out, into | table("pfc_stats", pauses)]


def _queuing_text(device: NxosDevice, port: Port) -> str:
    policy, where = out_policy(port)
    lines = [f"Egress Queuing for {port.name} [{where}]", _RULE]
    lines += ["QoS-Group# Bandwidth% PrioLevel                Shape                   QLimit"]
    lines += ["                                   Min          Max        Units   ", _RULE]
    for row in queue_config(device, policy):
        lines.append(
            f"{row['qosgrp']:>7} {row['bandwidth']:>13} {row['priority']:>9} {'-':>11} {'-':>12} {'-':>5} {'9(D)':>15}"
        )
    wide = device.major < 9  # old releases count out-of-band flow control apart
    titles = ("Unicast", "OOBFC Unicast", "Multicast") if wide else ("Unicast", "Multicast")
    width = 16 if wide else 25
    for queue in range(8):
        title = f"QOS GROUP {queue}"
        lines += [_LINE, f"|{title:^67}|", _LINE]
        lines += [f"|{'':<{width}}|" + "".join(f"  {t:<14}|" for t in titles), _LINE]
        for kind, unit, value in _queue_rows(device, port, queue):
            cells = "".join(f"{n:>16}|" for n in (value, *([0] * (len(titles) - 1))))
            lines.append(f"|{kind + ' ' + unit:>{width}}|{cells}")
    state = port.state
    drops = sum(c.drops for c in state.classes.values())
    lines += [_LINE, "", "Port Egress Statistics", "-" * 56, f"{'WRED Drop Pkts':<40}{drops}", ""]
    lines += [f"Ingress Queuing for {port.name}", _RULE]
    lines += ["QoS-Group#                 Pause", "           Buff Size       Pause Th      Resume Th", _RULE]
    lines += [f"{queue:>7} {'-':>13} {'-':>13} {'-':>13}" for queue in range(7, -1, -1)]
    lines += ["", "Port Ingress Statistics", "-" * 56]
    lines += [
        f"{'Ingress MMU Drop Pkts':<40}{state.rx_discards}",
        f"{'Ingress MMU Drop Bytes':<40}{state.rx_discards * 1024}",
    ]
    pauses = _pfc_rows(port)
    tx, rx = (sum(int(r[f"{way}-pause-count"]) for r in pauses) for way in ("tx", "rx"))
    lines += ["", "PFC Statistics", "-" * 76, f"TxPPP: {tx:>21}, RxPPP: {rx:>21}", "-" * 76]
    lines += ["COS QOS Group        PG   TxPause   TxCount         RxPause         RxCount"]
    for r in pauses:
        lines.append(
            f"{r['cos']:>4} {r['pfc-qosgrp']:>9} {r['pfc-pg']:>9}  {r['tx-pause-state']:<8} {r['tx-pause-count']:>8} "
            f"{r['rx-pause-state']:>15} {r['rx-pause-count']:>15}"
        )
    return "\n".join([*lines, "-" * 76])


@GRAMMAR.command("exec", "show queuing tabular [interface <names:ifaces>]")
def show_tabular(shell: NxosShell, match: Match) -> str:
    rows = []
    for port in chosen(shell, match, "Ethernet"):
        row = {"if_name_str": port.name}
        for queue, c in port.state.classes.items():
            row |= {
                f"qos_group_name_{queue}": f"QOS GROUP {queue}",
                f"tx_uc_pkt_qos_{queue}": str(c.tx_packets),
                f"tx_uc_byte_qos_{queue}": str(c.tx_bytes),
                f"tx_uc_drop_pkt_qos_{queue}": str(c.drops),
                f"tx_uc_drop_byte_qos_{queue}": str(c.drops * 1024),
                f"tx_uc_ecn_pkt_qos_{queue}": str(c.ecn_marked),
                f"tx_uc_ecn_byte_qos_{queue}": str(c.ecn_marked * 1024),
                f"pfc_rx_qos_{queue}": str(c.pause_rx),
                f"pfc_tx_qos_{queue}": str(c.pause_tx),
            }
        row["ing_drop_pkt"] = str(port.state.rx_discards)
        rows.append(row)
    if shell.json:
        return structured(shell, table("queuing_interface", rows))
    lines = []
    for row in rows:
        lines += [f"Interface {row['if_name_str']}", f"{'':<16}" + "".join(f"{'QG' + str(q):>12}" for q in range(8))]
        for title, key in (("Tx Pkts", "tx_uc_pkt"), ("Tx Byts", "tx_uc_byte"), ("Drop Pkts", "tx_uc_drop_pkt"),
                           ("ECN Pkts", "tx_uc_ecn_pkt"), ("PFC Rx", "pfc_rx"), ("PFC Tx", "pfc_tx")):  # fmt: skip
            lines.append(f"{title:<16}" + "".join(f"{row[f'{key}_qos_{q}']:>12}" for q in range(8)))
        lines.append("")
    return "\n".join(lines)


# -- watchdog --------------------------------------------------------------------------------------------------
_WATCHDOG_STATS = (
    ("Shutdown", "q-shutdown", "watchdog_detected"),
    ("Restored", "q-restored", "watchdog_restored"),
    ("Total pkts drained", "q-pkt-drained", None),
    ("Total pkts dropped", "q-pkt-dropped", None),
    ("Total pkts drained + dropped", "q-pkt-drained-n-dropped", None),
    ("Aggregate pkts dropped", "q-aggr-pkt-dropped", None),
    ("Total Ingress pkts dropped", "q-ing-pkt-dropped", None),
    ("Aggregate Ingress pkts dropped", "q-ing-aggr-pkt-dropped", None),
)


def _watchdog_on(port: Port) -> bool:
    device = port.device
    everywhere = device.value("priority-flow-control watch-dog-interval", "off") == "on"
    return everywhere and port.value("priority-flow-control watch-dog-interval", "off").startswith("on")


def _stuck(port: Port, group: int) -> bool:
    c = port.state.classes[group]
    return c.watchdog_detected > c.watchdog_restored


@GRAMMAR.command("exec", "show queuing pfc-queue [interface <names:ifaces>] [detail]")
def show_pfc_queue(shell: NxosShell, match: Match) -> str:
    device = shell.device
    ports = chosen(shell, match, "Ethernet")
    on = device.value("priority-flow-control watch-dog-interval", "off") == "on"
    numbers = {
        "glb-wd-timer": device.value("priority-flow-control watch-dog interval", "100"),
        "glb-wd-timer-thresh": device.value("priority-flow-control watch-dog shutdown-multiplier", "1"),
        "glb-auto-restore": device.value("priority-flow-control auto-restore multiplier", "10"),
        "glb-fixed-restore": device.value("priority-flow-control fixed-restore multiplier", "0"),
        "glb-int-intf-multi": device.value("priority-flow-control watch-dog internal-interface-multiplier", "2"),
    }
    head = {"glb-wd-status": "Enabled" if on else "Disabled", "glb-wd-force-status": "Not Enabled"} | numbers
    if shell.json:
        rows = [_watchdog_json(port, detail="detail" in match) for port in ports]
        return structured(shell, table("module", [head | table("queuing_interface", rows)]))
    bar = "+" + "-" * 52 + "+"
    lines = ["", "slot  1", "=======", "", "", bar, f"Global watch-dog interval [{head['glb-wd-status']}]"]
    lines += ["Forced Global watch-dog [Not Enabled]", bar, bar, "Global PFC watchdog configuration details", ""]
    lines += [
        f"PFC watch-dog poll interval                  : {numbers['glb-wd-timer']} ms",
        f"PFC watch-dog shutdown multiplier            : {numbers['glb-wd-timer-thresh']}",
        f"PFC watch-dog auto-restore multiplier        : {numbers['glb-auto-restore']}",
        f"PFC watch-dog fixed-restore multiplier       : {numbers['glb-fixed-restore']}",
        f"PFC watchdog internal-interface multiplier   : {numbers['glb-int-intf-multi']}",
        bar,
    ]
    if "detail" not in match:
        lines += [
            bar,
            f"|  {'Port':<18}{'PFC Watchdog':<16}{'(VL bmap)':<10}{'State':<8}|",
            "|" + f"{'7 6 5 4 3 2 1 0':>52}|",
            bar,
        ]
    for port in ports:
        lines += _watchdog_detail(port, bar) if "detail" in match else [_watchdog_line(port)]
    return "\n".join(lines)


def _watchdog_line(port: Port) -> str:
    lossless = set(port.device.lossless().values())
    state = " ".join(("N" if _stuck(port, q) else "Y") if q in lossless else "-" for q in range(7, -1, -1))
    bitmap = f"(0x{sum(1 << p for p in port.device.lossless()):x})"
    return f"{port.name:<20} {'Enabled' if _watchdog_on(port) else 'Disabled':<15} {bitmap:<9} {state}"


def _watchdog_detail(port: Port, bar: str) -> list[str]:
    status = "Enabled" if _watchdog_on(port) else "Disabled"
    option = port.value("priority-flow-control watch-dog-interval", "off")
    multiplier = option.split("interface-multiplier ")[1].split()[0] if "interface-multiplier" in option else "0"
    lines = [f"{port.name} Interface PFC watchdog: [{status}]"]
    lines += [f"Disable-action                         : {'Yes' if 'disable-action' in option else 'No'}"]
    lines += [f"PFC watch-dog interface-multiplier     : {multiplier}"]
    for cos, group in sorted(port.device.lossless().items()):
        state = "Shutdown" if _stuck(port, group) else "Active"
        lines += [bar, f"| QOS GROUP {group} [{state}] PFC [YES] PFC-COS [{cos}]", bar]
        lines += [f"|{'':<30}|{'Stats':^21}|", bar]
        for title, _, attribute in _WATCHDOG_STATS:
            value = getattr(port.state.classes[group], attribute) if attribute else 0
            lines.append(f"|{title:>30}|{value:>21}|")
    return [*lines, bar]


def _watchdog_json(port: Port, *, detail: bool) -> dict:
    status = "Enabled" if _watchdog_on(port) else "Disabled"
    heading = f"{port.name} Interface PFC watchdog: [{status}]"
    row = {"if_name_str": heading if detail and port.device.major < 10 else port.name, "wd-status": status}
    option = port.value("priority-flow-control watch-dog-interval", "off")
    row["disable-action"] = "Yes" if "disable-action" in option else "No"
    row["vl-bmp"] = f"0x{sum(1 << p for p in port.device.lossless()):x}"
    groups = set(port.device.lossless().values())
    for queue in range(7, -1, -1):
        row[f"qosgrp_{queue}_state"] = ("N" if _stuck(port, queue) else "Y") if queue in groups else "-"
    if not detail:
        return row
    stats = []
    for cos, group in sorted(port.device.lossless().items()):
        entries = [
            {"q-stat-type": title, key: str(getattr(port.state.classes[group], attribute) if attribute else 0)}
            for title, key, attribute in _WATCHDOG_STATS
        ]
        stats.append(
            {
                "eq-qosgrp": str(group),
                "eq-qosgrp-state": "Shutdown" if _stuck(port, group) else "Active",
                "pfc-configured": "YES",
                "pfc-cos": str(cos),
            }
            | table("qosgrp_stats_entry", entries)
        )
    return row | table("qosgrp_stats", stats)


# -- policies --------------------------------------------------------------------------------------------------
@GRAMMAR.command("exec", "show policy-map [type {qos|network-qos|queuing}] [<name:name>]")
def show_policy(shell: NxosShell, match: Match) -> str:
    device = shell.device
    kinds = [match.words[3]] if match.words[2:3] == ["type"] else ["qos", "queuing", "network-qos"]
    parts = []
    for kind in kinds:
        names = [line.split()[-1] for line in device.config.lines() if _is_policy(line, kind)]
        parts += [f"  Type {kind} policy-maps", "  " + "=" * 24, ""]
        shown = [n for n in dict.fromkeys(names) if match.get("name") in (None, n)]
        if "name" in match.values and not shown:
            raise Reject(f"ERROR: Policy-map {match['name']} does not exist")
        for name in shown:
            parts.append(f"  policy-map type {kind} {name}")
            for cls, lines in device.policy(kind, name).items():
                parts += [f"    class type {kind} {cls}", *(f"      {line}" for line in lines)]
    return "\n".join(parts)


def _is_policy(line: str, kind: str) -> bool:
    from lab.nxos.tree import canonical

    return line.startswith("policy-map ") and canonical(line).split()[1] == kind


@GRAMMAR.command("exec", "show policy-map system [type {network-qos|queuing}]")
def show_system_policy(shell: NxosShell, match: Match) -> str:
    device = shell.device
    parts = []
    if "queuing" not in match:
        name = device.system_policy("network-qos")
        parts += ["", "  Type network-qos policy-maps", "  " + "=" * 30, f"  policy-map type network-qos {name}"]
        lossless = {group: cos for cos, group in device.lossless().items()}
        classes = device.policy("network-qos", name)
        for group in range(7, -1, -1):
            label = f"c-8q-nq{group or '-default'}"
            mtu = next((ln.split()[1] for ln in classes.get(label, []) if ln.startswith("mtu ")), "1500")
            parts += [f"    class type network-qos {label}", f"      match qos-group {group}", f"      mtu {mtu}"]
            if group in lossless:
                parts.append(f"      pause pfc-cos {lossless[group]}")
    if "network-qos" not in match:
        name = device.system_policy("queuing output")
        parts += ["", "  Service-policy output:   " + name]
        for cls, lines in device.policy("queuing", name).items():
            parts += [f"    Class-map (queuing):   {cls} (match-any)", *(f"      {line}" for line in lines)]
    return "\n".join(parts)


@GRAMMAR.command("exec", "show class-map [type {qos|network-qos}] [<name:name>]")
def show_class_map(shell: NxosShell, match: Match) -> str:
    parts = []
    for node in shell.device.config.children:
        if node.text.startswith("class-map") and match.get("name") in (None, node.text.split()[-1]):
            parts += [f"    {node.text}", *(f"      {line}" for line in node.lines()), ""]
    return "\n".join(["", "  Type qos class-maps", "  " + "=" * 20, "", *parts])


# -- what a port does with a packet, as the wire asks ----------------------------------------------------------
def dscp_to_group(device: NxosDevice, port: Port) -> dict[int, int]:
    """The classification in force on a port: DSCP -> qos-group (unlisted ones: the group of class-default or 0)."""
    name = port.value("service-policy type qos input").split(" ")[0] or device.system_policy("qos input")
    groups: dict[int, int] = {}
    for cls, lines in device.policy("qos", name).items():
        group = next((int(line.split()[-1]) for line in lines if line.startswith("set qos-group ")), 0)
        if cls == "class-default":
            groups = {dscp: groups.get(dscp, group) for dscp in range(64)}
            continue
        for node in device.config.sections(f"class-map type qos match-any {cls}"):
            for line in node.lines():
                if line.startswith("match dscp "):
                    for dscp in values.dscp_list(line.split()[2]) or []:
                        groups.setdefault(dscp, group)
    return groups
