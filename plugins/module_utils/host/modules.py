# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel modules of the RDMA and GPU stack: loaded against installed, signatures, DKMS."""

from __future__ import annotations

import re

STACK = (
    "nvidia",
    "nvidia_uvm",
    "nvidia_modeset",
    "nvidia_peermem",
    "gdrdrv",
    "mlx5_core",
    "mlx5_ib",
    "mlx_compat",
    "ib_core",
    "ib_uverbs",
    "ib_umad",
    "rdma_cm",
    "rdma_rxe",
    "bnxt_en",
    "bnxt_re",
    "irdma",
)


def modules(machine):
    """Every module of the stack that is loaded or installed, by name."""
    installed = _modinfo(machine)
    result = {}
    for name in STACK:
        base = f"/sys/module/{name}"
        # Built into the kernel: the folder exists, "initstate" does not.
        loaded = machine.exists(base + "/initstate")
        info = installed.get(name)
        if not loaded and info is None:
            continue
        info = info or {}
        result[name] = {
            "loaded": loaded,
            "builtin": info.get("filename") == "(builtin)",
            "version_loaded": machine.read(base + "/version") if loaded else None,
            "version_installed": info.get("version"),
            "srcversion_loaded": machine.read(base + "/srcversion") if loaded else None,
            "srcversion_installed": info.get("srcversion"),
            "file": info.get("filename"),
            "licence": info.get("license"),
            "signer": info.get("signer") or None,
            "signed": bool(info.get("sig_id") or info.get("signer")) if info else None,
            # E: loaded without a valid signature, O: built outside the kernel, P: proprietary.
            "taint": machine.read(base + "/taint") if loaded else None,
        }
    return result


def _modinfo(machine):
    """One call for all: blocks that start with ``filename:``; modules that do not exist are left out."""
    blocks = {}
    current = None
    for line in (machine.run("modinfo", *STACK) or "").splitlines():
        key, colon, value = line.partition(":")
        value = value.strip()
        if not colon:
            continue
        if key == "filename":
            current = {"filename": value}
            name = re.search(r"([^/]+?)\.ko(\.\w+)?$", value)
            if name:
                blocks[name.group(1).replace("-", "_")] = current
        elif key == "name" and current is not None:
            blocks.setdefault(value.replace("-", "_"), current)
        elif current is not None and key in ("version", "srcversion", "signer", "sig_id", "license"):
            current.setdefault(key, value)
    # Tell what is not there from what could not be asked.
    machine.failed_tools = {k: v for k, v in machine.failed_tools.items() if not k.startswith("modinfo ")}
    return blocks


def dkms(machine):
    """What DKMS built: ``nvidia/580.95.05, 6.8.0-48-generic, x86_64: installed``."""
    entries = []
    for line in (machine.run("dkms", "status") or "").splitlines():
        head, colon, state = line.rpartition(":")
        if not colon:
            continue
        parts = [part.strip() for part in re.split(r"[,/]", head)]
        if len(parts) >= 2:
            entries.append(
                {
                    "module": parts[0],
                    "version": parts[1],
                    "kernel": parts[2] if len(parts) > 2 else None,
                    "state": state.strip().split()[0] if state.strip() else None,
                }
            )
    return entries


def headers(machine, release):
    """Whether the headers of the running kernel are there, which DKMS needs."""
    return machine.exists(f"/lib/modules/{release}/build/Makefile")


def rdma_stack(machine):
    """``MLNX_OFED_LINUX-24.10-0.7.0.0:`` or ``OFED-internal-26.01-1.0.0:``; None with the inbox stack."""
    output = machine.run("ofed_info", "-s")
    return output.strip().rstrip(":") if output else None
