# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the roles write, read by the real apt and the real dnf against the stand-in mirror.

Both work in folders of the test, not on this machine. The roles themselves run on lab machines (test_hosts).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.module_utils.software import openpgp, packages
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.plan import LOCKS
from lab.hosts.mirror import build
from tests.unit.software.keys import KEYS
from tests.unit.software.machines import GPU, NVSWITCH, Host
from tests.unit.software.roles import ROLES, Site

# As the role calls it.
INSTALL = yaml.safe_load((ROLES / "software/tasks/install.yml").read_text())
DNF = next(task for task in INSTALL if task["name"] == "Install packages with dnf")["vars"]["software_dnf"]
CACHE = build.CACHE.with_name("lab-mirror-tests")
OLD, NEW = "580.126.20", "580.173.02"


@pytest.fixture(scope="module")
def mirror() -> Path:
    """Modules in it can be read and not loaded: no kernel is asked here."""
    return build.get(CACHE, kernels=["6.1.0-1-amd64", "5.14.0-503.el9_5.x86_64"], rpm=True)


def site(folder: Path, mirror: Path, key: str, **changed) -> Site:
    url, key_url = f"file://{mirror}/{key}/cuda/", f"file://{mirror}/key.asc"
    fingerprints = [(mirror / "fingerprint").read_text()]
    values = {"gpudirect_repository_url": f"file://{mirror}/{key}/gdrcopy/", "gpudirect_repository_key_url": key_url}
    values["gpudirect_repository_key_fingerprints"] = fingerprints
    for role in ("cuda", "nvidia_driver"):
        values[f"{role}_repository_url"] = url
        for family in ("apt", "dnf"):
            values[f"{role}_{family}_key_url"] = key_url
            values[f"{role}_{family}_key_fingerprints"] = fingerprints
    host = Host(key, pci=[GPU, NVSWITCH], kernel={"debian12": "6.1.0-1-amd64"}.get(key, ""))
    return Site(folder / "facts", host, **values, **changed)


class Root:
    """A folder as the root of a package manager."""

    def __init__(self, folder: Path, key: bytes, *plans) -> None:
        self.folder = folder
        self.specs = [package["spec"] for plan in plans for package in plan.packages]
        self.streams = [stream for plan in plans for stream in plan.streams]
        for plan in plans:
            for entry in plan.keys:
                self.write(entry["path"], openpgp.binary(key) if entry["binary"] else key)
            self.write_files(plan)

    def write_files(self, plan) -> None:
        for file in plan.files:
            # The key has to be found in this folder.
            text = file["content"].replace("/etc/apt/keyrings", f"{self.folder}/etc/apt/keyrings")
            text = text.replace("file:///etc/pki", f"file://{self.folder}/etc/pki")
            self.write(file["path"], text.encode())

    def write(self, path: str, data: bytes) -> None:
        target = self.folder / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"}, timeout=300
        )


class Apt(Root):
    def apt(self, program: str, *words: str) -> str:
        for folder in (
            "var/lib/apt/lists/partial",
            "var/cache/apt/archives/partial",
            "var/lib/dpkg",
            "etc/apt/apt.conf.d",
        ):
            (self.folder / folder).mkdir(parents=True, exist_ok=True)
        status = self.folder / "var/lib/dpkg/status"
        status.touch()
        options = ("-o", f"Dir={self.folder}", "-o", f"Dir::State::status={status}", "-o", "APT::Sandbox::User=root")
        done = self.run(program, *options, *words)
        return done.stdout + done.stderr


class Dnf(Root):
    def dnf(self, *words: str) -> str:
        configuration = f"[main]\ngpgcheck=1\npluginconfpath={self.folder}/etc/dnf/plugins\n"
        self.write("/etc/dnf/dnf.conf", configuration.encode())
        locks = self.folder / "etc/dnf/plugins/versionlock.list"
        self.write("/etc/dnf/plugins/versionlock.conf", f"[main]\nenabled = 1\nlocklist = {locks}\n".encode())
        options = (
            "--assumeyes",
            f"--installroot={self.folder}",
            "--releasever=9",
            f"--config={self.folder}/etc/dnf/dnf.conf",
            f"--setopt=reposdir={self.folder}/etc/yum.repos.d",
            "--setopt=module_platform_id=platform:el9",
        )
        done = self.run("dnf", *options, *words)
        return done.stdout + done.stderr

    def install(self, specs: list[str]) -> str:
        return self.dnf("--setopt=tsflags=noscripts", *DNF[1:], *specs)

    def installed(self) -> dict[str, str]:
        """As the facts read it: the same query, the same parser."""
        folder = self.folder

        class Machine:
            def run(self, *command: str) -> str:
                rpm = (command[0], "--root", str(folder), *command[1:])
                return subprocess.run(rpm, capture_output=True, text=True, check=True).stdout

            def lines(self, path: str) -> list[str]:
                return (folder / path.lstrip("/")).read_text().splitlines()

        self.held = {name for name, entry in packages.rpm(Machine()) if entry["held"]}
        return {name: entry["version"] for name, entry in packages.rpm(Machine())}


