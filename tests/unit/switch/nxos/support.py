# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of the golden files, a switch that matches it, and a session that only listens."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos.driver import NxosDriver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render

HERE = Path(__file__).parent
GOLDEN = Path(__file__).parents[3] / "golden" / "nxos"
RUNNING = (HERE / "fixtures" / "running.cfg").read_text(encoding="utf-8")
UNDERLAY = (HERE / "fixtures" / "underlay.cfg").read_text(encoding="utf-8")


def model_data() -> dict[str, Any]:
    """The golden model as plain data, free to be changed."""
    return yaml.safe_load((GOLDEN / "model.yml").read_text(encoding="utf-8"))["switch"]


def underlay_data() -> dict[str, Any]:
    """The golden model with routing, gateways, a bond over both switches and the pair."""
    data = model_data()
    more = yaml.safe_load((GOLDEN / "underlay.yml").read_text(encoding="utf-8"))
    data["ports"] += more.pop("ports")
    return data | more


def driver(data: dict[str, Any] | None = None) -> NxosDriver:
    """A driver for the golden model or a variant of it."""
    return NxosDriver(Switch.model_validate_json(json.dumps(data or model_data())))


def intended(drv: NxosDriver) -> Any:
    """What the templates say."""
    return drv.intended(render(drv.model))


def commands(running: str, drv: NxosDriver | None = None) -> list[str]:
    """What would be typed on a switch with this configuration."""
    drv = drv or driver()
    return list(drv.plan(drv.parse(running), intended(drv)).commands)


class FakeSession:
    """Answers from a function and remembers what was typed."""

    class _Target:
        where = "leaf03 (192.0.2.13:22)"

    target = _Target()

    def __init__(self, answer: Callable[[str], str | Exception]) -> None:
        self.answer = answer
        self.typed: list[str] = []
        self.prompt = "leaf03#"

    def send(self, command: str, *, timeout: float | None = None, check: bool = True) -> str:
        """One command."""
        self.typed.append(command)
        if command == "configure terminal":
            self.prompt = "leaf03(config)#"
        elif command == "end":
            self.prompt = "leaf03#"
        answer = self.answer(command)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def configure(self, lines: Any, *, timeout: float | None = None) -> None:
        """Several."""
        for line in lines:
            self.send(line)
