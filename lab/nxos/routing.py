# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of BGP, BFD, HSRP and anycast gateways."""

from __future__ import annotations

import re

from lab.nxos import values
from lab.nxos.device import NxosDevice
from lab.nxos.grammar import INVALID, Match, Reject, refusal
from lab.nxos.interfaces import of_kind, routed
from lab.nxos.shell import GRAMMAR, NxosShell, entry_line, setting, switch

ROUTER = ("config-router", "config-router-vrf")
NEIGHBOR = "config-router-neighbor"
NEIGHBOR_FAMILY = "config-router-neighbor-af"
FAMILY = "config-router-af"
SVI = of_kind("Vlan")


def _open(shell: NxosShell, mode: str, header: str) -> None:
    """Enter a section below the one that is being configured; it is printed from now on."""
    path = (*shell.ctx.targets[0], header)
    shell.node(path, create=True)
    shell.enter(mode, path)


def _close(shell: NxosShell, header: str) -> None:
    if not shell.drop(header, exact=True):
        raise Reject(f"ERROR: {header} is not configured")


# -- BGP -------------------------------------------------------------------------------------------------------
def asn(device: NxosDevice) -> str:
    """AS number of the one BGP process, or nothing."""
    return device.value("router bgp")


@GRAMMAR.command("config", "router bgp <asn:1-4294967295>", "no router bgp <asn:1-4294967295>", feature="bgp")
def router_bgp(shell: NxosShell, match: Match) -> None:
    now, wanted = asn(shell.device), str(match["asn"])
    if now not in ("", wanted):
        raise Reject(f"ERROR: BGP is already running; AS is {now}")
    if match.negated:
        _close(shell, f"router bgp {wanted}")
    else:
        _open(shell, "config-router", f"router bgp {wanted}")


@GRAMMAR.command("config-router", "vrf <name:name>", "no vrf <name:name>")
def bgp_vrf(shell: NxosShell, match: Match) -> None:
    header = f"vrf {match['name']}"
    if match.negated:
        _close(shell, header)
    else:
        _open(shell, "config-router-vrf", header)


_FAMILIES = "{ipv4 unicast|ipv6 unicast|l2vpn evpn|vpnv4 unicast}"


@GRAMMAR.command((*ROUTER, NEIGHBOR), f"address-family {_FAMILIES}", f"no address-family {_FAMILIES}")
def address_family(shell: NxosShell, match: Match) -> None:
    if match.negated:
        _close(shell, match.line.removeprefix("no "))
    else:
        _open(shell, NEIGHBOR_FAMILY if shell.ctx_mode == NEIGHBOR else FAMILY, match.line)


@GRAMMAR.command("config-router", "template peer <name:name>", "no template peer <name:name>")
def template(shell: NxosShell, match: Match) -> None:
    header = f"template peer {match['name']}"
    if match.negated:
        _close(shell, header)
    else:
        _open(shell, NEIGHBOR, header)


_WHO = "{<address:ip>|<network:prefix>|<port:iface>}"


@GRAMMAR.command(ROUTER, f"neighbor {_WHO} [remote-as <asn:1-4294967295>]", f"no neighbor {_WHO}")
def neighbor(shell: NxosShell, match: Match) -> None:
    port = match.get("port")
    if port and (
        values.kind_of(port) not in ("Ethernet", "port-channel", "Vlan") or not _interface_peers(shell.device)
    ):
        raise Reject(refusal(INVALID, len(shell.prompt) + len("neighbor ")))
    header = f"neighbor {port or match.get('address') or match['network']}"
    if match.negated:
        _close(shell, header)
        return
    _open(shell, NEIGHBOR, header)
    if "asn" in match.values:
        shell.put(f"remote-as {match['asn']}", "remote-as")


def _interface_peers(device: NxosDevice) -> bool:
    """Peers over the link-local addresses of an interface exist since 9.3(3)."""
    found = re.match(r"(\d+)\.(\d+)\((\d+)", device.release or "")
    return bool(found) and tuple(map(int, found.groups())) >= (9, 3, 3)


