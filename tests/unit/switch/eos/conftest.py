# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of docs/model-example.yml for the tests of EOS."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch

ROOT = Path(__file__).parents[4]
EXAMPLE: dict[str, Any] = yaml.safe_load((ROOT / "docs" / "model-example.yml").read_text())["switch"]


@pytest.fixture
def example() -> dict[str, Any]:
    """The example as plain data, to be changed at will."""
    return copy.deepcopy(EXAMPLE)


@pytest.fixture
def switch() -> Callable[[dict[str, Any]], Switch]:
    """Plain data -> validated model."""
    return lambda data: Switch.model_validate_json(json.dumps(data))
