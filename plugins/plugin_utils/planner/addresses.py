# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IPv4 addresses: those of a cable, and that none is used twice.

Texts were validated with the intent; here they are numbers, because a large site has a hundred thousand of them and
``ipaddress`` needs 25 microseconds for each.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import Path
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import Checks


class Network(NamedTuple):
    """First address and prefix length."""

    first: int
    prefix: int

    @property
    def last(self) -> int:
        """Highest address."""
        return self.first | (1 << 32 - self.prefix) - 1

    def __str__(self) -> str:
        return _text(self.first, self.prefix)


@lru_cache(maxsize=1 << 18)
def network(text: str) -> Network:
    """Network of ``10.0.0.1/31``, an address or a network with its prefix length."""
    address, prefix = text.split("/")
    a, b, c, d = address.split(".")
    length = int(prefix)
    number = int(a) << 24 | int(b) << 16 | int(c) << 8 | int(d)
    return Network(number >> 32 - length << 32 - length, length)


def of_cable(subnet: str | None, index: int, count: int, path: Path, checks: Checks) -> tuple[str | None, str | None]:
    """Addresses of both ends: first and second usable address of the cable's part of ``subnet``."""
    if subnet is None:
        return None, None
    net = network(subnet)
    if count == 1 and net.prefix not in (30, 31):
        text = f"expected a /31 or /30 for one cable, found {subnet} (give the cable its own network)"
        checks.add((*path, "subnet"), text)
        return None, None
    room = (net.last - net.first + 1) // 2
    if room < count:
        text = f"expected room for {count} times /31, found {subnet} with {room} (use a larger network)"
        checks.add((*path, "subnet"), text)
        return None, None
    if count == 1 and net.prefix == 30:
        return _text(net.first + 1, 30), _text(net.first + 2, 30)
    first = net.first + 2 * index
    return _text(first, 31), _text(first + 1, 31)


def _text(number: int, prefix: int) -> str:
    return f"{number >> 24}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}/{prefix}"


def same_subnet(a: tuple[str, Path], b: tuple[str, Path], checks: Checks) -> None:
    """Both ends of a routed cable are in one network. The problem is reported at ``b``."""
    if network(a[0]) != network(b[0]):
        text = f"expected an address in {network(a[0])} as at the other end ({a[0]}), found {b[0]} (use one network)"
        checks.add(b[1], text)


class AddressBook:
    """Every address and network of the fabric and who has it."""

    def __init__(self, checks: Checks) -> None:
        self.checks = checks
        self.owner: dict[str, tuple[str, Path]] = {}
        self.networks: dict[Network, tuple[str, Path]] = {}

    def add(self, address: str, owner: str, path: Path) -> None:
        """Note an address; it must be new."""
        bare = address.split("/", 1)[0]
        other = self.owner.setdefault(bare, (owner, path))
        if other[0] != owner:
            text = f"expected an unused address for {owner}, found {bare}, which {other[0]} has (use another)"
            self.checks.add(path, text)

    def add_network(self, net: Network, owner: str, path: Path) -> bool:
        """Note a network of a cable or VLAN; it must be new. Whether it is."""
        other = self.networks.setdefault(net, (owner, path))
        if other[0] != owner:
            text = f"expected a network of its own for {owner}, found {net}, which {other[0]} has (use another)"
            self.checks.add(path, text)
        return other[0] == owner

    def no_overlap(self) -> None:
        """No network lies inside another."""
        outer: Network | None = None
        for net in sorted(self.networks):
            if outer is not None and net.first <= outer.last:
                owner, path = self.networks[net]
                text = (
                    f"expected a network of its own for {owner}, "
                    f"found {net} inside {outer} of {self.networks[outer][0]} (use another)"
                )
                self.checks.add(path, text)
            else:
                outer = net
