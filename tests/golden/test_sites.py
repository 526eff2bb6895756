# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The committed intended configuration of the example sites is what the intent gives today.

A change shows up here as a diff to review; ``ansible-playbook -i inventories/SITE/fabric.yml playbooks/render.yml``
writes it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.site import plan_site
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.platforms import driver_for
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render

ROOT = Path(__file__).parents[2]
SITES = ("inventories/lab", "inventories/lab-hosts", "inventories/example", "tests/golden/breakouts")


@pytest.mark.parametrize("site", SITES)
def test_intended_configuration_is_current(site):
    folder = ROOT / site / "intended"
    wanted = {}
    for name, model in plan_site(str(ROOT / site / "fabric.yml")).switches.items():
        driver = driver_for(model)
        suffix = "yml" if model.platform == "nvue" else "cfg"
        wanted[f"{name}.{suffix}"] = driver.dump(driver.intended(render(model, driver.dialect_release)))
    assert {path.name for path in folder.iterdir()} == set(wanted)
    for name, text in wanted.items():
        assert (folder / name).read_text() == text, f"{site}/intended/{name} is not current"
