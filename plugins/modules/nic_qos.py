#!/usr/bin/python
# Copyright: lossless.fabric contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RoCE QoS of the NICs of a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: nic_qos
short_description: Make the NICs of a host lossless for RoCEv2, now and after every boot
version_added: 0.1.0
description:
  - Reads trust, DSCP map, PFC, ETS, buffers, DCQCN, marking and global pause of every NIC, compares with the fabric's policy,
    writes only what differs and reads it back.
  - Works through mlnx_qos and the sysfs files of OFED and DOCA, or through dcb of iproute2, configfs, debugfs and mlxconfig with
    the kernel's own driver; which one is found out for each NIC. What cannot be done on a NIC is listed in C(unsupported).
  - Installs its own code, the wanted state and a systemd unit that udev starts when a NIC appears, so that boot and driver reload
    bring the settings back without Ansible.
  - All NICs of a host in one call. A NIC that fails does not keep the others from being set; the task fails at the end.
author:
  - lossless.fabric contributors (@lossless)
options:
  state:
    description: "V(present): settings and the parts that keep them. V(absent): the parts are removed; settings stay until the next boot."
    type: str
    choices: [present, absent]
    default: present
  roce:
    description: RoCE policy, C(host.roce) of the model.
    type: dict
    suboptions:
      profile:
        description: Name of the policy. Not used.
        type: str
      trust:
        description: Field of a packet that decides its class.
        type: str
        choices: [dscp, cos]
        default: dscp
      priority:
        description: Priority of RoCE data, the one lossless priority.
        type: int
        default: 3
      dscp:
        description: DSCP of RoCE data; senders mark with the first.
        type: list
        elements: int
        default: [26]
      cnp_priority:
        description: Priority of congestion notification packets.
        type: int
        default: 6
      cnp_dscp:
        description: DSCP of congestion notification packets; senders mark with the first.
        type: list
        elements: int
        default: [48]
  nics:
    description: NICs to set.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: Name in the model.
        type: str
        required: true
      device:
        description: Network interface or PCI address. The default is the name.
        type: str
      cable_length:
        description: Metres of cable; decides the thresholds of the receive buffer.
        type: int
      priority_to_buffer:
        description: Receive buffer of each of the eight priorities. The default leaves it to the NIC.
        type: list
        elements: int
      buffer_size:
        description: Bytes of each of the eight receive buffers. The default leaves it to the NIC.
        type: list
        elements: int
  default_priority:
    description: Priority of every DSCP that is neither RoCE nor CNP.
    type: int
    default: 0
  roce_share:
    description: Percent of what CNP leaves that RoCE gets when the port is full; the rest goes to everything else. 0 leaves ETS alone.
    type: int
    default: 50
  ect:
    description: Say ECN-capable (ECT 0) in the type of service of RDMA-CM and in the traffic class.
    type: bool
    default: true
  dcqcn:
    description: Congestion control.
    type: dict
    suboptions:
      enabled:
        description: Notification and reaction point of the lossless priority. Other priorities are left alone.
        type: bool
        default: true
      parameters:
        description: Parameters by the name of the OFED sysfs file, for example C(rpg_ai_rate). The others stay as they are.
        type: dict
        default: {}
  allow_link_flap:
    description: Allow changes for which the driver drops the link for a moment (PFC on mlx5) while the link is up.
    type: bool
    default: false
  backend:
    description: Which tools are used; V(auto) finds out.
    type: str
    choices: [auto, ofed, inbox]
    default: auto
  drivers:
    description: Drivers whose NICs are taken.
    type: list
    elements: str
    default: [mlx5_core]
  required:
    description: Settings without which the task fails for a NIC.
    type: list
    elements: str
    default: [global_pause, pfc, trust, dscp_to_priority]
  firmware:
    description: With the kernel's own driver, keep in the firmware (mlxconfig, effective after a reset) what it cannot set itself.
    type: bool
    default: true
  persist:
    description: Install the parts that keep the settings over boots and driver reloads.
    type: bool
    default: true
  folders:
    description: Where the parts go.
    type: dict
    suboptions:
      library:
        description: Program.
        type: path
        default: /usr/local/lib/lossless-fabric
      state:
        description: Wanted state as JSON.
        type: path
        default: /etc/lossless-fabric
      units:
        description: systemd units.
        type: path
        default: /etc/systemd/system
      rules:
        description: udev rules.
        type: path
        default: /etc/udev/rules.d
attributes:
  check_mode:
    support: full
    description: Reads everything and tells exactly what a run would write.
  diff_mode:
    support: full
    description: Shows each setting that differs and each file.
  platform:
    support: full
    platforms: posix
    description: Linux hosts with mlx5 NICs (ConnectX-4 and newer, BlueField).
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
  - lossless.fabric.folders
