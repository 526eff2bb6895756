# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of the lab's own tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.eos.device import EosDevice
from lab.server import Clock

PORTS = [f"Ethernet{n}/1" for n in range(1, 9)]
DATA = Path(__file__).parent / "data"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def leaf(clock: Clock) -> EosDevice:
    """A factory-fresh EOS leaf."""
    return EosDevice("leaf01", PORTS, clock=clock, release="4.32.2F")


@pytest.fixture
def typed() -> Callable[..., list[str]]:
    """``typed(device, *lines)``: what a fresh privileged shell prints for each line."""

    def type_lines(device: EosDevice, *lines: str) -> list[str]:
        shell = device.shell("admin")
        return [shell.run(line) for line in ("enable", *lines)][1:]

    return type_lines


@pytest.fixture(params=["eos-evpn-leaf.cfg", "eos-qos.cfg", "eos-all-defaults.cfg"])
def existing(request: pytest.FixtureRequest, clock: Clock) -> EosDevice:
    """A device that came with a configuration of its own."""
    device = EosDevice("existing", [], clock=clock, release="4.24.1F")
    device.load((DATA / request.param).read_text())
    device.source = request.param
    return device
