# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A second, small reading of configurations: text -> statements, one string per setting ("interface X > mtu 9000").

It shares nothing with the drivers. What a platform groups is told one by one, layer and admin state of a port, which
depend on other lines, are spelled out, and lines that say what holds anyway are left away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import unified_diff

import yaml

Statements = set[str]
Path = tuple[str, ...]

_HOLDS_ANYWAY = {
    "eos": "|".join(
        (
            r".* > (switchport|switchport mode access|priority strict|(uc-|mc-)?tx-queue \d)",
            r"priority-flow-control pause watchdog action errdisable",
            r"vlan (?P<vlan>\d+) > name VLAN0*(?P=vlan)",
        )
    ),
    "nxos": "|".join(
        (
            r"class-map \S+ > match-any",
            r".* > class class-default( > set qos-group 0)?",
            r"ip load-sharing address source-destination port source-destination",
            r"vlan (?P<vlan>\d+) > name VLAN0*(?P=vlan)",
        )
    ),
    "nvue": r"interface \S+ link (mtu: 9216|speed: auto|fec: auto|state up)"
    r"|(service|system) lldp (state: enabled|tx-interval: 30|tx-hold-multiplier: 4)",
}
_NUMBERS = re.compile(r"[\d,\- ]+")


def changes(platform: str, before: str, after: str) -> tuple[Statements, Statements]:
    """Statements that went and statements that came."""
    old, new = statements(platform, before), statements(platform, after)
    return _substance(platform, old - new, new - old)


def unforeseen(platform: str, diffs: Iterable[object], before: str, after: str) -> list[str]:
    """In what a change differs from what its sections announce."""
    sides: tuple[Statements, Statements] = (set(), set())
    for diff in diffs:
        for side, told in zip(sides, (diff.before, diff.after), strict=True):
            for line in told:
                side |= set(_told(platform, (*diff.path, line)))
    announced = _substance(platform, sides[0] - sides[1], sides[1] - sides[0])
    done = changes(platform, before, after)
    return [
        f"{word}: {sign}{statement}"
        for word, these, those in (("announced, not done", announced, done), ("done, not announced", done, announced))
        for sign, here, there in zip("-+", these, those, strict=True)
        for statement in sorted(here - there)
    ]


def statements(platform: str, text: str) -> Statements:
    """All statements of a configuration."""
    if platform == "nvue":
        return set(_tree(yaml.load(text, Loader=yaml.BaseLoader)[-1]["set"]))
    paths = [path for _, path in lines(text) if path]
    if platform == "nxos":
        paths = list(_spelled_out(paths))
    # A later line of a map overrides an earlier one for the same value.
    found = {re.sub(r"^(qos map .*? to \S+) .*", r"\1", told): told for path in paths for told in _told(platform, path)}
    return set(found.values())


def _substance(platform: str, *sides: Statements) -> tuple[Statements, ...]:
    """Without sections that are only there for what is in them."""
    joint = " " if platform == "nvue" else " > "
    headers = {s[:at] for side in sides for s in side for at in (m.start() for m in re.finditer(joint, s))}
    return tuple({s for s in side if s not in headers} for side in sides)


# -- command lines ----------------------------------------------------------------------------------------------------
def lines(text: str) -> Iterator[tuple[str, Path]]:
    """Every line as it is, and its path: itself below the lines that it belongs to. Comments, banners and scripts have
    none."""
    stack: list[tuple[int, str]] = []
    closing = ""
    for raw in text.splitlines():
        line = raw.strip()
        if closing:
            closing = "" if closing in line else closing
            yield raw, ()
            continue
        if not line or line.startswith("!"):
            yield raw, ()
            continue
        indent = len(raw) - len(raw.lstrip())
        while stack and stack[-1][0] >= indent:
            stack.pop()
        stack.append((indent, line))
        yield raw, tuple(part for _, part in stack)
        closing = _end_of_text(line)


def _end_of_text(line: str) -> str:
    """What ends the free text that a line opens; empty: it opens none."""
    words = line.split()
    if words[0] == "banner":
        return "EOF" if len(words) == 2 else words[2][0] if line.count(words[2][0]) == 1 else ""
    if line.startswith("scheduler job name "):
        return "end-job"
    return "EOF" if line == "action bash" else ""


def told(platform: str, path: Path) -> list[str]:
    """One line as the statements that it makes."""
    if platform == "nvue":
        return [" ".join(path)]
    found = re.fullmatch(r"class-map type qos (match-\S+) (\S+)", path[0])
    if found:  # its mode is a setting like any other
        path = (f"class-map {found[2]}", *(path[1:] or found.groups()[:1]))
    elif path[0].startswith("no class-map type qos "):
        path = (path[0].replace(" type qos", ""), *path[1:])
    variants: list[Path] = [()]
    for line in path:
        variants = [(*head, part) for head in variants for part in _one_by_one(line)]
    return [" > ".join(variant) for variant in variants]


def says_something(platform: str, statement: str) -> bool:
    """Whether a statement is more than what holds anyway."""
    return not re.fullmatch(_HOLDS_ANYWAY[platform], statement) and not re.fullmatch(r"interface \S+", statement)


def _told(platform: str, path: Path) -> list[str]:
    return [
        statement for statement in told(platform, path) if platform == "nvue" or says_something(platform, statement)
    ]


