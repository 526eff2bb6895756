# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tree of an NX-OS configuration -> tree in which the same thing is always said in the same way.

Here is what needs more than one line to understand: VLAN lists, the defaults of layer and admin state that depend on
each other, VLAN lists of trunks over several lines, and objects that bear our name but serve somebody else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.reserved import retired_bonds, retired_vlans
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.tree import BlockEnd, Line, Syntax, until
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos import breakouts, bundles, dlb, routing
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos.filters import (
    expand_ids,
    headrooms,
    id_ranges,
)

_ALLOWED = re.compile(r"switchport trunk allowed vlan (?:(?P<change>add|remove|except) )?(?P<ids>all|none|[\d,\- ]+)")
_OBJECT = re.compile(r"(?P<kind>class-map|policy-map)(?: type \S+)?(?: match-\S+)? (?P<name>\S+)")
_USE = re.compile(
    r"service-policy(?: type \S+)?(?: input| output)? (?P<policy>\S+).*|class (?:type qos )?(?P<class>\S+)"
)
_ALL_VLANS = range(1, 4095)


def _banner(line: str) -> BlockEnd | None:
    """``banner motd ^``: any text up to the same character again."""
    found = re.match(r"banner (?:motd|exec) (\S)(.*)$", line)
    if not found or found[1] in found[2]:
        return None
    return lambda text: found[1] in text


SYNTAX = Syntax(
    comment="!",
    blocks=(_banner, until(r"scheduler job name ", "end-job")),
    block_words=("banner ", "scheduler job name "),
)


def canonical(lines: Iterable[Line], model: Switch) -> list[Line]:
    """The top-level lines that can hold something of ours, in normal form."""
    lines = list(lines)
    top = {line.text for line in lines}
    ports = {f"interface {port.name}": [] for port in model.ports}  # a port that is not shown has its defaults
    ports |= {line.text: line.children for line in lines if line.text in ports}
    foreign = _foreign_objects(lines, model)
    result = [line for line in lines if line.text.startswith("feature ")]
    result += _vlans(lines, {vlan.id for vlan in model.vlans}, retired_vlans(model))
    elsewhere = ("feature ", "vlan ", "interface ", "router bgp ", dlb.SECTION)
    result += [line for line in lines if not line.text.startswith(elsewhere) and _object(line) not in foreign]
    # In whatever order a configuration is written: policies exist before a port refers to them, a port before anything
    # is said about it, a port-channel before its members, all of that before routing.
    result += breakouts.lines(lines, model)
    shown = {line.text: line.children for line in lines}
    result += [line for line in lines if line.text in {f"interface port-channel{n}" for n in retired_bonds(model)}]
    for bundle in bundles.bundles(model):
        name = f"interface port-channel{bundle.id}"
        if name in shown:
            result.append(Line(name, _port(shown[name], top, channel=True)))
    members = {f"interface {name}" for name in bundles.membership(model)}
    for name, children in ports.items():
        if name not in members and bundles.of_others(children, model):
            children = [child for child in children if not child.text.startswith("lacp rate ")]
        result.append(Line(name, _port(children, top)))
    result += bundles.elsewhere(lines, model)
    result += [dlb.section(line, model) for line in lines if line.text == dlb.SECTION]
    return result + routing.sections(lines, model)


def _vlans(lines: list[Line], wanted: set[int], retired: frozenset[int]) -> list[Line]:
    """``vlan 1,10-12`` says which exist, ``vlan 10`` blocks say more about some of them."""
    found: dict[int, list[Line]] = {}
    for line in lines:
        match = re.fullmatch(r"vlan ([\d,\- ]+)", line.text)
        if match:
            for number in expand_ids(match[1]):
                found.setdefault(number, []).extend(line.children)
    result = []
    for number in sorted((wanted | retired) & found.keys()):
        children = found[number]
        if number in wanted and not any(child.text.startswith("name ") for child in children):
            children = [Line(f"name VLAN{number:04d}"), *children]
        result.append(Line(f"vlan {number}", children))
    return result


