# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stand-ins of mstconfig and mstfwreset that machines have, on a folder that stands for a machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from lab.hosts import image

NIC = "0000:03:00.0"
FOLDER = image.HERE / "guest" / "usr" / "local" / "bin"
FACTORY = "LLDP_NB_RX_MODE_P1 ALL(2) ALL(2) ALL(2)"


class Box:
    """A machine with one NIC and its driver, as files."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.driver = root / "sys/bus/pci/drivers/e1000e"
        for address, vendor in ((NIC, "0x15b3"), ("0000:04:00.0", "0x10de")):
            folder = root / "sys/bus/pci/devices" / address
            folder.mkdir(parents=True)
            (folder / "vendor").write_text(f"{vendor}\n")
        self.driver.mkdir(parents=True)
        (root / "sys/bus/pci/devices" / NIC / "driver").symlink_to(self.driver)
        self.boot("first")

    def boot(self, identity: str) -> None:
        place = self.root / "proc/sys/kernel/random/boot_id"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{identity}\n")

    def run(self, tool: str, *words: str, device: str = NIC, answer: str = "") -> tuple[int, str]:
        """Exit status and output. No compiled files beside the tools: they would be part of the image."""
        places = {"LAB_ROOT": str(self.root), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [str(FOLDER / tool), "-d", device, *words],
            env=os.environ | places, input=answer, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.stderr == "", done.stderr
        return done.returncode, done.stdout

    def value(self, name: str = "LLDP_NB_RX_MODE_P1") -> str:
        """Default, current and next boot of a setting."""
        status, said = self.run("mstconfig", "-e", "query", name)
        assert status == 0, said
        return " ".join(next(line for line in said.splitlines() if name in line).lstrip("*").split())


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path)


def test_a_value_waits_until_the_machine_has_booted(box: Box) -> None:
    assert box.value() == FACTORY
    status, said = box.run("mstconfig", "-y", "set", "LLDP_NB_RX_MODE_P1=off")
    assert status == 0 and said.endswith("Done!\n-I- Please reboot machine to load new configurations.\n")
    assert box.value() == "LLDP_NB_RX_MODE_P1 ALL(2) ALL(2) OFF(0)"
    box.boot("second")
    assert box.value() == "LLDP_NB_RX_MODE_P1 ALL(2) OFF(0) OFF(0)"
    assert box.run("mstconfig", "-y", "set", "LLDP_NB_RX_MODE_P1=1")[0] == 0
    assert box.value() == "LLDP_NB_RX_MODE_P1 ALL(2) OFF(0) MANDATORY(1)"


def test_a_reset_takes_the_driver_away_and_gives_it_back(box: Box) -> None:
    box.run("mstconfig", "-y", "set", "LLDP_NB_RX_MODE_P1=OFF")
    status, said = box.run("mstfwreset", "reset", answer="n\n")
    assert status == 1 and said.endswith("-E- Aborted by user.\n")
    assert not (box.driver / "unbind").exists() and "ALL(2) OFF(0)" in box.value()
    status, said = box.run("mstfwreset", "-l", "3", "-y", "reset")
    assert status == 0 and said.endswith("-I- FW was loaded successfully.\n")
    assert (box.driver / "unbind").read_text() == (box.driver / "bind").read_text() == NIC
    assert box.value() == "LLDP_NB_RX_MODE_P1 ALL(2) OFF(0) OFF(0)"
    status, said = box.run("mstfwreset", "-l", "0", "-y", "reset")
    assert status == 1 and "'0' is not supported in the current state of this device" in said


def test_a_setting_that_another_reveals(box: Box) -> None:
    status, said = box.run("mstconfig", "-e", "q", "MAX_ACC_OUT_READ")
    assert status == 3 and said.endswith("-E- The Device doesn't support MAX_ACC_OUT_READ parameter\n")
    assert "MAX_ACC_OUT_READ" not in box.run("mstconfig", "q")[1]
    box.run("mstconfig", "-y", "s", "ADVANCED_PCI_SETTINGS=True")
    assert box.value("MAX_ACC_OUT_READ") == "MAX_ACC_OUT_READ 0 0 0"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-e", "q", "NONE_SUCH"), "Failed to find Param / TLV with name 'NONE_SUCH' port 0 module -1"),
        (("-e", "q", "INTERNAL_CPU_MODEL"), "The Device doesn't support INTERNAL_CPU_MODEL parameter"),
        (("-y", "set", "SRIOV_EN=1", "LINK_TYPE_P1=TOKENRING"), "Unknown value TOKENRING"),
        (("-y", "set", "SRIOV_EN=1", "CNP_DSCP_P1=64"), "The value 64 is not valid,  as its size is 6 bits"),
        (("-y", "set", "SRIOV_EN=1", "SRIOV_EN=0"), "Duplicate parameter, SRIOV_EN."),
        (("-y", "set", "SRIOV_EN"), "Invalid Configuration argument SRIOV_EN"),
    ],
)
def test_what_is_refused_changes_nothing(box: Box, words: tuple[str, ...], said: str) -> None:
    status, output = box.run("mstconfig", *words)
    assert status == 3 and output.endswith(f"-E- {said}\n")
    assert box.value("SRIOV_EN") == "SRIOV_EN False(0) False(0) False(0)"


def test_nobody_said_yes(box: Box) -> None:
    status, said = box.run("mstconfig", "set", "SRIOV_EN=1", answer="\n")
    assert status == 2 and said.endswith("-E- Aborted by user.\n")
    assert box.value("SRIOV_EN") == "SRIOV_EN False(0) False(0) False(0)"


def test_only_a_nic_has_settings(box: Box) -> None:
    assert box.run("mstconfig", "q", device="0000:04:00.0") == (3, "-E- Failed to open the device\n")
    assert box.run("mstconfig", "q", device="03:00.0")[0] == 0
