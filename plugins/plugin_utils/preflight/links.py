# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RDMA ports as operators ask for them: what rdma link, ibstat, mst status -v and mlxlink say, one row per port."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View

COLUMNS = ("port", "NIC", "PCI", "interface", "state", "Gb/s", "link layer", "firmware", "nearest GPU", "MST device")
GOOD = "No issue was observed"  # mlxlink's word for it


def rows(view: View) -> list[dict[str, Any]]:
    """Every port of every RDMA device, as plain data for the report."""
    names = {nic.pci_address: nic.name for nic in (view.host.nics if view.host else ()) if nic.pci_address}
    return [_row(view, entry, port, names.get(entry["pci"])) for entry in view.facts["rdma"] for port in entry["ports"]]


def _row(view: View, entry: Mapping[str, Any], port: Mapping[str, Any], nic: str | None) -> dict[str, Any]:
    near = view.facts["nearest_gpu"].get(entry["name"])
    return {
        "port": f"{entry['name']}/{port['port']}",
        "nic": nic,
        "pci": entry["pci"],
        "interface": port["netdev"],
        "state": port["state"],
        "physical_state": port["physical_state"],
        "speed_mbps": port["rate_mbps"],
        "link_layer": port["link_layer"],
        "firmware": entry["firmware"],
        "board": entry["board_id"],
        "numa_node": entry["numa_node"],
        "nearest_gpu": dict(near) if near else None,
        # mst leaves the domain away where there is one only
        "mst": next((m["mst"] for m in view.facts["mst"] if (entry["pci"] or "").endswith(m["pci"])), None),
        "mlxlink": view.facts.get("mlxlink", {}).get(entry["pci"]) or None,
    }


def table(found: list[dict[str, Any]]) -> str:
    """The rows for people, and below them what mlxlink advises."""
    lines = [COLUMNS, *(_cells(row) for row in found)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(COLUMNS))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    text += [f"{row['port']}: mlxlink: {said}" for row in found if (said := advice(row["mlxlink"]))]
    return "\n".join(text) if found else "no RDMA device"


def advice(mlxlink: Mapping[str, str] | None) -> str | None:
    """What mlxlink advises; none where it has nothing to say."""
    said = (mlxlink or {}).get("Recommendation", GOOD)
    return None if said == GOOD else said


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    near = row["nearest_gpu"]
    told = (
        *(row["port"], row["nic"], row["pci"], row["interface"]),
        f"{row['state']}, {row['physical_state']}",
        row["speed_mbps"] and row["speed_mbps"] // 1000,
        *(row["link_layer"], row["firmware"]),
        near and f"{near['gpu']} {near['relation']}",
        row["mst"],
    )
    return tuple("-" if cell is None else str(cell) for cell in told)
