# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and value types of EOS: interfaces and their abbreviations, VLAN lists, prefixes, alpha values."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv4Interface, IPv4Network, NetmaskValueError, ip_address

from lab.cli import ArgType, Words, compress_ranges, expand_ranges

INTERFACE_TYPES = ("Port-Channel", "Ethernet", "Loopback", "Management", "Tunnel", "Vlan", "Vxlan")
_SHORT = {"Port-Channel": "Po", "Ethernet": "Et", "Loopback": "Lo", "Management": "Ma", "Tunnel": "Tu"} | {
    "Vlan": "Vl",
    "Vxlan": "Vx",
}
_ALPHAS = ("1/128", "1/64", "1/32", "1/16", "1/8", "1/4", "1/2", "1", "2", "4", "8")


def natural(text: str) -> list[tuple[int, str]]:
    """Sort key: numbers by value, the rest as text."""
    return [(int(p), "") if p.isdecimal() else (-1, p) for p in re.split(r"(\d+)", text) if p]


def interface_rank(name: str) -> tuple:
    kind = re.match(r"[A-Za-z-]+", name)
    order = INTERFACE_TYPES.index(kind[0]) if kind and kind[0] in INTERFACE_TYPES else len(INTERFACE_TYPES)
    return (order, natural(name))


def short(name: str) -> str:
    """Ethernet1/1 -> Et1/1."""
    kind = re.match(r"[A-Za-z-]+", name)
    return _SHORT[kind[0]] + name[kind.end() :] if kind and kind[0] in _SHORT else name


def _interface_type(typed: str) -> str | None:
    matching = [t for t in INTERFACE_TYPES if t.lower().startswith(typed.lower())]
    if typed.lower() == "e":
        return "Ethernet"
    return matching[0] if len(matching) == 1 else None


def interfaces(words: Words, i: int) -> tuple[int, str] | None:
    """``Et1/1``, ``ethernet 1/1-4``, ``Ethernet1/1-4/1,9/1``; canonical: all full names, by commas."""
    text, taken = words.words[i], 1
    if re.fullmatch(r"[A-Za-z-]+", text) and i + 1 < len(words):
        text, taken = text + words.words[i + 1], 2
    names: list[str] = []
    kind: str | None = None
    for part in text.split(","):
        m = re.fullmatch(r"([A-Za-z][A-Za-z-]*?)?(\d[\d/]*)(?:-(?:[A-Za-z-]+)?(\d[\d/]*))?", part)
        if not m:
            return None
        kind = _interface_type(m[1]) if m[1] else kind
        numbers = _number_range(m[2], m[3])
        if kind is None or numbers is None:
            return None
        names += [kind + n for n in numbers]
    return taken, ",".join(names)


def _number_range(first: str, last: str | None) -> list[str] | None:
    if last is None:
        return [first]
    a, b = first.split("/"), last.split("/")
    if not all(p.isdecimal() for p in a + b) or len(b) > len(a):
        return None
    b = a[: len(a) - len(b)] + b
    numbers = [""]
    for low, high in zip(a, b, strict=True):
        if int(high) < int(low):
            return None
        numbers = [f"{n}/{k}" if n else str(k) for n in numbers for k in range(int(low), int(high) + 1)]
    return numbers


def vlans(words: Words, i: int) -> tuple[int, str] | None:
    values = expand_ranges(words.words[i])
    if not values or not all(1 <= v <= 4094 for v in values):
        return None
    return 1, compress_ranges(values)


def prefix(words: Words, i: int) -> tuple[int, str] | None:
    text = words.words[i]
    try:
        return (1, str(IPv4Interface(text))) if re.fullmatch(r"[\d.]+/\d+", text) else None
    except (AddressValueError, NetmaskValueError, ValueError):
        return None


def alpha(words: Words, i: int) -> tuple[int, str] | None:
    return (1, words.words[i]) if words.words[i] in _ALPHAS else None


def is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def ipv4(words: Words, i: int) -> tuple[int, str] | None:
    try:
        return 1, str(IPv4Address(words.words[i]))
    except ValueError:
        return None


def network(words: Words, i: int) -> tuple[int, str] | None:
    """A prefix; bits behind the prefix length are cleared."""
    text = words.words[i]
    try:
        return (1, str(IPv4Network(text, strict=False))) if re.fullmatch(r"[\d.]+/\d+", text) else None
    except ValueError:
        return None


def asn(words: Words, i: int) -> tuple[int, str] | None:
    """``65000.10`` is printed as one number unless configured otherwise."""
    text = words.words[i]
    m = re.fullmatch(r"(\d{1,5})\.(\d{1,5})", text)
    if m and int(m[1]) < 65536 and int(m[2]) < 65536:
        return 1, str(int(m[1]) * 65536 + int(m[2]))
    return (1, str(int(text))) if text.isdecimal() and 1 <= int(text) <= 4294967295 else None


def hold_time(words: Words, i: int) -> tuple[int, str] | None:
    """Seconds; one and two are too short, none is for ever."""
    text = words.words[i]
    return (1, str(int(text))) if text.isdecimal() and (int(text) == 0 or 3 <= int(text) <= 7200) else None


def mac(words: Words, i: int) -> tuple[int, str] | None:
    digits = re.sub(r"[.:-]", "", words.words[i].lower())
    return (1, ":".join(re.findall("..", digits))) if re.fullmatch(r"[0-9a-f]{12}", digits) else None


TYPES: dict[str, ArgType] = {
    "ALPHA": alpha,
    "ASN": asn,
    "HOLD": hold_time,
    "INTERFACES": interfaces,
    "IPV4": ipv4,
    "MAC": mac,
    "NEIGHBOR": lambda words, i: (1, words.words[i]),  # an address or the name of a peer group
    "NETWORK": network,
    "PREFIX": prefix,
    "VLANS": vlans,
}
