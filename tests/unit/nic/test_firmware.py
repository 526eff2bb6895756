# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firmware settings: in process against the stand-in of mlxconfig, and the module through ansible-playbook."""

from __future__ import annotations

import json

import pytest

from ansible_collections.lossless.fabric.plugins.module_utils.nic import device
from ansible_collections.lossless.fabric.plugins.module_utils.nic.firmware import Firmware, carries_default_route
from ansible_collections.lossless.fabric.plugins.module_utils.nic.mlxconfig import Mlxconfig
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem, Result, System, Unsupported
from tests.unit.nic.playbook import play
from tests.unit.nic.standins.host import Host, put

PCI = "0000:1a:00.0"
TOOLS = ("mlxconfig", "mlxfwreset")
ROUTES = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path, tools=TOOLS)


def firmware(host, wanted, check=False, **other):
    system = System(host.root, (str(host.bin),))
    found = Firmware(system, "rail0", device.find(system, PCI), wanted, check, **other)
    found.run()
    return found


def changed(found):
    return sorted(name for name, entry in found.entries.items() if entry["changed"])


def next_boot(host, name):
    return host.load()["firmware"][PCI][name]["next"]


def sets(host):
    return [call.split("-y set ")[1] for call in host.calls() if "-y set" in call]


def test_next_boot_is_reconciled_in_one_call_and_waits_for_a_reset(host):
    wanted = {"NUM_OF_VFS": 8, "SRIOV_EN": True, "LINK_TYPE": "ETH", "CNP_DSCP": 48}
    first = firmware(host, wanted)
    assert changed(first) == ["LINK_TYPE_P1", "NUM_OF_VFS", "SRIOV_EN"]
    assert sets(host) == ["LINK_TYPE_P1=2 SRIOV_EN=1 NUM_OF_VFS=8"] or sets(host) == [
        "LINK_TYPE_P1=ETH SRIOV_EN=1 NUM_OF_VFS=8"
    ]
    assert next_boot(host, "LINK_TYPE_P1") == "ETH(2)" and next_boot(host, "NUM_OF_VFS") == "8"
    assert first.pending() == {
        "LINK_TYPE_P1": {"current": "IB(1)", "next": "ETH(2)"},
        "NUM_OF_VFS": {"current": "0", "next": "8"},
        "SRIOV_EN": {"current": "False(0)", "next": "True(1)"},
    }
    second = firmware(host, wanted)
    assert changed(second) == [] and second.pending() == first.pending(), "still waiting, nothing to write"
    assert len(sets(host)) == 1

    host.load()["firmware"][PCI]["NUM_OF_VFS"]["next"] = "4"
    host.save()
    assert changed(firmware(host, wanted)) == ["NUM_OF_VFS"] and sets(host)[-1] == "NUM_OF_VFS=8"


def test_check_mode_predicts_and_writes_nothing(host):
    wanted = {"SRIOV_EN": True, "NUM_OF_VFS": 8}
    predicted = firmware(host, wanted, check=True)
    assert sets(host) == [] and next_boot(host, "SRIOV_EN") == "False(0)"
    done = firmware(host, wanted)
    assert predicted.entries == done.entries
    assert set(predicted.pending()) == set(done.pending()) == {"SRIOV_EN", "NUM_OF_VFS"}


def test_hidden_settings_are_revealed_first(host):
    wanted = {"MAX_ACC_OUT_READ": 128, "SRIOV_EN": True}
    predicted = firmware(host, wanted, check=True)
    assert predicted.entries["MAX_ACC_OUT_READ"]["next"] == "hidden" and predicted.unsupported == []
    done = firmware(host, wanted)
    assert sets(host) == ["ADVANCED_PCI_SETTINGS=1", "SRIOV_EN=1 MAX_ACC_OUT_READ=128"]
    assert changed(done) == changed(predicted) == ["ADVANCED_PCI_SETTINGS", "MAX_ACC_OUT_READ", "SRIOV_EN"]
    assert done.entries["MAX_ACC_OUT_READ"]["next"] == "hidden", "what check mode showed"
    assert changed(firmware(host, wanted)) == []


