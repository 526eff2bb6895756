# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers, lists of numbers, names of interfaces: how they are typed and how they are printed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Interface

KINDS = {"ethernet": "Ethernet", "port-channel": "port-channel", "loopback": "loopback", "vlan": "Vlan", "mgmt": "mgmt"}
_SHORT = {"Ethernet": "Eth", "port-channel": "Po", "loopback": "Lo", "Vlan": "Vlan", "mgmt": "mgmt"}

DSCP_NAMES = {
    "default": 0, "cs1": 8, "af11": 10, "af12": 12, "af13": 14, "cs2": 16, "af21": 18, "af22": 20, "af23": 22,
    "cs3": 24, "af31": 26, "af32": 28, "af33": 30, "cs4": 32, "af41": 34, "af42": 36, "af43": 38, "cs5": 40,
    "ef": 46, "cs6": 48, "cs7": 56,
}  # fmt: skip


def natural(text: str) -> tuple:
    """Sort key that puts Ethernet1/2 before Ethernet1/10."""
    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in re.split(r"(\d+)", text) if part)


def expand(text: str, low: int, high: int) -> list[int] | None:
    """Numbers of a typed list such as ``1,10-12``; None when it is not one, ValueError when out of range."""
    if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text):
        return None
    numbers: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        start, stop = int(first), int(last or first)
        if start > stop or start < low or stop > high:
            raise ValueError(text)
        numbers.update(range(start, stop + 1))
    return sorted(numbers)


def compress(numbers: Iterable[int]) -> str:
    """``1,10-12`` as the switch prints lists."""
    parts: list[list[int]] = []
    for number in sorted(set(numbers)):
        if parts and parts[-1][-1] == number - 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ",".join(str(p[0]) if len(p) == 1 else f"{p[0]}-{p[-1]}" for p in parts)


def dscp_list(text: str) -> list[int] | None:
    """DSCP values typed as numbers, ranges and names."""
    words = [str(DSCP_NAMES.get(word.lower(), word)) for word in text.split(",")]
    return expand(",".join(words), 0, 63)


def interface_name(typed: str) -> str | None:
    """``e1/1`` -> ``Ethernet1/1``."""
    found = re.fullmatch(r"([A-Za-z-]+)\s*(\d+(?:/\d+){0,2}(?:\.\d+)?)", typed)
    if not found:
        return None
    kind = next((full for key, full in KINDS.items() if key.startswith(found[1].lower())), None)
    if kind is None or (kind == "Ethernet") != ("/" in found[2]) or (kind == "mgmt" and found[2] != "0"):
        return None
    return kind + found[2]


def interface_range(typed: str) -> list[str] | None:
    """``e1/1-4,e1/7`` -> four and one names."""
    names: list[str] = []
    for part in re.split(r"\s*,\s*", typed):
        found = re.fullmatch(r"(.*?)(\d+)\s*-\s*(\d+)", part)
        if found and int(found[2]) > int(found[3]):
            return None
        span = [f"{found[1]}{n}" for n in range(int(found[2]), int(found[3]) + 1)] if found else [part]
        full = [interface_name(name) for name in span]
        if None in full:
            return None
        names += full
    return names


def kind_of(name: str) -> str:
    return re.match(r"[A-Za-z-]+", name)[0]


def short_name(name: str) -> str:
    kind = kind_of(name)
    return _SHORT.get(kind, kind) + name[len(kind) :]


def prefix(typed: str, mask: str | None = None) -> str | None:
    """``10.0.0.1/31``, also from address and dotted mask."""
    try:
        if mask is None and "/" not in typed:
            return None
        return str(IPv4Interface(f"{typed}/{mask}" if mask else typed))
    except ValueError:
        return None


def address(typed: str) -> str | None:
    try:
        return str(IPv4Address(typed))
    except ValueError:
        return None
