# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What NCCL has to be told on one host, and why."""

from __future__ import annotations

import ipaddress
import re
import xml.etree.ElementTree

from ansible_collections.lossless.fabric.plugins.module_utils.host import platform, rdma
from ansible_collections.lossless.fabric.plugins.module_utils.nccl import gids
from ansible_collections.lossless.fabric.plugins.module_utils.nccl.match import match

MAX_DEVICES = 32  # NCCL ignores what comes after
MAX_CHANNELS = 64
SELECTS_GID = (2, 21)
HAS_FIFO_TC = (2, 22, 3)
DEBUG = ("VERSION", "WARN", "INFO", "ABORT", "TRACE")
VALUE = re.compile(r"^[ -~]{0,1000}$")


class Plan:
    """Settings in order, what is left out and why, what is wrong."""

    def __init__(self):
        self.settings = []  # (name, value, comment)
        self.others = []  # the same for other programs, for the profile only
        self.skipped = []  # (name, reason)
        self.missing = []  # not there yet: the driver or the network is not set up
        self.wrong = []  # will not become right by itself
        self.warnings = []
        self.devices = []

    def set(self, name, value, comment):
        """Add a setting."""
        self.settings.append((name, str(value), comment))

    def skip(self, name, reason):
        """Note why a setting is left out."""
        self.skipped.append((name, reason))

    @property
    def values(self):
        """Settings as a mapping."""
        return {name: value for name, value, _ in self.settings}


def version(text):
    """``2.28.9`` -> (2, 28, 9)."""
    return tuple(int(part) for part in text.split("."))


def plan(machine, want):
    """``want`` has the options of the module nccl_config."""
    result = Plan()
    oldest = version(want["version"]) if want["version"] else None
    _debug(result, want)
    _sockets(machine, result, want)
    _devices(machine, result, want, oldest)
    _channels(result, want)
    _topology(machine, result, want)
    _extra(result, want, oldest)
    return result


def _debug(result, want):
    result.set("NCCL_DEBUG", want["debug"], "How much NCCL logs; WARN names every failure.")
    if want["debug_subsys"]:
        result.set("NCCL_DEBUG_SUBSYS", ",".join(want["debug_subsys"]), "Parts of NCCL that log at level INFO.")


def _sockets(machine, result, want):
    name = "NCCL_SOCKET_IFNAME"
    interfaces = list(want["socket_ifname"])
    if interfaces:
        unknown = [i for i in interfaces if not machine.exists(f"/sys/class/net/{i}")]
        if unknown:
            there = ", ".join(machine.listdir("/sys/class/net"))
            result.wrong.append(
                f"{name}: expected interfaces of this host, found {', '.join(unknown)} (there are {there})"
            )
        why = "as given"
    else:
        interfaces = platform.default_interfaces(machine)[:1]
        why = "the interface of the default route"
    if interfaces:
        text = f"Bootstrap and TCP traffic of NCCL: {why}. The leading sign means exactly this name, not a prefix."
        result.set(name, "=" + ",".join(interfaces), text)
    else:
        result.skip(name, "this host has no default route, and none was given (nccl_socket_ifname)")


def _devices(machine, result, want, oldest):
    roce = ("NCCL_IB_TC", "NCCL_IB_FIFO_TC", "NCCL_IB_ROCE_VERSION_NUM", "NCCL_IB_ADDR_FAMILY", "NCCL_IB_ADDR_RANGE")
    if not want["nics"]:
        for name in ("NCCL_IB_HCA", *roce):
            result.skip(name, "the model of this host has no RDMA NIC")
        return
    pairs, missing = match(want["nics"], rdma.devices(machine))
    result.missing += missing
    if not pairs:
        return
    layers = {port["link_layer"] for _, port in pairs}
    if len(layers) > 1:
        told = ", ".join(f"{port['device']} {port['link_layer']}" for _, port in pairs)
        result.wrong.append(f"expected NICs of one link layer, found {told} (leave one kind out of the model)")
        return
    for nic, port in pairs:
        result.devices.append(
            {
                "nic": nic["name"],
                "rail": nic.get("rail"),
                "device": port["device"],
                "port": port["port"],
                "pci": port["pci"],
                "netdev": port["netdev"],
                "matched_by": port["how"],
                "link_layer": port["link_layer"],
                "address": None,
                "gid_index": None,
            }
        )
        if port["state"] != "ACTIVE":
            result.warnings.append(
                f"{nic['name']} ({port['device']}) is {port['state']}: NCCL leaves it out until it is up"
            )
    if len(pairs) > MAX_DEVICES:
        result.wrong.append(f"NCCL_IB_HCA: expected at most {MAX_DEVICES} devices, found {len(pairs)}")
    listed = ",".join(f"{d['device']}:{d['port']}" for d in result.devices)
    told = "; ".join(f"{d['nic']} is {d['device']} at {d['pci'] or 'no PCI address'}" for d in result.devices)
    how = sorted({d["matched_by"] for d in result.devices})
    text = (
        f"RDMA ports of the rails, found by {' and '.join(how)}: {told}. Exact names, so that no other device is used."
    )
    result.set("NCCL_IB_HCA", "=" + listed, text)
    result.others.append(("UCX_NET_DEVICES", listed, "UCX: the same ports."))
    name = "NCCL_IB_QPS_PER_CONNECTION"
    if name not in want["extra"] and any(len(nic["members"]) > 1 for nic, _ in pairs):
        result.set(name, 2, "A queue pair stays on one port of a bond: two of them can use both.")
    if layers == {"InfiniBand"}:
        for name in roce:
            result.skip(name, "link layer InfiniBand: the subnet manager decides on service levels and addresses")
        return
    _traffic_class(result, want, oldest)
    _gids(result, want, pairs, oldest)


