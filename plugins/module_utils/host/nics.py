# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The NICs of the model as they are now: link, addresses, VLANs, QoS, and who answers at the other end of the cable.

The same readers as those of the module nic_qos, so that what is verified is what was written.
"""

from __future__ import annotations

import json
import re

from ansible_collections.lossless.fabric.plugins.module_utils.nic import converge, device
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem, Unsupported

QOS = ("pfc", "trust", "dscp_to_priority", "global_pause")


def nics(system, wanted, drivers):
    """Facts by name of the model. ``wanted``: NICs with name, and pci_address or device where they are not the name."""
    neighbors, addresses = _neighbors(system), _addresses(system)
    result = {}
    for nic in wanted:
        given = nic.get("device") or nic.get("pci_address") or nic["name"]
        result[nic["name"]] = _nic(system, device.find(system, given), drivers, addresses, neighbors)
    return result


def _nic(system, nic, drivers, addresses, neighbors):
    facts = nic.facts()
    facts["not_told"] = {}
    if nic.interface is None:
        return facts
    base = f"/sys/class/net/{nic.interface}"
    master = system.target(f"{base}/master")
    layers = [name for name in (nic.interface, master) if name]  # in a bond the addresses are the bond's
    facts.update(
        mtu=_number(system, f"{base}/mtu"),
        up=_up(system, nic.interface),
        speed=_number(system, f"{base}/speed"),
        bond=master,
        addresses=sorted(address for name in layers for address in addresses.get(name, ())),
        vlans=dict(_vlan(system, upper, addresses) for name in layers for upper in _vlan_names(system, name)),
        neighbors=None if neighbors is None else neighbors.get(nic.interface, []),
    )
    if neighbors is None:
        facts["not_told"]["neighbors"] = "lldpcli is not installed, or lldpd does not run"
    facts.update(_qos(system, nic, drivers, facts["not_told"]))
    return facts


def _qos(system, nic, drivers, not_told):
    """Settings that decide about loss; what the NIC or its tools do not tell is named in ``not_told``."""
    refusal = device.refusal(nic, drivers)
    if refusal:
        not_told.update(dict.fromkeys(QOS, f"expected {refusal[0]}, found {refusal[1]}"))
        return dict.fromkeys(QOS)
    _, sources = converge.sources(system, nic, converge.Options(check=True, drivers=drivers))
    values, _ = converge.read(sources, QOS)
    not_told.update({key: value.reason for key, value in values.items() if isinstance(value, Unsupported)})
    told = {key: None if isinstance(value, Unsupported) else value for key, value in values.items()}
    if told["dscp_to_priority"] is not None:
        told["dscp_to_priority"] = {str(d): p for d, p in enumerate(told["dscp_to_priority"]) if p is not None}
    return told


def _up(system, interface):
    """Whether there is a link; an interface that is switched off has none."""
    return system.read(f"/sys/class/net/{interface}/carrier") == "1"


def _number(system, path):
    """A number above zero: -1 is the kernel's word for unknown."""
    text = system.read(path)
    return int(text) if text and re.match(r"^\d+$", text) and int(text) > 0 else None


def _vlan_names(system, interface):
    names = [name[6:] for name in system.names(f"/sys/class/net/{interface}") if name.startswith("upper_")]
    return [name for name in names if system.exists(f"/proc/net/vlan/{name}")]


def _vlan(system, name, addresses):
    number = re.search(r"VID: (\d+)", system.read(f"/proc/net/vlan/{name}") or "")
    entry = {"interface": name, "mtu": _number(system, f"/sys/class/net/{name}/mtu")}
    return number.group(1) if number else name, dict(entry, addresses=sorted(addresses.get(name, ())))


def _answer(system, *argv):
    """Parsed JSON of a command that only reads; None where there is none."""
    try:
        done = system.run(*argv)
        return json.loads(done.out) if done.rc == 0 else None
    except (Problem, Unsupported, ValueError):
        return None


def _addresses(system):
    """IPv4 addresses with prefix length by interface."""
    found = {}
    for entry in _answer(system, "ip", "-j", "-4", "address", "show") or []:
        told = [f"{a['local']}/{a['prefixlen']}" for a in entry.get("addr_info", []) if "local" in a]
        found[entry.get("ifname")] = told
    return found


def _neighbors(system):
    """LLDP neighbours by interface; None when nobody listens."""
    data = _answer(system, "lldpcli", "-f", "json0", "show", "neighbors")
    if data is None:
        return None
    found = {}
    for section in data.get("lldp", ()):
        for entry in section.get("interface", ()):
            heard = {"device": _told(entry, "chassis", "name"), "port": _port(entry)}
            if heard["device"]:
                found.setdefault(entry["name"], []).append(heard)
    return found


def _port(entry):
    """The name of the far port: its id if that is a name, else its description."""
    port = (entry.get("port") or [{}])[0]
    named = next((i["value"] for i in port.get("id", ()) if i.get("type") in ("ifname", "local")), None)
    return named or _told(entry, "port", "descr")


def _told(entry, part, name):
    values = (entry.get(part) or [{}])[0].get(name) or [{}]
    return values[0].get("value") or ""
