# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prefix lists and route maps: commands, and what they let through."""

from __future__ import annotations

import re
from ipaddress import IPv4Interface, IPv4Network

from lab.nxos.device import NxosDevice
from lab.nxos.grammar import Match, Reject
from lab.nxos.shell import GRAMMAR, NxosShell, setting

_LIMITS = "[eq <eq:1-32>|ge <ge:1-32> [le <le:1-32>]|le <le:1-32>]"
_ENTRY = re.compile(r"ip prefix-list (\S+) seq (\d+) (permit|deny) (\S+)(?: eq (\d+))?(?: ge (\d+))?(?: le (\d+))?$")


@GRAMMAR.command(
    "config",
    f"ip prefix-list <name:name> [seq <seq:1-4294967294>] {{permit|deny}} <prefix:prefix> {_LIMITS}",
    f"no ip prefix-list <name:name> [seq <seq:1-4294967294>] {{permit|deny}} <prefix:prefix> {_LIMITS}",
    "no ip prefix-list <name:name> [seq <seq:1-4294967294>]",
)
def prefix_list(shell: NxosShell, match: Match) -> None:
    name, device = match["name"], shell.device
    if match.negated and "prefix" not in match.values:
        slot = f"ip prefix-list {name}" + (f" seq {match['seq']}" if "seq" in match.values else "")
        if not shell.drop(slot):
            raise Reject(f"ERROR: No such prefix-list: {name}")
        return
    network = IPv4Interface(match["prefix"]).network
    action = "permit" if "permit" in match else "deny"
    limits = [(word, match[word]) for word in ("eq", "ge", "le") if word in match.values]
    bounds = [network.prefixlen, *(value for _, value in limits)]
    if bounds != sorted(bounds):
        raise Reject("% Invalid prefix range, make sure: len < ge-value <= le-value")
    body = f"{action} {network}" + "".join(f" {word} {value}" for word, value in limits)
    entries = {int(found[2]): found for found in _entries(device, name)}
    seq = match.get("seq")
    if match.negated:
        wanted = [n for n, found in entries.items() if found[0].endswith(f" {body}") and seq in (None, n)]
        if not wanted:
            raise Reject(f"ERROR: No such entry in prefix-list {name}")
        shell.drop(f"ip prefix-list {name} seq {wanted[0]}")
        return
    same = [n for n, found in entries.items() if found[0].endswith(f" {body}")]
    if same and seq in (None, same[0]):
        return
    if seq in entries:
        raise Reject(f"ERROR: Sequence number {seq} of prefix-list {name} exists with another entry")
    seq = seq or max(entries, default=0) // 5 * 5 + 5
    # The switch prints a blank after entries with limits.
    shell.put(f"ip prefix-list {name} seq {seq} {body}" + (" " if limits else ""))


def _entries(device: NxosDevice, name: str) -> list[re.Match]:
    found = [_ENTRY.match(line) for line in device.config.lines() if line.startswith(f"ip prefix-list {name} ")]
    return sorted((f for f in found if f), key=lambda f: int(f[2]))


@GRAMMAR.command(
    "config",
    "route-map <name:name> [{permit|deny}] [<seq:0-65535>]",
    "no route-map <name:name> [{permit|deny}] [<seq:0-65535>]",
)
def route_map(shell: NxosShell, match: Match) -> None:
    name = match["name"]
    action = "deny" if "deny" in match else "permit"
    old = [n.text for n in shell.device.config.children if n.text.startswith(f"route-map {name} ")]
    if match.negated:
        wanted = [t for t in old if "seq" not in match.values or t.endswith(f" {match['seq']}")]
        if not wanted:
            raise Reject(f"ERROR: No such route-map: {name}")
        for text in wanted:
            shell.drop(text, exact=True)
        return
    seq = match.get("seq", 10)
    header = f"route-map {name} {action} {seq}"
    other = f"route-map {name} {'permit' if action == 'deny' else 'deny'} {seq}"
    renamed = shell.node((other,))
    if renamed is not None:
        renamed.raw = header
    shell.put(header)
    shell.enter("config-route-map", (header,))


@GRAMMAR.command(
    "config-route-map", "match ip address prefix-list <names:line>", "no match ip address prefix-list [<names:line>]"
)
def match_prefix_list(shell: NxosShell, match: Match) -> None:
    slot = "match ip address prefix-list"
    now = [name for line in shell.lines() if line.startswith(slot + " ") for name in line[len(slot) :].split()]
    typed = match.get("names", "").split()
    if match.negated:
        kept = [name for name in now if typed and name not in typed]
        shell.drop(slot)
    else:
        kept = [*now, *(name for name in typed if name not in now)]
    if kept:
        shell.put(f"{slot} {' '.join(kept)} ", slot)


setting("config-route-map", "description <text:line>", "description")
setting("config-route-map", "match tag <tag:0-4294967295>", "match tag")
setting("config-route-map", "match interface <name:iface>", "match interface")
setting("config-route-map", "match as-path <name:name>", "match as-path")
setting("config-route-map", "continue <seq:1-65535>", "continue")
setting("config-route-map", "set local-preference <value:0-4294967295>", "set local-preference")
setting("config-route-map", "set metric <value:0-4294967295>", "set metric")
setting("config-route-map", "set origin {egp|igp|incomplete}", "set origin")
setting("config-route-map", "set tag <tag:0-4294967295>", "set tag")
setting("config-route-map", "set ip next-hop {unchanged|peer-address}", "set ip next-hop")
setting("config-route-map", "set community <value:line>", "set community")


# -- what passes -----------------------------------------------------------------------------------------------
def list_permits(device: NxosDevice, name: str, route: str) -> bool:
    """Whether a prefix list permits a prefix; what no entry names is denied."""
    network = IPv4Network(route)
    for found in _entries(device, name):
        within = IPv4Network(found[4])
        low = int(found[5] or found[6] or within.prefixlen)
        high = int(found[5] or found[7] or (32 if found[6] else within.prefixlen))
        if network.subnet_of(within) and low <= network.prefixlen <= high:
            return found[3] == "permit"
    return False


def map_permits(device: NxosDevice, name: str, route: str) -> bool:
    """Whether a route map permits a prefix; one that does not exist lets nothing through."""
    nodes = [n for n in device.config.children if n.text.startswith(f"route-map {name} ")]
    for node in sorted(nodes, key=lambda n: int(n.text.split()[-1])):
        lines = [line for line in node.lines() if line.startswith("match ")]
        lists = [n for ln in lines if ln.startswith("match ip address prefix-list ") for n in ln.split()[4:]]
        if len(lines) == bool(lists) and (not lists or any(list_permits(device, n, route) for n in lists)):
            return node.text.split()[2] == "permit"
    return False
