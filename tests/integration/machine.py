# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One virtual machine of the lab in a folder of its own, without switches; modules and roles run on it over SSH."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lab.hosts import fleet, options
from lab.hosts.spec import spec_of
from tests.integration.run import ROOT, Run, run_playbook

NICS = ("rail0", "rail1")


def role(name: str, /, **variables: Any) -> dict[str, Any]:
    """A task that runs a role."""
    return {"name": "Role", "ansible.builtin.include_role": {"name": name}, "vars": variables}


class Guest:
    """A running machine."""

    def __init__(self, folder: Path, name: str, port: int, addresses: dict[str, tuple[str, str]]) -> None:
        self.folder, self.name, self.port = folder, name, port
        self.nics = [addresses[nic][0] for nic in NICS]
        self.gpus = [addresses[nic][1] for nic in NICS]
        self.run_dir = folder / "lab"
        self.variables: dict[str, Any] = {}
        self._runs = 0

    def sh(self, script: str, *options: str) -> str:
        """Run a script as root; the first command that fails ends it and the test."""
        words = ["ssh", *self._ssh(), *options, "-p", str(self.port), "root@127.0.0.1", "bash -eu -o pipefail -s"]
        done = subprocess.run(words, input=script, capture_output=True, text=True, check=False, timeout=600)
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        return done.stdout.strip()

    def copy(self, files: list[Path], folder: str) -> None:
        """Put files into a folder of the machine."""
        words = ["scp", "-q", *self._ssh(), "-P", str(self.port), *map(str, files), f"root@127.0.0.1:{folder}"]
        subprocess.run(words, check=True, timeout=600)

    def module(self, module: str, *options: str, **arguments: Any) -> dict[str, Any]:
        """Result of one module."""
        result = self.folder / f"result-{self._runs + 1}.json"
        task = {"name": "Run", module: arguments, "register": "done", "ignore_errors": True}
        copy = {"content": "{{ done | to_json }}", "dest": str(result), "mode": "0600"}
        keep = {"ansible.builtin.copy": copy, "delegate_to": "localhost", "check_mode": False, "diff": False}
        done = self.play([task, keep], *options)
        assert result.exists(), done.output
        return json.loads(result.read_text())

    def play(self, tasks: list[dict[str, Any]], *options: str) -> Run:
        """Run tasks, roles included, as a play of its own."""
        self._runs += 1
        play = self.folder / f"play-{self._runs}.yml"
        play.write_text(json.dumps([{"hosts": "all", "gather_facts": False, "tasks": tasks}]))
        inventory = self.folder / "hosts.json"
        hosts = {self.name: self._connection() | self.variables}
        inventory.write_text(json.dumps({"all": {"hosts": hosts}}))
        # With connections of its own: limits of a login are those at its beginning.
        with TemporaryDirectory(prefix="lab-ssh-") as connections:
            places = {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "ANSIBLE_SSH_CONTROL_PATH_DIR": connections}
            return run_playbook(self.folder, play, inventory, options, places, seconds=1200)

    def reboot(self) -> None:
        """Boot again, until sshd says that it is ready (lab/hosts/guest: ssh.service.d)."""
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(300)
            control.connect(str(self.run_dir / "hosts" / self.name / "control"))
            self.sh("systemd-run --quiet --on-active=1 systemctl reboot")
            said = b""
            while b"ready" not in said:
                part = control.recv(4096)
                assert part, f"QEMU ended, see {self.run_dir}/hosts/{self.name}"
                said += part

    def _ssh(self) -> list[str]:
        known = f"UserKnownHostsFile={self.run_dir}/known_hosts"
        return ["-i", f"{self.run_dir}/hosts/id_ed25519", "-o", known, "-o", "IdentitiesOnly=yes"]

    def _connection(self) -> dict[str, Any]:
        return {
            "ansible_host": "127.0.0.1",
            "ansible_port": self.port,
            "ansible_user": "root",
            "ansible_ssh_private_key_file": f"{self.run_dir}/hosts/id_ed25519",
            "ansible_ssh_common_args": f"-o UserKnownHostsFile={self.run_dir}/known_hosts -o IdentitiesOnly=yes",
            "ansible_python_interpreter": "/usr/bin/python3",
            "ansible_pipelining": True,
        }


@contextmanager
def guest(folder: Path, **machine: Any) -> Iterator[Guest]:
    """Start a machine with two rails; ``machine`` as in host variable lab_machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    nics = [{"name": name} for name in NICS]
    spec = spec_of("gpu01", {"lab_machine": machine, "ansible_port": port, "host": {"nics": nics}})
    made = Guest(folder, spec.name, port, options.pci_addresses(spec))
    made.run_dir.mkdir()
    try:
        fleet.up([spec], made.run_dir)
        yield made
    finally:
        fleet.down(made.run_dir)
