# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The routed underlay of every switch: eBGP sessions over routed links, route filters, gateways, bonds, peer links."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import IPv4Network, collapse_addresses
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import Path, show
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.addresses import AddressBook, network
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import Checks
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.design import numbering
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.switches import SwitchBuilder

_ADDRESS = re.compile(r"[0-9.]+$")


def add_routing(
    fabric: Fabric,
    builders: Mapping[str, SwitchBuilder],
    switches: dict[str, dict[str, Any]],
    access: Mapping[str, Any],
    book: AddressBook,
    checks: Checks,
) -> None:
    """Fill ``underlay``, ``gateways``, ``bonds`` and ``peer_link`` of the switches. ``access``: device -> Access."""
    for name, builder in builders.items():
        _gateways(fabric, builder, switches[name], book, checks)
        _bonds(builders, builder, switches[name], access, checks)
    wanted = fabric.underlay
    if wanted is None or not wanted.enabled:
        return
    identity = {name: _identity(fabric, builder, book, checks) for name, builder in builders.items()}
    filters = _filters(fabric, builders, switches)
    for name, builder in builders.items():
        own = identity[name]
        if own is None:
            continue
        sessions = []
        for session in builder.sessions:
            far = identity.get(session.far)
            if far is None:
                continue
            sessions.append(
                {"port": session.port, "address": session.address, "asn": far[0], "description": session.far}
            )
        position = {port["name"]: index for index, port in enumerate(switches[name]["ports"])}
        bfd = wanted.bfd
        switches[name]["underlay"] = {
            "asn": own[0],
            "router_id": own[1],
            "peer_group": wanted.peer_group,
            "maximum_paths": wanted.maximum_paths,
            "keepalive": wanted.keepalive,
            "hold": wanted.hold,
            "bfd": {"interval_ms": bfd.interval_ms, "multiplier": bfd.multiplier} if bfd.enabled else None,
            "neighbors": tuple(sorted(sessions, key=lambda s: position[s["port"]])),
            "announce": filters,
            "accept": filters,
            "adaptive_routing": _adaptive_routing(fabric, builder, checks),
        }


def _adaptive_routing(fabric: Fabric, builder: SwitchBuilder, checks: Checks) -> bool:
    """Of the profile, else of the underlay. A release that is stated and too old is an error of the intent."""
    profile = builder.profile
    wanted = fabric.underlay.adaptive_routing if profile.adaptive_routing is None else profile.adaptive_routing
    found = re.match(r"(\d+)\.(\d+)", profile.release or "")
    if wanted and profile.platform == "nxos" and found and (int(found[1]), int(found[2])) < (10, 5):
        path = ("switch_profiles", builder.intent.profile, "release")
        text = (
            f"expected NX-OS 10.5 or later for adaptive_routing, found {profile.release} (upgrade, or set"
            " adaptive_routing: false in this profile)"
        )
        checks.add(path, text)
    return wanted


def _identity(fabric: Fabric, builder: SwitchBuilder, book: AddressBook, checks: Checks) -> tuple[int, str] | None:
    """AS number and router id: stated, or from the role and the number in the name."""
    name, intent, wanted = builder.name, builder.intent, fabric.underlay
    path: Path = ("switches", name)
    number = numbering.number_of(name)
    if number is None and (intent.asn is None or intent.loopback is None):
        text = (
            f"expected a number at the end of the name, from which AS number and loopback follow, found {show(name)}"
            " (state asn and loopback, or rename it)"
        )
        checks.add(path, text)
        return None
    asn = intent.asn
    if asn is None:
        asn = numbering.asn(wanted.asn, intent.role, number, intent.pod)
    if asn is None or asn > 4294967295:
        text = f"expected a pod with a number, from which the AS number follows, found {show(intent.pod)} (state asn)"
        checks.add(path, text)
        return None
    loopback = intent.loopback
    if loopback is None:
        try:
            loopback = numbering.loopback(wanted.loopbacks, intent.role, number)
        except numbering.NoRoom as error:
            checks.add(("underlay", "loopbacks"), str(error))
            return None
    book.add(loopback, f"{name}:loopback", (*path, "loopback") if intent.loopback else path)
    return asn, loopback


