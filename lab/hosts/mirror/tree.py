# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of one package, laid out as they will lie on a host."""

from __future__ import annotations

from pathlib import Path

from lab.hosts.mirror.catalogue import STAND_IN, Package

FILES = Path(__file__).parent / "files"


def lay_out(package: Package, modules: dict[str, Path], root: Path) -> None:
    """Everything below ``root``; ``modules`` has a folder of compiled modules for each kernel."""
    for program in package.programs:
        text = (FILES / program).read_text().replace("@VERSION@", package.version)
        _write(root / "usr/bin" / program, text, 0o755)
    for unit in package.units:
        _write(root / "lib/systemd/system" / f"{unit}.service", service(unit), 0o644)
    for path, text in package.content:
        _write(root / path.lstrip("/"), text, 0o644)
    for kernel, folder in modules.items():
        target = root / f"usr/src/{package.dkms}-{package.version}/prebuilt/{kernel}"
        for name in package.modules:
            target.mkdir(parents=True, exist_ok=True)
            (target / f"{name}.ko").write_bytes((folder / f"{name}.ko").read_bytes())


def service(name: str) -> str:
    """A service that runs and does nothing."""
    lines = ["[Unit]", f"Description={name}, {STAND_IN}", "[Service]", "ExecStart=/bin/sleep infinity"]
    return "\n".join([*lines, "[Install]", "WantedBy=multi-user.target", ""])


def _write(path: Path, text: str, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
