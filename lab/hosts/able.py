# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m lab.hosts.able``: why this machine does not run lab hosts within minutes; nothing where it does."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from lab.hosts import accelerator, image, needs

SLOW = "translates every instruction, so that hosts take half an hour: make demo-hosts, if you have the time"


def reason(device: Path = Path("/dev/kvm"), choose: Callable[[], str] | None = None) -> str:
    """One line, empty where hosts run at full speed."""
    try:
        needs.check()
    except needs.HostsError as exc:
        return str(exc)
    if not os.access(device, os.R_OK | os.W_OK):
        return f"no access to {device}; without KVM QEMU {SLOW}"
    if (choose or (lambda: accelerator.choose(image.get(say=lambda _: None))))() != "kvm":
        return f"{device} starts no guest here; without KVM QEMU {SLOW}"
    return ""


if __name__ == "__main__":
    print(reason())
