# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firmware settings through mlxconfig or mstconfig: query, compare with next boot, set.

Facts of the tool (Mellanox/mstflint, mlxconfig/mlxcfg_ui.cpp): the columns after Configurations: are those that the
firmware can tell (Default and Current may be missing), a line that differs starts with *, a read-only one with RO, a
value is NUMBER, WORD(NUMBER), N/A or Array[0..7]; one unknown name fails the whole query. Words differ by release, the
number in brackets does not. A name that the tool has not in its database ("Unknown Parameter", since 4.34 "Failed to
find Param") is another thing than one that this NIC lacks ("The Device doesn't support").
"""

from __future__ import annotations

import re

from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem, Unsupported

TOOLS = ("mlxconfig", "mstconfig")
RESET_TOOLS = {"mlxconfig": "mlxfwreset", "mstconfig": "mstfwreset"}
WORD = re.compile(r"^(.*)\((-?\w+)\)$")
ARRAY = re.compile(r"^Array\[(\d+)\.\.(\d+)\]$")
NAME = r"'?([A-Z][A-Z0-9_]*(?:\[[\d.]+\])?)"
UNKNOWN = re.compile(r"(?:Unknown Parameter:?|Failed to find Param .*?(?:with name|out of range:))\s+" + NAME)
LACKING = re.compile(r"doesn't support\s+" + NAME)
INDEX = re.compile(r"\[[\d.]+\]$")
TRUTH = {"true": "1", "false": "0", "yes": "1", "no": "0", "on": "1", "off": "0"}


class Value:
    """One value as printed: number (text, None where it has none) and word."""

    def __init__(self, text):
        self.text = text
        match = WORD.match(text)
        self.word, self.number = (match.group(1), match.group(2)) if match else (None, text)
        if text == "N/A":
            self.number = None

    def means(self, want):
        """Whether the value is the wanted one, given as number, boolean or word."""
        text = plain(want)
        if self.word is not None and text.lower() == self.word.lower():
            return True
        if text.lower() in TRUTH and self.word is not None and self.word.lower() in ("true", "false"):
            text = TRUTH[text.lower()]
        return self.number is not None and (text == self.number or _number(text) == _number(self.number) is not None)

    def __repr__(self):
        return self.text


def _number(text):
    try:
        return int(str(text), 0)
    except ValueError:
        return None


def plain(want):
    """A wanted value as mlxconfig takes it."""
    if isinstance(want, bool):
        return "1" if want else "0"
    return str(want).strip()


class Parameter:
    """One line of a query. default and current are None where the firmware does not tell them."""

    def __init__(self, name, columns, values, read_only=False):
        told = dict.fromkeys(("default", "current", "next"))
        for number, column in enumerate(columns):
            told[column] = Value(values[number])
        self.name, self.read_only = name, read_only
        self.default, self.current, self.next = told["default"], told["current"], told["next"]

    @property
    def array(self):
        """(first, last) index where the line only says that there is an array."""
        match = ARRAY.match(self.next.text)
        return (int(match.group(1)), int(match.group(2))) if match else None

    @property
    def pending(self):
        """Whether a reset would change the value."""
        return self.current is not None and self.current.text != self.next.text and self.array is None

    def facts(self):
        return {
            "default": self.default.text if self.default else None,
            "current": self.current.text if self.current else None,
            "next": self.next.text,
        }


def parse(text):
    """Parameters of a query by name, and the header's facts (device type, name, description)."""
    parameters, header, columns = {}, {}, None
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("Configurations:"):
            words = line.split(":", 1)[1]
            columns = [
                c
                for c, title in (("default", "Default"), ("current", "Current"), ("next", "Next Boot"))
                if title in words
            ]
            continue
        if columns is None:
            if ":" in line:
                title, value = line.split(":", 1)
                header[title.strip().lower()] = value.strip()
            continue
        words = line.lstrip("*").split()
        read_only = bool(words) and words[0] == "RO"
        words = words[1:] if read_only else words
        if len(words) == len(columns) + 1 and re.match(r"^[A-Z][A-Z0-9_]*(\[\d+\])?$", words[0]):
            parameters[words[0]] = Parameter(words[0], columns, words[1:], read_only)
    return parameters, header


class Mlxconfig:
    """Firmware settings of one device."""

    def __init__(self, system, device):
        self.system, self.device = system, device
        self.tool = next((tool for tool in TOOLS if system.tool(tool)), None)
        self.header = {}
        self.unknown = set()  # names that the tool has never heard of

    @property
    def available(self):
        return self.tool is not None

    def query(self, names=()):
        """Parameters by name; a name that the device does not have is missing. No names: all there are."""
        if not self.available:
            raise Unsupported(
                "neither mlxconfig nor mstconfig is installed", "install mstflint (or MFT, which brings mlxconfig)"
            )
        asked = list(dict.fromkeys(names))
        while True:
            done = self.system.run(self.tool, "-d", self.device, "-e", "q", *asked)
            # Some settings unreadable: the table is there for the others.
            if done.rc == 0 or "Failed to query some of the TLVs" in done.out + done.err:
                break
            unknown = UNKNOWN.search(done.out + done.err)
            found = unknown or LACKING.search(done.out + done.err)
            name = found.group(1) if found else None
            refused = [one for one in asked if name and INDEX.sub("", one) == INDEX.sub("", name)]
            if not refused:
                raise Problem(
                    f"the firmware settings of {self.device}",
                    done.said(),
                    done.command,
                    "see that the device is a ConnectX",
                )
            asked = [one for one in asked if one not in refused]
            if unknown:
                self.unknown.update(refused)
            if not asked:
                return {}
        parameters, self.header = parse(done.out)
        if not parameters:
            raise Problem("a table of Configurations", "none", done.command, "update mstflint or MFT")
        return self._arrays(parameters, asked)

    def _arrays(self, parameters, asked):
        """Elements of the arrays that were asked for by name."""
        arrays = [p for p in parameters.values() if p.array and p.name in asked]
        if not arrays:
            return parameters
        ranges = [f"{p.name}[{p.array[0]}..{p.array[1]}]" for p in arrays]
        done = self.system.run(self.tool, "-d", self.device, "-e", "q", *ranges)
        if done.rc:
            raise Problem("the elements of an array", done.said(), done.command, "update mstflint or MFT")
        parameters.update(parse(done.out)[0])
        return parameters

    def set(self, values):
        """Write values for the next boot in one call."""
        pairs = [f"{name}={plain(value)}" for name, value in values.items()]
        done = self.system.run(self.tool, "-d", self.device, "-y", "set", *pairs)
        if done.rc:
            raise Problem(", ".join(pairs), done.said(), done.command, "correct the value, or leave the setting out")
