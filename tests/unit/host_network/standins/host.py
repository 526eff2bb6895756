# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host in a folder: files, a kernel as JSON, and tools that read and change both."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path

from ansible_collections.lossless.fabric.plugins.module_utils.network import apply, revert
from ansible_collections.lossless.fabric.plugins.module_utils.network.change import Change
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Result, System
from ansible_collections.lossless.fabric.plugins.modules import host_network
from tests.unit.host_network.standins import tools

TOOLS = ("ip", "networkctl", "netplan", "systemctl", "systemd-run", "udevadm", "sysctl")
MANAGEMENT = "mgmt0"


class Quick(System):
    """Runs the stand-ins in this process; everything else as usual."""

    def run(self, *argv):
        program = self.tool(argv[0])
        if program is None or not Path(program).is_symlink() or Path(program).resolve().name != "tools.py":
            return super().run(*argv)
        out, rc, err = io.StringIO(), 0, ""
        try:
            with contextlib.redirect_stdout(out):
                tools.execute(self.root.parent, argv[0], list(argv[1:]))
        except SystemExit as end:
            rc, err = (end.code, "") if isinstance(end.code, int) else (1, str(end.code))
        return Result(argv, rc, out.getvalue(), err)


class Host:
    """NIC n of the model is ens(n+1)f0np0 at bus n+1; mgmt0 has the default route."""

    def __init__(self, folder, nics=2, tools=TOOLS):
        self.folder, self.root, self.bin = folder, folder / "root", folder / "bin"
        self.bin.mkdir(parents=True)
        self.root.mkdir()
        program = self.bin / "tools.py"
        text = (Path(__file__).parent / "tools.py").read_text()
        program.write_text(text.replace("#!/usr/bin/env python3", f"#!{sys.executable} -IS", 1))
        program.chmod(0o755)
        for name in tools:
            (self.bin / name).symlink_to(program)
        links = {MANAGEMENT: {"mtu": 1500, "up": True, "addresses": ["192.0.2.10/24"], "mac": "02:00:00:00:00:aa"}}
        for number in range(1, nics + 1):
            pci = f"0000:{number:02x}:00.0"
            mac = f"02:00:00:00:01:{number:02x}"
            links[f"ens{number}f0np0"] = {"mtu": 1500, "up": False, "addresses": [], "pci": pci, "mac": mac}
        default = {"to": "0.0.0.0/0", "via": "192.0.2.1", "dev": MANAGEMENT, "metric": 0, "table": 254}
        rules = [{"priority": 0, "from": "all", "table": 255}, {"priority": 32766, "from": "all", "table": 254}]
        self.kernel = {"links": links, "routes": [default], "rules": rules}
        for number, value in enumerate((128, 512, 1024), 1):
            self.put(f"/proc/sys/net/ipv4/neigh/default/gc_thresh{number}", f"{value}\n")
        self.tool("udevadm", "settle")

    @property
    def kernel(self):
        return json.loads((self.folder / "kernel.json").read_text())

    @kernel.setter
    def kernel(self, value):
        (self.folder / "kernel.json").write_text(json.dumps(value))

    def at(self, path):
        return self.root / path.lstrip("/")

    def put(self, path, text):
        self.at(path).parent.mkdir(parents=True, exist_ok=True)
        self.at(path).write_text(text)

    def tool(self, *words):
        """Run a command of the host as a person would."""
        done = self.system.run(*words)
        assert done.rc == 0, done.said()

    def calls(self):
        """Commands since the last call of this."""
        place = self.folder / "calls"
        found = place.read_text().splitlines() if place.exists() else []
        place.unlink(missing_ok=True)
        return found

    def breaks(self, *commands):
        (self.folder / "broken").write_text("\n".join(commands))

    @property
    def timer(self):
        place = self.folder / "timer.json"
        return json.loads(place.read_text()) if place.exists() else None

    def fire(self):
        """The time is over."""
        command = self.timer["command"]
        (self.folder / "timer.json").unlink()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def files(self):
        """Every file below /etc, with its text."""
        return {str(p.relative_to(self.root)): p.read_text() for p in self.at("/etc").rglob("*") if p.is_file()}

    @property
    def system(self):
        return Quick(str(self.root), [str(self.bin), "/usr/bin", "/bin"])

    def options(self, nics, **other):
        """What the module would be called with."""
        found = {name: entry.get("default") for name, entry in host_network.options().items()}
        suboptions = host_network.options()["nics"]["options"]
        full = [
            {
                **{name: entry.get("default") for name, entry in suboptions.items()},
                "mtu": 9000,
                "device": f"0000:{number:02x}:00.0",
                **nic,
            }
            for number, nic in enumerate(nics, 1)
        ]
        return {**found, "nics": full, "settle": 1, **other}

    def look(self, nics, **other):
        """What a run would do."""
        return Change(self.system, self.options(nics, **other))

    def run(self, nics, **other):
        """A run, confirmed."""
        change = self.look(nics, **other)
        if change.needed and apply.carry_out(change):
            revert.confirm(self.system)
        return change
