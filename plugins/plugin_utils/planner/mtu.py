# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""MTU of ports, in bytes of IP packet."""

from __future__ import annotations

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import Checks
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.levels import Value

# EOS takes 9214 on routed ports, NX-OS and Cumulus 9216.
MAXIMUM = {"eos": 9214, "nxos": 9216, "nvue": 9216}
DEFAULT = 9216


def wanted(platform: str, stated: Value, checks: Checks) -> int:
    """What one end asks for. Fabric-wide values are lowered to what the platform takes; nearer ones must fit."""
    limit = MAXIMUM[platform]
    if stated.value > limit and stated.path and stated.path[0] != "policy":
        checks.add(stated.path, f"expected at most {limit}, the maximum of {platform}, found {stated.value} (lower it)")
    return min(stated.value, limit)


def of_link(a: int, b: int) -> int:
    """The largest that both ends support."""
    return min(a, b)


def layer2(platform: str, mtu: int, stated: Value, checks: Checks) -> int:
    """Layer-2 ports of NX-OS take 1500 or the system jumbo MTU of 9216, nothing between."""
    if platform != "nxos" or mtu in (1500, 9216):
        return mtu
    if "ports" in stated.path:
        text = f"expected 1500 or 9216, the only values of a layer-2 port of nxos, found {stated.value} (choose one)"
        checks.add(stated.path, text)
    return 9216


def both_agree(ends: tuple[Value, Value], link: int, checks: Checks) -> None:
    """A value stated for one port must be what the link gets."""
    for stated, other in (ends, ends[::-1]):
        if "ports" in stated.path and stated.value != link:
            text = (
                f"expected {link}, the largest MTU that the other end takes (it asks for {other.value}), found"
                f" {stated.value} (use one value)"
            )
            checks.add(stated.path, text)


def host_fits(port: int, stated: Value, host: Value, overhead: int, checks: Checks) -> None:
    """The switch port must take what the host sends, and a tunnel header around it."""
    need = host.value + overhead
    if port < need:
        text = (
            f"expected at least {need} on ports of hosts (host MTU {host.value} + {overhead} overhead), found {port}"
            " (raise mtu or lower the host MTU)"
        )
        checks.add(stated.path or host.path or ("policy",), text)
