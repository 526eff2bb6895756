# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show commands of BGP, routes, bundles, vPC, HSRP and BFD."""

from __future__ import annotations

import re

from lab.nxos import sessions, values
from lab.nxos.device import NxosDevice, Port
from lab.nxos.grammar import Match
from lab.nxos.shell import GRAMMAR, NxosShell, structured, table


def _up_time(device: NxosDevice) -> tuple[str, str]:
    """How long sessions are up: since the last change; for JSON and for text."""
    seconds = int(device.clock() - device.changed_at)
    hours, minutes, rest = seconds // 3600, seconds // 60 % 60, seconds % 60
    return f"PT{hours}H{minutes}M{rest}S", f"{hours:02}:{minutes:02}:{rest:02}"


# -- BGP -------------------------------------------------------------------------------------------------------
@GRAMMAR.command(
    "exec",
    "show bgp ipv4 unicast summary [vrf <vrf:name>]",
    "show ip bgp summary [vrf <vrf:name>]",
    feature="bgp",
)
def show_bgp_summary(shell: NxosShell, match: Match) -> str:
    device = shell.device
    router = sessions.process(device)
    if router is None or match.get("vrf", "default") not in ("default", "all"):
        return structured(shell, {}) if shell.json else ""
    local_as = router.text.split()[-1]
    router_id = next((ln.split()[-1] for ln in router.lines() if ln.startswith("router-id ")), _highest(device))
    listed = [p for p in sessions.peers(device) if "ipv4 unicast" in p.families]
    up_json, up_text = _up_time(device)
    networks = len(sessions.routes(device))
    paths = sum(len(p.routes) for p in listed)
    rows = [
        {
            "neighborid": p.name,
            "neighborversion": "4",
            "msgrecvd": "100" if p.established else "0",
            "msgsent": "100" if p.established else "0",
            "neighbortableversion": "10" if p.established else "0",
            "inq": "0",
            "outq": "0",
            "neighboras": str(p.asn or 0),
            "time": up_json,
            "state": p.state,
        }
        | ({"prefixreceived": str(len(p.routes))} if p.established else {})
        for p in listed
    ]
    if shell.json:
        family = {
            "safi": "1",
            "af-name": "IPv4 Unicast",
            "tableversion": "10",
            "configuredpeers": str(len(rows)),
            "capablepeers": str(sum(p.established for p in listed)),
            "totalnetworks": str(networks),
            "totalpaths": str(paths),
        } | table("neighbor", rows)
        vrf = {"vrf-name-out": "default", "vrf-router-id": router_id, "vrf-local-as": local_as}
        return structured(shell, table("vrf", [vrf | table("af", [{"af-id": "1"} | table("saf", [family])])]))
    lines = [
        "BGP summary information for VRF default, address family IPv4 Unicast",
        f"BGP router identifier {router_id}, local AS number {local_as}",
        f"BGP table version is 10, IPv4 Unicast config peers {len(rows)}, "
        f"capable peers {sum(p.established for p in listed)}",
        f"{networks} network entries and {paths} paths using {paths * 160} bytes of memory",
        "",
        "Neighbor        V    AS    MsgRcvd    MsgSent   TblVer  InQ OutQ Up/Down  State/PfxRcd",
    ]
    for p, row in zip(listed, rows, strict=True):
        what = row.get("prefixreceived", p.state)
        lines.append(
            f"{p.name:<15} 4 {row['neighboras']:>5} {row['msgrecvd']:>10} {row['msgsent']:>10} "
            f"{row['neighbortableversion']:>8}    0    0 {up_text:<8} {what}"
        )
    return "\n".join(lines)


def _highest(device: NxosDevice) -> str:
    addresses = [str(net.network_address) for net, port in sessions.connected(device) if port.kind == "loopback"]
    return max(addresses, key=values.natural, default="0.0.0.0")


