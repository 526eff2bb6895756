# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each switch was before each change, kept on the control node so that ``rollback.yml`` can give it back.

One file per switch and run: ``<history>/<switch>/<run>.json`` with the owned configuration before and after and the
model whose ownership applied. Owned configuration holds no secrets; the files are private all the same.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import Driver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.files import write_private
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.transaction import Outcome

# The same for all switches of one ansible-playbook run: the module is imported before workers are forked.
RUN = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.getpid()}"


@dataclass(frozen=True)
class Generation:
    """One change of one switch that can be undone."""

    path: Path
    time: str
    before: str
    model: dict[str, Any]


def record(folder: Path, driver: Driver, outcome: Outcome) -> Path:
    """Remember what the switch was before this change."""
    path = folder / driver.model.name / f"{RUN}.json"
    data = {
        "switch": driver.model.name,
        "platform": driver.model.platform,
        "time": RUN,
        "before": driver.dump(outcome.before),
        "after": driver.dump(outcome.change.predicted),
        "model": driver.model.model_dump(mode="json"),
    }
    write_private(path, json.dumps(data, indent=1))
    return path


def latest(folder: Path, switch: str) -> Generation | None:
    """The change of this switch in the newest run of the site; None if that run did not change it."""
    runs = sorted({path.name for path in folder.glob("*/*.json")})
    if not runs:
        return None
    path = folder / switch / runs[-1]
    if not path.is_file():
        return None
    data = json.loads(path.read_text(encoding="utf-8"))
    return Generation(path, data["time"], data["before"], data["model"])


def forget(entry: Generation) -> None:
    """The change was undone."""
    entry.path.unlink(missing_ok=True)
