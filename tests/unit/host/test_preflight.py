# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every preflight check passes on a healthy server and fails on one with exactly that fault."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.lossless.fabric.plugins.module_utils.host.facts import gather
from ansible_collections.lossless.fabric.plugins.module_utils.host.machine import Machine
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.host import Hardware, Host
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.load import load_host
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight import links, report
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.runner import Verdict, discover, examine
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import FactsError, View
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.waivers import WaiverError
from tests.unit.host.trees.server import ACS_OF_LINUX, KERNEL, Module, Server, changed, healthy

ROOT = Path(__file__).parents[3]
TODAY = datetime.date(2026, 11, 29)
GIB = 1 << 30
HARDWARE: dict[str, Any] = {
    "gpus": {"count": 4, "pcie_generation": 5, "driver": "580.95.05"},
    "nics": {
        "count": 4,
        "pcie_generation": 5,
        "max_read_request": 4096,
        "firmware": {"MT_0000000838": "28.42.1000"},
    },
    "numa_nodes": 2,
    "bios": "1.4a",
}
ROCE = {"profile": "ROCE", "trust": "dscp", "priority": 3, "dscp": [26], "cnp_priority": 6, "cnp_dscp": [48]}


def model(hardware: dict[str, Any] | None = HARDWARE, **nic: Any) -> Host:
    nics = [{"name": f"rail{i}", "rail": i, "speed": 400000, "mtu": 9000, **nic} for i in range(4)]
    return load_host({"name": "gpu01", "nics": nics, "roce": ROCE, "hardware": hardware}, "gpu01")


def check(server: Server, tmp_path: Path, host: Host | None = None, **options: Any) -> Verdict:
    facts = gather(Machine(str(server.build(tmp_path / "root"))))
    return examine(View(facts, host or model()), options.pop("waivers", ()), TODAY, **options)


def failed(verdict: Verdict) -> dict[str, list[Outcome]]:
    result: dict[str, list[Outcome]] = {}
    for outcome in verdict.select("fail"):
        result.setdefault(outcome.check, []).append(outcome)
    return result