def _check_timers(shell: NxosShell, match: Match) -> None:
    if match["hold"] and match["hold"] < 3:
        raise Reject("% Invalid hold time, must be 0 or at least 3")
    if match["keepalive"] > match["hold"]:
        raise Reject("% Keepalive time must not exceed hold time")


_TIMES = "<keepalive:0-3600> <hold:0-3600>"
setting(ROUTER, "router-id <address:ip>", "router-id")
setting(ROUTER, "cluster-id <address:ip>", "cluster-id")
setting(ROUTER, f"timers bgp {_TIMES}", "timers bgp", "timers bgp 60 180", check=_check_timers)
setting(ROUTER, "reconnect-interval <seconds:1-60>", "reconnect-interval", "reconnect-interval 60")
switch(ROUTER, "graceful-restart", default=True)
setting(ROUTER, "graceful-restart restart-time <seconds:1-3600>", "graceful-restart restart-time",
        "graceful-restart restart-time 120")  # fmt: skip
switch(ROUTER, "bestpath {as-path multipath-relax|always-compare-med|compare-routerid}", default=False)
switch(ROUTER, "log-neighbor-changes", default=False)


def _since_10(device: NxosDevice, ctx) -> bool:
    return device.major >= 10


for _range, _when in (("1-128", _since_10), ("1-64", lambda device, ctx: not _since_10(device, ctx))):
    setting(FAMILY, f"maximum-paths <paths:{_range}>", "maximum-paths", "maximum-paths 1", when=_when)
    setting(FAMILY, f"maximum-paths ibgp <paths:{_range}>", "maximum-paths ibgp", when=_when)
setting(FAMILY, "redistribute direct route-map <name:name>", "redistribute direct")
setting(FAMILY, "redistribute static route-map <name:name>", "redistribute static")
setting(FAMILY, "redistribute ospf <tag:name> route-map <name:name>", "redistribute ospf")
entry_line(FAMILY, "network <prefix:prefix> [route-map <name:name>]")
switch(FAMILY, "retain route-target all", default=False)
switch(FAMILY, "advertise l2vpn evpn", default=False)

setting(NEIGHBOR, "inherit peer <name:name>", "inherit peer")
setting(NEIGHBOR, "remote-as <asn:1-4294967295>", "remote-as")
setting(NEIGHBOR, "description <text:line>", "description")
setting(NEIGHBOR, "update-source <name:iface>", "update-source")
setting(NEIGHBOR, "ebgp-multihop <hops:2-255>", "ebgp-multihop")
setting(NEIGHBOR, f"timers {_TIMES}", "timers", "timers 60 180", check=_check_timers)
switch(NEIGHBOR, "shutdown", default=False)
switch(NEIGHBOR, "bfd", default=False, feature="bfd")
switch(NEIGHBOR, "disable-connected-check", default=False)

setting(NEIGHBOR_FAMILY, "allowas-in [<count:1-10>]", "allowas-in")
setting(NEIGHBOR_FAMILY, "maximum-prefix <count:1-300000> [<percent:1-100>] [warning-only|restart <minutes:1-65535>]",
        "maximum-prefix")  # fmt: skip
switch(NEIGHBOR_FAMILY, "next-hop-self", default=False)
switch(NEIGHBOR_FAMILY, "as-override", default=False)
switch(NEIGHBOR_FAMILY, "disable-peer-as-check", default=False)
switch(NEIGHBOR_FAMILY, "route-reflector-client", default=False)
switch(NEIGHBOR_FAMILY, "soft-reconfiguration inbound [always]", default=False)
switch(NEIGHBOR_FAMILY, "default-originate", default=False)


@GRAMMAR.command(
    NEIGHBOR_FAMILY,
    "{route-map|prefix-list} <name:name> {in|out}",
    "no {route-map|prefix-list} <name:name> {in|out}",
)
def attach(shell: NxosShell, match: Match) -> None:
    kind, way = match.words[-3], match.words[-1]
    if match.negated:
        _close(shell, match.line.removeprefix("no "))
        return
    for line in shell.lines():
        if line != match.line and re.fullmatch(rf"{kind} \S+ {way}", line):
            shell.drop(line, exact=True)
    shell.put(match.line)


