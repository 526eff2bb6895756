# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Installed packages, what holds them, and repositories: dpkg's own files, rpm's own query."""

from __future__ import annotations

import fnmatch
import re

STATUS = "/var/lib/dpkg/status"
VERSIONLOCK = "/etc/dnf/plugins/versionlock.list"
STREAMS = "/etc/dnf/modules.d"
# What the stack is made of; the rest of the machine's packages is nobody's business.
STACK = (
    "nvidia-*",
    "libnvidia-*",
    "kmod-nvidia*",
    "nvlsm",
    "cuda-*",
    "libnccl*",
    "doca-*",
    "mlnx-*",
    "mlnx_*",
    "rdma-core",
    "ibverbs-*",
    "libibverbs*",
    "librdmacm*",
    "rdmacm-utils",
    "infiniband-diags",
    "perftest",
    "gdrcopy*",
    "gdrdrv*",
    "libgdrapi*",
    "dkms",
    "python3-dnf-plugin-versionlock",
    "linux-image-*",
    "linux-headers-*",
    "linux-generic*",
    "kernel",
    "kernel-*",
)


def packages(machine):
    """Installed packages of the stack: version, and whether they are held."""
    entries = dpkg(machine) if machine.exists(STATUS) else rpm(machine)
    ours = re.compile("|".join(fnmatch.translate(pattern) for pattern in STACK))
    return {name: entry for name, entry in entries if ours.match(name)}


def dpkg(machine):
    """From the status file, which needs no process: ``(name, {version, held})`` of what is installed."""
    for block in (machine.read(STATUS) or "").split("\n\n"):
        fields = dict(re.findall(r"^(Package|Status|Version):[ \t]*(.*)$", block, re.M))
        state = fields.get("Status", "").split()
        if len(state) == 3 and state[2] == "installed":
            yield fields["Package"], {"version": fields.get("Version"), "held": state[0] == "hold"}


def rpm(machine):
    """From rpm; of a package in several versions (kernels) one counts."""
    output = machine.run("rpm", "-qa", "--qf", "%{NAME} %{EPOCHNUM}:%{VERSION}-%{RELEASE}\\n") or ""
    locks = machine.lines(VERSIONLOCK)
    for line in output.splitlines():
        name, _, version = line.partition(" ")
        if version:
            version = version.split()[0]
            yield name, {"version": version[2:] if version.startswith("0:") else version, "held": _locked(name, locks)}


def _locked(name, locks):
    return any(re.match(rf"{re.escape(name)}-(\d+:)?\d", line) for line in locks if not line.startswith(("#", "!")))


def streams(machine):
    """Enabled module streams of dnf: ``{"nvidia-driver": "580-open"}``."""
    result = {}
    for file in machine.listdir(STREAMS):
        text = machine.read(f"{STREAMS}/{file}") or ""
        fields = dict(re.findall(r"^(name|stream|state)\s*=\s*(.*?)\s*$", text, re.M))
        if fields.get("state") == "enabled" and fields.get("name"):
            result[fields["name"]] = fields.get("stream", "")
    return result