FAULTS: dict[str, tuple[Callable[[Server], Any], str, str, str]] = {
    # name: what is done to the server, check, subject, part of "found"
    "a GPU is missing": (lambda s: s.gpus.pop(), "gpu_count", "", "3 on the PCI bus"),
    "a NIC is missing": (lambda s: s.nics.pop(), "nic_count", "", "3 on the PCI bus"),
    "x8 instead of x16": (
        lambda s: changed(s, "nics", 1, link=(5, 8, 5, 16)),
        "pcie_width",
        "NIC 0000:24:00.0 (mlx5_1)",
        "x8",
    ),
    "GPU in an x8 slot": (
        lambda s: changed(s, "gpus", 0, link=(5, 8, 5, 16), slot=(5, 8)),
        "pcie_width",
        "GPU 0000:13:00.0",
        "x8 in a x8 slot",
    ),
    "generation 3": (
        lambda s: changed(s, "nics", 0, link=(3, 16, 5, 16)),
        "pcie_generation",
        "NIC 0000:14:00.0 (mlx5_0)",
        "generation 3",
    ),
    "generation 4 slot": (
        lambda s: changed(s, "gpus", 2, link=(4, 16, 5, 16), slot=(4, 16)),
        "pcie_generation",
        "GPU 0000:33:00.0",
        "generation 4 in a generation 4 slot",
    ),
    "ACS on": (
        lambda s: changed(s, "nics", 3, acs=ACS_OF_LINUX),
        "acs",
        "bridge 0000:42:01.0",
        "SrcValid+ ReqRedir+ CmpltRedir+ UpstreamFwd+",
    ),
    "IOMMU off": (lambda s: setattr(s, "iommu", None), "iommu", "", "off"),
    "iommu=pt missing": (
        lambda s: (setattr(s, "cmdline", "intel_iommu=on"), setattr(s, "iommu", "DMA-FQ")),
        "iommu_passthrough",
        "",
        "groups of type DMA-FQ, without iommu=pt",
    ),
    "iommu=pt not in force": (
        lambda s: setattr(s, "iommu", "DMA"),
        "iommu_passthrough",
        "",
        "groups of type DMA, with iommu=pt",
    ),
    "SR-IOV off in the BIOS": (
        lambda s: changed(s, "nics", 0, vfs=None),
        "sriov",
        "NIC 0000:14:00.0 (mlx5_0)",
        "none (16 offered by the NIC)",
    ),
    "SR-IOV off in the NIC": (
        lambda s: changed(s, "nics", 0, vfs=None, offered=0),
        "sriov",
        "NIC 0000:14:00.0 (mlx5_0)",
        "none, and none offered by the NIC",
    ),
    "BAR below 4 GiB": (
        lambda s: changed(s, "gpus", 0, bar=(0x9000_0000, 256 << 20)),
        "above_4g",
        "GPU 0000:13:00.0",
        "BAR 0 of 256 MiB at 0x90000000",
    ),
    "BAR without address": (
        lambda s: changed(s, "gpus", 0, bar=(0, 0)),
        "above_4g",
        "GPU 0000:13:00.0",
        "BAR 0 has no address",
    ),
    "login may lock 8 MiB": (lambda s: setattr(s, "login_memlock", "8388608"), "memlock", "login", "8192 KiB"),
    "services may lock 8 MiB": (lambda s: setattr(s, "service_memlock", "8388608"), "memlock", "services", "8192 KiB"),
    "Fabric Manager of another version": (
        lambda s: setattr(s, "fabric_manager", "580.82.07"),
        "fabric_manager",
        "version",
        "580.82.07",
    ),
    "Fabric Manager missing": (
        lambda s: setattr(s, "fabric_manager", None),
        "fabric_manager",
        "version",
        "not installed",
    ),
    "Fabric Manager stopped": (
        lambda s: setattr(s, "fabric_manager_state", "failed"),
        "fabric_manager",
        "service",
        "failed",
    ),
    "another driver": (
        lambda s: (
            setattr(s, "driver", "570.1"),
            setattr(s, "fabric_manager", "570.1"),
            s.modules.update(nvidia=Module("570.1", "570.1"), nvidia_peermem=Module("570.1", "570.1")),
        ),
        "gpu_driver",
        "",
        "570.1",
    ),
    "unsigned module with Secure Boot": (
        lambda s: (setattr(s, "secure_boot", True), s.modules.update(mlx5_core=Module(signer=None))),
        "module_signature",
        "mlx5_core",
        "unsigned",
    ),
    "key of DKMS not enrolled": (
        lambda s: (
            setattr(s, "secure_boot", True),
            s.modules.update(nvidia=Module("580.95.05", "580.95.05", "DKMS module signing key")),
        ),
        "module_signature",
        "nvidia",
        "signed by DKMS module signing key, which is not enrolled",
    ),
    "upgraded and not reloaded": (
        lambda s: s.modules.update(mlx5_core=Module("24.07", "24.10")),
        "module_version",
        "mlx5_core",
        "24.07 loaded (SRC24.07)",
    ),
    "upgraded, from the same sources": (
        lambda s: s.modules.update(mlx5_core=Module("24.07", "24.10", source="SAME")),
        "module_version",
        "mlx5_core",
        "24.07 loaded",
    ),
    "not built for this kernel": (
        lambda s: setattr(s, "dkms", "nvidia/580.95.05, 6.8.0-31-generic, x86_64: installed\n"),
        "dkms",
        "nvidia",
        f"nothing built for {KERNEL}",
    ),
    "headers missing": (lambda s: setattr(s, "headers", False), "dkms", "headers", "not installed"),
    "one NUMA node": (lambda s: setattr(s, "numa_bytes", (2048 * GIB,)), "numa", "", "1"),
    "NICs on one node": (
        lambda s: [changed(s, "nics", i, numa=0) for i in range(4)],
        "numa",
        "GPUs and NICs",
        "node 0: 2 GPUs, 4 NICs, node 1: 2 GPUs, 0 NICs",
    ),
    "GPU without node": (lambda s: changed(s, "gpus", 3, numa=-1), "numa", "GPU 0000:43:00.0", "none"),
    "old NIC firmware": (
        lambda s: changed(s, "nics", 2, firmware="28.39.1002"),
        "nic_firmware",
        "NIC 0000:34:00.0 (mlx5_2) MT_0000000838",
        "28.39.1002",
    ),
    "another NIC board": (
        lambda s: changed(s, "nics", 2, board="DEL0000000027"),
        "nic_firmware",
        "NIC 0000:34:00.0 (mlx5_2)",
        "DEL0000000027",
    ),
    "another BIOS": (lambda s: setattr(s, "bios", "1.2"), "bios", "", "1.2"),
    "small read requests": (
        lambda s: changed(s, "nics", 0, read_request=512),
        "max_read_request",
        "NIC 0000:14:00.0 (mlx5_0)",
        "512 bytes",
    ),
    "port down": (
        lambda s: changed(s, "nics", 0, state="1: DOWN"),
        "rdma_link",
        "mlx5_0/1",
        "DOWN, Disabled, Ethernet",
    ),
    "slow port": (
        lambda s: changed(s, "nics", 0, rate="200 Gb/sec (4X HDR)"),
        "rdma_link",
        "mlx5_0/1",
        "ACTIVE at 200 Gb/s, Ethernet",
    ),
    "no way to GPU memory": (
        lambda s: (s.modules.pop("nvidia_peermem"), setattr(s, "open_driver", False)),
        "gpudirect",
        "",
        "neither",
    ),
}


