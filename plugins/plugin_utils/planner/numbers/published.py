# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Our data files, read once per process.

Not named data.py: Ansible's loader of collections takes the folder data/ for a package and would never find it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("data")


@cache
def read(name: str) -> Any:
    """Contents of one data file. The caller does not change them."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
