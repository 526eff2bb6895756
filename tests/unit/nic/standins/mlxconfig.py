# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-in for mlxconfig (and mstconfig) and mlxfwreset: their tables, errors and columns, on the stand-in card.

Written after Mellanox/mstflint mlxconfig/mlxcfg_ui.cpp and small_utils/mlxfwresetlib/cmd_reg_mfrl.py.
"""

from __future__ import annotations

import re

ADVANCED = ("MAX_ACC_OUT_READ", "PCI_WR_ORDERING", "ATS_ENABLED")
# The tool knows them; BlueField has one, cards with InfiniBand the other.
OF_OTHERS = ("INTERNAL_CPU_MODEL", "LINK_TYPE_P1")


def main(card, words):
    """(exit status, stdout, stderr)."""
    words, device, yes, verbose = list(words), None, False, False
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option == "-d":
            device = words.pop(0)
        elif option == "-e":
            verbose = True
        elif option == "-y":
            yes = True
        else:
            return 1, "", f"-E- Unknown argument: {option}\n"
    firmware = card.data["firmware"].get(device)
    if firmware is None:
        return 1, "", "-E- Failed to open the device\n"
    verb = words.pop(0) if words else ""
    if verb in ("q", "query"):
        return _query(firmware, device, words, verbose)
    if verb == "set":
        return _set(firmware, device, words, yes)
    return 1, "", "-E- No command found\n"


def _opening(device):
    return (
        f"\nDevice #1:\n----------\n\n{'Device type:':20}{'ConnectX7':20}\n{'Name:':20}{'MCX75310AAS-NEA_Ax':20}\n"
        f"{'Description:':20}NVIDIA ConnectX-7 HHHL adapter card; 400GbE; single-port OSFP; PCIe 5.0 x16\n"
        f"{'Device:':20}{device:20}\n\n"
    )


def _visible(firmware, name):
    base = name.split("[")[0]
    if base not in firmware and name not in firmware:
        return False
    shown = firmware["ADVANCED_PCI_SETTINGS"]["next"] in ("1", "True(1)")
    return shown or base not in ADVANCED


def _refusal(firmware, name):
    """What the tool says of a name that cannot be shown or set; errors go to standard output."""
    base = name.split("[")[0]
    if base in firmware or base in OF_OTHERS:
        return f"-E- The Device doesn't support {name} parameter\n"
    return f"-E- Failed to find Param / TLV with name '{name}' port 0 module -1\n"


def _query(firmware, device, names, verbose):
    table = []
    for name in names or [n for n in firmware if _visible(firmware, n)]:
        spread = re.match(r"^(\w+)\[(\d+)\.\.(\d+)\]$", name)
        for one in [f"{spread[1]}[{n}]" for n in range(int(spread[2]), int(spread[3]) + 1)] if spread else [name]:
            base, index = (one.split("[")[0], int(one.split("[")[1][:-1])) if "[" in one else (one, None)
            entry = firmware.get(base)
            if entry is None or not _visible(firmware, base):
                return 3, _opening(device) + _refusal(firmware, one), ""
            cells = [entry[column] for column in ("default", "current", "next")]
            if index is not None:
                cells = [cell[index] for cell in cells]
            elif isinstance(cells[0], list):
                cells = [f"Array[0..{len(cells[0]) - 1}]"] * 3
            table.append((one, cells, entry.get("ro", False)))
    # Without -e only the next boot is told; firmware that cannot tell the others prints the columns that it can.
    columns = [True, True, True] if verbose else [False, False, True]
    titles = [t for t, on in zip(("Default", "Current", "Next Boot"), columns, strict=True) if on]
    text = _opening(device) + f"{'Configurations:':56}" + " ".join(f"{t:30}" for t in titles) + "\n"
    star = False
    for name, cells, read_only in table:
        differs = verbose and (cells[2] != cells[0] or cells[2] != cells[1])
        star = star or differs
        shown = [cell for cell, on in zip(cells, columns, strict=True) if on]
        text += (
            f"{'*' if differs else ' '}{'RO' if read_only else '  '}     {name:48}"
            + "".join(f"{c:30}" for c in shown)
            + "\n"
        )
    if star:
        text += "The '*' shows parameters with next value different from default/current value.\n"
    return 0, text, ""


def _set(firmware, device, pairs, yes):
    if not yes:
        return 1, "", "Apply new Configuration? (y/n) [n] : Aborted by user\n"
    for pair in pairs:
        name, _, value = pair.partition("=")
        base, index = (name.split("[")[0], int(name.split("[")[1][:-1])) if "[" in name else (name, None)
        if not _visible(firmware, base):
            return 3, _opening(device) + _refusal(firmware, name), ""
        entry = firmware[base]
        words = {word.lower(): f"{word}({number})" for number, word in entry.get("words", {}).items()}
        by_number = {number: f"{word}({number})" for number, word in entry.get("words", {}).items()}
        new = words.get(value.lower(), by_number.get(value, value if not words else None))
        if new is None or not re.match(r"^\w+(\(\d+\))?$", new):
            return 3, _opening(device) + f"-E- Unknown value {value}\n", ""
        if index is None:
            entry["next"] = new
        else:
            entry["next"][index] = new
    return 0, _opening(device) + "Applying... Done!\n-I- Please reboot machine to load new configurations.\n", ""


def reset(card, words):
    """mlxfwreset -d DEVICE query | mlxfwreset -d DEVICE -l LEVEL -y reset."""
    words = list(words)
    if len(words) < 3 or words[0] != "-d" or words[1] not in card.data["firmware"]:
        return 1, "", "-E- Failed to open the device\n"
    device, rest = words[1], words[2:]
    levels = card.data.get("reset_levels", {"0": False, "1": False, "3": True, "4": True})
    names = {
        "0": 'Driver, PCI link, network link will remain up ("live-Patch")',
        "1": 'Only ARM side will not remain up ("Immediate reset").',
        "3": "Driver restart and PCI reset",
        "4": "Warm Reboot",
    }
    if rest == ["query"]:
        lines = [f"{n}: {names[n]:<62}-{'Supported' if can else 'Not Supported':<14}" for n, can in levels.items()]
        types = f"0: {'Full chip reset':<62}-Supported     (default)\n3: {'ARM only reset':<62}-Not Supported\n"
        listed = "Reset-levels:\n" + "\n".join(lines)
        return 0, f"\n{listed}\n\nReset-types (relevant only for reset-levels 1,3,4):\n{types}\n", ""
    if len(rest) == 4 and rest[0] == "-l" and rest[2:] == ["-y", "reset"]:
        if not levels.get(rest[1]):
            return 1, "", f"-E- Reset-level '{rest[1]}' is not supported in the current state of this device\n"
        card_of = device.rsplit(".", 1)[0]
        for other, firmware in card.data["firmware"].items():
            if other.startswith(card_of):
                for entry in firmware.values():
                    entry["current"] = list(entry["next"]) if isinstance(entry["next"], list) else entry["next"]
        return 0, "-I- Sending Reset Command To Fw             -Done\n-I- FW was loaded successfully.\n", ""
    return 1, "", "-E- invalid arguments\n"
