# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firmware settings of the stand-in NICs: what mstconfig and mstfwreset of the lab read and change.

A stand-in for the non-volatile memory of a ConnectX-7. Of each NIC a file keeps what differs from the factory, for now
and for the next start. A value that is set waits; it is in effect when the machine has booted, which its boot id tells,
or when the NIC was reset. No setting changes what the NIC does.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

ROOT = Path(os.environ.get("LAB_ROOT", "/"))  # another one in tests
VENDOR = "0x15b3"

# Name, value as shipped, and what it may be: bits of a number, "bool", or words with their numbers. Names, sizes and
# words as in mstflint's mlxconfig_host.db. As shipped is by NICs of server vendors, whose LLDP is the firmware's.
PARAMETERS = """
MEMIC_BAR_SIZE                   0    5
MEMIC_SIZE_LIMIT                 1    DISABLED=0,_256KB=1,_512KB=2,_1024KB=3
ROCE_NEXT_PROTOCOL               254  8
NUM_PF_MSIX_VALID                1    bool
NUM_OF_VFS                       8    16
NUM_OF_PF                        1    8
SRIOV_EN                         0    bool
PF_LOG_BAR_SIZE                  5    6
VF_LOG_BAR_SIZE                  1    6
NUM_PF_MSIX                      63   10
CQE_COMPRESSION                  0    BALANCED=0,AGGRESSIVE=1
UCTX_EN                          1    bool
ROCE_ADAPTIVE_ROUTING_EN         0    bool
USER_PROGRAMMABLE_CC             0    bool
TX_SCHEDULER_LOCALITY_MODE       0    DEVICE_DEFAULT=0,STATIC_MODE=1,ACCUMULATIVE=2,DISABLED=3
ROCE_CC_STEERING_EXT             0    DEVICE_DEFAULT=0,DISABLED=1,ENABLED=2
MULTIPATH_DSCP                   0    DEVICE_DEFAULT=0,DISABLE=1,DSCP_0=2,DSCP_1=3,DSCP_2=4
LINK_TYPE_P1                     2    IB=1,ETH=2
ROCE_CC_PRIO_MASK_P1             255  8
CLAMP_TGT_RATE_AFTER_TIME_INC_P1 1    bool
CLAMP_TGT_RATE_P1                0    bool
RPG_TIME_RESET_P1                300  17
RPG_BYTE_RESET_P1                32767 15
RPG_THRESHOLD_P1                 1    5
RPG_MAX_RATE_P1                  0    19
RPG_AI_RATE_P1                   5    19
RPG_HAI_RATE_P1                  50   19
RPG_GD_P1                        11   4
RPG_MIN_DEC_FAC_P1               50   8
RPG_MIN_RATE_P1                  1    19
RATE_TO_SET_ON_FIRST_CNP_P1      0    19
DCE_TCP_G_P1                     1019 10
DCE_TCP_RTT_P1                   1    17
RATE_REDUCE_MONITOR_PERIOD_P1    4    17
INITIAL_ALPHA_VALUE_P1           1023 10
MIN_TIME_BETWEEN_CNPS_P1         4    17
CNP_802P_PRIO_P1                 6    3
CNP_DSCP_P1                      48   6
LLDP_NB_DCBX_P1                  1    bool
LLDP_NB_RX_MODE_P1               2    OFF=0,MANDATORY=1,ALL=2
LLDP_NB_TX_MODE_P1               2    OFF=0,MANDATORY=1,ALL=2
ROCE_RTT_RESP_DSCP_P1            0    6
ROCE_RTT_RESP_DSCP_MODE_P1       0    DEVICE_DEFAULT=0,FIXED_VALUE=1,RX_PACKET=2
DCBX_IEEE_P1                     1    bool
DCBX_CEE_P1                      1    bool
DCBX_WILLING_P1                  1    bool
KEEP_ETH_LINK_UP_P1              1    bool
KEEP_LINK_UP_ON_BOOT_P1          0    bool
NUM_OF_TC_P1                     0    _8_TCs=0,_1_TC=1,_2_TCs=2,_3_TCs=3,_4_TCs=4,_5_TCs=5,_6_TCs=6,_7_TCs=7
NUM_OF_PFC_P1                    8    4
ROCE_CONTROL                     2    DEVICE_DEFAULT=0,ROCE_DISABLE=1,ROCE_ENABLE=2
PCI_WR_ORDERING                  0    per_mkey=0,force_relax=1
ATS_ENABLED                      0    bool
ADVANCED_PCI_SETTINGS            0    bool
MAX_ACC_OUT_READ                 0    16
"""
# Shown and set only while the other one is on for the next start.
HIDDEN = {"MAX_ACC_OUT_READ": "ADVANCED_PCI_SETTINGS"}
# The tool knows them, other NICs have them.
OF_OTHERS = ("INTERNAL_CPU_MODEL", "INTERNAL_CPU_OFFLOAD_ENGINE", "NUM_OF_VL_P1")


