# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CUDA toolkit and NCCL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.software.nvidia_driver import repository
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.wanted import Platform, Wanted


def build(settings: Mapping[str, Any], platform: Platform, facts: Mapping[str, Any]) -> Wanted:
    """The wanted state."""
    version, nccl = settings["version"], settings["nccl_version"]
    wanted = Wanted("cuda", "CUDA and NCCL", hold=settings["hold"])
    wanted.repositories = [repository(settings["repository"], platform)]
    if settings["toolkit"]:
        # The version is part of the name; several can stand side by side.
        wanted.packages[f"cuda-toolkit-{'-'.join(version.split('.')[:2])}"] = ""
    if nccl:
        # NCCL is built once per major version of CUDA: 2.28.9-1+cuda13.0. apt knows an asterisk only at the end.
        built = f"{nccl}-1+cuda{version.split('.')[0]}.*"
        wanted.packages.update(dict.fromkeys(platform.names("nccl"), built))
        wanted.pins = dict.fromkeys(platform.names("nccl"), built)
    return wanted
