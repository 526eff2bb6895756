# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RPM packages, and a repository of them with signed packages and the driver's module streams."""

from __future__ import annotations

import shutil
from pathlib import Path

from lab.hosts.mirror.catalogue import STAND_IN, Package
from lab.hosts.mirror.shell import run
from lab.hosts.mirror.tree import lay_out


def build(package: Package, modules: dict[str, Path], work: Path, target: Path) -> None:
    """One package."""
    root = work / "files"
    root.mkdir(parents=True)
    lay_out(package, modules, root)
    spec = work / "package.spec"
    spec.write_text(_spec(package, root))
    defines = ("--define", f"_topdir {work}", "--define", f"_rpmdir {target}", "--define", "_build_id_links none")
    run("rpmbuild", "-bb", "--quiet", "--buildroot", str(work / "buildroot"), *defines, str(spec))


def _spec(package: Package, root: Path) -> str:
    # Epoch 3 is that of NVIDIA's driver: versions that are compared without it would go wrong here.
    epoch = "3" if package.dkms == "nvidia" or package.name.startswith("nvidia-") else "0"
    version = f"{epoch}:{package.version}-{package.release}"
    requires = [*package.needs, *(f"{name} = {version}" for name in package.depends)]
    files = sorted(f"/{path.relative_to(root)}" for path in root.rglob("*") if path.is_file())
    lines = [
        f"Name: {package.name}",
        f"Epoch: {epoch}",
        f"Version: {package.version}",
        f"Release: {package.release}",
        f"Summary: {package.name}, {STAND_IN}",
        "License: GPL-3.0-or-later",
        "BuildArch: noarch",
        "AutoReqProv: no",
        *(f"Requires: {name}" for name in requires),
        "%global __os_install_post %{nil}",
        "%description",
        STAND_IN,
        "%install",
        f"mkdir -p %{{buildroot}} && cp -a {root}/. %{{buildroot}}/",
        "%files",
        *files,
    ]
    if package.dkms:
        # In rpm's own Lua: an empty folder of a test has no shell.
        lines += ["%post -p <lua>", f'os.execute("dkms install {package.dkms} {package.version}")']
    return "\n".join(lines) + "\n"


def index(folder: Path, keyring: Path, streams: str = "") -> None:
    """Flatten, sign, and describe."""
    for file in sorted(folder.glob("*/*.rpm")):
        shutil.move(file, folder / file.name)
        file.parent.rmdir() if not any(file.parent.iterdir()) else None
    files = [str(file) for file in sorted(folder.glob("*.rpm"))]
    # Debian's rpm looks for gpg where Red Hat has it.
    defines = (f"_gpg_path {keyring}", "_gpg_name lab", f"__gpg {shutil.which('gpg')}")
    run("rpmsign", *(word for define in defines for word in ("--define", define)), "--addsign", *files)
    run("createrepo_c", "--quiet", "--general-compress-type=gz", str(folder))
    if streams:
        modules = folder / "modules.yaml"
        modules.write_text(streams)
        run("modifyrepo_c", "--mdtype=modules", str(modules), str(folder / "repodata"))
        modules.unlink()


def driver_streams(packages: list[Package]) -> str:
    """Streams as NVIDIA's repository has them: a branch with the open modules and one with the proprietary ones."""
    names = [f"{p.name}-3:{p.version}-{p.release}.noarch" for p in packages if "nvidia" in p.name]
    documents = []
    for stream in ("580-open", "580-dkms"):
        lines = [
            "---",
            "document: modulemd",
            "version: 2",
            "data:",
            "  name: nvidia-driver",
            f'  stream: "{stream}"',
            "  version: 20260101000000",
            "  context: lab00000",
            "  arch: x86_64",
            f"  summary: nvidia-driver {stream}, {STAND_IN}",
            f"  description: {STAND_IN}",
            "  license: {module: [MIT]}",
            "  dependencies: [{}]",
            "  artifacts:",
            "    rpms:",
            *(f"      - {name}" for name in names),
            "...",
        ]
        documents.append("\n".join(lines))
    return "\n".join(documents) + "\n"
