# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints, rollback, scheduled jobs, configure replace, saving, and the faults of the platform."""

from __future__ import annotations

import pytest

from lab.device import Fault, Logout

DEAD_MAN = """
feature scheduler
scheduler job name ROLL-1
  rollback running-config checkpoint BEFORE
  exit
scheduler schedule name ROLL-1
  job name ROLL-1
  time start +00:05
"""


# -- checkpoints -----------------------------------------------------------------------------------------------
def test_checkpoint_and_rollback(roce):
    before = roce.device.running()
    assert roce.shell.run("checkpoint BEFORE description the state of monday") == "...Done"
    assert roce.device.leftovers() == ["checkpoint BEFORE"]
    roce.configure("interface Ethernet1/1\nmtu 1500")
    assert roce.device.running() != before
    lines = roce.shell.run("rollback running-config checkpoint BEFORE").split("\n")
    for line in ("Collecting Running-Config", "#Generating Rollback Patch", "Executing Rollback Patch"):
        assert line in lines
    assert lines[-2:] == ["", "Rollback completed successfully."]
    assert roce.device.running() == before
    assert roce.shell.run("no checkpoint BEFORE") == ""
    assert roce.device.leftovers() == []


def test_rollback_without_a_difference(bench):
    bench.shell.run("checkpoint A")
    answer = bench.shell.run("rollback running-config checkpoint A atomic")
    assert answer.endswith("#Generating Rollback Patch\nRollback Patch is Empty\n\nRollback completed successfully.")


def test_rollback_texts_of_old_releases(make_bench):
    bench = make_bench("9.3(9)")
    bench.shell.run("checkpoint A")
    bench.configure("vlan 7")
    answer = bench.shell.run("rollback running-config checkpoint A verbose")
    assert answer.startswith("Note: Applying config parallelly may fail Rollback verification\n")
    assert "`no vlan 7`" in answer
    assert "Generating Patch for verification" in answer


def test_rollback_from_inside_a_mode(bench):
    bench.shell.run("checkpoint A")
    bench.type("configure terminal\ninterface Ethernet1/1\ndescription x")
    assert bench.shell.run("rollback running-config checkpoint A").endswith("successfully.")
    assert bench.shell.prompt == "leaf01(config)# "


def test_ten_checkpoints(bench):
    for number in range(10):
        assert bench.shell.run(f"checkpoint C{number}") == "...Done"
    full = bench.shell.run("checkpoint C10")
    assert full.startswith("ERROR: Maximum number of checkpoints (10) reached")
    bench.shell.run("no checkpoint C3")
    assert bench.shell.run("checkpoint C10") == "...Done"


def test_names_of_checkpoints(bench):
    assert bench.shell.run("checkpoint") == "user-checkpoint-1 created Successfully\n\nDone"
    assert bench.shell.run("checkpoint user-checkpoint-1") == "ERROR: Checkpoint user-checkpoint-1 already exists"
    assert bench.shell.run("checkpoint system-x") == "ERROR: Checkpoint name can not start with system"
    assert bench.shell.run("no checkpoint X") == "ERROR: Checkpoint X does not exist"
    assert bench.shell.run("clear checkpoint database user") == ".Done"
    assert bench.device.leftovers() == []


def test_show_checkpoints(bench):
    bench.shell.run("checkpoint A description before the change")
    bench.configure("feature lldp\nno feature lldp")
    summary = bench.shell.run("show checkpoint summary")
    size = f"{len(bench.device.checkpoints['A'].text):,}"
    assert summary.startswith(
        "User Checkpoint Summary\n" + "-" * 80 + "\n1) A:\nCreated by admin\nCreated at Sun, 12:00:00 29 Nov 2026\n"
        f"Size is {size} bytes\nDescription: before the change\n"
    )
    assert "System Checkpoint Summary" in summary
    assert "1) system-fm-lldp:" in summary
    assert "System" not in bench.shell.run("show checkpoint summary user")
    assert f"Name: A\n\n!Command: Checkpoint cmd vdc 1\n!Time: Sun Nov 29 12:00:00 2026\n{bench.device.running()}" in (
        bench.shell.run("show checkpoint A")
    )
    assert bench.shell.run("no checkpoint system-fm-lldp").startswith("ERROR: Checkpoint system-fm-lldp was created by")


def test_show_diff(roce):
    roce.shell.run("checkpoint A")
    assert roce.shell.run("show diff rollback-patch checkpoint A running-config").endswith("Rollback Patch is Empty")
    roce.configure("interface Ethernet1/2\nmtu 9216\nno description\nvlan 7\nno feature lldp")
    answer = roce.shell.run("show diff rollback-patch checkpoint A running-config").split("\n")
    assert answer[:4] == ["Collecting Running-Config", "#Generating Rollback Patch", "", "!!"]
    assert [line for line in answer[4:] if line != "!"] == [
        "no feature lldp",
        "interface Ethernet1/2",
        "  no description gpu01 rail0",
        "vlan 7",
        "interface Ethernet1/2",
        "  mtu 9216",
    ]
    back = roce.shell.run("show diff rollback-patch running-config checkpoint A")
    assert "no vlan 7" in back
    assert "  description gpu01 rail0" in back


