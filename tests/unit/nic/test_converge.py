# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Both back ends against stand-in tools: converge, nothing to do, drift, one change; what cannot be done is told."""

from __future__ import annotations

import pytest

from ansible_collections.lossless.fabric.plugins.module_utils.nic import device, settings
from ansible_collections.lossless.fabric.plugins.module_utils.nic.converge import Options, converge, least_buffer
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Result, System
from tests.unit.nic.standins.host import Host, put

ROCE = {"trust": "dscp", "priority": 3, "dscp": [26], "cnp_priority": 6, "cnp_dscp": [48]}
CHOICE = {
    "default_priority": 0,
    "roce_share": 50,
    "ect": True,
    "dcqcn": {"enabled": True, "parameters": {"rpg_ai_rate": 60}},
}
NIC = {"name": "rail0", "cable_length": 5}
NET = "/sys/class/net/ens1f0np0"


def wanted(**other):
    return settings.wanted(ROCE, {**CHOICE, **other.pop("choice", {})}, {**NIC, **other})


def run(host, values=None, given="0000:1a:00.0", **options):
    options.setdefault("allow_link_flap", True)
    system = System(host.root, (str(host.bin),))
    return converge(system, "rail0", given, values or wanted(), Options(**options))


def changed(outcome):
    return sorted(key for key, entry in outcome.settings.items() if entry["changed"])


@pytest.fixture
def ofed(tmp_path):
    return Host(tmp_path, ofed=True, tools=("ethtool", "mlnx_qos", "dcb"))


@pytest.fixture
def inbox(tmp_path):
    return Host(tmp_path, ofed=False, tools=("ethtool", "dcb", "mlxconfig"))


ALL = {
    "dcbx",
    "global_pause",
    "cable_length",
    "pfc",
    "ets",
    "trust",
    "dscp_to_priority",
    "dcqcn_notification",
    "dcqcn_reaction",
    "cnp_dscp",
    "cnp_priority",
    "dcqcn.rpg_ai_rate",
    "rdma_cm_mode",
    "rdma_cm_tos",
    "traffic_class",
}


def check_ofed(host):
    port = host.port()
    assert port["pfc"] == [0, 0, 0, 1, 0, 0, 0, 0]
    assert port["trust"] == "dscp" and "host" in port["dcbx"] and port["delay"] == 5
    assert [d for d, p in enumerate(port["hw_map"]) if p == 3] == [26]
    assert [d for d, p in enumerate(port["hw_map"]) if p == 6] == [48]
    assert port["tsa"] == ["ets", "strict", "strict", "ets", "strict", "strict", "strict", "strict"]
    assert (port["bw"][0], port["bw"][3]) == (50, 50)
    assert port["prio_tc"] == [0, 0, 0, 3, 0, 0, 6, 0]
    assert port["pause"] == {"rx": "off", "tx": "off"}


def test_ofed_converges_once_and_repairs_exactly_what_drifted(ofed):
    first = run(ofed)
    assert first.backend == "ofed" and first.errors == [] and first.unsupported == []
    assert set(changed(first)) == ALL
    check_ofed(ofed)
    assert ofed.text(f"{NET}/ecn/roce_np/enable/3") == "1" and ofed.text(f"{NET}/ecn/roce_rp/enable/3") == "1"
    assert ofed.text(f"{NET}/ecn/roce_np/enable/0") == "0"
    assert ofed.text(f"{NET}/ecn/roce_np/cnp_dscp") == "48" and ofed.text(f"{NET}/ecn/roce_np/cnp_802p_prio") == "6"
    assert ofed.text(f"{NET}/ecn/roce_rp/rpg_ai_rate") == "60" and ofed.text(f"{NET}/ecn/roce_rp/rpg_hai_rate") == "50"
    assert ofed.text("/sys/class/infiniband/mlx5_0/tc/1/traffic_class") == "106"
    assert ofed.text("/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos") == "106"
    assert ofed.text("/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode") == "RoCE v2"

    ofed.calls(clear=True)
    # The driver answers the traffic class with words (nccl issue 2383).
    put(ofed.at("/sys/class/infiniband/mlx5_0/tc/1/traffic_class"), "Global tclass=106\n")
    second = run(ofed)
    assert changed(second) == [] and second.errors == []
    assert ofed.calls() == ["mlnx_qos -i ens1f0np0 -a", "ethtool -a ens1f0np0"], "a run without change only reads"

    ofed.load()["ports"]["ens1f0np0"]["hw_map"][28] = 3
    ofed.save()
    drifted = run(ofed)
    assert changed(drifted) == ["dscp_to_priority"]
    assert drifted.settings["dscp_to_priority"]["before"] == {"28": 3}
    assert drifted.settings["dscp_to_priority"]["after"] == {"28": 0}
    assert [c for c in ofed.calls() if "--dscp2prio" in c] == ["mlnx_qos -i ens1f0np0 --dscp2prio set,28,0"]
    assert changed(run(ofed)) == []


