# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian packages, and a flat repository of them that is signed."""

from __future__ import annotations

import gzip
from pathlib import Path

from lab.hosts.mirror.catalogue import STAND_IN, Package
from lab.hosts.mirror.shell import run
from lab.hosts.mirror.tree import lay_out


def build(package: Package, modules: dict[str, Path], work: Path, target: Path) -> None:
    """One package."""
    root = work / "root"
    lay_out(package, modules, root)
    version = f"{package.version}-{package.release}"
    depends = [*package.needs, *(f"{name} (= {version})" for name in package.depends)]
    control = [
        f"Package: {package.name}",
        f"Version: {version}",
        # As the vendors': modules and libraries are for one architecture, and apt pins by it.
        "Architecture: all",
        "Maintainer: lossless.fabric lab <lab@localhost>",
        *([f"Depends: {', '.join(depends)}"] if depends else []),
        f"Description: {package.name}, {STAND_IN}",
    ]
    folder = root / "DEBIAN"
    folder.mkdir(parents=True)
    (folder / "control").write_text("\n".join(control) + "\n")
    if package.dkms:
        _script(folder / "postinst", f"configure) dkms install {package.dkms} {package.version} ;;")
        _script(folder / "prerm", f"remove) dkms remove {package.dkms} {package.version} ;;")
    run("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", str(root), str(target))


def _script(path: Path, case: str) -> None:
    path.write_text(f'#!/bin/sh\nset -e\ncase "$1" in\n    {case}\nesac\n')
    path.chmod(0o755)


def index(folder: Path, label: str, keyring: Path) -> None:
    """Packages, Release, InRelease."""
    packages = run("apt-ftparchive", "packages", ".", folder=folder)
    (folder / "Packages").write_text(packages)
    (folder / "Packages.gz").write_bytes(gzip.compress(packages.encode(), mtime=0))
    options = ("-o", f"APT::FTPArchive::Release::Label={label}", "-o", f"APT::FTPArchive::Release::Origin={label}")
    release = run("apt-ftparchive", *options, "release", ".", folder=folder)
    (folder / "Release").write_text(release)
    sign = ("gpg", "--homedir", str(keyring), "--batch", "--yes", "--clearsign", "--output", "InRelease", "Release")
    run(*sign, folder=folder)
