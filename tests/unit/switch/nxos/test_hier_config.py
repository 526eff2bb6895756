# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""hier_config as a second opinion on what differs between two NX-OS configurations.

It knows nothing of ownership and orders its commands differently, so it is asked one thing: which lines are missing
from the old configuration. That must be what our diff shows as coming, whatever was changed.
"""

from __future__ import annotations

import random

import pytest
from hier_config import Platform, WorkflowRemediation, get_hconfig

from tests.unit.switch.nxos.support import driver, intended, model_data, underlay_data

SEEDS = range(25)


def paths_that_come(old: str, new: str) -> set[tuple[str, ...]]:
    """Leaves of the new configuration that hier_config would add."""
    work = WorkflowRemediation(get_hconfig(Platform.CISCO_NXOS, old), get_hconfig(Platform.CISCO_NXOS, new))
    return {
        tuple(child.path())
        for child in work.remediation_config.all_children()
        if not child.children and not any(part.startswith("no ") for part in tuple(child.path())[:-1])
    }


def spoiled(text: str, chance: random.Random) -> str:
    """Some leaf lines lost, some changed in their last word."""
    lines = text.splitlines()
    result = []
    for number, line in enumerate(lines):
        deeper = number + 1 < len(lines) and len(lines[number + 1]) - len(lines[number + 1].lstrip()) > len(line) - len(
            line.lstrip()
        )
        plain = "switchport" in line or "shutdown" in line or deeper
        dice = 1.0 if plain else chance.random()
        if dice < 0.1:
            continue
        if dice < 0.2 and line.split()[-1].isdigit():
            line = f"{line.rsplit(' ', 1)[0]} {int(line.split()[-1]) + 1}"
        result.append(line)
    return "\n".join(result)


@pytest.mark.parametrize("data", [model_data, underlay_data])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_lines_come(seed, data):
    drv = driver(data())
    want = intended(drv)
    old_text = spoiled(drv.dump(want), random.Random(seed))
    running = drv.parse(old_text)
    change = drv.plan(running, want)
    assert change, "nothing was spoiled"
    # It takes a line that begins with "no" for a removal wherever it stands.
    ours = {(*diff.path, line) for diff in change.diffs for line in diff.after if not line.startswith("no ")}
    theirs = paths_that_come(drv.dump(drv.owned(running)), drv.dump(want))
    comes = {path for path in theirs if not path[-1].startswith("no ")}
    assert ours == comes


def test_equal_configurations_need_nothing():
    drv = driver()
    text = drv.dump(intended(drv))
    assert paths_that_come(text, text) == set()
