# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One virtual machine of the lab in a folder of its own, without switches; modules and roles run on it over SSH."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ansible_runner

from lab.hosts import fleet, options
from lab.hosts.spec import spec_of

ROOT = Path(__file__).parents[2]
NICS = ("rail0", "rail1")


@dataclass
class Played:
    """What a play did: its output, and the result of each task in the order in which they ran."""

    rc: int
    output: str
    tasks: list[tuple[str, dict[str, Any]]]

    def results(self, task: str) -> list[dict[str, Any]]:
        """Results of the tasks of this name."""
        return [result for name, result in self.tasks if name == task]


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
        said = self._play({"tasks": [task, keep]}, *options)
        assert result.exists(), said
        return json.loads(result.read_text())

    def role(self, role: str, *options: str, **variables: Any) -> dict[str, int]:
        """What Ansible counts of a run of one role, which has to succeed."""
        said = self._play({"roles": [{"role": role, "vars": variables}]}, *options)
        counts = {name: int(count) for name, count in re.findall(r"(\w+)=(\d+)", said.rpartition("PLAY RECAP")[2])}
        assert counts and counts["failed"] == counts["unreachable"] == 0, said
        return counts

    def _play(self, content: dict[str, Any], *options: str) -> str:
        """Output of a play on this machine."""
        self._runs += 1
        play = self.folder / f"play-{self._runs}.yml"
        play.write_text(json.dumps([{"hosts": "all", "gather_facts": False, **content}]))
        inventory = self._inventory()
        # With connections of its own: limits of a login are those at its beginning.
        with TemporaryDirectory(prefix="lab-ssh-") as connections:
            places = {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "ANSIBLE_SSH_CONTROL_PATH_DIR": connections}
            done = subprocess.run(
                ["ansible-playbook", "-i", str(inventory), str(play), *options],
                cwd=ROOT, env=os.environ | places, capture_output=True, text=True, check=False, timeout=1200,
            )  # fmt: skip
        return done.stdout + done.stderr

    def play(self, tasks: list[dict[str, Any]], *options: str) -> Played:
        """Run tasks, roles included, as a play of its own."""
        self._runs += 1
        private = self.folder / f"run-{self._runs}"
        private.mkdir()
        play = private / "play.yml"
        play.write_text(json.dumps([{"hosts": "all", "gather_facts": False, "tasks": tasks}]))
        with TemporaryDirectory(prefix="lab-ssh-") as connections:
            places = {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "ANSIBLE_SSH_CONTROL_PATH_DIR": connections}
            done = ansible_runner.run(
                private_data_dir=str(private), project_dir=str(ROOT), playbook=str(play), envvars=places, quiet=True,
                inventory=str(self._inventory()), cmdline=" ".join(options) or None, timeout=1200,
            )  # fmt: skip
        events = [event["event_data"] for event in done.events if event.get("event_data")]
        tasks_done = [(event["task"], event["res"]) for event in events if "task" in event and "res" in event]
        return Played(done.rc, done.stdout.read(), tasks_done)

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

    def _inventory(self) -> Path:
        inventory = self.folder / "hosts.json"
        hosts = {self.name: self._connection() | self.variables}
        inventory.write_text(json.dumps({"all": {"hosts": hosts}}))
        return inventory

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