@pytest.mark.parametrize("kind", ["ofed", "inbox"])
def test_check_mode_writes_nothing_and_predicts_the_run(kind, request):
    host = request.getfixturevalue(kind)
    before = {p: p.read_text() for p in host.root.rglob("*") if p.is_file()}
    state = {k: v for k, v in host.load().items() if k != "calls"}
    predicted = run(host, check=True)
    assert {p: p.read_text() for p in host.root.rglob("*") if p.is_file()} == before
    assert {k: v for k, v in host.load().items() if k != "calls"} == state
    done = run(host)
    assert predicted.settings == done.settings
    assert predicted.unsupported == done.unsupported
    assert changed(done) and changed(run(host, check=True)) == []


def test_a_locked_down_kernel_keeps_its_debugfs_shut(inbox):
    """Seen on a machine with Secure Boot: cat and echo end with "Operation not permitted"."""
    place = inbox.root / "sys/kernel/security/lockdown"
    place.parent.mkdir(parents=True)
    place.write_text("none [integrity] confidentiality\n")
    first = run(inbox)
    assert first.errors == []
    assert inbox.text("/sys/kernel/debug/mlx5/0000:1a:00.0/cc_params/np_cnp_dscp") == "0"
    assert inbox.load()["firmware"]["0000:1a:00.0"]["CNP_DSCP_P1"]["next"] == "48", "the firmware has it instead"
    assert changed(run(inbox)) == []


def test_inbox_converges_once_and_repairs_exactly_what_drifted(inbox):
    first = run(inbox)
    assert first.backend == "inbox" and first.errors == []
    assert set(changed(first)) == ALL - {"traffic_class", "dcqcn_notification", "dcqcn_reaction"}
    check_ofed(inbox)
    assert len(inbox.port()["app"]) == 64, "all 64 DSCPs are stated: what is not listed keeps the card's own map"
    assert inbox.text("/sys/kernel/debug/mlx5/0000:1a:00.0/cc_params/np_cnp_dscp") == "48"
    assert [(u["key"], u["nic"]) for u in first.unsupported] == [("traffic_class", "rail0")]
    assert "NCCL_IB_TC" in first.unsupported[0]["remedy"]

    assert changed(run(inbox)) == []
    port = inbox.load()["ports"]["ens1f0np0"]
    port["hw_map"][26] = port["app"]["26"] = 0
    inbox.save()
    inbox.calls(clear=True)
    assert changed(run(inbox)) == ["dscp_to_priority"]
    assert [c for c in inbox.calls() if " app add" in c] == ["dcb app add dev ens1f0np0 dscp-prio 26:3"]
    assert not any(" app del" in c for c in inbox.calls()), "mlx5 takes the old entry away itself"
    assert changed(run(inbox)) == []