def test_revealing_can_be_asked_for_or_forbidden(host):
    found = firmware(host, {"ADVANCED_PCI_SETTINGS": False, "MAX_ACC_OUT_READ": 128}, check=True)
    assert changed(found) == [] and [u["key"] for u in found.unsupported] == ["MAX_ACC_OUT_READ"]
    assert changed(firmware(host, {"ADVANCED_PCI_SETTINGS": True})) == ["ADVANCED_PCI_SETTINGS"]
    assert next_boot(host, "ADVANCED_PCI_SETTINGS") == "True(1)"


def test_settings_that_the_nic_lacks_are_told_and_the_others_are_set(host):
    found = firmware(host, {"SRIOV_EN": True, "INTERNAL_CPU_MODEL": 1, "NUM_PF_MSIX": 31})
    assert changed(found) == ["SRIOV_EN"], "nothing is revealed for a name that is simply not there"
    reasons = {"INTERNAL_CPU_MODEL": "the firmware does not have it", "NUM_PF_MSIX": "read-only, now 63"}
    assert {u["key"]: u["reason"] for u in found.unsupported} == reasons
    told = {f["key"]: (f["severity"], f["actual"]) for f in found.findings if f["key"] in reasons}
    assert told == {key: ("warning", reason) for key, reason in reasons.items()}


def test_a_name_that_nobody_knows_is_an_error_and_nothing_is_written(host):
    found = firmware(host, {"SRIOV_EN": True, "NO_SUCH_THING": 1, "NOR_THIS[2]": 1})
    assert sets(host) == [] and changed(found) == [] and found.unsupported == []
    assert [(f["severity"], f["key"]) for f in found.findings] == [("error", "NOR_THIS[2]"), ("error", "NO_SUCH_THING")]


@pytest.mark.parametrize(
    ("said", "unknown"),
    [
        ("-E- Unknown Parameter: NO_SUCH_THING", {"NO_SUCH_THING"}),
        ("-E- Unknown Parameter NO_SUCH_THING", {"NO_SUCH_THING"}),
        ("-E- Failed to find Param / TLV with name 'NO_SUCH_THING' port 0 module -1", {"NO_SUCH_THING"}),
        ("-E- Failed to find Param / index out of range: NO_SUCH_THING[3]", {"NO_SUCH_THING"}),
        ("-E- The Device doesn't support NO_SUCH_THING parameter", set()),
    ],
)
def test_each_release_has_its_words_for_a_bad_name(said, unknown):
    class Talker(System):
        def tool(self, name):
            return name

        def run(self, *argv):
            return Result(argv, 3, f"\nDevice #1:\n\nConfigurations:   Next Boot\n{said}\n", "")

    tool = Mlxconfig(Talker(), PCI)
    assert tool.query(["NO_SUCH_THING"]) == {} and tool.unknown == unknown


def test_a_card_that_is_only_ethernet_has_no_link_type_and_is_fine(host):
    del host.load()["firmware"][PCI]["LINK_TYPE_P1"]
    host.save()
    assert firmware(host, {"LINK_TYPE": "ETH"}).unsupported == []
    assert [u["key"] for u in firmware(host, {"LINK_TYPE": "IB"}).unsupported] == ["LINK_TYPE_P1"]


def test_arrays(host):
    wanted = {"ESWITCH_HAIRPIN_DESCRIPTORS": [128, 256]}
    assert changed(firmware(host, wanted)) == ["ESWITCH_HAIRPIN_DESCRIPTORS[1]"]
    assert next_boot(host, "ESWITCH_HAIRPIN_DESCRIPTORS")[:3] == ["128", "256", "128"]
    assert changed(firmware(host, wanted)) == []


