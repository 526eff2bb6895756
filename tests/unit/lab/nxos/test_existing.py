# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices that existed before us: printed exactly as read, and only the lines that are typed change."""

from __future__ import annotations

import os
from difflib import unified_diff
from pathlib import Path

import pytest

from lab.nxos.device import VOLATILE, NxosDevice

# Real configurations may not be committed; point this at a folder of them to try them too.
MORE = sorted(Path(os.environ["NXOS_CONFIGS"]).glob("*nxos*.cfg")) if "NXOS_CONFIGS" in os.environ else []
OWN = Path(__file__).parent / "data" / "evpn-leaf.cfg"


def without_volatile(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not VOLATILE.match(line))


@pytest.fixture(params=[OWN, *MORE], ids=lambda path: path.name)
def existing(request):
    text = request.param.read_text()
    device = NxosDevice("x", ["Ethernet1/3", "Ethernet1/4"], clock=lambda: 1_800_000_000.0)
    device.load(text)
    return text, device


def changed(before: str, after: str) -> list[str]:
    lines = unified_diff(before.split("\n"), after.split("\n"), n=0, lineterm="")
    return [line for line in lines if line[0] in "+-" and not line.startswith(("+++", "---"))]


def type_all(device, text: str) -> None:
    shell = device.shell("admin")
    for line in ("configure terminal", *text.strip().split("\n"), "end"):
        answer = shell.run(line)
        assert "% " not in answer and not answer.startswith("ERROR"), f"{line}: {answer}"


def test_printed_as_read(existing):
    text, device = existing
    assert device.running() == without_volatile(text)
    assert device.startup() == device.running()
    assert device.leftovers() == []


def test_shown_as_read(existing):
    text, device = existing
    shown = device.shell("admin").run("show running-config") + "\n"
    assert shown.startswith("\n!Command: show running-config\n!Running configuration last done at: ")
    assert without_volatile(shown).removeprefix("\n") == without_volatile(text)


POLICY = """
class-map type qos match-any ROCEv2
  match dscp 26
policy-map type qos QOS-ROCE
  class ROCEv2
    set qos-group 3
policy-map type network-qos NQ-ROCE
  class type network-qos c-8q-nq3
    pause pfc-cos 3
vlan 77
  name rail7
"""


def test_typing_adds_only_what_was_typed(existing):
    _, device = existing
    before = device.running()
    type_all(device, POLICY)
    difference = changed(before, device.running())
    removed = [line for line in difference if line.startswith("-")]
    assert all(line.startswith("-vlan ") for line in removed), removed
    added = {line[1:].strip() for line in difference if line.startswith("+")}
    assert added - {line.strip() for line in POLICY.split("\n")} == {
        line for line in added if line.startswith("vlan ") and "77" in line
    } - {"vlan 77"}


def test_rollback_restores_the_file(existing):
    _, device = existing
    before = device.running()
    shell = device.shell("admin")
    shell.run("checkpoint SAFE")
    type_all(device, POLICY)
    assert device.running() != before
    assert shell.run("rollback running-config checkpoint SAFE").endswith("\n\nRollback completed successfully.")
    assert device.running() == before


def test_undoing_by_hand_restores_the_file(existing):
    _, device = existing
    before = device.running()
    type_all(device, POLICY)
    type_all(
        device,
        "no policy-map type qos QOS-ROCE\nno policy-map type network-qos NQ-ROCE\n"
        "no class-map type qos ROCEv2\nno vlan 77",
    )
    left = changed(before, device.running())
    assert left in ([], ["+vlan 1"])  # a switch without a list of VLANs has one from then on


@pytest.fixture
def leaf():
    device = NxosDevice("x", [], clock=lambda: 1_800_000_000.0)
    device.load(OWN.read_text())
    return device


def test_what_was_read_is_understood(leaf):
    assert (leaf.hostname, leaf.release, leaf.vlans()) == ("border7", "9.3(9)", [1, 10, 300, 301, 302, 3900])
    assert sorted(leaf.ports) == ["Ethernet1/1", "Ethernet1/2", "Ethernet1/3", "Ethernet1/4"]
    assert [leaf.port(f"Ethernet1/{n}").mode for n in (1, 2, 3, 4)] == ["routed", "trunk", "access", "access"]
    assert [leaf.port(n).admin_up for n in ("Ethernet1/1", "Ethernet1/4", "Vlan1", "Vlan10")] == [
        True,
        True,
        False,
        True,
    ]
    assert not leaf.enabled("requests to the service desk")
    assert leaf.schedules() == ["nightly"]
    assert leaf.job_commands("nightly") == ["copy running-config bootflash:nightly.cfg"]


def test_lines_of_other_concerns_stay_between_ours(leaf):
    before = leaf.running()
    type_all(
        leaf, "interface Ethernet1/3\nmtu 9216\nno service-policy type qos input EDGE\npriority-flow-control mode on"
    )
    assert sorted(changed(before, leaf.running())) == [
        "+  mtu 9216",
        "+  priority-flow-control mode on",
        "-  service-policy type qos input EDGE",
    ]
    printed = leaf.running().partition("interface Ethernet1/3\n")[2].split("\n")[:5]
    assert [line.split()[0] for line in printed] == [
        "description",
        "switchport",
        "priority-flow-control",
        "mtu",
        "storm-control",
    ]
    type_all(leaf, "interface Ethernet1/1\ndescription core 1")
    assert "  description core 1\n  no switchport\n  mtu 9216\n  medium p2p\n" in leaf.running()


def test_names_of_vlans_go_into_their_blocks(leaf):
    before = leaf.running()
    type_all(leaf, "vlan 3900\nname transit\nvlan 300\nname rail0")
    assert changed(before, leaf.running()) == ["+vlan 300", "+  name rail0", "+  name transit"]


def test_a_new_feature_and_interface_find_their_places(leaf):
    before = leaf.running()
    type_all(leaf, "feature scheduler\ninterface loopback1\nip address 10.255.2.7/32\ninterface Vlan300")
    after = leaf.running()
    assert sorted(changed(before, after)) == sorted(
        ["+feature scheduler", "+", "+interface Vlan300", "+", "+interface loopback1", "+  ip address 10.255.2.7/32"]
    )
    assert "feature bash-shell\nfeature scheduler\ncfs eth distribute\n" in after
    assert "\n\ninterface Vlan300\n\ninterface port-channel1\n" in after
    assert "secondary\n\ninterface loopback1\n  ip address 10.255.2.7/32\nline console\n" in after
