# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Somebody changes a switch by hand, anything, anywhere: check mode says what the correction does, the correction does
that and nothing else, and all that is not ours stays byte for byte.

Proof of the last: a twin, a second switch on which only that part of each change is typed that is not ours. The
corrected switch has to print exactly what the twin prints. Edits come from tests/fixtures/drift; a failure names the
seed and the edits (``DRIFT_SEED=n`` repeats a run, ``DRIFT_ROUNDS=n`` makes it longer).
"""

from __future__ import annotations

import os
import random
import re

import pytest

from lab.device import Device
from tests import reading
from tests.drift import Edit, table
from tests.integration.support import NEWEST, Bench, bench

SEED = int(os.environ.get("DRIFT_SEED", "20261129"))
ROUNDS = int(os.environ.get("DRIFT_ROUNDS", "0"))
# Single changes first, then bursts of three to five; 50 and more changes per platform.
CASES = [
    ("eos", "4.28.3M", 7, 5),
    ("eos", NEWEST["eos"], 8, 5),
    ("nxos", "9.3(10)", 7, 5),
    ("nxos", NEWEST["nxos"], 8, 5),
    ("nvue", "5.14.0", 7, 5),
    ("nvue", NEWEST["nvue"], 8, 5),
]
REFUSED = re.compile(r"(?m)^\s*(% ?\S|ERROR|Error|Invalid|Ambiguous)")


def enclosed(platform: str, lines: tuple[str, ...]) -> list[str]:
    """What is typed around an edit."""
    if not lines:
        return []
    if platform == "nvue":
        return [*lines, "nv config apply -y"]
    return ["configure terminal", *lines, "end"]


def type_in(device: Device, lines: tuple[str, ...]) -> bool:
    """An operator types; whether the switch took every line."""
    shell = device.shell("operator")
    answers = [shell.run(line) for line in enclosed(device.platform, lines)]
    taken = not any(REFUSED.search(answer) for answer in answers)
    if not taken and device.platform == "nvue":
        shell.run("nv config detach")
    shell.close()
    return taken


def type_by_hand(b: Bench, lines: tuple[str, ...]) -> bool:
    """The same on the switch of the bench, through the control socket of the lab."""
    name, platform = b.model.name, b.model.platform
    answers = b.lab.execute(name, *enclosed(platform, lines))
    taken = not any(REFUSED.search(answer) for answer in answers)
    if not taken and platform == "nvue":
        b.lab.execute(name, "nv config detach")
    return taken


def draw(platform: str, release: str, singles: int, bursts: int, rng: random.Random) -> list[list[Edit]]:
    edits = table(platform, release)
    sizes = [1] * singles + [rng.randint(3, 5) for _ in range(bursts)]
    return [[edits.draw(rng) for _ in range(size)] for size in sizes]


@pytest.mark.parametrize(("platform", "release", "singles", "bursts"), CASES)
def test_any_manual_change(platform, release, singles, bursts, tmp_path):
    rng = random.Random(f"{SEED} {platform} {release}")
    rounds = draw(platform, release, ROUNDS or singles, ROUNDS or bursts, rng)
    refused = 0
    with bench(platform, tmp_path, release=release) as b:
        b.converge()
        for edit in table(platform, release).before:
            assert type_by_hand(b, edit.typed), f"{edit}: expected to be taken"
        assert not b.plan().change, "what is there before the first change is not ours"
        twin = type(b.device)("twin", list(b.device.ports), clock=b.clock, release=release)
        twin.load(b.device.running())
        for number, edits in enumerate(rounds):
            story = f"DRIFT_SEED={SEED} {platform} {release} round {number}:\n  " + "\n  ".join(map(str, edits))
            for edit in edits:
                taken = type_by_hand(b, edit.typed)
                refused += not taken
                if taken or edit.ours:
                    type_in(twin, edit.stays)
            correct(b, twin, story)
        total = sum(map(len, rounds))
        assert refused <= total // 5, f"{refused} of {total} edits were refused: they test nothing"


def correct(b: Bench, twin: Device, story: str) -> None:
    """Predict, correct, compare."""
    name, platform = b.model.name, b.model.platform
    drifted, left = b.lab.running(name), b.lab.leftovers(name)
    check = b.plan()
    assert b.lab.running(name) == drifted, f"{story}\ncheck mode changed the switch"
    done = b.converge()
    corrected = b.lab.running(name)
    assert done.change == check.change, f"{story}\ncheck mode predicted something else than was done"
    assert done.applied == bool(check.change), story
    unforeseen = reading.unforeseen(platform, check.change.diffs, drifted, corrected)
    assert unforeseen == [], f"{story}\nthe prediction is not what was done"
    assert reading.deviations(platform, twin.running(), corrected) == [], f"{story}\nnot as the twin"
    assert not b.plan().change, f"{story}\na second run finds something to do"
    assert b.lab.leftovers(name) == left, f"{story}\nleft behind"
    if done.applied:
        assert b.lab.startup(name) == corrected, f"{story}\nnot saved"
