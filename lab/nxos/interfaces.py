# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of interfaces: layer 2 and 3, MTU, speed, FEC, admin state, and the lines of other concerns."""

from __future__ import annotations

import re
from ipaddress import IPv4Interface

from lab.nxos import bundles, tree, values
from lab.nxos.device import NxosDevice, Port
from lab.nxos.grammar import INVALID, Match, Reject, refusal
from lab.nxos.shell import GRAMMAR, Context, NxosShell, entry_line, setting, switch

_LAYER2 = re.compile(r"(no )?switchport( |$)|spanning-tree |vpc ")
_LAYER3 = re.compile(r"(no )?ip |(no )?ipv6 |vrf member |medium |fabric forwarding |ptp|no switchport$")


def of_kind(*kinds: str):
    """The command exists on these kinds of interface only."""
    return lambda device, ctx: all(values.kind_of(name) in kinds for name in ctx.interfaces)


def routed(device: NxosDevice, ctx: Context) -> bool:
    return all(device.port(name).routed for name in ctx.interfaces)


PHYSICAL = of_kind("Ethernet")
PORTS = of_kind("Ethernet", "port-channel")


def _routed_ports(device: NxosDevice, ctx: Context) -> bool:
    return PORTS(device, ctx) and routed(device, ctx)


# -- which interfaces there are --------------------------------------------------------------------------------
@GRAMMAR.command("config", "interface <names:ifaces>")
def interface(shell: NxosShell, match: Match) -> None:
    device = shell.device
    for name in match["names"]:
        kind = values.kind_of(name)
        exists = device.port(name).node is not None
        if kind == "Ethernet" and not exists and name not in device.ports:
            raise Reject(refusal("% Invalid interface format at '^' marker.", len(shell.prompt) + len("interface ")))
        if kind == "Vlan" and not device.enabled("interface-vlan"):
            raise Reject(refusal(INVALID, len(shell.prompt) + len("interface ")))
        if kind in ("Vlan", "port-channel", "loopback") and not exists:
            device.insert_top(f"interface {name}")
    shell.enter("config-if", *((f"interface {name}",) for name in match["names"]))


@GRAMMAR.command("config", "no interface <name:iface>")
def no_interface(shell: NxosShell, match: Match) -> None:
    port = shell.device.port(match["name"])
    if port.kind in ("Ethernet", "mgmt"):
        raise Reject("ERROR: Physical interfaces can not be deleted")
    if port.node is None:
        raise Reject(f"ERROR: Interface {port.name} does not exist")
    if port.kind == "port-channel":
        bundles.dissolve(shell.device, port.name)
    tree.remove(shell.device.config, port.node)


@GRAMMAR.command("config", "default interface <names:ifaces>")
def default_interface(shell: NxosShell, match: Match) -> None:
    for name in match["names"]:
        node = shell.device.port(name).node
        if node:
            node.children.clear()


# -- administrative state --------------------------------------------------------------------------------------
@GRAMMAR.command("config-if", "shutdown [force]", "no shutdown [force]")
def shutdown(shell: NxosShell, match: Match) -> None:
    for name, path in zip(shell.ctx.interfaces, shell.ctx.targets, strict=True):
        one = NxosShell(shell.device, shell.user)
        one.stack = [*shell.stack[:-1], Context("config-if", [path])]
        for line in ("shutdown", "no shutdown"):
            one.drop(line)
        if shell.device.port(name).up_by_default != match.negated:
            one.put("no shutdown" if match.negated else "shutdown force" if name == "mgmt0" else "shutdown")


# -- layer 2 or 3 ----------------------------------------------------------------------------------------------
@GRAMMAR.command("config-if", "switchport", "no switchport", when=PORTS)
def layer(shell: NxosShell, match: Match) -> None:
    for port in shell.ports():
        if port.routed == match.negated:
            continue
        if any(line.startswith("channel-group ") for line in port.lines):
            raise Reject(f"ERROR: {port.name}: port is a member of a port-channel, its layer can not be changed")
        _change_layer(shell, port, to_routed=match.negated)


def _change_layer(shell: NxosShell, port: Port, *, to_routed: bool) -> None:
    """What belongs to the old layer goes, and so does the admin state: the port starts as ports of the new one do."""
    device = shell.device
    gone = _LAYER2 if to_routed else _LAYER3
    node = port.node or device.insert_top(f"interface {port.name}")
    node.children = [c for c in node.children if not gone.match(c.text) and c.text not in ("shutdown", "no shutdown")]
    if to_routed == device.has("no system default switchport"):
        mtu = port.mtu
    else:
        one = NxosShell(device, shell.user)
        one.stack = [Context("config"), Context("config-if", [(f"interface {port.name}",)])]
        one.put("no switchport" if to_routed else "switchport")
        mtu = port.mtu
    if not to_routed and mtu not in (1500, _jumbo(device)):
        node.children = [c for c in node.children if not c.text.startswith("mtu ")]