def test_entries_that_a_driver_leaves_behind_are_deleted(inbox, monkeypatch):
    """Drivers other than mlx5 keep the old entry of a DSCP next to the new one; dcb shows both."""
    from ansible_collections.lossless.fabric.plugins.module_utils.nic.dcb import Dcb

    shown = iter([{"dscp_prio": [[26, 0, " "]]}, {"dscp_prio": [[26, 0, " "], [26, 3, " "]]}])
    calls = []
    monkeypatch.setattr(Dcb, "_show", lambda self, name: next(shown))
    monkeypatch.setattr(Dcb, "_set", lambda self, name, *words, verb="set": calls.append((verb, *words)))
    Dcb(None, None)._map([3 if dscp == 26 else 0 for dscp in range(64)])
    assert calls[0][:2] == ("add", "dscp-prio") and "26:3" in calls[0]
    assert calls[1] == ("del", "dscp-prio", "26:0")


def test_inbox_dcqcn_switch_is_kept_by_the_firmware_and_waits_for_a_reset(inbox):
    inbox.load()["firmware"]["0000:1a:00.0"]["ROCE_CC_PRIO_MASK_P1"].update(current="0", next="0")
    inbox.save()
    first = run(inbox)
    assert {"dcqcn_notification", "dcqcn_reaction"} <= set(changed(first))
    assert inbox.load()["firmware"]["0000:1a:00.0"]["ROCE_CC_PRIO_MASK_P1"]["next"] == "8"
    assert [c for c in inbox.calls() if " set " in c and "mlxconfig" in c] == [
        "mlxconfig -d 0000:1a:00.0 -y set ROCE_CC_PRIO_MASK_P1=8"
    ]
    assert first.pending == [{"name": "ROCE_CC_PRIO_MASK_P1", "current": "0", "next": "8"}]
    second = run(inbox)
    assert changed(second) == [] and second.pending == first.pending
    assert any("until the NIC is reset" in f["actual"] for f in second.findings)


def test_inbox_without_mlxconfig_says_what_it_cannot_switch(inbox):
    (inbox.bin / "mlxconfig").unlink()
    lacking = {u["key"]: u for u in run(inbox).unsupported}
    assert set(lacking) == {"dcqcn_notification", "dcqcn_reaction", "traffic_class"}
    assert "ROCE_CC_PRIO_MASK_P1" in lacking["dcqcn_reaction"]["remedy"]


def test_trust_by_pcp_takes_the_dscp_entries_away(inbox):
    run(inbox)
    values = settings.wanted({**ROCE, "trust": "cos"}, CHOICE, NIC)
    assert "dscp_to_priority" not in values
    assert changed(run(inbox, values)) == ["trust"]
    assert inbox.port()["app"] == {} and inbox.port()["trust"] == "pcp"


def test_no_link_is_dropped_without_consent(ofed):
    outcome = run(ofed, allow_link_flap=False)
    assert changed(outcome) == [] and ofed.port()["link_flaps"] == 0
    assert [e["key"] for e in outcome.errors] == ["pfc"] and "allow_link_flap" in outcome.errors[0]["remedy"]
    assert ofed.port()["trust"] == "pcp", "a NIC without PFC is left alone as a whole"
    put(ofed.at(f"{NET}/carrier"), "0\n")
    assert "pfc" in changed(run(ofed, allow_link_flap=False)), "no link, nothing to drop"
    put(ofed.at(f"{NET}/carrier"), "1\n")
    assert run(ofed, allow_link_flap=False).errors == [], "nothing to do, nothing to ask"


def test_a_value_that_does_not_stick_is_an_error(ofed, monkeypatch):
    from ansible_collections.lossless.fabric.plugins.module_utils.nic.mlnx_qos import MlnxQos

    real = MlnxQos.write
    monkeypatch.setattr(MlnxQos, "write", lambda self, key, *rest: None if key == "pfc" else real(self, key, *rest))
    outcome = run(ofed)
    assert [(e["key"], e["expected"], e["actual"]) for e in outcome.errors] == [("pfc", [3], [])]
    assert "read back through mlnx_qos" in outcome.errors[0]["where"]


