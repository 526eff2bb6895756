# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show commands of the switch itself and its VLANs."""

from __future__ import annotations

from lab.nxos import values
from lab.nxos.device import NxosDevice, Port
from lab.nxos.grammar import Match
from lab.nxos.shell import GRAMMAR, NxosShell, structured, table


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
