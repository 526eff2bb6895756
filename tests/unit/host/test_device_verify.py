# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The judge of the run on GPUs, on the log of a real all-reduce on two H200."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.device.verify import check_nccl, check_without, reported, settings

LOG = (Path(__file__).parent / "fixtures/h200-allreduce.log").read_text()
CONF = {"NCCL_DEBUG": "INFO", "NCCL_SOCKET_IFNAME": "lo", "NCCL_MIN_NCHANNELS": "8"}


def test_what_nccl_reports():
    found = reported(LOG)
    assert found["NCCL_SOCKET_IFNAME"] == {"lo"}
    assert found["NCCL_MIN_NCHANNELS"] == {"8"}


def test_a_run_that_took_our_settings():
    assert check_nccl(LOG, CONF) == []


@pytest.mark.parametrize(
    ("conf", "problem"),
    [
        ({"NCCL_MIN_NCHANNELS": "4"}, "NCCL_MIN_NCHANNELS: expected NCCL to report 4, it reports 8"),
        ({"NCCL_IB_TC": "104"}, "NCCL_IB_TC: expected NCCL to report 104, it reports nothing"),
        ({"NCCL_SOCKET_IFNAME": "=eth0"}, "expected bootstrap over eth0"),
        ({"NCCL_MAX_NCHANNELS": "4"}, "channels: expected 8 to 4, found [8, 8]"),
    ],
)
def test_a_run_that_did_not(conf: dict[str, str], problem: str):
    assert problem in "; ".join(check_nccl(LOG, {**CONF, **conf}))


def test_a_run_that_did_not_end():
    log = "\n".join(line for line in LOG.splitlines() if "busbw" not in line)
    assert check_nccl(log, CONF) == ["expected an all-reduce that ends, found none"]


def test_settings_that_did_not_come_from_the_file():
    assert check_without(LOG, {"NCCL_MIN_NCHANNELS": "8"}) == ["NCCL_MIN_NCHANNELS: reported without the file"]
    assert check_without(LOG, {"NCCL_MAX_NCHANNELS": "16"}) == []


def test_the_file_as_nccl_reads_it():
    assert settings("# a\nNCCL_SOCKET_IFNAME==lo\n\nNCCL_DEBUG=INFO\n") == {
        "NCCL_SOCKET_IFNAME": "=lo",
        "NCCL_DEBUG": "INFO",
    }
