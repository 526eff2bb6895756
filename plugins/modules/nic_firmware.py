#!/usr/bin/python
# Copyright: lossless.fabric contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firmware settings of the NICs of a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: nic_firmware
short_description: Bring firmware settings of ConnectX NICs to wanted values, with mlxconfig or mstconfig
version_added: 0.1.0
description:
  - Reads default, current and next-boot value of each setting, compares the wanted value with next boot, writes what differs in one
    call and reads it back.
  - Values become effective when the NIC is reset. What waits for that is listed in C(pending). The NIC is reset only with
    O(allow_reset), and never when the host's default route leaves through it.
  - Settings that stay hidden until C(ADVANCED_PCI_SETTINGS) is on are revealed first.
  - A name that the tool does not know is an error, and nothing is written to that NIC. A setting that only this NIC lacks is a
    warning and listed in RV(unsupported); the others are set.
  - A port of InfiniBand that is linked is left so; C(LINK_TYPE) of O(settings), and what else of them belongs to Ethernet, is passed over
    with a warning. C(LINK_TYPE) of O(nics[].settings) turns it into one of Ethernet.
  - All NICs of a host in one call.
author:
  - lossless.fabric contributors (@lossless)
options:
  nics:
    description: NICs to set.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name in the model.
        type: str
        required: true
      device:
        description: Network interface or PCI address. The default is the name.
        type: str
      settings:
        description: Settings of this NIC only; they win over O(settings).
        type: dict
        default: {}
  settings:
    description:
      - Settings by the name that mlxconfig prints. Names that exist once per port may be given without C(_P1); they mean the port of
        the NIC. Values are numbers, booleans or the words of mlxconfig; a list sets the elements of an array.
    type: dict
    default: {}
  dcqcn_priorities:
    description: Priorities that have to be in C(ROCE_CC_PRIO_MASK). Other bits are left alone.
    type: list
    elements: int
    default: []
  allow_reset:
    description: Reset the firmware of NICs with pending values. Drops the link for seconds and restarts the driver.
    type: bool
    default: false
  reset_level:
    description: "Level of mlxfwreset. 3: driver restart and PCI reset."
    type: int
    choices: [0, 3]
    default: 3
  drivers:
    description: Drivers whose NICs are taken.
    type: list
    elements: str
    default: [mlx5_core]
attributes:
  check_mode:
    support: full
    description: Tells exactly what would be written. Settings that are hidden now are shown with the value V(hidden).
  diff_mode:
    support: full
    description: Shows the next-boot value of each setting that differs.
  platform:
    support: full
    platforms: posix
    description: Linux hosts with mlx5 NICs and mstflint or MFT.
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
  - lossless.fabric.folders
seealso:
  - module: lossless.fabric.nic_qos
"""

EXAMPLES = r"""
- name: Ethernet ports, LLDP for the host, eight virtual functions
  lossless.fabric.nic_firmware:
    nics:
      - {name: rail0, device: "0000:1a:00.0"}
    settings:
      LINK_TYPE: ETH
      LLDP_NB_RX_MODE: "OFF"
      SRIOV_EN: true
      NUM_OF_VFS: 8
  register: firmware

- name: Show what waits for a reset
  ansible.builtin.debug:
    msg: "{{ firmware.nics.rail0.pending }}"
"""

RETURN = r"""
nics:
  description: Each NIC with its settings (default, current, next, wanted, changed), what is pending, and whether it was reset.
  returned: always
  type: dict
  sample: {rail0: {parameters: {SRIOV_EN: {default: "False(0)", current: "False(0)", next: "False(0)", wanted: "1", changed: true}}}}
reset_needed:
  description: NICs with values that wait for a reset.
  returned: always
  type: list
  elements: str
unsupported:
  description: Settings that the firmware of a NIC does not have.
  returned: always
  type: list
  elements: dict
findings:
  description: Errors and warnings with expected, actual, where and remedy.
  returned: always
  type: list
  elements: dict