@pytest.mark.parametrize("name", discover())
def test_each_check_passes_on_a_healthy_server(name: str, tmp_path: Path):
    server = healthy()
    server.secure_boot = True  # otherwise signatures are not looked at
    outcomes = [o for o in check(server, tmp_path).outcomes if o.check == name]
    assert outcomes
    assert {o.status for o in outcomes} == {"pass"}


@pytest.mark.parametrize("name", discover())
def test_each_check_says_what_it_reads_why_and_what_to_do(name: str):
    kind = discover()[name]
    assert kind.__module__.endswith(f".{name}"), "one file per check, named after it"
    assert kind.reads and kind.why and kind.remedy and kind.__doc__
    assert not kind.why.endswith(".") and not kind.remedy.endswith(".")


@pytest.mark.parametrize("name", FAULTS)
def test_one_fault_gives_the_one_finding(name: str, tmp_path: Path):
    apply, wanted, subject, actual = FAULTS[name]
    server = healthy()
    apply(server)
    found = failed(check(server, tmp_path))
    assert subject in [o.subject for o in found.get(wanted, [])], found
    outcome = next(o for o in found[wanted] if o.subject == subject)
    assert actual in outcome.actual
    assert outcome.expected and outcome.why and outcome.remedy
    assert set(found) == {wanted}, "a fault does not light up checks that have nothing to do with it"


@pytest.mark.parametrize(
    ("enabled", "lockdown", "enforced", "status"),
    [
        (True, "integrity", True, "fail"),
        (True, None, False, "fail"),  # nothing says that unsigned modules are taken
        (True, "none", False, "skipped"),  # a kernel that is not locked down under Secure Boot
        (False, "none", False, "skipped"),
        (False, "none", True, "fail"),
        (False, "integrity", False, "fail"),  # lockdown= on the kernel's command line
        (None, "integrity", True, "fail"),
        (None, "none", False, "skipped"),
        (None, None, None, "unknown"),
    ],
)
def test_whether_the_kernel_refuses_unsigned_modules_decides(enabled, lockdown, enforced, status, tmp_path: Path):
    server = healthy()
    server.modules = {"mlx5_core": Module(signer=None)}
    facts = gather(Machine(str(server.build(tmp_path / "root"))))
    facts["secure_boot"] |= {"enabled": enabled, "lockdown": lockdown, "signatures_enforced": enforced}
    outcomes = [o for o in examine(View(facts, model()), (), TODAY).outcomes if o.check == "module_signature"]
    assert [o.status for o in outcomes] == [status]


def test_the_documentation_lists_every_check():
    rows = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/hosts/preflight.md").read_text(), re.M)
    assert rows == sorted(discover())


def test_every_check_has_a_fault():
    assert {wanted for _, wanted, _, _ in FAULTS.values()} == set(discover())


def test_a_gpu_that_fell_off_the_bus(tmp_path: Path):
    found = failed(check(changed(healthy(), "gpus", 1, fallen=True), tmp_path))
    assert [(o.subject, o.actual) for o in found["gpu_count"]] == [
        ("", "3 on the PCI bus"),
        ("GPU 0000:23:00.0", "fallen off the bus (reads all ones)"),
    ]


def test_gpus_that_are_missing_are_no_matter_of_numa(tmp_path: Path):
    server = healthy()
    del server.gpus[2:]
    assert set(failed(check(server, tmp_path))) == {"gpu_count"}


