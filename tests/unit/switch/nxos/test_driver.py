# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is typed on a session: checkpoint, timer, confirm, rollback, tidying up."""

from __future__ import annotations

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import Change, SectionDiff
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import Busy, Refused, Unreadable
from tests.unit.switch.nxos.support import RUNNING, FakeSession, driver

CHANGE = Change((SectionDiff("lldp", (), (), ("lldp timer 20",)),), ("lldp timer 20",))
ID = "lossless-12ab34cd"
SUMMARY = f"""User Checkpoint Summary
--------------------------------------------------------------------------------
1) before-upgrade:
Created by admin
2) {ID}:
Created by admin
Created at Wed, 12:03:43 25 Nov 2026
Size is 20,100 bytes
Description: None
"""
DONE = """Note: Applying config parallelly may fail Rollback verification
Collecting Running-Config
#Generating Rollback Patch
Executing Rollback Patch
Generating Running-config for verification
Generating Patch for verification
Verification is Successful.

Rollback completed successfully.
"""
BARE = RUNNING.replace("feature scheduler\n", "")
BARE = BARE[: BARE.index("scheduler job")] + BARE[BARE.index("lldp timer") :]


def with_job(text: str, job: str) -> str:
    timer = f"scheduler job name {job}\nrollback running-config checkpoint {ID}\n\nend-job\n\n"
    timer += f"scheduler schedule name {ID}\n  job name {job}\n  time start 2026:11:25:12:06\n"
    text = text if "feature scheduler" in text else text.replace("feature lldp\n", "feature scheduler\nfeature lldp\n")
    return text.replace("lldp timer", f"{timer}\nlldp timer", 1)


def session(running: str = RUNNING, summary: str = "", **answers: str | Exception) -> FakeSession:
    def answer(command: str) -> str | Exception:
        for start, text in answers.items():
            if command.startswith(start.replace("_", " ")):
                return text
        return {"show running-config": running, "show checkpoint summary": summary}.get(command, "")

    return FakeSession(answer)


def configuration(typed: list[str]) -> list[str]:
    return [line for line in typed if not line.startswith("show ")]


def test_apply_sets_the_timer_after_the_checkpoint_and_before_the_first_line():
    drv, s = driver(), session()
    drv.read(s)
    drv.apply(s, CHANGE, ID, 300)
    assert configuration(s.typed) == [
        "terminal dont-ask",
        "configure terminal",
        "end",
        f"checkpoint {ID}",
        "configure terminal",
        f"scheduler job name {ID}",
        f"rollback running-config checkpoint {ID}",
        "exit",
        f"scheduler schedule name {ID}",
        f"job name {ID}",
        "time start +00:06",
        "exit",
        "lldp timer 20",
        "end",
    ]


def test_apply_switches_the_scheduler_on_where_it_is_off_and_marks_the_job():
    drv, s = driver(), session(BARE)
    drv.read(s)
    drv.apply(s, CHANGE, ID, 60)
    assert s.typed.index(f"checkpoint {ID}") < s.typed.index("feature scheduler")
    assert f"scheduler job name {ID}-sole" in s.typed
    assert f"job name {ID}-sole" in s.typed


@pytest.mark.parametrize(
    ("seconds", "start"), [(30, "+00:02"), (60, "+00:02"), (61, "+00:03"), (300, "+00:06"), (3600, "+01:01")]
)
def test_the_timer_is_never_shorter_than_asked_for(seconds, start):
    drv, s = driver(), session()
    drv.read(s)
    drv.apply(s, CHANGE, ID, seconds)
    assert f"time start {start}" in s.typed


def test_confirm_deletes_the_checkpoint_first_then_tidies_up():
    s = session(with_job(RUNNING, ID))
    driver().confirm(s, ID)
    assert configuration(s.typed) == [
        f"no checkpoint {ID}",
        "configure terminal",
        f"no scheduler schedule name {ID}",
        f"no scheduler job name {ID}",
        "end",
    ]


def test_confirm_switches_the_scheduler_off_again_if_it_was_on_for_us_alone():
    s = session(with_job(BARE, f"{ID}-sole"))
    driver().confirm(s, ID)
    assert configuration(s.typed) == [f"no checkpoint {ID}", "configure terminal", "no feature scheduler", "end"]
    shared = session(with_job(RUNNING, f"{ID}-sole"))  # somebody has put a job of his own into it meanwhile
    driver().confirm(shared, ID)
    assert "no feature scheduler" not in shared.typed
    assert f"no scheduler job name {ID}-sole" in shared.typed


@pytest.mark.parametrize("answer", [DONE, "#Generating Rollback Patch\nRollback Patch is Empty\n"])
def test_roll_back_goes_to_the_checkpoint_and_removes_it(answer):
    s = session(RUNNING, SUMMARY, rollback=answer)
    s.prompt = "leaf03(config-if)#"  # a line was refused in the middle
    driver().roll_back(s, ID)
    assert configuration(s.typed) == ["end", f"rollback running-config checkpoint {ID}", f"no checkpoint {ID}"]


