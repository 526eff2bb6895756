# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of systemd-networkd: .network for every interface, .netdev for bonds and VLANs; and udev's .link for names."""

from __future__ import annotations

from ansible_collections.lossless.fabric.plugins.module_utils.network.plan import BOND, MAIN

FOLDER = "/etc/systemd/network"
# Before files that match every NIC, and before those of netplan ("10-n...").
PREFIX = "10-lossless-"
NOTE = "# Written by Ansible (lossless.fabric.host_network); changes made here are lost.\n"
MODE = 0o644  # networkd is not root


def files(interfaces):
    """Text of every file by its path."""
    found = {}
    for link in interfaces:
        base = f"{FOLDER}/{PREFIX}{link.label}"
        found[f"{base}.network"] = _text(_network(link, interfaces))
        if link.kind != "nic":
            found[f"{base}.netdev"] = _text(_netdev(link))
    return found


def unit(link):
    """The file that decides about an interface."""
    return f"{FOLDER}/{PREFIX}{link.label}.network"


def is_name(path):
    """Whether a file is one of those that names() tells."""
    folder, _, name = path.rpartition("/")
    return folder == FOLDER and name.startswith(PREFIX) and name.endswith(".link")


def names(interfaces):
    """udev's files that give the NICs their names by PCI address, whoever manages the network."""
    found = {}
    for link in interfaces:
        if link.kind == "nic" and link.path and link.name == link.label:
            sections = [("Match", [("Path", link.path)]), ("Link", [("Name", link.name)])]
            found[f"{FOLDER}/{PREFIX}{link.label}.link"] = _text(sections)
    return found


def _network(link, interfaces):
    match = ("Path", link.path) if link.path else ("Name", link.name)
    sections = [
        ("Match", [match]),
        # A rail that is down must not keep the host from booting.
        ("Link", [("MTUBytes", link.mtu), ("RequiredForOnline", "no")]),
        ("Network", list(_general(link, interfaces))),
    ]
    if link.address:
        rule = [("From", f"{link.ip}/32"), ("Table", link.table), ("Priority", link.table)]
        sections.append(("RoutingPolicyRule", rule))
    sections += [("Route", list(_route(link, route))) for route in link.routes]
    return sections


def _general(link, interfaces):
    yield "DHCP", "no"
    yield "IPv6AcceptRA", "no"  # a router's word would be a default route through a rail
    yield "LinkLocalAddressing", "no" if link.bond else "ipv6"
    yield "ConfigureWithoutCarrier", "yes"  # the address, and so the GID, stays when the link is lost
    if link.bond:
        yield "Bond", link.bond
    for other in interfaces:
        if other.parent == link.name:
            yield "VLAN", other.name
    if link.address:
        yield "Address", link.address


def _route(link, route):
    yield "Destination", route.to
    if route.via:
        yield "Gateway", route.via
    else:
        yield "Scope", "link"
    yield "PreferredSource", link.ip
    yield "Metric", route.metric
    if route.table != MAIN:
        yield "Table", route.table


def _netdev(link):
    sections = [("NetDev", [("Name", link.name), ("Kind", link.kind), ("MTUBytes", link.mtu)])]
    if link.kind == "vlan":
        sections.append(("VLAN", [("Id", link.vlan)]))
    else:
        values = [
            ("Mode", BOND["mode"]),
            ("TransmitHashPolicy", BOND["xmit_hash_policy"]),
            ("LACPTransmitRate", BOND["lacp_rate"]),
            ("MIIMonitorSec", f"{BOND['miimon']}ms"),
            ("MinLinks", BOND["min_links"]),
        ]
        sections.append(("Bond", values))
    return sections


def _text(sections):
    blocks = [f"[{name}]\n" + "".join(f"{key}={value}\n" for key, value in pairs) for name, pairs in sections]
    return NOTE + "\n" + "\n".join(blocks)
