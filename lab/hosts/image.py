# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The system that every lab machine starts from: Debian packages, our files of ``guest/``, the module of ``module/``.

It is built once, in two steps that are kept below ``.cache/lab-image``: ``debian-KEY`` from Debian's packages, which
takes a minute, and ``KEY`` with our files and module, which takes seconds. A key says what a thing was made of, so that
another list of packages, a new kernel of Debian or a change here makes a new one.
"""

from __future__ import annotations

import fcntl
import lzma
import re
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from lab.hosts import initrd, secure_boot
from lab.hosts.needs import HostsError
from lab.hosts.program import run

HERE = Path(__file__).parent
CACHE = HERE.parents[1] / ".cache" / "lab-image"
SUITE = "bookworm"
MIRROR = "http://deb.debian.org/debian"
SECURITY = "http://deb.debian.org/debian-security"
SIZE = 6 << 30  # of the file system; the file is sparse

PACKAGES = (
    # what makes a system that boots, resets and can be logged in to
    "busybox-static", "dbus", "kmod", "linux-image-amd64", "openssh-server", "procps", "systemd-sysv", "udev",
    # networks of hosts: networkd comes with systemd, the other two are there to be configured
    "ethtool", "iproute2", "iputils-ping", "lldpd", "netplan.io", "network-manager",
    # RDMA
    "ibverbs-utils", "perftest", "rdma-core",
    # what Ansible and our modules use
    "dmidecode", "gnupg", "pciutils", "python3", "python3-apt",
)  # fmt: skip
# Not needed in a lab, and each costs time at every start without KVM.
MASKED = (
    "NetworkManager-wait-online.service", "apt-daily-upgrade.timer", "apt-daily.timer", "blk-availability.service",
    "dpkg-db-backup.timer", "e2scrub_all.timer", "e2scrub_reap.service", "fstrim.timer", "getty@tty1.service",
    "ldconfig.service", "man-db.timer", "modprobe@drm.service", "modprobe@efi_pstore.service", "modprobe@fuse.service",
    "nvmefc-boot-connections.service", "rdma-ndd.service", "serial-getty@ttyS0.service",
    "sys-fs-fuse-connections.mount", "systemd-binfmt.service", "systemd-firstboot.service",
    "systemd-journal-catalog-update.service", "systemd-machine-id-commit.service",
    "systemd-networkd-wait-online.service", "systemd-pstore.service", "systemd-random-seed.service",
    "systemd-repart.service", "systemd-sysusers.service", "systemd-update-done.service",
    "systemd-update-utmp-runlevel.service", "systemd-update-utmp.service",
)  # fmt: skip
DISABLED = ("NetworkManager.service", "remote-fs.target")  # there, and off until somebody wants them
# Parts of the kernel that no lab machine has hardware for. depmod reads every module whenever a package brings one, and
# takes over a minute for Debian's 4,000 without KVM.
KERNEL_LEFT_OUT = (
    "drivers/ata", "drivers/bluetooth", "drivers/comedi", "drivers/hid", "drivers/hwmon", "drivers/iio",
    "drivers/input", "drivers/media", "drivers/mtd", "drivers/net/can", "drivers/net/usb", "drivers/net/wireless",
    "drivers/platform", "drivers/scsi", "drivers/staging", "drivers/usb", "drivers/watchdog", "fs/nls",
    "net/bluetooth", "net/mac80211", "net/wireless", "sound",
)  # fmt: skip
LEFT_OUT = ("/usr/share/man/*", "/usr/share/locale/*", "/usr/share/doc/*")


@dataclass(frozen=True)
class Image:
    """Files of a built image."""

    folder: Path

    @property
    def kernel(self) -> Path:
        return self.folder / "vmlinux"

    @property
    def initrd(self) -> Path:
        return self.folder / "initrd"

    @property
    def disk(self) -> Path:
        return self.folder / "disk.raw"

    @property
    def headers(self) -> Path:
        """Debian packages with the headers of the kernel."""
        return self.folder / "headers"

    @property
    def secure(self) -> Path:
        """What a machine with Secure Boot starts from: code.fd, variables.fd, esp/ (lab/hosts/secure_boot.py)."""
        return self.folder / "secure"

    @property
    def owner(self) -> secure_boot.Key:
        """The key that signed lab_nic. Machines with Secure Boot have it enrolled."""
        return secure_boot.Key(self.folder / "owner")


def get(cache: Path = CACHE, say=print) -> Image:
    """The image for what is here now; what is missing is built."""
    kernel = kernel_version()
    debian = cache / f"debian-{debian_key(kernel)}"
    image = Image(cache / image_key(debian.name))
    cache.mkdir(parents=True, exist_ok=True)
    with lock(cache / "lock"):
        if not debian.exists():
            say("lab: installing Debian for the hosts (once, a minute or more) ...")
            _whole(debian, _bootstrap)
        if not image.folder.exists():
            say("lab: making the image of the hosts ...")
            _whole(image.folder, lambda work: _build(debian, work))
            _forget(cache, keep={debian, image.folder})
    return image


def _forget(cache: Path, keep: set[Path]) -> None:
    """Remove what was made for other contents, but for the latest two: another branch may need them again."""
    others = [path for path in cache.iterdir() if path.is_dir() and path not in keep]
    for path in sorted(others, key=lambda path: path.stat().st_mtime)[:-2]:
        _remove(path)


def _whole(folder: Path, make: Callable[[Path], None]) -> None:
    """Make a folder that is either complete or not there."""
    work = folder.with_name(folder.name + ".new")
    _remove(work)
    work.mkdir()
    make(work)
    work.rename(folder)


def debian_key(kernel: str) -> str:
    return sha256("\n".join((*PACKAGES, *LEFT_OUT, *secure_boot.PACKAGES, kernel)).encode()).hexdigest()[:16]


def image_key(debian: str) -> str:
    digest = sha256(debian.encode())
    for path in sources():
        digest.update(f"{path.relative_to(HERE)} {path.stat().st_mode:o} ".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def sources() -> list[Path]:
    """Our files that make an image what it is."""
    found = [HERE / name for name in ("image.py", "initrd.py", "secure_boot.py")]
    for folder in ("guest", "module"):
        found += (path for path in (HERE / folder).rglob("*") if path.is_file())
    return sorted(found)


def kernel_version() -> str:
    """Version of Debian's kernel that an image built now would have."""
    said = run("apt-cache", "policy", "linux-image-amd64")
    for line in said.splitlines():
        if line.strip().startswith("Candidate:") and "(none)" not in line:
            return line.split()[1]
    raise HostsError("apt knows no package linux-image-amd64: run apt-get update on a Debian 12 machine")


