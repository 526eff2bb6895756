# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ownership of routing on EOS: the tables, and the normal form of what EOS groups, abbreviates or leaves unsaid.

Neighbours of BGP are lines, not sections: which of them are ours is known only when the whole section was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.ownership import Groups, Own, Owned
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.tree import Line
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.asics import asic
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import Refused

FAMILY = "address-family ipv4"
UNNUMBERED = "-UNNUMBERED"  # end of the name of the peer group whose sessions have no addresses
FILTERS = ("IN", "OUT")  # ends of the names of prefix lists and route maps


# -- normal forms ---------------------------------------------------------------------------------------------------
def plain(lines: Iterable[Line]) -> list[Line]:
    """Prefix lists, which newer releases print as sections, as one line per entry; neighbours in one spelling."""
    result: list[Line] = []
    for line in lines:
        if re.fullmatch(r"ip prefix-list \S+", line.text):
            result += [Line(f"{line.text} {entry.text}") for entry in line.children]
        elif line.text.startswith("router bgp "):
            result.append(Line(f"router bgp {plain_asn(line.text.split()[-1])}", list(_plain_bgp(line.children))))
        else:
            result.append(line)
    return result


def plain_asn(text: str) -> str:
    """64086.59915 (asdot) -> 4200000011."""
    high, dot, low = text.partition(".")
    return str((int(high) << 16) + int(low)) if dot else text


def _plain_bgp(lines: Iterable[Line]) -> Iterator[Line]:
    for line in lines:
        text = re.sub(r" remote-as (\d+\.\d+)$", lambda m: f" remote-as {plain_asn(m[1])}", line.text)
        found = re.fullmatch(r"neighbor interface (.+?) peer-group (\S+) (.*)", text)
        if found:
            for name in interfaces(found[1]):
                yield Line(f"neighbor interface {name} peer-group {found[2]} {found[3]}")
        else:
            yield Line(re.sub(r"^(neighbor \S+) peer-group\b", r"\1 peer group", text), line.children)


def interfaces(text: str) -> list[str]:
    """``Et1-2,49/1`` -> Ethernet1, Ethernet2, Ethernet49/1."""
    names = []
    for part in text.replace(" ", "").split(","):
        found = re.fullmatch(r"(?:Et[a-z]*)?((?:\d+/)*)(\d+)(?:-(?:\d+/)*(\d+))?", part)
        if found is None:
            names.append(part)
            continue
        names += [f"Ethernet{found[1]}{n}" for n in range(int(found[2]), int(found[3] or found[2]) + 1)]
    return names


# -- what is ours in a running configuration ------------------------------------------------------------------------
def groups(model: Switch) -> tuple[str, str]:
    """The peer group of sessions with addresses and that of sessions without."""
    assert model.underlay is not None
    return model.underlay.peer_group, f"{model.underlay.peer_group}{UNNUMBERED}"


def ours(config: Iterable[Line], model: Switch) -> list[Line]:
    """``router bgp`` without the neighbours of others; what activates our groups by default is said."""
    return [_ours(line, model) if line.text.startswith("router bgp ") else line for line in config]


def _ours(line: Line, model: Switch) -> Line:
    own, wanted = groups(model), {n.address or n.port for n in model.underlay.neighbors}  # type: ignore[union-attr]
    member = re.compile(r"neighbor (?:interface )?(\S+) peer(?: |-)group (\S+)( .*)?")
    for child in line.children:
        found = member.fullmatch(child.text)
        if found and found[2] in own:
            wanted.add(found[1])
    wanted |= set(own)
    children = [Line(c.text, _of(c.children, wanted)) for c in _of(line.children, wanted)]
    return Line(line.text, _activated(children, own[0]))


def _of(lines: Sequence[Line], wanted: set[str]) -> list[Line]:
    kept = []
    for line in lines:
        found = re.match(r"(?:no |default )?neighbor (?:interface )?(\S+)", line.text)
        if found is None or found[1] in wanted:
            kept.append(line)
    return kept


def _activated(children: list[Line], group: str) -> list[Line]:
    """Unless told otherwise EOS activates IPv4 sessions by itself and need not print it."""
    texts = {child.text for child in children}
    if "no bgp default ipv4-unicast" in texts or f"neighbor {group} peer group" not in texts:
        return children
    family = next((c for c in children if c.text == FAMILY), Line(FAMILY))
    said = {c.text for c in family.children}
    if said & {f"neighbor {group} activate", f"no neighbor {group} activate"}:
        return children
    full = Line(FAMILY, [*family.children, Line(f"neighbor {group} activate")])
    return [*(c for c in children if c is not family), full]


