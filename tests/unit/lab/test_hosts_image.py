# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The image of the machines: key, initial RAM disk, kernel, what is missing on this machine."""

from __future__ import annotations

import lzma
import shutil
import stat
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.hosts import able, accelerator, image, initrd, needs
from lab.hosts.image import Image
from lab.hosts.needs import HostsError

REPOSITORY = Path(__file__).parents[3]


def test_another_kernel_or_list_of_packages_is_another_debian(monkeypatch: pytest.MonkeyPatch) -> None:
    key = image.debian_key("6.1.1")
    assert key == image.debian_key("6.1.1")
    assert key != image.debian_key("6.1.2")
    monkeypatch.setattr(image, "PACKAGES", (*image.PACKAGES, "vim"))
    assert key != image.debian_key("6.1.1")


@pytest.mark.parametrize("changed", ["module/dcb.c", "guest/usr/local/lib/lab/identity", "initrd.py", "secure_boot.py"])
def test_a_change_of_our_files_is_another_image(changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "hosts"
    shutil.copytree(image.HERE, here, ignore=shutil.ignore_patterns("__pycache__", "mirror"))
    monkeypatch.setattr(image, "HERE", here)
    key = image.image_key("debian-1")
    assert key != image.image_key("debian-2")
    with (here / changed).open("a") as file:
        file.write("\n")
    assert key != image.image_key("debian-1")


def test_modules_are_loaded_after_what_they_need() -> None:
    text = (
        "a/ext4.ko: a/jbd2.ko a/crc16.ko\na/jbd2.ko:\na/crc16.ko:\nb/virtio-blk.ko: b/virtio.ko\nb/virtio.ko:\nx.ko:\n"
    )
    order = initrd.load_order(text, ("virtio_blk", "ext4"))
    assert order == ["b/virtio.ko", "b/virtio-blk.ko", "a/jbd2.ko", "a/crc16.ko", "a/ext4.ko"]


def test_initrd_is_an_archive_that_cpio_reads(tmp_path: Path) -> None:
    modules = tmp_path / "root" / "lib" / "modules" / "6.1" / "k"
    modules.mkdir(parents=True)
    (tmp_path / "root" / "bin").mkdir()
    (tmp_path / "root" / "bin" / "busybox").write_bytes(b"busybox")
    names = [f"k/{name.replace('_', '-')}.ko" for name in initrd.MODULES]
    (modules.parent / "modules.dep").write_text("".join(f"{name}:\n" for name in names))
    for name in names:
        (modules.parent / name).write_bytes(name.encode())
    initrd.build(tmp_path / "root", "6.1", tmp_path / "initrd")
    entries = read_newc((tmp_path / "initrd").read_bytes())
    assert entries["bin/busybox"] == (stat.S_IFREG | 0o755, b"busybox")
    assert entries["dev/console"][0] == stat.S_IFCHR | 0o600
    assert entries["modules/order"][1].split()[-1] == b"lab-nic.ko"
    assert entries["modules/lab-nic.ko"][1] == b"k/lab-nic.ko"


def read_newc(data: bytes) -> dict[str, tuple[int, bytes]]:
    """The format of Linux Documentation/driver-api/early-userspace/buffer-format.rst."""
    entries, at = {}, 0
    while True:
        assert data[at : at + 6] == b"070701"
        fields = [int(data[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
        mode, size, length = fields[1], fields[6], fields[11]
        name = data[at + 110 : at + 110 + length - 1].decode()
        start = (at + 110 + length + 3) & ~3
        if name == "TRAILER!!!":
            return entries
        entries[name] = (mode, data[start : start + size])
        at = (start + size + 3) & ~3


@pytest.mark.parametrize("pack", [lzma.compress, lambda body: zlib.compress(body, wbits=31)])
def test_kernel_is_unpacked(pack: Callable[[bytes], bytes]) -> None:
    body = pack(b"\x7fELF kernel") + b"size"
    packed = bytearray(0x400)
    packed[0x1F1] = 1
    packed[0x248:0x24C] = (16).to_bytes(4, "little")
    packed[0x24C:0x250] = len(body).to_bytes(4, "little")
    assert image.unpack_kernel(bytes(packed) + b"." * 16 + body + b"rest") == b"\x7fELF kernel"


def test_kernel_packed_otherwise_is_refused() -> None:
    packed = bytearray(0x600)
    packed[0x24C:0x250] = (8).to_bytes(4, "little")
    packed[0x200:0x206] = b"zstd!!"
    with pytest.raises(HostsError, match="packed in a way that is not known here"):
        image.unpack_kernel(bytes(packed))


def test_missing_packages_are_one_line_that_can_be_typed() -> None:
    def which(program: str, path: str) -> str | None:
        return None if program in ("mmdebstrap", "qemu-img", "qemu-system-x86_64") else f"/usr/bin/{program}"

    with pytest.raises(HostsError) as caught:
        needs.check(which, root=True)
    assert str(caught.value) == (
        "hosts need apt-get install mmdebstrap qemu-system-x86 qemu-utils"
        " (python -m lab up --no-hosts starts the switches alone)"
    )


def test_hosts_need_root() -> None:
    with pytest.raises(HostsError, match="hosts need root"):
        needs.check(lambda program, path: program, root=False)


def test_nothing_is_said_where_nothing_is_missing() -> None:
    needs.check(lambda program, path: program, root=True)


def test_the_set_up_script_installs_what_is_asked_for() -> None:
    script = (REPOSITORY / "tests" / "setup" / "machine.sh").read_text()
    installed = set(script.partition("packages=(")[2].partition(")")[0].split())
    assert set(needs.PROGRAMS.values()) - {"dpkg"} <= installed


@pytest.mark.parametrize(("works", "chosen"), [(True, "kvm"), (False, "tcg")])
def test_kvm_is_tried_once(works: bool, chosen: str, tmp_path: Path) -> None:
    device = tmp_path / "kvm"
    device.touch()
    tries = []

    def probe(base: Image) -> bool:
        tries.append(base)
        return works

    assert [accelerator.choose(Image(tmp_path), device, probe) for _ in range(2)] == [chosen, chosen]
    assert len(tries) == 1


def test_without_the_device_nothing_is_tried(tmp_path: Path) -> None:
    def probe(base: Image) -> bool:
        raise AssertionError("tried")

    assert accelerator.choose(Image(tmp_path), tmp_path / "none", probe) == "tcg"


def test_a_guest_that_hangs_is_no_kvm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def run(command: list[str], **settings: object) -> None:
        raise subprocess.TimeoutExpired(command, 1)

    monkeypatch.setattr(accelerator.subprocess, "run", run)
    device = tmp_path / "kvm"
    device.touch()
    assert accelerator.choose(Image(tmp_path), device) == "tcg"


def test_the_demo_knows_why_hosts_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(able.needs, "check", lambda: None)
    kvm = tmp_path / "kvm"
    assert f"no access to {kvm}" in able.reason(kvm)
    kvm.touch()
    assert "starts no guest here" in able.reason(kvm, lambda: "tcg")
    assert able.reason(kvm, lambda: "kvm") == ""

    def lacks() -> None:
        raise able.needs.HostsError("hosts need root")

    monkeypatch.setattr(able.needs, "check", lacks)
    assert able.reason(kvm, lambda: "kvm") == "hosts need root"