def _port(children: list[Line], top: set[str], *, channel: bool = False) -> list[Line]:
    """Layer first (and "medium", without which no port is unnumbered), admin state last; one line for allowed VLANs.

    Link pause, where somebody wants it, comes when PFC is off; a port joins a bundle when all else fits.
    """
    children = sorted(children, key=lambda c: c.text.startswith("flowcontrol ") - c.text.startswith("medium "))
    joins = [child for child in children if child.text.startswith(("channel-group ", "vpc "))]
    children = [child for child in children if child not in joins]
    texts = [child.text for child in children]
    layer = "no switchport" if "no system default switchport" in top else "switchport"
    layer = next((text for text in reversed(texts) if text in ("switchport", "no switchport")), layer)
    down = not channel and (layer == "no switchport" or "system default switchport shutdown" in top)
    admin = "shutdown" if down else "no shutdown"
    admin = next((text for text in reversed(texts) if text in ("shutdown", "no shutdown")), admin)
    result = [Line(layer)]
    allowed: set[int] | None = None
    for child in children:
        match = _ALLOWED.fullmatch(child.text)
        if match:
            allowed = _allowed(allowed, match["change"], match["ids"])
        elif child.text not in ("switchport", "no switchport", "shutdown", "no shutdown"):
            result.append(child)
    if allowed is not None:
        result.append(Line(f"switchport trunk allowed vlan {id_ranges(allowed) or 'none'}"))
    return [*result, *joins, Line(admin)]


def _allowed(before: set[int] | None, change: str | None, text: str) -> set[int]:
    ids = set(_ALL_VLANS) if text == "all" else set(expand_ids(text))
    if change is None:
        return ids
    if change == "except":
        return set(_ALL_VLANS) - ids
    before = set(_ALL_VLANS) if before is None else before
    return before | ids if change == "add" else before - ids


def wanted_objects(model: Switch) -> set[tuple[str, str]]:
    """Class-maps and policy-maps that the templates make."""
    profile = model.roce.profile
    return {
        *(("policy-map", f"{profile}-INGRESS-{size}") for size in headrooms(model.ports)),
        *(("policy-map", f"{profile}{suffix}") for suffix in ("", "-NETWORK", "-EGRESS")),
        *(("class-map", f"{profile}-{cls.name}") for cls in model.roce.classes if cls.dscp),
    }


def _object(line: Line) -> tuple[str, str] | None:
    match = _OBJECT.fullmatch(line.text)
    return (match["kind"], match["name"]) if match else None


def _foreign_objects(lines: list[Line], model: Switch) -> set[tuple[str, str] | None]:
    """Objects with our prefix that we do not make and that lines we do not own refer to: not ours to delete.

    An object of the templates is ours whoever else uses it.
    """
    profile = model.roce.profile
    ports = {f"interface {port.name}" for port in model.ports}
    makes = wanted_objects(model)

    def ours(thing: tuple[str, str] | None) -> bool:
        return thing is not None and (thing[1] == profile or thing[1].startswith(f"{profile}-"))

    used: set[tuple[str, str] | None] = set()
    for line in lines:
        if line.text not in ports and not ours(_object(line)):
            used |= set(_uses(line, system=line.text == "system qos"))
    foreign: set[tuple[str, str] | None] = set()
    for kind in ("policy-map", "class-map"):  # a foreign policy keeps its class-maps
        for line in lines:
            thing = _object(line)
            if ours(thing) and thing in used and thing not in makes and thing[0] == kind:  # type: ignore[index]
                foreign.add(thing)
                used |= set(_uses(line))
    return foreign


def _uses(line: Line, *, system: bool = False) -> Iterator[tuple[str, str]]:
    """What the lines below ``line`` refer to; in "system qos" the lines that we own do not count."""
    for child in line.children:
        match = _USE.fullmatch(child.text)
        if match and match["policy"] and not (system and " type qos " not in child.text):
            yield "policy-map", match["policy"]
        if match and match["class"]:
            yield "class-map", match["class"]
        yield from _uses(child)
