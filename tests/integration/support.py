# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One emulated switch per platform, and the product pointed at it over real SSH."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.load import load_switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import Driver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.platforms import driver_for
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import Target, connect
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.transaction import Outcome, Transaction
from lab.client import ThreadLab
from lab.fabric import SwitchSpec, build
from lab.server import Clock

ROOT = Path(__file__).parents[2]
PASSWORD = "correct-horse-battery"  # of the emulated switches only
# EOS before and after the change of `show configuration sessions`, NX-OS old and new, NVUE in both dialects.
RELEASES = {
    "eos": ("4.28.3M", "4.35.1F"),
    "nxos": ("9.3(10)", "10.4(3)F"),
    "nvue": ("5.9.2", "5.14.0", "5.15.0", "5.18.0"),
}
NEWEST = {platform: releases[-1] for platform, releases in RELEASES.items()}
PORTS = {
    "eos": ("Ethernet1/1", "Ethernet2/1", "Ethernet49/1"),
    "nxos": ("Ethernet1/1", "Ethernet1/2", "Ethernet1/49"),
    "nvue": ("swp1", "swp2", "swp49"),
}
ASIC = {"eos": "tomahawk4", "nxos": "cloudscale", "nvue": "spectrum4"}


def model_data(platform: str, release: str | None = None) -> dict[str, Any]:
    """Three ports (access, trunk, routed) and the whole policy, as host variables."""
    data = yaml.safe_load((ROOT / "docs" / "model-example.yml").read_text())["switch"]
    access, routed = data["ports"]
    trunk = copy.deepcopy(access) | {"mode": "trunk", "vlans": [100, 101], "native_vlan": 100, "description": "gpu02"}
    del trunk["vlan"]
    trunk["peer"] = {"device": "gpu02", "port": "rail0", "kind": "host"}
    data["vlans"] = [{"id": 100, "name": "rail0"}, {"id": 101, "name": "storage"}]
    data["ports"] = [access, trunk, routed]
    for port, name in zip(data["ports"], PORTS[platform], strict=True):
        port["name"] = name
        if platform == "nxos" and port["mode"] != "routed":
            port["mtu"] = 9216
    if platform == "nxos":
        next(c for c in data["roce"]["classes"] if c["name"] == "cnp")["queue"] = 7
    return data | {"platform": platform, "release": release or NEWEST[platform], "asic": ASIC[platform]}


def model(platform: str, release: str | None = None) -> Switch:
    """The same, validated."""
    return load_switch(model_data(platform, release), f"tests: {platform}")


@dataclass
class Bench:
    """One switch in a lab, and the way to it."""

    lab: ThreadLab
    clock: Clock
    model: Switch
    run_dir: Path
    password: str = PASSWORD
    timeout: float = 10.0

    @property
    def device(self) -> Any:
        """The emulated switch itself."""
        return self.lab.devices[self.model.name]

    def target(self) -> Target:
        """Where the switch is."""
        return Target(
            name=self.model.name,
            host="127.0.0.1",
            port=self.lab.ports[self.model.name],
            user="admin",
            password=self.password,
            known_hosts=str(self.run_dir / "known_hosts"),
            timeout=self.timeout,
        )

    def driver(self) -> Driver:
        """A new driver, as a new task would have."""
        return driver_for(self.model)

    def transaction(self, timer: int = 120) -> tuple[Driver, Transaction]:
        """A new transaction, not begun."""
        driver = self.driver()
        return driver, Transaction(driver, lambda: connect(self.target(), driver.dialect), timer=timer)

    def plan(self) -> Outcome:
        """What check mode finds."""
        _, transaction = self.transaction()
        return transaction.bring_to(self.intended)

    def converge(self, timer: int = 120) -> Outcome:
        """Bring the switch to its intent, disruptive or not."""
        _, transaction = self.transaction(timer)
        return transaction.bring_to(self.intended, permit=lambda change: None)

    @staticmethod
    def intended(driver: Driver) -> Any:
        """What the templates say."""
        return driver.intended(render(driver.model, driver.dialect_release))


@contextmanager
def bench(
    platform: str, run_dir: Path, *, release: str | None = None, startup: str | None = None, data: Any = None
) -> Iterator[Bench]:
    """A running switch of one platform; ``startup`` is its configuration, else the factory's."""
    switch = load_switch(data, f"tests: {platform}") if data else model(platform, release)
    spec = SwitchSpec(
        name=switch.name,
        platform=platform,
        users={"admin": PASSWORD},
        release=switch.release,
        ports=[p.name for p in switch.ports],
        breakouts={b.port: b.parts for b in switch.breakouts},
        startup=startup,
    )
    clock = Clock()
    with ThreadLab(build([spec], clock), clock, run_dir) as lab:
        yield Bench(lab, clock, switch, run_dir)
