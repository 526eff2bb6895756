# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The routed underlay on NX-OS: loopback, gateways, route filters, BGP.

In ``router bgp`` we own some lines, our peer template and the neighbours that are in the model or inherit that
template. Other neighbours, templates, VRFs and address families are not looked at.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import ModelError, Problem, expected
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.reserved import retired_gateways
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.underlay import Bfd, Gateway, Neighbor, Prefixes
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.ownership import Own
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.tree import Line

MAXIMUM_PATHS = 64
BFD_LONGEST = 999  # milliseconds that "bfd interval" takes
JUMBO = 9216

_BGP = re.compile(r"router bgp (?P<asn>[\d.]+)")
_NEIGHBOR = re.compile(r"neighbor (?P<peer>\S+)(?: remote-as (?P<asn>[\d.]+))?")
_LIST_ENTRY = re.compile(r"(ip prefix-list \S+) seq \d+ (.*)")


def _error(path: str, what: str, found: object, todo: str) -> ModelError:
    return ModelError([Problem("NX-OS", None, f"switch.{path}", expected(what, found, todo))])


# -- values of the templates -----------------------------------------------------------------------------------------


def prefix_match(prefixes: Prefixes) -> str:
    """``10.0.0.0/24 eq 32``: all routes of one length in a network."""
    network = ipaddress.ip_network(prefixes.within, strict=False)
    if prefixes.length < network.prefixlen:
        raise _error(
            "underlay",
            f"a length of at least {network.prefixlen}, the length of {network}",
            prefixes.length,
            "raise length or widen the network",
        )
    return str(network) if prefixes.length == network.prefixlen else f"{network} eq {prefixes.length}"


def maximum_paths(paths: int) -> int:
    """Equal paths that NX-OS takes."""
    if paths > MAXIMUM_PATHS:
        raise _error("underlay.maximum_paths", f"at most {MAXIMUM_PATHS}", paths, "lower it")
    return paths


def bfd_timers(bfd: Bfd) -> str:
    """``interval 300 min_rx 300 multiplier 3``."""
    if bfd.interval_ms > BFD_LONGEST:
        raise _error("underlay.bfd.interval_ms", f"at most {BFD_LONGEST}", bfd.interval_ms, "lower it")
    return f"interval {bfd.interval_ms} min_rx {bfd.interval_ms} multiplier {bfd.multiplier}"


def peer_name(neighbor: Neighbor, model: Switch) -> str:
    """How ``router bgp`` calls a neighbour: its address, or the port of a session over link-local addresses."""
    port = next(p for p in model.ports if p.name == neighbor.port)
    if port.mode != "routed":
        raise _error(f"underlay.neighbors.{port.name}", "a routed port", f"mode {port.mode}", "use mode routed")
    if neighbor.address is None:
        return port.name
    if (
        port.address is None
        or ipaddress.ip_address(neighbor.address) not in ipaddress.ip_interface(port.address).network
    ):
        raise _error(
            f"underlay.neighbors.{port.name}.address",
            f"an address in the network of {port.name} ({port.address or 'which has none'})",
            neighbor.address,
            "correct one of them, or leave the address out for a session over link-local addresses",
        )
    return neighbor.address


def gateway_mtu(gateway: Gateway, model: Switch) -> int:
    """The largest packet that a port of the VLAN takes."""
    sizes = [p.mtu for p in model.ports if gateway.vlan == p.vlan or gateway.vlan in (*p.vlans, p.native_vlan)]
    return max(sizes, default=JUMBO)


# -- what the switch says -------------------------------------------------------------------------------------------


def asplain(text: str) -> str:
    """``64086.59915`` -> ``4200000011``: what ``as-format asdot`` makes of it."""
    high, dot, low = text.partition(".")
    return str(int(high) * 65536 + int(low)) if dot else text


def bgp_asns(lines: Iterable[Line]) -> list[int]:
    """AS numbers that this switch runs BGP with: one, if any."""
    return [int(asplain(found["asn"])) for line in lines if (found := _BGP.fullmatch(line.text))]


def vpc_domains(lines: Iterable[Line]) -> list[int]:
    """vPC domains of this switch: one, if any."""
    return [int(line.text.split()[2]) for line in lines if re.fullmatch(r"vpc domain \d+", line.text)]


