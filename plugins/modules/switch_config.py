#!/usr/bin/python
# Copyright: lossless.fabric contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: switch_config
short_description: Bring a switch to its intended lossless configuration
version_added: 0.1.0
description:
  - Renders the configuration of a switch from its model, reads the switch, and changes what differs in one transaction with
    automatic rollback. Works on NVIDIA Cumulus Linux (NVUE), Arista EOS and Cisco NX-OS.
  - Only what the model owns is compared and changed; see the page of the platform in C(docs/platforms/). Everything else on the
    switch is neither touched nor shown.
  - The work is done by an action plugin on the control node over one SSH session with netmiko. Address, user and credentials are
    the usual connection variables of Ansible (C(ansible_host), C(ansible_port), C(ansible_user), C(ansible_password),
    C(ansible_ssh_private_key_file)).
author:
  - lossless.fabric contributors (@lossless)
options:
  model:
    description:
      - The model of the switch. C(docs/model.md) describes it. The default is the host variable C(switch).
    type: dict
  state:
    description:
      - V(replaced) makes the owned configuration equal to the intended one. Check mode reads the switch and predicts the change.
      - V(planned) computes the same change and does not make it. A switch that needs a change joins the group C(rollout_WAVE),
        WAVE being its host variable C(switch_wave), so that the next plays of a playbook can roll out in order, or in check mode
        predict.
      - V(rolled_back) gives the switch the owned configuration that it had before the last run that changed the site.
      - V(rendered) returns the intended configuration without contacting the switch; with O(dest) it also writes it to a file.
      - V(gathered) returns the owned configuration of the switch.
      - V(parsed) returns the owned part of O(running_config) without contacting the switch.
    type: str
    default: replaced
    choices: [replaced, planned, rolled_back, rendered, gathered, parsed]
  running_config:
    description: A running configuration as the platform prints it, for O(state=parsed).
    type: str
  dest:
    description: File on the control node that O(state=rendered) writes.
    type: path
  templates:
    description:
      - Folders that are searched for C(PLATFORM/CONCERN.j2) before the templates of the collection.
      - The default is the host variable C(switch_templates).
    type: list
    elements: path
  allow_disruptive:
    description:
      - Allow changes that may drop traffic or flap a link. Without it such a change fails with the list of what it would do.
      - The default is the host variable C(switch_allow_disruptive), else V(false).
    type: bool
  confirm_timeout:
    description:
      - Seconds after which the switch undoes the change by itself when it was not confirmed over a new session.
      - NX-OS counts in minutes and rounds up.
    type: int
    default: 300
  save:
    description: Save the configuration for the next boot after a confirmed change.
    type: bool
    default: true
  history:
    description:
      - Folder on the control node where the owned configuration before each change is kept, for O(state=rolled_back).
    type: path
  cache:
    description:
      - For O(state=planned), remember the hash of a running configuration that needs no change, together with the model, the
        templates and the code that found so, in C(.state/unchanged) beside the inventory. As long as none of them differs by a
        single character, the next plan only reads the switch.
      - The default is the host variable C(switch_cache), else V(false).
    type: bool
  known_hosts:
    description:
      - File with the host keys of the switches. The default is the host variable C(switch_known_hosts), else the known hosts of
        the user and the system.
    type: path
attributes:
  check_mode:
    support: full
    description: Contacts the switch, changes nothing and predicts the diff exactly.
  diff_mode:
    support: full
    description: Shows the owned lines that differ, per concern.
  platform:
    support: full
    platforms: cumulus, eos, nxos
    description: The operating systems of the switches.
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
seealso:
  - module: lossless.fabric.switch_facts
"""

EXAMPLES = r"""
- name: Show what would change
  lossless.fabric.switch_config:
  check_mode: true
  diff: true

- name: Bring the switch to its intended configuration, keep what it was
  lossless.fabric.switch_config:
    history: "{{ inventory_dir }}/.state/history"
    known_hosts: "{{ inventory_dir }}/known_hosts"

- name: Write the intended configuration to a file for review
  lossless.fabric.switch_config:
    state: rendered
    dest: "{{ inventory_dir }}/intended/{{ inventory_hostname }}.cfg"
"""

RETURN = r"""
before:
  description: Owned configuration as it was, in the form of the platform (command lines; YAML for NVUE).
  returned: for O(state=replaced), O(state=planned) and O(state=rolled_back), when something differs
  type: str
  sample: |-
    interface Ethernet1/1
       mtu 1500
after:
  description: Owned configuration afterwards; in check mode the predicted one.
  returned: as RV(before)
  type: str
  sample: |-
    interface Ethernet1/1
       mtu 9214
commands:
  description: What is sent to change the configuration, in order.
  returned: for O(state=replaced), O(state=planned) and O(state=rolled_back)
  type: list
  elements: str
  sample: [interface Ethernet1/1, mtu 9214, exit]
sections:
  description: What differs, per concern and section.
  returned: as RV(commands)
  type: list
  elements: dict
  contains:
    concern:
      description: One of vlans, qos, ports, lldp, ecmp, bonds, underlay.
      type: str
      sample: ports
    path:
      description: The section, outermost first.
      type: list
      elements: str
      sample: [interface Ethernet1/1]
    before:
      description: Lines that go.
      type: list
      elements: str
      sample: [mtu 1500]
    after:
      description: Lines that come.
      type: list
      elements: str
      sample: [mtu 9214]
disruptions:
  description: Parts of the change that may drop traffic or flap a link.
  returned: as RV(commands)
  type: list
  elements: dict
  contains:
    kind:
      description: Key of the disruption table of the platform.
      type: str
      sample: port-speed
    where:
      description: Port or object.
      type: str
      sample: interface Ethernet1/1
    reason:
      description: What may happen.
      type: str
      sample: the link goes down and comes up at the new speed
saved:
  description: Whether the configuration was saved for the next boot by this task.
  returned: as RV(commands)
  type: bool
  sample: true
release:
  description: Software release of the switch.
  returned: as RV(commands)
  type: str
  sample: 4.32.2F
notes:
  description: What else was done, for example leftovers of an interrupted run that were removed.
  returned: as RV(commands)
  type: list
  elements: str
  sample: []
rendered:
  description: The intended configuration.
  returned: for O(state=rendered)
  type: str
  sample: |-
    vlan 100
       name rail0
gathered:
  description: The owned configuration of the switch.
  returned: for O(state=gathered)
  type: str
  sample: |-
    vlan 100
       name rail0
parsed:
  description: The owned part of O(running_config).
  returned: for O(state=parsed)
  type: str
  sample: |-
    vlan 100
       name rail0
"""
