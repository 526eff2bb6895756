# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the mirror: once for a set of sources and kernels, then it is taken from the cache."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.hosts.mirror import catalogue, debian, modules, redhat
from lab.hosts.mirror.catalogue import Package
from lab.hosts.mirror.shell import run

HERE = Path(__file__).parent
CACHE = HERE.parents[2] / ".cache" / "lab-mirror"
KEY_FILE, FINGERPRINT_FILE, MADE_OF = "key.asc", "fingerprint", "made-of"


def get(target: Path = CACHE, headers: Path | None = None, kernels: Iterable[str] = (), rpm: bool = False) -> Path:
    """The mirror. ``headers``: folder with Debian's header packages of a kernel, for which modules are compiled;
    ``kernels``: further kernels, for which they can be read and not loaded."""
    made_of = _key(headers, kernels, rpm)
    mark = target / MADE_OF
    if not mark.exists() or mark.read_text() != made_of:
        work = target.with_name(target.name + ".new")
        shutil.rmtree(work, ignore_errors=True)
        _build(work, headers, list(kernels), rpm)
        (work / MADE_OF).write_text(made_of)
        shutil.rmtree(target, ignore_errors=True)
        work.rename(target)
    return target


def _key(headers: Path | None, kernels: Iterable[str], rpm: bool) -> str:
    digest = sha256(f"{rpm} {sorted(kernels)}".encode())
    for file in sorted(headers.glob("*.deb")) if headers else []:
        digest.update(file.name.encode())
    for path in sorted(p for p in HERE.rglob("*") if p.is_file() and p.suffix != ".pyc"):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _build(target: Path, headers: Path | None, kernels: list[str], rpm: bool) -> None:
    work = target / "work"
    work.mkdir(parents=True)
    with _key_pair(target) as keyring:
        _fill(target, work, keyring, headers, kernels, rpm)
    shutil.rmtree(work)


def _fill(target: Path, work: Path, keyring: Path, headers: Path | None, kernels: list[str], rpm: bool) -> None:
    sources = dict.fromkeys(kernels) | (_unpack(headers, work) if headers else {})
    compiled = _compile(sources, work)
    _repositories(target / "debian12", list(catalogue.packages(False, list(sources))), compiled, debian.build, work)
    for folder in (target / "debian12").iterdir():
        debian.index(folder, "lab", keyring)
    if rpm:
        packages = list(catalogue.packages(True, list(sources)))
        _repositories(target / "rhel9", packages, compiled, redhat.build, work)
        for folder in (target / "rhel9").iterdir():
            redhat.index(folder, keyring, redhat.driver_streams(packages) if folder.name == "cuda" else "")


@contextmanager
def _key_pair(target: Path) -> Iterator[Path]:
    """A key that exists for this mirror alone: its secret part goes with the build. In a folder with a short name,
    because gpg's agent listens on a socket in it."""
    with TemporaryDirectory(prefix="lab-gpg-") as folder:
        keyring = Path(folder)
        try:
            _make_key(target, keyring)
            yield keyring
        finally:
            run("gpgconf", "--homedir", str(keyring), "--kill", "all")


def _make_key(target: Path, keyring: Path) -> None:
    gpg = ("gpg", "--homedir", str(keyring), "--batch", "--quiet")
    run(*gpg, "--passphrase", "", "--quick-gen-key", "lab", "rsa2048", "sign", "never")
    (target / KEY_FILE).write_text(run(*gpg, "--armor", "--export", "lab"))
    listing = run(*gpg, "--with-colons", "--fingerprint", "lab")
    fingerprint = next(line.split(":")[9] for line in listing.splitlines() if line.startswith("fpr:"))
    (target / FINGERPRINT_FILE).write_text(fingerprint)


def _unpack(headers: Path, work: Path) -> dict[str, Path | None]:
    """Kernel and folder of its headers; they are unpacked, nothing is installed here."""
    root = work / "headers"
    for package in sorted(headers.glob("*.deb")):
        run("dpkg-deb", "-x", str(package), str(root))
    folder = next(path for path in sorted((root / "usr/src").glob("linux-headers-*")) if "common" not in path.name)
    makefile = folder / "Makefile"
    makefile.write_text(makefile.read_text().replace("/usr/src", str(root / "usr/src")))
    return {folder.name.removeprefix("linux-headers-"): folder}


Compiled = dict[tuple[str, str], dict[str, Path]]  # (DKMS name, version) -> kernel -> folder


def _compile(sources: dict[str, Path | None], work: Path) -> Compiled:
    compiled: Compiled = {}
    for rpm in (False, True):
        for package in catalogue.packages(rpm, []):
            place = compiled.setdefault((package.modules[0] if package.modules else "", package.version), {})
            for kernel, headers in sources.items():
                folder = work / "modules" / f"{package.dkms}-{package.version}" / kernel
                if package.modules and kernel not in place:
                    modules.build(headers, package.version, package.modules, folder)
                    place[kernel] = folder
    return compiled


def _repositories(
    target: Path, packages: list[Package], compiled: Compiled, build: Callable[..., None], work: Path
) -> None:
    for number, package in enumerate(packages):
        folder = target / package.repository
        folder.mkdir(parents=True, exist_ok=True)
        own = compiled[(package.modules[0], package.version)] if package.modules else {}
        build(package, own, work / f"{target.name}-{number}", folder)
        shutil.rmtree(work / f"{target.name}-{number}")