def plans(one: Site, *roles: str):
    return [one.decide(role).plan for role in roles]


def test_apt_takes_exactly_the_pinned_versions(mirror, tmp_path):
    one = site(tmp_path, mirror, "debian12")
    root = Apt(tmp_path / "root", (mirror / "key.asc").read_bytes(), *plans(one, "nvidia_driver", "cuda", "gpudirect"))
    said = root.apt("apt-get", "update")
    assert "E:" not in said and "W:" not in said
    policy = root.apt("apt-cache", "policy", "nvidia-open", "nvidia-persistenced", "libnccl2", "gdrdrv-dkms")
    candidates = [line.split()[1] for line in policy.splitlines() if "Candidate" in line]
    assert candidates == [f"{OLD}-1", f"{OLD}-1", "2.28.9-1+cuda13.0", "2.5.1-1"], "newer ones are in the mirror"
    said = root.apt("apt-get", "--simulate", "--no-install-recommends", "install", *root.specs)
    installs = {line.split()[1]: line.split()[2].strip("(") for line in said.splitlines() if line.startswith("Inst ")}
    assert installs["nvidia-open"] == installs["nvidia-fabricmanager"] == f"{OLD}-1"
    assert installs["libnccl-dev"] == "2.28.9-1+cuda13.0" and installs["cuda-toolkit-13-0"] == "13.0.2-1"
    assert not any(NEW in version for version in installs.values())


def test_apt_refuses_a_repository_that_another_key_signed(mirror, tmp_path):
    one = site(tmp_path, mirror, "debian12")
    root = Apt(tmp_path / "root", KEYS["rsa"].data, *plans(one, "cuda"))
    assert "is not signed" in root.apt("apt-get", "update")


def test_dnf_takes_exactly_the_locked_versions_and_keeps_them(mirror, tmp_path):
    one = site(tmp_path, mirror, "rhel9")
    first = one.decide("nvidia_driver").plan
    # All roles lock in one file; the second reads what the first wrote.
    one.host.files = {LOCKS: next(file["content"] for file in first.files if file["path"] == LOCKS)}
    root = Dnf(tmp_path / "root", (mirror / "key.asc").read_bytes(), first, one.decide("cuda").plan)
    assert root.streams == ["nvidia-driver:580-open"]
    assert "Complete!" in root.dnf("--setopt=module_stream_switch=True", "module", "enable", *root.streams)
    wanted = [spec for spec in root.specs if "versionlock" not in spec]
    said = root.install(wanted)
    assert "Complete!" in said, said
    have = root.installed()
    assert have["nvidia-open"] == have["nvidia-fabricmanager"] == f"3:{OLD}-1"
    assert have["kmod-nvidia-open-dkms"] == f"3:{OLD}-1" and have["libnccl"] == "2.28.9-1+cuda13.0"
    assert {"nvidia-open", "nvidia-fabricmanager", "libnccl"} <= root.held
    assert "Nothing to do" in root.dnf("upgrade"), "newer ones are in the mirror, and locked out"
    # The facts of this very host: nothing differs.
    one.host.packages = have
    assert [step for step in one.decide("nvidia_driver").plan.steps if step.startswith("install nvidia")] == []


def test_dnf_goes_back_to_an_older_driver(mirror, tmp_path):
    newer = site(tmp_path / "newer", mirror, "rhel9", nvidia_driver_version=NEW).decide("nvidia_driver").plan
    root = Dnf(tmp_path / "root", (mirror / "key.asc").read_bytes(), newer)
    root.dnf("module", "enable", *root.streams)
    root.install(root.specs)
    assert root.installed()["nvidia-open"] == f"3:{NEW}-1"
    older = site(tmp_path / "older", mirror, "rhel9")
    older.host.packages = root.installed()
    plan = older.decide("nvidia_driver").plan
    root.write_files(plan)
    said = root.install([package["spec"] for package in plan.packages])
    assert "Downgraded:" in said, said
    have = root.installed()
    assert {have[name] for name in ("nvidia-open", "nvidia-fabricmanager", "kmod-nvidia-open-dkms")} == {f"3:{OLD}-1"}


def test_dnf_sees_no_driver_without_its_stream(mirror, tmp_path):
    root = Dnf(
        tmp_path / "root", (mirror / "key.asc").read_bytes(), *plans(site(tmp_path, mirror, "rhel9"), "nvidia_driver")
    )
    assert "nvidia-open" not in root.dnf("repoquery", "nvidia-open")
    root.dnf("module", "enable", *root.streams)
    assert f"nvidia-open-3:{OLD}-1" in root.dnf("repoquery", "nvidia-open")


def test_dnf_refuses_packages_that_another_key_signed(mirror, tmp_path):
    root = Dnf(tmp_path / "root", KEYS["rsa"].data, *plans(site(tmp_path, mirror, "rhel9"), "cuda"))
    said = root.dnf("--setopt=tsflags=noscripts", "install", "libnccl-2.28.9-1+cuda13.*")
    assert "Complete!" not in said and "GPG" in said
    assert "libnccl" not in root.installed()
