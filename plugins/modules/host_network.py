#!/usr/bin/python
# Copyright: lossless.fabric contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Network of the RDMA NICs of a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: host_network
short_description: Configure the network of the RDMA NICs of a host
version_added: 0.1.0
description:
  - MTU, addresses, VLAN interfaces, LACP bonds, one routing table and rule per NIC, routes to the fabric's networks, ARP settings and
    room for neighbours, through netplan, systemd-networkd or NetworkManager, whichever manages the network of the host.
  - NICs are bound to their PCI address. There is never a default route through them.
  - Compares the files and what the kernel has now, and touches only interfaces that differ. Interfaces and files of others are left
    alone; a file that configures one of the NICs as well is an error that names it.
  - A change is on trial. Everything needed to go back is kept, and a timer of systemd goes back unless O(state=confirm) is called over
    a new connection in time. If the kernel does not come to what is planned, the change is undone at once.
  - O(nics) empty takes everything away again.
author:
  - lossless.fabric contributors (@lossless)
options:
  state:
    description: "V(present): as planned. V(confirm): keep the change that is on trial. V(absent): as with no NICs."
    type: str
    choices: [present, confirm, absent]
    default: present
  nics:
    description: NICs, C(host.nics) of the model.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: Name in the model.
        type: str
        required: true
      device:
        description: PCI address or network interface. The default is the name.
        type: str
      mtu:
        description: Bytes of IP packet.
        type: int
        required: true
      address:
        description: IPv4 address with prefix length on the untagged side. NICs of one bond state it once.
        type: str
      gateway:
        description: Next hop of the untagged side. Without one there are no routes beyond the own network.
        type: str
      vlans:
        description: VLANs of a trunk port. Each gets an interface, except O(nics[].native_vlan).
        type: list
        elements: int
        default: []
      native_vlan:
        description: VLAN that is untagged on the wire.
        type: int
      tagged:
        description: Tagged VLANs in which the host has an address.
        type: list
        elements: dict
        default: []
        suboptions:
          vlan:
            description: VLAN.
            type: int
            required: true
          address:
            description: IPv4 address with prefix length.
            type: str
          gateway:
            description: Next hop in this VLAN.
            type: str
      bond:
        description: NICs with the same number form one LACP bond, named C(bond) and the number.
        type: int
  networks:
    description: IPv4 networks of the fabric that are reached through the gateways of the NICs.
    type: list
    elements: str
    default: []
  manager:
    description: Who manages the network; V(auto) finds out.
    type: str
    choices: [auto, netplan, networkd, NetworkManager]
    default: auto
  names:
    description: "V(kernel): names stay. V(model): NICs are named as in the model, by PCI address."
    type: str
    choices: [kernel, model]
    default: kernel
  allow_rename:
    description: Allow to rename a NIC now; its link goes down for a moment.
    type: bool
    default: false
  take_over:
    description: Put aside files that configure one of the NICs and nothing else. They stay beside, hidden, as C(.NAME.before-lossless).
    type: bool
    default: false
  management:
    description: NICs that may be changed although the way to the host leads over them.
    type: list
    elements: str
    default: []
  neighbours:
    description: The three thresholds of the kernel's neighbour table.
    type: list
    elements: int
    default: [4096, 8192, 16384]
  first_table:
    description: Number of the first routing table. 6400 numbers from here, as tables and priorities of rules, belong to this module.
    type: int
    default: 1000
  revert_after:
    description: Seconds until a change that is not confirmed is undone.
    type: int
    default: 120
  settle:
    description: Seconds that the kernel may take to come to what is planned.
    type: int
    default: 30
  apply:
    description: Make the files effective. V(false) in an image.
    type: bool
    default: true
attributes:
  check_mode:
    support: full
    description: Reads everything and tells exactly what a run would do.
  diff_mode:
    support: full
    description: Shows each file and what differs in the kernel.
  platform:
    support: full
    platforms: posix
    description: Linux hosts with systemd and iproute2 5.0 or later.
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
  - lossless.fabric.folders
seealso:
  - module: lossless.fabric.nic_qos
"""

EXAMPLES = r"""
- name: Configure the rails
  lossless.fabric.host_network:
    nics:
      - {name: rail0, device: "0000:1a:00.0", mtu: 9000, address: 10.100.0.1/28, gateway: 10.100.0.14}
      - {name: rail1, device: "0000:3b:00.0", mtu: 9000, address: 10.101.0.1/28, gateway: 10.101.0.14}
    networks: [10.100.0.0/16, 10.101.0.0/16]
  register: network

- name: Come over a new connection
  ansible.builtin.meta: reset_connection

- name: Keep the change
  lossless.fabric.host_network:
    state: confirm
"""

RETURN = r"""
manager:
  description: Who manages the network.
  returned: state is not confirm
  type: str
  sample: netplan
interfaces:
  description: Each interface as planned.
  returned: state is not confirm
  type: list
  elements: dict
  sample: [{"name": "ens1f0np0", "kind": "nic", "label": "rail0", "mtu": 9000, "address": "10.100.0.1/28", "table": 1000}]
