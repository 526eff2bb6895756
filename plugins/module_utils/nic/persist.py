# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stays on the host so that boot and driver reload bring the settings back without Ansible.

Four things: the program (the files of this folder, as they are), the wanted state as JSON, a systemd template unit and
udev rules that start it when the network interface or the RDMA device of a NIC appears.
"""

from __future__ import annotations

import json
import pkgutil
import sys

# Also makes Ansible send program.py, and what it needs, along with the module.
from ansible_collections.lossless.fabric.plugins.module_utils.nic import program

PACKAGE = "ansible_collections.lossless.fabric.plugins.module_utils.nic"
FILES = (
    "__init__.py",
    "congestion.py",
    "converge.py",
    "dcb.py",
    "device.py",
    "mlnx_qos.py",
    "mlxconfig.py",
    "pause.py",
    "program.py",
    "rdma.py",
    "settings.py",
    "system.py",
)
UNIT = "lossless-nic-qos@.service"
RULES = "80-lossless-nic-qos.rules"
STATE = "nic-qos.json"
PROGRAM = "nic-qos"
NOTE = "# Written by Ansible (lossless.fabric.nic_qos); changes made here are lost.\n"

LAUNCHER = '''#!{python}
"""RoCE QoS of the NICs of this host: nic-qos --help. Written by Ansible (lossless.fabric.nic_qos)."""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from {module} import main

sys.exit(main())
'''

# Active while the device is there: udev's wish starts it, StopWhenUnneeded ends it with the device, so that the next
# appearance starts it again. Instances are net-PCI and rdma-PCI, because the two appear apart and in any order.
TEXT = """[Unit]
Description=RoCE QoS of NIC %i
After=systemd-modules-load.service sys-kernel-config.mount sys-kernel-debug.mount
Before=network-online.target
StopWhenUnneeded=yes

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart={python} {library}/nic-qos apply --event %i --state {state}
TimeoutStartSec=120
"""


class Folders:
    """Where the parts go."""

    def __init__(self, library="/usr/local/lib/lossless-fabric", state="/etc/lossless-fabric", **other):
        self.library, self.state = library.rstrip("/"), state.rstrip("/")
        self.units = other.get("units", "/etc/systemd/system").rstrip("/")
        self.rules = other.get("rules", "/etc/udev/rules.d").rstrip("/")

    @property
    def package(self):
        return f"{self.library}/{PACKAGE.replace('.', '/')}"


def parts(folders, state, python=None):
    """Every file by its path: (text, mode)."""
    python = python or sys.executable
    found = {f"{folders.package}/{name}": ((pkgutil.get_data(PACKAGE, name) or b"").decode(), 0o644) for name in FILES}
    found[f"{folders.library}/{PROGRAM}"] = (LAUNCHER.format(python=python, module=program.__name__), 0o755)
    found[f"{folders.state}/{STATE}"] = (json.dumps(state, indent=2, sort_keys=True) + "\n", 0o644)
    unit = TEXT.format(python=python, library=folders.library, state=f"{folders.state}/{STATE}")
    found[f"{folders.units}/{UNIT}"] = (NOTE + unit, 0o644)
    found[f"{folders.rules}/{RULES}"] = (NOTE + rules(state), 0o644)
    return found


def rules(state):
    """udev rules. Not only on add: a later event without the tag would take the device away from systemd."""
    lines = []
    for nic in state["nics"]:
        device = nic["device"]
        match = f'KERNELS=="{device}"' if ":" in device else f'KERNEL=="{device}"'
        for subsystem, kind in (("net", "net"), ("infiniband", "rdma")):
            if ":" not in device and kind == "rdma":
                continue
            lines.append(
                f'ACTION!="remove", SUBSYSTEM=="{subsystem}", {match}, TAG+="systemd", '
                f'ENV{{SYSTEMD_WANTS}}+="lossless-nic-qos@{kind}-{device}.service"\n'
            )
    return "".join(lines)


def install(system, folders, wanted, check):
    """Write the files that differ and take away code of an earlier release; every change with its texts."""
    changes = []
    for name in system.names(folders.package):
        path = f"{folders.package}/{name}"
        if name.endswith(".py") and path not in wanted:
            changes.append({"path": path, "before": system.at(path).read_text(encoding="utf-8"), "after": None})
            if not check:
                system.at(path).unlink()
    for path, (text, mode) in sorted(wanted.items()):
        place = system.at(path)
        old = place.read_text(encoding="utf-8") if place.is_file() else None
        if old == text and place.stat().st_mode & 0o777 == mode:
            continue
        changes.append({"path": path, "before": old, "after": text})
        if not check:
            system.replace(path, text, mode)
    return changes


def remove(system, folders, check):
    """Take the files away, and the folders that are empty then."""
    paths = [f"{folders.package}/{name}" for name in system.names(folders.package) if name.endswith(".py")]
    paths += [f"{folders.library}/{PROGRAM}", f"{folders.state}/{STATE}"]
    paths += [f"{folders.units}/{UNIT}", f"{folders.rules}/{RULES}"]
    changes = []
    for path in paths:
        place = system.at(path)
        if place.is_file():
            changes.append({"path": path, "before": place.read_text(encoding="utf-8"), "after": None})
            if not check:
                place.unlink()
    if not check:
        folder = system.at(folders.package)
        stop = system.at(folders.library).parent
        while folder not in (stop, system.root):
            _remove_empty(folder)
            folder = folder.parent
        _remove_empty(system.at(folders.state))
    return changes


def _remove_empty(folder):
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def reload(system, changes):
    """Tell systemd and udev what is new."""
    told = []
    for suffix, command in (
        (".service", ("systemctl", "daemon-reload")),
        (".rules", ("udevadm", "control", "--reload")),
    ):
        if any(change["path"].endswith(suffix) for change in changes) and system.tool(command[0]):
            done = system.run(*command)
            told.append(done.command if done.rc == 0 else f"{done.command}: {done.said()}")
    return told
