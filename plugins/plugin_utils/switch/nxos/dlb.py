# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dynamic load balancing: ``hardware profile dlb`` with the ports of the sessions (NX-OS 10.5(1)F and later).

The lines are configuration like any other, and a rollback takes them back; but the switch acts on them only after
``copy running-config startup-config`` and a reload, which is left to people. Ports of others in the list, and the mode,
stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import ModelError, Problem, expected
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.ownership import Own
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.tree import Line

SECTION = "hardware profile dlb"
FIRST_RELEASE = (10, 5)
_LINE = "dlb-interface "
_NAME = re.compile(r"Eth(?:ernet)?(?P<stem>[\d/]*?)(?P<first>\d+)(?:-(?P<last>\d+))?")

RULE = Own(
    SECTION,
    "underlay",
    children=(Own(rf"{_LINE}Eth[\d/]+", "underlay", disruption="reload"),),
)


def short(port: str) -> str:
    """As the switch prints it here: ``Eth1/49``."""
    return port.replace("Ethernet", "Eth")


def ports(model: Switch, release: tuple[int, int] | None) -> list[str]:
    """Ports of the sessions, where dynamic load balancing is wanted."""
    underlay = model.underlay
    if underlay is None or not underlay.adaptive_routing:
        return []
    if release is not None and release < FIRST_RELEASE:
        text = expected(
            "NX-OS 10.5(1)F or later, which has dynamic load balancing (hardware profile dlb)",
            ".".join(map(str, release)),
            "upgrade the switch, or set adaptive_routing: false in its switch profile",
        )
        raise ModelError([Problem(model.name, None, "switch.underlay.adaptive_routing", text)])
    return [short(neighbor.port) for neighbor in underlay.neighbors]


def section(line: Line, model: Switch) -> Line:
    """The profile with one line for each of our ports."""
    ours = {short(n.port) for n in model.underlay.neighbors} if model.underlay else set()
    return Line(line.text, [Line(f"{_LINE}{name}") for name in listed([line]) if name in ours])


def listed(lines: Iterable[Line]) -> list[str]:
    """All ports of the profile, whoever put them there."""
    found: list[str] = []
    for child in (c for line in lines if line.text == SECTION for c in line.children if c.text.startswith(_LINE)):
        for name in re.split(r"[,\s]+", child.text.removeprefix(_LINE).strip()):
            match = _NAME.fullmatch(name)
            if match:
                last = int(match["last"] or match["first"])
                found += [f"Eth{match['stem']}{n}" for n in range(int(match["first"]), last + 1)]
    return found


def spoken(commands: Sequence[str], running: Sequence[Line], wanted: Sequence[str]) -> list[str]:
    """One line with all ports, those of others too: right whether a release adds to the list or replaces it. A profile
    in which nothing is left goes as a whole."""
    gone = {command.removeprefix(f"no {_LINE}") for command in commands if command.startswith(f"no {_LINE}")}
    every = dict.fromkeys([*(name for name in listed(running) if name not in gone), *wanted])
    if (
        gone
        and not every
        and all(c.text.startswith(_LINE) for ln in running if ln.text == SECTION for c in ln.children)
    ):
        at = commands.index(SECTION)
        return [*commands[:at], f"no {SECTION}", *commands[commands.index("exit", at) + 1 :]]
    first = next((n for n, command in enumerate(commands) if command.startswith(_LINE)), None)
    whole = _LINE + ",".join(every)
    return [whole if n == first else c for n, c in enumerate(commands) if n == first or not c.startswith(_LINE)]