def test_dcb_that_misreads_its_answers_is_judged_by_what_the_nic_has(inbox, monkeypatch):
    """dcb of iproute2 ends in "Protocol error" when the clock goes to the next second between two of its requests."""
    real, confused = System.run, []

    def answer(self, *argv):
        done = real(self, *argv)
        if argv[0] == "dcb" and "-j" not in argv and argv not in confused:
            confused.append(argv)
            return Result(argv, 1, "", "Attribute write: Protocol error\n")
        return done

    monkeypatch.setattr(System, "run", answer)
    outcome = run(inbox)
    assert outcome.errors == []
    assert {argv[1] for argv in confused} >= {"pfc", "ets", "app"}
    assert changed(run(inbox)) == []


def test_pause_is_set_and_not_only_offered(inbox):
    """With autonegotiation rx and tx are what the port offers to its peer."""
    inbox.data["ports"]["ens1f0np0"]["pause"] = {"autoneg": "on", "rx": "on", "tx": "on"}
    inbox.save()
    assert run(inbox).errors == []
    assert inbox.port()["pause"] == {"autoneg": "off", "rx": "off", "tx": "off"}


def test_a_refused_value_does_not_stop_the_others(ofed):
    outcome = run(ofed, wanted(buffer_size=[2000000, 0, 0, 0, 0, 0, 0, 0]))
    assert [e["key"] for e in outcome.errors] == ["buffer_size"]
    assert "Buffers commands error" in outcome.errors[0]["actual"]
    assert set(changed(outcome)) == ALL
    check_ofed(ofed)


def test_a_missing_file_of_the_driver_is_told_and_the_rest_is_set(ofed):
    ofed.at(f"{NET}/ecn/roce_np/cnp_dscp").unlink()
    outcome = run(ofed)
    assert [u["key"] for u in outcome.unsupported] == ["cnp_dscp"] and outcome.errors == []
    assert set(changed(outcome)) == ALL - {"cnp_dscp"}


def test_the_params_folder_of_one_ofed_release_is_found(ofed):
    for name in ("cnp_dscp", "cnp_802p_prio"):
        put(ofed.at(f"{NET}/ecn/roce_np/params/{name}"), "0\n")
        ofed.at(f"{NET}/ecn/roce_np/{name}").unlink()
    assert run(ofed).unsupported == []
    assert ofed.text(f"{NET}/ecn/roce_np/params/cnp_dscp") == "48"


@pytest.mark.parametrize(
    ("driver", "words"),
    [
        ("mlx4_core", "ConnectX-3"),
        ("bnxt_en", "niccli"),
        ("virtio_net", "virtual NIC"),
        ("e1000e", "not known here"),
    ],
)
def test_wrong_nics_give_a_clear_finding(tmp_path, driver, words):
    outcome = run(Host(tmp_path, tools=("ethtool", "mlnx_qos"), driver=driver))
    assert [e["key"] for e in outcome.errors] == ["nic"] and words in outcome.errors[0]["actual"]
    assert outcome.settings == {} and outcome.errors[0]["remedy"]


def test_a_driver_without_dcb_is_an_error_for_what_lossless_needs(inbox):
    inbox.load()["ports"]["ens1f0np0"]["dcb"] = False
    inbox.save()
    outcome = run(inbox)
    assert {e["key"] for e in outcome.errors} == {"pfc", "trust", "dscp_to_priority"}
    assert "has no DCB pfc" in next(e["actual"] for e in outcome.errors if e["key"] == "pfc")
    assert changed(outcome) == []
    assert {"ets", "dcbx", "cable_length"} <= {u["key"] for u in outcome.unsupported}


def test_no_tool_at_all(tmp_path):
    outcome = run(Host(tmp_path, ofed=False, tools=()))
    assert {"pfc", "global_pause"} <= {e["key"] for e in outcome.errors}
    assert "dcb is not installed" in str(outcome.errors)


def test_infiniband_is_skipped_with_a_reason(ofed):
    put(ofed.at(f"{NET}/type"), "32\n")
    outcome = run(ofed)
    assert "InfiniBand" in outcome.skipped and outcome.errors == [] and not outcome.changed


