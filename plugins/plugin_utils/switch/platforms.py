# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Platform name -> driver. A platform is a folder beside this file whose ``driver.py`` has ``<Platform>Driver``."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.load import load_switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import Driver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render

PLATFORMS = ("eos", "nxos", "nvue")
_PORTS = {
    "eos": ("Ethernet1/1", "Ethernet2/1", "Ethernet3/1"),
    "nxos": ("Ethernet1/1", "Ethernet1/2", "Ethernet1/3"),
    "nvue": ("swp1", "swp2", "swp3"),
}
_ETS = {"type": "ets", "weight": 50}
_CLASSES = (
    {"name": "default", "priority": 0, "queue": 0, "scheduler": _ETS},
    {
        "name": "roce", "priority": 3, "queue": 3, "dscp": (26,), "cos": (3,), "lossless": True, "scheduler": _ETS,
        "ecn": {"min": 150000, "max": 1500000},
    },
    {"name": "cnp", "priority": 6, "queue": 6, "dscp": (48,), "scheduler": {"type": "strict"}},
)  # fmt: skip


@cache
def driver_class(platform: str) -> type[Driver]:
    """The driver of a platform."""
    module = import_module(f"ansible_collections.lossless.fabric.plugins.plugin_utils.switch.{platform}.driver")
    return getattr(module, f"{platform.capitalize()}Driver")


def driver_for(model: Switch) -> Driver:
    """A driver for this switch."""
    return driver_class(model.platform)(model)


def preload() -> None:
    """Render and read back a small switch of every platform, so that forked workers find all compiled and imported."""
    for platform, (first, second, third) in _PORTS.items():
        ports = (
            {
                "name": first,
                "description": "access",
                "mode": "access",
                "vlan": 2,
                "mtu": 1500,
                "speed": 400000,
                "fec": "rs",
            },
            {"name": second, "mode": "trunk", "vlans": (2, 3), "native_vlan": 2, "mtu": 1500},
            {"name": third, "address": "192.0.2.0/31"},
        )
        vlans = ({"id": 2, "name": "two"}, {"id": 3, "name": "three"})
        model = load_switch(
            {
                "name": "example", "platform": platform, "role": "leaf",
                "vlans": vlans, "ports": ports, "roce": {"classes": _CLASSES},
            },
            "preload",
        )  # fmt: skip
        driver = driver_for(model)
        intended = driver.intended(render(model))
        driver.load(driver.dump(intended))