def check(running: Iterable[Line], model: Switch, release: tuple[int, int] | None) -> None:
    """Raises Refused when the switch runs something that the underlay cannot be brought beside."""
    underlay = model.underlay
    if underlay is None:
        return
    texts = [line.text for line in running]
    for text in texts:
        found = re.fullmatch(r"router bgp (\d+)", text)
        if found and int(found[1]) != underlay.asn:
            raise Refused(
                f"{model.name}: expected no BGP or AS {underlay.asn}, found 'router bgp {found[1]}' on the switch; "
                "remove it there ('no router bgp') or give the model this AS number"
            )
    protocols = "service routing protocols model "
    if not any(n.address is None for n in underlay.neighbors) or f"{protocols}multi-agent" in texts:
        return
    if f"{protocols}ribd" in texts or (release and release < (4, 30)):
        found = next((t for t in texts if t.startswith(protocols)), "no such line")
        raise Refused(
            f"{model.name}: expected '{protocols}multi-agent', which sessions without addresses need, found "
            f"{found!r}; enter it, save and reload the switch"
        )


# -- tables ---------------------------------------------------------------------------------------------------------
def _remove_member(text: Groups) -> str:
    return f"no neighbor {text['who']}"


def _bgp(model: Switch) -> tuple[Own, ...]:
    names = "|".join(re.escape(name) for name in groups(model))
    kind = "underlay"
    maximum = "neighbor {who} maximum-routes 12000"  # old releases print it
    return (
        Own(r"router-id \S+", kind, "router-id", "no router-id", disruption="bgp-router-id"),
        Own(
            r"(?:no )?bgp bestpath as-path multipath-relax",
            kind,
            "multipath-relax",
            "bgp bestpath as-path multipath-relax",
            default="bgp bestpath as-path multipath-relax",
            disruption="bgp-paths",
        ),
        Own(r"maximum-paths \d+.*", kind, "maximum-paths", "no maximum-paths", disruption="bgp-paths"),
        Own(rf"neighbor (?P<who>{names}) peer group", kind, disruption="bgp-session"),
        Own(
            rf"neighbor (?P<who>{names}) maximum-routes \d+.*",
            kind,
            "maximum-routes {who}",
            maximum,
            default=maximum,
            disruption="bgp-session",
        ),
        Own(
            rf"neighbor (?P<who>{names}) timers .+",
            kind,
            "timers {who}",
            "no neighbor {who} timers",
            disruption="bgp-session",
        ),
        Own(
            rf"neighbor (?P<who>{names}) route-map \S+ (?P<way>in|out)",
            kind,
            "route-map {who} {way}",
            disruption="bgp-policy",
        ),
        Own(rf"(?:no )?neighbor (?P<who>{names}) .+", kind, remove=_undo, disruption="bgp-session"),
        Own(
            r"redistribute connected.*",
            kind,
            "redistribute connected",
            "no redistribute connected",
            disruption="bgp-policy",
        ),
        Own(
            r"neighbor interface (?P<who>\S+) peer-group .+",
            kind,
            "interface {who}",
            disruption="bgp-session",
        ),
        Own(
            r"neighbor (?P<who>\S+) peer group \S+",
            kind,
            "peer group {who}",
            _remove_member,
            disruption="bgp-session",
        ),
        Own(
            r"neighbor (?P<who>\S+) remote-as \d+",
            kind,
            "remote-as {who}",
            "no neighbor {who} remote-as",
            disruption="bgp-session",
        ),
        Own(r"neighbor (?P<who>\S+) description .+", kind, "description {who}", "no neighbor {who} description"),
        Own(r"(?:no )?neighbor .+", kind, remove=_undo, disruption="bgp-session"),
        Own(
            FAMILY,
            kind,
            children=(
                Own(
                    r"(?:no )?neighbor (?P<who>\S+) activate",
                    kind,
                    "activate {who}",
                    "no neighbor {who} activate",
                    disruption="bgp-session",
                ),
                Own(
                    r"neighbor (?P<who>\S+) next-hop address-family ipv6.*",
                    kind,
                    "next-hop {who}",
                    "no neighbor {who} next-hop address-family ipv6",
                    disruption="bgp-session",
                ),
                Own(r"(?:no )?neighbor .+", kind, remove=_undo, disruption="bgp-policy"),
            ),
        ),
    )


def _undo(text: Groups) -> str:
    line = text["line"]
    return f"default {line[3:]}" if line.startswith("no ") else f"no {line}"


def _ip_routing(*, link_local: bool) -> Own:
    """Routing over ports without addresses includes routing over others."""
    return Own(
        r"(?:no )?ip routing(?: ipv6 interfaces)?",
        "underlay",
        "ip routing",
        "no ip routing",
        default="no ip routing",
        normalise=None if link_local else lambda line: [line.removesuffix(" ipv6 interfaces")],
        disruption="routing",
    )


def _svi(vlans: Iterable[int]) -> Own:
    return Own(
        "interface .+",
        "underlay",
        among=frozenset(f"interface Vlan{vid}" for vid in vlans),
        whole=True,
        rest=False,
        children=(
            Own(
                r"(?:no )?shutdown", "underlay", "shutdown", "no shutdown", default="no shutdown", disruption="gateway"
            ),
            Own(r"mtu \d+", "underlay", "mtu", "no mtu", default="mtu 1500"),
            Own(r"ip address \S+ secondary", "underlay", remove_early=True, disruption="gateway"),
            Own(r"ip address .+", "underlay", "ip address", "no ip address", disruption="gateway"),
            Own(r"ip virtual-router address \S+.*", "underlay", disruption="gateway"),
        ),
    )