seealso:
  - module: lossless.fabric.nic_firmware
"""

EXAMPLES = r"""
- name: Make the rails lossless
  lossless.fabric.nic_qos:
    roce: "{{ host.roce }}"
    nics:
      - {name: rail0, device: "0000:1a:00.0", cable_length: 3}
      - {name: rail1, device: ens2f0np0, cable_length: 5}
    allow_link_flap: true

- name: Tell what differs, change nothing
  lossless.fabric.nic_qos:
    roce: "{{ host.roce }}"
    nics: [{name: rail0}]
  check_mode: true
  register: qos
"""

RETURN = r"""
nics:
  description: Each NIC with its devices, back end and settings (before, after, changed, by).
  returned: state is present
  type: dict
  sample: {rail0: {interface: ens1f0np0, backend: ofed, settings: {pfc: {before: [], after: [3], changed: true, by: mlnx_qos}}}}
unsupported:
  description: What a NIC cannot be set to, why, and what to do instead.
  returned: state is present
  type: list
  elements: dict
  sample: [{nic: rail0, key: traffic_class, wanted: 106, reason: "the kernel's own driver has no ...", remedy: "set NCCL_IB_TC"}]
findings:
  description: Errors and warnings with expected, actual, where and remedy.
  returned: state is present
  type: list
  elements: dict
files:
  description: Files that were written or removed.
  returned: always
  type: list
  elements: str
reloaded:
  description: Commands that told systemd and udev.
  returned: always
  type: list
  elements: str
