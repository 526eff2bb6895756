# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which versions go together: rows of matrix.yml against the stack that a host would have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.software.versions import in_range

FILE = Path(__file__).with_name("matrix.yml")
# What rows may speak of. Several values: a host may have NICs and GPUs of several kinds.
PARTS = {
    "distribution": "distribution",
    "architecture": "architecture",
    "kernel": "kernel",
    "secure_boot": "Secure Boot",
    "nic": "NIC",
    "gpu": "GPU",
    "rdma": "RDMA stack",
    "doca": "DOCA",
    "mlnx_ofed": "MLNX_OFED",
    "driver": "NVIDIA driver",
    "modules": "NVIDIA kernel modules",
    "cuda": "CUDA",
    "nccl": "NCCL",
    "gdrcopy": "GDRCopy",
    "gpudirect": "GPUDirect",
    "peer_memory_api": "peer memory interface of the RDMA stack",
}
Stack = Mapping[str, tuple[str, ...]]


class MatrixError(ValueError):
    """A matrix that cannot be read."""


@dataclass(frozen=True)
class Row:
    """Where all of ``when`` is so, all of ``needs`` has to be so."""

    name: str
    when: Mapping[str, str | list[str]]
    needs: Mapping[str, str | list[str]]
    why: str
    remedy: str
    source: str
    severity: Literal["error", "warning"] = "error"
    confirmed: bool = True

    def __post_init__(self) -> None:
        for part in (*self.when, *self.needs):
            if part not in PARTS:
                raise MatrixError(f"row '{self.name}': expected one of {', '.join(PARTS)}, found '{part}'")


@dataclass(frozen=True)
class Conflict:
    """Two parts that do not go together."""

    name: str
    severity: Literal["error", "warning"]
    expected: str
    actual: str
    why: str
    remedy: str
    source: str = ""

    def __str__(self) -> str:
        source = f"; source: {self.source}" if self.source else ""
        return f"{self.name}: expected {self.expected}, found {self.actual}: {self.why} ({self.remedy}{source})"


def load(extra: Iterable[Mapping[str, Any]] = (), file: Path = FILE) -> list[Row]:
    """Rows of the data file, and of the site; a site's row replaces one of the same name."""
    rows = {}
    for entry in [*_entries(file), *extra]:
        try:
            row = Row(**entry)
        except TypeError as error:
            raise MatrixError(
                f"row '{entry.get('name', entry)}': {str(error).replace('Row.__init__() ', '')}"
            ) from None
        rows[row.name] = row
    return list(rows.values())


@cache
def _entries(file: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load(file.read_text()))


def conflicts(rows: list[Row], stack: Stack) -> Iterator[Conflict]:
    """Every row that the stack breaks. A part that the stack does not have breaks nothing."""
    for row in rows:
        if not all(any(_fits(value, wanted) for value in stack.get(part, ())) for part, wanted in row.when.items()):
            continue
        for part, wanted in row.needs.items():
            for value in stack.get(part, ()):
                if not _fits(value, wanted):
                    yield _conflict(row, part, wanted, value, stack)


def _fits(value: str, wanted: str | list[str]) -> bool:
    return any(in_range(value, one) for one in ([wanted] if isinstance(wanted, str) else wanted))


def _conflict(row: Row, part: str, wanted: str | list[str], value: str, stack: Stack) -> Conflict:
    context = " and ".join(f"{PARTS[name]} {', '.join(stack[name])}" for name in row.when)
    options = wanted if isinstance(wanted, str) else " or ".join(wanted)
    why = row.why if row.confirmed else f"{row.why} [not confirmed by a public source]"
    return Conflict(
        row.name,
        row.severity,
        f"{PARTS[part]} {options} with {context}",
        f"{PARTS[part]} {value}",
        why,
        row.remedy,
        row.source,
    )
