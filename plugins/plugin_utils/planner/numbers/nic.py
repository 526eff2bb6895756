# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of the NIC: receive buffer of mlx5 and DCQCN. Mb/s, metres, bytes."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.link import SPEEDS
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.published import read
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.numbers.record import Number

MLX5_SOURCE = "Linux drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c"
MLX5_FLOOR = 40000  # Mb/s; the driver counts slower ports as 40G
MLX5_LEAST_MTU = 9216  # the driver leaves at least this much between XOFF and XON
BASE = 25000  # Mb/s the DCQCN rates of HPCC are stated for


@dataclass(frozen=True, slots=True)
class NicBuffer:
    """Receive buffer of one lossless priority on a ConnectX."""

    xoff: Number  # bytes that arrive after PAUSE was decided
    least: Number  # smallest buffer the driver accepts

    def thresholds(self, size: int) -> tuple[int, int]:
        """XOFF and XON of a buffer of that size: PAUSE starts and ends at these fills."""
        stop = size - int(self.xoff.value)
        mtu = max(dict(self.least.inputs)["mtu"], MLX5_LEAST_MTU)
        return stop, stop - int(mtu)


def mlx5_buffer(speed: int, cable_length: int, mtu: int = 9216, cell: int = 128) -> NicBuffer:
    """Receive buffer as the mlx5 driver computes it from ``mlnx_qos --cable_len``. cell: bytes of the NIC's cell."""
    if speed not in SPEEDS:
        raise ValueError(f"expected a speed of {', '.join(map(str, SPEEDS))} Mb/s, found {speed} (state one of them)")
    counted = max(speed, MLX5_FLOOR)
    inputs = (("speed Mb/s", counted), ("cable m", cable_length), ("mtu", mtu))
    xoff = Number(
        "NIC headroom",
        (301 + 216 * cable_length // 100) * counted // 1000 + 272 * mtu // 100,
        "bytes",
        "(301 + 2.16 x length) x speed / 1000 + 2.72 x mtu",
        inputs,
        MLX5_SOURCE,
        ("slower than 40G is counted as 40G",) if speed < MLX5_FLOOR else (),
    )
    least = Number(
        "least NIC buffer",
        int(xoff.value) + max(mtu, MLX5_LEAST_MTU) + cell,
        "bytes",
        "headroom + mtu (at least 9216) + cell",
        (("headroom", xoff.value), ("mtu", mtu), ("cell", cell)),
        MLX5_SOURCE,
    )
    return NicBuffer(xoff, least)


def dcqcn(
    speed: int,
    profile: str = "vendor-default",
    *,
    priorities: tuple[int, ...] | None = None,
    cnp_dscp: int = 48,
    cnp_priority: int = 6,
) -> tuple[Number, ...]:
    """DCQCN of a ConnectX port; names are those of mlxconfig, without _P1 or _P2.

    vendor-default leaves the vendor's rates, rate-scaled raises the two increments with the speed as HPCC does.
    priorities: those with DCQCN; none: all.
    """
    if profile not in ("vendor-default", "rate-scaled"):
        raise ValueError(f"expected DCQCN profile vendor-default or rate-scaled, found {profile} (take one of them)")
    data = read("dcqcn")
    wanted = {"CNP_DSCP": cnp_dscp, "CNP_802P_PRIO": cnp_priority}
    if priorities is not None:
        wanted["ROCE_CC_PRIO_MASK"] = sum(1 << p for p in set(priorities))
    numbers = []
    for entry in data["parameters"]:
        name, value = entry["mlxconfig"], entry["value"]
        formula, source = "vendor's default", data["source"]
        inputs = (("debugfs", entry["debugfs"]), ("range", entry["range"] or "not known"))
        if name in wanted:
            if wanted[name] != value:
                formula, source = "as the switches of the fabric", "stated in the intent"
            value = wanted[name]
        elif profile == "rate-scaled" and name in ("RPG_AI_RATE", "RPG_HAI_RATE"):
            value = max(value, value * speed // BASE)
            formula, source = f"{entry['value']} x speed / 25G", "alibaba-edu/High-Precision-Congestion-Control"
            inputs = (*inputs, ("speed Mb/s", speed))
        numbers.append(Number(name, value, entry["unit"], formula, inputs, source))
    return tuple(numbers)


def checked_parameters() -> tuple[str, ...]:
    """Those that have to agree with the switches; the others stay as the vendor set them."""
    return tuple(p["mlxconfig"] for p in read("dcqcn")["parameters"] if p.get("checked"))
