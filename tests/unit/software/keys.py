# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two public keys that were made for these tests; their secret parts are gone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FIXTURES = Path(__file__).parent / "fixtures"


@dataclass(frozen=True)
class Key:
    """A key and the fingerprint that gpg shows for it."""

    name: str
    fingerprint: str

    @property
    def data(self) -> bytes:
        return (FIXTURES / f"{self.name}.asc").read_bytes()


KEYS = {
    "rsa": Key("rsa", "843263F6521171F79C9DE9940E23F9124B08501E"),
    "ed25519": Key("ed25519", "4FB243AC7D83B948DB491D4365A7FFC78061F795"),
}
