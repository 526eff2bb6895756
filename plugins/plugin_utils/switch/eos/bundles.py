# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Port channels of a model: the bonds of hosts and the link to the other switch of the pair."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import ModelError, Problem, expected
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Port, Switch

PEER_LINK = 1000  # number of the port channel to the other switch; bonds of the model end at 999
PEER_VLAN = 4094  # VLAN in which the two switches of a pair speak to each other
TRUNK_GROUP = "MLAG"  # keeps that VLAN on the peer link


@dataclass(frozen=True)
class Bundle:
    """One port channel and the ports in it."""

    number: int
    description: str
    members: tuple[Port, ...]
    fast: bool = False
    mlag: int | None = None
    peer_link: bool = False

    @property
    def name(self) -> str:
        """As EOS spells it."""
        return f"Port-Channel{self.number}"

    @property
    def port(self) -> Port:
        """The port whose MTU, mode and VLANs the bundle has."""
        return self.members[0]

    @property
    def lossless(self) -> bool:
        """Whether the bundle carries the RoCE policy."""
        return any(port.lossless for port in self.members)


def bundles(switch: Switch) -> list[Bundle]:
    """All port channels of the model. Raises ModelError when the ports of one do not fit together."""
    ports = {port.name: port for port in switch.ports}
    found = [Bundle(b.id, b.description, tuple(ports[m] for m in b.members), b.fast, b.mlag_id) for b in switch.bonds]
    for bundle in found:
        _check(switch, bundle)
    if switch.peer_link:
        members = tuple(ports[m] for m in switch.peer_link.ports)
        found.append(Bundle(PEER_LINK, "peer link", members, peer_link=True))
    return found


def members(switch: Switch) -> dict[str, Bundle]:
    """Port -> its bundle."""
    return {port.name: bundle for bundle in bundles(switch) for port in bundle.members}


def _check(switch: Switch, bundle: Bundle) -> None:
    first = bundle.port
    for port in bundle.members[1:]:
        for name in ("mtu", "mode", "vlan", "vlans", "native_vlan", "lossless"):
            have, want = getattr(port, name), getattr(first, name)
            if have != want:
                text = expected(f"{name} {want} as on {first.name} in the same bond", have, "make them the same")
                raise ModelError([Problem(switch.name, None, f"switch.ports.{port.name}.{name}", text)])
