# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""LACP bundles and vPC on NX-OS: port-channels, their numbers, what they carry for their members, the vPC domain.

A member has the layer 2 lines of its bundle: it gets them before it joins, and from then on the switch copies them from
the port-channel and refuses them on the member. Policies and PFC are on the port-channel alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import ModelError, Problem, expected
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.reserved import retired_bonds
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Port, Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.ownership import Own
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.tree import Line

# The link between the two switches of a pair. Bundles of hosts have numbers up to 999.
PEER_LINK = 4096
CHANNEL = "channel-group"  # key of the line that makes a port a member

# Keys of the lines that a member takes from its port-channel.
COPIED = re.compile(r"layer|switchport .*|mtu|speed")

_FORCE = re.compile(r"channel-group (?P<id>\d+)(?: force)?(?: mode (?P<mode>\S+))?")
_KEEPALIVE = re.compile(r"peer-keepalive destination (?P<to>\S+)(?P<rest>.*)")


@dataclass(frozen=True)
class Bundle:
    """One port-channel as the model wants it."""

    id: int
    description: str
    members: tuple[Port, ...]
    fast: bool
    vpc: str  # "", "peer-link" or the number of the vPC

    @property
    def port(self) -> Port:
        """A member: all have the same mode, VLANs, MTU and policy."""
        return self.members[0]


def _error(path: str, what: str, found: object, todo: str) -> ModelError:
    return ModelError([Problem("NX-OS", None, f"switch.{path}", expected(what, found, todo))])


def bundles(model: Switch) -> list[Bundle]:
    """All port-channels of the model, the peer link first: vPCs need it."""
    ports = {port.name: port for port in model.ports}
    found = []
    if model.peer_link:
        members = tuple(ports[name] for name in model.peer_link.ports)
        found.append(Bundle(PEER_LINK, "peer link", members, fast=False, vpc="peer-link"))
    for bond in model.bonds:
        members = tuple(ports[name] for name in bond.members)
        vpc = "" if bond.mlag_id is None else str(bond.mlag_id)
        found.append(Bundle(bond.id, bond.description, members, bond.fast, vpc))
    for bundle in found:
        _check(bundle, "peer_link" if bundle.vpc == "peer-link" else f"bonds.{bundle.id}")
    return found


def _check(bundle: Bundle, path: str) -> None:
    first = bundle.port
    if first.mode == "routed":
        raise _error(path, "members with mode access or trunk", f"routed {first.name}", "give it VLANs, or no bond")
    for other in bundle.members[1:]:
        for field in ("mode", "vlan", "vlans", "native_vlan", "speed", "mtu", "lossless", "headroom", "enabled"):
            if getattr(other, field) != getattr(first, field):
                raise _error(
                    path,
                    f"{field} {getattr(first, field)} on every member, as on {first.name}",
                    f"{getattr(other, field)} on {other.name}",
                    "make them equal: NX-OS bundles only ports that are alike",
                )


def membership(model: Switch) -> dict[str, Bundle]:
    """Port name -> its bundle."""
    return {port.name: bundle for bundle in bundles(model) for port in bundle.members}


def channel_group(line: str) -> list[str]:
    """``force`` is how a port joins, not what it is; a mode that is not shown is "on"."""
    found = _FORCE.fullmatch(line)
    return [f"channel-group {found['id']} mode {found['mode'] or 'on'}"] if found else [line]


def member_rules(numbers: str) -> tuple[Own, ...]:
    """What a member of one of these port-channels has besides the lines of every port."""
    return (
        Own("lacp rate fast", "bonds", key="lacp rate", remove="lacp rate normal"),
        channel_rule(numbers),
    )


def of_others(children: list[Line], model: Switch) -> bool:
    """Whether these are lines of a port in a port-channel that is none of the fabric's."""
    ours = {bundle.id for bundle in bundles(model)} | retired_bonds(model)
    found = (_FORCE.fullmatch(child.text) for child in children)
    return any(match and int(match["id"]) not in ours for match in found)


def channel_rule(numbers: str) -> Own:
    """Membership in one of these port-channels."""
    return Own(
        f"channel-group (?:{numbers})(?: .*)?",
        "bonds",
        key=CHANNEL,
        remove="no channel-group",
        overwrite=False,
        remove_early=True,  # a port of its own takes the lines that follow, a member does not
        normalise=channel_group,
        disruption="bond-member",
    )


def channel_numbers(model: Switch) -> str:
    """The port-channels of the model and those that it has not any more, as a pattern; empty when there are none."""
    return "|".join(map(str, (*(bundle.id for bundle in bundles(model)), *sorted(retired_bonds(model)))))


def retired_rules(model: Switch) -> Iterator[Own]:
    """Port-channels of the fabric that the model has not, whole; and their members, whosever ports these are."""
    numbers = sorted(retired_bonds(model))
    if not numbers:
        return
    names = frozenset(f"interface port-channel{n}" for n in numbers)
    yield Own(r"interface port-channel\d+", "bonds", among=names, whole=True, disruption="bond-member")
    member = channel_rule("|".join(map(str, numbers)))
    yield Own(r"interface Ethernet\S+", "bonds", children=(member,))


def elsewhere(lines: Iterable[Line], model: Switch) -> Iterator[Line]:
    """Ports that are not in the model, in a port-channel of the fabric that the model has not."""
    ports = {f"interface {port.name}" for port in model.ports}
    retired = retired_bonds(model)
    for line in lines if retired else ():
        if line.text.startswith("interface Ethernet") and line.text not in ports:
            for child in line.children:
                found = _FORCE.fullmatch(child.text)
                if found and int(found["id"]) in retired:
                    yield Line(line.text, [child])


def _keepalive(line: str) -> list[str]:
    """Timers and source are the site's; the VRF is "management" unless another is named."""
    found = _KEEPALIVE.fullmatch(line)
    if not found:
        return [line]
    vrf = re.search(r" vrf (\S+)", found["rest"])
    return [f"peer-keepalive destination {found['to']} vrf {vrf[1] if vrf else 'management'}"]


def _system_mac(line: str) -> list[str]:
    digits = re.sub("[^0-9a-f]", "", line.removeprefix("system-mac ").lower())
    return ["system-mac " + ":".join(digits[n : n + 2] for n in range(0, len(digits), 2))]


def domain_rule(model: Switch) -> Iterator[Own]:
    """The vPC domain: its lines that we write. Everything else in it stays."""
    if model.peer_link is None:
        return
    number = model.peer_link.domain
    yield Own(
        f"vpc domain {number}",
        "bonds",
        whole=True,
        rest=False,
        children=(
            Own(
                r"role priority \d+",
                "bonds",
                key="role priority",
                remove="no role priority",
                default="role priority 32667",
                disruption="vpc-domain",
            ),
            Own(
                r"system-mac \S+",
                "bonds",
                key="system-mac",
                remove="no system-mac",
                normalise=_system_mac,
                disruption="vpc-domain",
            ),
            Own(
                "peer-keepalive destination .*",
                "bonds",
                key="peer-keepalive",
                remove="no peer-keepalive",
                normalise=_keepalive,
                disruption="vpc-domain",
            ),
            Own("peer-gateway", "bonds"),
            Own("ip arp synchronize", "bonds"),
        ),
    )


VPC = Own(r"vpc (?P<vpc>\d+|peer-link)", "bonds", key="vpc", overwrite=False, remove_early=True, disruption="vpc")


def features(model: Switch) -> Iterator[str]:
    """What has to be switched on first."""
    if model.bonds or model.peer_link:
        yield "lacp"
    if model.peer_link:
        yield "vpc"