_LISTS = re.compile(
    r"(?P<head>vlan |qos map \S+ |(?:no )?match (?:dscp|cos) )(?P<values>\d[\d,\- ]*)(?P<tail>| to .*)"
    r"|(?P<fec>error-correction encoding )(?P<codes>\S+ \S+)"
)
_BYTES = {"kbytes": 1000, "mbytes": 1000000}
_SIZE = re.compile(r"(\d+) (kbytes|mbytes)")
_DECIMAL = re.compile(r"(\d+\.\d*?)0+$")


def _one_by_one(line: str) -> list[str]:
    """``vlan 1,10-12`` and ``qos map dscp 1 2 to ...`` value by value; times without trailing zeros."""
    found = _LISTS.fullmatch(line)
    if not found:
        # The seed and the rotation of a hash are not ours.
        line = _SIZE.sub(lambda m: str(int(m[1]) * _BYTES[m[2]]) + " bytes", line)
        line = re.sub(r"(ip load-sharing address .*?)(?: universal-id \d+| rotate \d+)+", r"\1", line)
        return [_DECIMAL.sub(r"\1", line).removesuffix(".").removesuffix(" weight 0")]
    if found["fec"]:
        return [found["fec"] + code for code in found["codes"].split()]
    return [f"{found['head']}{value}{found['tail']}" for value in numbers(found["values"])]


def numbers(text: str) -> list[int]:
    """ "1,10-12 14" -> 1, 10, 11, 12, 14."""
    values: list[int] = []
    for part in re.split(r"[,\s]+", text.strip()):
        low, _, high = part.partition("-")
        values += range(int(low), int(high or low) + 1)
    return values


def _spelled_out(paths: list[Path]) -> Iterator[Path]:
    """NX-OS: every port says its layer and its admin state."""
    top = {path[0] for path in paths if len(path) == 1}
    ports: dict[str, set[str]] = {}
    for path in paths:
        if path[0].startswith("interface Ethernet"):
            ports.setdefault(path[0], set()).add(path[-1])
        elif path[0].startswith(("interface Vlan", "interface port-channel")):
            yield path
            continue
        if path[-1] not in ("switchport", "no switchport", "shutdown", "no shutdown"):
            yield path
    for port, lines in ports.items():
        routed = "no switchport" in lines or ("no system default switchport" in top and "switchport" not in lines)
        down = routed or "system default switchport shutdown" in top
        down = "shutdown" in lines or (down and "no shutdown" not in lines)
        yield port, "no switchport" if routed else "switchport"
        yield port, "shutdown" if down else "no shutdown"


# -- trees ------------------------------------------------------------------------------------------------------------
def _tree(node: object, path: Path = ()) -> Iterator[str]:
    """``interface swp1 link mtu: 9216``; names and numbers that NVUE joins (swp1-2,49) are told one by one."""
    if isinstance(node, str):
        yield f"{' '.join(path)}: {node}"
    elif not node:
        yield " ".join(path)
    else:
        for key, below in node.items():  # type: ignore[attr-defined]
            for name in _names(key, path):
                yield from _tree(below, (*path, name))


def _names(key: str, path: Path) -> list[str]:
    if path == ("interface",):
        stem, names = "", []
        for part in key.split(","):
            found = re.fullmatch(r"([a-z_]*)(\d+)-(\d+)|([a-z_]+)\d.*|(\d+)", part)
            if found is None:
                names.append(part)
                continue
            stem = found[1] or found[4] or stem
            if found[3]:
                names += [f"{stem}{n}" for n in range(int(found[2]), int(found[3]) + 1)]
            else:
                names.append(part if found[4] else stem + part)
        return names
    if path and path[-1] in ("vlan", "dscp", "pcp", "switch-priority", "traffic-class") and _NUMBERS.fullmatch(key):
        return [str(n) for n in numbers(key)]
    return [key]


_OWN = {
    "eos": r"qos profile ROCE(-\S+)?",
    "nxos": r"(class-map type qos match-\S+|policy-map type \S+) ROCE(-\S+)?",
}


def deviations(platform: str, wanted: str, found: str) -> list[str]:
    """Lines in which two configurations differ that should be the same, byte for byte.

    Inside objects that bear our name order, units and defaults that are written out are the switch's affair: there
    statements are compared. A tree has no order: there all of it, less defaults that are written out.
    """
    if platform == "nvue":
        sides = [
            {s for s in statements(platform, text) if not re.fullmatch(_HOLDS_ANYWAY[platform], s)}
            for text in (wanted, found)
        ]
        return [f"-{s}" for s in sides[0] - sides[1]] + [f"+{s}" for s in sides[1] - sides[0]]
    old, new = (_without_own_objects(platform, text) for text in (wanted, found))
    lines = [line for line in unified_diff(old, new, n=0, lineterm="") if line[:3] not in ("---", "+++")]
    went, came = changes(platform, wanted, found)
    return lines + [f"-{s}" for s in went] + [f"+{s}" for s in came]


def _without_own_objects(platform: str, text: str) -> list[str]:
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        if not line.startswith(" "):
            inside = re.fullmatch(_OWN[platform], line) is not None
        if not inside:
            lines.append(line)
    return lines
