# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which GID NCCL takes.

From 2.21 on, and only while NCCL_IB_GID_INDEX is unset, NCCL walks the GID table once and keeps one candidate. The walk
(net_ib: ncclIbGetGidIndex) starts with index 0 unseen by any filter, and leaves a candidate of the wanted family and
version even for one inside the address range. So a range alone proves nothing: the walk has to be done.
"""

from __future__ import annotations

import ipaddress

ROCE_V2 = "RoCE v2"


def choose(gids, network=None):
    """The entry that NCCL selects for RoCE v2 over IPv4; None when even index 0 is empty."""
    table = {entry["index"]: entry for entry in gids}
    current = table.get(0)
    for index in range(1, max(table, default=0) + 1):
        candidate = table.get(index)
        if candidate is None or candidate["ipv4"] is None:
            continue  # holes, IPv6 and link-local GIDs are never taken over
        if network is not None and ipaddress.ip_address(candidate["ipv4"]) not in network:
            continue
        if current is None or current["ipv4"] is None:
            # The first IPv4 GID in the range is taken whatever its version ...
            current = candidate
        elif candidate["type"] != current["type"] and candidate["type"] == ROCE_V2:
            # ... and left for one of version 2.
            current = candidate
    return current


def wanted(gids, address):
    """Entries of RoCE v2 for an IPv4 address."""
    return [entry for entry in gids if entry["type"] == ROCE_V2 and entry["ipv4"] == address]


def cover(interfaces):
    """The smallest network that holds the networks of all interfaces (``10.1.0.1/24``)."""
    networks = [ipaddress.ip_interface(text).network for text in interfaces]
    result = networks[0]
    while not all(network.subnet_of(result) for network in networks):
        result = result.supernet()
    return result
