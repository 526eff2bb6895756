# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Revisions of the emulated NVUE: pending, applied, saved, confirmed, rolled back."""

from __future__ import annotations

import json

import pytest

from lab.device import Fault
from lab.nvue import yamltext
from tests.unit.lab.nvue.trees import Time, device, leaf, qos

HASH = "$6$emulated"  # how every password hash of the factory configuration begins


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def dev(time):
    return device("5.14.0", time)


@pytest.fixture
def shell(dev):
    return dev.shell("cumulus")


def put(shell, text, name="/tmp/x.yaml"):
    """Write a file as a person does: a here-document on the terminal."""
    assert shell.run(f"cat > {name} <<'EOF'") == ""
    for line in text.splitlines():
        assert shell.prompt == "> "
        assert shell.run(line) == ""
    assert shell.run("EOF") == ""


def patch(shell, operations, command="patch"):
    put(shell, yamltext.dump(operations))
    return shell.run(f"nv config {command} /tmp/x.yaml")


def states(shell):
    return {k: v["state"] for k, v in json.loads(shell.run("nv config revision -o json")).items()}


def status(shell):
    return int(shell.run("echo $?"))


# -- the plain way ---------------------------------------------------------------------------------------------
def test_set_diff_apply(dev, shell):
    before = dev.running()
    assert shell.run("nv set interface swp1 link mtu 9000") == "created [rev_id: 1]"
    assert shell.run("nv set interface swp1 description 'to spine01'") == ""
    assert dev.running() == before
    assert shell.run("nv config diff") == (
        "- set:\n    interface:\n      swp1:\n        description: to spine01\n        link:\n"
        "          mtu: 9000\n        type: swp"
    )
    assert dev.leftovers() == ["revision 1 (pending) of cumulus"]
    assert shell.run("nv config apply -y").endswith("\x1b[Japplied_and_saved [rev_id: 1]")
    assert shell.run("nv config diff") == ""
    assert shell.run("nv config diff -o json") == "[]"
    assert dev.running() == dev.startup() != before
    assert dev.leftovers() == []
    assert "description: to spine01" in shell.run("nv config show")
    assert shell.run("nv config show") == dev.running()


def test_unset_and_diff_both_ways(dev, shell):
    shell.run("nv set interface swp1 link mtu 9000")
    shell.run("nv set interface swp1 link speed 400G")
    shell.run("nv config apply -y")
    shell.run("nv unset interface swp1 link mtu")
    shell.run("nv set interface swp1 link speed 200G")
    assert shell.run("nv config diff -o commands").splitlines() == [
        "nv unset interface swp1 link mtu",
        "nv set interface swp1 link speed 200G",
    ]
    assert json.loads(shell.run("nv config diff -o json")) == [
        {"unset": {"interface": {"swp1": {"link": {"mtu": None}}}}},
        {"set": {"interface": {"swp1": {"link": {"speed": "200G"}}}}},
    ]
    assert "mtu:" in shell.run("nv config diff").splitlines()[4]
    shell.run("nv config detach")
    assert shell.run("nv config diff 1 applied") == ""
    assert shell.run("nv config diff empty applied") != ""
    assert shell.run("nv config diff 77") == "Error: Unknown revision: 77"
    assert shell.run("nv config delete 2") == "deleted [rev_id: 2]"
    assert dev.leftovers() == []


def test_unset_takes_ranges_and_leaves_no_empty_objects(dev, shell):
    before = dev.running()
    shell.run("nv set interface swp1-4 qos pfc profile default-global")
    shell.run("nv config apply -y")
    shell.run("nv unset interface swp1-4")
    shell.run("nv config apply -y")
    assert dev.running() == before
    shell.run("nv set interface swp1 link mtu 9000")
    shell.run("nv unset interface swp1 link mtu")
    assert dev.find("pending", "cumulus")["interface"]["swp1"] == {"type": "swp"}


