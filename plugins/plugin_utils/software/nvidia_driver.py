# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NVIDIA driver, Fabric Manager, persistence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.software.matrix import Conflict
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.versions import compare
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.wanted import (
    MANAGED,
    Platform,
    Repository,
    Wanted,
)

META = {"open": "nvidia-open", "proprietary": "cuda-drivers"}
# What has the driver's version. An apt pin does not touch a package that has no such version, so patterns are safe; a
# lock of dnf takes all other versions away, so it needs names (nvidia-container-toolkit is no part of the driver).
APT_FAMILY = ("nvidia-*", "libnvidia-*", "cuda-drivers*", "libcuda1*", "xserver-xorg-video-nvidia*", "firmware-nvidia*")
DNF_FAMILY = (
    "nvidia-open",
    "cuda-drivers",
    "nvidia-driver",
    "nvidia-driver-libs",
    "nvidia-driver-cuda",
    "nvidia-driver-cuda-libs",
    "nvidia-kmod-common",
    "kmod-nvidia-open-dkms",
    "kmod-nvidia-latest-dkms",
    "nvidia-modprobe",
    "nvidia-persistenced",
    "nvidia-settings",
    "nvidia-xconfig",
    "nvidia-fabricmanager",
    "libnvidia-cfg",
    "libnvidia-fbc",
    "libnvidia-ml",
    "libnvidia-nscq",
)
MODULES = ("nvidia", "nvidia_uvm")
NOUVEAU = "/etc/modprobe.d/lossless-nouveau.conf"
NOUVEAU_TEXT = "# nouveau and the NVIDIA driver cannot share a GPU.\nblacklist nouveau\noptions nouveau modeset=0\n"
# Some distributions load them for the first user of CUDA only; the services below and nvidia-peermem need them before.
LOAD = "/etc/modules-load.d/lossless-nvidia.conf"
LOAD_TEXT = "# The driver at boot, before its services.\n"
# NVSwitches of Blackwell are no PCI devices: Fabric Manager reaches them through NVLink's subnet manager and ib_umad.
SUBNET_MANAGER, UMAD = "nvlsm", "ib_umad"
UNDECIDED = Conflict(
    "fabric-manager-blackwell",
    "warning",
    "nvidia_driver_fabric_manager always or never",
    "auto",
    "NVSwitches of HGX B200 and B300 are not on the PCI bus, and without Fabric Manager CUDA does not start there",
    "say always for HGX B200 and B300, never for NVL racks, whose switches have their own",
    "NVIDIA Fabric Manager User Guide 2.3",
)
# From this driver on the package is called the same everywhere.
ONE_NAME = "580"
# By PCI device number, as far as anything depends on it.
GPUS = {"volta": [(0x1D80, 0x1DFF)], "blackwell": [(0x2900, 0x297F), (0x3180, 0x31FF)]}


def family(device: str) -> str:
    """Generation of a GPU by its PCI device number (hexadecimal)."""
    number = int(device or "0", 16)
    for name, ranges in GPUS.items():
        if any(first <= number <= last for first, last in ranges):
            return name
    return "other"


def repository(settings: Mapping[str, Any], platform: Platform) -> Repository:
    """NVIDIA's repository for CUDA, which also has the driver; the roles nvidia_driver and cuda share it."""
    manager = "apt" if platform.apt else "dnf"
    return Repository(
        "cuda",
        platform.url("cuda", settings["url"]),
        platform.url("cuda", settings[f"{manager}_key_url"]),
        settings[f"{manager}_fingerprints"],
        suite="/",
    )


def fabric_manager_package(platform: Platform, version: str) -> str:
    """Its name changed with driver 580."""
    if compare(version, ONE_NAME) >= 0:
        return "nvidia-fabricmanager"
    return f"nvidia-fabricmanager-{version.split('.')[0]}" if platform.apt else "nvidia-fabric-manager"


def build(settings: Mapping[str, Any], platform: Platform, facts: Mapping[str, Any]) -> Wanted:
    """The wanted state."""
    wanted = Wanted("nvidia", "NVIDIA driver", hold=settings["hold"])
    if not facts["gpus"] and not settings["without_gpu"]:
        wanted.skip = "no NVIDIA GPU on the PCI bus (set nvidia_driver_without_gpu to install all the same)"
        return wanted
    version, flavour = settings["version"], settings["modules"]
    other = next(name for name in META if name != flavour)
    wanted.conflicts_with = {
        META[other]: (
            f"the host has the {other} kernel modules and {flavour} is wanted",
            f"remove {META[other]} and the packages nvidia-*, reboot, run again",
        )
    }
    wanted.repositories = [repository(settings["repository"], platform)]
    wanted.packages = {"dkms": "", META[flavour]: version}
    wanted.pins = dict.fromkeys(APT_FAMILY if platform.apt else DNF_FAMILY, version)
    if not platform.apt:
        branch = version.split(".")[0]
        wanted.streams = {"nvidia-driver": f"{branch}-open" if flavour == "open" else f"{branch}-dkms"}
    wanted.files = {NOUVEAU: MANAGED + NOUVEAU_TEXT}
    wanted.initramfs_files = (NOUVEAU,)
    wanted.nouveau = False
    wanted.dkms = ["nvidia"]
    if facts["gpus"]:
        wanted.modules = list(MODULES)
        wanted.services = ["nvidia-persistenced"] if settings["persistence"] else []
    blackwell = "blackwell" in map(family, facts["gpus"])
    if fabric_manager_wanted(settings["fabric_manager"], facts):
        package = fabric_manager_package(platform, version)
        wanted.packages[package] = version
        if not platform.apt:  # apt's patterns hold it already
            wanted.pins[package] = version
        wanted.services.append("nvidia-fabricmanager")
        wanted.notes.append(f"Fabric Manager {version}, because {fabric_manager_reason(settings, facts)}")
        if blackwell:
            wanted.packages[SUBNET_MANAGER] = ""
            wanted.modules.append(UMAD)
    elif blackwell and settings["fabric_manager"] == "auto":
        wanted.unmet.append(UNDECIDED)
    if wanted.modules:
        wanted.files[LOAD] = MANAGED + LOAD_TEXT + "".join(f"{name}\n" for name in wanted.modules)
    return wanted


def fabric_manager_wanted(choice: str, facts: Mapping[str, Any]) -> bool:
    """``auto``: where NVSwitches are on the PCI bus."""
    return choice == "always" or (choice == "auto" and bool(facts["nvswitches"]))


def fabric_manager_reason(settings: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    """Why it is installed."""
    count = len(facts["nvswitches"])
    return f"there are {count} NVSwitches" if count else "nvidia_driver_fabric_manager is always"