# -- building --------------------------------------------------------------------------------------------------
def _bootstrap(work: Path) -> None:
    """Debian in a folder; beside it, as packages, the headers of its kernel and what boots it with Secure Boot."""
    headers, secure = work / "headers", work / "secure"
    headers.mkdir()
    secure.mkdir()
    # While mmdebstrap's apt still has its lists: afterwards nobody knows where this very version is.
    fetch = (
        'version=$(ls "$1/lib/modules") && export APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" && '
        'get="apt-get -qq -o APT::Sandbox::User=root download" && '
        f'cd {headers} && $get "linux-headers-$version" "linux-headers-${{version%-amd64}}-common" linux-kbuild-6.1 && '
        f"cd {secure} && $get {' '.join(secure_boot.PACKAGES)}"
    )
    options = ["--quiet", "--variant=minbase", f"--include={','.join(PACKAGES)}", f"--customize-hook={fetch}"]
    options += ["--aptopt=APT::Install-Recommends false", "--aptopt=Acquire::Languages none"]
    options += ["--dpkgopt=force-unsafe-io", *(f"--dpkgopt=path-exclude={pattern}" for pattern in LEFT_OUT)]
    run("mmdebstrap", *options, SUITE, str(work / "root"), *apt_sources(), env={"INITRD": "No"})


def _build(debian: Path, work: Path) -> None:
    root = work / "root"
    run("cp", "-a", "--reflink=auto", str(debian / "root"), str(root))
    shutil.copytree(debian / "headers", work / "headers")
    kernel = next((root / "lib" / "modules").iterdir()).name
    image, packed = Image(work), root / "boot" / f"vmlinuz-{kernel}"
    _module(root, kernel, image)
    _furnish(root)
    initrd.build(root, kernel, image.initrd)
    image.kernel.write_bytes(unpack_kernel(packed.read_bytes()))
    secure_boot.build(debian / "secure", packed, image.initrd, image.owner, image.secure)
    with image.disk.open("wb") as file:
        file.truncate(SIZE)
    form = ("-O", "^metadata_csum,^64bit", "-E", "lazy_itable_init=1,lazy_journal_init=1")
    run("mkfs.ext4", "-q", "-F", "-L", "root", *form, "-d", str(root), str(image.disk))
    _remove(root)