differences:
  description: What the kernel had, or has in check mode, otherwise.
  returned: state is not confirm
  type: list
  elements: dict
  sample: [{"interface": "ens1f0np0", "key": "mtu", "expected": 9000, "actual": 1500}]
files:
  description: Files that were written, removed or put aside.
  returned: state is not confirm
  type: list
  elements: str
findings:
  description: Errors and warnings with expected, actual, where and remedy.
  returned: state is not confirm
  type: list
  elements: dict
on_trial:
  description: Whether the change has to be confirmed.
  returned: state is not confirm
  type: bool
confirmed:
  description: Whether there was a change on trial.
  returned: state is confirm
  type: bool
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.lossless.fabric.plugins.module_utils.network import apply, revert
from ansible_collections.lossless.fabric.plugins.module_utils.network.change import Change
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem, System, Unsupported


def options():
    """Argument specification; tests compare it with DOCUMENTATION."""
    tagged = {
        "vlan": {"type": "int", "required": True},
        "address": {"type": "str"},
        "gateway": {"type": "str"},
    }
    nic = {
        "name": {"type": "str", "required": True},
        "device": {"type": "str"},
        "mtu": {"type": "int", "required": True},
        "address": {"type": "str"},
        "gateway": {"type": "str"},
        "vlans": {"type": "list", "elements": "int", "default": []},
        "native_vlan": {"type": "int"},
        "tagged": {"type": "list", "elements": "dict", "default": [], "options": tagged},
        "bond": {"type": "int"},
    }
    return {
        "state": {"type": "str", "choices": ["present", "confirm", "absent"], "default": "present"},
        "nics": {"type": "list", "elements": "dict", "default": [], "options": nic},
        "networks": {"type": "list", "elements": "str", "default": []},
        "manager": {"type": "str", "choices": ["auto", "netplan", "networkd", "NetworkManager"], "default": "auto"},
        "names": {"type": "str", "choices": ["kernel", "model"], "default": "kernel"},
        "allow_rename": {"type": "bool", "default": False},
        "take_over": {"type": "bool", "default": False},
        "management": {"type": "list", "elements": "str", "default": []},
        "neighbours": {"type": "list", "elements": "int", "default": [4096, 8192, 16384]},
        "first_table": {"type": "int", "default": 1000},
        "revert_after": {"type": "int", "default": 120},
        "settle": {"type": "int", "default": 30},
        "apply": {"type": "bool", "default": True},
        "root": {"type": "path", "default": "/"},
        "path": {"type": "list", "elements": "path", "default": []},
    }


def _ranges(module):
    """Numbers that the argument specification cannot limit."""
    p = module.params
    checks = [("revert_after", p["revert_after"], 10, 3600), ("settle", p["settle"], 1, 600)]
    checks += [("first_table", p["first_table"], 256, 26000)]  # rules of the main table have priority 32766
    for nic in p["nics"]:
        checks.append((f"mtu of {nic['name']}", nic["mtu"], 1280, 9216))
        numbers = [*nic["vlans"], *(entry["vlan"] for entry in nic["tagged"])]
        checks += [(f"vlan of {nic['name']}", number, 1, 4094) for number in numbers]
        checks += [(f"bond of {nic['name']}", nic["bond"], 0, 999)] if nic["bond"] is not None else []
    for name, value, low, high in checks:
        if not low <= value <= high:
            module.fail_json(msg=f"expected {name} from {low} to {high}, found {value} (correct it)")
    if len(p["neighbours"]) != 3 or sorted(p["neighbours"]) != p["neighbours"]:
        module.fail_json(msg=f"expected three rising numbers in neighbours, found {p['neighbours']} (correct it)")


def _bring(module, system):
    result = {"changed": False, "files": [], "differences": [], "findings": [], "diff": [], "on_trial": False}
    chosen = dict(module.params)
    if chosen["state"] == "absent":
        chosen["nics"] = []
    try:
        if not module.check_mode and revert.undo(system):
            module.warn("an earlier run was interrupted before its change was confirmed; the change was undone first")
        change = Change(system, chosen)
        result["manager"] = change.manager.name
        result["interfaces"] = [link.facts() for link in change.interfaces]
        result["differences"] = change.told()
        result["files"] = [entry["path"] for entry in change.files]
        result["diff"] = change.diff()
        result["changed"] = change.needed
        if change.needed and not module.check_mode:
            result["on_trial"] = apply.carry_out(change)
        result["findings"] = change.findings
    except (Problem, Unsupported, OSError) as error:
        module.fail_json(msg=str(error), **{**result, "changed": False})
    for finding in result["findings"]:
        text = "{key}: expected {expected}, found {actual} ({where}; {remedy})".format(**finding)
        module.warn(text)
    module.exit_json(**result)


def main():
    """Entry point."""
    module = AnsibleModule(argument_spec=options(), supports_check_mode=True)
    _ranges(module)
    system = System(module.params["root"], module.params["path"])
    if module.params["state"] != "confirm":
        _bring(module, system)
    try:
        found = False if module.check_mode else revert.confirm(system)
        module.exit_json(changed=False, confirmed=found)
    except Problem as error:
        module.fail_json(msg=str(error), confirmed=False)


if __name__ == "__main__":
    main()
