# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GPUDirect RDMA: how NICs reach GPU memory, and GDRCopy."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean

from ansible_collections.lossless.fabric.plugins.plugin_utils.software.matrix import Conflict
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.versions import compare
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.wanted import (
    MANAGED,
    Platform,
    Repository,
    Wanted,
)

FILE = "/etc/modules-load.d/lossless-gpudirect.conf"
DMABUF_KERNEL = "5.12"
NO_REPOSITORY = Conflict(
    "gdrcopy-repository",
    "error",
    "gpudirect_repository_url",
    "none",
    "NVIDIA publishes GDRCopy as single files and in no repository",
    "put them into a repository of your own, or set gpudirect_gdrcopy to false",
    "developer.download.nvidia.com/compute/redist/gdrcopy",
)


def lacks_repository(variables: Mapping[str, Any]) -> bool:
    """Whether the play wants GDRCopy and does not say from where; known before the driver is installed."""
    return wants_gdrcopy(variables, unless_said=False) and not variables.get("gdrcopy_repository")


def wants_gdrcopy(variables: Mapping[str, Any], *, unless_said: bool) -> bool:
    """Whether the play wants GDRCopy; a play without the role does not say."""
    return bool(boolean(variables.get("gdrcopy_wanted", unless_said), strict=False))


def choose(mode: str, kernel: str, modules: str, peer_memory_api: bool) -> tuple[str, str]:
    """``dmabuf``, ``peermem`` or ``none``, and why."""
    if mode != "auto":
        return mode, f"gpudirect_mode is {mode}"
    recent = compare(kernel, DMABUF_KERNEL) >= 0
    if recent and modules == "open":
        return "dmabuf", (
            f"kernel {kernel} is {DMABUF_KERNEL} or newer and the NVIDIA kernel modules are the open ones, so NICs "
            "register GPU memory as DMA-BUF; NVIDIA recommends it, NCCL takes it by itself, nvidia-peermem not needed"
        )
    why = "the NVIDIA kernel modules are proprietary" if recent else f"kernel {kernel} is older than {DMABUF_KERNEL}"
    why += ", so DMA-BUF is not possible"
    if peer_memory_api:
        return "peermem", f"{why}; the RDMA stack has the peer memory interface, so nvidia-peermem is loaded at boot"
    return "none", f"{why}, and the RDMA stack lacks the peer memory interface of nvidia-peermem"


def build(settings: Mapping[str, Any], platform: Platform, facts: Mapping[str, Any]) -> Wanted:
    """The wanted state. ``settings`` has the choice that was made for the whole stack."""
    wanted = Wanted("gpudirect", "GPUDirect RDMA", hold=settings["hold"])
    if not facts["gpus"] and not settings["without_gpu"]:
        wanted.skip = "no NVIDIA GPU on the PCI bus (set gpudirect_without_gpu to install all the same)"
        return wanted
    choice, reason = settings["choice"], settings["reason"]
    load = ["nvidia_peermem"] if choice == "peermem" else []
    if settings["gdrcopy"]:
        version, source = settings["gdrcopy_version"], settings["repository"]
        if not source["url"]:
            wanted.unmet.append(NO_REPOSITORY)
        names = platform.names("gdrcopy")
        wanted.repositories = [
            Repository(
                "gdrcopy",
                platform.url("gdrcopy", source["url"]),
                platform.url("gdrcopy", source["key_url"]),
                source["fingerprints"],
            )
        ]
        wanted.packages = {"dkms": "", **dict.fromkeys(names, version)}
        wanted.pins = dict.fromkeys(names, version)
        wanted.dkms = ["gdrdrv"]
        load.append("gdrdrv")
    wanted.files = {FILE: text(choice, reason, load)}
    wanted.modules = load if facts["gpus"] else []
    wanted.notes = [f"GPUDirect RDMA by {choice}: {reason}"]
    return wanted


def text(choice: str, reason: str, load: list[str]) -> str:
    """The file that loads modules at boot, and says why these."""
    comment = textwrap.wrap(f"GPUDirect RDMA by {choice}: {reason}.", 110, initial_indent="# ", subsequent_indent="# ")
    return MANAGED + "\n".join([*comment, *load]) + "\n"
