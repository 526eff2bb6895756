# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration sessions: candidates, timers, limits, and what is left behind."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from lab.device import Fault
from lab.eos.device import EosDevice
from lab.server import Clock
from tests.unit.lab.conftest import PORTS


@pytest.fixture(params=["4.31.1F", "4.32.2F"])
def switch(request: pytest.FixtureRequest, clock: Clock) -> EosDevice:
    return EosDevice("leaf01", PORTS, clock=clock, release=request.param)


def states(device: EosDevice, typed: Callable) -> dict:
    return json.loads(typed(device, "show configuration sessions detail | json")[0])


CHANGE = ("interface Ethernet1/1", "mtu 9214")


def test_nothing_is_in_force_before_the_commit(switch: EosDevice, typed: Callable) -> None:
    before = switch.running()
    typed(switch, "configure session s", *CHANGE)
    assert switch.running() == before
    assert switch.leftovers() == ["session s (pending)"]
    assert typed(switch, "configure session s", "show session-config diffs", "commit")[1].splitlines() == [
        "--- system:/running-config",
        "+++ session:/s-session-config",
        " interface Ethernet1/1",
        "+   mtu 9214",
    ]
    assert "   mtu 9214\n" in switch.running()
    assert switch.leftovers() == []


@pytest.mark.parametrize(
    "end", [("abort",), ("end", "configure session s abort"), ("exit", "exit", "configure session s abort")]
)
def test_abort(switch: EosDevice, typed: Callable, end: tuple[str, ...]) -> None:
    before = switch.running()
    assert typed(switch, "configure session s", *CHANGE, *end)[-1] == ""
    assert (switch.running(), switch.leftovers()) == (before, [])


def test_the_timer_undoes_the_change(switch: EosDevice, clock: Clock, typed: Callable) -> None:
    before = switch.running()
    typed(switch, "configure session s", *CHANGE, "commit timer 00:01:00")
    assert "   mtu 9214\n" in switch.running()
    assert switch.leftovers() == ["session s (commit timer)"]
    clock.advance(59)
    switch.tick()
    assert "   mtu 9214\n" in switch.running()
    clock.advance(1)
    switch.tick()
    assert (switch.running(), switch.leftovers()) == (before, [])


def test_the_confirm_keeps_the_change(switch: EosDevice, clock: Clock, typed: Callable) -> None:
    typed(switch, "configure session s", *CHANGE, "commit timer 00:01:00")
    assert typed(switch, "configure session s commit") == [""]
    clock.advance(3600)
    switch.tick()
    assert "   mtu 9214\n" in switch.running()
    assert switch.leftovers() == []
    assert states(switch, typed)["sessions"]["s"]["state"] == "completed"


def test_abort_of_a_running_timer(switch: EosDevice, typed: Callable) -> None:
    before = switch.running()
    assert typed(switch, "configure session s", *CHANGE, "commit timer 00:01:00", "configure session s abort")[-1] == ""
    assert (switch.running(), switch.leftovers()) == (before, [])


def test_a_running_timer_is_told_as_the_release_tells_it(switch: EosDevice, typed: Callable) -> None:
    typed(switch, "configure session s", *CHANGE, "commit timer 00:01:00")
    answer = states(switch, typed)
    assert (answer["maxOpenSessions"], answer["maxSavedSessions"]) == (5, 1)
    if switch.version >= (4, 32):
        assert answer["sessions"]["s"]["state"] == "committed"
        assert answer["commitTimerSessionName"] == "s"
        assert answer["commitTimerExpireTime"] > 0
    else:
        assert answer["sessions"]["s"]["state"] == "pendingCommitTimer"
        assert "commitTimerSessionName" not in answer


def test_no_other_commit_while_a_timer_runs(switch: EosDevice, typed: Callable) -> None:
    typed(switch, "configure session a", *CHANGE, "commit timer 00:01:00")
    assert typed(switch, "configure session b", "vlan 5", "commit")[-1].startswith("% Cannot commit session b")
    assert "vlan 5" not in switch.running()


def test_five_pending_sessions_and_no_more(switch: EosDevice, typed: Callable) -> None:
    for n in range(5):
        assert typed(switch, f"configure session s{n}") == [""]
    assert typed(switch, "configure session s5")[0].startswith("% Maximum number of pending sessions has been reached")
    assert typed(switch, "configure session s3") == [""]
    assert len(switch.leftovers()) == 5


def test_a_lost_connection_leaves_its_session_pending(switch: EosDevice) -> None:
    shell = switch.shell("admin")
    for line in ("configure session s", *CHANGE):
        shell.run(line)
    shell.close()
    assert switch.leftovers() == ["session s (pending)"]


def test_a_session_that_somebody_else_ended_is_left(switch: EosDevice, typed: Callable) -> None:
    shell = switch.shell("admin")
    shell.run("configure session s")
    typed(switch, "configure session s commit")
    assert shell.run("interface Ethernet1/1") == "% Invalid input"
    assert shell.prompt == "leaf01#"


def test_a_completed_session_is_not_entered_again(switch: EosDevice, typed: Callable) -> None:
    typed(switch, "configure session s", *CHANGE, "commit")
    assert "already completed" in typed(switch, "configure session s")[0]


@pytest.mark.parametrize("line", ["commit timer 0:1", "commit timer 00:00:00", "commit timer 00:99:00", "commit now"])
def test_malformed_commits(switch: EosDevice, typed: Callable, line: str) -> None:
    before = switch.running()
    assert typed(switch, "configure session s", *CHANGE, line)[-1].startswith("% ")
    assert switch.running() == before


def test_save(switch: EosDevice, typed: Callable) -> None:
    typed(switch, "configure", *CHANGE)
    assert "mtu 9214" not in switch.startup()
    assert "+   mtu 9214" in typed(switch, "show running-config diffs")[0]
    assert typed(switch, "copy running-config startup-config") == ["Copy completed successfully."]
    assert switch.startup() == switch.running()


def test_files_and_replace(switch: EosDevice, typed: Callable) -> None:
    before = switch.running()
    typed(switch, "copy running-config flash:before", "configure", *CHANGE)
    assert switch.leftovers() == ["flash:before"]
    assert typed(switch, "configure replace flash:nothing")[0].startswith("% Error")
    assert typed(switch, "configure replace flash:before", "delete flash:before") == ["", ""]
    assert (switch.running(), switch.leftovers()) == (before, [])


def test_faults_of_the_platform(switch: EosDevice, typed: Callable) -> None:
    switch.faults += [Fault("sessions-full"), Fault("locked", match="commit"), Fault("refuse", match="^mtu")]
    assert "Maximum number of pending sessions" in typed(switch, "configure session s")[0]
    answers = typed(switch, "configure session s", *CHANGE, "commit", "abort")
    assert answers[2] == "% Invalid input"
    assert "configuration lock" in answers[3]
    assert switch.leftovers() == []