"""

import json

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.lossless.fabric.plugins.module_utils.nic import persist, settings
from ansible_collections.lossless.fabric.plugins.module_utils.nic.answer import finish
from ansible_collections.lossless.fabric.plugins.module_utils.nic.converge import Options, converge
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem, System


def options():
    """Argument specification; tests compare it with DOCUMENTATION."""
    roce = {
        "profile": {"type": "str"},
        "trust": {"type": "str", "choices": ["dscp", "cos"], "default": "dscp"},
        "priority": {"type": "int", "default": 3},
        "dscp": {"type": "list", "elements": "int", "default": [26]},
        "cnp_priority": {"type": "int", "default": 6},
        "cnp_dscp": {"type": "list", "elements": "int", "default": [48]},
    }
    nic = {
        "name": {"type": "str", "required": True},
        "device": {"type": "str"},
        "cable_length": {"type": "int"},
        "priority_to_buffer": {"type": "list", "elements": "int"},
        "buffer_size": {"type": "list", "elements": "int"},
    }
    dcqcn = {"enabled": {"type": "bool", "default": True}, "parameters": {"type": "dict", "default": {}}}
    folders = {
        "library": {"type": "path", "default": "/usr/local/lib/lossless-fabric"},
        "state": {"type": "path", "default": "/etc/lossless-fabric"},
        "units": {"type": "path", "default": "/etc/systemd/system"},
        "rules": {"type": "path", "default": "/etc/udev/rules.d"},
    }
    return {
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "roce": {"type": "dict", "apply_defaults": True, "options": roce},
        "nics": {"type": "list", "elements": "dict", "default": [], "options": nic},
        "default_priority": {"type": "int", "default": 0},
        "roce_share": {"type": "int", "default": 50},
        "ect": {"type": "bool", "default": True},
        "dcqcn": {"type": "dict", "apply_defaults": True, "options": dcqcn},
        "allow_link_flap": {"type": "bool", "default": False},
        "backend": {"type": "str", "choices": ["auto", "ofed", "inbox"], "default": "auto"},
        "drivers": {"type": "list", "elements": "str", "default": ["mlx5_core"]},
        "required": {
            "type": "list",
            "elements": "str",
            "default": ["global_pause", "pfc", "trust", "dscp_to_priority"],
        },
        "firmware": {"type": "bool", "default": True},
        "persist": {"type": "bool", "default": True},
        "folders": {"type": "dict", "apply_defaults": True, "options": folders},
        "root": {"type": "path", "default": "/"},
        "path": {"type": "list", "elements": "path", "default": []},
    }


def _ranges(module):
    """Numbers that the argument specification cannot limit."""
    p, roce = module.params, module.params["roce"]
    checks = [("roce_share", p["roce_share"], 0, 99), ("default_priority", p["default_priority"], 0, 7)]
    checks += [(f"roce.{name}", roce[name], 0, 7) for name in ("priority", "cnp_priority")]
    checks += [(f"roce.{name}", value, 0, 63) for name in ("dscp", "cnp_dscp") for value in roce[name]]
    for nic in p["nics"]:
        checks += [(f"cable_length of {nic['name']}", nic["cable_length"], 1, 1000)] if nic["cable_length"] else []
        checks += [(f"priority_to_buffer of {nic['name']}", v, 0, 7) for v in nic["priority_to_buffer"] or ()]
        for name in ("priority_to_buffer", "buffer_size"):
            if nic[name] and len(nic[name]) != 8:
                module.fail_json(msg=f"expected eight numbers in {name} of {nic['name']}, found {len(nic[name])}")
    for name, value, low, high in checks:
        if not low <= value <= high:
            module.fail_json(msg=f"expected {name} from {low} to {high}, found {value} (correct it)")
    for name in ("dscp", "cnp_dscp"):
        if not roce[name]:
            module.fail_json(msg=f"expected at least one DSCP in roce.{name}, found none (correct the intent)")
    unknown = sorted(set(p["required"]) - set(settings.ORDER))
    if unknown:
        module.fail_json(
            msg=f"expected settings of {', '.join(settings.ORDER)} in required, found {', '.join(unknown)}"
        )


def _present(module, system, result):
    p = module.params
    chosen = Options(
        check=module.check_mode,
        backend=p["backend"],
        drivers=p["drivers"],
        required=p["required"],
        allow_link_flap=p["allow_link_flap"],
        firmware=p["firmware"],
    )
    outcomes, kept = [], []
    text = system.read(f"{p['folders']['state']}/{persist.STATE}")
    earlier = {nic["device"]: nic for nic in json.loads(text)["nics"]} if text else {}
    for nic in p["nics"]:
        given = nic["device"] or nic["name"]
        values = settings.wanted(p["roce"], p, nic)
        outcome = converge(system, nic["name"], given, values, chosen)
        outcomes.append(outcome)
        if outcome.skipped:
            module.warn(f"{nic['name']} ({given}) was left alone: {outcome.skipped}")
        where = outcome.nic.pci or outcome.nic.interface
        if outcome.refused and where in earlier:
            kept.append(earlier[where])  # boot goes on with what was allowed last
        elif not outcome.refused and not outcome.skipped:
            kept.append({"name": nic["name"], "device": where, "settings": values})
    state = {"version": 1, "backend": p["backend"], "drivers": p["drivers"], "required": p["required"], "nics": kept}
    result["nics"] = {o.name: o.facts() for o in outcomes}
    result["unsupported"] = [lack for o in outcomes for lack in o.unsupported]
    result["findings"] = [finding for o in outcomes for finding in o.findings]
    result["changed"] = any(o.changed for o in outcomes)
    differing = {
        o.name: {key: entry for key, entry in o.settings.items() if entry["changed"]} for o in outcomes if o.changed
    }
    if differing:
        sides = {
            side: {name: {key: e[side] for key, e in entries.items()} for name, entries in differing.items()}
            for side in ("before", "after")
        }
        result["diff"].append(
            {
                "before_header": "NIC settings",
                "after_header": "NIC settings",
                "before": json.dumps(sides["before"], indent=2, sort_keys=True) + "\n",
                "after": json.dumps(sides["after"], indent=2, sort_keys=True) + "\n",
            }
        )
    errors = [finding for o in outcomes for finding in o.errors]
    return state, errors


def _files(module, system, state, result):
    p = module.params
    folders = persist.Folders(**p["folders"])
    if state is None:
        changes = persist.remove(system, folders, module.check_mode)
    else:
        changes = persist.install(system, folders, persist.parts(folders, state), module.check_mode)
    result["files"] = [change["path"] for change in changes]
    result["changed"] = result["changed"] or bool(changes)
    for change in changes:
        # Code is named, not shown: its text is in the collection.
        show = not change["path"].endswith((".py", "/nic-qos"))
        sides = {
            s: ((change[s] or "") if show else ("" if change[s] is None else f"code, {len(change[s])} bytes\n"))
            for s in ("before", "after")
        }
        result["diff"].append({"before_header": change["path"], "after_header": change["path"], **sides})
    if changes and not module.check_mode:
        result["reloaded"] = persist.reload(system, changes)


def main():
    """Entry point."""
    module = AnsibleModule(argument_spec=options(), supports_check_mode=True)
    _ranges(module)
    system = System(module.params["root"], module.params["path"])
    result = {"changed": False, "files": [], "reloaded": [], "diff": []}
    errors = []
    try:
        if module.params["state"] == "absent":
            _files(module, system, None, result)
        else:
            state, errors = _present(module, system, result)
            if module.params["persist"]:
                _files(module, system, state, result)
    except (Problem, ValueError, OSError) as error:
        module.fail_json(msg=str(error), **result)
    finish(module, result, errors)


if __name__ == "__main__":
    main()
