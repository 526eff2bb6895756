# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU time of the pure part, per platform: from host variable and running configuration to an empty plan."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.load import load_switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.site import plan_site
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.platforms import driver_for
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render
from tests.bench.lab_site import READ, Site

LEAFS = 8  # of each platform


def milliseconds(site: Site) -> dict[str, dict[str, float]]:
    """Platform -> step -> mean over some leafs."""
    models = plan_site(str(site.inventory)).switches
    gc.freeze()
    result = {}
    for platform, command in READ.items():
        leafs = [s.name for s in site.switches if s.platform == platform and s.name.startswith("leaf")][:LEAFS]
        total: dict[str, float] = {}
        for name in leafs[:1] + leafs:  # the first one twice: only the second time counts
            if name == leafs[0]:
                total.clear()
            _steps(models[name].model_dump(mode="json"), site.lab.execute(name, command)[0], total)
        result[platform] = {step: 1000 * seconds / len(leafs) for step, seconds in total.items()}
    return result


def _steps(data: dict[str, Any], text: str, total: dict[str, float]) -> None:
    def step(name: str, work: Callable[[], Any]) -> Any:
        started = time.process_time()
        value = work()
        total[name] = total.get(name, 0.0) + time.process_time() - started
        return value

    model = step("validate", lambda: load_switch(data, "bench"))
    driver = driver_for(model)
    running = step("parse", lambda: driver.parse(text))
    step("owned", lambda: driver.owned(running))
    rendered = step("render", lambda: render(model, driver.dialect_release))
    intended = step("intended", lambda: driver.intended(rendered))
    change = step("plan", lambda: driver.plan(running, intended))
    if change:
        raise SystemExit(f"bench: {model.name} is not as intended: {change.diffs[:3]}")
