# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts of the plan."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.hosts import HostIntent
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import Path, show
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.ranges import expand
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.values import SPEED
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.addresses import AddressBook, network
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.cabling import End
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import Checks
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.levels import Level, Value, nearest

_NIC_FIELDS = ("speed", "vlan", "address", "vlan_addresses", "pci_address")


@dataclass
class NicPlan:
    """One NIC while the plan is made."""

    rail: Value
    speed: Value
    vlan: Value
    address: Value
    vlan_addresses: Value
    pci_address: Value
    attached: dict[str, Any] = field(default_factory=dict)


class HostBuilder:
    """Collects the hosts: expands ranges, resolves NICs, then takes the attachments."""

    def __init__(self, fabric: Fabric, checks: Checks, made: Mapping[str, HostIntent] | None = None) -> None:
        """``made``: hosts that a design generates; those of the intent with the same name pin them."""
        self.fabric, self.checks = fabric, checks
        self.intents: dict[str, HostIntent] = dict(made or {})
        self.paths: dict[str, Path] = {name: ("hosts", name) for name in self.intents}
        self.nics: dict[str, dict[str, NicPlan]] = {}
        self._mtu: dict[str, Value] = {}
        self._levels: dict[str, list[tuple[str, Level]]] = {}
        stated: set[str] = set()
        for text, intent in fabric.hosts.items():
            path = ("hosts", text)
            for name in self._names(text, path):
                if made and name in made and name not in stated:
                    stated.add(name)
                    self.intents[name], self.paths[name] = _pinned(made[name], intent), path
                    continue
                if name in self.intents:
                    checks.add(
                        path,
                        f"expected each host once, found {name} here and in {show(str(self.paths[name][-1]))} (join the"
                        " two)",
                    )
                    continue
                self.intents[name], self.paths[name] = intent, path
        for name, intent in self.intents.items():
            self.nics[name] = self._nics(intent, self.paths[name])

    def _names(self, text: str, path: Path) -> list[str]:
        try:
            return expand(text)
        except ValueError as error:
            self.checks.add(path, str(error))
            return []

    def _nics(self, intent: HostIntent, path: Path) -> dict[str, NicPlan]:
        if intent.profile is None:
            self.checks.add(path, 'expected field "profile" (Name of one of host_profiles), found nothing (add it)')
            return {}
        profile = self.fabric.host_profiles.get(intent.profile)
        if profile is None:
            known = ", ".join(self.fabric.host_profiles) or "which is empty"
            self.checks.add(
                (*path, "profile"),
                f"expected one of host_profiles ({known}), found {show(intent.profile)} (correct the name or add it)",
            )
            return {}
        if intent.profile not in self._levels:  # expanded once, for all hosts of a kind
            levels: list[tuple[str, Level]] = []
            for text, values in profile.nics.items():
                where = ("host_profiles", intent.profile, "nics", text)
                levels += [(name, (where, values)) for name in self._names(text, where)]
            self._levels[intent.profile] = levels
        stated: dict[str, list[Level]] = {}
        for name, level in self._levels[intent.profile]:
            stated.setdefault(name, []).insert(0, level)
        for text, values in intent.nics.items():
            where = (*path, "nics", text)
            for name in self._names(text, where):
                if name not in stated:
                    self.checks.add(
                        where,
                        f"expected a NIC of profile {intent.profile} ({', '.join(stated)}), found {show(name)} (correct"
                        " the name)",
                    )
                    continue
                stated[name].insert(0, (where, values))
        nics = {name: self._nic(name, levels) for name, levels in stated.items()}
        self._own_pci_addresses(nics)
        return nics

    def _own_pci_addresses(self, nics: dict[str, NicPlan]) -> None:
        seen: dict[str, str] = {}
        for name, nic in nics.items():
            pci = nic.pci_address
            if pci.value is not None and seen.setdefault(pci.value, name) != name:
                self.checks.add(
                    pci.path,
                    f"expected a PCI address for each NIC, found {pci.value} of {seen[pci.value]} at {name} too"
                    " (correct one of them)",
                )

    @staticmethod
    def _nic(name: str, levels: list[Level]) -> NicPlan:
        plane = nearest(levels, "plane").value
        number = re.search(r"\d+" if plane is not None else r"\d+$", name)
        default = int(number[0]) if number and int(number[0]) < 64 else None
        return NicPlan(nearest(levels, "rail", default), *(nearest(levels, f) for f in _NIC_FIELDS))

    def mtu(self, name: str) -> Value:
        """MTU of the NICs of a host."""
        if name not in self._mtu:
            self._mtu[name] = self._find_mtu(name)
        return self._mtu[name]

    def _find_mtu(self, name: str) -> Value:
        intent, path = self.intents[name], self.paths[name]
        levels: list[Level] = [(path, intent)]
        if intent.profile in self.fabric.host_profiles:
            levels.append((("host_profiles", intent.profile), self.fabric.host_profiles[intent.profile]))
        stated = nearest(levels, "mtu")
        return stated if stated.path else Value(self.fabric.policy.host_mtu, ("policy", "host_mtu"))

    def attach(self, host: str, nic: str, switch: End, port: dict[str, Any], bond: int | None = None) -> None:
        """Note which switch port a NIC is cabled to."""
        self.nics[host][nic].attached = {"switch": switch.device, "bond": bond, **port}

    def data(self, book: AddressBook, switches: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
        """Every host as plain data of the model; addresses are noted and checked. ``switches``: finished."""
        policy = self.fabric.policy
        roce = {
            "profile": policy.profile,
            "trust": policy.trust,
            "priority": policy.roce.priority,
            "dscp": tuple(policy.roce.dscp),
            "cnp_priority": policy.cnp.priority,
            "cnp_dscp": tuple(policy.cnp.dscp),
        }
        gateways = {
            (name, g["vlan"]): g["virtual_address"] or g["address"].partition("/")[0]
            for name, switch in switches.items()
            for g in switch.get("gateways", ())
        }
        result = {}
        for name, intent in self.intents.items():
            nics = []
            for nic_name, nic in self.nics[name].items():
                self._addresses(name, nic_name, nic, book)
                nics.append(self._data(nic_name, nic, self.mtu(name).value, gateways))
            attached = (n.attached["switch"] for n in self.nics[name].values() if n.attached)
            result[name] = {
                "name": name,
                "profile": intent.profile,
                "pod": intent.pod,
                "rack": intent.rack,
                "managed": self._of_profile(intent, "managed") is True,
                "nics": tuple(nics),
                "networks": _networks(tuple(dict.fromkeys(attached)), switches),
                "hardware": self._of_profile(intent, "hardware"),
                "roce": roce,
            }
        return result

    def _of_profile(self, intent: HostIntent, name: str) -> Any:
        """A value of the host, else of its profile."""
        own = getattr(intent, name, None)
        profile = self.fabric.host_profiles.get(intent.profile)
        return own if own is not None or profile is None else getattr(profile, name)

    def _addresses(self, host: str, name: str, nic: NicPlan, book: AddressBook) -> None:
        at, address = nic.attached, nic.address
        vlan = at.get("vlan") or at.get("native_vlan")
        if address.value is not None:
            book.add(address.value, f"{host}:{name}", address.path)
            if at.get("mode") == "trunk" and vlan is None:
                text = (
                    "expected no address on a NIC without untagged VLAN, found one (give the attachment a native_vlan"
                    " or remove the address)"
                )
                self.checks.add(address.path, text)
            self._in_subnet(address.value, vlan, address.path)
        tagged = [number for number in at.get("vlans", ()) if number != vlan]
        for number, value in (nic.vlan_addresses.value or {}).items():
            path = (*nic.vlan_addresses.path, number)
            if number not in tagged:
                text = (
                    f"expected a tagged VLAN of {host}:{name} ({', '.join(map(str, tagged)) or 'which has none'}),"
                    f" found {number} (add it to the vlans of the attachment; an untagged VLAN has the field address)"
                )
                self.checks.add(path, text)
                continue
            book.add(value, f"{host}:{name} vlan{number}", path)
            self._in_subnet(value, number, path)

    def _in_subnet(self, address: str, vlan: int | None, path: Path) -> None:
        """An address has to be in the subnet of its VLAN, where that is known."""
        if vlan not in self.fabric.vlans or self.fabric.vlans[vlan].subnet is None:
            return
        subnet, part = network(self.fabric.vlans[vlan].subnet), self.fabric.vlans[vlan].part
        own = network(address)
        inside = part is not None and own.prefix == part and subnet.first <= own.first and own.last <= subnet.last
        if own != subnet and not inside:
            self.checks.add(
                path,
                f"expected an address in {subnet}, the subnet of VLAN {vlan},"
                f"{f' with prefix length {part},' if part else ''} found {address} (correct it)",
            )

    @staticmethod
    def _data(name: str, nic: NicPlan, mtu: int, gateways: Mapping[tuple[str, int], str]) -> dict[str, Any]:
        at = nic.attached
        switch, far = at.get("switch"), at.get("address")
        untagged = gateways.get((switch, at.get("vlan") or at.get("native_vlan")))
        return {
            "name": name,
            "pci_address": nic.pci_address.value,
            "rail": nic.rail.value,
            "speed": at.get("speed") or SPEED.get(nic.speed.value or ""),
            "mtu": mtu,
            "mode": at.get("mode"),
            "vlan": at.get("vlan"),
            "vlans": at.get("vlans", ()),
            "native_vlan": at.get("native_vlan"),
            "address": nic.address.value,
            "gateway": far.partition("/")[0] if far else untagged,
            "tagged": tuple(
                {"vlan": number, "address": address, "gateway": gateways.get((switch, number))}
                for number, address in sorted((nic.vlan_addresses.value or {}).items())
            ),
            "bond": at.get("bond"),
            "cable_length": at.get("cable_length"),
            "peer": {"switch": switch, "port": at["name"], "address": far} if at else None,
        }


def _networks(attached: tuple[str, ...], switches: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """What the switches of a host route: with an underlay what is announced but loopbacks, else their own subnets."""
    found: list[str] = []
    for switch in (switches[name] for name in attached):
        if switch.get("underlay"):
            found += [route["within"] for route in switch["underlay"]["announce"] if route["length"] < 32]
        else:
            found += [str(network(gateway["address"])) for gateway in switch.get("gateways", ())]
    return tuple(dict.fromkeys(found))


def _pinned(made: HostIntent, stated: HostIntent) -> HostIntent:
    """A generated host with what is stated about it."""
    update = {name: getattr(stated, name) for name in stated.model_fields_set}
    if "nics" in update:
        nics = dict(made.nics)
        for text, values in stated.nics.items():
            if text in nics:
                own = {name: getattr(values, name) for name in values.model_fields_set}
                values = nics[text].model_copy(update=own)
            nics[text] = values
        update["nics"] = nics
    return made.model_copy(update=update)
