# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every row of the matrix is seen to find its conflict, and to be content with what is right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.software import matrix
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.wanted import NotSupported
from tests.unit.software.machines import BLACKWELL, CONNECTX_7, CONNECTX_8, GPU, Host
from tests.unit.software.roles import Site

VOLTA = ("10de", "1db6", "030200")
CONNECTX_4 = ("15b3", "1013", "020000")
EL98 = "5.14.0-687.12.1.el9_8.x86_64"
DOCA = {"rdma_stack_flavour": "doca"}
OFED = {"rdma_stack_flavour": "mlnx_ofed"}

# row: distribution, PCI devices, variables that break it, the part that is named, variables that mend it
BROKEN = {
    "cuda-13-driver": ("ubuntu24.04", [GPU], {"nvidia_driver_version": "570.86.10"}, "NVIDIA driver 570.86.10", {}),
    "cuda-12-driver": (
        "ubuntu22.04",
        [GPU],
        {"cuda_version": "12.4", "nvidia_driver_version": "520.61.05"},
        "NVIDIA driver 520.61.05",
        {"cuda_version": "12.4", "nvidia_driver_version": "550.90.07"},
    ),
    "cuda-13.1-driver-complete": (
        "ubuntu24.04",
        [GPU],
        {"cuda_version": "13.1"},
        "NVIDIA driver 580.126.20",
        {"cuda_version": "13.1", "nvidia_driver_version": "590.48.01"},
    ),
    "cuda-13.2-driver-complete": (
        "ubuntu24.04",
        [GPU],
        {"cuda_version": "13.2"},
        "NVIDIA driver 580.126.20",
        {"cuda_version": "13.2", "nvidia_driver_version": "595.45.04"},
    ),
    "cuda-12.8-driver-complete": (
        "ubuntu24.04",
        [GPU],
        {"cuda_version": "12.8", "nvidia_driver_version": "560.35.05"},
        "NVIDIA driver 560.35.05",
        {"cuda_version": "12.8"},
    ),
    "cuda-12.9-driver-complete": (
        "ubuntu24.04",
        [GPU],
        {"cuda_version": "12.9", "nvidia_driver_version": "570.86.10"},
        "NVIDIA driver 570.86.10",
        {"cuda_version": "12.9"},
    ),
    "nccl-cuda-13": ("ubuntu24.04", [GPU], {"cuda_nccl_version": "2.26.5"}, "NCCL 2.26.5", {}),
    "nccl-gid-selection": ("ubuntu24.04", [GPU], {"cuda_nccl_version": "2.20.5"}, "NCCL 2.20.5", {}),
    "gdrcopy-cuda-13": ("ubuntu24.04", [GPU], {"gpudirect_gdrcopy_version": "2.5"}, "GDRCopy 2.5", {}),
    "open-modules-driver": (
        "ubuntu22.04",
        [GPU],
        {"nvidia_driver_version": "510.85.02"},
        "NVIDIA driver 510.85.02",
        {},
    ),
    "proprietary-modules-driver": (
        "ubuntu24.04",
        [GPU],
        {"nvidia_driver_modules": "proprietary", "nvidia_driver_version": "620.10.01"},
        "NVIDIA driver 620.10.01",
        {"nvidia_driver_modules": "proprietary", **DOCA},
    ),
    "blackwell-open-modules": (
        "ubuntu24.04",
        [BLACKWELL],
        {"nvidia_driver_modules": "proprietary"},
        "NVIDIA kernel modules proprietary",
        {},
    ),
    "volta-proprietary-modules": (
        "ubuntu24.04",
        [VOLTA],
        {},
        "NVIDIA kernel modules open",
        {"nvidia_driver_modules": "proprietary", **DOCA},
    ),
    "el9.8-driver": ("el9.8", [GPU], {"nvidia_driver_version": "575.57.08"}, "NVIDIA driver 575.57.08", {}),
    "doca-distribution": ("debian12", [GPU], DOCA, "distribution debian12", {}),
    "doca-2.9-connectx-8": (
        "ubuntu24.04",
        [CONNECTX_8],
        {**DOCA, "rdma_stack_doca_version": "2.9.4"},
        "DOCA 2.9.4",
        DOCA,
    ),
    "doca-connectx-4": ("ubuntu24.04", [CONNECTX_4], DOCA, "DOCA 3.2.1", {}),
    "mlnx-ofed-connectx-8": ("ubuntu24.04", [CONNECTX_7, CONNECTX_8], OFED, "NIC connectx-8", DOCA),
    "mlnx-ofed-last": (
        "ubuntu24.04",
        [CONNECTX_7],
        {**OFED, "rdma_stack_mlnx_ofed_version": "25.04-0.6.1.0"},
        "MLNX_OFED 25.04-0.6.1.0",
        OFED,
    ),
    "mlnx-ofed-ubuntu-24.04": (
        "ubuntu24.04",
        [CONNECTX_7],
        {**OFED, "rdma_stack_mlnx_ofed_version": "23.10-2.1.3.1"},
        "MLNX_OFED 23.10-2.1.3.1",
        OFED,
    ),
    "el9.8-doca-3.2": ("el9.8", [GPU], DOCA, "DOCA 3.2.1", {**DOCA, "rdma_stack_doca_version": "3.3.0"}),
    "dmabuf-kernel": ("rhel8", [GPU], {"gpudirect_mode": "dmabuf"}, "kernel 4.18.0", {**DOCA}),
    "dmabuf-modules": (
        "ubuntu24.04",
        [GPU],
        {"gpudirect_mode": "dmabuf", "nvidia_driver_modules": "proprietary"},
        "NVIDIA kernel modules proprietary",
        {"gpudirect_mode": "dmabuf"},
    ),
    "dmabuf-cuda": (
        "ubuntu24.04",
        [GPU],
        {"gpudirect_mode": "dmabuf", "cuda_version": "11.4"},
        "CUDA 11.4",
        {"gpudirect_mode": "dmabuf"},
    ),
    "peermem-interface": (
        "ubuntu24.04",
        [GPU],
        {"gpudirect_mode": "peermem"},
        "peer memory interface of the RDMA stack no",
        {"gpudirect_mode": "peermem", **DOCA},
    ),
    "gpudirect-kernel": ("rhel8", [GPU], {}, "GPUDirect none", DOCA),
}