def apt_sources() -> list[str]:
    """Where Debian comes from: what this machine uses, if it is the suite of the image; else Debian's own servers."""
    ours = Path("/etc/apt/sources.list.d/debian.sources")
    if ours.exists() and SUITE in ours.read_text():
        return [str(ours)]
    return [
        f"deb {MIRROR} {SUITE} main",
        f"deb {MIRROR} {SUITE}-updates main",
        f"deb {SECURITY} {SUITE}-security main",
    ]


def _module(root: Path, kernel: str, image: Image) -> None:
    """Compile and sign lab_nic. The headers of the kernel are unpacked, not installed: nothing here changes."""
    unpacked, build = image.folder / "unpacked", image.folder / "module"
    for package in sorted(image.headers.glob("*.deb")):
        run("dpkg-deb", "-x", str(package), str(unpacked))
    makefile = unpacked / "usr" / "src" / f"linux-headers-{kernel}" / "Makefile"
    makefile.write_text(makefile.read_text().replace("/usr/src", str(unpacked / "usr" / "src")))
    shutil.copytree(HERE / "module", build)
    run("make", "-s", "-C", str(makefile.parent), f"M={build}", "modules")
    run("strip", "--strip-debug", str(build / "lab_nic.ko"))
    image.owner.make(secure_boot.OWNER, makefile.parent / "scripts" / "sign-file")
    image.owner.sign(build / "lab_nic.ko")
    target = root / "lib" / "modules" / kernel / "extra"
    target.mkdir()
    for part in KERNEL_LEFT_OUT:
        _remove(target.parent / "kernel" / part)
    shutil.copy(build / "lab_nic.ko", target)
    run("depmod", "-b", str(root), kernel)
    _remove(unpacked)
    _remove(build)


def _furnish(root: Path) -> None:
    """Our files, and what is off."""
    shutil.copytree(HERE / "guest", root, dirs_exist_ok=True)
    units = root / "etc" / "systemd" / "system"
    for unit in MASKED:
        link = units / unit
        link.unlink(missing_ok=True)
        link.symlink_to("/dev/null")
    for link in units.glob("*.wants/*"):
        if link.name in DISABLED:
            link.unlink()
    wanted = units / "multi-user.target.wants"
    wanted.mkdir(exist_ok=True)
    (wanted / "systemd-networkd.service").symlink_to("/lib/systemd/system/systemd-networkd.service")
    (units / "default.target").symlink_to("/lib/systemd/system/multi-user.target")
    for key_file in (root / "etc" / "ssh").glob("ssh_host_*"):
        key_file.unlink()
    (root / "etc" / "hostname").write_text("lab\n")
    (root / "etc" / "hosts").write_text("127.0.0.1 localhost\n")
    (root / "etc" / "resolv.conf").unlink(missing_ok=True)
    (root / "etc" / "resolv.conf").write_text("")
    # A machine that asks nobody for names is not kept waiting by nobody.
    _edit(root / "etc" / "nsswitch.conf", r"^hosts:.*", "hosts: files")
    # No user manager at every login, which costs seconds; logind itself stays.
    _edit(root / "etc" / "pam.d" / "common-session", r"^session.*pam_systemd.so.*", "")
    (root / "etc" / "machine-id").write_text("0" * 31 + "1\n")
    for path in (root / "etc" / "apt" / "sources.list.d").glob("*"):
        path.unlink()
    (root / "etc" / "apt" / "sources.list").write_text("")


def _edit(path: Path, pattern: str, line: str) -> None:
    text, count = re.subn(pattern, line, path.read_text(), flags=re.MULTILINE)
    if not count:
        raise HostsError(f"{path}: no line {pattern!r}; Debian has changed it, and lab/hosts/image.py has to follow")
    path.write_text(text)


def unpack_kernel(packed: bytes) -> bytes:
    """The uncompressed kernel of a bzImage: QEMU starts it directly, which saves 10 s of unpacking without KVM."""
    start = (packed[0x1F1] + 1) * 512 + int.from_bytes(packed[0x248:0x24C], "little")
    body = packed[start : start + int.from_bytes(packed[0x24C:0x250], "little")]
    if body.startswith(b"\xfd7zXZ\0"):
        return lzma.LZMADecompressor().decompress(body)
    if body.startswith(b"\x1f\x8b"):
        return zlib.decompressobj(31).decompress(body)
    raise HostsError(f"the kernel is packed in a way that is not known here (it begins with {body[:6].hex()})")


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)


@contextmanager
def lock(path: Path) -> Iterator[None]:
    """One at a time builds or starts; the others wait for the result."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