@GRAMMAR.command("exec", "show bgp sessions [vrf <vrf:name>]", feature="bgp")
def show_bgp_sessions(shell: NxosShell, match: Match) -> str:
    device = shell.device
    router = sessions.process(device)
    listed = sessions.peers(device)
    up_json, up_text = _up_time(device)
    if router is None:
        return structured(shell, {}) if shell.json else ""
    rows = [
        {
            "neighbor-id": p.name,
            "connectionsdropped": "0",
            "remoteas": str(p.asn or 0),
            "lastflap": up_json,
            "lastread": "PT1S",
            "lastwrite": "PT1S",
            "state": p.state,
        }
        for p in listed
    ]
    if shell.json:
        head = {
            "totalpeers": str(len(rows)),
            "totalestablishedpeers": str(sum(p.established for p in listed)),
            "localas": router.text.split()[-1],
        }
        vrf = {"vrf-name-out": "default", "vrfpeers": head["totalpeers"]} | table("neighbor", rows)
        return structured(shell, head | table("vrf", [vrf]))
    lines = [
        f"Total peers {len(rows)}, established peers {sum(p.established for p in listed)}",
        f"ASN {router.text.split()[-1]}",
        f"VRF default, local ASN {router.text.split()[-1]}",
        "State: I-Idle, A-Active, O-Open, E-Established, C-Closing, S-Shutdown",
        "",
        "Neighbor        ASN    Flaps LastUpDn|LastRead|LastWrit St Port(L/R)  Notif(S/R)",
    ]
    lines += [
        f"{p.name:<15} {p.asn or 0:<10} 0 {up_text}|00:00:01|00:00:01 {p.state[0]}   0/0        0/0" for p in listed
    ]
    return "\n".join(lines)


# -- routes ----------------------------------------------------------------------------------------------------
@GRAMMAR.command(
    "exec",
    "show ip route [vrf <vrf:name>]",
    "show ip route {bgp|direct} [vrf <vrf:name>]",
    "show ip route <prefix:prefix> [vrf <vrf:name>]",
)
def show_ip_route(shell: NxosShell, match: Match) -> str:
    device = shell.device
    up_json, up_text = _up_time(device)
    router = sessions.process(device)
    rows: list[tuple[str, bool, list[dict]]] = []
    if match.get("vrf", "default") == "default":
        if "bgp" not in match:
            for network, port in sessions.connected(device):
                own = next(ln.split()[2].split("/")[0] for ln in port.lines if ln.startswith("ip address "))
                path = {"ipnexthop": own, "ifname": values.short_name(port.name), "clientname": "direct", "pref": "0"}
                rows.append((str(network), True, [path]))
        if "direct" not in match and router is not None:
            client = {"clientname": f"bgp-{router.text.split()[-1]}", "type": "external", "pref": "20"}
            for prefix, used in sessions.routes(device).items():
                # A next hop inside a connected network is printed without its interface.
                named = [{"ipnexthop": p.next_hop} | _interface(p) | client for p in used]
                rows.append((prefix, False, named))
    if "prefix" in match.values:
        rows = [row for row in rows if row[0] == match["prefix"]]
    rows.sort(key=lambda row: values.natural(row[0]))
    if shell.json:
        if not rows:
            return structured(shell, {})
        prefixes = [
            {"ipprefix": prefix, "ucast-nhops": str(len(paths)), "mcast-nhops": "0", "attached": str(direct).lower()}
            | table("path", [p | {"uptime": up_json, "metric": "0", "ubest": "true"} for p in paths])
            for prefix, direct, paths in rows
        ]
        family = {"addrf": "ipv4"} | table("prefix", prefixes)
        return structured(shell, table("vrf", [{"vrf-name-out": "default"} | table("addrf", [family])]))
    lines = [
        'IP Route Table for VRF "default"',
        "'*' denotes best ucast next-hop",
        "'**' denotes best mcast next-hop",
        "'[x/y]' denotes [preference/metric]",
        "'%<string>' in via output denotes VRF <string>",
        "",
    ]
    for prefix, direct, paths in rows:
        lines.append(f"{prefix}, ubest/mbest: {len(paths)}/0" + (", attached" if direct else ""))
        for path in paths:
            via = path["ipnexthop"] + (f", {path['ifname']}" if "ifname" in path else "")
            kind = f", {path['type']}" if "type" in path else ""
            lines.append(f"    *via {via}, [{path['pref']}/0], {up_text}, {path['clientname']}{kind}")
    return "\n".join(lines)


def _interface(peer: sessions.Peer) -> dict[str, str]:
    return {} if peer.name[0].isdigit() else {"ifname": values.short_name(peer.port.name)}


