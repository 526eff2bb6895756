# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RDMA stack: the distribution's own, DOCA-OFED or MLNX_OFED."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.software.wanted import (
    MANAGED,
    Platform,
    Repository,
    Wanted,
)

FLAVOURS = ("inbox", "doca", "mlnx_ofed")
# The package that stands for a flavour.
META = {"doca": "doca-ofed", "mlnx_ofed": "mlnx-ofed-all"}
RDMA_MODULES = ("ib_core", "mlx5_core", "mlx5_ib")
# DOCA's repository has a DKMS of its own, older than the distribution's.
DISTRIBUTION_DKMS = "Package: dkms\nPin: release l=DOCA-HOST*\nPin-Priority: -1\n"
# RDMA registers memory by locking it: logins by pam_limits, services by systemd.
LIMITS = {
    "/etc/security/limits.d/90-lossless-rdma.conf": f"{MANAGED}* - memlock unlimited\nroot - memlock unlimited\n",
    "/etc/systemd/system.conf.d/90-lossless-rdma.conf": f"{MANAGED}[Manager]\nDefaultLimitMEMLOCK=infinity\n",
}


def installed_flavour(facts: Mapping[str, Any]) -> str:
    """Which flavour a host has."""
    for flavour, package in META.items():
        if package in facts["packages"]:
            return flavour
    return "mlnx_ofed" if (facts["rdma_stack"] or "").startswith("MLNX_OFED") else "inbox"


def build(settings: Mapping[str, Any], platform: Platform, facts: Mapping[str, Any]) -> Wanted:
    """The wanted state."""
    flavour = settings["flavour"]
    wanted = Wanted("rdma", "RDMA stack", hold=settings["hold"], hold_kernel=settings["hold_kernel"])
    wanted.files = dict(LIMITS)
    present = installed_flavour(facts)
    for other in META:
        if other != flavour:
            wanted.conflicts_with[META[other]] = (
                f"the host has {other} and {flavour} is wanted; one has to go completely before the other comes",
                "run /usr/sbin/ofed_uninstall.sh --force, remove the packages doca-* and mlnx-*, reboot, run again",
            )
    if flavour == "inbox":
        wanted.packages = dict.fromkeys(platform.names("inbox"), "")
        # The distribution updates its own; there is no version to hold.
        wanted.hold = False
        wanted.current = list(RDMA_MODULES) if present == "inbox" else []
        return wanted
    version = settings[f"{flavour}_version"]
    repository = settings["repositories"][flavour]
    wanted.repositories = [
        Repository(
            flavour.replace("_", "-"),
            platform.url(flavour, repository["url"], version),
            platform.url(flavour, repository["key_url"], version),
            repository["fingerprints"],
        )
    ]
    wanted.packages = {"dkms": "", META[flavour]: version}
    wanted.pins = {META[flavour]: version}
    if flavour == "doca" and platform.apt:
        wanted.pin_lines = DISTRIBUTION_DKMS
    # MLNX_OFED comes with modules built for the distribution's kernels on Red Hat, and with DKMS on Debian.
    if flavour == "doca" or platform.apt:
        wanted.dkms = platform.names("dkms_ofed")
    wanted.current = list(RDMA_MODULES)
    wanted.services = ["openibd"]
    return wanted