def test_interfaces_that_agree_are_printed_as_a_range(dev, shell):
    shell.run("nv set interface swp1-3,7 link mtu 9000")
    shell.run("nv set interface swp2 description odd")
    shell.run("nv config apply -y")
    tree = json.loads(shell.run("nv config show -o json"))[1]["set"]["interface"]
    assert tree["swp1-3,7"] == {"link": {"mtu": 9000}, "type": "swp"}
    assert tree["swp2"] == {"description": "odd"}
    lines = shell.run("nv config show -o commands").splitlines()
    assert "nv set interface swp1-3,7 link mtu 9000" in lines
    assert "nv set interface swp2 description odd" in lines
    assert lines == sorted(lines)


def test_commands_of_a_configuration_build_it_again(dev, shell):
    assert patch(shell, [{"set": leaf(old=True)}]) == "created [rev_id: 1]"
    assert shell.run("nv config apply -y").endswith("applied_and_saved [rev_id: 1]")
    lines = shell.run("nv config show -o commands")
    other = device().shell("cumulus")
    put(other, "\n".join(line for line in lines.splitlines() if "hashed-password" not in line), "/tmp/c.txt")
    assert other.run("nv config patch /tmp/c.txt") == "created [rev_id: 1]"
    assert other.run("nv config apply -y").endswith("applied_and_saved [rev_id: 1]")
    assert other.device.running() == dev.running()


def test_load_is_the_inverse_of_running(dev, shell):
    patch(shell, [{"set": leaf(old=True)}])
    shell.run("nv config apply -y")
    text = dev.running()
    other = device()
    other.load(text)
    assert other.running() == text == other.startup()


def test_unknown_parts_of_a_startup_file_are_kept():
    text = (
        "- header:\n    model: SN5600\n    nvue-api-version: nvue_v1\n    rev-id: 1.0\n"
        "    version: Cumulus Linux 5.14.0\n"
        "- set:\n    interface:\n      eth0:\n        future-thing:\n          level: 7\n        type: eth\n"
        "      swp1-2:\n        type: swp\n    new-subsystem:\n      switched: on\n"
    )
    dev = device()
    dev.load(text)
    assert dev.running() + "\n" == text
    shell = dev.shell("cumulus")
    shell.run("nv set interface swp1 link mtu 9000")
    shell.run("nv config apply -y")
    shell.run("nv unset interface swp1 link mtu")
    shell.run("nv config apply -y")
    assert dev.running() + "\n" == text


def test_a_startup_file_is_taken_word_for_word():
    """Only what is set later is completed."""
    dev = device()
    dev.load("- set:\n    interface:\n      swp1:\n        link:\n          mtu: 9000\n")
    assert dev.applied == {"interface": {"swp1": {"link": {"mtu": 9000}}}}
    dev.shell("cumulus").run("nv set interface swp1 link mtu 9100")
    assert dev.find("pending", "cumulus") == {"interface": {"swp1": {"link": {"mtu": 9100}, "type": "swp"}}}


def test_load_takes_a_plain_tree():
    dev = device("5.16.0")
    dev.load("interface:\n  swp1-2:\n    type: swp\n")
    assert list(dev.applied["interface"]) == ["swp1", "swp2"]
    with pytest.raises(ValueError, match="a configuration is a list or a mapping, not str"):
        dev.load("just words")


# -- files -----------------------------------------------------------------------------------------------------
def test_patch_merges_and_replace_does_not(dev, shell):
    assert patch(shell, [{"set": {"qos": qos()}}]) == "created [rev_id: 1]"
    tree = dev.find("pending", "cumulus")
    assert tree["qos"] == qos()
    assert "cumulus" in tree["system"]["aaa"]["user"]
    assert patch(shell, [{"set": {"qos": qos()}}], "replace") == ""
    assert dev.find("pending", "cumulus") == {"qos": qos()}


