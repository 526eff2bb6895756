# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever breaks, wherever: the switch is wholly old or wholly new, nothing is left behind, a following run converges.

The connection is cut before and after every single command of a whole transaction. The table of step and outcome is
printed at the end (``pytest -s`` or the captured output of the test).
"""

from __future__ import annotations

import re

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import (
    Busy,
    Refused,
    SwitchError,
    Unreachable,
)
from tests.integration.support import NEWEST, Bench, bench

PLATFORMS = list(NEWEST)


def commands_of_a_run(b: Bench) -> list[str]:
    """Every command that one converging run types, in order."""
    typed: list[str] = []
    shell_class = type(b.device.shell("probe"))
    original = shell_class.run

    def record(shell, line):
        typed.append(line)
        return original(shell, line)

    shell_class.run = record
    try:
        b.converge()
    finally:
        shell_class.run = original
    return typed


def outcome(b: Bench, old: str, new: str) -> str:
    running = b.lab.running(b.model.name)
    return "old" if running == old else "new" if running == new else "MIXED"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_cut_before_and_after_every_step(platform, tmp_path, capsys):
    with bench(platform, tmp_path) as b:
        old = b.lab.running(b.model.name)
        steps = commands_of_a_run(b)
        new = b.lab.running(b.model.name)
        assert old != new
        rows, wrong = [], []
        for number, step in enumerate(steps):
            rows.append(f"{number:>4}  {step.splitlines()[0][:60]:<60}")
            for kind in ("cut-before", "cut-after"):
                b.lab.load(b.model.name, old)
                b.lab.fault(b.model.name, kind, skip=number)
                try:
                    b.converge()
                    message = "done"
                except SwitchError as error:
                    message = str(error)
                b.lab.clear_faults(b.model.name)
                state, left = outcome(b, old, new), b.lab.leftovers(b.model.name)
                rows[-1] += f" {state:<5}"
                said = "as before" in message if state == "old" and number > 3 else message
                if state == "MIXED" or left or not said or (message == "done" and state != "new"):
                    wrong.append(f"{rows[-1]} left behind: {left}, said: {message}")
                b.converge()
                if outcome(b, old, new) != "new" or b.lab.leftovers(b.model.name):
                    wrong.append(f"{rows[-1]}: a following run does not converge")
        with capsys.disabled():
            title = f"{platform}: {len(steps)} steps"
            print(f"\n      {title:<60} before after" + "".join(f"\n{row}" for row in rows))
        assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_refused_line_undoes_everything(platform, tmp_path):
    """Lines of the change in turn are refused; on NVUE, which takes the change as a file, its steps."""
    with bench(platform, tmp_path) as b:
        old = b.lab.running(b.model.name)
        lines = [f"^{re.escape(line.strip())}$" for line in b.plan().change.commands]
        if platform == "nvue":
            lines = ["^nv config patch", "^nv config apply .*--confirm ", "^nv config apply .*--confirm-yes"]
        for number in range(0, len(lines), max(1, len(lines) // 12)):
            b.lab.fault(b.model.name, "refuse", match=lines[number], count=0)
            with pytest.raises(SwitchError) as caught:
                b.converge()
            b.lab.clear_faults(b.model.name)
            assert isinstance(caught.value, Refused), caught.value
            assert "as before" in str(caught.value)
            assert b.lab.running(b.model.name) == old
            assert b.lab.leftovers(b.model.name) == []
        assert b.converge().applied


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("kind", ["sessions-full", "locked"])
def test_no_room_or_locked_by_another_user(platform, kind, tmp_path):
    with bench(platform, tmp_path) as b:
        old = b.lab.running(b.model.name)
        b.lab.fault(b.model.name, kind, count=0)
        with pytest.raises(Busy) as caught:
            b.converge()
        assert b.model.name in str(caught.value)
        b.lab.clear_faults(b.model.name)
        assert b.lab.running(b.model.name) == old
        assert b.lab.leftovers(b.model.name) == []
        assert b.converge().applied


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_change_that_cannot_be_saved_is_reported_as_confirmed_first(platform, tmp_path):
    """What is in force has to be on record, or nothing could take it back."""
    with bench(platform, tmp_path) as b:
        old = b.lab.running(b.model.name)
        b.lab.fault(b.model.name, "refuse", match="^(copy running-config startup-config|nv config save)", count=0)
        _, transaction = b.transaction()
        recorded = []
        transaction.confirmed = recorded.append
        with pytest.raises(SwitchError, match="confirmed but not saved"):
            transaction.bring_to(b.intended, permit=lambda change: None)
        assert b.lab.running(b.model.name) != old
        assert [b.driver().dump(outcome.change.predicted) for outcome in recorded] == [b.driver().dump(b.plan().before)]
        assert b.lab.leftovers(b.model.name) == []


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_switch_undoes_an_unconfirmed_change_by_itself(platform, tmp_path):
    """After the change no new session is possible: the timer of the switch gives the old configuration back."""
    with bench(platform, tmp_path) as b:
        old = b.lab.running(b.model.name)
        _, transaction = b.transaction(timer=60)
        confirm = transaction._confirm

        def unreachable(before, change):
            b.lab.fault(b.model.name, "unreachable", count=0)
            transaction.timer = -1000  # do not wait in real time
            confirm(before, change)

        transaction._confirm = unreachable
        with pytest.raises(Unreachable) as caught:
            transaction.bring_to(b.intended, permit=lambda change: None)
        assert "by itself" in str(caught.value)
        assert b.lab.running(b.model.name) != old
        b.lab.clear_faults(b.model.name)
        b.lab.advance(180)
        assert b.lab.running(b.model.name) == old
        b.converge()
        assert b.lab.leftovers(b.model.name) == []


@pytest.mark.parametrize("platform", PLATFORMS)
def test_log_lines_banner_and_slowness_do_not_matter(platform, tmp_path):
    with bench(platform, tmp_path) as b:
        b.lab.banner(
            b.model.name,
            banner="*" * 70 + "\n# Authorised use only. $ > # \n" * 40,
            motd=f"{b.model.name}# not a prompt > $\n" * 5,
        )
        b.lab.fault(b.model.name, "log-lines", count=0)
        b.lab.fault(b.model.name, "slow", count=3, skip=2, seconds=0.3)
        first = b.converge()
        assert first.applied
        assert not b.plan().change


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_silent_switch_is_given_up(platform, tmp_path):
    with bench(platform, tmp_path) as b:
        b.timeout = 2
        old = b.lab.running(b.model.name)
        b.lab.fault(b.model.name, "slow", count=1, skip=1, seconds=6)
        with pytest.raises(SwitchError, match="no prompt within"):
            b.converge()
        assert b.lab.running(b.model.name) == old


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_changed_host_key_stops_before_the_password_is_sent(platform, tmp_path):
    with bench(platform, tmp_path) as b:
        old = b.lab.running(b.model.name)
        b.lab.change_host_key(b.model.name)
        with pytest.raises(Unreachable, match="host key is not the one") as caught:
            b.converge()
        assert b.password not in str(caught.value)
        assert b.lab.running(b.model.name) == old


@pytest.mark.parametrize("platform", PLATFORMS)
def test_wrong_credentials_and_unknown_host(platform, tmp_path):
    with bench(platform, tmp_path) as b:
        b.password = "wrong-secret"
        with pytest.raises(Unreachable, match="does not accept the credentials") as caught:
            b.plan()
        assert "wrong-secret" not in str(caught.value)
        b.password = ""
        (tmp_path / "known_hosts").write_text("")
        with pytest.raises(Unreachable, match="host key is unknown"):
            b.plan()
