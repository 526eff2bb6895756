# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a configuration line is: the tables of :mod:`lab.eos.grammar` made ready for typing and for loading."""

from __future__ import annotations

from functools import lru_cache

from lab.cli import CommandError, Grammar, Match, Words
from lab.eos.grammar import modes
from lab.eos.line import Line, Mode
from lab.eos.names import TYPES, interface_rank, is_address, natural
from lab.eos.tree import Kind

# First words that open a section below a section that is kept as typed.
_VERBATIM_BLOCKS = (
    "address-family", "class", "fields", "load-balance", "match", "rule", "ssl profile", "transport", "vlan",
    "vlan-aware-bundle", "vrf",
)  # fmt: skip


class Language:
    """The configuration language of one release."""

    def __init__(self, release: tuple[int, int]) -> None:
        self.release = release
        self.modes: dict[str, Mode] = modes(release)
        self._typed: dict[str, Grammar] = {}
        self._negated: dict[str, Grammar] = {}
        self._order: dict[tuple[str, Line], int] = {}
        for name, mode in self.modes.items():
            typed, negated = Grammar(TYPES), Grammar(TYPES)
            for i, line in enumerate(mode.lines):
                if line.typed:
                    typed.add(line.pattern, line)
                negated.add(line.pattern, line, negated=True)
                self._order.setdefault((name, line), i)
            self._typed[name], self._negated[name] = typed, negated
        self._first_neighbor = {
            name: min((i for (m, line), i in self._order.items() if m == name and line.handler.startswith("neighbor")))
            for name in ("router-bgp", "router-bgp-af")
        }
        self.classify = lru_cache(maxsize=65536)(self._classify)

    def match(self, mode: str, words: Words | str, *, negated: bool = False) -> Match:
        return (self._negated if negated else self._typed)[mode].match(words)

    def kind(self, mode: str, match: Match) -> Kind:
        """Identity and place of a recognised line."""
        line: Line = match.payload
        if line.key:
            key = line.key.format(*match.args)
        else:
            key = match.text if line.handler in ("verbatim", "fec") else " ".join(match.prefix)
        order = self._order[mode, line]
        if line.handler.startswith("neighbor"):  # all lines of one neighbour stand together, peer groups first
            first = self._first_neighbor[mode]
            name = match.args[0]
            return Kind(key, (first, is_address(name), natural(name), order), line.mode, line.family)
        return Kind(key, (order, *_rank(line, match)), line.mode, line.family)

    # -- loading -----------------------------------------------------------------------------------------------
    def _classify(self, mode: str | None, text: str) -> Kind:
        """What a line of a loaded configuration is. Never fails: what is unknown is kept where it stands."""
        if mode == "verbatim" or mode is None:
            return verbatim_kind(text)
        words = Words(text)
        negated = words.words[0] in ("no", "default")
        body = Words(words.rest(1)) if negated and len(words) > 1 else words
        try:
            match = self.match(mode, body, negated=negated)
        except CommandError:
            return self._lenient(mode, body, text)
        kind = self.kind(mode, match)
        line: Line = match.payload
        if negated:
            default = words.words[0] == "default" or (not line.no and line.handler != "verbatim")
        else:
            default = match.text in line.hide
        return Kind(kind.key, kind.rank, kind.mode if not negated else None, kind.family, default)

    def _lenient(self, mode: str, words: Words, text: str) -> Kind:
        """A value that we do not know behind words that we know: it still is this setting."""
        for length in range(len(words) - 1, 0, -1):
            part = Words(" ".join(words.words[:length]))
            try:
                match = self.match(mode, part, negated=True)
            except CommandError:
                continue
            line: Line = match.payload
            if " | " in line.pattern and line.handler != "qos-map" and len(match.prefix) == len(match.words):
                return self.kind(mode, match)
        return Kind(f"?{text}", ())


def verbatim_kind(text: str) -> Kind:
    """A line of a section that is kept as typed; numbered lines (access lists) are kept in order."""
    first = text.split()[0]
    rank = (0, int(first)) if first.isdecimal() else (1,)
    opens = any(text == word or text.startswith(f"{word} ") for word in _VERBATIM_BLOCKS)
    return Kind(f"?{text}", rank, "verbatim" if opens else None)


def _rank(line: Line, match: Match) -> tuple:
    if line.handler == "interface":
        return interface_rank(match.args[0].split(",")[0])
    if line.mode == "route-map" or line.handler == "prefix-line":
        return (match.args[0], natural(match.words[-1] if line.mode else match.text))
    if line.handler == "qos-map":
        return (natural(" ".join(match.words[5:])),)
    if line.handler == "vlan":
        return (natural(match.args[0].split(",")[0].split("-")[0]),)
    return (natural(match.text),) if match.args else ()


@lru_cache(maxsize=4)
def language(release: tuple[int, int]) -> Language:
    """One language object serves all devices that speak it; only the printed order depends on the release here."""
    return Language((4, 35) if release >= (4, 35) else (4, 20))
