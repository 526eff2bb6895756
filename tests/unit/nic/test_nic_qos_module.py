# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module nic_qos through ansible-playbook: virgin check, run, second run, drift, absent; and its parts at boot."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.doc_fragments.folders import ModuleDocFragment
from ansible_collections.lossless.fabric.plugins.module_utils.nic import persist
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import System
from ansible_collections.lossless.fabric.plugins.modules import nic_firmware, nic_qos
from tests.unit.nic.playbook import play
from tests.unit.nic.standins.host import PAIR, Host, put

ROCE = {"profile": "ROCE", "trust": "dscp", "priority": 3, "dscp": [26], "cnp_priority": 6, "cnp_dscp": [48]}
NICS = [
    {"name": "rail0", "device": "0000:1a:00.0", "cable_length": 3},
    {"name": "rail1", "device": "ens2f0np0", "cable_length": 5},
]
LIBRARY = "/usr/local/lib/lossless-fabric"
UNIT = "/etc/systemd/system/lossless-nic-qos@.service"
RULES = "/etc/udev/rules.d/80-lossless-nic-qos.rules"
OLD_PYTHON = Path.home() / ".pyenv/versions/3.8.18/bin/python3.8"


def task(host, **options):
    values = {
        "roce": ROCE,
        "nics": NICS,
        "allow_link_flap": True,
        "root": str(host.root),
        "path": [str(host.bin)],
        **options,
    }
    return {"lossless.fabric.nic_qos": values}