# -- bundles ---------------------------------------------------------------------------------------------------
_LEGEND = (
    "Flags:  D - Down        P - Up in port-channel (members)\n"
    "        I - Individual  H - Hot-standby (LACP only)\n"
    "        s - Suspended   r - Module-removed\n"
    "        b - BFD Session Wait\n"
    "        S - Switched    R - Routed\n"
    "        U - Up (port-channel)\n"
    "        p - Up in delay-lacp mode (member)\n"
    "        M - Not in use. Min-links not met\n"
)


def _member_flag(port: Port) -> str:
    return "P" if port.oper_up else "D"


@GRAMMAR.command("exec", "show port-channel summary [interface <names:ifaces>]")
def show_port_channel(shell: NxosShell, match: Match) -> str:
    device = shell.device
    rows = []
    for name in match.get("names") or device.interfaces("port-channel"):
        bundle = device.port(name)
        members = device.members(name)
        lacp = any(" mode " in port.value("channel-group", "") + " " for port in members)
        row = {
            "group": name.removeprefix("port-channel"),
            "port-channel": name,
            "layer": "R" if bundle.routed else "S",
            "status": "U" if bundle.oper_up else "D",
            "type": "Eth",
            "prtcl": "LACP" if lacp else "NONE",
        }
        rows.append(row | table("member", [{"port": p.name, "port-status": _member_flag(p)} for p in members]))
    if shell.json:
        return structured(shell, table("channel", rows))
    rule = "-" * 80
    head = f"{'Group':<6}{'Port-':<12}{'Type':<9}{'Protocol':<10}Member Ports\n{'':<6}Channel"
    lines = [_LEGEND.rstrip("\n"), rule, head, rule]
    for row in rows:
        flags = f"Po{row['group']}({row['layer']}{row['status']})"
        members = [f"{values.short_name(p.name)}({_member_flag(p)})" for p in device.members(row["port-channel"])] or [
            "--"
        ]
        chunks = ["    ".join(members[i : i + 3]) for i in range(0, len(members), 3)]
        lines.append(f"{row['group']:<6}{flags:<12}{'Eth':<9}{row['prtcl']:<10}{chunks[0]}")
        lines += [f"{'':<37}{chunk}" for chunk in chunks[1:]]
    return "\n".join(lines)


