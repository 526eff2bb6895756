# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""KVM where it works, else translation of instructions (TCG).

/dev/kvm can be there and usable and still not run a guest: under nested virtualisation firmware hangs, and where it
comes from the module kvm_pvm it runs only kernels that were built for that. So the kernel of the image is started once
and has to say so in time. The answer holds until this machine boots again.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from lab.hosts.image import Image

PROBE_SECONDS = 10
SIGN = b"lab-probe-ok"


def choose(image: Image, device: Path = Path("/dev/kvm"), probe: Callable[[Image], bool] | None = None) -> str:
    """``kvm`` or ``tcg``."""
    if not os.access(device, os.R_OK | os.W_OK):
        return "tcg"
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    answer = image.folder / f"accelerator-{boot}"
    if not answer.exists():
        answer.write_text("kvm" if (probe or _runs)(image) else "tcg")
    return answer.read_text()


def _runs(image: Image) -> bool:
    command = ["qemu-system-x86_64", "-nodefaults", "-display", "none", "-no-reboot", "-machine", "q35", "-m", "512M"]
    command += ["-accel", "kvm", "-cpu", "host", "-serial", "stdio"]
    command += ["-kernel", str(image.kernel), "-initrd", str(image.initrd), "-append", "console=ttyS0 quiet lab.probe"]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PROBE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return SIGN in done.stdout
