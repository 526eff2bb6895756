# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stack that a host would have after all four roles: what their variables want, else what is installed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.software import gpudirect, nvidia_driver, rdma_stack
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.matrix import Stack
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.versions import upstream
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.wanted import Platform

# Parts that variables of the roles decide; the roles of a play see each other's defaults.
VARIABLES = {
    "rdma": "rdma_stack_flavour",
    "doca": "rdma_stack_doca_version",
    "mlnx_ofed": "rdma_stack_mlnx_ofed_version",
    "driver": "nvidia_driver_version",
    "modules": "nvidia_driver_modules",
    "cuda": "cuda_version",
    "nccl": "cuda_nccl_version",
    "gdrcopy": "gpudirect_gdrcopy_version",
    "gpudirect": "gpudirect_mode",
}
# Variables of one role that are judged before the roles in front of it install anything.
EARLY = {"gdrcopy_wanted": "gpudirect_gdrcopy", "gdrcopy_repository": "gpudirect_repository_url"}
# By PCI device number (hexadecimal), as far as rows of the matrix tell them apart.
NICS = {
    "connectx-4": ("1013", "1015"),
    "connectx-5": ("1017", "1019"),
    "connectx-6": ("101b", "101d", "101f"),
    "connectx-7": ("1021",),
    "connectx-8": ("1023",),
    "bluefield-2": ("a2d6",),
    "bluefield-3": ("a2dc",),
}


def stack_of(
    variables: Mapping[str, Any], facts: Mapping[str, Any], platform: Platform, *, gpus: bool
) -> tuple[Stack, str]:
    """The parts that the matrix speaks of, and why GPUDirect goes its way. ``gpus``: there are or will be some."""
    parts = installed(facts)
    parts.update({part: str(variables[part]) for part in VARIABLES if variables.get(part)})
    if not gpudirect.wants_gdrcopy(variables, unless_said=True):
        parts.pop("gdrcopy", None)
    flavour = parts["rdma"]
    for other in rdma_stack.META:
        if other != flavour:
            parts.pop(other, None)
    inbox_api = facts["peer_memory_api"] if rdma_stack.installed_flavour(facts) == "inbox" else False
    peer_memory_api = flavour != "inbox" or bool(inbox_api)
    reason = ""
    if gpus and "modules" in parts:
        mode = parts.get("gpudirect", "auto")
        parts["gpudirect"], reason = gpudirect.choose(mode, platform.kernel, parts["modules"], peer_memory_api)
    else:
        parts.pop("gpudirect", None)
    parts["peer_memory_api"] = "yes" if peer_memory_api else "no"
    parts["distribution"], parts["architecture"] = platform.key, platform.architecture
    parts["kernel"] = platform.kernel
    parts["secure_boot"] = "on" if facts["secure_boot"]["enabled"] else "off"
    stack = {part: (value,) for part, value in parts.items()}
    stack["nic"] = tuple(dict.fromkeys(_nic(device) for device in facts["nics"]))
    stack["gpu"] = tuple(dict.fromkeys(map(nvidia_driver.family, facts["gpus"])))
    return stack, reason


def installed(facts: Mapping[str, Any]) -> dict[str, str]:
    """What is there now."""
    versions = {name: upstream(entry["version"] or "") for name, entry in facts["packages"].items()}
    parts = {"rdma": rdma_stack.installed_flavour(facts)}
    for flavour, package in rdma_stack.META.items():
        if package in versions:
            parts[flavour] = versions[package]
    for flavour, package in nvidia_driver.META.items():
        if package in versions:
            parts["modules"], parts["driver"] = flavour, _plain(versions[package])
    toolkits = [re.match(r"^cuda-toolkit-(\d+)-(\d+)$", name) for name in versions]
    found = sorted((int(t.group(1)), int(t.group(2))) for t in toolkits if t)
    if found:
        parts["cuda"] = f"{found[-1][0]}.{found[-1][1]}"
    for part, names in (("nccl", ("libnccl2", "libnccl")), ("gdrcopy", ("libgdrapi", "gdrcopy"))):
        for name in names:
            if name in versions:
                parts.setdefault(part, _plain(versions[name]))
    return parts


def _plain(version: str) -> str:
    """Without the package's own revision."""
    return version.split("-")[0]


def _nic(device: str) -> str:
    return next((kind for kind, devices in NICS.items() if device in devices), "other")
