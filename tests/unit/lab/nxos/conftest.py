# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Emulated Nexus switches with a clock that tests advance."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from lab.nxos.device import NxosDevice

ROCE = """
class-map type qos match-any CNP
  match dscp 48
class-map type qos match-any ROCEv2
  match dscp 26
policy-map type qos QOS
  class ROCEv2
    set qos-group 3
  class CNP
    set qos-group 7
  class class-default
    set qos-group 0
policy-map type queuing OUT
  class type queuing c-out-8q-q3
    bandwidth remaining percent 50
    random-detect minimum-threshold 150 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn
  class type queuing c-out-8q-q7
    priority level 1
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 50
policy-map type network-qos NQ
  class type network-qos c-8q-nq3
    mtu 9216
    pause pfc-cos 3
  class type network-qos c-8q-nq-default
    mtu 9216
system qos
  service-policy type network-qos NQ
  service-policy type queuing output OUT
priority-flow-control watch-dog-interval on
"""


class Time:
    """Seconds since 1970; 2026-11-29 12:00:00 UTC at first."""

    def __init__(self) -> None:
        self.now = 1_795_953_600.0

    def __call__(self) -> float:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now += seconds


class Bench:
    """One switch with one login, and what tests do with it."""

    def __init__(self, release: str | None = None) -> None:
        self.time = Time()
        ports = [f"Ethernet1/{n}" for n in range(1, 9)]
        self.device = NxosDevice("leaf01", ports, clock=self.time, release=release)
        self.shell = self.device.shell("admin")

    def type(self, text: str) -> list[str]:
        """Type lines; return what was printed for each."""
        return [self.shell.run(line) for line in textwrap.dedent(text).strip("\n").split("\n")]

    def configure(self, text: str) -> None:
        """Type lines in configuration mode that must all be accepted."""
        self.shell.run("end")
        self.shell.run("configure terminal")
        for line in textwrap.dedent(text).strip("\n").split("\n"):
            answer = self.shell.run(line)
            assert not answer.startswith(("%", "ERROR")) and "% " not in answer, f"{line!r}: {answer}"
        self.shell.run("end")

    def section(self, header: str) -> list[str]:
        """Lines of one section as printed, without the header."""
        lines = self.device.running().split("\n")
        start = lines.index(header) + 1
        stop = next((i for i in range(start, len(lines)) if not lines[i].startswith(" ")), len(lines))
        return [line.strip() for line in lines[start:stop]]

    def top(self) -> list[str]:
        return [line for line in self.device.running().split("\n") if line and not line.startswith(" ")]


@pytest.fixture
def bench():
    return Bench()


@pytest.fixture
def make_bench():
    return Bench


@pytest.fixture
def roce(bench):
    """A switch with the whole RoCE policy and one port of each layer."""
    bench.configure(
        "feature lldp\n"
        + ROCE.strip("\n")
        + """
interface Ethernet1/1
  no switchport
  mtu 9216
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  service-policy type qos input QOS
  ip address 10.0.0.0/31
  no shutdown
interface Ethernet1/2
  description gpu01 rail0
  switchport mode trunk
  switchport trunk allowed vlan 10,20
  priority-flow-control mode on
  service-policy type qos input QOS"""
    )
    return bench


@pytest.fixture
def data():
    return Path(__file__).parent / "data"
