# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of somebody else that configure one of our interfaces."""

from __future__ import annotations

import configparser
import re
from fnmatch import fnmatchcase

from ansible_collections.lossless.fabric.plugins.module_utils.network import keyfile, netplan, networkd

BACKUP = ".before-lossless"
NETWORKD = ("/etc/systemd/network", "/run/systemd/network", "/usr/lib/systemd/network", "/lib/systemd/network")
PROFILES = ("/etc/NetworkManager/system-connections", "/run/NetworkManager/system-connections")
IFCFG = "/etc/sysconfig/network-scripts"
INTERFACES = "/etc/network/interfaces"


def aside(path):
    """Where a file is put that nobody is to read any more.

    Hidden: NetworkManager takes every other name in its folder for a profile, ifupdown's usual "source" takes all.
    """
    folder, _, name = path.rpartition("/")
    return f"{folder}/.{name}{BACKUP}"


class Foreign:
    """One file: which of our interfaces it configures, and whether it configures others as well."""

    def __init__(self, path, ours, others):
        self.path, self.ours, self.others = path, sorted(ours), sorted(others)

    @property
    def movable(self):
        """Whether it can be put aside without taking an interface from somebody."""
        return self.path.startswith("/etc/") and self.path != INTERFACES and not self.others

    def facts(self):
        return {"path": self.path, "interfaces": self.ours, "others": self.others}


class Device:
    """What files select an interface by."""

    def __init__(self, system, name, path=None):
        base = f"/sys/class/net/{name}"
        self.name, self.path = name, path
        self.mac = (system.read(f"{base}/address") or "").lower()
        self.driver = system.target(f"{base}/device/driver")


def find(system, manager, interfaces, rename=False):
    """Every such file, for the manager in charge."""
    ours = [Device(system, link.live, link.path) for link in interfaces]
    known = {device.name for device in ours}
    others = [Device(system, name) for name in system.names("/sys/class/net") if name != "lo" and name not in known]
    if system.tool("netplan"):  # what it makes of its files is passed over, they are read themselves
        yield from _netplan(system, ours, others)
    if manager.networkd:
        yield from _networkd(system, manager, ours, others, ".network")
    else:
        yield from _profiles(system, ours, others)
        yield from _ifcfg(system, ours)
    if rename:
        yield from _networkd(system, manager, ours, others, ".link")
    yield from _ifupdown(system, ours)


def sections(text):
    """(section, key, value) of a file in the form that systemd and NetworkManager share; keys may repeat."""
    found, section = [], None
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
        elif "=" in line and not line.startswith(("#", ";")):
            key, _, value = line.partition("=")
            found.append((section, key.strip(), value.strip()))
    return found


def _networkd(system, manager, ours, others, kind):
    """The first file that matches wins; one that names the interface is meant for it wherever it stands."""
    limit = "10-netplan-" if manager.name == "netplan" else networkd.PREFIX
    files = {}
    for folder in reversed(NETWORKD):
        files.update({name: f"{folder}/{name}" for name in system.names(folder) if name.endswith(kind)})
    for name, path in sorted(files.items()):
        if name.startswith((networkd.PREFIX, "10-netplan-")):
            continue
        match = [(key, value) for section, key, value in sections(system.read(path) or "") if section == "Match"]
        named = any(key in NAMES and not set(value) & set("*?[!") for key, value in match)
        mine = {device.name for device in ours if _selects(match, device)}
        if mine and (named or name < limit):
            yield Foreign(path, mine, {device.name for device in others if _selects(match, device)})


NAMES = {
    "Name": lambda device: device.name,
    "OriginalName": lambda device: device.name,
    "Path": lambda device: device.path,
    "MACAddress": lambda device: device.mac,
    "PermanentMACAddress": lambda device: device.mac,
}


def _selects(match, device):
    """Whether a [Match] section selects the device. What is not known here (Kernel, Host ...) is taken to be true."""
    if not match:
        return False  # systemd ignores a file that says nothing, and warns
    for key, value in match:
        if key == "Type":
            fits = "ether" in value.split()
        elif key == "Driver":
            fits = _any(value, device.driver)
        elif key in NAMES:
            fits = _any(value, NAMES[key](device))
        else:
            continue
        if not fits:
            return False
    return True


def _any(value, actual):
    words = value.split()
    negative = bool(words) and words[0].startswith("!")
    if negative:
        words[0] = words[0][1:]
    actual = (actual or "").lower()
    return any(fnmatchcase(actual, word.lower()) for word in words) != negative


def _netplan(system, ours, others):
    for path, network in netplan.documents(system):
        groups = (network.get(group) for group in ("ethernets", "bonds", "vlans", "bridges", "wifis"))
        mine, rest = set(), set()
        for key, value in ((k, v or {}) for group in groups if isinstance(group, dict) for k, v in group.items()):
            hit = {device.name for device in ours if _defines(key, value, device)}
            mine |= hit
            if not hit or any(_defines(key, value, device) for device in others):
                rest.add(key)
        if mine:
            yield Foreign(path, mine, rest)


def _defines(key, value, device):
    match = value.get("match")
    if not match:
        return key == device.name
    names = {"name": device.name, "driver": device.driver, "macaddress": device.mac}
    words = {name: text if isinstance(text, list) else [text] for name, text in match.items()}
    return all(_any(" ".join(str(word) for word in words[name]), names.get(name)) for name in words)


def _profiles(system, ours, others):
    for folder in PROFILES:
        for name in system.names(folder):
            path = f"{folder}/{name}"
            if name.startswith((keyfile.PREFIX, "netplan-", ".")) or system.at(path).is_dir():
                continue
            values = {(section, key): value for section, key, value in sections(system.read(path) or "")}
            if values.get((".nmmeta", "nm-generated")) == "true":
                continue  # NetworkManager's own, for a device that nobody has configured; it gives way to ours
            mine = {device.name for device in ours if _profile_selects(values, device)}
            if mine:
                rest = {device.name for device in others if _profile_selects(values, device)}
                yield Foreign(path, mine, rest)


def _profile_selects(values, device):
    """A profile that selects nothing fits every device; it is not meant for ours and has a lower priority."""
    mac = values.get(("ethernet", "mac-address")) or values.get(("802-3-ethernet", "mac-address"))
    tests = [
        (values.get(("connection", "interface-name")), device.name),
        (mac, device.mac),
        (values.get(("match", "path")), device.path),
        (values.get(("match", "interface-name")), device.name),
        (values.get(("match", "driver")), device.driver),
    ]
    said = [_any(value.replace(";", " "), actual) for value, actual in tests if value]
    return bool(said) and all(said)


def _ifcfg(system, ours):
    for name in system.names(IFCFG):
        path = f"{IFCFG}/{name}"
        if not name.startswith("ifcfg-") or name.endswith((".rpmsave", ".bak", ".orig", ".rpmnew", "~")):
            continue
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        parser.read_string("[all]\n" + (system.read(path) or ""))
        device, mac = (parser["all"].get(key, "").strip("\"'") for key in ("device", "hwaddr"))
        mine = {d.name for d in ours if device == d.name or (mac and mac.lower() == d.mac)}
        if mine:
            yield Foreign(path, mine, ())


def _ifupdown(system, ours):
    names = [f"{INTERFACES}.d/{name}" for name in system.names(f"{INTERFACES}.d") if not name.startswith(".")]
    for path in [INTERFACES, *names]:
        said = set(re.findall(r"^\s*iface\s+(\S+)", system.read(path) or "", re.MULTILINE)) - {"lo"}
        mine = {device.name for device in ours} & said
        if mine:
            yield Foreign(path, mine, said - mine)
