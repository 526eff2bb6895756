# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NICs of the model -> RDMA ports of the host: by PCI address, else by IPv4 address, else by order."""

from __future__ import annotations

from ansible_collections.lossless.fabric.plugins.module_utils.nccl.gids import wanted


def match(nics, devices):
    """Pairs of NIC and port (in the order of rails), and what is missing. NICs of a bond count as one.

    A port is ``{"device", "pci", "how", ...}`` plus what host_facts says about the port.
    """
    pairs, missing = [], []
    taken = set()
    open_nics = []
    nics = bundles(nics)
    for nic in nics:
        if nic["pci_addresses"]:
            found = [port for port in _ports(devices) if port["pci"] in nic["pci_addresses"]]
            if found:
                pairs.append((nic, dict(_best(found, nic), how="PCI address")))
                taken.update(port["device"] for port in found)
            else:
                places = " or ".join(nic["pci_addresses"])
                missing.append(f"{nic['name']}: expected an RDMA device at PCI address {places}, found none")
            continue
        open_nics.append(nic)
    by_order = []
    for nic in open_nics:
        address = _address(nic)
        found = [p for p in _ports(devices) if address and p["device"] not in taken and wanted(p["gids"], address)]
        if found:
            pairs.append((nic, dict(found[0], how="address")))
            taken.add(found[0]["device"])
        else:
            by_order.append(nic)
    free = [port for port in _ports(devices) if port["device"] not in taken]
    if by_order and len(free) == len(by_order):
        pairs += [(nic, dict(port, how="order")) for nic, port in zip(by_order, free)]
    elif by_order:
        names = ", ".join(nic["name"] for nic in by_order)
        there = ", ".join(f"{port['device']} at {port['pci']}" for port in free) or "none"
        missing.append(
            f"{names}: expected {len(by_order)} RDMA devices, found {len(free)} that are not assigned: {there}"
            " (load the driver and set the addresses, or give the NICs a pci_address in the model)"
        )
    position = {nic["name"]: index for index, nic in enumerate(nics)}
    pairs.sort(key=lambda pair: position[pair[0]["name"]])
    return pairs, missing


def bundles(nics):
    """NICs with ``pci_addresses``, those of a bond as one: the driver makes one RDMA device of both ports of a card.

    Ports of two cards keep their devices; then the one that has the address counts.
    """
    result, bonds = [], {}
    for nic in nics:
        own = [nic["pci_address"]] if nic.get("pci_address") else []
        number = nic.get("bond")
        if number not in bonds:
            result.append(dict(nic, pci_addresses=own, members=[nic["name"]]))
            if number is not None:
                bonds[number] = result[-1]
            continue
        bond = bonds[number]
        bond["pci_addresses"] += own
        bond["members"].append(nic["name"])
        bond["name"] = f"bond{number} of {' and '.join(bond['members'])}"
        bond["address"] = bond.get("address") or nic.get("address")
    return result


def _ports(devices):
    for device in devices:
        for port in device["ports"]:
            yield dict(port, device=device["name"], pci=device["pci"])


def _best(ports, nic):
    """The port of a NIC with several: the one with the address, else the first that is up."""
    address = _address(nic)
    with_address = [port for port in ports if address and wanted(port["gids"], address)]
    up = [port for port in ports if port["state"] == "ACTIVE"]
    return (with_address or up or ports)[0]


def _address(nic):
    return nic["address"].split("/")[0] if nic.get("address") else None
