# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is installed and what of it runs: one read for the whole software stack. None means "could not be read"."""

from __future__ import annotations

import hashlib
import re

from ansible_collections.lossless.fabric.plugins.module_utils.host import gpu, modules, pci, platform
from ansible_collections.lossless.fabric.plugins.module_utils.software import openpgp, packages

SCHEMA = 1
REDHAT = ("rhel", "rocky", "almalinux", "centos", "ol")
NVIDIA, MELLANOX = "10de", "15b3"
SERVICES = ("nvidia-persistenced", "nvidia-fabricmanager", "openibd")
# What the roles write has this in its name.
OURS = "lossless-"
FILES = (
    "/etc/apt/sources.list.d",
    "/etc/apt/preferences.d",
    "/etc/yum.repos.d",
    "/etc/modprobe.d",
    "/etc/modules-load.d",
    "/etc/security/limits.d",
    "/etc/systemd/system.conf.d",
)
KEYS = ("/etc/apt/keyrings", "/etc/pki/rpm-gpg")
INITRAMFS = ("/boot/initrd.img-{}", "/boot/initramfs-{}.img")
# Keys that DKMS signs with, where they are made on Ubuntu and by DKMS itself.
MACHINE_OWNER_KEYS = ("/var/lib/shim-signed/mok/MOK.der", "/var/lib/dkms/mok.pub")


def gather(machine):
    """Read the host."""
    release = _release(machine)
    running = machine.read("/proc/sys/kernel/osrelease")
    return {
        "schema": SCHEMA,
        "distribution": _distribution(release),
        "architecture": machine.read("/proc/sys/kernel/arch") or _architecture(machine),
        "kernel": {
            "running": running,
            "installed": kernels(machine),
            "headers": modules.headers(machine, running),
            "initramfs": any(machine.exists(path.format(running)) for path in INITRAMFS),
        },
        "packages": packages.packages(machine),
        "streams": packages.streams(machine),
        "locks": _text(machine, packages.VERSIONLOCK),
        "files": {path: _text(machine, path) for path in _ours(machine, FILES)},
        "keys": {path: key(machine, path) for path in _ours(machine, KEYS)},
        "services": services(machine, SERVICES),
        "dkms": modules.dkms(machine),
        "modules": modules.modules(machine),
        "nouveau_loaded": machine.exists("/sys/module/nouveau/initstate"),
        "secure_boot": dict(platform.secure_boot(machine), machine_owner_key=machine_owner_key(machine)),
        "nvidia": gpu.driver(machine),
        "rdma_stack": modules.rdma_stack(machine),
        "peer_memory_api": peer_memory_api(machine, running),
        **_devices(machine),
    }


def _release(machine):
    found = re.findall(r"^(\w+)=[\"']?(.*?)[\"']?$", machine.read("/etc/os-release") or "", re.M)
    return dict(found)


def _distribution(release):
    """``key`` names what packages are built for: ``ubuntu24.04``, ``debian12``, ``rhel9`` (also for its rebuilds)."""
    name, version = release.get("ID", ""), release.get("VERSION_ID", "")
    major = version.split(".")[0]
    if name in REDHAT:
        key = "rhel" + major
    elif name == "debian":
        key = "debian" + major
    else:
        key = name + version
    return {"id": name, "version": version, "name": release.get("PRETTY_NAME"), "key": key}


def _architecture(machine):
    """For kernels before 6.1, which have no such file."""
    output = machine.run("uname", "-m")
    return output.strip() if output else None


def _ours(machine, folders):
    for folder in folders:
        yield from (f"{folder}/{name}" for name in machine.listdir(folder) if OURS in name)


def _text(machine, path):
    """Content as it is, for comparison; None where there is no file."""
    data = machine.read_bytes(path)
    return None if data is None else data.decode("utf-8", "replace")


def kernels(machine):
    """Installed kernels with modules: what may boot next."""
    return [name for name in machine.listdir("/lib/modules") if machine.exists(f"/lib/modules/{name}/kernel")]


def key(machine, path):
    """Fingerprints and hash of a key file; no fingerprints where it is not a key."""
    data = machine.read_bytes(path) or b""
    try:
        found = openpgp.fingerprints(data)
    except openpgp.NotAKey:
        found = []
    return {"fingerprints": found, "sha256": hashlib.sha256(data).hexdigest()}


def services(machine, names):
    """One question for all: whether units exist, run and start at boot."""
    units = [f"{name}.service" for name in names]
    output = machine.run("systemctl", "show", "--property=Id,LoadState,ActiveState,UnitFileState", *units) or ""
    found = {}
    for block in output.split("\n\n"):
        fields = dict(line.partition("=")[::2] for line in block.splitlines())
        found[fields.get("Id", "")] = fields
    result = {}
    for name, unit in zip(names, units):
        fields = found.get(unit)
        result[name] = fields and {
            "exists": fields.get("LoadState") == "loaded",
            "active": fields.get("ActiveState") == "active",
            "enabled": fields.get("UnitFileState") in ("enabled", "static", "generated", "alias", "indirect"),
        }
    return result


def machine_owner_key(machine):
    """Whether a key that DKMS signs with is enrolled: True, False, or None without a key."""
    for path in MACHINE_OWNER_KEYS:
        if machine.exists(path):
            # It answers with rc 1 when the key is enrolled.
            line = f"mokutil --test-key {path}"
            output = machine.run("mokutil", "--test-key", path) or ""
            machine.failed_tools.pop(line, None)
            return "is already enrolled" in output
    return None


def peer_memory_api(machine, kernel):
    """Whether a module of the running kernel offers the interface that nvidia-peermem needs; depmod's list says so."""
    symbols = machine.read(f"/lib/modules/{kernel}/modules.symbols")
    return None if symbols is None else "symbol:ib_register_peer_memory_client " in symbols


def _devices(machine):
    """GPUs, NVSwitches and NVIDIA NICs by device number: what the stack is for."""
    found = {"gpus": [], "nvswitches": [], "nics": []}
    for address in machine.listdir(pci.DEVICES):
        base = f"{pci.DEVICES}/{address}"
        vendor = (machine.read(base + "/vendor") or "")[2:]
        code = (machine.read(base + "/class") or "")[2:]
        kind = {(NVIDIA, "03"): "gpus", (NVIDIA, "06"): "nvswitches", (MELLANOX, "02"): "nics"}.get((vendor, code[:2]))
        if kind == "nvswitches" and not code.startswith("0680"):
            continue
        if kind:
            found[kind].append((machine.read(base + "/device") or "")[2:])
    return found
