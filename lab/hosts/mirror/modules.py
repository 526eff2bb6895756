# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel modules of the stand-ins: they carry name and version, and do nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

from lab.hosts.mirror.shell import run

SOURCES = Path(__file__).parent / "modules"


def build(headers: Path | None, version: str, names: tuple[str, ...], target: Path) -> None:
    """Compile for the kernel of the headers. Without headers modinfo can read them and no kernel can load them."""
    target.mkdir(parents=True, exist_ok=True)
    work = target / "build"
    shutil.copytree(SOURCES, work)
    version_flag = f'-DSTAND_IN_VERSION="\\"{version}\\""'
    if headers is None:
        for name in names:
            run("gcc", "-c", f'-DSTAND_IN_VERSION="{version}"', "-o", str(target / f"{name}.ko"), str(work / "plain.c"))
    else:
        objects = " ".join(f"{name}.o" for name in names)
        (work / "Kbuild").write_text(f"obj-m := {objects}\nccflags-y := {version_flag}\n")
        run("make", "-s", "-C", str(headers), f"M={work}", "modules")
        for name in names:
            run("strip", "--strip-debug", str(work / f"{name}.ko"))
            shutil.copy(work / f"{name}.ko", target)
    shutil.rmtree(work)