def test_roll_back_without_checkpoint_only_tidies_up():
    s = session(with_job(RUNNING, ID))
    driver().roll_back(s, ID)
    assert not [line for line in s.typed if line.startswith("rollback")]
    assert f"no scheduler job name {ID}" in s.typed
    nothing = session(RUNNING)
    driver().roll_back(nothing, ID)
    assert configuration(nothing.typed) == []


def test_a_rollback_that_fails_keeps_the_checkpoint_and_says_where_to_look():
    text = "Executing Rollback Patch\nVerification failed, Rolling back to previous configuration\n"
    s = session(RUNNING, SUMMARY, rollback=text)
    with pytest.raises(Refused, match=r"did not complete.*Verification failed.*still there"):
        driver().roll_back(s, ID)
    assert f"no checkpoint {ID}" not in s.typed


def test_clean_rolls_back_what_was_not_confirmed_and_leaves_what_is_not_ours():
    s = session(RUNNING, SUMMARY, rollback=DONE)
    assert driver().clean(s) == [f"change {ID} was not confirmed and has been rolled back"]
    assert f"rollback running-config checkpoint {ID}" in s.typed
    assert not [line for line in s.typed if "before-upgrade" in line or "nightly" in line]


def test_clean_removes_the_timer_of_a_confirmed_change():
    texts = iter([with_job(RUNNING, ID), RUNNING])
    s = FakeSession(lambda command: next(texts) if command == "show running-config" else "")
    drv = driver()
    assert drv.clean(s) == [f"job {ID}"]
    assert f"no scheduler schedule name {ID}" in s.typed
    assert drv.read(s) == RUNNING


def test_a_switch_without_leftovers_is_read_once():
    drv, s = driver(), session()
    assert drv.clean(s) == []
    assert drv.read(s) == RUNNING
    assert s.typed == ["show checkpoint summary", "show running-config"]
    drv.read(s)
    assert s.typed.count("show running-config") == 2  # what was read is used once
    assert drv.running_release == "10.3(4a)"
    assert drv.dialect_release == (10, 3)


def refused(command: str, answer: str) -> Refused:
    return Refused(f"{command!r} was refused: {answer}", command, answer)


@pytest.mark.parametrize(
    ("command", "answer", "expected"),
    [
        ("configure_terminal", "Configuration is locked by another session", "held by somebody else"),
        ("checkpoint", "ERROR: rollback operation in progress", "held by somebody else"),
        ("checkpoint", "ERROR: Maximum number of checkpoints (10) reached", "no room for a checkpoint.*keeps 10"),
    ],
)
def test_busy_is_told_before_anything_is_left_behind(command, answer, expected):
    s = session(RUNNING, **{command: refused(command, answer)})
    with pytest.raises(Busy, match=expected):
        driver().apply(s, CHANGE, ID, 300)
    assert not [line for line in s.typed if line.startswith(("scheduler", "lldp", "feature"))]


def test_another_refusal_is_no_lock():
    s = session(RUNNING, checkpoint=refused("checkpoint", "% Permission denied for the role"))
    with pytest.raises(Refused, match="Permission denied"):
        driver().apply(s, CHANGE, ID, 300)


def test_save_waits_for_the_word():
    driver().save(
        session(copy="[########################################] 100%\nCopy complete, now saving to disk...\n")
    )
    with pytest.raises(Refused, match=r"expected 'Copy complete'.*not saved"):
        driver().save(session(copy="startup-config: request was aborted\n"))


def test_a_configuration_that_is_none_is_not_taken_for_an_empty_switch():
    with pytest.raises(Unreadable, match="network-admin"):
        driver().read(session("interface Ethernet1/1\n"))


ERRORS = [
    "% Invalid command at '^' marker.",
    "                ^\n% Invalid number/range at '^' marker.",
    "% Incomplete command at '^' marker.",
    "% Ambiguous command at '^' marker.",
    "ERROR: Ethernet1/1: requested config not allowed",
    "Error: policy-map is in use",
    "Syntax error while parsing 'foo'",
    "% Permission denied for the role",
    "ERROR: sufficient free entries are not available in tcam bank",
]
HARMLESS = [
    RUNNING,
    DONE,
    SUMMARY,
    "Schedule starts from Wed Nov 25 12:06:00 2026",
    "Copy complete, now saving to disk (please wait)...",
    "[#####     ]  40%",
    "..Done",
    "Rcv-Err  UnderSize OutDiscards\nEth1/1 0 -- 0",
    "Warning: Changing the buffers of all ports may take a while",
]


@pytest.mark.parametrize("text", ERRORS)
def test_refusals_are_recognised(text):
    assert any(pattern.search(text) for pattern in driver().dialect.errors)


@pytest.mark.parametrize("text", HARMLESS)
def test_normal_output_is_no_refusal(text):
    assert not [pattern.pattern for pattern in driver().dialect.errors if pattern.search(text)]