# -- the dead man's handle -------------------------------------------------------------------------------------
def arm(bench) -> None:
    bench.shell.run("checkpoint BEFORE")
    bench.configure(DEAD_MAN)


def test_the_schedule_is_printed_with_its_moment(bench):
    arm(bench)
    assert bench.device.running().endswith(
        "scheduler job name ROLL-1\n  rollback running-config checkpoint BEFORE\n\nend-job\n"
        "scheduler schedule name ROLL-1\n  job name ROLL-1\n  time start 2026:11:29:12:05\n"
    )
    assert bench.device.leftovers() == [
        "checkpoint BEFORE",
        "scheduler job name ROLL-1",
        "scheduler schedule name ROLL-1",
    ]


def test_show_the_schedule(bench):
    arm(bench)
    shown = bench.shell.run("show scheduler schedule").split("\n")
    assert shown[0] == "Schedule Name       : ROLL-1"
    assert shown[2:5] == [
        "User Name           : admin",
        "Schedule Type       : Run once on Sun Nov 29 12:05:00 2026",
        "Last Execution Time : Yet to be executed",
    ]
    assert shown[8].split() == ["ROLL-1", "-NA-"]
    assert bench.shell.run("show scheduler schedule name NOPE") == "Error: entry not found"
    assert "  rollback running-config checkpoint BEFORE\n" in bench.shell.run("show scheduler config")
    assert bench.shell.run("show scheduler job").startswith("Job Name: ROLL-1\n----------------\nrollback running")


def test_the_switch_goes_back_by_itself(bench):
    before = bench.device.running()
    arm(bench)
    bench.configure("interface Ethernet1/1\nshutdown")
    bench.time.pass_by(299)
    bench.device.tick()
    assert not bench.device.port("Ethernet1/1").admin_up
    bench.time.pass_by(1)
    bench.device.tick()
    assert bench.device.running() == before
    assert bench.device.leftovers() == ["checkpoint BEFORE"]
    assert "Job Status: Success (0)" in bench.device.logfile[0]
    assert "Rollback completed successfully." in bench.device.logfile[0]


def test_it_goes_back_when_nobody_is_logged_in(bench):
    before = bench.device.running()
    arm(bench)
    bench.shell.close()
    bench.time.pass_by(3600)
    shell = bench.device.shell("oper")
    assert before in "\n".join(shell.run("show running-config").split("\n")) + "\n"
    assert bench.device.running() == before


def test_a_disarmed_switch_stays_as_it_is(bench):
    arm(bench)
    bench.configure("interface Ethernet1/1\nshutdown")
    bench.configure("no scheduler schedule name ROLL-1\nno scheduler job name ROLL-1\nno feature scheduler")
    bench.shell.run("no checkpoint BEFORE")
    after = bench.device.running()
    bench.time.pass_by(7200)
    bench.device.tick()
    assert bench.device.running() == after
    assert "shutdown" in bench.section("interface Ethernet1/1")
    assert bench.device.leftovers() == []


def test_a_feature_that_was_there_before_stays(bench):
    bench.configure("feature scheduler")
    before = bench.device.running()
    arm(bench)
    bench.time.pass_by(301)
    bench.device.tick()
    assert bench.device.running() == before
    assert bench.device.enabled("scheduler")


def test_a_job_that_fails_says_so(bench):
    arm(bench)
    bench.shell.run("no checkpoint BEFORE")
    bench.time.pass_by(300)
    shown = bench.shell.run("show scheduler schedule").split("\n")
    assert "Last Execution Time : Sun Nov 29 12:05:00 2026" in shown
    assert "Execution count     : 1" in shown
    assert shown[-2].split() == ["ROLL-1", "Failed", "(-1)"]
    bench.time.pass_by(86400)
    assert "Execution count     : 1" in bench.shell.run("show scheduler schedule").split("\n")


def test_repeating_jobs(bench):
    bench.configure("feature scheduler\nscheduler job name J\ncheckpoint ; show clock\nexit\n"
                    "scheduler schedule name S\njob name J\ntime start now repeat 0:01:00")  # fmt: skip
    assert bench.device.job_commands("J") == ["checkpoint", "show clock"]
    for _ in range(3):
        bench.device.tick()
        bench.time.pass_by(3600)
    assert bench.device.user_checkpoints() == ["user-checkpoint-1", "user-checkpoint-2", "user-checkpoint-3"]
    assert "repeat 0:01:00" in bench.section("scheduler schedule name S")[1]


def test_a_job_is_not_edited(bench):
    arm(bench)
    bench.shell.run("configure terminal")
    answer = bench.shell.run("scheduler job name ROLL-1")
    assert answer == "ERROR: Job ROLL-1 already exists; delete it before defining it again"
    assert bench.shell.run("no scheduler job name X") == "Error: entry not found"


def test_the_schedule_may_follow_the_job_without_exit(bench):
    bench.configure("feature scheduler\nscheduler job name J\nshow clock\nscheduler schedule name S\njob name J")
    assert bench.device.job_commands("J") == ["show clock"]