def test_virtual_functions_and_missing_nics(ofed):
    ofed.at("/sys/bus/pci/devices/0000:1a:00.0/physfn").mkdir()
    assert "virtual function" in run(ofed).errors[0]["actual"]
    assert "no ens9" in run(ofed, given="ens9").errors[0]["actual"]
    assert run(ofed, given="ens2f0np0").nic.pci == "0000:9c:00.0"


def test_a_bond_finds_its_rdma_device_and_other_interfaces_find_none(tmp_path):
    host = Host(tmp_path, nics=[("0000:1a:00.0", "ens1f0np0", None), ("0000:9c:00.0", "ens2f0np0", None)])
    folder = host.at("/sys/class/infiniband/mlx5_bond_0/ports/1")
    put(folder / "gid_attrs/ndevs/0", "bond0\n")
    put(folder / "link_layer", "Ethernet\n")
    system = System(host.root)
    assert device.find(system, "ens1f0np0").rdma is None
    host.link(host.at("/sys/class/net/bond0"), "../../devices/virtual/net/bond0")
    host.at("/sys/devices/virtual/net/bond0").mkdir(parents=True)
    host.at(f"{NET}/master").symlink_to("../../../../virtual/net/bond0")
    found = device.find(system, "ens1f0np0")
    assert (found.rdma, found.port, found.link_layer) == ("mlx5_bond_0", 1, "Ethernet")
    assert device.find(system, "ens2f0np0").rdma is None


def test_others_that_write_the_same_settings_are_named(inbox):
    put(inbox.at("/proc/812/comm"), "lldpad\n")
    inbox.load()["ports"]["ens1f0np0"].update(willing=True)
    inbox.save()
    found = {f["key"]: f for f in run(inbox).findings if f["severity"] == "warning"}
    assert {"lldpad", "dcbx_willing"} <= set(found)
    assert "lldpad.socket" in found["lldpad"]["remedy"]


def test_a_buffer_too_small_for_the_cable_is_found(inbox):
    values = {**wanted(), "cable_length": 100}
    inbox.load()["ports"]["ens1f0np0"].update(buffer_size=[131072, 131072, 0, 0, 0, 0, 0, 0])
    inbox.save()
    found = [f for f in run(inbox, values).findings if f["key"] == "buffer_size"]
    # (301 + 216) * 400000 / 1000 + 272 * 9000 / 100 + 9216 + 128
    assert least_buffer(400000, 100, 9000) == 240624
    assert len(found) == 1 and "240624" in found[0]["expected"]


def test_rdma_cm_folder_is_made_only_to_ask(ofed):
    """configfs: a folder of the device is made, its files appear by themselves; here the test lets them appear."""
    system = System(ofed.root, (str(ofed.bin),))
    from ansible_collections.lossless.fabric.plugins.module_utils.nic.rdma import Rdma

    place = ofed.at("/sys/kernel/config/rdma_cm/mlx5_0")
    parked = ofed.root / "parked"
    place.rename(parked)

    class Kernel(Rdma):
        def _make(self):
            made = super()._make()
            if made:
                place.rmdir()
                parked.rename(place)
            return made

        def _remove(self):
            place.rename(parked)

    rdma = Kernel(system, device.find(system, "ens1f0np0"))
    assert rdma.read()["rdma_cm_tos"] == 0 and not place.exists()
    rdma.write("rdma_cm_tos", 106, 0)
    assert not place.exists() and rdma.read()["rdma_cm_tos"] == 106


def test_policy_errors_are_named():
    with pytest.raises(ValueError, match="three different priorities"):
        settings.wanted({**ROCE, "cnp_priority": 3}, CHOICE, NIC)
    with pytest.raises(ValueError, match="found nonsense"):
        wanted(choice={"dcqcn": {"enabled": True, "parameters": {"nonsense": 1}}})


def test_a_later_instance_of_the_map_keeps_every_dscp():
    values = settings.wanted({**ROCE, "dscp": [26, 28]}, CHOICE, NIC)
    assert [d for d, p in enumerate(values["dscp_to_priority"]) if p == 3] == [26, 28]
    assert values["rdma_cm_tos"] == 106 and wanted(choice={"ect": False})["traffic_class"] == 104