def test_dcqcn_bits_are_added_and_others_stay(host):
    assert changed(firmware(host, {}, dcqcn_priorities=[3])) == [], "255 has it"
    host.load()["firmware"][PCI]["ROCE_CC_PRIO_MASK_P1"].update(next="1", current="1")
    host.save()
    assert changed(firmware(host, {}, dcqcn_priorities=[3])) == ["ROCE_CC_PRIO_MASK_P1"]
    assert next_boot(host, "ROCE_CC_PRIO_MASK_P1") == "9"


def test_traps_are_named_until_they_are_gone(host):
    keys = [f["key"] for f in firmware(host, {}).findings]
    assert keys == ["LLDP_NB_RX_MODE_P1", "DCBX_WILLING_P1"]
    fixed = firmware(host, {"LLDP_NB_RX_MODE": "OFF", "LLDP_NB_DCBX": False}, check=True)
    assert fixed.findings == [] and firmware(host, {"LLDP_NB_RX_MODE": "OFF", "LLDP_NB_DCBX": False}).findings == []


def test_a_refused_value_says_so(host):
    with pytest.raises(Problem, match="Unknown value TOKENRING"):
        firmware(host, {"LINK_TYPE": "TOKENRING"})


def test_a_value_that_does_not_stick_is_an_error(host, monkeypatch):
    monkeypatch.setattr(Mlxconfig, "set", lambda self, values: None)
    (finding,) = [f for f in firmware(host, {"SRIOV_EN": True}).findings if f["severity"] == "error"]
    assert finding["actual"] == "False(0) for the next boot"


def test_no_tool(tmp_path):
    with pytest.raises(Unsupported, match="mstflint"):
        firmware(Host(tmp_path, tools=()), {"SRIOV_EN": True})


def test_mstconfig_is_taken_where_mft_is_not(tmp_path):
    found = firmware(Host(tmp_path, tools=("mstconfig", "mstfwreset")), {"SRIOV_EN": True})
    assert found.tool.tool == "mstconfig" and changed(found) == ["SRIOV_EN"]
    found.reset(3)
    assert found.reset_done and found.pending() == {}


def test_a_reset_makes_next_boot_current(host):
    found = firmware(host, {"SRIOV_EN": True})
    found.reset(3)
    assert found.reset_done and found.pending() == {}
    assert host.load()["firmware"][PCI]["SRIOV_EN"]["current"] == "True(1)"
    assert "mlxfwreset -d 0000:1a:00.0 -l 3 -y reset" in host.calls()


def test_a_level_that_the_nic_cannot_do_is_not_tried(host):
    host.load()["reset_levels"] = {"0": False, "3": False, "4": True}
    host.save()
    found = firmware(host, {"SRIOV_EN": True})
    found.reset(3)
    assert not found.reset_done and not any("reset" in c and "-y" in c for c in host.calls())
    (finding,) = [f for f in found.findings if f["severity"] == "error"]
    assert finding["actual"].startswith("4 supported")


def test_the_nic_of_the_default_route_is_never_reset(host):
    put(host.at("/proc/net/route"), ROUTES + "vlan7\t00000000\t0102A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n")
    (host.at("/sys/class/net") / "vlan7").mkdir()
    (host.at("/sys/class/net/vlan7") / "lower_ens1f0np0").mkdir()
    found = firmware(host, {"SRIOV_EN": True})
    assert carries_default_route(found.system, found.nic) == "vlan7"
    found.reset(3)
    assert not found.reset_done and not any("mlxfwreset" in c for c in host.calls())
    assert "vlan7" in next(f["actual"] for f in found.findings if f["severity"] == "error")
    other = device.find(found.system, "0000:9c:00.0")
    assert carries_default_route(found.system, other) is None


