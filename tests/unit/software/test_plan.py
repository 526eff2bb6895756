# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the roles do on virgin, converged and half-converged hosts of every distribution."""

from __future__ import annotations

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.software.decision import BUILDERS
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.wanted import NotSupported
from tests.unit.software.machines import BLACKWELL, DRIVER, GPU, NVSWITCH, OS, Host
from tests.unit.software.roles import ROLES, Site


def h200(key="ubuntu24.04", **more):
    return Host(key, pci=[GPU, GPU], **more)


@pytest.mark.parametrize("flavour", ["inbox", "doca", "mlnx_ofed"])
@pytest.mark.parametrize("key", OS)
def test_a_virgin_host_is_converged_by_one_run(key, flavour, tmp_path):
    site = Site(tmp_path, h200(key), rdma_stack_flavour=flavour)
    for role in BUILDERS:
        assert site.decide(role).plan.steps, f"{role} has something to do on a virgin {key}"
        after = site.apply(role)
        assert after.plan.steps == [] and after.plan.problems == [], role
        assert after.left("running") == []
    for role in BUILDERS:
        assert site.decide(role).plan.steps == [], f"{role} still has nothing to do after the roles behind it"


def test_no_task_needs_the_python_of_dnf():
    """Ansible's module dnf runs in the Python that dnf has; on Red Hat 8 that is 3.6, too old for Ansible."""
    tasks = "".join(place.read_text() for place in (ROLES / "software/tasks").glob("*.yml"))
    assert "ansible.builtin.dnf" not in tasks and "ansible.builtin.package" not in tasks


def test_versions_are_pinned_before_the_first_install(tmp_path):
    plan = Site(tmp_path, h200()).decide("nvidia_driver").plan
    pins = next(file["content"] for file in plan.files if file["path"] == "/etc/apt/preferences.d/lossless-nvidia")
    assert f"Pin: version {DRIVER}-*\nPin-Priority: 1001" in pins
    assert {"name": "nvidia-open", "spec": f"nvidia-open={DRIVER}-*"} in plan.packages
    assert plan.holds == ["nvidia-open"]
    steps = plan.steps
    assert steps.index("write /etc/apt/preferences.d/lossless-nvidia") < steps.index(f"install nvidia-open={DRIVER}-*")
    assert steps[0] == "trust the key of repository cuda"


def test_dnf_locks_versions_enables_the_stream_and_keeps_locks_of_others(tmp_path):
    locks = "# added by an operator\nbash-0:5.1.8-9.el9.*\nnvidia-open-570.86.10-*\n"
    host = h200("rhel9", files={"/etc/dnf/plugins/versionlock.list": locks})
    plan = Site(tmp_path, host).decide("nvidia_driver").plan
    text = next(file["content"] for file in plan.files if file["path"] == "/etc/dnf/plugins/versionlock.list")
    assert text.startswith("# added by an operator\nbash-0:5.1.8-9.el9.*\n")
    assert f"nvidia-open-{DRIVER}-*\n" in text and "570" not in text
    assert "nvidia-container" not in text, "a lock takes all other versions away, so it must not be a pattern"
    assert plan.streams == ["nvidia-driver:580-open"]
    assert plan.steps[0] == "install python3-dnf-plugin-versionlock", "a lock needs its plugin first"
    repository = next(file["content"] for file in plan.files if file["path"].endswith(".repo"))
    assert "gpgcheck=1" in repository and "gpgkey=file:///etc/pki/rpm-gpg/RPM-GPG-KEY-lossless-cuda" in repository


def test_the_kernel_is_held_where_asked(tmp_path):
    packages = {"linux-image-amd64": "6.1", "linux-image-6.1.0-57-amd64": "6.1"}
    debian = Host("debian12", packages=packages)
    plan = Site(tmp_path / "d", debian, rdma_stack_hold_kernel=True).decide("rdma_stack").plan
    assert plan.holds == ["linux-image-amd64", "linux-image-6.1.0-57-amd64"]
    plan = Site(tmp_path / "r", Host("rhel9"), rdma_stack_hold_kernel=True).decide("rdma_stack").plan
    assert "kernel-core-5.14.0-503.el9_5*" in plan.files[0]["content"]


def test_fabric_manager_has_exactly_the_version_of_the_driver(tmp_path):
    host = Host(pci=[GPU, NVSWITCH])
    decision = Site(tmp_path, host, nvidia_driver_version="580.126.20").decide("nvidia_driver")
    assert {"name": "nvidia-fabricmanager", "spec": "nvidia-fabricmanager=580.126.20-*"} in decision.plan.packages
    assert "nvidia-fabricmanager" in decision.plan.services
    assert "there are 1 NVSwitches" in decision.wanted.notes[0]
    none = Site(tmp_path / "none", h200()).decide("nvidia_driver")
    assert not any("fabric" in package["name"] for package in none.plan.packages)


