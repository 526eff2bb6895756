# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of the whole switch: modes, terminal, features, VLANs, LLDP, load sharing, and a few of other concerns."""

from __future__ import annotations

import re

from lab.device import Logout
from lab.nxos import order, tree, values
from lab.nxos.grammar import Match, Reject
from lab.nxos.shell import GRAMMAR, NxosShell, entry_line, setting, switch

RESERVED_VLANS = range(3968, 4095)


# -- modes and terminal ----------------------------------------------------------------------------------------
@GRAMMAR.command("exec", "configure [terminal]")
def configure(shell: NxosShell, match: Match) -> str:
    shell.stack.clear()
    shell.enter("config")
    return "Enter configuration commands, one per line. End with CNTL/Z."


@GRAMMAR.command("exec", "end")
def end(shell: NxosShell, match: Match) -> None:
    shell.stack.clear()


@GRAMMAR.command("exec", "exit")
def leave(shell: NxosShell, match: Match) -> None:
    if not shell.stack:
        raise Logout
    shell.stack.pop()


@GRAMMAR.command("exec", "terminal length <lines:0-511>")
def terminal_length(shell: NxosShell, match: Match) -> None:
    shell.page_length = match["lines"]


@GRAMMAR.command("exec", "terminal width <columns:24-511>")
def terminal_width(shell: NxosShell, match: Match) -> None:
    shell.width = match["columns"]


@GRAMMAR.command("exec", "terminal session-timeout <minutes:0-525600>", "terminal [no] monitor", "terminal dont-ask")
def terminal_other(shell: NxosShell, match: Match) -> None:
    """Nothing that shows."""


# -- names and features ----------------------------------------------------------------------------------------
@GRAMMAR.command("config", "hostname <name:name>", "switchname <name:name>")
def hostname(shell: NxosShell, match: Match) -> None:
    shell.drop("switchname")
    shell.put(f"hostname {match['name']}", "hostname")


_NOTHING = r"(?!)"
# What a feature takes with it when it goes: lines of the top level, lines of interfaces.
_FEATURE_LINES = {
    "lldp": (r"(no )?lldp ", r"(no )?lldp "),
    "ptp": (r"ptp ", r"ptp"),
    "scheduler": (r"scheduler ", _NOTHING),
    "interface-vlan": (r"interface Vlan", _NOTHING),
    "lacp": (_NOTHING, r"lacp "),
    "vpc": (r"vpc ", r"vpc "),
    "bgp": (r"router bgp ", _NOTHING),
    "bfd": (r"bfd ", r"(no )?bfd "),
    "hsrp": (_NOTHING, r"hsrp "),
    "fabric forwarding": (r"fabric forwarding ", r"fabric forwarding "),
}
_BFD_NOTE = (
    "Please disable the ICMP / ICMPv6 redirects on all IPv4 and IPv6 interfaces\n"
    "running BFD sessions using the command below\n\n'no ip redirects '\n'no ipv6 redirects '\n"
)


@GRAMMAR.command("config", *(f"{no}feature {name}" for no in ("", "no ") for name in order.FEATURES))
def feature(shell: NxosShell, match: Match) -> str | None:
    device = shell.device
    line = match.line.removeprefix("no ")
    name = line.removeprefix("feature ")
    if not match.negated:
        fresh = not device.has(line)
        shell.put(line)
        return _BFD_NOTE if name == "bfd" and fresh else None
    if not device.has(line):
        return None
    text = device.running()
    top, below = _FEATURE_LINES.get(name, (_NOTHING, _NOTHING))
    for node in [n for n in device.config.children if n.text == line or re.match(top, n.text)]:
        tree.remove(device.config, node)
    for node in [n for n in device.config.children if n.text.startswith("interface ")]:
        node.children = [c for c in node.children if not re.match(below, c.text)]
    if name == "bfd":
        for node in [n for n in device.config.walk() if n.children]:
            node.children = [c for c in node.children if c.text not in ("bfd", "bfd singlehop", "bfd multihop")]
    device.feature_checkpoint(name, text)
    return None


# -- VLANs -----------------------------------------------------------------------------------------------------
@GRAMMAR.command("config", "vlan <ids:list/1-4094>")
def vlan(shell: NxosShell, match: Match) -> None:
    reserved = [n for n in match["ids"] if n in RESERVED_VLANS]
    if reserved:
        raise Reject(f"ERROR: VLAN(s) {values.compress(reserved)} are reserved for internal use")
    _set_vlans(shell, {*shell.device.vlans(), *match["ids"]})
    shell.enter("config-vlan", *((f"vlan {n}",) for n in match["ids"]))


