# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every check has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.fabric import Device, Fabric, FabricPort
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.finding import Finding, Severity
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.hosts import HostNic, HostState


class Check(ABC):
    """One question about the fabric.

    A new check is one new file in ``checks/`` with one subclass. Its docstring says what it reads, and where its
    limits come from. Each comparison is announced with :meth:`told`, so that a value that a platform does not tell
    is counted and never taken for health.
    """

    name: ClassVar[str]
    severity: ClassVar[Severity] = "error"

    def __init__(self) -> None:
        self.checked = 0
        self.not_checked = 0

    @abstractmethod
    def run(self, fabric: Fabric) -> Iterator[Finding]:
        """What is not as it should be."""

    def told(self, *values: Any) -> bool:
        """Whether all values are known; counts the comparison as made or as not possible."""
        if None in values:
            self.not_checked += 1
            return False
        self.checked += 1
        return True

    def links(self, fabric: Fabric) -> Iterator[tuple[FabricPort, FabricPort]]:
        """Both ends of every link; links whose far switch is not looked at are counted as not checked."""
        for link in fabric.links:
            if link.b is None:
                self.not_checked += 1
            else:
                yield link.a, link.b

    def finding(
        self,
        where: FabricPort | HostNic | Device | HostState,
        *,
        expected: object,
        actual: object,
        why: str,
        remedy: str,
        severity: Severity | None = None,
    ) -> Finding:
        """A finding of this check."""
        port = where.name if isinstance(where, (FabricPort, HostNic)) else ""
        device = where.device.name if isinstance(where, (FabricPort, HostNic)) else where.name
        return Finding(self.name, severity or self.severity, device, port, str(expected), str(actual), why, remedy)
