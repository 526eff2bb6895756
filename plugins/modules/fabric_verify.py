#!/usr/bin/python
# Copyright: lossless.fabric contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fabric_verify
short_description: Hold the state of all switches and hosts against the intent, both ends of every link
version_added: 0.1.0
description:
  - Compares what M(lossless.fabric.switch_facts) read on each switch with its model, and the two ends of every link with each
    other. Each finding says what was expected, what was found, on which device and port, what it does to the traffic and what to
    do about it.
  - Checked are reachability, ports without link, speed, administrative state, MTU, VLANs and mode, addresses, FEC, PFC and its
    priorities, trust, DSCP map, cabling by LLDP (swapped cables are recognised), errors above 0.001 % of packets, CRC errors, drops
    in lossless queues and PFC watchdog events.
  - With O(hosts) the NICs are checked in the same way, and held against their switch ports. Link, MTU, VLANs, addresses, PFC and its
    priorities, global pause, trust, DSCP map, the switch port by LLDP, and the priority that the switch gives to what the host sends.
  - A value that a platform does not tell gives no finding; how many comparisons were not possible is counted per check.
  - Runs once for all switches (C(run_once)); contacts no device.
author:
  - lossless.fabric contributors (@lossless)
options:
  switches:
    description:
      - Inventory names of the switches to verify. Their models are the host variables C(switch). The default is the group
        C(switches). Links to switches that are not listed count as not checked.
      - The models of attached hosts (host variable C(host)) are used where the inventory has them.
    type: list
    elements: str
  facts_var:
    description:
      - Name of the variable under which the task with M(lossless.fabric.switch_facts) was registered. A switch without facts is
        a finding, with the message of that task.
    type: str
    default: switch_state
  hosts:
    description:
      - Inventory names of the GPU hosts to verify. Their models are the host variables C(host). By default none.
    type: list
    elements: str
    default: []
  host_facts_var:
    description:
      - Name of the variable under which the task with M(lossless.fabric.host_facts) and its option C(nics) was registered. A host
        without facts is a finding, with the message of that task.
    type: str
    default: host_state
  report:
    description: JSON file that is written on the control node. Not written in check mode.
    type: path
  fail_on:
    description: The lowest severity that makes the task fail, so that C(ansible-playbook) exits with code 2.
    type: str
    default: error
    choices: [error, warning, never]
attributes:
  check_mode:
    support: full
    description: Verifies, and does not write the report.
  diff_mode:
    support: none
    description: Nothing is changed.
  platform:
    support: full
    platforms: cumulus, eos, nxos
    description: The operating systems of the switches.
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
seealso:
  - module: lossless.fabric.switch_facts
  - module: lossless.fabric.host_facts
  - module: lossless.fabric.drift_report
"""

EXAMPLES = r"""
- name: Read the state of the switches
  lossless.fabric.switch_facts:
    model: "{{ switch }}"
  register: switch_state
  failed_when: false # a switch that cannot be read is a finding

- name: Verify the fabric
  lossless.fabric.fabric_verify:
    switches: "{{ ansible_play_hosts_all }}"
    report: "{{ inventory_dir }}/reports/verify.json"
  run_once: true
"""

RETURN = r"""
msg:
  description: The result in one line. The findings are printed as a table before it.
  returned: always
  type: str
  sample: 1 error, 0 warnings on 6 switches and 48 ports
summary:
  description: Figures of this run.
  returned: always
  type: dict
  contains:
    switches:
      description: Switches that were verified.
      type: int
      sample: 6
    unreachable:
      description: Switches without facts.
      type: list
      elements: str
      sample: []
    ports:
      description: Ports of all models.
      type: int
      sample: 48
    hosts:
      description: Hosts that were verified.
      type: int
      sample: 2
    unreachable_hosts:
      description: Hosts without facts.
      type: list
      elements: str
      sample: []
    errors:
      description: Findings of severity error.
      type: int
      sample: 1
    warnings:
      description: Findings of severity warning.
      type: int
      sample: 0
    checked:
      description: Comparisons that were made.
      type: int
      sample: 1120
    not_checked:
      description: Comparisons that were not possible.
      type: int
      sample: 12
report:
  description: The file with all findings.
  returned: always
  type: str
  sample: inventories/lab/reports/verify.json
findings:
  description: Everything that is not as it should be, errors first, then by device and port.
  returned: when the task does not fail; otherwise they are in O(report)
  type: list
  elements: dict
  contains:
    check:
      description: Name of the check.
      type: str
      sample: mtu
    severity:
      description: V(error) or V(warning).
      type: str
      sample: error
    device:
      description: Switch or host.
      type: str
      sample: leaf01
    port:
      description: Port or NIC; empty when the finding concerns the device.
      type: str
      sample: Ethernet1/1
    expected:
      description: As it should be.
      type: str
      sample: 9214 bytes
    actual:
      description: As it is.
      type: str
      sample: 1500 bytes
    why:
      description: What it does to the traffic.
      type: str
      sample: packets above 1500 bytes are lost at this hop
    remedy:
      description: What to do.
      type: str
      sample: apply the intent to the switch (site.yml)
"""