def test_patch_with_unset_of_something_else(dev, shell):
    operations = [
        {"unset": {"bridge": {"domain": {"br_default": {"vlan": {"999": None}}}}}},
        {"set": {"bridge": {"domain": {"br_default": {"vlan": {"10": {}}}}}}},
    ]
    assert patch(shell, operations) == "created [rev_id: 1]"
    assert dev.find("pending", "cumulus")["bridge"]["domain"]["br_default"]["vlan"] == {"10": {}}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{}", "must contain a list of operation objects"),
        ("set:\n  interface: {}", "must contain a list of operation objects"),
        ("- set: {interface: {swp1: {link: {mtu: 1}}}}", "interface.swp1.link.mtu: 1 is less than the minimum"),
        ("- set: {set: {interface: {}}}", "('set' was unexpected)"),
        ("- patch: {interface: {}}", "'patch' is not one of ['header', 'set', 'unset']"),
        ("- set: {interface: {swp1: {link: {speed: 400g}}}}", "'400g' is not one of"),
        ("- set: {qos: {roce: {enable: true}}}", "True is not one of ['on', 'off']"),
        ("- set: {qos: {pfc: {roce: {tx: True}}}}", "True is not one of ['enable', 'disable']"),
        ("- set: {system: {aaa: {user: {x: {full-name: True}}}}}", "True is not valid"),
        ("- set:\n    qos: {}\n    qos: {}", "Failed to parse YAML"),
        ("- set: [", "Failed to parse YAML"),
        ("- unset: {qos: {pfc: null}}\n- set: {qos: {pfc: {roce: {tx: enable}}}}", "Both unset and set of 'qos.pfc'"),
        ("nv set qos pfc roce tx enable\nnv show qos", "must contain a list of operation objects"),
        ("nv set qos pfc roce tx enable\n\nnv set qos pfc roce tx on", "x.yaml:3 'nv set qos pfc roce tx on' failed"),
    ],
)
def test_bad_files_change_nothing(dev, shell, text, error):
    put(shell, text)
    answer = shell.run("nv config patch /tmp/x.yaml")
    assert answer.startswith("Error: ")
    assert error in answer
    assert status(shell) == 1
    shell.run("rm /tmp/x.yaml")
    assert dev.leftovers() == []
    assert shell.run("nv config diff") == ""


def test_a_bare_on_is_a_string_to_nvue(dev, shell):
    """NVUE prints it so and reads NVIDIA's own files back; only a YAML 1.1 client makes a boolean of it."""
    put(shell, "- set:\n    qos:\n      roce:\n        enable: on\n")
    assert shell.run("nv config patch /tmp/x.yaml") == "created [rev_id: 1]"
    assert dev.find("pending", "cumulus")["qos"] == {"roce": {"enable": "on"}}
    shell.run("nv config apply -y")
    assert "        enable: on\n" in dev.running() + "\n"


def test_patch_of_a_missing_file(shell):
    assert shell.run("nv config patch /tmp/none") == "Error: No such file or directory: '/tmp/none'"


