# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dynamic load balancing: which lines are typed, and what of the profile belongs to others."""

from __future__ import annotations

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import ModelError
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import Facts
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nxos.facts import reload_pending
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render
from tests.unit.switch.nxos.support import UNDERLAY, commands, driver, intended, underlay_data

HEAD = "hardware profile dlb"
BOTH = "dlb-interface Eth1/49,Eth1/50"  # the sessions of the model


def model(*, wanted: bool = True) -> dict:
    data = underlay_data()
    return data | {"release": "10.5", "underlay": data["underlay"] | {"adaptive_routing": wanted}}


def running(*lines: str) -> str:
    """The switch of the golden model with this profile."""
    return UNDERLAY.replace("vpc domain", "\n".join([HEAD, *(f"  {line}" for line in lines), "vpc domain"]), 1)


@pytest.mark.parametrize(
    ("lines", "wanted", "typed"),
    [
        (None, True, [HEAD, BOTH, "exit"]),
        ([BOTH], True, []),
        (["dlb-interface Ethernet1/49 , Ethernet1/50"], True, []),
        (["dlb-interface Eth1/49-50", "mode per-packet"], True, []),
        (["dlb-interface Eth1/49", "dlb-interface Eth1/50"], True, []),
        # the whole list is typed again, with the port of somebody else
        (["dlb-interface Eth1/49,Eth1/60"], True, [HEAD, "dlb-interface Eth1/49,Eth1/60,Eth1/50", "exit"]),
        (["dlb-interface Eth1/60"], False, []),
        ([f"{BOTH},Eth1/60"], False, [HEAD, "no dlb-interface Eth1/49", "no dlb-interface Eth1/50", "exit"]),
        ([BOTH, "mode per-packet"], False, [HEAD, "no dlb-interface Eth1/49", "no dlb-interface Eth1/50", "exit"]),
        ([BOTH], False, [f"no {HEAD}"]),
    ],
)
def test_what_is_typed(lines, wanted, typed):
    text = UNDERLAY if lines is None else running(*lines)
    drv = driver(model(wanted=wanted))
    before = commands(UNDERLAY, driver(model(wanted=False)))
    assert not before, "the fixture matches the model without dynamic load balancing"
    assert commands(text, drv) == typed
    kinds = {d.kind for d in drv.plan(drv.parse(text), intended(drv)).disruptions}
    assert kinds == ({"reload"} if typed else set())


def test_a_release_without_it_is_named():
    drv = driver(model())
    with pytest.raises(ModelError, match=r"adaptive_routing: expected NX-OS 10\.5\(1\)F or later, .* found .?10\.4"):
        render(drv.model, (10, 4))
    assert BOTH.split()[1].split(",")[0] in render(drv.model, (10, 5))["underlay"]
    assert HEAD in render(drv.model)["underlay"]  # no release: the newest
    assert HEAD not in render(driver(model(wanted=False)).model, (10, 4))["underlay"]


PENDING = """\
Following config commands require copy r s + reload :
======================================================
0       hardware profile dlb ; dlb-interface Eth1/5,Eth1/7
1       hardware profile dlb ; mode per-packet
======================================================"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (PENDING, ("hardware profile dlb ; dlb-interface Eth1/5,Eth1/7", "hardware profile dlb ; mode per-packet")),
        ("No configuration pending reload", ()),
        ("", ()),
        ("                 ^\n% Invalid command at '^' marker.", None),
    ],
)
def test_what_waits_for_a_reload(text, found):
    facts = Facts("", "nxos", "")
    reload_pending(text, facts)
    assert facts.reload_pending == found
