# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One virtual machine: start, save, restore, stop.

A machine boots up to the point where it asks who it is (guest/usr/local/lib/lab/identity). There its state is saved,
once, and every later start goes on from there, in seconds. Name, keys and time come after that point, through a serial
port.
"""

from __future__ import annotations

import io
import json
import shlex
import shutil
import socket
import sys
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from lab import process
from lab.hosts import options
from lab.hosts.image import CACHE, Image, lock
from lab.hosts.needs import HostsError
from lab.hosts.options import Paths
from lab.hosts.program import run
from lab.hosts.qmp import Qmp
from lab.hosts.spec import MachineSpec

BOOT_SECONDS = 300  # without KVM, on two slow and busy cores
RELAY = Path(__file__).with_name("relay.py")
MIRROR = CACHE.with_name("lab-mirror")
EVENTS = [{"capability": "events", "state": True}]


class Machine:
    """A machine of a run directory."""

    def __init__(self, spec: MachineSpec, run_dir: Path, image: Image, accelerator: str) -> None:
        self.spec, self.image = spec, image
        self.paths = Paths(run_dir.resolve(), spec.name)
        self.paths.check(spec.nics)
        self._hardware = options.hardware(spec, image, accelerator)
        digest = sha256(json.dumps([spec.name, *self._hardware]).encode()).hexdigest()[:16]
        self.state = image.folder / "states" / f"{spec.name}-{digest}"
        self._described = json.dumps({"state": str(self.state), "address": spec.address, "port": spec.port})

    def runs_as_wanted(self) -> bool:
        return running(self.paths) and self.paths.described.read_text() == self._described

    def start(self) -> None:
        """Come up as delivered: what an earlier run left on the disk is gone."""
        stop(self.paths)
        shutil.rmtree(self.paths.folder, ignore_errors=True)
        self.paths.folder.mkdir(parents=True, mode=0o700)
        self.paths.described.write_text(self._described)
        make_key(self.paths.host_key)
        for nic in self.spec.nics:
            machine, _ = self.paths.wire(nic)
            machine.parent.mkdir(exist_ok=True)
            machine.unlink(missing_ok=True)
        try:
            self._come_up()
        except BaseException:
            stop(self.paths)  # a machine that runs is one that is ready
            raise

    def _come_up(self) -> None:
        self.state.parent.mkdir(exist_ok=True)
        with lock(self.state.with_suffix(".lock")):  # two labs that want the same machine make its state once
            if not self.state.exists():
                self._save()
        self._launch(self.state / "disk.qcow2", "-incoming", "defer")
        with Qmp(self.paths.monitor) as monitor, self._control() as control:
            monitor.do("migrate-set-capabilities", capabilities=EVENTS)
            monitor.do("migrate-incoming", uri=f"exec:cat {shlex.quote(str(self.state / 'memory'))}")
            monitor.wait("MIGRATION", status="completed")
            monitor.do("cont")
            control.identify(self._identity())
            control.expect("ready")

    # -- parts of a start --------------------------------------------------------------------------------------
    def _save(self) -> None:
        """Boot, and keep memory and disk as they are when the machine asks who it is."""
        new = self.state.with_suffix(".new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir()
        self._launch(self.image.disk)
        with Qmp(self.paths.monitor) as monitor, self._control() as control:
            control.expect("waiting")
            monitor.do("stop")
            monitor.do("migrate-set-capabilities", capabilities=EVENTS)
            monitor.do("migrate", uri=f"exec:cat >{shlex.quote(str(new / 'memory'))}")
            monitor.wait("MIGRATION", status="completed")
        stop(self.paths)
        self.paths.disk.rename(new / "disk.qcow2")
        new.rename(self.state)

    def _launch(self, backing: Path, *more: str) -> None:
        """Start QEMU on a new disk over another one; it returns when its sockets are open."""
        form = "raw" if backing.suffix == ".raw" else "qcow2"
        run("qemu-img", "create", "-q", "-f", "qcow2", "-b", str(backing), "-F", form, str(self.paths.disk))
        if self.spec.secure_boot:  # a state that is restored brings its own contents
            shutil.copy(self.image.secure / "variables.fd", self.paths.variables)
        folders = (self.paths.run_dir / "mirror", MIRROR)
        relay = " ".join(map(shlex.quote, (sys.executable, str(RELAY), *map(str, folders))))
        words = [*self._hardware, *options.placement(self.spec, self.paths, relay), *more]
        words += ["-daemonize", "-pidfile", str(self.paths.pid), "-D", str(self.paths.log)]
        try:
            run("qemu-system-x86_64", *words)
        except HostsError as exc:  # QEMU writes to its log why
            said = self.paths.log.read_text().strip() if self.paths.log.exists() else str(exc)
            raise HostsError(f"{self.spec.name}: QEMU does not start: {said}") from exc

    @contextmanager
    def _control(self) -> Iterator[_Control]:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self.paths.control))
            yield _Control(connection, self.paths)

    def _identity(self) -> bytes:
        """Files that make this machine itself, as a tar archive."""
        name = self.spec.name
        host_key = self.paths.host_key
        files = {
            "etc/hostname": (0o644, f"{name}\n".encode()),
            "etc/hosts": (0o644, f"127.0.0.1 localhost\n127.0.1.1 {name}\n".encode()),
            "etc/machine-id": (0o444, f"{sha256(name.encode()).hexdigest()[:32]}\n".encode()),
            "etc/ssh/ssh_host_ed25519_key": (0o600, host_key.read_bytes()),
            "etc/ssh/ssh_host_ed25519_key.pub": (0o644, host_key.with_suffix(".pub").read_bytes()),
            "root/.ssh/authorized_keys": (0o600, self.paths.user_key.with_suffix(".pub").read_bytes()),
        }
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            folder = tarfile.TarInfo("root/.ssh")
            folder.type, folder.mode = tarfile.DIRTYPE, 0o700
            archive.addfile(folder)
            for path, (mode, content) in files.items():
                entry = tarfile.TarInfo(path)
                entry.size, entry.mode, entry.mtime = len(content), mode, int(time.time())
                archive.addfile(entry, io.BytesIO(content))
        return buffer.getvalue()


class _Control:
    """The serial port over which a machine asks who it is."""

    def __init__(self, connection: socket.socket, paths: Paths) -> None:
        self._connection, self._paths = connection, paths
        connection.settimeout(BOOT_SECONDS)

    def identify(self, archive: bytes) -> None:
        self._connection.sendall(f"{int(time.time())} {len(archive)}\n".encode() + archive)

    def expect(self, word: str) -> None:
        said = b""
        try:
            while word.encode() not in said:
                part = self._connection.recv(4096)
                if not part:
                    raise HostsError(f"{self._paths.name}: QEMU ended, see {self._paths.log}")
                said += part
        except TimeoutError as exc:
            raise HostsError(
                f"{self._paths.name}: expected {word!r} within {BOOT_SECONDS} s of its start, see {self._paths.console}"
            ) from exc


# -- of any machine in a run directory ---------------------------------------------------------------------------
def running(paths: Paths) -> bool:
    return _pid(paths) is not None


def stop(paths: Paths) -> None:
    """End the machine as if its power went."""
    pid = _pid(paths)
    if pid is None:
        return
    if not process.end(pid, 30):  # SIGTERM: QEMU closes its disk and ends
        raise HostsError(f"{paths.name}: QEMU (process {pid}) did not end within 30 s")


def _pid(paths: Paths) -> int | None:
    """Process of the machine. A pid file that was left over may by now name another process: its command line tells."""
    try:
        pid = int(paths.pid.read_text())
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (OSError, ValueError):
        return None
    return pid if str(paths.pid).encode() in words else None


def make_key(path: Path) -> None:
    """An SSH key without a pass phrase, if there is none yet."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", str(path))