def program(host, *words, python=sys.executable):
    """The installed program, as systemd would start it."""
    command = [
        str(python),
        str(host.at(f"{LIBRARY}/nic-qos")),
        *words,
        "--root",
        str(host.root),
        "--path",
        str(host.bin),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    return done.returncode, done.stdout + done.stderr


def drift(host, place):
    """A command that changes one value behind our back."""
    code = "import json,sys; p=sys.argv[1]; d=json.load(open(p)); d['ports']['ens2f0np0']['pfc']=[0]*8;"
    code += "json.dump(d,open(p,'w'))"
    return {"ansible.builtin.command": {"argv": [sys.executable, "-c", code, str(place)]}, "changed_when": True}


@pytest.fixture(scope="module", params=["ofed", "inbox"])
def story(request, tmp_path_factory):
    """One play of all steps, for each back end."""
    folder = tmp_path_factory.mktemp(request.param)
    tools = ("ethtool", "mlnx_qos") if request.param == "ofed" else ("ethtool", "dcb", "mlxconfig")
    host = Host(folder, ofed=request.param == "ofed", tools=(*tools, "systemctl", "udevadm"))
    steps = [
        ("virgin", {**task(host), "check_mode": True}),
        ("first", task(host)),
        ("second", task(host)),
        ("drift", drift(host, host.state)),
        ("drift_check", {**task(host), "check_mode": True}),
        ("repair", task(host)),
        ("after", task(host)),
    ]
    results, out = play(folder, steps)
    return host, results, out, request.param


def differing(result):
    return {
        name: sorted(key for key, entry in nic["settings"].items() if entry["changed"])
        for name, nic in result["nics"].items()
    }


def test_check_mode_on_a_virgin_host_is_what_the_run_does(story):
    _, results, _, kind = story
    virgin, first = results["virgin"], results["first"]
    assert virgin["changed"] and first["changed"] and not first.get("failed"), first.get("msg")
    assert virgin["diff"] == first["diff"] and virgin["files"] == first["files"]
    assert {n["backend"] for n in first["nics"].values()} == {kind}
    assert first["nics"]["rail1"]["settings"]["pfc"] == {
        "before": [],
        "after": [3],
        "changed": True,
        "by": "mlnx_qos" if kind == "ofed" else "dcb",
    }
    assert first["reloaded"] == ["systemctl daemon-reload", "udevadm control --reload"] and virgin["reloaded"] == []


def test_second_run_changes_nothing(story):
    _, results, _, _ = story
    for name in ("second", "after"):
        assert not results[name]["changed"] and results[name]["diff"] == [] and results[name]["reloaded"] == []


def test_drift_is_exactly_one_change(story):
    _, results, out, _ = story
    for name in ("drift_check", "repair"):
        assert differing(results[name]) == {"rail0": [], "rail1": ["pfc"]}
        (diff,) = results[name]["diff"]
        assert json.loads(diff["before"]) == {"rail1": {"pfc": []}}
        assert json.loads(diff["after"]) == {"rail1": {"pfc": [3]}}
    assert out.count("changed: [localhost]") >= 5


def test_what_is_not_possible_is_told(story):
    _, results, _, kind = story
    told = {(u["nic"], u["key"]) for u in results["first"]["unsupported"]}
    assert told == (set() if kind == "ofed" else {("rail0", "traffic_class"), ("rail1", "traffic_class")})


def test_state_is_readable_and_without_secrets(story):
    host, _, _, _ = story
    place = host.at("/etc/lossless-fabric/nic-qos.json")
    assert place.stat().st_mode & 0o777 == 0o644
    state = json.loads(place.read_text())
    assert [n["device"] for n in state["nics"]] == ["0000:1a:00.0", "0000:9c:00.0"]
    assert state["nics"][0]["settings"]["pfc"] == [3] and len(state["nics"][0]["settings"]["dscp_to_priority"]) == 64


def test_boot_brings_everything_back(story):
    """The card is as the driver starts it; the program, started for each event, makes it as wanted; Ansible agrees."""
    host, _, _, kind = story
    from tests.unit.nic.standins.card import fresh_port

    assert program(host, "verify")[0] == 0
    host.load()["ports"] = {interface: fresh_port() for _, interface, _ in PAIR}
    host.save()
    put(host.at("/sys/kernel/config/rdma_cm/mlx5_1/ports/1/default_roce_tos"), "0\n")
    rc, said = program(host, "verify")
    assert rc == 1 and "rail1 (ens2f0np0): pfc: expected [3], found []" in said
    assert "rdma_cm_tos: expected 106, found 0" in said
    for event in ("net-0000:1a:00.0", "rdma-0000:1a:00.0", "net-0000:9c:00.0", "rdma-0000:9c:00.0"):
        rc, said = program(host, "apply", "--event", event)
        assert rc == 0, said
    rc, said = program(host, "verify")
    assert rc == 0 and "as wanted" in said, said
    assert host.port("ens2f0np0")["pfc"] == [0, 0, 0, 1, 0, 0, 0, 0]
    assert "mlxconfig" not in " ".join(host.calls()[-20:]), "the firmware keeps its values over a boot"
    assert kind in ("ofed", "inbox")


def test_an_event_of_a_nic_that_is_not_ours_does_nothing(story):
    host, _, _, _ = story
    assert program(host, "apply", "--event", "net-0000:ff:00.0") == (0, "")
    assert program(host, "verify", "--nic", "rail9")[0] == 2
    shown = json.loads(program(host, "show", "--nic", "rail0")[1])
    assert list(shown) == ["rail0"] and shown["rail0"]["settings"]["trust"]["after"] == "dscp"


def test_the_interface_comes_before_its_rdma_device(story):
    """At boot the RDMA device appears later; its event brings what the first could not do."""
    host, _, _, _ = story
    device = host.at("/sys/devices/pci0000:17/0000:1a:00.0/infiniband")
    parked = host.root / "parked"
    device.rename(parked)
    tos = host.at("/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos")
    tos.write_text("0\n")
    rc, said = program(host, "apply", "--event", "net-0000:1a:00.0")
    assert rc == 0 and "has no RDMA device" in said and tos.read_text() == "0\n"
    parked.rename(device)
    assert program(host, "apply", "--event", "rdma-0000:1a:00.0")[0] == 0
    assert tos.read_text() == "106\n"


def test_systemd_accepts_the_unit(story):
    host, _, _, _ = story
    analyze = shutil.which("systemd-analyze")
    unit = host.at(UNIT)
    text = unit.read_text()
    assert f"ExecStart={sys.executable} {LIBRARY}/nic-qos apply --event %i" in text
    assert "RemainAfterExit=yes" in text and "StopWhenUnneeded=yes" in text
    if analyze is None:
        pytest.fail("expected systemd-analyze (Debian package systemd), found none; install it", pytrace=False)
    # The program is not at its place on this machine, so the check gets a copy that names the one of the test.
    copy = unit.parent / "check@.service"
    copy.write_text(text.replace(LIBRARY, str(host.at(LIBRARY))))
    instance = unit.parent / "check@net-0000:1a:00.0.service"
    shutil.copy(copy, instance)
    done = subprocess.run([analyze, "verify", str(instance)], capture_output=True, text=True, check=False)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "check@" in line]
    copy.unlink()
    instance.unlink()
    assert lines == [], lines