def sections(lines: Sequence[Line], model: Switch) -> list[Line]:
    """Loopback, gateways and BGP in normal form, in the order in which they are needed."""
    vlans = {f"interface Vlan{gateway.vlan}" for gateway in model.gateways}
    retired = {f"interface Vlan{number}" for number in retired_gateways(model)}
    result = [line for line in lines if line.text == "interface loopback0"] if model.underlay else []
    result += [line for line in lines if line.text in retired]
    result += [Line(line.text, _gateway(line.children)) for line in lines if line.text in vlans]
    for line in lines if model.underlay else ():
        found = _BGP.fullmatch(line.text)
        if found:
            result.append(Line(f"router bgp {asplain(found['asn'])}", list(_bgp(line.children, model))))
    return result


def _gateway(children: list[Line]) -> list[Line]:
    """An SVI is down unless it says otherwise."""
    admin = next((c.text for c in reversed(children) if c.text in ("shutdown", "no shutdown")), "shutdown")
    rest = [c for c in children if c.text not in ("shutdown", "no shutdown")]
    return [*(replace(c, text=re.sub(r"^(hsrp \d+) ipv4$", r"\1", c.text)) for c in rest), Line(admin)]


def _bgp(children: list[Line], model: Switch) -> Iterator[Line]:
    """Without foreign neighbours; ``neighbor X remote-as N`` in one line becomes two."""
    assert model.underlay is not None
    inherits = f"inherit peer {model.underlay.peer_group}"
    wanted = {peer_name(neighbor, model) for neighbor in model.underlay.neighbors}
    found: dict[str, Line] = {}
    for child in children:
        match = _NEIGHBOR.fullmatch(child.text)
        if not match:
            yield child
            continue
        neighbor = found.setdefault(match["peer"], Line(f"neighbor {match['peer']}"))
        if match["asn"]:
            neighbor.children.append(Line(f"remote-as {asplain(match['asn'])}"))
        neighbor.children += [
            Line(f"remote-as {asplain(c.text.split()[1])}") if re.fullmatch(r"remote-as [\d.]+", c.text) else c
            for c in child.children
        ]
    for peer, neighbor in found.items():
        if peer in wanted or any(c.text == inherits for c in neighbor.children):
            yield neighbor


# -- ownership --------------------------------------------------------------------------------------------------------


def features(model: Switch) -> Iterator[str]:
    """What has to be switched on first."""
    if model.gateways:
        yield "interface-vlan"
    if any(gateway.virtual_address for gateway in model.gateways):
        yield "hsrp"
    if model.underlay:
        yield "bgp"
        if model.underlay.bfd:
            yield "bfd"


def without_sequence(line: str) -> list[str]:
    """Entries of a prefix list are compared by what they permit: a new one comes before an old one goes."""
    return [_LIST_ENTRY.sub(r"\1 \2", line)]


def single_lists(line: str) -> list[str]:
    """``match ip address prefix-list A B`` -> one line per list."""
    words = line.split()
    return [" ".join([*words[:4], name]) for name in words[4:]]


def _policies(family: str) -> Own:
    """Filters of a template or neighbour in an address family."""
    return Own(
        family,
        "underlay",
        children=(
            Own(r"route-map \S+ in", "underlay", key="route-map in", disruption="route-filter"),
            Own(r"route-map \S+ out", "underlay", key="route-map out", disruption="route-filter"),
            Own(r"prefix-list \S+ (?:in|out)", "underlay", disruption="route-filter"),
            Own(r"filter-list \S+ (?:in|out)", "underlay", disruption="route-filter"),
        ),
    )


_FAMILY = "address-family ipv4 unicast"
_SESSION = (
    Own(
        r"timers \d+ \d+",
        "underlay",
        key="timers",
        remove="no timers",
        default="timers 60 180",
    ),
    Own("bfd", "underlay"),
    Own("shutdown", "underlay", disruption="bgp-session"),
)


def _peers(group: str) -> tuple[Own, ...]:
    family = _policies(_FAMILY)
    return (
        Own(
            f"template peer {re.escape(group)}",
            "underlay",
            whole=True,
            rest=False,
            children=(*_SESSION, replace(family, whole=True, rest=False)),
        ),
        Own(
            r"neighbor (?P<peer>\S+)",
            "underlay",
            whole=True,
            rest=False,
            children=(
                Own(r"inherit peer \S+", "underlay", key="inherit peer", disruption="bgp-session"),
                Own(r"remote-as \S+", "underlay", key="remote-as", disruption="bgp-session"),
                Own("description .*", "underlay", key="description", remove="no description"),
                *_SESSION,  # a value here hides the one of the template
                family,
            ),
        ),
    )


