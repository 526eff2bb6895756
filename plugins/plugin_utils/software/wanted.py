# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one role wants a host to have: plain data, complete, independent of what is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.software.matrix import Conflict

PLATFORMS = Path(__file__).with_name("platforms.yml")
MANAGED = "# Managed by Ansible (collection lossless.fabric): changes are overwritten.\n"
PIN_PRIORITY = 1001  # above this apt also downgrades: the version of the variable, not the newest
# Architecture in the URL of a vendor's repository, by that of the kernel.
ARCHITECTURES = {
    "x86_64": {"cuda": "x86_64", "doca": "x86_64", "mlnx_ofed": "x86_64", "gdrcopy": "x86_64"},
    "aarch64": {"cuda": "sbsa", "doca": "arm64-sbsa", "mlnx_ofed": "aarch64", "gdrcopy": "aarch64"},
}


class NotSupported(ValueError):
    """A distribution or a choice that the roles do not know."""


@cache
def _platforms() -> dict[str, Any]:
    return dict(yaml.safe_load(PLATFORMS.read_text()))


@dataclass(frozen=True)
class Platform:
    """A distribution on a host."""

    key: str
    version: str
    architecture: str
    kernel: str
    data: Mapping[str, Any]

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Platform:
        """From the facts; an unknown distribution is refused by name."""
        known = _platforms()
        found = facts["distribution"]
        if found["key"] not in known:
            raise NotSupported(
                f"expected one of {', '.join(known)}, found {found['name'] or found['key']} (install by other means)"
            )
        if facts["architecture"] not in ARCHITECTURES:
            raise NotSupported(f"expected one of {', '.join(ARCHITECTURES)}, found {facts['architecture']}")
        return cls(
            found["key"], found["version"], facts["architecture"], facts["kernel"]["running"], known[found["key"]]
        )

    @property
    def apt(self) -> bool:
        """Whether packages are Debian's."""
        return bool(self.data["manager"] == "apt")

    def names(self, kind: str) -> list[str]:
        """Package or module names of a kind."""
        return list(self.data[kind])

    @cached_property
    def headers(self) -> str:
        """Package with the headers of the running kernel."""
        return str(self.data["headers"]).format(kernel=self.kernel)

    @cached_property
    def initramfs(self) -> list[str]:
        """Command that writes the initramfs of the running kernel again."""
        return [part.format(kernel=self.kernel) for part in self.data["initramfs"]]

    def url(self, vendor: str, template: str, version: str = "") -> str:
        """URL with {platform}, {architecture} and {version} filled in."""
        word = self.data["repository"][vendor].format(version=self.version)
        return template.format(platform=word, architecture=ARCHITECTURES[self.architecture][vendor], version=version)


@dataclass(frozen=True)
class Repository:
    """A vendor's repository, or a mirror of it."""

    name: str
    url: str
    key_url: str
    fingerprints: Sequence[str]
    suite: str = "./"  # flat, as the vendors' are; apt only

    def __post_init__(self) -> None:
        for url in (self.url, self.key_url):
            if urlparse(url).password is not None:
                raise NotSupported(
                    f"repository {self.name}: expected a URL without password, found one at {urlparse(url).hostname}:"
                    " everybody could read it in the definition of the repository (let the mirror know its clients by"
                    " their address, or with apt write it to /etc/apt/auth.conf.d)"
                )

    def key_file(self, platform: Platform) -> str:
        """Where its key is kept; trusted for this repository alone."""
        if platform.apt:
            return f"/etc/apt/keyrings/lossless-{self.name}.gpg"
        return f"/etc/pki/rpm-gpg/RPM-GPG-KEY-lossless-{self.name}"

    def file(self, platform: Platform) -> tuple[str, str]:
        """Path and content of its definition."""
        key = self.key_file(platform)
        if platform.apt:
            lines = ["Types: deb", f"URIs: {self.url}", f"Suites: {self.suite}", f"Signed-By: {key}"]
            return f"/etc/apt/sources.list.d/lossless-{self.name}.sources", MANAGED + "\n".join(lines) + "\n"
        lines = [
            f"[lossless-{self.name}]",
            f"name={self.name} ({urlparse(self.url).netloc or 'local'})",
            f"baseurl={self.url}",
            "enabled=1",
            "gpgcheck=1",
            f"gpgkey=file://{key}",
            # Ours before the distribution's, also where that has a higher version (rdma-core).
            "priority=50",
        ]
        return f"/etc/yum.repos.d/lossless-{self.name}.repo", MANAGED + "\n".join(lines) + "\n"


@dataclass
class Wanted:
    """The state that a role stands for."""

    name: str  # in file names
    what: str  # in messages
    packages: dict[str, str] = field(default_factory=dict)  # name -> version or pattern; empty: any
    repositories: list[Repository] = field(default_factory=list)
    pins: dict[str, str] = field(default_factory=dict)  # name or pattern -> version, also of what packages depend on
    pin_lines: str = ""  # further text of the apt preferences
    hold: bool = True
    hold_kernel: bool = False
    streams: dict[str, str] = field(default_factory=dict)  # dnf module -> stream
    files: dict[str, str] = field(default_factory=dict)  # path -> content
    initramfs_files: tuple[str, ...] = ()  # files that are copied into the initramfs
    services: list[str] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)  # kernel modules: loaded, in the installed version
    current: list[str] = field(default_factory=list)  # kernel modules: where loaded, in the installed version
    dkms: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    skip: str = ""  # why nothing is wanted on this host
    conflicts_with: dict[str, tuple[str, str]] = field(default_factory=dict)  # package: why it must go, and how
    unmet: list[Conflict] = field(default_factory=list)  # what has to be so before anything is installed
    nouveau: bool = True  # may it be loaded