def _layer2_only(shell: NxosShell, match: Match) -> None:
    for port in shell.ports():
        if port.routed:
            raise Reject(f"ERROR: {port.name}: not a switching port")


setting(
    "config-if",
    "switchport mode {access|trunk}",
    "switchport mode",
    "switchport mode access",
    when=PORTS,
    check=_layer2_only,
)
setting(
    "config-if",
    "switchport access vlan <id:1-4094>",
    "switchport access vlan",
    "switchport access vlan 1",
    when=PORTS,
    check=_layer2_only,
)
setting(
    "config-if",
    "switchport trunk native vlan <id:1-4094>",
    "switchport trunk native vlan",
    "switchport trunk native vlan 1",
    when=PORTS,
    check=_layer2_only,
)


@GRAMMAR.command(
    "config-if",
    "switchport trunk allowed vlan [add|remove|except] <ids:list/1-4094>",
    "switchport trunk allowed vlan {all|none}",
    "no switchport trunk allowed vlan [<ids:list/1-4094>]",
    when=PORTS,
)
def allowed_vlans(shell: NxosShell, match: Match) -> None:
    everything = set(range(1, 4095))
    for port, path in zip(shell.ports(), shell.ctx.targets, strict=True):
        if port.routed and not match.negated:
            _layer2_only(shell, match)
        now, ids = set(port.allowed_vlans), set(match.get("ids") or [])
        if match.negated or "all" in match:
            wanted = everything
        elif "add" in match:
            wanted = now | ids
        elif "remove" in match:
            wanted = now - ids
        else:
            wanted = everything - ids if "except" in match else ids
        one = NxosShell(shell.device, shell.user)
        one.stack = [Context("config"), Context("config-if", [path])]
        if wanted == everything:
            one.drop("switchport trunk allowed vlan")
        else:
            text = values.compress(wanted) or "none"
            one.put(f"switchport trunk allowed vlan {text}", "switchport trunk allowed vlan")


# -- size, speed -----------------------------------------------------------------------------------------------
def _jumbo(device: NxosDevice) -> int:
    return int(device.value("system jumbomtu", "9216"))


def _check_mtu(shell: NxosShell, match: Match) -> None:
    for port in shell.ports():
        if port.kind == "Vlan":
            continue
        if not port.routed and match["bytes"] not in (1500, _jumbo(shell.device)):
            raise Reject(f"ERROR: {port.name}: MTU on L2 interfaces can only be set to default or system-jumboMTU")
        if port.routed and match["bytes"] % 2:
            raise Reject(f"ERROR: {port.name}: MTU must be an even number on L3 interfaces")


for _when, _range in ((PORTS, "576-9216"), (of_kind("Vlan"), "64-9216")):
    setting("config-if", f"mtu <bytes:{_range}>", "mtu", "mtu 1500", when=_when, check=_check_mtu)

_SPEEDS = "auto|100|1000|10000|25000|40000|50000|100000|200000|400000|800000"
setting("config-if", f"speed {{{_SPEEDS}}}", "speed", "speed auto", when=PORTS)
setting("config-if", "duplex {auto|full|half}", "duplex", "duplex auto", when=PORTS)
setting("config-if", "fec {auto|fc-fec|rs-fec|rs-cons16|rs-ieee|rs544|off}", "fec", "fec auto", when=PHYSICAL)
switch("config-if", "negotiate auto", default=True, when=PHYSICAL)


def _no_pfc(shell: NxosShell, match: Match) -> None:
    for port in shell.ports():
        if port.pfc_mode == "on" and match.line.endswith(" on"):
            raise Reject(f"ERROR: {port.name}: flowcontrol can not be enabled while priority-flow-control is on")


for _way in ("receive", "send"):
    setting(
        "config-if",
        f"flowcontrol {_way} {{on|off}}",
        f"flowcontrol {_way}",
        f"flowcontrol {_way} off",
        when=PORTS,
        check=_no_pfc,
    )


# -- description, LLDP -----------------------------------------------------------------------------------------
@GRAMMAR.command("config-if", "description <text:line>", "no description [<text:line>]")
def description(shell: NxosShell, match: Match) -> None:
    if match.negated:
        shell.drop("description")
        return
    if len(match["text"]) > 254:
        raise Reject("ERROR: description is longer than 254 characters")
    shell.put(match.line, "description")


switch("config-if", "lldp transmit", default=True, feature="lldp", when=of_kind("Ethernet", "mgmt"))
switch("config-if", "lldp receive", default=True, feature="lldp", when=of_kind("Ethernet", "mgmt"))
switch("config-if", "cdp enable", default=True, when=of_kind("Ethernet", "mgmt"))


