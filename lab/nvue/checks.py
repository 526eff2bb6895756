# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What NVUE looks at when a revision is applied: references, sums, orders. A schema cannot say these.

The wording of these messages is a stand-in; NVIDIA documents the conditions, not the texts.
"""

from __future__ import annotations

from collections.abc import Iterator

from lab.nvue.tree import Tree, at, at_map

# Kinds of profiles that a port refers to. "default-global" exists without being configured.
_PROFILES = ("mapping", "remark", "pfc", "link-pause", "congestion-control", "egress-scheduler", "egress-shaper")


def problems(tree: Tree, *, old: bool) -> list[str]:
    """Everything that keeps this configuration from being applied."""
    return list(_qos(tree, old=old)) + list(_ports(tree, old=old)) + list(_bgp(tree))


def _qos(tree: Tree, *, old: bool) -> Iterator[str]:
    qos = tree.get("qos", {})
    for name, profile in qos.get("egress-scheduler", {}).items():
        total = sum(tc.get("bw-percent", 0) for tc in profile.get("traffic-class", {}).values())
        if total > 100:
            yield f"qos.egress-scheduler.{name}: the sum of bw-percent is {total}, more than 100"
    total = sum(pool.get("memory-percent", 0) for pool in qos.get("traffic-pool", {}).values())
    if total > 100:
        yield f"qos.traffic-pool: the sum of memory-percent is {total}, more than 100"
    owners: dict[str, str] = {}
    for name, pool in qos.get("traffic-pool", {}).items():
        for priority in pool.get("switch-priority", {}):
            if owners.setdefault(priority, name) != name:
                yield f"qos.traffic-pool: switch-priority {priority} is in {owners[priority]} and in {name}"
    for name, profile in qos.get("congestion-control", {}).items():
        for number, tc in profile.get("traffic-class", {}).items():
            for unit in ("", "-percent"):
                low, high = tc.get(f"min-threshold{unit}"), tc.get(f"max-threshold{unit}")
                if low is not None and high is not None and low > high:
                    where = f"qos.congestion-control.{name}.traffic-class.{number}"
                    yield f"{where}: min-threshold{unit} {low} is greater than max-threshold{unit} {high}"
    for kind in ("pfc", "link-pause"):
        for name, profile in qos.get(kind, {}).items():
            low, high = profile.get("xon-threshold"), profile.get("xoff-threshold")
            if low is not None and high is not None and low > high:
                yield f"qos.{kind}.{name}: xon-threshold {low} is greater than xoff-threshold {high}"
    for name in set(qos.get("egress-queue-mapping", {})) - {"default-global"}:
        yield f"qos.egress-queue-mapping.{name}: only the profile default-global is supported"
    if _lossless_ports(tree) and not _lossless_buffer(qos, old=old):
        yield "qos.traffic-pool.default-lossless: memory-percent must be set before a port can be lossless"


def _lossless_ports(tree: Tree) -> list[str]:
    qos = tree.get("qos", {})
    found = []
    for name, port in tree.get("interface", {}).items():
        for kind in ("pfc", "link-pause"):
            profile = at(port, ("qos", kind, "profile"))
            if profile is not None and (kind == "link-pause" or at(qos, ("pfc", profile, "switch-priority"))):
                found.append(name)
    return found


def _lossless_buffer(qos: Tree, *, old: bool) -> bool:
    return bool(
        macro_on(qos, old=old)
        or at(qos, ("traffic-pool", "default-lossless", "memory-percent"))
        or at(qos, ("advance-buffer-config", "default-global", "ingress-lossless-buffer"))
    )


def macro_on(qos: Tree, *, old: bool) -> bool:
    """Whether the RoCE macro is configured."""
    return at(qos, ("roce", "enable")) == "on" if old else at(qos, ("roce", "state")) == "enabled"


def _ports(tree: Tree, *, old: bool) -> Iterator[str]:
    qos = tree.get("qos", {})
    domains = {"br_default", *at_map(tree, ("bridge", "domain"))}
    vrfs = {"default", "mgmt", *tree.get("vrf", {})}
    for name, port in tree.get("interface", {}).items():
        for kind in _PROFILES:
            profile = at(port, ("qos", kind, "profile"))
            if profile is not None and profile != "default-global" and profile not in qos.get(kind, {}):
                yield f"interface.{name}.qos.{kind}.profile: profile '{profile}' is not configured in qos.{kind}"
        if at(port, ("qos", "pfc", "profile")) and at(port, ("qos", "link-pause", "profile")):
            yield f"interface.{name}.qos: pfc and link-pause cannot be used on the same port"
        if at(port, ("qos", "pfc-watchdog", "state")) == "enable" and not name.startswith("swp"):
            yield f"interface.{name}.qos.pfc-watchdog: only supported on swp ports"
        for domain, member in at_map(port, ("bridge", "domain")).items():
            if domain not in domains:
                yield f"interface.{name}.bridge.domain: domain '{domain}' is not configured in bridge.domain"
            if "access" in member and ("untagged" in member or "vlan" in member):
                yield f"interface.{name}.bridge.domain.{domain}: access cannot be used with untagged or vlan"
        vrf = at(port, ("ip", "vrf")) if old else port.get("vrf")
        if vrf is not None and vrf not in vrfs:
            yield f"interface.{name}: vrf '{vrf}' is not configured in vrf"
    yield from _bonds(tree, old=old)


def _bonds(tree: Tree, *, old: bool) -> Iterator[str]:
    bonds: dict[str, str] = {}
    for name, port in tree.get("interface", {}).items():
        for member in at_map(port, ("bond", "member")):
            other = at_map(tree, ("interface", member))
            if "bridge" in other:
                yield f"interface.{name}.bond.member: {member} is a member of a bridge"
            if at_map(other, ("ip" if old else "ipv4", "address")):
                yield f"interface.{name}.bond.member: {member} has an IP address"
            if bonds.setdefault(member, name) != name:
                yield f"interface.{name}.bond.member: {member} is already a member of {bonds[member]}"
        vrr = at_map(port, ("ip" if old else "ipv4", "vrr"))
        if vrr and not name.startswith("vlan"):
            yield f"interface.{name}: vrr is only supported on SVIs"
    mlag = at_map(tree, ("mlag",))
    if mlag.get("enable", mlag.get("state")) in ("on", "enabled"):
        for need in ("backup", "mac-address", "peer-ip"):
            if need not in mlag:
                yield f"mlag.{need}: must be set while MLAG is enabled"
        if not at_map(tree, ("interface", "peerlink", "bond", "member")):
            yield "mlag: interface peerlink has no bond members"


def _bgp(tree: Tree) -> Iterator[str]:
    profiles = at_map(tree, ("router", "bfd", "profile"))
    router = at_map(tree, ("router", "bgp"))
    for name, vrf in tree.get("vrf", {}).items():
        bgp = at_map(vrf, ("router", "bgp"))
        groups = bgp.get("peer-group", {})
        asn = bgp.get("autonomous-system", "auto")
        if bgp and (router.get("autonomous-system", "none") if asn == "auto" else asn) == "none":
            yield f"vrf.{name}.router.bgp.autonomous-system: neither set here nor in router.bgp"
        for peer, neighbor in bgp.get("neighbor", {}).items():
            group = neighbor.get("peer-group") if isinstance(neighbor, dict) else None
            if group is not None and group not in groups:
                yield f"vrf.{name}.router.bgp.neighbor.{peer}.peer-group: '{group}' is not configured"
        for peer, settings in {**bgp.get("neighbor", {}), **groups}.items():
            profile = at(settings, ("bfd", "profile"))
            if profile is not None and profile not in profiles:
                yield f"vrf.{name}.router.bgp: {peer} uses bfd profile '{profile}', which is not configured"