@GRAMMAR.command("config", "no vlan <ids:list/1-4094>")
def no_vlan(shell: NxosShell, match: Match) -> None:
    if 1 in match["ids"]:
        raise Reject("ERROR: Vlan 1 is a default VLAN and can not be deleted")
    for number in match["ids"]:
        for node in _blocks(shell, number):
            tree.remove(shell.device.config, node)
    _set_vlans(shell, set(shell.device.vlans()) - set(match["ids"]))


def _set_vlans(shell: NxosShell, ids: set[int]) -> None:
    device = shell.device
    summary = device.vlan_summary()
    if summary is None:
        if ids != {1}:
            device.insert_top(f"vlan {values.compress(ids)}")
    else:
        summary.raw = f"vlan {values.compress(ids)}"


def _blocks(shell: NxosShell, number: int) -> list[tree.Node]:
    summary = shell.device.vlan_summary()
    return [n for n in shell.device.config.sections(f"vlan {number}") if n is not summary]


def _vlan_line(shell: NxosShell, match: Match) -> None:
    """Blocks exist only for VLANs that have something to say, and never at the place of the summary."""
    key = match.line.removeprefix("no ").split()[0]
    if key == "name" and not match.negated:
        if len(shell.ctx.targets) > 1:
            raise Reject("ERROR: name can not be given to a range of VLANs")
        _check_name(shell, match["name"])
    for (header,) in shell.ctx.targets:
        number = int(header.split()[1])
        _block_line(shell, number, key, "" if match.negated else match.line)


def _check_name(shell: NxosShell, name: str) -> None:
    if len(name) > 32:
        raise Reject("ERROR: VLAN name is longer than 32 characters")
    for node in shell.device.config.children:
        if (
            re.fullmatch(r"vlan \d+", node.text)
            and (node.text,) not in shell.ctx.targets
            and f"name {name}" in node.lines()
        ):
            raise Reject(f"ERROR: VLAN name {name} is already used by {node.text}")


def _block_line(shell: NxosShell, number: int, key: str, line: str) -> None:
    device = shell.device
    hidden = line in ("state active", f"name VLAN{number:04d}", "no shutdown")
    blocks = _blocks(shell, number)
    if not blocks and (hidden or not line):
        return
    block = blocks[0] if blocks else device.insert_top(f"vlan {number}")
    for child in [c for c in block.children if c.text.split()[:1] == [key]]:
        tree.remove(block, child)
    if line and not hidden:
        tree.insert(block, line, order.rank_of("config-vlan", block.text, device.major))
    if not block.children:
        tree.remove(device.config, block)


GRAMMAR.command("config-vlan", "name <name:word>", "no name [<name:word>]")(_vlan_line)
GRAMMAR.command("config-vlan", "state {active|suspend}", "no state", "shutdown", "no shutdown")(_vlan_line)
GRAMMAR.command(
    "config-vlan", "vn-segment <vni:1-16777214>", "no vn-segment [<vni:1-16777214>]", feature="vn-segment-vlan-based"
)(_vlan_line)


# -- LLDP, load sharing, hardware ------------------------------------------------------------------------------
setting("config", "lldp timer <seconds:5-254>", "lldp timer", "lldp timer 30", feature="lldp")
setting("config", "lldp holdtime <seconds:10-255>", "lldp holdtime", "lldp holdtime 120", feature="lldp")
setting("config", "lldp reinit <seconds:1-10>", "lldp reinit", "lldp reinit 2", feature="lldp")
switch(
    "config",
    "lldp tlv-select {dcbxp [egress-queuing]|management-address [v4|v6]|port-description|port-vlan|power-management"
    "|system-capabilities|system-description|system-name}",
    default=True,
    feature="lldp",
)

_IP_FIELDS = "{destination port destination|source-destination [port source-destination]}"
_IP_DEFAULT = "ip load-sharing address source-destination port source-destination"


@GRAMMAR.command(
    "config",
    f"ip load-sharing address {_IP_FIELDS} [universal-id <seed:1-4294967295>] [rotate <bits:0-63>] [concatenation]",
    "no ip load-sharing [address]",
)
def load_sharing(shell: NxosShell, match: Match) -> None:
    shell.drop("ip load-sharing")
    line = match.line.replace(" rotate 32", "")
    if not match.negated and line != _IP_DEFAULT:
        shell.put(line, "ip load-sharing")


setting(
    "config",
    "port-channel load-balance {dst|src|src-dst} {ip|ip-gre|ip-l4port|ip-l4port-vlan|ip-vlan|l4port|mac}"
    " [rotate <bits:0-63>] [symmetric]",
    "port-channel load-balance",
    "port-channel load-balance src-dst ip-l4port",
)
setting("config", "system jumbomtu <bytes:1500-9216>", "system jumbomtu", "system jumbomtu 9216")


