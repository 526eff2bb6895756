# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of bundles: channel groups, LACP, vPC."""

from __future__ import annotations

import re

from lab.nxos import bundles
from lab.nxos.grammar import Match, Reject
from lab.nxos.interfaces import PHYSICAL, of_kind
from lab.nxos.shell import GRAMMAR, NxosShell, setting, switch

BUNDLE = of_kind("port-channel")


@GRAMMAR.command(
    "config-if",
    "channel-group <number:1-4096> [force] [mode {on|active|passive}]",
    "no channel-group [<number:1-4096>]",
    when=PHYSICAL,
)
def channel_group(shell: NxosShell, match: Match) -> None:
    device = shell.device
    if match.negated:
        shell.drop("channel-group")
        return
    mode = match.words[-1] if "mode" in match else "on"
    if mode != "on" and not device.enabled("lacp"):
        raise Reject("ERROR: LACP process is needed for this operation, enable feature lacp")
    bundle = f"port-channel{match['number']}"
    for port in shell.ports():
        if port.group not in (None, bundle):
            raise Reject(f"command failed: {port.name}: port already belongs to {port.group}")
        if port.value("ip address"):
            raise Reject(f"command failed: {port.name}: port not compatible [Layer 3 address configured]")
        target = device.port(bundle)
        if target.node is None:  # a new bundle starts as its first member is
            bundles.copy(device, bundles.shared(port), bundle)
        elif sorted(bundles.shared(port)) != sorted(bundles.shared(target)):
            if "force" not in match:
                raise Reject(f"command failed: {port.name}: port not compatible [{_difference(port, target)}]")
            bundles.copy(device, bundles.shared(target), port.name)
    shell.put(f"channel-group {match['number']}" + (f" mode {mode}" if mode != "on" else ""), "channel-group")


def _difference(port, target) -> str:
    if port.routed != target.routed:
        return "port layer mismatch"
    if port.mode != target.mode:
        return "port mode"
    if port.mtu != target.mtu:
        return "mtu"
    return "allowed VLANs, access VLAN, native VLAN, speed or flow control"


setting("config-if", "lacp rate {fast|normal}", "lacp rate", "lacp rate normal", feature="lacp", when=PHYSICAL)
setting(
    "config-if",
    "lacp port-priority <priority:1-65535>",
    "lacp port-priority",
    "lacp port-priority 32768",
    feature="lacp",
    when=PHYSICAL,
)
switch("config-if", "lacp suspend-individual", default=True, feature="lacp", when=BUNDLE)
switch("config-if", "lacp graceful-convergence", default=True, feature="lacp", when=BUNDLE)
switch("config-if", "lacp vpc-convergence", default=False, feature="lacp", when=BUNDLE)
setting("config-if", "lacp min-links <count:1-32>", "lacp min-links", "lacp min-links 1", feature="lacp", when=BUNDLE)
setting("config", "lacp system-priority <priority:1-65535>", "lacp system-priority", feature="lacp")


# -- vPC -------------------------------------------------------------------------------------------------------
@GRAMMAR.command("config", "vpc domain <number:1-1000>", "no vpc domain <number:1-1000>", feature="vpc")
def vpc_domain(shell: NxosShell, match: Match) -> None:
    device = shell.device
    now = device.value("vpc domain")
    if match.negated:
        if now != str(match["number"]):
            raise Reject(f"ERROR: vPC domain {match['number']} does not exist")
        shell.drop(f"vpc domain {now}")
        for name in device.interfaces("port-channel"):
            node = device.port(name).node
            node.children = [c for c in node.children if not c.text.startswith("vpc ")]
        return
    if now and now != str(match["number"]):
        raise Reject(f"ERROR: vPC domain {now} is configured, remove it before configuring another one")
    header = f"vpc domain {match['number']}"
    shell.put(header)
    shell.enter("config-vpc-domain", (header,))


@GRAMMAR.command(
    "config-vpc-domain",
    "peer-keepalive destination <destination:ip> [source <source:ip>] [vrf <vrf:name>]",
    "no peer-keepalive",
)
def keepalive(shell: NxosShell, match: Match) -> None:
    shell.drop("peer-keepalive")
    if not match.negated:
        shell.put(match.line.replace(" vrf management", ""))  # the default is not printed


for _flag in ("peer-switch", "peer-gateway", "layer3 peer-router", "ipv6 nd synchronize", "ip arp synchronize"):
    switch("config-vpc-domain", _flag, default=False)
setting("config-vpc-domain", "auto-recovery [reload-delay <seconds:240-3600>]", "auto-recovery")
setting("config-vpc-domain", "role priority <priority:1-65535>", "role priority", "role priority 32667")
setting("config-vpc-domain", "system-priority <priority:1-65535>", "system-priority", "system-priority 32667")
setting("config-vpc-domain", "delay restore <seconds:1-3600>", "delay restore", "delay restore 30")


@GRAMMAR.command("config-vpc-domain", "system-mac <mac:word>", "no system-mac [<mac:word>]")
def system_mac(shell: NxosShell, match: Match) -> None:
    if match.negated:
        shell.drop("system-mac")
        return
    digits = re.sub(r"[.:-]", "", match["mac"]).lower()
    if not re.fullmatch(r"[0-9a-f]{12}", digits):
        raise Reject("% Invalid mac address")
    shell.put("system-mac " + ":".join(digits[i : i + 2] for i in range(0, 12, 2)), "system-mac")


@GRAMMAR.command("config-if", "vpc <number:1-4096>", "vpc peer-link", "no vpc [<number:1-4096>]", "no vpc peer-link",
                 feature="vpc", when=BUNDLE)  # fmt: skip
def vpc(shell: NxosShell, match: Match) -> str | None:
    device = shell.device
    if match.negated:
        shell.drop("vpc")
        return None
    if not device.value("vpc domain"):
        raise Reject("ERROR: Operation failed: [vPC domain is not configured]")
    if len(shell.ctx.targets) > 1:
        raise Reject("ERROR: a vPC number can not be given to a range of interfaces")
    own = shell.ctx.interfaces[0]
    for name in device.interfaces("port-channel"):
        if name != own and match.line in device.port(name).lines:
            raise Reject(f"ERROR: Operation failed: [{match.line} is already configured on {name}]")
    if "peer-link" not in match:
        shell.put(match.line, "vpc")
        return None
    if device.port(own).mode != "trunk":
        raise Reject("ERROR: Operation failed: [vPC peer-link must be a trunk]")
    shell.put(match.line, "vpc")
    shell.put("spanning-tree port type network", "spanning-tree port type")
    return (
        "Warning:\n! VPC peer-link has been configured\nPlease note that spanning tree port type is changed to "
        '"network" port type on vPC peer-link.\n'
    )
