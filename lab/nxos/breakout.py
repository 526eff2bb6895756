# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``interface breakout``: a front port that is split or joined again.

It acts at once; the ports that it takes away lose their configuration, those that it brings start without one (Cisco,
NX-OS Interfaces guide, Breakout).
"""

from __future__ import annotations

import re

from lab.nxos import tree, values
from lab.nxos.device import NxosDevice
from lab.nxos.grammar import Match, Reject
from lab.nxos.shell import GRAMMAR, NxosShell

_MAPS = "10g-4x|25g-4x|50g-2x|50g-4x|50g-8x|100g-2x|100g-4x|100g-8x|200g-2x|200g-4x|400g-2x"
_LINE = "interface breakout module <module:1-30> port <ports:list/1-128>"


@GRAMMAR.command("config", f"{_LINE} map {{{_MAPS}}}", f"no {_LINE} [map {{{_MAPS}}}]")
def breakout(shell: NxosShell, match: Match) -> None:
    device = shell.device
    fronts = [f"Ethernet{match['module']}/{number}" for number in match["ports"]]
    wanted = dict(device.breakouts())
    for front in fronts:
        if front not in device.unsplit:
            raise Reject(f"ERROR: {front}: breakout is not supported on this port")
        if match.negated and wanted.pop(front, None) is None:
            raise Reject(f"ERROR: {front}: port is not broken out")
        if not match.negated:
            word = match.words[-1]
            if wanted.get(front, word) != word:
                raise Reject(f"ERROR: {front}: port is already broken out, remove that first")
            wanted[front] = word
    _print(device, wanted)
    before = set(device.ports)
    device.arrange()
    for name in sorted(before - set(device.ports), key=values.natural):
        for node in device.config.sections(f"interface {name}"):
            tree.remove(device.config, node)
    for name in sorted(set(device.ports) - before, key=values.natural):
        device.insert_top(f"interface {name}")


def _print(device: NxosDevice, wanted: dict[str, str]) -> None:
    """One line for all ports of a module that are split alike."""
    for node in [n for n in device.config.children if n.text.startswith("interface breakout ")]:
        tree.remove(device.config, node)
    alike: dict[tuple[str, str], list[int]] = {}
    for front, word in wanted.items():
        module, number = re.fullmatch(r"Ethernet(\d+)/(\d+)", front).groups()
        alike.setdefault((module, word), []).append(int(number))
    for (module, word), numbers in sorted(alike.items()):
        device.insert_top(f"interface breakout module {module} port {values.compress(numbers)} map {word}")