def host(key, pci):
    return Host("rhel9", kernel=EL98, pci=pci) if key == "el9.8" else Host(key, pci=pci)


def test_every_row_is_tested_and_names_its_source():
    rows = matrix.load()
    assert {row.name for row in rows} == set(BROKEN)
    for row in rows:
        assert row.source and row.why and row.remedy, row.name


@pytest.mark.parametrize("name", BROKEN)
def test_the_conflict_is_named_and_mended(name, tmp_path):
    key, pci, variables, actual, mended = BROKEN[name]
    row = next(row for row in matrix.load() if row.name == name)
    # Found by the first role already, before anything is installed.
    findings = Site(tmp_path / "broken", host(key, pci), **variables).decide("rdma_stack").findings
    found = next(finding for finding in findings if finding.name == name)
    assert found.actual.startswith(actual)
    assert found.severity == row.severity
    assert str(found).startswith(f"{name}: expected ") and row.remedy in str(found) and row.source in str(found)
    good = Site(tmp_path / "mended", host(key, pci), **mended).decide("rdma_stack").findings
    assert name not in {finding.name for finding in good}


def test_defaults_go_together_on_every_distribution(tmp_path):
    for key in ("ubuntu22.04", "ubuntu24.04", "debian12", "rhel9"):
        findings = Site(tmp_path / key, Host(key, pci=[GPU, CONNECTX_7])).decide("cuda").findings
        assert findings == [], key


def test_what_is_installed_counts_where_no_role_decides(tmp_path):
    old = Host(pci=[GPU], packages={"nvidia-open": "570.86.10-1", "cuda-toolkit-12-8": "12.8.1-1"})
    site = Site(tmp_path, old, nvidia_driver_version=None)
    assert [finding.name for finding in site.decide("cuda").findings] == ["cuda-13-driver"]
    assert "NVIDIA driver 570.86.10" in str(site.decide("cuda").findings[0])


def test_a_site_replaces_and_adds_rows(tmp_path):
    site = Site(tmp_path, Host(pci=[GPU]), nvidia_driver_version="570.86.10")
    row = {
        "name": "cuda-13-driver",
        "when": {"cuda": ">=13"},
        "needs": {"driver": ">=580"},
        "why": "forward compatibility packages are in use here",
        "remedy": "none needed",
        "source": "our own tests",
        "severity": "warning",
    }
    found = {finding.name: finding.severity for finding in site.decide("cuda", [row]).findings}
    assert found == {"cuda-13-driver": "warning"}
    own = {**row, "name": "house-rule", "needs": {"nccl": ">=2.29"}, "severity": "error"}
    assert "house-rule" in {finding.name for finding in site.decide("cuda", [own]).findings}


