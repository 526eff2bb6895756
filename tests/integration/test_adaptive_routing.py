# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adaptive routing as a change: what it asks consent for, what is still due afterwards, and back again."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import ModelError
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.load import load_switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import Facts
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import connect
from tests.integration.support import PORTS, bench, model_data

RELEASES = [("eos", "4.35.1F"), ("nxos", "10.5(2)F"), ("nvue", "5.9.2"), ("nvue", "5.18.0")]
# The lines of adaptive routing in the running configuration, and the kind of the change.
WRITTEN = {
    "eos": ("ip hardware fib load-balance distribution dynamic", "bgp-paths"),
    "nxos": ("hardware profile dlb\n  dlb-interface Eth1/49", "reload"),
    "nvue": ("adaptive-routing:", "adaptive-routing"),
}


def routed(platform: str, release: str, *, adaptive: bool) -> dict[str, Any]:
    """One session over the third port."""
    neighbor = {"port": PORTS[platform][2], "address": "10.0.0.1", "asn": 65001}
    underlay = {"asn": 65011, "router_id": "10.9.0.1", "neighbors": [neighbor], "adaptive_routing": adaptive}
    return model_data(platform, release) | {"underlay": underlay}


def facts(b) -> Facts:
    driver = b.driver()
    with connect(b.target(), driver.dialect) as session:
        return driver.read_facts(session)


@pytest.mark.parametrize(("platform", "release"), RELEASES)
def test_on_and_off(platform, release, tmp_path):
    written, kind = WRITTEN[platform]
    with bench(platform, tmp_path, data=routed(platform, release, adaptive=False)) as b:
        b.converge()
        plain = b.lab.running(b.model.name)
        assert written not in plain
        b.model = load_switch(routed(platform, release, adaptive=True), "tests")
        on = b.converge()
        assert {d.kind for d in on.change.disruptions} == {kind}
        assert written in b.lab.running(b.model.name)
        assert not b.plan().change
        due = ("hardware profile dlb ; dlb-interface Eth1/49",) if platform == "nxos" else ()
        assert facts(b).reload_pending == due
        b.lab.load(b.model.name, b.lab.startup(b.model.name))  # the reload
        assert facts(b).reload_pending == ()
        assert not b.plan().change
        b.model = load_switch(routed(platform, release, adaptive=False), "tests")
        assert {d.kind for d in b.converge().change.disruptions} == {kind}
        assert b.lab.running(b.model.name) == plain


def test_an_older_nxos_is_one_clear_error(tmp_path):
    data = routed("nxos", "10.4(3)F", adaptive=True) | {"release": None}
    with bench("nxos", tmp_path, data=data) as b:
        before = b.lab.running(b.model.name)
        with pytest.raises(ModelError, match=r"expected NX-OS 10\.5\(1\)F or later.*found .?10\.4"):
            b.converge()
        assert b.lab.running(b.model.name) == before