"""

import json

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.lossless.fabric.plugins.module_utils.nic import device
from ansible_collections.lossless.fabric.plugins.module_utils.nic.answer import finish
from ansible_collections.lossless.fabric.plugins.module_utils.nic.firmware import (
    OF_ETHERNET,
    Firmware,
    is_infiniband,
    problem_text,
)
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem, System, Unsupported


def options():
    """Argument specification."""
    nic = {
        "name": {"type": "str", "required": True},
        "device": {"type": "str"},
        "settings": {"type": "dict", "default": {}},
    }
    return {
        "nics": {"type": "list", "elements": "dict", "required": True, "options": nic},
        "settings": {"type": "dict", "default": {}},
        "dcqcn_priorities": {"type": "list", "elements": "int", "default": []},
        "allow_reset": {"type": "bool", "default": False},
        "reset_level": {"type": "int", "choices": [0, 3], "default": 3},
        "drivers": {"type": "list", "elements": "str", "default": ["mlx5_core"]},
        "root": {"type": "path", "default": "/"},
        "path": {"type": "list", "elements": "path", "default": []},
    }


def _finding(name, key, expected, actual, where, remedy):
    return {
        "nic": name,
        "severity": "error",
        "key": key,
        "expected": expected,
        "actual": actual,
        "where": where,
        "remedy": remedy,
    }


def _one(module, system, nic, result):
    """Set one NIC; None if it cannot be set."""
    p = module.params
    found = device.find(system, nic["device"] or nic["name"])
    refusal = device.refusal(found, p["drivers"])
    if refusal is None and found.pci is None:
        refusal = "a PCI device", "none", "correct the device of this NIC"
    # Firmware can be set whatever the link layer is, and without an interface.
    if refusal and not (found.pci and found.driver in p["drivers"] and not found.virtual_function):
        expected, actual, remedy = refusal
        result["findings"].append(_finding(nic["name"], "nic", expected, actual, found.given, remedy))
        return None
    common, priorities = p["settings"], p["dcqcn_priorities"]
    if is_infiniband(system, found) and "LINK_TYPE" not in nic["settings"]:
        common, priorities = {n: v for n, v in common.items() if not n.startswith(OF_ETHERNET)}, []
        module.warn(
            f"{nic['name']} ({found.given}) is a port of InfiniBand that is linked: settings of Ethernet were left alone"
            " (say LINK_TYPE for this NIC to make it one of Ethernet)"
        )
    wanted = {**common, **nic["settings"]}
    firmware = Firmware(system, nic["name"], found, wanted, module.check_mode, priorities)
    if module.check_mode and not firmware.tool.available:  # on a new host the RDMA stack brings it
        text = f"{nic['name']}: the settings cannot be predicted until mlxconfig or mstconfig is installed"
        module.warn(text)
        result["diff"].append({"prepared": f"{text}\n"})
        result["changed"] = True
        return None
    try:
        firmware.run()
    except (Problem, Unsupported) as problem:
        actual, where, remedy = problem_text(problem)
        firmware.findings.append(_finding(nic["name"], "firmware", "its settings", actual, where or found.pci, remedy))
    return firmware


def _reset(module, done):
    """Reset each card with pending values once; functions of a card share its firmware."""
    cards = set()
    for firmware in done:
        card = firmware.nic.pci.rsplit(".", 1)[0]
        if any(f["severity"] == "error" for f in firmware.findings) or not firmware.pending() or card in cards:
            continue
        cards.add(card)
        firmware.reset(module.params["reset_level"])
        if firmware.reset_done:
            for other in done:
                if other is not firmware and other.nic.pci.startswith(f"{card}."):
                    other.reset_done = True
                    other.refresh()


def main():
    """Entry point."""
    module = AnsibleModule(argument_spec=options(), supports_check_mode=True)
    p = module.params
    system = System(p["root"], p["path"], timeout=300)
    result = {"changed": False, "nics": {}, "reset_needed": [], "unsupported": [], "findings": [], "diff": []}
    done = [firmware for firmware in (_one(module, system, nic, result) for nic in p["nics"]) if firmware]
    if p["allow_reset"]:
        _reset(module, done)
    before, after = {}, {}
    for firmware in done:
        result["nics"][firmware.name] = firmware.facts()
        result["changed"] = result["changed"] or firmware.changed
        result["unsupported"] += firmware.unsupported
        for lack in firmware.unsupported:
            module.warn(f"{lack['nic']}: {lack['key']} stays as it is: {lack['reason']} ({lack['remedy']})")
        result["findings"] += firmware.findings
        differing = {name: entry for name, entry in firmware.entries.items() if entry["changed"]}
        if differing:
            before[firmware.name] = {name: entry["next"] for name, entry in differing.items()}
            after[firmware.name] = {name: entry["wanted"] for name, entry in differing.items()}
        if firmware.pending() and not firmware.reset_done:
            result["reset_needed"].append(firmware.name)
    if before:
        result["diff"].append(
            {
                "before_header": "firmware settings for the next boot",
                "after_header": "firmware settings for the next boot",
                "before": json.dumps(before, indent=2, sort_keys=True) + "\n",
                "after": json.dumps(after, indent=2, sort_keys=True) + "\n",
            }
        )
    finish(module, result, [finding for finding in result["findings"] if finding["severity"] == "error"])


if __name__ == "__main__":
    main()