def test_a_gpu_that_the_driver_does_not_know(tmp_path: Path):
    facts = gather(Machine(str(healthy().build(tmp_path / "root"))))
    del facts["gpus"][2]
    outcome = failed(examine(View(facts, model()), (), TODAY))["gpu_count"][0]
    assert (outcome.subject, outcome.expected, outcome.actual) == ("nvidia-smi", "4 GPUs", "3 answer")


def test_gpus_of_which_only_the_driver_knows(tmp_path: Path):
    """A sandbox that hides the PCI bus: width and speed come from nvidia-smi, the rest is unknown and never good."""
    facts = gather(Machine(str(healthy().build(tmp_path / "root"))))
    facts["pci"] = [d for d in facts["pci"] if d["kind"] != "gpu"]
    facts["gpus"][1]["pcie_link_width_current"] = 8
    verdict = examine(View(facts, model()), (), TODAY)
    assert [(o.check, o.subject, o.actual) for o in verdict.select("fail")] == [
        ("pcie_width", "GPU 0000:23:00.0", "x8")
    ]
    count = next(o for o in verdict.outcomes if o.check == "gpu_count" and not o.subject)
    assert (count.status, count.actual) == ("pass", "4 known to the driver")
    assert {o.check for o in verdict.select("unknown")} == {"above_4g", "numa"}


def test_a_gpu_that_saves_power_is_no_finding(tmp_path: Path):
    server = changed(healthy(), "gpus", 0, link=(1, 16, 5, 16))
    server.pstate = "P8"
    verdict = check(server, tmp_path)
    assert "pcie_generation" not in failed(verdict)
    unknown = [o for o in verdict.select("unknown") if o.check == "pcie_generation"]
    assert [o.actual for o in unknown] == ["generation 1, saving power in state P8"]


def test_passthrough_of_the_kernel_alone_is_a_warning(tmp_path: Path):
    server = healthy()
    server.cmdline = "quiet"
    outcome = failed(check(server, tmp_path))["iommu_passthrough"][0]
    assert outcome.severity == "warning"


def test_passthrough_by_the_general_argument(tmp_path: Path):
    """The only one on Arm."""
    server = healthy()
    server.cmdline = "iommu.passthrough=1"
    assert failed(check(server, tmp_path)) == {}


def test_the_soft_limit_of_locked_memory_counts(tmp_path: Path):
    server = healthy()
    server.login_memlock, server.login_memlock_hard = "unlimited", "8388608"
    assert failed(check(server, tmp_path / "soft")) == {}
    server.login_memlock, server.login_memlock_hard = "65536", "unlimited"
    assert failed(check(server, tmp_path / "hard"))["memlock"][0].actual == "64 KiB"


def test_remedies_tell_slot_from_card_and_bios_from_nic(tmp_path: Path):
    server = changed(healthy(), "gpus", 0, link=(5, 8, 5, 16), slot=(5, 8))
    changed(server, "nics", 1, link=(5, 8, 5, 16))
    changed(server, "nics", 0, vfs=None)
    changed(server, "nics", 2, vfs=None, offered=0)
    found = failed(check(server, tmp_path))
    slot, card = (next(o for o in found["pcie_width"] if o.subject.startswith(kind)) for kind in ("GPU", "NIC"))
    assert "the slot offers x8 only" in slot.remedy
    assert "reseat the card" in card.remedy
    bios, nic = sorted(found["sriov"], key=lambda o: o.subject)
    assert bios.remedy == "enable SR-IOV in the BIOS"
    assert "SRIOV_EN" in nic.remedy and "nic_firmware_settings" in nic.remedy


def test_before_any_driver_the_platform_is_checked_all_the_same(tmp_path: Path):
    server = changed(healthy(), "nics", 1, link=(5, 8, 5, 16))
    server.driver, server.rdma, server.modules, server.dkms = None, False, {}, ""
    verdict = check(server, tmp_path)
    assert list(failed(verdict)) == ["pcie_width"]
    skipped = {o.check for o in verdict.select("skipped")}
    assert {"fabric_manager", "gpu_driver", "module_version", "nic_firmware", "rdma_link", "gpudirect"} <= skipped


def test_in_a_virtual_machine_the_platform_is_the_hypervisors(tmp_path: Path):
    server = changed(healthy(), "nics", 0, acs=ACS_OF_LINUX, vfs=None)
    server.virtual, server.iommu = True, None
    verdict = check(server, tmp_path)
    assert failed(verdict) == {}
    assert {"acs", "iommu", "iommu_passthrough", "sriov"} <= {o.check for o in verdict.select("skipped")}