@pytest.mark.parametrize(
    ("key", "version", "name"),
    [
        ("ubuntu24.04", "570.86.10", "nvidia-fabricmanager-570"),
        ("rhel9", "570.86.10", "nvidia-fabric-manager"),
        ("rhel9", "580.126.20", "nvidia-fabricmanager"),
    ],
)
def test_the_package_of_fabric_manager_changed_its_name(key, version, name, tmp_path):
    site = Site(tmp_path, Host(key, pci=[GPU, NVSWITCH]), nvidia_driver_version=version, cuda_version="12.8")
    assert name in {package["name"] for package in site.decide("nvidia_driver").plan.packages}


def test_the_driver_is_loaded_at_boot_where_gpus_are(tmp_path):
    def loaded(decision):
        return [f["content"] for f in decision.plan.files if f["path"] == "/etc/modules-load.d/lossless-nvidia.conf"]

    assert loaded(Site(tmp_path, h200()).decide("nvidia_driver"))[0].endswith("nvidia\nnvidia_uvm\n")
    image = Site(tmp_path / "image", Host(), nvidia_driver_without_gpu=True)
    assert loaded(image.decide("nvidia_driver")) == [], "an image may meet hosts without GPU"


def test_an_upgrade_moves_driver_pin_and_fabric_manager_together_and_needs_a_reboot(tmp_path):
    old = "580.105.08"
    host = Host(
        pci=[GPU, NVSWITCH],
        packages={"dkms": "3", "nvidia-open": f"{old}-1", "nvidia-fabricmanager": f"{old}-1"},
        held={"nvidia-open", "nvidia-fabricmanager"},
        modules={"nvidia": (old, old), "nvidia_uvm": (old, old)},
        services={"nvidia-persistenced": "active", "nvidia-fabricmanager": "active"},
    )
    site = Site(tmp_path, host)
    plan = site.decide("nvidia_driver").plan
    assert {package["name"] for package in plan.packages} == {"nvidia-open", "nvidia-fabricmanager"}
    assert plan.holds == ["nvidia-open", "nvidia-fabricmanager"], "apt takes the hold away from what it changes"
    assert "module nvidia is loaded, and the packages bring another" in plan.reboot
    site.apply("nvidia_driver")
    site.host.modules = dict.fromkeys(("nvidia", "nvidia_uvm"), (old, DRIVER))
    after = site.decide("nvidia_driver").plan
    assert after.steps == []
    assert f"module nvidia is loaded as {old}, installed is {DRIVER}" in after.reboot


def test_fabric_manager_is_locked_under_its_former_name_too(tmp_path):
    host = Host("rhel9", pci=[GPU, NVSWITCH])
    plan = Site(tmp_path, host, nvidia_driver_version="570.211.01", cuda_version="12.8").decide("nvidia_driver").plan
    locks = next(file["content"] for file in plan.files if file["path"].endswith("versionlock.list"))
    assert "nvidia-fabric-manager-570.211.01-*" in locks.splitlines()


def test_nvswitches_of_blackwell_need_the_subnet_manager(tmp_path):
    def site(name, *gpus, **more):
        return Site(tmp_path / name, Host(pci=list(gpus)), **more)

    hgx = site("hgx", BLACKWELL, nvidia_driver_fabric_manager="always")
    plan = hgx.decide("nvidia_driver").plan
    assert "nvlsm" in [package["spec"] for package in plan.packages] and "nvlsm" in plan.holds
    assert plan.modules == ["nvidia", "nvidia_uvm", "ib_umad"]
    load = next(file["content"] for file in plan.files if file["path"].endswith("/lossless-nvidia.conf"))
    assert load.splitlines()[-3:] == plan.modules
    assert plan.services == ["nvidia-persistenced", "nvidia-fabricmanager"]
    assert hgx.apply("nvidia_driver").plan.steps == []

    auto = site("auto", BLACKWELL).decide("nvidia_driver")
    assert "expected nvidia_driver_fabric_manager always or never, found auto" in auto.messages("warning")[0]
    assert auto.plan.modules == ["nvidia", "nvidia_uvm"]

    hopper = site("hopper", GPU, NVSWITCH).decide("nvidia_driver").plan
    assert "nvlsm" not in [package["spec"] for package in hopper.packages] and "ib_umad" not in hopper.modules


def test_nouveau_is_banned_and_only_a_reboot_frees_the_gpus(tmp_path):
    plan = Site(tmp_path, h200(nouveau=True)).decide("nvidia_driver").plan
    assert any(file["path"] == "/etc/modprobe.d/lossless-nouveau.conf" for file in plan.files)
    assert plan.initramfs == ["update-initramfs", "-u", "-k", "6.8.0-48-generic"]
    assert plan.reboot == ["nouveau is loaded and the NVIDIA driver cannot take its GPUs"]


