# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Front ports that are split (``interface breakout``).

The line acts at once: it takes the front port away, with all that was configured on it, and brings the parts, which
have no configuration. So it comes before anything on a port, and the ports of a front port that changes are written
anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.breakout import front_of
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.ownership import Own, Owned
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.cli.tree import Line
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos.filters import expand_ids

_PRINTED = re.compile(r"interface breakout module (?P<module>\d+) port (?P<ports>[\d,\- ]+) map (?P<map>\S+)")
_PORT = re.compile(r"interface (?P<front>Ethernet\d+/\d+)(?:/(?P<part>\d+))?")

RULE = Own(
    r"interface breakout module (?P<module>\d+) port (?P<port>\d+) map (?P<map>\S+)",
    "ports",
    key="breakout Ethernet{module}/{port}",
    overwrite=False,  # a port that is split is joined before it is split otherwise
    remove_early=True,
    disruption="breakout",
)


def lines(config: Iterable[Line], model: Switch) -> Iterator[Line]:
    """The breakouts of our front ports, one per line: those that the model splits, and ports that it has whole."""
    ours = {breakout.port for breakout in model.breakouts}
    ours |= {port.name for port in model.ports if front_of("nxos", port.name) == port.name}
    for found in filter(None, (_PRINTED.fullmatch(item.text) for item in config)):
        module = found["module"]
        for port in expand_ids(found["ports"]):
            if f"Ethernet{module}/{port}" in ours:
                yield Line(f"interface breakout module {module} port {port} map {found['map']}")


def settled(running: Owned, intended: Owned) -> tuple[Owned, Owned]:
    """Both without the ports that the change of a breakout takes away; ports that it brings have nothing yet."""
    keys = {key for key in {**running, **intended} if key.startswith("breakout ")}
    changed = {key.split()[1] for key in keys if running.get(key) != intended.get(key)}
    before = {key: entry for key, entry in running.items() if _place(key)[0] not in changed}
    return before, {key: entry for key, entry in intended.items() if _exists(key, changed, intended)}


def _place(key: str) -> tuple[str, int]:
    """Front port, and number of the part (0: whole) of a section; no front port for other lines."""
    found = _PORT.fullmatch(key)
    return (found["front"], int(found["part"] or 0)) if found else ("", 0)


def _exists(key: str, changed: set[str], intended: Owned) -> bool:
    front, part = _place(key)
    if front not in changed:
        return True
    split = intended.get(f"breakout {front}")
    parts = int(re.search(r"-(\d)x", split.line)[1]) if split else 0  # type: ignore[index]
    return 1 <= part <= parts or part == parts == 0
