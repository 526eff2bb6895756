# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Both ends of every cable agree."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.host import Nic
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Port
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.addresses import network
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checking.site import Site
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.findings import Finding


def cables(site: Site) -> Iterator[Finding]:
    """The far end exists and names this end."""
    for (name, own), port in site.ports.items():
        peer = port.peer
        if peer is None or peer.port is None or peer.kind != "switch":
            continue
        far = site.ports.get((peer.device, peer.port))
        if far is None:
            what = "switch" if peer.device not in site.switches else "port"
            text = (
                f"expected the {what} at the far end, found none of that name: {peer.device}:{peer.port} (correct it)"
            )
            yield Finding("cable", "error", name, own, text)
        elif far.peer is None or (far.peer.device, far.peer.port) != (name, own):
            other = f"{far.peer.device}:{far.peer.port}" if far.peer is not None else "nothing"
            text = (
                f"expected {peer.device}:{peer.port} to name this port as its far end, found {other} (one cable has two"
                " ends)"
            )
            yield Finding("cable", "error", name, own, text)


def links(site: Site) -> Iterator[Finding]:
    """Speed, FEC, MTU, mode, VLANs, lossless, length and addresses of links between switches."""
    for a, left, b, right in site.links:
        for field in ("enabled", "speed", "fec", "mode", "lossless", "cable_length"):
            one, two = getattr(left, field), getattr(right, field)
            if one != two:
                yield _differ(field.replace("_", "-"), a, left, b, right, one, two)
        # Layer-2 ports differ by platform limits (EOS 9214, NX-OS 9216): harmless above what hosts send.
        if left.mtu != right.mtu and (left.mode == "routed" or min(left.mtu, right.mtu) < 9214):
            yield _differ("mtu", a, left, b, right, left.mtu, right.mtu)
        if left.mode == right.mode == "trunk":
            if set(left.vlans) != set(right.vlans):
                yield _differ("vlan", a, left, b, right, _few(left.vlans), _few(right.vlans))
            if left.native_vlan != right.native_vlan:
                yield _differ("native-vlan", a, left, b, right, left.native_vlan, right.native_vlan)
        if left.mode == right.mode == "routed":
            yield from _addresses(a, left, b, right)


def _addresses(a: str, left: Port, b: str, right: Port) -> Iterator[Finding]:
    if (left.address is None) != (right.address is None):
        yield _differ("address", a, left, b, right, left.address or "none", right.address or "none")
    elif left.address is not None and network(left.address) != network(right.address):
        text = (
            f"expected an address in {network(left.address)} as at {a}:{left.name}, found {right.address} (use one"
            " network)"
        )
        yield Finding("address", "error", b, right.name, text)


def _differ(check: str, a: str, left: Port, b: str, right: Port, one: object, two: object) -> Finding:
    words = check.replace("-", " ")
    text = (
        f"expected the same {words} at both ends, found {show(one)} here and {show(two)} at {b}:{right.name} (set one"
        " value)"
    )
    return Finding(f"{check}-ends", "error", a, left.name, text)


def show(value: object) -> object:
    """Values in words."""
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else value


def _few(vlans: tuple[int, ...]) -> str:
    return ", ".join(map(str, vlans))


def hosts(site: Site) -> Iterator[Finding]:
    """A NIC and its switch port: cable, speed, VLAN, mode, addresses, room for the MTU."""
    for name, host in site.hosts.items():
        for nic in host.nics:
            if nic.peer is None:
                continue
            port = site.ports.get((nic.peer.switch, nic.peer.port))
            if port is None or port.peer is None or (port.peer.device, port.peer.port) != (name, nic.name):
                found = (
                    f"{port.peer.device}:{port.peer.port}" if port is not None and port.peer is not None else "nothing"
                )
                text = f"expected {nic.peer.switch}:{nic.peer.port} to name this NIC, found {found} (correct one end)"
                yield Finding("cable", "error", name, nic.name, text)
                continue
            yield from _nic(name, nic, port)


def _nic(name: str, nic: Nic, port: Port) -> Iterator[Finding]:
    place = f"{nic.peer.switch}:{nic.peer.port}"
    for field in ("speed", "mode", "vlan", "native_vlan"):
        one, two = getattr(nic, field), getattr(port, field)
        if one != two and (field != "speed" or (one is not None and two is not None)):
            text = (
                f"expected the same {field} at both ends, found {show(one)} here and {show(two)} at {place} (set"
                " one value)"
            )
            yield Finding(f"{field.replace('_', '-')}-ends", "error", name, nic.name, text)
    if nic.mtu > port.mtu:
        text = f"expected at most {port.mtu}, the MTU of {place}, found {nic.mtu} (raise the one or lower the other)"
        yield Finding("mtu-host", "error", name, nic.name, text)
    if port.mode == "routed":
        if (nic.address is None) != (port.address is None):
            text = (
                f"expected addresses at both ends, found {show(nic.address)} here and {show(port.address)} at"
                f" {place} (set"
                " both)"
            )
            yield Finding("address-ends", "error", name, nic.name, text)
        elif nic.address is not None and network(nic.address) != network(port.address):
            text = (
                f"expected an address in {network(port.address)} as at {place}, found {nic.address} (use one network)"
            )
            yield Finding("address", "error", name, nic.name, text)
    if not port.lossless:
        text = f"expected the RoCE policy on ports of hosts, found {place} without (set lossless)"
        yield Finding("lossless-host", "error", name, nic.name, text)