def test_without_privileges_acs_is_unknown_and_never_good(tmp_path: Path):
    server = changed(healthy(), "nics", 0, acs=ACS_OF_LINUX)
    server.privileged = False
    outcomes = [o for o in check(server, tmp_path).outcomes if o.check == "acs"]
    assert {o.status for o in outcomes} == {"unknown"}


def test_infiniband_without_subnet_manager(tmp_path: Path):
    server = healthy()
    for i in range(4):
        changed(server, "nics", i, link_layer="InfiniBand")
    server.files["sys/class/infiniband/mlx5_0/ports/1/state"] = "2: INIT"
    outcome = failed(check(server, tmp_path))["rdma_link"][0]
    assert outcome.actual == "INIT, LinkUp, InfiniBand"
    assert "start a subnet manager" in outcome.remedy


def test_a_nic_of_the_model_that_is_not_there(tmp_path: Path):
    host = load_host(
        {
            "name": "gpu01",
            "nics": [
                {"name": "rail0", "mtu": 9000, "pci_address": "0000:14:00.0"},
                {"name": "rail1", "mtu": 9000, "pci_address": "0000:99:00.0"},
            ],
            "roce": ROCE,
        },
        "gpu01",
    )
    found = failed(check(healthy(), tmp_path, host))
    assert [(o.subject, o.expected) for o in found["nic_count"]] == [("rail1", "a NIC at 0000:99:00.0")]


def test_a_server_type_without_iommu(tmp_path: Path):
    hardware = {**HARDWARE, "iommu": "off"}
    outcome = failed(check(healthy(), tmp_path, model(hardware)))["iommu"][0]
    assert (outcome.expected, outcome.actual) == ("off", "4 units, 8 groups")


def test_without_profile_the_general_checks_are_made(tmp_path: Path):
    server = changed(healthy(), "nics", 1, link=(5, 8, 5, 16))
    verdict = check(server, tmp_path, model(None))
    assert list(failed(verdict)) == ["pcie_width"]
    assert {"gpu_count", "nic_count", "gpu_driver", "bios"} <= {o.check for o in verdict.select("skipped")}


def test_firmware_that_differs_between_nics_is_a_warning_without_profile(tmp_path: Path):
    server = changed(healthy(), "nics", 2, firmware="28.39.1002")
    outcome = failed(check(server, tmp_path, model(None)))["nic_firmware"][0]
    assert (outcome.severity, outcome.actual) == ("warning", "28.39.1002, 28.42.1000")


# -- waivers ----------------------------------------------------------------------------------------------------------
def waiver(**values: Any) -> dict[str, Any]:
    return {
        "check": "pcie_width",
        "subject": "NIC 0000:24*",
        "reason": "riser ordered",
        "until": "2026-12-31",
        **values,
    }


def slow_nic() -> Server:
    return changed(healthy(), "nics", 1, link=(5, 8, 5, 16))


def test_a_waiver_with_reason_and_day(tmp_path: Path):
    verdict = check(slow_nic(), tmp_path, waivers=[waiver()])
    assert failed(verdict) == {}
    assert [o.waiver for o in verdict.select("waived")] == ["riser ordered (until 2026-12-31)"]
    assert verdict.notes == ()


def test_the_last_day_counts(tmp_path: Path):
    assert failed(check(slow_nic(), tmp_path, waivers=[waiver(until="2026-11-29")])) == {}


def test_an_expired_waiver_has_no_effect_and_says_so(tmp_path: Path):
    outcome = failed(check(slow_nic(), tmp_path, waivers=[waiver(until="2026-11-28")]))["pcie_width"][0]
    assert outcome.waiver == "waiver expired on 2026-11-28"


def test_a_waiver_for_another_device_has_no_effect_and_is_reported(tmp_path: Path):
    verdict = check(slow_nic(), tmp_path, waivers=[waiver(subject="NIC 0000:99*")])
    assert "pcie_width" in failed(verdict)
    assert verdict.notes == ("waiver for pcie_width NIC 0000:99* matches no finding (remove it)",)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"reason": ""}, "waivers[0].reason: expected why pcie_width is waived"),
        ({"until": None}, 'waivers[0].until: expected the last day such as 2027-03-31, found "nothing"'),
        ({"until": "soon"}, 'found "soon"'),
        ({"check": "pcie_wdth"}, "waivers[0].check: expected one of above_4g, acs"),
        ({"host": "gpu01"}, "expected the fields check, reason, subject, until, found host"),
    ],
)
def test_a_waiver_that_is_incomplete(values: dict[str, Any], message: str, tmp_path: Path):
    with pytest.raises(WaiverError) as error:
        check(slow_nic(), tmp_path, waivers=[waiver(**values)])
    assert message in str(error.value)