def _traffic_class(result, want, oldest):
    dscp, control = want["dscp"], want["control_dscp"]
    if dscp is None:
        result.wrong.append("dscp: expected the DSCP of RoCE data, found nothing (host.roce.dscp of the model)")
        return
    ect, says = (2, ", and ECT (0), so that switches mark instead of drop") if want["ect"] else (0, "")
    tc = dscp << 2 | ect
    text = f"Traffic class of RoCE data: DSCP {dscp} shifted by two bits{says}. Unset it is 0, the lossy class."
    result.set("NCCL_IB_TC", tc, text)
    if oldest and oldest < HAS_FIFO_TC:
        result.skip("NCCL_IB_FIFO_TC", f"NCCL {want['version']} does not know it (since 2.22.3)")
    elif control is None or control == dscp:
        text = "Control messages of NCCL are RDMA writes too: the same lossless class, so that none is lost."
        result.set("NCCL_IB_FIFO_TC", tc, text)
    else:
        text = f"Control messages of NCCL: DSCP {control} in the same way, as given."
        result.set("NCCL_IB_FIFO_TC", control << 2 | ect, text)
    result.others.append(("UCX_IB_TRAFFIC_CLASS", str(tc), "UCX: the same traffic class."))
    result.others.append(("NVSHMEM_IB_TRAFFIC_CLASS", str(tc), "NVSHMEM: the same traffic class."))


def _gids(result, want, pairs, oldest):
    """Selection by address, and the proof that it selects the right GID."""
    addressed = [nic["address"] for nic, _ in pairs if nic.get("address")]
    network = None
    try:
        if want["addr_range"]:
            network = ipaddress.ip_network(want["addr_range"])
        elif len(addressed) == len(pairs):
            network = gids.cover(addressed)
    except ValueError as error:
        result.wrong.append(f"NCCL_IB_ADDR_RANGE: expected IPv4 networks, found {error}")
        return
    if network is not None and network.version != 4:
        result.wrong.append(f"NCCL_IB_ADDR_RANGE: expected an IPv4 network, found {network}")
        return
    reason = "the model gives the NICs no addresses; every NIC has one RoCE v2 GID with an IPv4 address"
    if network is not None and not network.prefixlen:
        network, reason = (
            None,
            "the rails have no network in common; the first RoCE v2 GID of every NIC is the right one",
        )
    selects = not oldest or oldest >= SELECTS_GID
    indices = set()
    for (nic, port), device in zip(pairs, result.devices):
        entry = _gid(result, nic, port, network if selects else None, selects)
        if entry is not None:
            device.update(address=entry["ipv4"], gid_index=entry["index"])
            indices.add(entry["index"])
    if not selects:
        _pin(result, want, indices)
        return
    result.set("NCCL_IB_ROCE_VERSION_NUM", 2, "Only RoCE v2 can be routed and carries a DSCP.")
    result.set("NCCL_IB_ADDR_FAMILY", "AF_INET", "The rails have IPv4 addresses.")
    if network is not None:
        text = (
            "Addresses of the rails. NCCL selects the GID by version and address itself; each was verified against the"
            " GID table when this file was written."
        )
        result.set("NCCL_IB_ADDR_RANGE", network, text)
    else:
        result.skip("NCCL_IB_ADDR_RANGE", reason)
    reason = "an index is not stable and would switch off the selection by address (NCCL 2.21 and later)"
    result.skip("NCCL_IB_GID_INDEX", reason)


