# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random manual changes, drawn from a table of edits per platform (tests/fixtures/drift)."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

TABLES = Path(__file__).parent / "fixtures" / "drift"
_CHOICE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Edit:
    """One change: what the operator types in configuration mode, and the part of it that has to survive."""

    typed: tuple[str, ...]
    stays: tuple[str, ...]

    def __str__(self) -> str:
        return " / ".join(self.typed)

    @property
    def ours(self) -> bool:
        """Whether something of it is owned by the model."""
        return self.typed != self.stays


@dataclass(frozen=True)
class Table:
    """The edits of one platform."""

    words: dict[str, list[str]]
    before: tuple[Edit, ...]
    owned: tuple[tuple[str, str], ...]  # (typed, stays)
    other: tuple[tuple[str, str], ...]

    def draw(self, rng: random.Random) -> Edit:
        """One edit; half of them touch what is owned."""
        return self.concrete(*rng.choice(self.owned if rng.random() < 0.5 else self.other), rng)

    def each(self, rng: random.Random) -> list[Edit]:
        """Every entry once, in random order."""
        entries = [*self.owned, *self.other]
        rng.shuffle(entries)
        return [self.concrete(typed, stays, rng) for typed, stays in entries]

    def concrete(self, typed: str, stays: str, rng: random.Random) -> Edit:
        """The same words are chosen on both sides."""
        seed = rng.random()
        return Edit(self._lines(typed, seed), self._lines(stays, seed))

    def _lines(self, text: str, seed: float) -> tuple[str, ...]:
        def choose(key: str, options: list[str]) -> str:
            return random.Random(f"{seed} {key}").choice(options)

        for word, values in self.words.items():
            text = re.sub(rf"\b{word}\b", choose(word, values), text)
        text = _CHOICE.sub(lambda m: choose(m[1], m[1].split("|")), text)
        return tuple(line.strip() for line in text.split(" / ")) if text else ()


# NVUE up to 5.14, and from 5.15.
_DIALECTS = (
    {"<IP>": "ip", "<LLDP>": "service lldp", "<ON>": "enable on", "<ENABLED>": "on", "<OFF>": "off"},
    {"<IP>": "ipv4", "<LLDP>": "system lldp", "<ON>": "state enabled", "<ENABLED>": "enabled", "<OFF>": "disabled"},
)


@cache
def table(platform: str, release: str) -> Table:
    """The table of a platform, in the words of a release."""
    text = (TABLES / f"{platform}.yml").read_text(encoding="utf-8")
    if platform == "nvue":
        for mark, word in _DIALECTS[int(release.split(".")[1]) >= 15].items():
            text = text.replace(mark, word)
    data: dict[str, Any] = yaml.safe_load(text)
    before = (tuple(text.split(" / ")) for text in data["before"])
    return Table(
        data["words"],
        tuple(Edit(lines, lines) for lines in before),
        (*((text, "") for text in data["owned"]), *((entry["typed"], entry["stays"]) for entry in data["both"])),
        tuple((text, text) for text in data["other"]),
    )