def _filters(
    fabric: Fabric, builders: Mapping[str, SwitchBuilder], switches: Mapping[str, dict[str, Any]]
) -> tuple[dict[str, Any], ...]:
    """Loopbacks and subnets of hosts. Links between switches are nobody's destination."""
    wanted: list[tuple[str, int]] = [(fabric.underlay.loopbacks, 32)]
    inside = network(fabric.underlay.loopbacks)
    for name, builder in builders.items():
        if builder.intent.loopback is not None:
            own = network(f"{builder.intent.loopback}/32")
            if not inside.first <= own.first <= inside.last:
                wanted.append((f"{builder.intent.loopback}/32", 32))
        for gateway in switches[name].get("gateways", ()):
            vlan = fabric.vlans[gateway["vlan"]]
            prefix = int(gateway["address"].partition("/")[2])
            wanted.append((vlan.subnet or str(network(gateway["address"])), prefix))
    design = fabric.design
    if design is not None and design.hosts == "routed":
        wanted.append((design.rails, 31))
    covered = [network(net) for net, length in wanted if length == 31]
    singles = set()
    for name in builders:
        for port in switches[name]["ports"]:
            address = port.get("address")
            if address is None or port["peer"]["kind"] != "host":
                continue
            net = network(address)
            if net.prefix == 31 and any(c.first <= net.first <= c.last for c in covered):
                continue
            singles.add((str(net), net.prefix))
    for length in sorted({prefix for _, prefix in singles}):
        nets = collapse_addresses(IPv4Network(net) for net, prefix in singles if prefix == length)
        wanted += [(str(net), length) for net in nets]
    return tuple({"within": within, "length": length} for within, length in dict.fromkeys(wanted))


def _gateways(
    fabric: Fabric, builder: SwitchBuilder, switch: dict[str, Any], book: AddressBook, checks: Checks
) -> None:
    found = []
    for number, gateway in sorted(builder.intent.gateways.items()):
        path = ("switches", builder.name, "gateways", number)
        vlan = fabric.vlans.get(number)
        if vlan is None:
            text = f"expected a VLAN from vlans, found {number} (add it to vlans)"
            checks.add(path, text)
            continue
        own = network(gateway.address)
        if vlan.subnet is not None:
            subnet = network(vlan.subnet)
            fits = (
                own == subnet
                if vlan.part is None
                else (own.prefix == vlan.part and subnet.first <= own.first and own.last <= subnet.last)
            )
            if not fits:
                kind = f"a /{vlan.part} in" if vlan.part else "an address in"
                text = f"expected {kind} {subnet}, the subnet of VLAN {number}, found {gateway.address} (correct it)"
                checks.add(path, text)
        book.add(gateway.address, f"{builder.name}:vlan{number}", path)
        if gateway.virtual is not None:
            book.add(gateway.virtual, f"gateway {builder.intent.pair or builder.name} vlan{number}", path)
        found.append({"vlan": number, "address": gateway.address, "virtual_address": gateway.virtual})
    if found:
        switch["gateways"] = tuple(found)


def _bonds(
    builders: Mapping[str, SwitchBuilder],
    builder: SwitchBuilder,
    switch: dict[str, Any],
    access: Mapping[str, Any],
    checks: Checks,
) -> None:
    partner = next((b for b in (builders.get(p) for _, p, _ in builder.peers) if b is not None), None)
    found = []
    for number, bundle in sorted(builder.bonds.items()):
        far = partner.bonds.get(number) if partner is not None else None
        if far is not None and far.host != bundle.host:
            text = (
                f"expected bond {number} of one host on both switches of the pair, found {bundle.host} on"
                f" {builder.name} and {far.host} on {partner.name} (use another number)"
            )
            checks.add(bundle.path, text)
        found.append(
            {
                "id": number,
                "members": tuple(bundle.members),
                "description": bundle.host,
                "mlag_id": number if far is not None else None,
            }
        )
    if found:
        switch["bonds"] = tuple(found)
    if partner is not None:
        switch["peer_link"] = _peer_link(builder, partner, access, checks)


def _peer_link(
    builder: SwitchBuilder, partner: SwitchBuilder, access: Mapping[str, Any], checks: Checks
) -> dict[str, Any] | None:
    numbers = [numbering.number_of(b.name) for b in (builder, partner)]
    keepalive = access[partner.name].address
    if not _ADDRESS.match(keepalive):
        text = (
            f"expected a management address for the keepalive of the pair, found the name {show(keepalive)} (state"
            " address)"
        )
        checks.add(("switches", partner.name), text)
        return None
    if None in numbers:
        text = "expected numbers at the end of the names of a pair, found none (rename the switches)"
        checks.add(("switches", builder.name), text)
        return None
    number = min(numbers)
    local = builder.peers[0][2]
    peer = next(address for _, name, address in partner.peers if name == builder.name)
    if local is None or peer is None:
        return None  # the subnet was reported
    return {
        "domain": (number - 1) % 1000 + 1,
        "ports": tuple(port for port, _, _ in builder.peers),
        "local": local,
        "peer": peer.partition("/")[0],
        "keepalive": keepalive,
        # 44:38:39:ff:00:00 and up is set aside for shared addresses of pairs (Cumulus Linux, MLAG).
        "mac": f"44:38:39:ff:{number >> 8 & 255:02x}:{number & 255:02x}",
        "primary": numbers[0] == number,
    }
