# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the driver says to a switch, and how it reads the answers, in both shapes of ``show configuration sessions``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import Change
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos.driver import EosDriver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import Busy, Mismatch, Refused, Unreadable
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import Target

SESSIONS = "show configuration sessions | json"
OURS = "lossless-0a1b2c3d"
LIMITS = {"maxOpenSessions": 5, "maxSavedSessions": 1}


def sessions(states: dict[str, str], timer: str = "") -> str:
    """The answer of a switch; ``timer`` names the session that waits for its confirmation on 4.32 and later."""
    answer: dict[str, Any] = LIMITS | {"sessions": {name: {"state": state} for name, state in states.items()}}
    if timer:
        answer |= {"commitTimerSessionName": timer, "commitTimerExpireTime": 1764430000.5}
    return json.dumps(answer)


NONE = sessions({"old": "completed"})
WAITS = {
    "before 4.32": sessions({OURS: "pendingCommitTimer", "old": "completed"}),
    "since 4.32": sessions({OURS: "committed", "old": "completed"}, timer=OURS),
    "since 4.32, not in the list": sessions({}, timer=OURS),
}


class Terminal:
    """A session that answers from a table (else with nothing) and remembers what was said."""

    target = Target(name="leaf01", host="192.0.2.11")

    def __init__(self, answers: dict[str, str], prompt: str = "leaf01#") -> None:
        self.answers = answers
        self.prompt = prompt
        self.said: list[str] = []

    def send(self, command: str, *, timeout: float | None = None, check: bool = True) -> str:
        self.said.append(command)
        answer = self.answers.get(command, "")
        if check and answer.startswith("%"):
            raise Refused(f"leaf01: {command!r} was refused: {answer}", command, answer)
        return answer

    def configure(self, lines: tuple[str, ...]) -> None:
        for line in lines:
            self.send(line)


@pytest.fixture
def driver(example, switch):
    return EosDriver(switch(example))


CHANGE = Change(commands=("interface Ethernet1/1", "mtu 9214", "exit"))


def test_apply(driver):
    terminal = Terminal({SESSIONS: NONE, "show session-config diffs": "+   mtu 9214"})
    driver.apply(terminal, CHANGE, OURS, 3725)
    assert terminal.said == [
        SESSIONS,
        f"configure session {OURS}",
        *CHANGE.commands,
        "show session-config diffs",
        "commit timer 01:02:05",
    ]


def test_apply_that_changes_nothing_is_not_committed(driver):
    terminal = Terminal({SESSIONS: NONE})
    with pytest.raises(Mismatch, match="took 3 lines and says that they change nothing"):
        driver.apply(terminal, CHANGE, OURS, 300)
    assert "commit timer 00:05:00" not in terminal.said


def test_apply_when_there_is_no_room(driver):
    full = "% Maximum number of pending sessions has been reached. Please commit or abort previous sessions"
    terminal = Terminal({SESSIONS: sessions({"theirs": "pending"}), f"configure session {OURS}": full})
    with pytest.raises(Busy, match=r"no configuration session to be had .* pending are theirs"):
        driver.apply(terminal, CHANGE, OURS, 300)
    assert terminal.said[-1] == f"configure session {OURS}"


@pytest.mark.parametrize("shape", WAITS)
def test_apply_waits_for_nobody(shape, driver):
    terminal = Terminal({SESSIONS: WAITS[shape].replace(OURS, "ops-change")})
    with pytest.raises(Busy, match="session ops-change of somebody else waits for its confirmation"):
        driver.apply(terminal, CHANGE, OURS, 300)
    assert terminal.said == [SESSIONS]


def test_apply_stops_at_a_refused_line(driver):
    terminal = Terminal({SESSIONS: NONE, "mtu 9214": "% Invalid input"})
    with pytest.raises(Refused, match="'mtu 9214' was refused: % Invalid input"):
        driver.apply(terminal, CHANGE, OURS, 300)
    assert terminal.said[-1] == "mtu 9214"


