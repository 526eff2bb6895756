# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connection profiles of NetworkManager as keyfiles, for 1.26 (RHEL 8.3) and later."""

from __future__ import annotations

import uuid

from ansible_collections.lossless.fabric.plugins.module_utils.network.plan import BOND, MAIN

FOLDER = "/etc/NetworkManager/system-connections"
PREFIX = "lossless-"
SETTINGS = "/etc/NetworkManager/conf.d/90-lossless-host-network.conf"
NOTE = "# Written by Ansible (lossless.fabric.host_network); changes made here are lost.\n"
MODE = 0o600  # NetworkManager ignores files that others may read
SPACE = uuid.UUID("6f2d6f0e-4c0b-5a52-9f2b-0d2f6a1d7c11")
TYPES = {"nic": "ethernet", "bond": "bond", "vlan": "vlan"}


def files(interfaces):
    """Text of every file by its path."""
    found = {path_of(link): _text(_profile(link, interfaces)) for link in interfaces}
    if interfaces:
        found[SETTINGS] = settings(interfaces)
    return found


def settings(interfaces):
    """The daemon's settings: the address, and so the GID, stays when the link is lost."""
    devices = ",".join(f"interface-name:={link.name}" for link in interfaces)
    return _text([("device-lossless-host-network", [("match-device", devices), ("ignore-carrier", "yes")])])


def path_of(link):
    """The file of an interface."""
    return f"{FOLDER}/{PREFIX}{link.label}.nmconnection"


def identity(label):
    """UUID of a profile, the same in every run."""
    return str(uuid.uuid5(SPACE, label))


def _profile(link, interfaces):
    sections = [("connection", list(_connection(link, interfaces)))]
    if link.kind == "nic" and link.path:
        sections.append(("match", [("path", f"{link.path};")]))
    sections.append(("ethernet", [("mtu", link.mtu)]))
    if link.kind == "bond":
        sections.append(("bond", list(BOND.items())))
    if link.kind == "vlan":
        # By name: with the UUID of a profile that is read later, 1.42 never finds a device for the VLAN.
        sections.append(("vlan", [("flags", 1), ("id", link.vlan), ("parent", link.parent)]))
    if not link.bond:
        sections.append(("ipv4", list(_ipv4(link))))
        sections.append(("ipv6", [("method", "link-local")]))  # no router's word, no default route
    return sections


def _connection(link, interfaces):
    yield "id", f"{PREFIX}{link.label}"
    yield "uuid", identity(link.label)
    yield "type", TYPES[link.kind]
    if link.kind != "nic" or not link.path:
        yield "interface-name", link.name
    yield "autoconnect-priority", 100
    if link.bond:
        bond = next(other for other in interfaces if other.name == link.bond)
        yield "master", identity(bond.label)
        yield "slave-type", "bond"
    if link.kind == "bond":
        yield "autoconnect-slaves", 1


def _ipv4(link):
    if not link.address:
        yield "method", "disabled"
        return
    yield "method", "manual"
    yield "address1", link.address
    yield "never-default", "true"
    yield "routing-rule1", f"priority {link.table} from {link.ip} table {link.table}"
    for number, route in enumerate(link.routes, 1):
        yield f"route{number}", f"{route.to},{route.via or '0.0.0.0'},{route.metric}"
        table = "" if route.table == MAIN else f",table={route.table}"
        yield f"route{number}_options", f"src={link.ip}{table}"


def _text(sections):
    blocks = [f"[{name}]\n" + "".join(f"{key}={value}\n" for key, value in pairs) for name, pairs in sections]
    return NOTE + "\n" + "\n".join(blocks)