def _gid(result, nic, port, network, selects):
    """The GID of a NIC, or None with the problem noted."""
    label = f"{nic['name']} ({port['device']}:{port['port']})"
    there = ", ".join(f"{g['index']} {g['type']} {g['ipv4'] or g['gid']}" for g in port["gids"]) or "an empty table"
    if nic.get("address"):
        address = nic["address"].split("/")[0]
        right = gids.wanted(port["gids"], address)
        if not right:
            text = f"{label}: expected a RoCE v2 GID for {address}, found {there} (set the address on its interface)"
            result.missing.append(text)
            return None
    else:
        right = [g for g in port["gids"] if g["type"] == gids.ROCE_V2 and g["ipv4"]]
        if not right:
            text = (
                f"{label}: expected a RoCE v2 GID with an IPv4 address, found {there} (give its interface an address)"
            )
            result.missing.append(text)
            return None
        if len(right) > 1 and network is None:
            text = f"{label}: expected one RoCE v2 GID with an IPv4 address, found {there} (give the NIC its address)"
            result.wrong.append(text)
            return None
    if not selects:
        return right[0]
    taken = gids.choose(port["gids"], network)
    if taken not in right:
        shown = f"{taken['index']} {taken['type']} {taken['ipv4'] or taken['gid']}" if taken else "none"
        hint = "remove the other address from the interface, or give a narrower nccl_addr_range"
        expected = right[0]["ipv4"]
        result.wrong.append(
            f"{label}: expected NCCL to select the GID of {expected}, it selects {shown} of {there} ({hint})"
        )
        return None
    return taken


def _pin(result, want, indices):
    """Before 2.21 an index is the only way; it must be the same for all."""
    name = "NCCL_IB_GID_INDEX"
    if len(indices) == 1:
        text = f"NCCL {want['version']} cannot select by address; this is RoCE v2 with the rail's address on every NIC."
        result.set(name, indices.pop(), text)
    elif indices:
        found = ", ".join(str(index) for index in sorted(indices))
        result.wrong.append(f"{name}: expected one index for all NICs, found {found} (use NCCL 2.21 or later)")


def _channels(result, want):
    least, most = want["min_nchannels"], want["max_nchannels"]
    for name, value in (("min_nchannels", least), ("max_nchannels", most)):
        if value is not None and not 1 <= value <= MAX_CHANNELS:
            result.wrong.append(f"{name}: expected 1 to {MAX_CHANNELS}, found {value}")
    if least and most and least > most:
        result.wrong.append(f"min_nchannels: expected at most max_nchannels ({most}), found {least}")
    if least is not None:
        result.set("NCCL_MIN_NCHANNELS", least, "At least so many channels: more flows per NIC, more GPU blocks.")
    if most is not None:
        result.set("NCCL_MAX_NCHANNELS", most, "At most so many channels, so that computing keeps its GPU blocks.")


def _topology(machine, result, want):
    path = want["topology"]
    if not path:
        return
    data = machine.read_bytes(path)
    if data is None:
        result.wrong.append(f"topology: expected a file on the host, found none at {path}")
        return
    try:
        root = xml.etree.ElementTree.fromstring(data)
    except xml.etree.ElementTree.ParseError as error:
        result.wrong.append(f"topology: expected XML in {path}, found {error}")
        return
    if root.tag != "system":
        result.wrong.append(f"topology: expected the element system in {path}, found {root.tag}")
        return
    result.set("NCCL_TOPO_FILE", path, "PCIe topology as NCCL shall see it, where the machine hides it (guests).")


def _extra(result, want, oldest):
    taken = result.values
    for name, value in sorted(want["extra"].items()):
        value = str(value)
        if not re.match(r"^NCCL_[A-Z0-9_]+$", name):
            result.wrong.append(f"extra: expected names of NCCL variables, found {name}")
        elif name == "NCCL_IB_GID_INDEX" and (not oldest or oldest >= SELECTS_GID):
            text = "extra: expected no NCCL_IB_GID_INDEX, found one (it switches off the selection by address)"
            result.wrong.append(text)
        elif name in taken:
            result.wrong.append(f"extra: expected only variables that nothing else sets, found {name}")
        elif not VALUE.match(value):
            result.wrong.append(f"extra: expected one line of printable characters as {name}, found something else")
        else:
            result.set(name, value, "As given.")
