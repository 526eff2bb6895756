# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One mapping of DSCP to priority to queue everywhere, one lossless set, one MTU chain."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking.site import Site, majority
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.findings import Finding


def mapping(site: Site) -> Iterator[Finding]:
    """DSCP and priority on every switch, queues on every switch of a platform."""
    maps = {
        name: tuple(sorted((c.priority, c.dscp, c.cos) for c in switch.roce.classes))
        for name, switch in site.switches.items()
    }
    usual, others = majority(maps)
    for name in others:
        yield _other("dscp-map", name, "DSCP to priority", _words(usual), _words(maps[name]))
    for platform in dict.fromkeys(s.platform for s in site.switches.values()):
        queues = {
            name: tuple(sorted((c.priority, c.queue) for c in switch.roce.classes))
            for name, switch in site.switches.items()
            if switch.platform == platform
        }
        usual, others = majority(queues)
        for name in others:
            yield _other("queue-map", name, f"priority to queue of {platform}", str(usual), str(queues[name]))
    trust = {name: switch.roce.trust for name, switch in site.switches.items()}
    usual, others = majority(trust)
    for name in others:
        yield _other("trust", name, "trust", usual, trust[name])


def lossless(site: Site) -> Iterator[Finding]:
    """The same priorities are lossless everywhere, and they are those of the hosts."""
    sets = {
        name: tuple(sorted(c.priority for c in switch.roce.classes if c.lossless))
        for name, switch in site.switches.items()
    }
    usual, others = majority(sets)
    for name in others:
        yield _other("lossless-set", name, "lossless priorities", str(list(usual)), str(list(sets[name])))
    if not site.switches:
        return
    first = next(iter(site.switches.values()))
    priority_of = {dscp: c.priority for c in first.roce.classes for dscp in c.dscp}
    told: set[tuple] = set()
    for name, host in site.hosts.items():
        policy = host.roce
        key = (policy.priority, policy.dscp, policy.cnp_priority, policy.cnp_dscp)
        if key in told:
            continue
        wrong = []
        if policy.priority not in usual:
            wrong.append((f"RoCE priority {policy.priority}", f"one of the lossless priorities {list(usual)}"))
        wanted = [(dscp, policy.priority) for dscp in policy.dscp]
        wanted += [(dscp, policy.cnp_priority) for dscp in policy.cnp_dscp]
        for dscp, priority in wanted:
            if priority_of.get(dscp, 0) != priority:
                there = priority_of.get(dscp, 0)
                wrong.append((f"priority {priority} for DSCP {dscp}", f"{there} as on the switches"))
        for found, want in wrong:
            text = f"expected {want}, found {found} (make host and switches agree)"
            yield Finding("host-priority", "error", name, "", text)
        if not wrong:
            told.add(key)


def mtu_chain(site: Site) -> Iterator[Finding]:
    """Every port that RoCE may cross takes what the hosts send, from host to host."""
    sent = max((nic.mtu for host in site.hosts.values() for nic in host.nics if nic.peer is not None), default=0)
    for (name, own), port in site.ports.items():
        if port.lossless and port.enabled and port.mtu < sent and port.peer is not None and port.peer.kind == "switch":
            text = (
                f"expected at least {sent}, what hosts send, found {port.mtu}: one such hop fragments or drops"
                " (raise mtu)"
            )
            yield Finding("mtu-chain", "error", name, own, text)
    sizes = {name: max((n.mtu for n in host.nics), default=0) for name, host in site.hosts.items() if host.nics}
    usual, others = majority(sizes)
    for name in others:
        text = (
            f"expected MTU {usual} as on the other hosts, found {sizes[name]}: the smaller one counts (set one value)"
        )
        yield Finding("mtu-hosts", "warning", name, "", text)


def _other(check: str, name: str, what: str, usual: object, found: object) -> Finding:
    text = f"expected {what} {usual} as on the other switches, found {found} (one mapping for the whole fabric)"
    return Finding(check, "error", name, "", text)


def _words(classes: tuple) -> str:
    return "; ".join(f"{'/'.join(map(str, dscp)) or 'others'} to {priority}" for priority, dscp, _ in classes)
