# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers -> AS numbers, loopbacks, links, rail subnets and management addresses. Each by identity, none by order.

Networks are divided into fixed parts, so that the address of number n depends on n alone.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.addresses import Network, network

ROLES = ("superspine", "spine", "leaf")
ASN_SPINES, ASN_LEAFS = 1000, 100000


class NoRoom(ValueError):
    """A network is too small. The text says which and what is needed."""


def text(number: int) -> str:
    """Dotted address."""
    return f"{number >> 24}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


class Part(NamedTuple):
    """A part of a network: ``first`` address and ``size``."""

    first: int
    size: int

    def at(self, offset: int, count: int, what: str) -> int:
        """Address at an offset, with ``count`` addresses from there on."""
        if offset < 0 or offset + count > self.size:
            raise NoRoom(
                f"expected room for {what} (address {offset + count} of its part), found {self.size} addresses from"
                f" {text(self.first)} (use a larger network)"
            )
        return self.first + offset


def share(net: Network, eighth: int, eighths: int) -> Part:
    """``eighths`` eighths of a network from eighth number ``eighth`` on."""
    size = net.last - net.first + 1
    return Part(net.first + size * eighth // 8, size * eighths // 8)


def number_of(name: str) -> int | None:
    """The number at the end of a name: its identity."""
    found = re.search(r"(\d+)$", name)
    return int(found[1]) if found else None


def loopback(net: str, role: str, number: int) -> str:
    """A quarter for superspines, a quarter for spines, a half for leafs."""
    eighth, eighths = {"superspine": (0, 2), "spine": (2, 2), "leaf": (4, 4)}[role]
    return text(share(network(net), eighth, eighths).at(number, 1, f"the loopback of {role} {number}"))


def asn(first: int, role: str, number: int, pod: str | None) -> int | None:
    """Superspines share one, the spines of a pod share one, each leaf has its own. None: the pod has no number.

    Shared numbers keep BGP from using a path that goes down and up again (its loop check rejects it), which is what
    could close a circle of paused buffers.
    """
    if role == "superspine":
        return first
    if role == "leaf":
        return first + ASN_LEAFS + number
    if pod is None:
        return first + ASN_SPINES
    return first + ASN_SPINES + int(pod) if pod.isdigit() and int(pod) < ASN_LEAFS - ASN_SPINES else None


def management(net: str, role: str, number: int) -> str:
    """An eighth for superspines, one for spines, a quarter for leafs, a half for hosts."""
    eighth, eighths = {"superspine": (0, 1), "spine": (1, 1), "leaf": (2, 2), "host": (4, 4)}[role]
    part = share(network(net), eighth, eighths)
    return text(part.at(number, 2 if role == "host" else 1, f"the management address of {role} {number}"))


def rail_network(net: str, rail: int, rails: int) -> Network:
    """The network of a rail: all rails have the same share."""
    whole = network(net)
    prefix = whole.prefix + max(rails - 1, 0).bit_length()
    return Network(whole.first + (rail << 32 - prefix), prefix)