def _router(model: Switch) -> Iterator[Own]:
    if model.underlay is None:
        return
    group = model.underlay.peer_group
    name = rf"(?P<name>{re.escape(group)}-(?:IN|OUT))"
    yield Own(
        rf"ip prefix-list {name} (?:seq \d+ )?(?:permit|deny) .*",
        "underlay",
        remove="no {printed}",
        normalise=without_sequence,
        disruption="route-filter",
    )
    yield Own(
        rf"route-map {name} (?P<action>permit|deny) (?P<number>\d+)",
        "underlay",
        key="route-map {name} {number}",
        remove="no route-map {name} {action} {number}",
        whole=True,
        children=(Own("match ip address prefix-list .*", "underlay", normalise=single_lists),),
    )
    yield Own(
        "interface loopback0",
        "underlay",
        whole=True,
        rest=False,
        children=(
            Own(r"ip address \S+", "underlay", key="ip address", remove="no ip address", disruption="loopback"),
            Own("shutdown", "underlay", remove="no shutdown", disruption="loopback"),
        ),
    )
    yield Own(
        f"router bgp {model.underlay.asn}",
        "underlay",
        whole=True,
        rest=False,
        children=(
            Own(r"router-id \S+", "underlay", key="router-id", remove="no router-id", disruption="bgp-session"),
            Own("bestpath as-path multipath-relax", "underlay"),
            Own(
                _FAMILY,
                "underlay",
                whole=True,
                rest=False,
                children=(
                    Own("redistribute direct route-map .*", "underlay", key="redistribute direct"),
                    Own(
                        r"maximum-paths \d+",
                        "underlay",
                        key="maximum-paths",
                        remove="no maximum-paths",
                        default="maximum-paths 1",
                    ),
                ),
            ),
            *_peers(group),
        ),
    )


def _gateways(model: Switch) -> Iterator[Own]:
    for gateway in model.gateways:
        yield Own(
            f"interface Vlan{gateway.vlan}",
            "underlay",
            whole=True,
            rest=False,
            children=(
                Own(r"mtu \d+", "underlay", key="mtu", remove="mtu 1500", default="mtu 1500"),
                Own("no ip redirects", "underlay", remove="ip redirects"),
                Own(r"ip address \S+", "underlay", key="ip address", remove="no ip address", disruption="gateway"),
                # Version 1 has no groups above 255; hsrp_version_last() takes it back when the group is gone.
                Own(r"hsrp version 2", "underlay", key="hsrp version", remove="hsrp version 1"),
                Own(
                    rf"hsrp {gateway.vlan}",
                    "underlay",
                    whole=True,
                    rest=False,
                    children=(Own(r"ip \d\S+", "underlay", key="ip", disruption="gateway"),),
                ),
                Own("shutdown", "underlay", key="admin", disruption="gateway"),
                Own("no shutdown", "underlay", key="admin", remove="shutdown"),
            ),
        )


def rules(model: Switch) -> Iterator[Own]:
    """All we own of routing, but for the lines of ports."""
    yield from _router(model)
    yield from _gateways(model)


# Lines of a port that has a session.
UNNUMBERED = (
    Own("ip forward", "underlay"),
    Own("ipv6 address use-link-local-only", "underlay", disruption="bgp-session"),
    Own("ipv6 link-local use-bia", "underlay", disruption="bgp-session"),
)
WITH_BFD = (
    # Echo packets come back over the port they left by; a redirect for each would keep the CPU busy.
    Own("no ip redirects", "underlay", remove="ip redirects"),
    Own("no ipv6 redirects", "underlay", remove="ipv6 redirects"),
    Own(
        r"bfd interval \d+ min_rx \d+ multiplier \d+",
        "underlay",
        key="bfd interval",
        remove="no bfd interval",
        default="bfd interval 50 min_rx 50 multiplier 3",
    ),
)


def port_extras(model: Switch) -> dict[str, tuple[str, ...]]:
    """Port name -> which of these it needs."""
    if model.underlay is None:
        return {}
    bfd = ("bfd",) if model.underlay.bfd else ()
    return {n.port: (*bfd, *(() if n.address else ("unnumbered",))) for n in model.underlay.neighbors}


def hsrp_version_last(commands: Sequence[str]) -> list[str]:
    """``hsrp version 1`` is taken when the groups that need version 2 are gone."""
    rest: list[str] = []
    moved: list[str] = []
    for line in commands:
        if line == "hsrp version 1":
            svi = next(c for c in reversed(rest) if c.startswith("interface Vlan"))
            moved += [svi, line, "exit"]
        else:
            rest.append(line)
    return [*rest, *moved]