# -- vPC -------------------------------------------------------------------------------------------------------
@GRAMMAR.command("exec", "show vpc [brief]", feature="vpc")
def show_vpc(shell: NxosShell, match: Match) -> str:
    device = shell.device
    domain = device.value("vpc domain")
    if not domain:
        text = "vPC domain is not configured"
        return structured(shell, {"vpc-domain-id": "not configured"}) if shell.json else text
    body = [line for node in device.config.sections(f"vpc domain {domain}") for line in node.lines()]
    bundles = [device.port(name) for name in device.interfaces("port-channel")]
    link = next((b for b in bundles if "vpc peer-link" in b.lines), None)
    alive = any(line.startswith("peer-keepalive ") for line in body)
    joined = link is not None and link.oper_up and alive
    priority = next((int(ln.split()[-1]) for ln in body if ln.startswith("role priority ")), 32667)
    role = ("primary" if priority < 32667 else "secondary") if joined else "none-established"
    numbered = sorted(((b, int(m[1])) for b in bundles if (m := _vpc_number(b))), key=lambda pair: pair[1])
    data = {
        "vpc-domain-id": domain,
        "vpc-peer-status": "peer-ok" if joined else "peer-link-down" if link else "peer-not-found",
        "vpc-peer-status-reason": "SUCCESS" if joined else "Peer-link is down" if link else "Peer link not configured",
        "vpc-peer-keepalive-status": "peer-alive" if alive else "Disabled",
        "vpc-peer-consistency": "consistent",
        "vpc-per-vlan-peer-consistency": "consistent",
        "vpc-peer-consistency-status": "SUCCESS",
        "vpc-type-2-consistency": "consistent",
        "vpc-type-2-consistency-status": "SUCCESS",
        "vpc-role": role,
        "num-of-vpcs": str(len(numbered)),
        "track-object": "-1",
        "peer-gateway": "1" if "peer-gateway" in body else "0",
        "dual-active-excluded-vlans": "-",
        "vpc-graceful-consistency-check-status": "1",
        "vpc-auto-recovery-status": "Enabled" if any(ln.startswith("auto-recovery") for ln in body) else "Disabled",
        "vpc-peer-link-hdr": "Start of vPC peer-link table",
        "vpc-end": "End of table",
        "vpc-hdr": "Start of vPC table",
        "vpc-not-es": "vPC complex",
    }
    if link is not None:
        row = {
            "peer-link-id": "1",
            "peerlink-ifindex": values.short_name(link.name),
            "peer-link-port-state": "1" if link.oper_up else "0",
            "peer-up-vlan-bitset": values.compress(set(link.allowed_vlans) & set(device.vlans())) or "-",
        }
        data |= table("peerlink", [row])
    rows = [
        {
            "vpc-id": str(number),
            "vpc-ifindex": values.short_name(bundle.name),
            "vpc-port-state": "1" if bundle.oper_up else "0",
            "phy-port-if-removed": "disabled",
            "vpc-thru-peerlink": "0",
            "vpc-consistency": "consistent",
            "vpc-consistency-status": "SUCCESS",
            "up-vlan-bitset": _vlans(device, bundle) if bundle.oper_up else "-",
            "es-attr": "DF: Partial",
        }
        for bundle, number in numbered
    ]
    data |= table("vpc", rows)
    if shell.json:
        return structured(shell, data)
    adjacency = "peer adjacency formed ok" if joined else "peer adjacency not formed"
    lines = [
        "Legend:\n                (*) - local vPC is down, forwarding via vPC peer-link\n",
        f"vPC domain id                     : {domain}",
        f"Peer status                       : {adjacency}",
        f"vPC keep-alive status             : {'peer is alive' if alive else 'Disabled'}",
        "Configuration consistency status  : success",
        "Per-vlan consistency status       : success",
        "Type-2 consistency status         : success",
        f"vPC role                          : {role.replace('-', ' ')}",
        f"Number of vPCs configured         : {len(rows)}",
        f"Peer Gateway                      : {'Enabled' if data['peer-gateway'] == '1' else 'Disabled'}",
        f"Auto-recovery status              : {data['vpc-auto-recovery-status']}",
    ]
    if link is not None:
        lines += ["", "vPC Peer-link status", "-" * 69, "id    Port   Status Active vlans", "--    ----   ------ ---"]
        lines.append(
            f"1     {values.short_name(link.name):<7}{'up' if link.oper_up else 'down':<7}{row['peer-up-vlan-bitset']}"
        )
    if rows:
        lines += [
            "",
            "vPC status",
            "-" * 79,
            "Id    Port          Status Consistency Reason                Active vlans",
        ]
        lines += [
            f"{r['vpc-id']:<6}{r['vpc-ifindex']:<14}{'up' if r['vpc-port-state'] == '1' else 'down':<7}success     "
            f"success               {r['up-vlan-bitset']}"
            for r in rows
        ]
    return "\n".join(lines)


def _vpc_number(bundle: Port) -> re.Match | None:
    return re.fullmatch(r"(\d+)", bundle.value("vpc"))


def _vlans(device: NxosDevice, bundle: Port) -> str:
    carried = {bundle.access_vlan} if bundle.mode == "access" else set(bundle.allowed_vlans)
    return values.compress(carried & set(device.vlans())) or "-"


# -- HSRP ------------------------------------------------------------------------------------------------------
@GRAMMAR.command("exec", "show hsrp brief", feature="hsrp")
def show_hsrp(shell: NxosShell, match: Match) -> str:
    device = shell.device
    rows = []
    for name in device.interfaces():
        port = device.port(name)
        for node in port.node.children if port.node else []:
            group = re.fullmatch(r"hsrp (\d+)", node.text)
            if not group:
                continue
            lines = dict(line.split(" ", 1) for line in node.lines() if " " in line)
            rows.append(
                {
                    "sh_if_index": name,
                    "sh_group_num": group[1],
                    "sh_group_state": "Active" if port.oper_up else "Initial",
                    "sh_prio": lines.get("priority", "100"),
                    "sh_vip": lines.get("ip", "0.0.0.0"),
                }
            )
    if shell.json:
        return structured(shell, table("grp_detail", rows))
    lines = [
        "*:IPv6 group   #:group belongs to a bundle",
        "                     P indicates configured to preempt.",
        "                     |",
        " Interface   Grp  Prio P State    Active addr      Standby addr     Group addr",
    ]
    lines += [
        f"  {r['sh_if_index']:<10}{r['sh_group_num']:>4}  {r['sh_prio']:<7}{r['sh_group_state']:<9}local            "
        f"unknown          {r['sh_vip']}"
        for r in rows
    ]
    return "\n".join(lines)