def test_skip_takes_names_of_checks_only(tmp_path: Path):
    assert failed(check(slow_nic(), tmp_path, skip=["pcie_width"])) == {}
    with pytest.raises(WaiverError, match="found pcie"):
        check(slow_nic(), tmp_path / "again", skip=["pcie"])


def test_facts_of_somebody_else():
    with pytest.raises(FactsError, match="expected the facts of lossless"):
        View({"distribution": "Debian"}, None, Hardware())


# -- report -----------------------------------------------------------------------------------------------------------
def test_the_table_and_the_line(tmp_path: Path):
    verdict = check(slow_nic(), tmp_path)
    text = report.text("gpu01", verdict)
    assert max(len(line) for line in text.splitlines()[:8]) <= report.WIDTH
    assert "error     pcie_width          NIC 0000:24:00.0 (mlx5_1)" in text
    assert "fix: reseat the card or riser" in text
    assert text.splitlines()[-1].startswith("gpu01: 1 error, 0 warnings, 0 waived, ")
    assert "first: pcie_width NIC 0000:24:00.0 (mlx5_1): expected x16, found x8 (reseat" in text.splitlines()[-1]
    assert "pass" not in text.replace("passed", "").replace("passthrough", "")
    assert "pass      acs" in report.text("gpu01", verdict, everything=True)


def test_the_document(tmp_path: Path):
    facts = gather(Machine(str(slow_nic().build(tmp_path / "root"))))
    view = View(facts, model())
    document = report.document("gpu01", view, examine(view, (), TODAY), "2026-11-29T00:00:00Z")
    assert document["summary"]["errors"] == 1
    assert document["outcomes"][0]["check"] == "pcie_width"
    assert document["outcomes"][0]["status"] == "fail"
    assert document["kernel"] == KERNEL


def test_the_ports_as_operators_ask_for_them(tmp_path: Path):
    server = changed(healthy(), "nics", 1, state="1: DOWN")
    facts = gather(Machine(str(server.build(tmp_path / "root"))))
    facts["mst"] = [{"mst": "/dev/mst/mt4129_pciconf0", "pci": "14:00.0"}]
    facts["mlxlink"] = {
        "0000:14:00.0": {"State": "Active", "Recommendation": "No issue was observed"},
        "0000:24:00.0": {"State": "Polling", "Recommendation": "No signal, the cable is not connected"},
    }
    nics = [{"name": f"rail{i}", "pci_address": f"0000:{i + 1}4:00.0", "mtu": 9000} for i in range(4)]
    view = View(facts, load_host({"name": "gpu01", "nics": nics, "roce": ROCE}, "gpu01"))
    verdict = examine(view, (), TODAY)
    row = report.document("gpu01", view, verdict, "now")["links"][0]
    assert row | {"mlxlink": None} == {
        "port": "mlx5_0/1",
        "nic": "rail0",
        "pci": "0000:14:00.0",
        "interface": "ens0np0",
        "state": "ACTIVE",
        "physical_state": "LinkUp",
        "speed_mbps": 400000,
        "link_layer": "Ethernet",
        "firmware": "28.42.1000",
        "board": "MT_0000000838",
        "numa_node": 0,
        "nearest_gpu": {"gpu": "0000:13:00.0", "relation": "PIX"},
        "mst": "/dev/mst/mt4129_pciconf0",
        "mlxlink": None,
    }
    lines = links.table(links.rows(view)).splitlines()
    assert lines[1].split("  ")[0] == "mlx5_0/1" and "0000:13:00.0 PIX" in lines[1]
    assert "DOWN, Disabled" in lines[2] and "/dev/mst" not in lines[2]
    assert lines[5:] == ["mlx5_1/1: mlxlink: No signal, the cable is not connected"]
    found = failed(verdict)["rdma_link"]
    assert [o.actual for o in found] == ["DOWN, Disabled, Ethernet; mlxlink: No signal, the cable is not connected"]
    assert links.table([]) == "no RDMA device"
