# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IPv4 addresses: those of a cable, and that none is used twice."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Interface, IPv4Network

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import Path
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import Checks


@lru_cache(maxsize=1 << 16)
def interface(text: str) -> IPv4Interface:
    """Parsed once; a fabric has the same text in several places."""
    return IPv4Interface(text)


def of_cable(subnet: str | None, index: int, count: int, path: Path, checks: Checks) -> tuple[str | None, str | None]:
    """Addresses of both ends: first and second usable address of the cable's part of ``subnet``."""
    if subnet is None:
        return None, None
    network = IPv4Network(subnet)
    if count == 1 and network.prefixlen not in (30, 31):
        checks.add(
            (*path, "subnet"), f"expected a /31 or /30 for one cable, found {subnet} (give the cable's own network)"
        )
        return None, None
    if count > 1 and network.num_addresses < 2 * count:
        checks.add(
            (*path, "subnet"),
            f"expected room for {count} times /31, found {subnet} with {network.num_addresses // 2} (use a larger"
            " network)",
        )
        return None, None
    if count == 1 and network.prefixlen == 30:
        first = int(network.network_address) + 1
        prefix = 30
    else:
        first = int(network.network_address) + 2 * index
        prefix = 31
    return _text(first, prefix), _text(first + 1, prefix)


def _text(number: int, prefix: int) -> str:
    return f"{number >> 24 & 255}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}/{prefix}"


def same_subnet(a: tuple[str, Path], b: tuple[str, Path], checks: Checks) -> None:
    """Both ends of a routed cable are in one network."""
    if interface(a[0]).network != interface(b[0]).network:
        checks.add(
            b[1],
            f"expected an address in {interface(a[0]).network} as at the other end ({a[0]}), found {b[0]} (use one"
            " network)",
        )


class AddressBook:
    """Every address of the fabric and who has it."""

    def __init__(self, checks: Checks) -> None:
        self.checks = checks
        self.owner: dict[str, tuple[str, Path]] = {}
        self.networks: dict[IPv4Network, tuple[str, Path]] = {}

    def add(self, address: str, owner: str, path: Path) -> None:
        """Note an address; it must be new."""
        bare = address.split("/", 1)[0]
        other = self.owner.setdefault(bare, (owner, path))
        if other[0] != owner:
            self.checks.add(
                path, f"expected an unused address for {owner}, found {bare}, which {other[0]} has (use another)"
            )

    def add_network(self, network: IPv4Network, owner: str, path: Path) -> None:
        """Note a network of a cable or VLAN; it must be new."""
        other = self.networks.setdefault(network, (owner, path))
        if other[0] != owner:
            self.checks.add(
                path, f"expected a network of its own for {owner}, found {network}, which {other[0]} has (use another)"
            )

    def no_overlap(self) -> None:
        """No network lies inside another."""
        last: IPv4Network | None = None
        for network in sorted(self.networks):
            if last is not None and network.network_address <= last.broadcast_address:
                owner, path = self.networks[network]
                self.checks.add(
                    path,
                    f"expected a network of its own for {owner}, found {network} inside {last} of"
                    f" {self.networks[last][0]} (use another)",
                )
            else:
                last = network