def _mac(line: str) -> list[str]:
    """One spelling of a MAC address at the end of a line."""
    head, _, last = line.rpartition(" ")
    digits = re.sub(r"[.:-]", "", last).lower()
    return [f"{head} {':'.join(digits[i : i + 2] for i in range(0, 12, 2))}"]


def rules(model: Switch) -> list[Own]:
    """The table of one switch; empty when the model says nothing about routing."""
    table: list[Own] = []
    underlay = model.underlay
    link_local = underlay is not None and any(n.address is None for n in underlay.neighbors)
    if model.gateways:
        table.append(_svi(g.vlan for g in model.gateways))
    if any(g.virtual_address for g in model.gateways):
        table.append(
            Own(
                r"ip virtual-router mac-address \S+",
                "underlay",
                "virtual mac",
                "no ip virtual-router mac-address",
                normalise=_mac,
                disruption="gateway",
            )
        )
    if underlay is not None:
        address = (
            Own(r"ip address \S+ secondary", "underlay", remove_early=True, disruption="bgp-router-id"),
            Own(r"ip address .+", "underlay", "ip address", "no ip address", disruption="bgp-router-id"),
        )
        table.append(Own("interface Loopback0", "underlay", whole=True, rest=False, children=address))
    if underlay is not None or model.gateways:
        table.append(_ip_routing(link_local=link_local))
    if underlay is None:
        return table
    if link_local:
        table.append(Own(r"ipv6 unicast-routing", "underlay", disruption="routing"))
    if asic(model.asic).dynamic_load_balancing:
        table.append(Own(r"ip hardware fib load-balance distribution dynamic", "underlay", disruption="bgp-paths"))
    filters = f"{re.escape(underlay.peer_group)}-(?:{'|'.join(FILTERS)})"
    return [
        *table,
        Own(
            rf"ip prefix-list (?P<name>{filters}) seq (?P<seq>\d+) .+",
            "underlay",
            "ip prefix-list {name} seq {seq}",
            "no ip prefix-list {name} seq {seq}",
            overwrite=False,  # a number that is taken is refused
            disruption="bgp-policy",
        ),
        Own(
            rf"route-map (?P<name>{filters}) (?P<action>permit|deny) (?P<seq>\d+)",
            "underlay",
            "route-map {name} {seq}",
            whole=True,
            disruption="bgp-policy",
        ),
        Own(f"router bgp {underlay.asn}", "underlay", whole=True, rest=False, children=_bgp(model)),
    ]


# -- commands -------------------------------------------------------------------------------------------------------
def spoken(commands: Iterable[str], before: Owned, intended: Owned) -> list[str]:
    """The commands of a plan as EOS needs them."""
    return _in_order(list(_without_lists(_routing_off(commands, before), before, intended)))


_BOTH = "ip routing ipv6 interfaces"


def _routing_off(commands: Iterable[str], before: Owned) -> Iterator[str]:
    """``ip routing ipv6 interfaces`` has to be taken back itself: ``ip routing`` alone may leave it as it is."""
    both = before.get("ip routing")
    for command in commands:
        if both is not None and both.line == _BOTH and command in ("ip routing", "no ip routing"):
            yield f"no {_BOTH}"
        yield command


_ENTRY = re.compile(r"(?:no )?(ip prefix-list \S+) seq \d+.*")


def _without_lists(commands: Iterable[str], before: Owned, intended: Owned) -> Iterator[str]:
    """A prefix list all of whose entries go is removed as a whole: an empty one may stay otherwise."""
    lists = [{m[1] for entry in side.values() if (m := _ENTRY.fullmatch(entry.line))} for side in (before, intended)]
    gone = lists[0] - lists[1]
    for command in commands:
        found = _ENTRY.fullmatch(command)
        if found is None or found[1] not in lists[0] - lists[1]:
            yield command
        elif found[1] in gone:
            gone.remove(found[1])
            yield f"no {found[1]}"


def _in_order(commands: Sequence[str]) -> list[str]:
    """Inside ``router bgp``: a neighbour or group that goes takes its lines with it; groups go after their members."""
    result: list[str] = []
    at = 0
    while at < len(commands):
        result.append(commands[at])
        at += 1
        if not commands[at - 1].startswith("router bgp "):
            continue
        depth, stop = 1, at
        while depth:  # to the exit that leaves the section
            depth += {"exit": -1, FAMILY: 1}.get(commands[stop], 0)
            stop += 1
        result += [*_tidy(commands[at : stop - 1]), "exit"]
        at = stop
    return result


def _tidy(commands: Sequence[str]) -> list[str]:
    gone = {m[1] for c in commands if (m := re.fullmatch(r"no neighbor (\S+)(?: peer group)?", c))}
    late = [c for c in commands if re.fullmatch(r"no neighbor \S+ peer group", c)]
    kept: list[str] = []
    for command in commands:
        found = re.match(r"(?:no|default) neighbor (?!interface)(\S+) (?!peer group$)", command)
        if command in late or (found and found[1] in gone):
            continue
        if command == "exit" and kept[-1:] == [FAMILY]:
            kept.pop()
        else:
            kept.append(command)
    return [*kept, *late]
