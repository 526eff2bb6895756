# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What workers find ready because the process they are forked from did it."""

from __future__ import annotations

import re

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.platforms import PLATFORMS, driver_for, preload
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render
from tests.integration.support import model


@pytest.mark.parametrize("platform", PLATFORMS)
def test_after_preload_a_switch_of_another_kind_reads_no_table_and_compiles_next_to_nothing(platform, monkeypatch):
    preload()
    switch = model(platform)
    compiled = []
    compile_ = re._compiler.compile
    monkeypatch.setattr(re._compiler, "compile", lambda p, flags=0: compiled.append(p) or compile_(p, flags))
    monkeypatch.setattr(yaml, "safe_load", lambda text: pytest.fail("a table is read in a worker"))
    driver = driver_for(switch)
    intended = driver.intended(render(switch, driver.dialect_release))
    driver.load(driver.dump(intended))
    # What holds names of this model is new: its VLANs and its profile.
    assert len(compiled) <= 5, compiled
