# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Platform name -> driver. A platform is a folder beside this file whose ``driver.py`` has ``<Platform>Driver``."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch import render
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import Driver

PLATFORMS = ("eos", "nxos", "nvue")


@cache
def driver_class(platform: str) -> type[Driver]:
    """The driver of a platform."""
    module = import_module(f"ansible_collections.lossless.fabric.plugins.plugin_utils.switch.{platform}.driver")
    return getattr(module, f"{platform.capitalize()}Driver")


def driver_for(model: Switch) -> Driver:
    """A driver for this switch."""
    return driver_class(model.platform)(model)


def preload() -> None:
    """Import every driver and compile every template now, so that forked workers share the pages."""
    for platform in PLATFORMS:
        driver_class(platform)
    render.preload(PLATFORMS)
