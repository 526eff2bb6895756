# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between the wanted state and a host, in the order in which it is set right. The same for a prediction
and for the real thing: the roles carry out exactly these steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from ansible_collections.lossless.fabric.plugins.module_utils.software.openpgp import trusted
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.matrix import Conflict
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.versions import is_version, newest, upstream
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.wanted import (
    MANAGED,
    PIN_PRIORITY,
    Platform,
    Wanted,
)

VERSIONLOCK = "python3-dnf-plugin-versionlock"
LOCKS = "/etc/dnf/plugins/versionlock.list"


@dataclass
class Plan:
    """Lists of what has to be done; a list that is empty is as wanted."""

    tools: list[str] = field(default_factory=list)
    keys: list[dict[str, Any]] = field(default_factory=list)
    files: list[dict[str, str]] = field(default_factory=list)
    streams: list[str] = field(default_factory=list)
    packages: list[dict[str, str]] = field(default_factory=list)  # name, and spec as the package manager wants it
    holds: list[str] = field(default_factory=list)
    initramfs: list[str] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)
    services: list[str] = field(default_factory=list)
    # Not steps: what is left after the steps.
    reboot: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    manager: str = "apt"

    @property
    def installation(self) -> list[str]:
        """Changes on the disk, a line each, in order."""
        return [
            *(f"install {tool}" for tool in self.tools),
            *(f"trust the key of repository {key['name']}" for key in self.keys),
            *(f"write {file['path']}" for file in self.files),
            *(f"enable the module stream {stream}" for stream in self.streams),
            *(f"install {package['spec']}" for package in self.packages),
            *(f"hold {package}" for package in self.holds),
            *(["write the initramfs again"] if self.initramfs else []),
        ]

    @property
    def starts(self) -> list[str]:
        """What has to run, a line each. While a reboot is needed, these wait for it."""
        return [
            *(f"load {module}" for module in self.modules),
            *(f"start and enable {service}" for service in self.services),
        ]

    @property
    def steps(self) -> list[str]:
        """Every change in a line, in order."""
        return [*self.installation, *self.starts]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for the role."""
        more = {"steps": self.steps, "install": bool(self.installation), "start": bool(self.starts)}
        return asdict(self) | more


def make(wanted: Wanted, facts: Mapping[str, Any], platform: Platform) -> Plan:
    """Compare."""
    plan = Plan(manager=platform.data["manager"])
    if (wanted.pins or wanted.hold_kernel) and not platform.apt and VERSIONLOCK not in facts["packages"]:
        plan.tools = [VERSIONLOCK]
    for repository in wanted.repositories:
        path = repository.key_file(platform)
        if not trusted((facts["keys"].get(path) or {}).get("fingerprints"), repository.fingerprints):
            plan.keys.append(
                {
                    "name": repository.name,
                    "path": path,
                    "url": repository.key_url,
                    "fingerprints": list(repository.fingerprints),
                    "binary": platform.apt,
                }
            )
    for path, content in _files(wanted, facts, platform).items():
        have = facts["locks"] if path == LOCKS else facts["files"].get(path)
        if have != content:
            plan.files.append({"path": path, "content": content})
    plan.streams = [f"{n}:{s}" for n, s in wanted.streams.items() if facts["streams"].get(n) != s]
    plan.packages = list(_missing_packages(wanted, facts, platform))
    if platform.apt:
        plan.holds = _missing_holds(wanted, facts, platform, {package["name"] for package in plan.packages})
    if facts["kernel"]["initramfs"] and any(file["path"] in wanted.initramfs_files for file in plan.files):
        plan.initramfs = platform.initramfs
    plan.modules = [name for name in wanted.modules if not (facts["modules"].get(name) or {}).get("loaded")]
    plan.services = [name for name in wanted.services if not _running(facts["services"].get(name))]
    plan.reboot = list(_reboots(wanted, facts, plan))
    plan.problems = list(_problems(wanted, facts, plan))
    return plan


def _files(wanted: Wanted, facts: Mapping[str, Any], platform: Platform) -> dict[str, str]:
    """Repositories and pins before packages, so that the first install already takes the pinned version."""
    files = dict(repository.file(platform) for repository in wanted.repositories)
    if platform.apt and (wanted.pins or wanted.pin_lines):
        files[f"/etc/apt/preferences.d/lossless-{wanted.name}"] = _preferences(wanted)
    if not platform.apt and (wanted.pins or wanted.hold_kernel):
        files[LOCKS] = _locks(wanted, facts, platform)
    return files | wanted.files


def _preferences(wanted: Wanted) -> str:
    by_version: dict[str, list[str]] = {}
    for name, version in wanted.pins.items():
        by_version.setdefault(version, []).append(name)
    blocks = [
        f"Package: {' '.join(names)}\nPin: version {_glob(version)}\nPin-Priority: {PIN_PRIORITY}\n"
        for version, names in by_version.items()
    ]
    return MANAGED + "\n" + "\n".join([*blocks, *([wanted.pin_lines] if wanted.pin_lines else [])])


def _locks(wanted: Wanted, facts: Mapping[str, Any], platform: Platform) -> str:
    """The whole file: lines of others stay, ours are those of the wanted versions."""
    locks = dict(wanted.pins)
    if wanted.hold_kernel:
        release = platform.kernel.removesuffix(f".{platform.architecture}")
        locks |= dict.fromkeys(platform.names("kernel_packages"), release)
    ours = {name: f"{name}-{_glob(version)}" for name, version in locks.items()}
    lines = []
    for line in (facts["locks"] or "").splitlines():
        owner = next((name for name in ours if _locks_package(line, name)), None)
        if owner is None or line == ours[owner]:
            lines.append(line)
    lines += [line for line in ours.values() if line not in lines]
    return "".join(f"{line}\n" for line in lines)


def _locks_package(line: str, name: str) -> bool:
    return line.startswith(f"{name}-") and line[len(name) + 1 : len(name) + 2].isdigit()


def _missing_packages(wanted: Wanted, facts: Mapping[str, Any], platform: Platform) -> Iterator[dict[str, str]]:
    """What to install."""
    if wanted.dkms and not facts["kernel"]["headers"]:
        yield {"name": platform.headers, "spec": platform.headers}
    for name, version in wanted.packages.items():
        have = facts["packages"].get(name)
        if have and is_version(have["version"], version):
            continue
        between = "=" if platform.apt else "-"
        yield {"name": name, "spec": f"{name}{between}{_glob(version)}" if version else name}


def _glob(version: str) -> str:
    """Version and release; any release where there is none. apt and its pins know an asterisk only at the end."""
    if version.endswith("*"):
        return version
    return f"{version}*" if "-" in version else f"{version}-*"


def _missing_holds(wanted: Wanted, facts: Mapping[str, Any], platform: Platform, changing: set[str]) -> list[str]:
    """Also of packages that change: apt takes the hold away from what it may change although it is held."""
    names = [name for name in wanted.packages if wanted.hold and name != "dkms"]
    if wanted.hold_kernel:
        patterns = platform.names("kernel_packages")
        names += [n for n in facts["packages"] if any(fnmatchcase(n, pattern) for pattern in patterns)]
    return [name for name in names if name in changing or not facts["packages"].get(name, {}).get("held")]


def _running(service: Mapping[str, Any] | None) -> bool:
    return bool(service and service["exists"] and service["active"] and service["enabled"])


def _reboots(wanted: Wanted, facts: Mapping[str, Any], plan: Plan) -> Iterator[str]:
    """Why only a reboot makes what is installed also what runs."""
    if not wanted.nouveau and facts["nouveau_loaded"]:
        yield "nouveau is loaded and the NVIDIA driver cannot take its GPUs"
    changing = any(wanted.packages.get(package["name"]) for package in plan.packages)
    for name in [*wanted.modules, *wanted.current]:
        module = facts["modules"].get(name) or {}
        if not module.get("loaded") or module.get("builtin"):
            continue
        if changing and wanted.dkms:
            yield f"module {name} is loaded, and the packages bring another"
        else:
            yield from (f"module {name} {text}" for text in _other(module))


def _other(module: Mapping[str, Any]) -> Iterator[str]:
    """Whether another module is loaded than is installed. OFED's have a version, the kernel's own have none."""
    for kind in ("version", "srcversion"):
        loaded, there = module[f"{kind}_loaded"], module[f"{kind}_installed"]
        if there and loaded != there and (loaded or kind == "version"):
            yield f"is loaded as {loaded or 'that of the kernel'}, installed is {there}"
            return


def _problems(wanted: Wanted, facts: Mapping[str, Any], plan: Plan) -> Iterator[str]:
    """What should be so once there is nothing left to install."""
    if plan.packages:
        return
    kernel = facts["kernel"]["running"]
    for name in wanted.dkms:
        states = {
            entry["kernel"]: entry["state"] for entry in facts["dkms"] if entry["module"] == name and entry["kernel"]
        }
        if not str(states.get(kernel, "")).startswith("installed"):
            yield (
                f"DKMS module {name}: expected installed for the running kernel {kernel}, found "
                f"{states.get(kernel) or 'nothing'} (run dkms autoinstall, see /var/lib/dkms/{name}/*/build/make.log)"
            )
    for name in wanted.services:
        service = facts["services"].get(name)
        if service is not None and not service["exists"]:
            yield f"service {name}: expected a unit, found none (which package of the repository brings it?)"


def refusals(wanted: Wanted, facts: Mapping[str, Any], plan: Plan) -> list[Conflict]:
    """Why nothing may be installed on this host, whatever the versions."""
    found = list(wanted.unmet)
    for package, (why, remedy) in wanted.conflicts_with.items():
        if package in facts["packages"]:
            found.append(
                Conflict("installed-before", "error", f"{package} not installed", f"{package} installed", why, remedy)
            )
    if not (plan.packages and wanted.dkms):
        return found
    kernel = facts["kernel"]["running"]
    next_kernel = newest(facts["kernel"]["installed"])
    if next_kernel and next_kernel != kernel:
        found.append(
            Conflict(
                "running-kernel",
                "error",
                f"the newest installed kernel {next_kernel} to run",
                f"kernel {kernel}",
                "modules are built for the running kernel and would be missing after the next boot",
                "reboot first, or remove the newer kernel",
            )
        )
    secure = facts["secure_boot"]
    if secure["enabled"] and secure["machine_owner_key"] is not True:
        state = "not enrolled" if secure["machine_owner_key"] is False else "not made"
        found.append(
            Conflict(
                "secure-boot",
                "error",
                "an enrolled machine owner key (MOK), or Secure Boot off",
                f"Secure Boot on, key {state}",
                f"DKMS builds {', '.join(wanted.dkms)} on the host; the kernel would refuse the modules",
                "make a key (update-secureboot-policy --new-key on Ubuntu, /var/lib/dkms/mok.pub elsewhere), enrol it "
                "with mokutil --import, reboot and confirm it at the console; or turn Secure Boot off",
            )
        )
    return found


def differences(plan: Plan, facts: Mapping[str, Any]) -> list[dict[str, str]]:
    """For --diff: files as text, the rest as lists."""
    result = []
    for file in plan.files:
        before = facts["locks"] if file["path"] == LOCKS else facts["files"].get(file["path"])
        result.append(
            {
                "before_header": file["path"],
                "after_header": file["path"],
                "before": before or "",
                "after": file["content"],
            }
        )
    before, after = [], []
    for package in plan.packages:
        have = facts["packages"].get(package["name"])
        if have:
            before.append(f"{package['name']} {upstream(have['version'])}")
        after.append(package["spec"])
    if after:
        text = {"before": "".join(f"{x}\n" for x in before), "after": "".join(f"{x}\n" for x in after)}
        result.append({"before_header": "packages", "after_header": "packages", **text})
    return result