@GRAMMAR.command(
    NEIGHBOR_FAMILY, "send-community [both|extended|standard]", "no send-community [both|extended|standard]"
)
def send_community(shell: NxosShell, match: Match) -> None:
    which = match.words[-1]
    lines = {"both": ["send-community", "send-community extended"], "extended": ["send-community extended"]}
    for line in lines.get(which, ["send-community"]):
        if match.negated:
            shell.drop(line, exact=True)
        else:
            shell.put(line)


# -- BFD -------------------------------------------------------------------------------------------------------
_BFD = "interval <transmit:50-999> min_rx <receive:50-999> multiplier <count:1-50>"
setting("config", f"bfd {_BFD}", "bfd interval", "bfd interval 50 min_rx 50 multiplier 3", feature="bfd")
setting("config", "bfd slow-timer <milliseconds:1000-30000>", "bfd slow-timer", "bfd slow-timer 2000", feature="bfd")
setting("config", "bfd echo-interface <name:iface>", "bfd echo-interface", feature="bfd")
setting("config-if", f"bfd {_BFD}", "bfd interval", feature="bfd", when=routed)
switch("config-if", "bfd echo", default=True, feature="bfd", when=routed)
switch("config-if", "bfd ipv4 echo", default=True, feature="bfd", when=routed)
switch("config-if", "bfd ipv6 echo", default=True, feature="bfd", when=routed)


# -- gateways of hosts -----------------------------------------------------------------------------------------
@GRAMMAR.command("config", "fabric forwarding anycast-gateway-mac <mac:word>",
                 "no fabric forwarding anycast-gateway-mac [<mac:word>]", feature="fabric forwarding")  # fmt: skip
def gateway_mac(shell: NxosShell, match: Match) -> None:
    if match.negated:
        shell.drop("fabric forwarding anycast-gateway-mac")
        return
    digits = re.sub(r"[.:-]", "", match["mac"]).lower()
    if not re.fullmatch(r"[0-9a-f]{12}", digits):
        raise Reject("% Invalid mac address")
    mac = f"{digits[:4]}.{digits[4:8]}.{digits[8:]}"
    shell.put(f"fabric forwarding anycast-gateway-mac {mac}", "fabric forwarding anycast-gateway-mac")


@GRAMMAR.command("config-if", "fabric forwarding mode anycast-gateway", "no fabric forwarding mode anycast-gateway",
                 feature="fabric forwarding", when=SVI)  # fmt: skip
def anycast(shell: NxosShell, match: Match) -> None:
    if match.negated:
        shell.drop("fabric forwarding mode anycast-gateway")
        return
    if not shell.device.value("fabric forwarding anycast-gateway-mac"):
        raise Reject("ERROR: Anycast gateway MAC must be configured before")
    shell.put("fabric forwarding mode anycast-gateway")


HSRP = of_kind("Vlan", "Ethernet", "port-channel")
setting("config-if", "hsrp version {1|2}", "hsrp version", "hsrp version 1", feature="hsrp", when=HSRP)


@GRAMMAR.command("config-if", "hsrp <group:0-4095> [ipv4]", "no hsrp <group:0-4095> [ipv4]", feature="hsrp", when=HSRP)
def hsrp(shell: NxosShell, match: Match) -> None:
    header = f"hsrp {match['group']}"
    if match.negated:
        _close(shell, header)
        return
    if match["group"] > 255 and "hsrp version 2" not in shell.lines():
        raise Reject("ERROR: Group numbers above 255 need HSRP version 2")
    path = (*shell.ctx.targets[0], header)
    if shell.node(path) is None:
        shell.put(header + " ")  # printed with a blank behind it
    shell.enter("config-if-hsrp", path)


setting("config-if-hsrp", "ip <address:ip>", "ip")
setting("config-if-hsrp", "priority <priority:0-255>", "priority", "priority 100")
setting("config-if-hsrp", "preempt [delay minimum <seconds:0-3600>]", "preempt")
setting("config-if-hsrp", "timers <hello:1-254> <hold:3-255>", "timers", "timers 3 10")
setting("config-if-hsrp", "name <name:name>", "name")
setting("config-if-hsrp", "mac-address <mac:word>", "mac-address")
