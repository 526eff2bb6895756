# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver against an emulated switch over real SSH: drift, other users, crashes, refusals, facts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.load import load_switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import (
    Busy,
    Mismatch,
    Refused,
    SwitchError,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.driver import NvueDriver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import Session, connect
from tests.integration.support import RELEASES, Bench, bench, model_data

HAND = "somebody"


@pytest.fixture(params=RELEASES["nvue"])
def any_release(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with bench("nvue", tmp_path, release=request.param) as b:
        yield b


@pytest.fixture
def newest(tmp_path: Path) -> Iterator[Bench]:
    with bench("nvue", tmp_path) as b:
        yield b


def by_hand(b: Bench, *commands: str) -> None:
    """Another user changes the switch."""
    for command in (*commands, "nv config apply -y"):
        [answer] = b.lab.execute(b.model.name, command, user=HAND)
        assert "Error" not in answer, f"{command}: {answer}"
        assert "Invalid" not in answer, f"{command}: {answer}"


def running(b: Bench) -> str:
    return b.lab.running(b.model.name)


def login(b: Bench) -> Any:
    return connect(b.target(), NvueDriver.dialect)


def speaks_new(b: Bench) -> bool:
    return b.model.release in ("5.15.0", "5.18.0")


def planned(b: Bench, s: Session) -> tuple[NvueDriver, Any]:
    driver = NvueDriver(b.model)
    tree = driver.parse(driver.read(s))
    return driver, driver.plan(tree, driver.intended(render(b.model, driver.dialect_release)))


def test_drift_is_found_and_only_drift_is_mended(any_release: Bench) -> None:
    b = any_release
    b.converge()
    new = speaks_new(b)
    address = "ipv4 address" if new else "ip address"
    by_hand(
        b,
        "nv set interface swp5 description theirs",
        "nv set bridge domain br_default vlan 998",
        f"nv set interface swp6 {address} 192.0.2.1/31",
        f"nv set interface swp1 bridge domain br_default stp bpdu-guard {'enabled' if new else 'on'}",
        "nv set qos pfc theirs switch-priority 5",
    )
    good = running(b)
    by_hand(
        b,
        "nv set interface swp49 link mtu 1500",
        "nv set interface swp1 bridge domain br_default access 101",
        "nv unset interface swp2 qos pfc",
        "nv set qos mapping ROCE dscp 26 switch-priority 0",
        "nv unset qos congestion-control ROCE traffic-class 3 ecn",
        "nv set qos pfc ROCE-5m switch-priority 4",
        "nv set qos egress-scheduler ROCE traffic-class 6 mode dwrr",
        "nv set interface swp1 link state down",
    )
    change = b.plan().change
    assert [" ".join((*d.path, "-", *d.before, "+", *d.after)) for d in change.diffs] == [
        "qos congestion-control ROCE - + traffic-class 3 ecn: enable",
        "qos egress-scheduler ROCE - traffic-class 6 mode: dwrr + traffic-class 6 mode: strict",
        "qos mapping ROCE - dscp 26 switch-priority: 0 + dscp 26 switch-priority: 3",
        "qos pfc ROCE-5m - switch-priority 4 +",
        "interface swp1 - bridge domain br_default access: 101 link state down + bridge domain br_default access: 100",
        "interface swp2 - + qos pfc profile: ROCE-5m",
        "interface swp49 - link mtu: 1500 + link mtu: 9214",
    ]
    done = b.converge()
    assert done.change == change
    assert running(b) == good
    assert not b.plan().change
    assert b.lab.leftovers(b.model.name) == []


def test_the_macro_becomes_tables_in_one_transaction(any_release: Bench) -> None:
    b = any_release
    by_hand(b, "nv set qos roce " + ("state enabled" if speaks_new(b) else "enable on"))
    done = b.converge()
    assert "nv unset qos roce" in done.change.commands
    assert "roce-macro" in {d.kind for d in done.change.disruptions}
    assert "roce:" not in running(b)
    assert not b.plan().change


def test_port_down_and_up_again(newest: Bench) -> None:
    data = model_data("nvue")
    data["ports"][0]["enabled"] = False
    newest.converge()
    up = running(newest)
    model = newest.model
    newest.model = load_switch(data, "test")
    assert newest.converge().change.commands[-1] == "nv set interface swp1 link state down"
    assert not newest.plan().change
    newest.model = model
    assert newest.converge().change.commands == ("nv unset interface swp1 link state",)
    assert running(newest) == up


def test_every_printable_character_in_a_description(newest: Bench) -> None:
    data = model_data("nvue")
    data["ports"][0]["description"] = (
        "".join(map(chr, range(0x20, 0x7F))).translate({ord(c): None for c in '"? '}) + " $HOME `id` !!"
    )
    newest.model = load_switch(data, "test")
    assert newest.converge().applied
    assert not newest.plan().change


def test_an_unfinished_change_of_somebody_else_is_respected(newest: Bench) -> None:
    b = newest
    b.converge()
    by_hand(b, "nv set interface swp49 link mtu 1500")
    with login(b) as other:
        other.send("nv set interface swp9 description mine")
        before = running(b)
        with pytest.raises(Busy, match=r"revision \d+ of another user is pending.*nv config delete \d+"):
            b.converge()
        assert running(b) == before
        assert "swp9" in other.send("nv config diff")
        other.send("nv config apply --confirm 60s -y")
        with pytest.raises(Busy, match=r"revision \d+ of another user waits for its confirm"):
            b.converge()
        assert "mine" in running(b)
        b.lab.advance(120)
    assert "mine" not in running(b)


def test_a_pending_revision_without_changes_stops_nobody(newest: Bench) -> None:
    with login(newest) as other:
        other.send("nv config attach applied -y")
        assert newest.converge().applied


def test_somebody_changes_the_switch_after_it_was_read(newest: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    b = newest
    apply = NvueDriver.apply

    def late(self: NvueDriver, *arguments: Any) -> None:
        by_hand(b, "nv set interface swp49 link mtu 1500", "nv set system message pre-login secret-banner")
        apply(self, *arguments)

    monkeypatch.setattr(NvueDriver, "apply", late)
    with pytest.raises(SwitchError) as caught:
        b.converge()
    message = str(caught.value)
    assert "the pending revision" in message
    assert "nothing was applied" in message
    assert "secret-banner" not in message
    assert "ROCE" not in running(b)
    assert b.lab.leftovers(b.model.name) == []


@pytest.mark.parametrize("step", ["attach", "patch", "diff", r"apply \d+ --confirm \d", "apply .* --confirm-yes"])
def test_a_refused_step_undoes_everything(newest: Bench, step: str) -> None:
    b = newest
    before = running(b)
    b.lab.fault(b.model.name, "refuse", match=f"nv config {step}")
    with pytest.raises(Refused, match="as before, nothing is left behind"):
        b.converge()
    assert running(b) == before
    assert b.lab.leftovers(b.model.name) == []
    assert b.converge().applied


def test_the_control_node_dies_before_the_confirm(newest: Bench) -> None:
    """A new driver that knows nothing finds what the old one left and takes it back."""
    b = newest
    before = running(b)
    with login(b) as s:
        driver, change = planned(b, s)
        driver.apply(s, change, "lossless-0123abcd", 600)
    assert "ROCE" in running(b)
    with login(b) as s:
        removed = NvueDriver(b.model).clean(s)
    assert len(removed) == 1
    assert "rolled back" in removed[0]
    assert running(b) == before
    assert b.lab.leftovers(b.model.name) == []


def test_the_control_node_dies_before_the_apply(newest: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    b = newest
    before = running(b)
    with login(b) as s:
        driver, change = planned(b, s)
        send = s.send

        def dies(command: str, **options: Any) -> str:
            if "--confirm" in command:
                raise KeyboardInterrupt
            return send(command, **options)

        monkeypatch.setattr(s, "send", dies)
        with pytest.raises(KeyboardInterrupt):
            driver.apply(s, change, "lossless-0123abcd", 600)
    assert len(b.lab.leftovers(b.model.name)) == 2  # the revision and the file
    with login(b) as s:
        removed = NvueDriver(b.model).clean(s)
    assert [r.split()[0] for r in removed] == ["pending", "file"]
    assert running(b) == before
    assert b.lab.leftovers(b.model.name) == []


def test_too_late_to_confirm(newest: Bench) -> None:
    b = newest
    before = running(b)
    with login(b) as s:
        driver, change = planned(b, s)
        driver.apply(s, change, "lossless-0123abcd", 60)
        b.lab.advance(120)
        with pytest.raises(Mismatch, match="the timer has run out and the switch has undone the change"):
            driver.confirm(s, "lossless-0123abcd")
        driver.roll_back(s, "lossless-0123abcd")
    assert running(b) == before
    assert b.lab.leftovers(b.model.name) == []


def test_facts(any_release: Bench) -> None:
    b = any_release
    b.converge()
    b.lab.set_port(b.model.name, "swp1", peer=("gpu01", "rail0"), rx_packets=1000, rx_errors=7, speed=100000)
    b.lab.set_port(b.model.name, "swp49", link=False)
    driver = NvueDriver(b.model)
    with connect(b.target(), driver.dialect) as s:
        facts = driver.read_facts(s)
    assert (facts.hostname, facts.release, driver.running_release) == ("leaf01", b.model.release, b.model.release)
    assert facts.model
    swp1 = facts.ports["swp1"]
    assert (swp1.oper_up, swp1.speed, swp1.mtu, swp1.rx_packets, swp1.rx_errors) == (True, 100000, 9214, 1000, 7)
    assert (swp1.mode, swp1.vlan, swp1.trust, swp1.pfc.priorities) == ("access", 100, "dscp", (3,))
    assert [(n.device, n.port) for n in swp1.neighbors] == [("gpu01", "rail0")]
    assert set(swp1.queues) == set(swp1.watchdog) == set(range(8))
    assert swp1.queues[3].tx_packets == 0
    assert swp1.watchdog[3].stuck is False
    assert facts.ports["swp49"].oper_up is False
    assert facts.ports["swp49"].addresses == ("10.0.0.0/31",)
    assert facts.dscp_to_priority == {dscp: {26: 3, 48: 6}.get(dscp, 0) for dscp in range(64)}
    json.dumps(facts.as_dict())