# -- apply -----------------------------------------------------------------------------------------------------
BROKEN = {
    "scheduler sum": (
        {"egress-scheduler": {"e": {"traffic-class": {"0": {"bw-percent": 60}, "3": {"bw-percent": 41}}}}},
        {},
        "qos.egress-scheduler.e: the sum of bw-percent is 101",
    ),
    "pool sum": (
        {"traffic-pool": {"default-lossless": {"memory-percent": 60}, "default-lossy": {"memory-percent": 41}}},
        {},
        "the sum of memory-percent is 101",
    ),
    "min above max": (
        {"congestion-control": {"c": {"traffic-class": {"3": {"min-threshold": 2, "max-threshold": 1}}}}},
        {},
        "min-threshold 2 is greater than max-threshold 1",
    ),
    "xon above xoff": ({"pfc": {"p": {"xon-threshold": 2, "xoff-threshold": 1}}}, {}, "xon-threshold 2 is greater"),
    "priority in two pools": (
        {"traffic-pool": {"a": {"switch-priority": {"3": {}}}, "b": {"switch-priority": {"3": {}}}}},
        {},
        "switch-priority 3 is in a and in b",
    ),
    "queue map profile": (
        {"egress-queue-mapping": {"mine": {"switch-priority": {"3": {"traffic-class": 3}}}}},
        {},
        "only the profile default-global",
    ),
    **{
        f"undefined {kind}": (
            {},
            {"qos": {kind: {"profile": "nope"}}},
            f"profile 'nope' is not configured in qos.{kind}",
        )
        for kind in (
            "mapping",
            "remark",
            "pfc",
            "link-pause",
            "congestion-control",
            "egress-scheduler",
            "egress-shaper",
        )
    },
    "pfc and pause": (
        {"pfc": {"p": {"tx": "enable"}}, "link-pause": {"l": {"tx": "enable"}}},
        {"qos": {"pfc": {"profile": "p"}, "link-pause": {"profile": "l"}}},
        "pfc and link-pause cannot be used on the same port",
    ),
    "lossless without a pool": (
        {"pfc": {"p": {"switch-priority": {"3": {}}}}},
        {"qos": {"pfc": {"profile": "p"}}},
        "memory-percent must be set",
    ),
    "unknown bridge": ({}, {"bridge": {"domain": {"br_other": {"access": 10}}}}, "domain 'br_other' is not configured"),
    "access and trunk": (
        {},
        {"bridge": {"domain": {"br_default": {"access": 10, "vlan": {"10": {}}}}}},
        "access cannot be used with untagged or vlan",
    ),
    "unknown vrf": ({}, {"ip": {"vrf": "RED"}}, "vrf 'RED' is not configured"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_the_schema_cannot_say_fails_at_apply(dev, shell, name):
    tables, port, error = BROKEN[name]
    before = dev.running()
    wanted = {**({"qos": tables} if tables else {}), **({"interface": {"swp1": port}} if port else {})}
    assert patch(shell, [{"set": wanted}]) == "created [rev_id: 1]"
    answer = shell.run("nv config apply -y")
    assert answer.startswith("Invalid config [rev_id: 1]\n  Config invalid at ")
    assert error in answer
    assert status(shell) == 1
    assert dev.running() == before == dev.startup()
    revision = json.loads(shell.run("nv config revision -o json"))["1"]
    assert revision["state"] == "invalid"
    assert revision["transition"]["issue"]["0"]["code"] == "config_invalid"
    assert "invalid" in dev.leftovers()[0]


def test_a_mended_revision_can_be_applied(dev, shell):
    shell.run("nv set interface swp1 qos pfc profile roce")
    assert "Invalid config" in shell.run("nv config apply -y")
    shell.run("nv set qos pfc roce switch-priority 3")
    shell.run("nv set qos traffic-pool default-lossless memory-percent 50")
    assert shell.run("nv config apply -y").endswith("applied_and_saved [rev_id: 1]")


def test_apply_of_nothing(shell):
    assert shell.run("nv config apply -y").startswith("Error: ")
    assert status(shell) == 1


def test_a_new_hostname_is_asked_about(dev, shell):
    shell.run("nv set system hostname leaf99")
    assert shell.run("nv config apply").endswith("will be replaced with `leaf99`")
    assert shell.prompt == "Are you sure? [y/N] "
    assert shell.run("n").startswith("Declined")
    assert dev.hostname == "leaf01"
    shell.run("nv config apply; echo rc=$?")
    assert shell.run("y").endswith("applied_and_saved [rev_id: 1]\nrc=0")
    assert dev.shell("cumulus").prompt == "cumulus@leaf99:mgmt:~$ "


def test_two_users_do_not_disturb_each_other(dev, shell):
    other = dev.shell("admin")
    shell.run("nv set interface swp1 description mine")
    assert other.run("nv set interface swp2 description theirs") == "created [rev_id: 2]"
    assert "swp2" not in shell.run("nv config diff")
    other.run("nv config apply -y")
    shell.run("nv config apply -y")
    assert {"mine", "theirs"} <= {p.get("description") for p in dev.applied["interface"].values()}


def test_apply_of_an_earlier_revision_restores_it_exactly(dev, shell):
    shell.run("nv set interface swp1 description one")
    shell.run("nv config apply -y")
    first = dev.running()
    shell.run("nv set interface swp1 description two")
    shell.run("nv set interface swp2 description more")
    shell.run("nv config apply -y")
    assert shell.run("nv config apply 1 -y").endswith("applied_and_saved [rev_id: 1]")
    assert dev.running() == first
    assert "rev_2_apply_1" in shell.run("nv config history")


def test_without_auto_save(dev, shell):
    shell.run("nv set system config auto-save state disabled")
    shell.run("nv config apply -y")
    saved = dev.startup()
    shell.run("nv set interface swp1 description x")
    assert shell.run("nv config apply -y").endswith("\x1b[Japplied [rev_id: 2]")
    assert dev.startup() == saved != dev.running()
    assert shell.run("nv config diff startup applied") != ""
    assert shell.run("nv config save") == "saved [rev_id: applied]"
    assert dev.startup() == dev.running()


@pytest.mark.parametrize(("release", "saved"), [("5.8.0", False), ("5.9.2", True), ("5.18.0", True)])
def test_auto_save_is_the_default_since_5_9(release, saved):
    dev = device(release)
    shell = dev.shell("cumulus")
    shell.run("nv set interface swp1 description x")
    word = "applied_and_saved" if saved else "applied"
    assert shell.run("nv config apply -y").endswith(f"\x1b[J{word} [rev_id: 1]")
    assert (dev.startup() == dev.running()) is saved


# -- confirm ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("option", "seconds"),
    [("--confirm", 600), ("--confirm 60s", 60), ("--confirm=90s", 90), ("--confirm 10m", 600), ("--confirm 60", 3600)],
)
def test_unconfirmed_changes_are_rolled_back(dev, shell, time, option, seconds):
    before = dev.running()
    shell.run("nv set interface swp1 description x")
    assert shell.run(f"nv config apply -y {option}").endswith("confirm [rev_id: 1]")
    changed = dev.running()
    assert changed != before == dev.startup()
    assert states(shell)["1"] == "confirm"
    assert dev.leftovers() == ["revision 1 (confirm) of cumulus"]
    time.now += seconds - 1
    dev.tick()
    assert dev.running() == changed
    assert "0:00:01" in shell.run("nv config apply --confirm-status")
    time.now += 1
    dev.tick()
    assert dev.running() == before == dev.startup()
    assert states(shell)["1"] == "confirm_fail"
    assert dev.leftovers() == []
    assert shell.run("nv config apply 1 --confirm-yes") == "Error: Unknown state: 'confirm_fail'"


def test_confirm_from_another_login(dev, shell, time):
    shell.run("nv set interface swp1 description x")
    shell.run("nv config apply --confirm 60s -y")
    shell.close()
    later = dev.shell("cumulus")
    assert later.run("nv config apply 1 --confirm-yes") == "applied_and_saved [rev_id: 1]"
    time.now += 1000
    dev.tick()
    assert "description: x" in dev.running()
    assert dev.startup() == dev.running()
    assert dev.leftovers() == []


def test_confirm_no(dev, shell):
    before = dev.running()
    shell.run("nv set interface swp1 description x")
    shell.run("nv config apply --confirm -y")
    assert shell.run("nv config apply --confirm-no") == "confirm_no [rev_id: 1]"
    assert dev.running() == before
    assert dev.leftovers() == []
    assert shell.run("nv config apply --confirm-no").startswith("Error: ")


def test_a_confirm_locks_out_other_changes(dev, shell):
    shell.run("nv set interface swp1 description x")
    shell.run("nv config apply --confirm -y")
    other = dev.shell("admin")
    other.run("nv set interface swp2 description y")
    answer = other.run("nv config apply -y")
    assert answer.startswith("Error: Another apply is in progress [rev_id: 1, user: cumulus]")
    assert other.run("nv config save").startswith("Error: Another apply is in progress")
    assert "description: y" not in dev.running()


def test_pending_is_no_confirm(dev, shell):
    shell.run("nv set interface swp1 description x")
    assert shell.run("nv config apply 1 --confirm-yes") == "Error: Unknown state: 'pending'"


@pytest.mark.parametrize("time_", ["0", "5x", "0s"])
def test_bad_confirm_time(dev, shell, time_):
    shell.run("nv set interface swp1 description x")
    assert shell.run(f"nv config apply -y --confirm {time_}").startswith("Error: ")
    assert "description: x" not in dev.running()


# -- attach, detach, delete ------------------------------------------------------------------------------------
def test_attach_applied_starts_a_clean_revision(dev, shell):
    shell.run("nv set interface swp1 description x")
    assert shell.run("nv config detach") == "detached [rev_id: 1]"
    assert shell.run("nv config attach applied -y") == "attached [rev_id: 2]"
    assert shell.run("nv config diff") == ""
    assert shell.run("nv config attach 1") == "attached [rev_id: 1]"
    assert shell.run("nv config diff") != ""
    assert dev.leftovers() == ["revision 1 (pending) of cumulus", "revision 2 (pending) of cumulus"]
    assert shell.run("nv config delete 1 2").splitlines() == ["deleted [rev_id: 1]", "deleted [rev_id: 2]"]
    assert dev.leftovers() == []


def test_the_applied_revision_cannot_be_deleted(shell):
    shell.run("nv set interface swp1 description x")
    shell.run("nv config apply -y")
    assert shell.run("nv config delete 1").startswith("Error: ")
    assert shell.run("nv config delete 9") == "Error: Unknown revision: 9"


# -- faults ----------------------------------------------------------------------------------------------------
def test_refused_commands(dev, shell):
    dev.faults = [Fault("refuse", "mtu 9000"), Fault("refuse", "config apply"), Fault("refuse", "/tmp/y")]
    assert shell.run("nv set interface swp1 link mtu 9000").startswith("Error: Invalid Command: set interface")
    assert shell.run("nv set interface swp1 link mtu 9000") == "created [rev_id: 1]"
    before = dev.running()
    assert shell.run("nv config apply -y").startswith("Invalid config [rev_id: 1]\n")
    assert dev.running() == before
    assert shell.run("echo hello > /tmp/y") == "-bash: /tmp/y: No space left on device"
    assert shell.run("nv config apply -y").endswith("applied_and_saved [rev_id: 1]")


def test_no_room_for_a_revision(dev, shell):
    dev.faults = [Fault("sessions-full", count=0)]
    put(shell, "- set: {qos: {}}")
    for command in ("set qos", "config patch /tmp/x.yaml", "config replace /tmp/x.yaml", "config attach applied"):
        assert shell.run(f"nv {command}") == "Error: Maximum number of revisions reached."
        assert status(shell) == 1
    dev.faults = []
    shell.run("rm /tmp/x.yaml")
    assert dev.leftovers() == []


def test_locked(dev, shell):
    dev.faults = [Fault("locked")]
    shell.run("nv set interface swp1 description x")
    before = dev.running()
    assert shell.run("nv config apply -y").startswith("Error: Another apply is in progress")
    assert dev.running() == before
    assert shell.run("nv config apply -y").endswith("applied_and_saved [rev_id: 1]")


# -- secrets ---------------------------------------------------------------------------------------------------
def test_secrets_are_masked_everywhere(dev, shell):
    shell.run("nv set system aaa user ops hashed-password VERYSECRET")
    shown = [shell.run(f"nv config {c}") for c in ("show", "show -o json", "show -o commands", "diff", "diff -o json")]
    shown += [shell.run("nv config diff -o commands"), shell.run("nv show system aaa --pending -o json")]
    shell.run("nv config apply -y")
    shown += [dev.running(), dev.startup(), shell.run("nv show system aaa -o json"), shell.run("nv config find ops")]
    shown += [
        shell.run("nv set system aaa usr ops hashed-password VERYSECRET extra"),
        shell.run("cat /etc/nvue.d/startup.yaml"),
    ]
    for text in shown:
        assert HASH not in text
        assert "VERYSECRET" not in text
    assert "hashed-password: '*'" in dev.running()
    assert shown[-1].endswith("Permission denied")
    saved = shell.run("sudo -n cat /etc/nvue.d/startup.yaml")
    assert HASH in saved
    assert "VERYSECRET" in saved


def test_the_factory_configuration_has_something_that_is_not_ours():
    for release in ("5.9.0", "5.14.0", "5.15.0", "5.18.0"):
        text = device(release).running()
        assert "'999': {}" in text
        assert "acl-site" in text
        assert ("iburst: on" in text) is (release in ("5.9.0", "5.14.0"))


def test_all_adds_defaults(shell):
    shell.run("nv set interface swp1 description x")
    shell.run("nv config apply -y")
    assert "mtu" not in shell.run("nv config show")
    assert "mtu: 9216" in shell.run("nv config show --all")


@pytest.mark.parametrize(
    "command", ["nv config frobnicate", "nv config show --nope", "nv config", "nv config apply 1 2"]
)
def test_unknown_commands(shell, command):
    assert shell.run(command).startswith("Error: ")
    assert status(shell) == 1