def test_ofed_modules_replace_those_of_the_kernel_after_a_reboot(tmp_path):
    site = Site(tmp_path, h200(), rdma_stack_flavour="doca")
    site.apply("rdma_stack")
    site.host.modules = {"mlx5_core": ("", "25.10-1.7.1")}
    site.host.files = {**site.host.files, "/sys/module/mlx5_core/initstate": "live"}
    assert site.decide("rdma_stack").plan.reboot == [
        "module mlx5_core is loaded as that of the kernel, installed is 25.10-1.7.1"
    ]


def test_headers_of_the_running_kernel_come_first(tmp_path):
    plan = Site(tmp_path / "u", h200(headers=False)).decide("nvidia_driver").plan
    assert plan.packages[0]["spec"] == "linux-headers-6.8.0-48-generic"
    plan = Site(tmp_path / "r", h200("rhel9", headers=False)).decide("nvidia_driver").plan
    assert plan.packages[0]["spec"] == "kernel-devel-5.14.0-503.el9_5.x86_64"


def test_a_module_that_dkms_did_not_build_is_named(tmp_path):
    site = Site(tmp_path, h200())
    site.apply("nvidia_driver")
    site.host.dkms = {"nvidia/580.126.20": "added"}
    decision = site.decide("nvidia_driver")
    left = decision.left("installed")
    assert left == decision.left("anything"), "also in a run that has nothing to do"
    assert left[0].startswith(
        "DKMS module nvidia: expected installed for the running kernel 6.8.0-48-generic, found added"
    )


def test_a_service_without_a_unit_is_named(tmp_path):
    site = Site(tmp_path, h200())
    site.apply("nvidia_driver")
    site.host.services = {}
    assert any(
        "nvidia-persistenced: expected a unit, found none" in text
        for text in site.decide("nvidia_driver").left("installed")
    )


def test_a_key_of_another_fingerprint_is_fetched_again(tmp_path):
    site = Site(tmp_path, h200())
    site.apply("cuda")
    site.values["cuda_apt_key_fingerprints"] = ["0" * 40]
    assert site.decide("cuda").plan.steps == ["trust the key of repository cuda"]


@pytest.mark.parametrize("role", ["nvidia_driver", "gpudirect"])
def test_a_host_without_gpu_is_left_alone(role, tmp_path):
    decision = Site(tmp_path, Host()).decide(role)
    assert decision.plan.steps == [] and "no NVIDIA GPU on the PCI bus" in decision.wanted.skip
    image = Site(tmp_path / "image", Host(), **{f"{role}_without_gpu": True}).decide(role).plan
    assert image.packages and image.modules == [], "an image gets packages, and nothing is loaded while it is built"


def test_an_unknown_distribution_is_refused_by_name(tmp_path):
    host = h200(files={"/etc/os-release": 'ID=sles\nVERSION_ID="15.6"\nPRETTY_NAME="SLES 15 SP6"\n'})
    with pytest.raises(NotSupported, match=r"expected one of ubuntu22.04, .*, found SLES 15 SP6"):
        Site(tmp_path, host).decide("cuda")


@pytest.mark.parametrize(
    ("key", "variables", "choice", "words"),
    [
        ("ubuntu24.04", {}, "dmabuf", "open ones"),
        ("rhel8", {"rdma_stack_flavour": "doca"}, "peermem", "older than 5.12"),
        (
            "ubuntu24.04",
            {"rdma_stack_flavour": "doca", "nvidia_driver_modules": "proprietary"},
            "peermem",
            "proprietary",
        ),
        ("rhel8", {}, "none", "lacks the peer memory interface"),
        (
            "ubuntu24.04",
            {"rdma_stack_flavour": "doca", "gpudirect_mode": "peermem"},
            "peermem",
            "gpudirect_mode is peermem",
        ),
    ],
)
def test_the_way_to_gpu_memory_is_chosen_and_explained(key, variables, choice, words, tmp_path):
    decision = Site(tmp_path, h200(key), **variables).decide("gpudirect")
    text = next(f["content"] for f in decision.plan.files if f["path"] == "/etc/modules-load.d/lossless-gpudirect.conf")
    assert f"GPUDirect RDMA by {choice}:" in text and words in " ".join(text.replace("# ", "").split())
    loaded = [line for line in text.splitlines() if not line.startswith("#")]
    assert loaded == (["nvidia_peermem", "gdrdrv"] if choice == "peermem" else ["gdrdrv"])
    assert words in decision.wanted.notes[0]