@GRAMMAR.command("config", "system default switchport [shutdown]", "no system default switchport [shutdown]")
def default_switchport(shell: NxosShell, match: Match) -> None:
    """``system default switchport`` and ``no ... shutdown`` are what a switch does by itself: they are not printed."""
    plain = match.line.removeprefix("no ")
    for line in [n for n in shell.device.config.children if n.text in (plain, f"no {plain}")]:
        tree.remove(shell.device.config, line)
    if match.negated != plain.endswith("shutdown"):
        shell.put(match.line)


entry_line("config", "hardware access-list tcam region <region:word> <size:0-8192> [double-wide]")
setting("config", "hardware qos pause-buffer-delta <bytes:1-100000>", "hardware qos pause-buffer-delta")
setting(
    "config",
    "hardware qos nodrop-queue-thresholds queue-green <cells:0-310000>",
    "hardware qos nodrop-queue-thresholds",
)
setting("config", "hardware qos pfc max-buffer-size <bytes:1-10000000>", "hardware qos pfc max-buffer-size")

# -- time, telemetry: only as far as a fabric tool may type them -----------------------------------------------
setting("config", "ptp source <address:ip>", "ptp source", "ptp source 0.0.0.0", feature="ptp")
setting("config", "ptp domain <number:0-127>", "ptp domain", "ptp domain 0", feature="ptp")
setting("config", "ptp priority1 <number:0-255>", "ptp priority1", "ptp priority1 255", feature="ptp")
setting("config", "ptp priority2 <number:0-255>", "ptp priority2", "ptp priority2 255", feature="ptp")
setting("config", "grpc port <number:1024-65535>", "grpc port", "grpc port 50051", feature="grpc")
setting("config", "grpc use-vrf <vrf:name>", "grpc use-vrf", feature="grpc")

# -- other people's concerns, so that a user can change them by hand -------------------------------------------
setting("config", "snmp-server location <text:line>", "snmp-server location")
setting("config", "snmp-server contact <text:line>", "snmp-server contact")
entry_line("config", "ntp server <address:ip> [prefer] [use-vrf <vrf:name>]")
entry_line("config", "logging server <address:ip> [<level:0-7>] [use-vrf <vrf:name>]")
switch("config", "logging console", default=False)
switch("config", "logging monitor", default=False)
entry_line("config", "ip name-server <address:ip> [use-vrf <vrf:name>]")
switch("config", "ip domain-lookup", default=False)
setting("config", "ip domain-name <name:name>", "ip domain-name")
setting("config", "clock timezone <name:word> <hours:0-23> <minutes:0-59>", "clock timezone")
entry_line("config", "ip route <destination:prefix> <gateway:ip> [name <text:word>] [<preference:1-255>]")
entry_line("config", "username <name:name> role {network-admin|network-operator}")


@GRAMMAR.command("config", "banner motd <text:line>", "no banner motd")
def banner(shell: NxosShell, match: Match) -> None:
    if match.negated:
        shell.drop("banner motd")
        return
    text = match["text"]
    if len(text) < 2 or text.count(text[0]) != 2 or text[-1] != text[0]:
        raise Reject("ERROR: banner text must stand on one line between two delimiters")
    shell.put(match.line, "banner motd")


@GRAMMAR.command("config", "ip access-list <name:name>", "no ip access-list <name:name>")
def access_list(shell: NxosShell, match: Match) -> None:
    header = f"ip access-list {match['name']}"
    if match.negated:
        if not shell.drop(header):
            raise Reject(f"ERROR: access-list {match['name']} does not exist")
        return
    shell.put(header)
    shell.enter("config-acl", (header,))


@GRAMMAR.command(
    "config-acl",
    "<number:1-4294967295> {permit|deny} <rule:line>",
    "<number:1-4294967295> remark <rule:line>",
    "no <number:1-4294967295>",
)
def access_entry(shell: NxosShell, match: Match) -> None:
    number = str(match["number"])
    node = shell.node(shell.ctx.targets[0], create=True)
    old = [c for c in node.children if c.text.split()[0] == number]
    if match.negated:
        if not old:
            raise Reject(f"ERROR: No entry {number}")
        tree.remove(node, old[0])
        return
    for child in old:
        tree.remove(node, child)
    tree.insert(node, match.line, lambda text: values.natural(text.split()[0]))


@GRAMMAR.command("config", "vrf context <name:name>", "no vrf context <name:name>")
def vrf_context(shell: NxosShell, match: Match) -> None:
    header = f"vrf context {match['name']}"
    if match.negated:
        if match["name"] == "management" or not shell.drop(header):
            raise Reject(f"ERROR: VRF {match['name']} can not be deleted")
        return
    shell.put(header)
    shell.enter("config-vrf", (header,))


entry_line("config-vrf", "ip route <destination:prefix> <gateway:ip>")
