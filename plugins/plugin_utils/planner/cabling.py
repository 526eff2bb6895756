# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Links and attachments of the intent -> one entry per cable, both ends known to exist and used once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.fabric import Fabric, Link
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.hosts import Attachment
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import Path, dotted, show
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.ranges import MAX, expand
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import Checks

PORT_NAMES = {
    "eos": (re.compile(r"Ethernet\d+(/\d+){0,2}$"), "Ethernet1 or Ethernet1/1"),
    "nxos": (re.compile(r"Ethernet\d+(/\d+){1,2}$"), "Ethernet1/1"),
    "nvue": (re.compile(r"swp\d+(s\d+)?$"), "swp1 or swp1s0"),
}


@dataclass(frozen=True, slots=True)
class MadeLink:
    """A link that a design generates: the fields of Link that a plan reads, valid by construction."""

    subnet: str | None
    cable_length: int
    mode: str = "routed"
    vlans: tuple[int, ...] | None = None
    native_vlan: None = None


@dataclass(frozen=True, slots=True)
class MadeAttachment:
    """The same for an attachment of a host."""

    cable_length: int
    mode: str = "access"
    vlan: int | None = None
    subnet: str | None = None
    bond: int | None = None
    vlans: None = None
    native_vlan: None = None


@dataclass(frozen=True, slots=True)
class End:
    """One end of a cable."""

    device: str
    port: str
    path: Path


@dataclass(frozen=True, slots=True)
class Cable:
    """One cable. ``index`` of ``count``: which of a range; ``stated`` is the entry of the intent."""

    a: End  # switch
    b: End  # switch or host
    stated: Link | Attachment | MadeLink | MadeAttachment
    path: Path
    index: int
    count: int


def links(fabric: Fabric, checks: Checks) -> list[Cable]:
    """Cables between switches."""
    cables = []
    for number, link in enumerate(fabric.links):
        path = ("links", number)
        for a, b, index, count in _paired(link.a, link.b, (*path, "a"), (*path, "b"), checks):
            if _known(a, fabric, checks) and _known(b, fabric, checks):
                if a.device == b.device:
                    checks.add(path, f"expected two switches, found {a.device} at both ends (correct one end)")
                else:
                    cables.append(Cable(a, b, link, path, index, count))
    return cables


def attachments(fabric: Fabric, hosts: dict[str, dict], checks: Checks) -> list[Cable]:
    """Cables between switches (a) and hosts (b). ``hosts``: name -> NICs by name."""
    cables = []
    for number, entry in enumerate(fabric.attachments):
        path = ("attachments", number)
        for a, b, index, count in _paired(entry.switch, entry.host, (*path, "switch"), (*path, "host"), checks):
            known = _known(a, fabric, checks)
            if b.device not in hosts:
                checks.add(b.path, _unknown("host", b.device, list(hosts), "hosts"))
            elif b.port not in hosts[b.device]:
                checks.add(b.path, _unknown(f"NIC of {b.device}", b.port, list(hosts[b.device]), "the host profile"))
            elif known:
                cables.append(Cable(a, b, entry, path, index, count))
    return cables


def used_once(cables: list[Cable], checks: Checks) -> None:
    """No port and no NIC carries two cables."""
    seen: dict[tuple[str, str], Path] = {}
    for cable in cables:
        for end in (cable.a, cable.b):
            first = seen.setdefault((end.device, end.port), end.path)
            if first is not end.path:
                text = (
                    f"expected a free port, found {end.device}:{end.port}, already used by {dotted(first[:2])} (use"
                    " another port)"
                )
                checks.add(end.path, text)


@lru_cache(maxsize=4096)
def port_problem(platform: str, port: str) -> str | None:
    """Why this is not the name of a port of the platform; None if it is."""
    pattern, example = PORT_NAMES[platform]
    if pattern.match(port):
        return None
    todo = "write ranges as A..B" if re.search(r"\d-\d", port) else "spell it as the switch does"
    return f"expected a port of {platform} such as {example}, found {show(port)} ({todo})"


@lru_cache(maxsize=1024)
def expand_ports(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Names that a list of names and ranges stands for. ValueError as in expand()."""
    return tuple(name for text in texts for name in expand(text))


def _unknown(kind: str, name: str, known: list[str], where: str) -> str:
    shown = ", ".join(known[:6]) + (", ..." if len(known) > 6 else "")
    return (
        f"expected a {kind} from {where} ({shown or 'which is empty'}), found {show(name)} (correct the name or add it)"
    )


def _known(end: End, fabric: Fabric, checks: Checks) -> bool:
    switch = fabric.switches.get(end.device)
    if switch is None:
        kind = "switch, found host" if end.device in fabric.hosts else ""
        if kind:
            checks.add(end.path, f"expected a switch, found the host {show(end.device)} (hosts go into attachments)")
        else:
            checks.add(end.path, _unknown("switch", end.device, list(fabric.switches), "switches"))
        return False
    profile = fabric.switch_profiles.get(switch.profile)
    if profile is None:
        return False  # reported where the profile is named
    problem = port_problem(profile.platform, end.port)
    if problem:
        checks.add(end.path, problem)
        return False
    return True


def _paired(a: str, b: str, path_a: Path, path_b: Path, checks: Checks) -> list[tuple[End, End, int, int]]:
    """Both ends with their ranges expanded, in order."""
    sides = []
    for text, path in ((a, path_a), (b, path_b)):
        device, port = text.split(":", 1)
        try:
            devices, ports = expand(device), expand(port)
            if len(devices) * len(ports) > MAX:
                raise ValueError(
                    f"expected at most {MAX} ends in one entry, found {len(devices) * len(ports)} (split it)"
                )
            sides.append([End(d, p, path) for d in devices for p in ports])
        except ValueError as error:
            checks.add(path, str(error))
    if len(sides) < 2:
        return []
    first, second = sides
    if len(first) != len(second):
        checks.add(
            path_b,
            f"expected {len(first)} ports as at the other end, found {len(second)} (make both ranges equally long)",
        )
        return []
    return [(x, y, i, len(first)) for i, (x, y) in enumerate(zip(first, second, strict=True))]