def test_a_schedule_survives_a_reload_to_the_minute(bench):
    bench.time.pass_by(40)
    arm(bench)
    text = bench.device.running()
    bench.device.load(text)
    assert bench.device.running() == text
    bench.time.pass_by(260)  # 12:05:00
    bench.device.tick()
    assert len(bench.device.logfile) == 1


# -- configure replace -----------------------------------------------------------------------------------------
def test_configure_replace_with_a_timer(roce):
    before = roce.device.running()
    roce.shell.run("checkpoint file bootflash:base.cfg")
    roce.configure("interface Ethernet1/2\nno description\nvlan 7")
    now = roce.device.running()
    answer = roce.shell.run("configure replace bootflash:base.cfg commit-timeout 60")
    assert "\nConfigure replace completed successfully." in answer
    assert roce.device.running() == before
    assert roce.device.leftovers() == ["configure replace commit-timeout", "file bootflash:base.cfg"]
    roce.time.pass_by(60)
    roce.device.tick()
    assert roce.device.running() == now
    roce.shell.run("configure replace bootflash:base.cfg commit-timeout 60")
    assert roce.shell.run("configure replace commit") == "Commit successful"
    roce.time.pass_by(60)
    roce.device.tick()
    assert roce.device.running() == before
    roce.shell.run("delete bootflash:base.cfg no-prompt")
    assert roce.device.leftovers() == []


def test_configure_replace_refuses_what_it_can_not_read(roce):
    before = roce.device.running()
    wrong = before.replace("    pause pfc-cos 3\n", "    pause no-drop\n")
    roce.device.files["wrong.cfg"] = wrong
    answer = roce.shell.run("configure replace bootflash:wrong.cfg")
    assert answer.startswith("Syntax error while parsing 'pause no-drop'\nConfigure replace failed.")
    assert roce.device.running() == before
    assert roce.shell.run("configure replace bootflash:absent.cfg").startswith("ERROR: No such file")
    assert roce.shell.run("configure replace commit").startswith("ERROR: No configure replace is waiting")
    assert "range is (30-3600)" in roce.shell.run("configure replace bootflash:wrong.cfg commit-timeout 5")


# -- saving ----------------------------------------------------------------------------------------------------
def test_saving(bench):
    factory = bench.device.startup()
    bench.configure("vlan 7")
    assert bench.device.startup() == factory
    assert bench.shell.run("copy running-config startup-config") == (
        "[########################################] 100%\n"
        "Copy complete, now saving to disk (please wait)...\nCopy complete."
    )
    assert bench.device.startup() == bench.device.running()
    assert "\nvlan 1,7,999\n" in bench.shell.run("show startup-config")


def test_files(bench):
    bench.shell.run("copy running-config bootflash:///a.cfg")
    assert "a.cfg" in bench.shell.run("dir bootflash:")
    assert bench.shell.run("show file bootflash:a.cfg") == bench.device.running()
    assert bench.shell.run("delete bootflash:b.cfg").startswith("ERROR: No such file or directory")


# -- faults ----------------------------------------------------------------------------------------------------
def test_a_refused_line(bench):
    bench.device.faults.append(Fault("refuse", match="mtu", skip=1))
    assert bench.type("configure terminal\ninterface Ethernet1/1\nmtu 9216")[2] == ""
    assert bench.shell.run("mtu 1500").startswith("ERROR: Command failed")
    assert bench.device.port("Ethernet1/1").mtu == 9216
    assert bench.shell.run("mtu 1500") == ""


def test_no_room_for_a_checkpoint(bench):
    bench.device.faults.append(Fault("sessions-full"))
    assert bench.shell.run("checkpoint A").startswith("ERROR: Maximum number of checkpoints (10) reached")
    assert bench.shell.run("checkpoint A") == "...Done"


@pytest.mark.parametrize("command", ["checkpoint A", "copy running-config startup-config", "vlan 7", "no feature lldp"])
def test_locked_by_another_user(bench, command):
    bench.shell.run("configure terminal")
    before = bench.device.running()
    bench.device.faults.append(Fault("locked"))
    assert bench.shell.run(command).startswith("ERROR: Configuration is locked by user oper")
    assert bench.device.running() == before
    assert not bench.shell.run(command).startswith("ERROR")


def test_a_lock_does_not_keep_from_reading(bench):
    bench.device.faults.append(Fault("locked", count=0))
    assert "version 10.4(3)" in bench.shell.run("show running-config")
    assert bench.shell.run("show version").startswith("Cisco Nexus")
    assert bench.shell.run("checkpoint A").startswith("ERROR: Configuration is locked")


def test_exit_logs_out(bench):
    with pytest.raises(Logout):
        bench.shell.run("exit")


def test_two_logins_see_one_configuration(bench):
    other = bench.device.shell("oper")
    bench.type("configure terminal\nvlan 55\nname mine")
    other.run("configure terminal")
    other.run("no vlan 55")
    assert "vlan 1,999" in bench.top()
    assert bench.shell.prompt == "leaf01(config-vlan)# "
    assert "name mine" not in other.run("show running-config")