def test_the_module(tmp_path):
    host = Host(tmp_path, tools=TOOLS)
    nics = [{"name": "rail0", "device": PCI}, {"name": "rail1", "device": "ens2f0np0", "settings": {"NUM_OF_VFS": 4}}]

    def task(**options):
        values = {"nics": nics, "settings": {"SRIOV_EN": True, "NUM_OF_VFS": 8}, **options}
        return {"lossless.fabric.nic_firmware": {**values, "root": str(host.root), "path": [str(host.bin)]}}

    steps = [
        ("virgin", {**task(), "check_mode": True}),
        ("first", task()),
        ("second", task()),
        ("reset_check", {**task(allow_reset=True), "check_mode": True}),
        ("reset", task(allow_reset=True)),
        ("after", task(allow_reset=True)),
        ("wrong", task(nics=[{"name": "rail7", "device": "0000:ff:00.0"}, nics[0]])),
    ]
    results, _ = play(tmp_path, steps)
    virgin, first = results["virgin"], results["first"]
    assert not first.get("failed"), first["msg"]
    assert virgin["changed"] and first["changed"] and virgin["diff"] == first["diff"]
    assert json.loads(first["diff"][0]["after"]) == {
        "rail0": {"NUM_OF_VFS": "8", "SRIOV_EN": "1"},
        "rail1": {"NUM_OF_VFS": "4", "SRIOV_EN": "1"},
    }
    assert virgin["reset_needed"] == first["reset_needed"] == ["rail0", "rail1"]
    assert not results["second"]["changed"] and results["second"]["reset_needed"] == ["rail0", "rail1"]
    assert results["reset_check"]["changed"] and results["reset"]["changed"]
    assert results["reset"]["nics"]["rail0"]["reset_done"] and results["reset"]["reset_needed"] == []
    assert not results["after"]["changed"] and results["after"]["reset_needed"] == []
    assert results["wrong"]["failed"] and "rail7: nic" in results["wrong"]["msg"]
    assert "rail0" in results["wrong"]["nics"]


def test_a_linked_port_of_infiniband_is_not_turned_into_ethernet(tmp_path):
    host = Host(tmp_path, tools=TOOLS)
    port = host.at("/sys/class/infiniband/mlx5_0/ports/1")
    put(port / "link_layer", "InfiniBand\n")
    put(port / "phys_state", "5: LinkUp\n")

    def task(state, **own):
        nics = [{"name": "rail0", "device": PCI, "settings": own}]
        values = {"nics": nics, "settings": {"LINK_TYPE": "ETH", "SRIOV_EN": True}, "dcqcn_priorities": [3]}
        call = {"lossless.fabric.nic_firmware": {**values, "root": str(host.root), "path": [str(host.bin)]}}
        return {**call, "check_mode": True} if state == "check" else call

    results, said = play(tmp_path, [("live", task("run")), ("consent", task("check", LINK_TYPE="ETH"))])
    assert set(results["live"]["nics"]["rail0"]["parameters"]) == {"SRIOV_EN"}
    assert "rail0 (0000:1a:00.0) is a port of InfiniBand that is linked: settings of Ethernet were left alone" in said
    assert next_boot(host, "LINK_TYPE_P1") == "IB(1)"
    assert results["consent"]["nics"]["rail0"]["parameters"]["LINK_TYPE_P1"]["changed"]

    put(port / "phys_state", "2: Polling\n")
    waiting, _ = play(tmp_path, [("cabled", task("check"))])
    assert waiting["cabled"]["nics"]["rail0"]["parameters"]["LINK_TYPE_P1"]["changed"], "cabled to an Ethernet switch"


def test_the_module_on_a_new_host_says_that_it_cannot_predict(tmp_path):
    """The tool comes with the RDMA stack: check mode of a whole site must get past this role, a run must not."""
    host = Host(tmp_path, tools=())
    values = {"nics": [{"name": "rail0", "device": PCI}], "settings": {"SRIOV_EN": True}}
    task = {"lossless.fabric.nic_firmware": {**values, "root": str(host.root), "path": [str(host.bin)]}}
    results, said = play(tmp_path, [("check", {**task, "check_mode": True}), ("run", task)])
    assert results["check"]["changed"] and not results["check"].get("failed")
    assert "cannot be predicted until mlxconfig or mstconfig is installed" in said
    assert results["run"]["failed"] and "neither mlxconfig nor mstconfig is installed" in results["run"]["msg"]