@pytest.mark.parametrize(
    ("change", "words"),
    [({"needs": {"drivers": ">=1"}}, "found 'drivers'"), ({"sauce": "x"}, "unexpected keyword argument 'sauce'")],
)
def test_a_wrong_row_is_refused_by_name(change, words):
    row = {"name": "house-rule", "when": {}, "needs": {}, "why": "", "remedy": "", "source": "", **change}
    with pytest.raises(matrix.MatrixError, match="house-rule.*" + words):
        matrix.load([row])


@pytest.mark.parametrize(("enrolled", "words"), [(None, "key not made"), (False, "key not enrolled"), (True, "")])
def test_secure_boot_stops_dkms_before_anything_is_installed(enrolled, words, tmp_path):
    secure = Host(pci=[GPU], secure_boot=True, enrolled=enrolled)
    errors = Site(tmp_path, secure, rdma_stack_flavour="doca").decide("rdma_stack").messages("error")
    if not words:
        assert errors == []
        return
    assert words in errors[0] and "mokutil --import" in errors[0] and "mlnx-ofed-kernel" in errors[0]
    assert Site(tmp_path / "inbox", secure).decide("rdma_stack").messages("error") == [], "inbox builds nothing"


def test_modules_are_not_built_for_a_kernel_that_does_not_boot_next(tmp_path):
    kernels = ["6.8.0-48-generic", "6.8.0-51-generic"]
    behind = Host(pci=[GPU], kernels=kernels, kernel=kernels[0])
    errors = Site(tmp_path, behind).decide("nvidia_driver").messages("error")
    assert "expected the newest installed kernel 6.8.0-51-generic to run, found kernel 6.8.0-48-generic" in errors[0]
    ahead = replace(behind, kernel=kernels[1])
    assert Site(tmp_path / "ahead", ahead).decide("nvidia_driver").messages("error") == []


@pytest.mark.parametrize(
    ("package", "role", "variables"),
    [
        ("doca-ofed", "rdma_stack", {}),
        ("mlnx-ofed-all", "rdma_stack", DOCA),
        ("cuda-drivers", "nvidia_driver", {}),
    ],
)
def test_one_stack_has_to_go_before_another_comes(package, role, variables, tmp_path):
    site = Site(tmp_path, Host(pci=[GPU], packages={package: "24.10-1"}), **variables)
    errors = [text for text in site.decide(role).messages("error") if text.startswith("installed-before")]
    assert f"found {package} installed" in errors[0] and "reboot, run again" in errors[0]


def test_gdrcopy_without_a_repository_is_refused_with_the_reason(tmp_path):
    errors = Site(tmp_path, Host(pci=[GPU]), gpudirect_repository_url="").decide("gpudirect").messages("error")
    assert "NVIDIA publishes GDRCopy as single files" in errors[0]
    assert (
        Site(tmp_path, Host(pci=[GPU]), gpudirect_repository_url="", gpudirect_gdrcopy=False)
        .decide("gpudirect")
        .messages("error")
        == []
    )


@pytest.mark.parametrize("role", ["rdma_stack", "nvidia_driver", "cuda"])
def test_the_missing_repository_of_gdrcopy_is_found_before_anything_is_installed(role, tmp_path):
    errors = Site(tmp_path, Host(pci=[GPU]), gpudirect_repository_url="").decide(role).messages("error")
    assert [error.split(":")[0] for error in errors] == ["gdrcopy-repository"]
    assert Site(tmp_path / "cpu", Host(), gpudirect_repository_url="").decide("rdma_stack").messages("error") == []


def test_the_version_of_a_gdrcopy_that_nobody_wants_breaks_nothing(tmp_path):
    old = {"gpudirect_gdrcopy_version": "2.5"}
    assert Site(tmp_path / "wanted", Host(pci=[GPU]), **old).decide("cuda").messages("error")
    site = Site(tmp_path / "not", Host(pci=[GPU]), gpudirect_gdrcopy=False, **old)
    assert site.decide("cuda").messages("error") == []


def test_passwords_do_not_get_into_files_that_everybody_reads(tmp_path):
    site = Site(tmp_path, Host(pci=[GPU]), cuda_repository_url="https://me:hunter2@mirror.example.org/cuda/")
    with pytest.raises(NotSupported) as error:
        site.decide("cuda")
    assert "repository cuda: expected a URL without password, found one at mirror.example.org" in str(error.value)
    assert "hunter2" not in str(error.value)
