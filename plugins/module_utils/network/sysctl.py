# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel settings of a host with several NICs: answers about an address leave through the NIC that has it.

The kernel's own rule is that an address belongs to the host: every NIC answers ARP for the addresses of all. With
several NICs in reach of one switch the neighbours then learn a wrong MAC, and RoCE traffic of one rail arrives on
another.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

PATH = "/etc/sysctl.d/90-lossless-host-network.conf"
FOLDERS = ("/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d", "/lib/sysctl.d")
# For each interface with an address, never for "all": the management interface keeps what it has.
INTERFACE = (
    ("arp_ignore", "1", "answer ARP only for addresses of this interface"),
    ("arp_announce", "2", "ask with the address of this interface only"),
    # The kernel takes the greater of this and "all", so 2 is the only value that holds on every distribution. Strict
    # (1) would drop packets while rules are being replaced.
    ("rp_filter", "2", "accept a source that any interface leads to"),
    ("ignore_routes_with_linkdown", "1", "the address stays when the link is lost, its routes are not used"),
)
NOTE = "# Written by Ansible (lossless.fabric.host_network); changes made here are lost.\n"


def wanted(interfaces, neighbours):
    """Value of every key; keys are paths below /proc/sys, because names of VLAN interfaces have dots."""
    found = {}
    if interfaces:
        for number, value in enumerate(neighbours, 1):
            found[f"net/ipv4/neigh/default/gc_thresh{number}"] = str(value)
    for link in interfaces:
        if link.address:
            for name, value, _ in INTERFACE:
                found[f"net/ipv4/conf/{link.name}/{name}"] = value
    return found


def render(values):
    """The drop-in. udev applies the lines of an interface again whenever it appears."""
    if not values:
        return None
    meaning = {name: text for name, _, text in INTERFACE}
    lines = [NOTE, "# Room for all neighbours of the fabric: below the first nothing is collected.\n"]
    for key in (key for key in values if "/neigh/" in key):
        lines.append(f"{key} = {values[key]}\n")
    for name, _, _ in INTERFACE:
        lines.append(f"# {meaning[name][0].upper()}{meaning[name][1:]}.\n")
        lines += [f"{key} = {value}\n" for key, value in values.items() if key.endswith(f"/{name}")]
    return "".join(lines)


def differences(system, values):
    """Keys whose value in the kernel is another; an interface that is not there yet has none."""
    found = {}
    for key, value in values.items():
        now = system.read(f"/proc/sys/{key}")
        if now is not None and now.split() != value.split():
            found[key] = now
    return found


def overridden(system, values):
    """Lines of other files that come after ours and say something else: (path, key, value)."""
    files = {}
    for folder in reversed(FOLDERS):
        for name in system.names(folder):
            if name.endswith(".conf"):
                files[name] = f"{folder}/{name}"
    own = PATH.rpartition("/")[2]
    later = [files[name] for name in sorted(files) if name > own]
    if system.exists("/etc/sysctl.conf"):
        later.append("/etc/sysctl.conf")  # the last with procps; systemd reads it through 99-sysctl.conf
    found = []
    for path in dict.fromkeys(later):
        for line in (system.read(path) or "").splitlines():
            key, sign, value = line.partition("=")
            key = key.strip().lstrip("-")
            if not sign or key.startswith(("#", ";")):
                continue
            pattern = (
                key if "/" in key.partition(".")[0] else key.replace(".", "\0").replace("/", ".").replace("\0", "/")
            )
            found += [
                (path, ours, value.strip())
                for ours, expected in values.items()
                if fnmatchcase(ours, pattern) and value.split() != expected.split()
            ]
    return found
