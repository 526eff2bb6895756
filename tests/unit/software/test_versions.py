# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions and ranges."""

from __future__ import annotations

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.software.versions import (
    RangeError,
    compare,
    in_range,
    is_version,
    newest,
)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("580.65.06", "580.126.20"),
        ("5.15.0-130-generic", "6.8.0-48-generic"),
        ("4.18.0-553.el8_10.x86_64", "5.12"),
        ("4.18.0-553.el8_10.x86_64", "4.18.0-553.8.1.el8_10.x86_64"),
        ("5.14.0-503.el9.x86_64", "5.14.0-503.9.1.el9_5.x86_64"),
        ("24.04-0.6.6.0", "24.10-0.7.0.0"),
        ("2.5", "2.5.1"),
        ("9:1.0", "1.1"),
    ],
)
def test_order(low, high):
    assert compare(low, high) < 0 < compare(high, low)


def test_missing_numbers_are_zero():
    assert compare("13", "13.0.0") == 0
    assert newest(["6.1.0-9-amd64", "6.1.0-10-amd64"]) == "6.1.0-10-amd64"
    assert newest([]) is None


@pytest.mark.parametrize(
    ("installed", "wanted", "same"),
    [
        ("580.126.20-1ubuntu1", "580.126.20", True),
        ("3:580.126.20-1.el9", "580.126.20", True),
        ("580.126.201-1", "580.126.20", False),
        ("580.126.2-1", "580.126.20", False),
        ("24.10-0.7.0.0.1.2410070", "24.10-0.7.0.0", True),
        ("2.28.9-1+cuda13.0", "2.28.9-1+cuda13.*", True),
        ("2.28.9-1+cuda12.9", "2.28.9-1+cuda13.*", False),
        ("anything", "", True),
    ],
)
def test_version_of_a_package(installed, wanted, same):
    assert is_version(installed, wanted) is same


def test_ranges():
    assert in_range("580.126.20", ">=580.65.06,<600")
    assert not in_range("600.1", ">=580.65.06,<600")
    assert in_range("open", "open") and not in_range("proprietary", "open")
    with pytest.raises(RangeError, match="expected a range such as"):
        in_range("580", "~>580")
