# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One file of netplan, for its renderer networkd. It does not say so: the renderer is the host's choice."""

from __future__ import annotations

import os

from ansible_collections.lossless.fabric.plugins.module_utils.network.plan import BOND, MAIN
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem

FOLDER = "/etc/netplan"
MADE = "/run/systemd/network"
FOLDERS = (FOLDER, "/run/netplan", "/lib/netplan")
PATH = f"{FOLDER}/90-lossless-host-network.yaml"
NOTE = "# Written by Ansible (lossless.fabric.host_network); changes made here are lost.\n"
MODE = 0o600  # netplan warns of anything else
GROUPS = {"nic": "ethernets", "bond": "bonds", "vlan": "vlans"}


def files(interfaces):
    """Text of the file by its path; none without interfaces."""
    groups = {}
    for link in interfaces:
        groups.setdefault(GROUPS[link.kind], {})[link.name] = _definition(link)
    return {PATH: NOTE + dump({"network": {"version": 2, **groups}})} if groups else {}


def unit(link):
    """The file that decides about an interface."""
    return f"{MADE}/10-netplan-{link.name}.network"


def generate(system):
    """Have netplan make its files, and keep those that come out the same as they were.

    It makes all of them new, and networkd would configure every interface again, also those that are not ours.
    """
    folder = system.at(MADE)
    old = {place.name: place for place in folder.glob("10-netplan-*")} if folder.is_dir() else {}
    kept = {}
    for name, place in old.items():
        kept[name] = folder / f".{name}.lossless"  # no suffix that networkd reads
        _unlink(kept[name])
        os.link(str(place), str(kept[name]))
    done = system.run("netplan", "generate")
    for name, place in kept.items():
        made = folder / name
        if done.rc == 0 and made.exists() and made.read_bytes() == place.read_bytes():
            place.replace(made)
        _unlink(place)
    if done.rc:
        raise Problem("files that netplan can read", done.said(), FOLDER, "correct them")


def _unlink(place):
    if place.exists():
        place.unlink()


def documents(system):
    """Files of others in the order in which netplan merges them: (path, what is below network)."""
    files = {name: f"{folder}/{name}" for folder in reversed(FOLDERS) for name in system.names(folder)}
    for name, path in sorted(files.items()):
        if name.endswith(".yaml") and path != PATH:
            content = _load(system.read(path) or "", path)
            network = content.get("network") if isinstance(content, dict) else None
            yield path, network if isinstance(network, dict) else {}


def _load(text, path):
    try:
        import yaml  # netplan needs it too
    except ImportError as error:
        raise Problem(
            "the Python module yaml, to see which interfaces the files of netplan configure",
            "none",
            path,
            "install python3-yaml, or set ansible_python_interpreter to the Python that netplan uses",
        ) from error
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise Problem("a file that netplan can read", str(error).splitlines()[0], path, "correct the file") from error


def _definition(link):
    found = {}
    if link.kind == "vlan":
        found.update(id=link.vlan, link=link.parent)
    if link.kind == "bond":
        parameters = {
            "mode": BOND["mode"],
            "transmit-hash-policy": BOND["xmit_hash_policy"],
            "lacp-rate": BOND["lacp_rate"],
            "mii-monitor-interval": BOND["miimon"],
            "min-links": BOND["min_links"],
        }
        found.update(interfaces=list(link.members), parameters=parameters)
    found.update(
        {
            "mtu": link.mtu,
            "optional": True,  # a rail that is down must not keep the host from booting
            "ignore-carrier": True,  # the address, and so the GID, stays when the link is lost
            "dhcp4": False,
            "dhcp6": False,
            "accept-ra": False,  # a router's word would be a default route through a rail
        }
    )
    if link.bond:
        found["link-local"] = []
    if link.address:
        rule = {"from": f"{link.ip}/32", "table": link.table, "priority": link.table}
        found.update({"addresses": [link.address], "routing-policy": [rule]})
    if link.routes:
        found["routes"] = [_route(link, route) for route in link.routes]
    return found


def _route(link, route):
    found = {"to": route.to, **({"via": route.via} if route.via else {"scope": "link"})}
    found.update({"from": link.ip, "metric": route.metric})
    if route.table != MAIN:
        found["table"] = route.table
    return found


def dump(value, indent=0):
    """YAML of mappings and lists of plain values; hosts need not have a library for it."""
    lines = []
    for key, item in value.items():
        start = f"{'  ' * indent}{_scalar(key)}:"
        if isinstance(item, dict) and item:
            lines.append(f"{start}\n{dump(item, indent + 1)}")
        elif isinstance(item, list) and item:
            lines.append(start + "\n")
            lines += [f"{'  ' * (indent + 1)}- {_entry(entry)}\n" for entry in item]
        else:
            lines.append(f"{start} {_scalar(item)}\n")
    return "".join(lines)


def _entry(value):
    """An item of a list: a mapping on one line, or a plain value."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(key)}: {_scalar(item)}" for key, item in value.items()) + "}"
    return _scalar(value)


def _scalar(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (dict, list)):
        return "{}" if isinstance(value, dict) else "[]"
    plain = value.replace("-", "").replace("+", "").isalnum() and not value[0].isdigit() and value[0] not in "-+"
    words = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
    return (
        value if plain and value.lower() not in words else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    )
