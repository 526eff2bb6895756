# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Remember which running configuration needs no change, so that the next run need not work it out again.

A plan follows from the running configuration, the model, the templates and the code, and from nothing else. One hash
over all of them is kept per switch; no configuration can be read from it. When one character of any of them differs,
the plan is made as if nothing had been remembered.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
import pydantic
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.files import write_private
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import TEMPLATES

if TYPE_CHECKING:
    from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import Driver

PLUGIN_UTILS = Path(__file__).parents[1]


class Unchanged:
    """The memory of one switch: ``folder``/<name of the switch>."""

    def __init__(self, folder: Path, driver: Driver, templates: Sequence[str] = ()) -> None:
        self._path = folder / driver.model.name
        self._driver = driver
        self._templates = templates

    def knows(self, running: str) -> bool:
        """Whether this very configuration was found to be as intended."""
        try:
            return self._path.read_text(encoding="ascii") == self._hash(running)
        except (OSError, UnicodeDecodeError):
            return False

    def remember(self, running: str) -> None:
        """This configuration is as intended."""
        write_private(self._path, self._hash(running))

    def _hash(self, running: str) -> str:
        driver = self._driver
        parts = (
            own_code(),
            _contents(Path(folder) for folder in self._templates),
            driver.model.model_dump_json(),
            driver.running_release,
            driver.steady(running),
        )
        digest = hashlib.sha256()
        for part in parts:
            digest.update(f"{len(part)}:{part}".encode())
        return digest.hexdigest()


@cache
def own_code() -> str:
    """Everything that decides what a plan is, less what belongs to one switch."""
    versions = (sys.version, jinja2.__version__, pydantic.VERSION, yaml.__version__)
    return " ".join((*versions, _contents([PLUGIN_UTILS, TEMPLATES])))


def _contents(folders: Iterable[Path]) -> str:
    """A hash of all files below the folders and of their names; compiled Python is no source."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                data = path.read_bytes()
                digest.update(f"{path.relative_to(folder)}:{len(data)}:".encode() + data)
    return digest.hexdigest()
