# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ``nv show`` prints for people: tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lab.nvue.tree import Tree, at_map

_UNITS = ("Bytes", "KB", "MB", "GB", "TB")


def humanised(count: int) -> str:
    """Bytes as NVUE prints them: 146.48 KB."""
    value, unit = float(count), 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{count} Bytes" if unit == 0 else f"{value:.2f} {_UNITS[unit]}"


def table(head: list[str], rows: list[list[Any]], indent: str = "") -> str:
    """Columns two spaces apart under a ruler."""
    texts = [[str(c) for c in row] for row in rows]
    widths = [max([len(h), *(len(r[i]) for r in texts)]) for i, h in enumerate(head)]
    lines = [head, ["-" * w for w in widths], *texts]
    return "\n".join(indent + "  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in lines)


def tree_table(data: Any) -> str:
    """A tree as rows of path and value."""
    rows = [["  " * depth + name, value, value] for depth, name, value in _flat(data)]
    return table(["", "operational", "applied"], rows)


def _flat(data: Any, depth: int = 0) -> list[tuple[int, str, str]]:
    if not isinstance(data, dict):
        return [(depth, "", str(data))]
    out: list[tuple[int, str, str]] = []
    for name, value in data.items():
        if isinstance(value, dict) and value:
            out.append((depth, name, ""))
            out += _flat(value, depth + 1)
        else:
            out.append((depth, name, "" if isinstance(value, dict) else str(value)))
    return out


def _counter_tables(data: Tree) -> str:
    parts = []
    shapes = (
        ("Ingress Buffer Statistics", "ingress-buffer-stats", "priority-group", 28),
        ("Egress Queue Statistics", "egress-queue-stats", "traffic-class", 26),
        ("PFC Statistics", "pfc-stats", "switch-priority", 17),
    )
    for title, key, first, ruler in shapes:
        columns = [c for c in _COLUMNS[key] if c in data[key]["0"]]
        rows = [[n, *(entry[c] for c in columns)] for n, entry in data[key].items()]
        parts.append(f"{title}\n{'=' * ruler}\n{table([first, *columns], rows, '    ')}")
    rows = [[name, v["receive"], v["transmit"]] for name, v in data["qos-port-stats"].items()]
    parts.append(f"Qos Port Statistics\n{'=' * 22}\n{table(['Counter', 'Receive', 'Transmit'], rows, '    ')}")
    return "\n\n".join(parts)


_COLUMNS = {
    "ingress-buffer-stats": ("rx-frames", "rx-buffer-discards", "rx-shared-buffer-discards"),
    "egress-queue-stats": ("tx-frames", "tx-bytes", "tx-uc-buffer-discards", "wred-discards", "ecn-marked-frames"),
    "pfc-stats": ("rx-pause-frames", "rx-pause-duration", "tx-pause-frames", "tx-pause-duration"),
}


def special(words: list[str], view: str, data: Any, *, old: bool, port: Callable[[str], tuple[str, str]]) -> str | None:
    """The table of what is not simply printed as a tree; None for the rest.

    old: the words of releases up to 5.14. port: speed and type of an interface.
    """
    if words == ["interface"] and view in ("", "status", "brief"):
        return _interface_table(data, old=old)
    if words in (["interface", "lldp"], ["interface"]) and "lldp" in (view, words[-1]):
        rows = []
        for name, entry in data.items():
            for host, neighbor in at_map(entry, ("lldp", "neighbor")).items():
                rows.append([name, *port(name), host, neighbor["port"]["name"]])
        return table(["Interface", "Speed", "Type", "Remote Host", "Remote Port"], rows)
    if words == ["vrf", "default", "router", "bgp", "neighbor"]:
        rows = []
        for name, entry in data.items():
            counts = at_map(entry, ("afi-safi", "ipv4-unicast")) or entry["address-family"]["ipv4-unicast"]
            told = [counts["tx-prefix"], counts["rx-prefix"]]
            rows.append([name, entry["remote-as"], entry["state"], "ipv4-unicast", *told])
        return table(["Neighbor", "AS", "State", "Afi-Safi", "PfxSent", "PfxRcvd"], rows)
    if words == ["vrf", "default", "router", "rib", "ipv4", "route"]:
        entries = [(name, entry["route-entry"]["1"]) for name, entry in data.items()]
        rows = [[name, e["protocol"], e["distance"], e["metric"], "*Si"] for name, e in entries]
        return table(["Route", "Protocol", "Distance", "Metric", "Flags"], rows)
    if words[:1] == ["interface"] and words[2:] == ["counters", "qos"]:
        return _counter_tables(data)
    if words[:1] == ["interface"] and words[2:] == ["qos", "pfc-watchdog"]:
        text = table(["", "operational", "applied"], [["state", data["state"] + "d", data["state"] + "d"]])
        rows = [[n, s["status"], s["deadlock-count"]] for n, s in data.get("status", {}).items()]
        head = ["traffic-class", "status", "deadlock-count"]
        return f"{text}\n\nPFC WD Status\n===========================\n{table(head, rows, '    ')}"
    return None


def _interface_table(data: Tree, *, old: bool) -> str:
    rows = []
    for name, entry in data.items():
        link = entry["link"]
        host, port = next(((h, n["port"]["name"]) for h, n in at_map(entry, ("lldp", "neighbor")).items()), ("", ""))
        family = "ip" if old else "ipv4"
        summary = ", ".join(f"IP Address: {a}" for a in at_map(entry, (family, "address")))
        rows.append(
            [
                name,
                link["admin-status"],
                link["oper-status"],
                link.get("speed", ""),
                link["mtu"],
                entry["type"],
                host,
                port,
                summary,
            ]
        )
    head = [
        "Interface",
        "Admin Status",
        "Oper Status",
        "Speed",
        "MTU",
        "Type",
        "Remote Host",
        "Remote Port",
        "Summary",
    ]
    return table(head, rows)
