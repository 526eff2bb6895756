# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What changes between two plans of a site: cables, addresses and AS numbers that are added, removed or changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.plan import Plan

SHOWN = 20  # lines of one kind in the text; the data has all


@dataclass
class Delta:
    """Lines by kind of thing: ``switch``, ``host``, ``cable``, ``address``, ``asn``."""

    added: dict[str, list[str]] = field(default_factory=dict)
    removed: dict[str, list[str]] = field(default_factory=dict)
    changed: dict[str, list[str]] = field(default_factory=dict)  # "leaf01:Ethernet1/1: 10.0.0.0/31 -> 10.0.0.4/31"

    @property
    def only_adds(self) -> bool:
        """Whether everything that existed is as it was."""
        return not any(self.removed.values()) and not any(self.changed.values())

    def __str__(self) -> str:
        lines = []
        for kind in KINDS:
            counts = [f"{len(part.get(kind, ()))} {word}" for word, part in self._parts()]
            lines.append(f"{kind}: {', '.join(counts)}")
            for word, part in self._parts():
                found = part.get(kind, [])
                if word == "added" and kind in ("address", "cable"):
                    found = [f"{found[0]} ... {found[-1]}"] if len(found) > 1 else found
                lines += [f"  {word} {line}" for line in found[:SHOWN]]
                if len(found) > SHOWN:
                    lines.append(f"  {word} {len(found) - SHOWN} more")
        return "\n".join(lines)

    def _parts(self) -> tuple[tuple[str, dict[str, list[str]]], ...]:
        return ("added", self.added), ("removed", self.removed), ("changed", self.changed)


KINDS = ("switch", "host", "cable", "address", "asn")


def delta(old: Plan, new: Plan) -> Delta:
    """From one plan to the other. Things are told apart by where they are plugged in or whose they are."""
    result = Delta()
    for kind, before, after in zip(KINDS, _things(old), _things(new), strict=True):
        result.added[kind] = [f"{k}: {v}" if v else k for k, v in after.items() if k not in before]
        result.removed[kind] = [f"{k}: {v}" if v else k for k, v in before.items() if k not in after]
        result.changed[kind] = [f"{k}: {v} -> {after[k]}" for k, v in before.items() if k in after and after[k] != v]
    return result


def _things(plan: Plan) -> tuple[Mapping[str, str], ...]:
    switches = {name: f"{s.role}, {plan.profiles.get(name, s.platform)}" for name, s in plan.switches.items()}
    hosts = dict.fromkeys(plan.hosts, "")
    # A cable is known by its upper end at the switch and by its lower end, so that a moved plug is a change.
    cables = {f"{c.a_device}:{c.a_port}": f"{c.b_device}:{c.b_port}, {c.length} m" for c in plan.cables}
    cables |= {f"{c.b_device}:{c.b_port}": f"{c.a_device}:{c.a_port}, {c.length} m" for c in plan.cables}
    addresses, asns = {}, {}
    for name, switch in plan.switches.items():
        addresses |= {f"{name}:{p.name}": p.address for p in switch.ports if p.address}
        addresses |= {f"{name}:vlan{g.vlan}": g.address for g in switch.gateways}
        addresses[f"{name} management"] = plan.access[name].address
        if switch.underlay is not None:
            addresses[f"{name}:loopback"] = switch.underlay.router_id
            asns[name] = str(switch.underlay.asn)
        if switch.peer_link is not None:
            addresses[f"{name}:peer link"] = switch.peer_link.local
    for name, host in plan.hosts.items():
        addresses |= {f"{name}:{n.name}": n.address for n in host.nics if n.address}
        addresses[f"{name} management"] = plan.access[name].address
    return switches, hosts, cables, addresses, asns