def test_udev_rules_name_every_nic_twice(story):
    host, _, _, _ = story
    lines = [line for line in host.at(RULES).read_text().splitlines() if not line.startswith("#")]
    assert len(lines) == 4
    assert lines[0] == (
        'ACTION!="remove", SUBSYSTEM=="net", KERNELS=="0000:1a:00.0", TAG+="systemd", '
        'ENV{SYSTEMD_WANTS}+="lossless-nic-qos@net-0000:1a:00.0.service"'
    )
    assert 'SUBSYSTEM=="infiniband"' in lines[1] and "@rdma-0000:1a:00.0" in lines[1]
    udevadm = shutil.which("udevadm")
    help_text = (
        subprocess.run([udevadm, "--help"], capture_output=True, text=True, check=False).stdout if udevadm else ""
    )
    if "verify" in help_text:  # systemd 254 and newer
        done = subprocess.run([udevadm, "verify", str(host.at(RULES))], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_installed_code_is_that_of_the_collection(story):
    host, _, _, _ = story
    folder = host.at(f"{LIBRARY}/ansible_collections/lossless/fabric/plugins/module_utils/nic")
    source = Path(nic_qos.__file__).parents[1] / "module_utils/nic"
    for place in folder.glob("*.py"):
        assert place.read_text() == (source / place.name).read_text()
    assert not list(host.at(LIBRARY).rglob("__pycache__")), "the program leaves nothing behind"


@pytest.mark.parametrize("module", [nic_qos, nic_firmware])
def test_documentation_and_arguments_agree(module):
    def plain(options):
        found = {}
        for name, option in options.items():
            kept = {k: v for k, v in option.items() if k not in ("description", "apply_defaults")}
            inner = kept.pop("suboptions", None) or kept.pop("options", None)  # documentation, argument specification
            if inner:
                kept["options"] = plain(inner)
            found[name] = kept
        return found

    documented = yaml.safe_load(module.DOCUMENTATION)["options"]
    documented |= yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["options"]
    assert plain(documented) == plain(module.options())


def test_absent_and_errors(tmp_path):
    host = Host(tmp_path, tools=("ethtool", "mlnx_qos", "systemctl", "udevadm"))
    host.nic("0000:3b:00.0", "eno1", None, ofed=False, driver="virtio_net")
    host.save()
    steps = [
        ("first", task(host)),
        ("absent_check", {**task(host, state="absent", nics=[]), "check_mode": True}),
        ("absent", task(host, state="absent", nics=[])),
        ("again", task(host, state="absent", nics=[])),
        ("wrong", task(host, nics=[*NICS, {"name": "rail2", "device": "eno1"}, {"name": "rail3"}])),
        ("range", task(host, roce={**ROCE, "dscp": [64]})),
        ("two", task(host, roce={**ROCE, "cnp_priority": 3})),
        ("set", task(host)),
        ("refused", task(host, allow_link_flap=False, roce={**ROCE, "priority": 4})),
    ]
    results, _ = play(tmp_path, steps)
    assert results["absent_check"]["files"] == results["absent"]["files"] and len(results["absent"]["files"]) == 16
    assert results["absent_check"]["diff"] == results["absent"]["diff"]
    assert not results["again"]["changed"]
    wrong = results["wrong"]
    assert wrong["failed"] and "rail2: nic: expected driver mlx5_core, found virtio_net" in wrong["msg"]
    assert "rail3: nic: expected a network interface" in wrong["msg"]
    assert set(wrong["nics"]) == {"rail0", "rail1", "rail2", "rail3"} and not wrong["nics"]["rail0"]["changed"]
    assert results["range"]["msg"] == "expected roce.dscp from 0 to 63, found 64 (correct it)"
    assert "three different priorities" in results["two"]["msg"]
    assert results["refused"]["failed"] and "allow_link_flap" in results["refused"]["msg"]
    assert host.port()["pfc"] == [0, 0, 0, 1, 0, 0, 0, 0] and not results["refused"]["changed"]
    state = json.loads(host.at("/etc/lossless-fabric/nic-qos.json").read_text())
    assert [n["settings"]["pfc"] for n in state["nics"]] == [[3], [3]], "boot goes on with what was allowed last"


def test_a_port_of_infiniband_is_left_alone_and_named(tmp_path):
    host = Host(tmp_path, tools=("ethtool", "mlnx_qos", "systemctl", "udevadm"))
    host.nic("0000:5e:00.0", "ibp94s0", "mlx5_9", ofed=True)
    put(host.at("/sys/class/infiniband/mlx5_9/ports/1/link_layer"), "InfiniBand\n")
    host.save()
    nics = [{"name": "ib0", "device": "0000:5e:00.0"}]
    results, _ = play(tmp_path, [("run", task(host, nics=nics)), ("again", task(host, nics=nics))])
    (said,) = results["run"]["warnings"]
    assert said.startswith("ib0 (0000:5e:00.0) was left alone: the link layer is InfiniBand")
    assert results["run"]["nics"]["ib0"]["settings"] == {} and not results["again"]["changed"]
    state = json.loads(host.at("/etc/lossless-fabric/nic-qos.json").read_text())
    assert state["nics"] == [], "boot leaves it alone too"


def test_code_is_what_the_oldest_python_of_targets_reads():
    source = Path(nic_qos.__file__).parents[1] / "module_utils/nic"
    for place in [*source.glob("*.py"), Path(nic_qos.__file__), Path(nic_firmware.__file__)]:
        ast.parse(place.read_text(), feature_version=(3, 8))


def test_the_program_runs_on_python_3_8(story):
    host, _, _, _ = story
    if OLD_PYTHON.exists():  # a machine without it has the test above
        host.load()["ports"]["ens1f0np0"]["pause"] = {"rx": "on", "tx": "off"}
        host.save()
        assert program(host, "verify", python=OLD_PYTHON)[0] == 1
        assert program(host, "apply", python=OLD_PYTHON)[0] == 0
        assert host.port()["pause"] == {"rx": "off", "tx": "off"}


def test_code_of_an_earlier_release_goes(tmp_path):
    folders = persist.Folders()
    system = System(tmp_path)
    put(system.at(f"{folders.package}/old.py"), "")
    parts = persist.parts(folders, {"nics": []}, "/usr/bin/python3")
    assert f"{folders.package}/old.py" in [c["path"] for c in persist.install(system, folders, parts, True)]
    persist.install(system, folders, parts, False)
    assert "old.py" not in system.names(folders.package) and persist.install(system, folders, parts, False) == []
    persist.remove(system, folders, False)
    assert [str(p) for p in tmp_path.rglob("*") if p.is_file()] == []
    assert not system.exists("/usr/local/lib/lossless-fabric") and system.exists("/usr/local/lib")
