# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dynamic load balancing and split ports of the emulated switch."""

from __future__ import annotations

import pytest

from tests.unit.lab.nxos.conftest import Bench

PENDING = "show system config reload-pending"
NONE = "No configuration pending reload"


@pytest.fixture
def new() -> Bench:
    bench = Bench("10.5(2)F")
    bench.configure("interface Ethernet1/1-2\nno switchport")
    return bench


def test_it_comes_into_force_with_a_reload(new):
    assert new.shell.run(PENDING) == NONE
    new.configure("hardware profile dlb\ndlb-interface Eth1/1\ndlb-interface Ethernet1/2\nmode per-packet")
    assert "\nhardware profile dlb\n  dlb-interface Eth1/1,Eth1/2\n  mode per-packet\n" in new.device.running()
    assert new.shell.run(PENDING).split("\n")[2:-1] == [
        "0       hardware profile dlb ; dlb-interface Eth1/1,Eth1/2",
        "1       hardware profile dlb ; mode per-packet",
    ]
    new.device.load(new.device.running())
    assert new.shell.run(PENDING) == NONE
    new.configure("hardware profile dlb\nno dlb-interface Eth1/1")
    assert "no hardware profile dlb ; dlb-interface Eth1/1,Eth1/2" in new.shell.run(PENDING)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("hardware profile dlb\ndlb-interface Eth1/3", "layer 3 physical interfaces only"),
        ("hardware profile dlb\ndlb-interface mgmt0", "layer 3 physical interfaces only"),
        ("hardware profile dlb\nno dlb-interface Eth1/1", "is not a DLB interface"),
        ("interface breakout module 1 port 1 map 25g-3x", "Invalid"),
        ("interface breakout module 1 port 120 map 100g-4x", "not supported on this port"),
        ("no interface breakout module 1 port 1", "not broken out"),
    ],
)
def test_refused(new, lines, why):
    new.shell.run("configure terminal")
    answers = [new.shell.run(line) for line in lines.split("\n")]
    assert why in answers[-1]


def test_an_older_release_does_not_know_it():
    bench = Bench("10.4(3)F")
    bench.shell.run("configure terminal")
    assert "Invalid" in bench.shell.run("hardware profile dlb")


def test_splitting_takes_the_configuration_of_the_port(new):
    before = new.device.running()
    new.configure("interface Ethernet1/1\ndescription old\ninterface breakout module 1 port 1-2 map 100g-4x")
    assert "interface breakout module 1 port 1-2 map 100g-4x" in new.device.config.lines()
    assert "description old" not in new.device.running()
    assert "Ethernet1/1" not in new.device.ports
    assert [n for n in new.device.interfaces("Ethernet") if n.startswith("Ethernet1/1/")][-1] == "Ethernet1/1/4"
    new.shell.run("configure terminal")
    assert "already broken out" in new.shell.run("interface breakout module 1 port 2 map 200g-2x")
    assert "Invalid" in new.shell.run("interface Ethernet1/1")
    new.configure("interface Ethernet1/1/4\ndescription part\nno interface breakout module 1 port 1-2 map 100g-4x")
    assert "part" not in new.device.running()
    assert new.device.running() == before.replace(
        "interface Ethernet1/1\n  no switchport", "interface Ethernet1/1"
    ).replace("interface Ethernet1/2\n  no switchport", "interface Ethernet1/2")