class Refused(Exception):
    """What a tool says when it does nothing."""


class Parameter:
    """One setting: its factory value, and its values in numbers and words."""

    def __init__(self, name: str, factory: str, kind: str) -> None:
        self.name, self.factory = name, int(factory)
        self.bits = int(kind) if kind.isdigit() else 0
        pairs = "False=0,True=1" if kind == "bool" else kind
        self.words = {} if self.bits else {int(n): word for word, n in (pair.split("=") for pair in pairs.split(","))}

    def text(self, number: int) -> str:
        return f"{self.words[number]}({number})" if self.words else str(number)

    def number(self, text: str) -> int:
        """The value that somebody wrote as a number or a word."""
        try:
            number = int(text, 0)
        except ValueError:
            found = [n for n, word in self.words.items() if word.lower() == text.lower()]
            if not found:
                raise Refused(f"Unknown value {text}" if self.words else "Cannot parse the value") from None
            return found[0]
        if self.words and number not in self.words:
            raise Refused(f"Unknown value {text}")
        if self.bits and not 0 <= number < 1 << self.bits:
            raise Refused(f"The value {text} is not valid,  as its size is {self.bits} bits")
        return number


KNOWN = {row[0]: Parameter(*row) for row in map(str.split, PARAMETERS.strip().splitlines())}


class Nic:
    """Settings of one NIC, by its PCI address."""

    def __init__(self, given: str) -> None:
        self.pci = given if given.count(":") == 2 else f"0000:{given}"
        self.folder = ROOT / "sys/bus/pci/devices" / self.pci
        vendor = self.folder / "vendor"
        if not vendor.exists() or vendor.read_text().strip() != VENDOR:
            raise Refused("Failed to open the device")
        self._file = ROOT / "var/lib/lab/firmware" / self.pci
        self._boot = (ROOT / "proc/sys/kernel/random/boot_id").read_text().strip()
        kept = json.loads(self._file.read_text()) if self._file.exists() else {"boot": "", "current": {}, "next": {}}
        self._next = kept["next"]
        self._current = kept["current" if kept["boot"] == self._boot else "next"]

    def parameter(self, name: str) -> Parameter:
        found = KNOWN.get(name)
        if found is None and name not in OF_OTHERS:
            raise Refused(f"Failed to find Param / TLV with name '{name}' port 0 module -1")
        if found is None or not self.shows(found):
            raise Refused(f"The Device doesn't support {name} parameter")
        return found

    def shows(self, parameter: Parameter) -> bool:
        needed = HIDDEN.get(parameter.name)
        return needed is None or bool(self.next(KNOWN[needed]))

    def current(self, parameter: Parameter) -> int:
        return self._current.get(parameter.name, parameter.factory)

    def next(self, parameter: Parameter) -> int:
        return self._next.get(parameter.name, parameter.factory)

    def set(self, values: dict[str, int]) -> None:
        """Keep values for the next start."""
        self._keep(self._current, self._next | values)

    def start(self) -> None:
        """The firmware starts anew."""
        self._keep(self._next, self._next)

    def _keep(self, current: dict[str, int], following: dict[str, int]) -> None:
        self._current, self._next = dict(current), dict(following)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        new = self._file.with_name(f"{self.pci}.new")
        new.write_text(json.dumps({"boot": self._boot, "current": self._current, "next": self._next}))
        new.replace(self._file)
