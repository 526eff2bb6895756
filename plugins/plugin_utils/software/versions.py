# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions of packages, kernels and drivers: compared by their numbers, left to right."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from itertools import zip_longest

OPERATORS = {
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
}


class RangeError(ValueError):
    """A range that cannot be read."""


def upstream(version: str) -> str:
    """Without epoch: ``3:580.126.20-1.el9`` is ``580.126.20-1.el9``."""
    return re.sub(r"^\d+:", "", version)


def numbers(version: str) -> list[int]:
    """``24.10-0.7.0.0`` is 24, 10, 0, 7, 0, 0. ``.el8_10`` names the distribution and is no part of the version:
    ``4.18.0-553.el8_10`` is older than ``4.18.0-553.8.1.el8_10``."""
    plain = re.split(r"\.el\d", upstream(version))[0]
    return [int(part) for part in re.findall(r"\d+", plain)]


def compare(one: str, other: str) -> int:
    """Below, at or above zero; missing numbers are zero."""
    for a, b in zip_longest(numbers(one), numbers(other), fillvalue=0):
        if a != b:
            return a - b
    return 0


def newest(versions: list[str]) -> str | None:
    """The highest; None of none."""
    best = None
    for version in versions:
        if best is None or compare(version, best) > 0:
            best = version
    return best


def is_version(installed: str, wanted: str) -> bool:
    """Whether a package version is the wanted one: ``580.126.20-1ubuntu1`` is 580.126.20, ``580.126.201-1`` is not.
    With an asterisk ``wanted`` is a pattern."""
    have = upstream(installed)
    if "*" in wanted:
        return fnmatchcase(have, wanted)
    return not wanted or (have.startswith(wanted) and not have[len(wanted) : len(wanted) + 1].isdigit())


def in_range(version: str, ranges: str) -> bool:
    """``>=580.65.06,<600``: all have to hold. Anything else is taken as an exact word (``open``, ``ubuntu24.04``)."""
    return all(_holds(version, part.strip()) for part in ranges.split(","))


def _holds(version: str, condition: str) -> bool:
    found = re.match(r"^(>=|<=|==|>|<)\s*(\S+)$", condition)
    if not found:
        if re.search(r"[<>=]", condition):
            raise RangeError(f"expected a range such as '>=580.65.06,<600' or a word, found '{condition}'")
        return version == condition
    return OPERATORS[found.group(1)](compare(version, found.group(2)), 0)
