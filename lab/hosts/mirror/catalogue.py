# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the mirror has. Names and versions are the vendors'; every description says that it is a stand-in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

STAND_IN = "stand-in for the lab, without any content of the vendor"
# The version that roles take by default and a newer one, which pins have to keep away.
DRIVERS = ("580.126.20", "580.173.02")
GDRCOPY = ("2.5.1", "2.6")
OFED = {"doca": "25.10", "mlnx-ofed": "24.10"}


@dataclass(frozen=True)
class Package:
    """One package of one repository."""

    repository: str
    name: str
    version: str
    release: str = "1"
    depends: tuple[str, ...] = ()  # of the same version
    needs: tuple[str, ...] = ()  # of any version
    programs: tuple[str, ...] = ()  # files of files/, into /usr/bin
    units: tuple[str, ...] = ()  # services that do nothing for ever
    dkms: str = ""  # name in DKMS
    modules: tuple[str, ...] = ()  # kernel modules that DKMS installs
    content: tuple[tuple[str, str], ...] = ()  # path and text


def packages(rpm: bool, kernels: list[str]) -> Iterator[Package]:
    """All of them, for Debian or for Red Hat."""
    for repository in ("cuda", "doca", "mlnx-ofed", "gdrcopy"):
        yield from base(repository, rpm, kernels)
    for version in DRIVERS:
        yield from driver(version, rpm)
    yield from cuda(rpm)
    for repository, version in OFED.items():
        yield from ofed(repository, version, rpm)
    for version in GDRCOPY:
        yield from gdrcopy(version, rpm)


def base(repository: str, rpm: bool, kernels: list[str]) -> Iterator[Package]:
    """What a distribution would bring: DKMS, and headers so that it may begin."""
    yield Package(repository, "dkms", "3.0.10", programs=("dkms",))
    for kernel in kernels:
        if rpm != (".el" in kernel):
            continue
        makefile = ((f"/lib/modules/{kernel}/build/Makefile", f"# {STAND_IN}\n"),)
        if not rpm:
            yield Package(repository, f"linux-headers-{kernel}", "6.1", content=makefile)
        else:
            version, release = kernel.rsplit(".", 1)[0].split("-")
            yield Package(repository, "kernel-devel", version, release, content=makefile)


def driver(version: str, rpm: bool) -> Iterator[Package]:
    """NVIDIA's driver."""
    kernel_modules = {"dkms": "nvidia", "modules": ("nvidia", "nvidia-uvm", "nvidia-peermem"), "needs": ("dkms",)}
    user = "nvidia-driver-cuda"
    if rpm:
        open_dkms, proprietary_dkms = "kmod-nvidia-open-dkms", "kmod-nvidia-latest-dkms"
    else:
        open_dkms, proprietary_dkms = "nvidia-kernel-open-dkms", "nvidia-kernel-dkms"
    yield Package("cuda", "nvidia-open", version, depends=(open_dkms, user))
    yield Package("cuda", "cuda-drivers", version, depends=(proprietary_dkms, user))
    yield Package("cuda", open_dkms, version, **kernel_modules)
    yield Package("cuda", proprietary_dkms, version, **kernel_modules)
    yield Package("cuda", user, version, depends=("nvidia-persistenced",), programs=("nvidia-smi",))
    yield Package("cuda", "nvidia-persistenced", version, units=("nvidia-persistenced",))
    yield Package(
        "cuda", "nvidia-fabricmanager", version, programs=("nv-fabricmanager",), units=("nvidia-fabricmanager",)
    )


def cuda(rpm: bool) -> Iterator[Package]:
    """Toolkit and NCCL; NCCL also in a newer version and built for another CUDA, which must not be taken."""
    yield Package("cuda", "cuda-toolkit-13-0", "13.0.2", content=(("/usr/local/cuda-13.0/version.json", "{}\n"),))
    library, headers = ("libnccl", "libnccl-devel") if rpm else ("libnccl2", "libnccl-dev")
    for version, built in (("2.28.9", "13.0"), ("2.28.9", "12.9"), ("2.30.4", "13.0")):
        folder = "/usr/lib64" if rpm else "/usr/lib/x86_64-linux-gnu"
        file = ((f"{folder}/libnccl.so.{version}", f"{STAND_IN}\n"),)
        yield Package("cuda", library, version, f"1+cuda{built}", content=file)
        yield Package("cuda", headers, version, f"1+cuda{built}", depends=(library,))


def ofed(repository: str, version: str, rpm: bool) -> Iterator[Package]:
    """DOCA-OFED and MLNX_OFED: one meta package and the kernel modules."""
    name = "mlnx-ofa_kernel" if rpm else "mlnx-ofed-kernel"
    meta = {"doca": ("doca-ofed", "3.2.1", "044000"), "mlnx-ofed": ("mlnx-ofed-all", "24.10", "0.7.0.0")}[repository]
    yield Package(repository, *meta, needs=(f"{name}-dkms",))
    yield Package(
        repository,
        f"{name}-dkms",
        version,
        "1",
        needs=("dkms",),
        units=("openibd",),
        dkms=name,
        modules=("mlx_compat",),
    )


def gdrcopy(version: str, rpm: bool) -> Iterator[Package]:
    """GDRCopy."""
    module = {"dkms": "gdrdrv", "modules": ("gdrdrv",), "needs": ("dkms",)}
    yield Package("gdrcopy", "gdrcopy-kmod" if rpm else "gdrdrv-dkms", version, **module)
    if rpm:
        yield Package("gdrcopy", "gdrcopy-devel", version)
    else:
        yield Package("gdrcopy", "libgdrapi", version)
    yield Package("gdrcopy", "gdrcopy", version)