# -- addresses -------------------------------------------------------------------------------------------------
@GRAMMAR.command(
    "config-if",
    "ip address <address:prefix> [secondary] [tag <tag:0-4294967295>]",
    "ip address <address:ip> <mask:ip> [secondary]",
    "ip address dhcp",
    "no ip address [<address:prefix> [secondary] [tag <tag:0-4294967295>]]",
    "no ip address <address:ip> <mask:ip> [secondary]",
    "no ip address dhcp",
    when=routed,
)
def ip_address(shell: NxosShell, match: Match) -> None:
    typed = match.get("address")
    if typed and "mask" in match.values:
        typed = values.prefix(typed, match["mask"])
        if typed is None:
            raise Reject("% Invalid ip address mask")
    if match.negated:
        kept = " secondary" if "secondary" in match else ""
        slot = f"ip address {typed}{kept}" if typed else "ip address dhcp" if "dhcp" in match else "ip address"
        if not shell.drop(slot) and typed:
            raise Reject("% Invalid IP address: it is not configured on this interface")
        return
    if len(shell.ctx.targets) > 1 and typed:
        raise Reject("ERROR: An address can not be given to a range of interfaces")
    if typed is None:
        shell.drop("ip address")
        shell.put("ip address dhcp")
        return
    _check_overlap(shell, typed)
    rest = (" secondary" if "secondary" in match else "") + (f" tag {match['tag']}" if "tag" in match.values else "")
    if "secondary" in match:
        shell.put(f"ip address {typed}{rest}")
        return
    for line in shell.lines():
        if line.startswith("ip address ") and "secondary" not in line:
            shell.drop(line)
    shell.put(f"ip address {typed}{rest}")


def _check_overlap(shell: NxosShell, typed: str) -> None:
    device = shell.device
    own = shell.ctx.interfaces[0]
    wanted = IPv4Interface(typed)
    vrf = device.port(own).value("vrf member", "default")
    for name in device.interfaces():
        port = device.port(name)
        if name == own or port.value("vrf member", "default") != vrf:
            continue
        for line in port.lines:
            found = re.match(r"ip address (\d\S+/\d+)", line)
            if found and IPv4Interface(found[1]).network.overlaps(wanted.network):
                raise Reject(f"% {typed} overlaps with address configured on {name}")


def _vrf_change(shell: NxosShell, match: Match) -> str:
    for port in shell.ports():
        if port.value("vrf member", "default") != (match.get("vrf") or "default") and port.node:
            port.node.children = [c for c in port.node.children if not re.match(r"(no )?ip(v6)? ", c.text)]
    shell.drop("vrf member")
    if not match.negated:
        shell.put(match.line, "vrf member")
    return "Warning: Deleted all L3 config on interface"


GRAMMAR.command("config-if", "vrf member <vrf:name>", "no vrf member [<vrf:name>]", when=routed)(_vrf_change)
switch("config-if", "ip redirects", default=True, when=routed)
switch("config-if", "ipv6 redirects", default=True, when=routed)
switch("config-if", "ip forward", default=False, when=routed)
switch("config-if", "ipv6 address use-link-local-only", default=False, when=routed)
switch("config-if", "ipv6 link-local use-bia", default=False, when=routed)
switch("config-if", "autostate", default=True, when=of_kind("Vlan"))
setting("config-if", "ip unnumbered <name:iface>", "ip unnumbered", when=routed)
setting("config-if", "medium {broadcast|p2p}", "medium", "medium broadcast", when=_routed_ports)
setting("config-if", "ip ospf network {broadcast|point-to-point}", "ip ospf network", feature="ospf", when=routed)
setting("config-if", "ip ospf cost <cost:1-65535>", "ip ospf cost", feature="ospf", when=routed)
setting("config-if", "ip router ospf <tag:name> area <area:word>", "ip router ospf", feature="ospf", when=routed)
switch("config-if", "ptp", default=False, feature="ptp", when=PHYSICAL)
setting("config-if", "ptp announce interval <log:0-4>", "ptp announce interval", feature="ptp", when=PHYSICAL)

# -- bundles, spanning tree ------------------------------------------------------------------------------------
setting("config-if", "spanning-tree port type {edge [trunk]|network|normal}", "spanning-tree port type", when=PORTS)
setting("config-if", "spanning-tree link-type {auto|point-to-point|shared}", "spanning-tree link-type", when=PORTS)
setting("config-if", "spanning-tree bpduguard {enable|disable}", "spanning-tree bpduguard", when=PORTS)
setting("config-if", "load-interval counter <number:1-3> <seconds:5-300>", "load-interval counter", when=PORTS)
setting("config-if", "link debounce time <milliseconds:0-20000>", "link debounce time", when=PHYSICAL)
entry_line("config-if", "logging event port {link-status|trunk-status}", when=PORTS)