@pytest.mark.parametrize("shape", WAITS)
def test_confirm(shape, driver):
    terminal = Terminal({SESSIONS: WAITS[shape]})
    driver.confirm(terminal, OURS)
    assert terminal.said == [SESSIONS, f"configure session {OURS} commit"]


@pytest.mark.parametrize("state", ["completed", "aborted", "pending"])
def test_confirm_comes_too_late(state, driver):
    """Committing a session that does not wait would make and commit a new one."""
    terminal = Terminal({SESSIONS: sessions({OURS: state})})
    with pytest.raises(Mismatch, match="does not wait for a confirmation any more"):
        driver.confirm(terminal, OURS)
    assert terminal.said == [SESSIONS]


@pytest.mark.parametrize("shape", WAITS)
def test_roll_back_a_running_timer(shape, driver):
    terminal = Terminal({SESSIONS: WAITS[shape]})
    driver.roll_back(terminal, OURS)
    assert terminal.said == [SESSIONS, f"configure session {OURS} abort"]


def test_roll_back_from_within_the_session(driver):
    terminal = Terminal({SESSIONS: sessions({OURS: "pending"})}, prompt="leaf01(config-s-lossle-if-Et1/1)#")
    driver.roll_back(terminal, OURS)
    assert terminal.said == ["end", SESSIONS, f"configure session {OURS} abort"]


def test_roll_back_nothing(driver):
    terminal = Terminal({SESSIONS: sessions({OURS: "completed", "theirs": "pending"})})
    driver.roll_back(terminal, OURS)
    assert terminal.said == [SESSIONS]


@pytest.mark.parametrize("shape", WAITS)
def test_clean_takes_ours_and_leaves_theirs(shape, driver):
    answer = json.loads(WAITS[shape])
    answer["sessions"] |= {"lossless-ffffffff": {"state": "pending"}, "theirs": {"state": "pending"}}
    terminal = Terminal({SESSIONS: json.dumps(answer)})
    removed = driver.clean(terminal)
    ours = {OURS, "lossless-ffffffff"}
    assert set(removed) == {f"configuration session {name}" for name in ours}
    assert set(terminal.said[1:]) == {f"configure session {name} abort" for name in ours}


def test_read(driver):
    text = "! Command: show running-config\n! device: leaf01 (vEOS-lab, EOS-4.23.5M)\n!\nhostname leaf01\n!\nend"
    assert driver.read(Terminal({"show running-config": text})) == text
    assert (driver.running_release, driver.dialect_release) == ("4.23.5M", (4, 23))


@pytest.mark.parametrize("text", ["% Invalid input", "hostname leaf01\n!\ninterface Ethernet1/1", ""])
def test_read_takes_no_half_configuration(text, driver):
    with pytest.raises(Unreadable, match="expected 'end' as its last line"):
        driver.read(Terminal({"show running-config": text}))


def test_an_unprivileged_login_is_raised_first(driver):
    class Low(Terminal):
        def send(self, command: str, **options: Any) -> str:
            if command == "enable":
                self.prompt = "leaf01#"
            return super().send(command, **options)

    terminal = Low({"show running-config": "!\nend", SESSIONS: NONE}, prompt="leaf01>")
    driver.clean(terminal)
    driver.read(terminal)
    assert terminal.said == ["enable", SESSIONS, "show running-config"]


@pytest.mark.parametrize("answers", [{}, {"enable": "% Bad secret"}])
def test_a_user_without_privilege_is_told(answers, driver):
    with pytest.raises(Refused, match="privilege level 15"):
        driver.read(Terminal(answers, prompt="leaf01>"))


def test_release(driver):
    assert driver.release(Terminal({"show version | json": '{"version": "4.32.2F"}'})) == "4.32.2F"
    engineering = '{"version": "4.35.1F-39879738.4351F (engineering build)"}'
    assert driver.release(Terminal({"show version | json": engineering})) == "4.35.1F"
    with pytest.raises(Unreadable, match="did not answer with JSON"):
        driver.release(Terminal({"show version | json": "Arista vEOS"}))


def test_save(driver):
    terminal = Terminal({})
    driver.save(terminal)
    assert terminal.said == ["copy running-config startup-config"]
