#!/usr/bin/python
# Copyright: lossless.fabric contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: drift_report
short_description: Report how the switches differ from the intent
version_added: 0.1.0
description:
  - Collects the results of M(lossless.fabric.switch_config) in check mode (or with O(lossless.fabric.switch_config#module:state=planned))
    of all switches into one report per device and section, as text, as a JSON file and as metrics for Prometheus.
  - The task fails when a switch differs, so that C(ansible-playbook) exits with code 2, and when a switch could not be compared.
  - Runs once for all switches (C(run_once)); contacts no device and changes nothing.
author:
  - lossless.fabric contributors (@lossless)
options:
  switches:
    description: Inventory names of the switches. The default is the group C(switches).
    type: list
    elements: str
  results_var:
    description: Name of the variable under which the task with M(lossless.fabric.switch_config) was registered.
    type: str
    default: switch_plan
  report:
    description: JSON file that is written on the control node. Not written in check mode.
    type: path
  metrics:
    description:
      - File for the textfile collector of node_exporter, with C(lossless_drift_lines) per device and concern,
        C(lossless_drift_devices), C(lossless_drift_unreachable) (switches that could not be compared) and
        C(lossless_drift_timestamp_seconds). Not written in check mode.
    type: path
  corrected:
    description:
      - The same run corrects the drift, so that drift does not make the task fail. A switch that could not be compared still does.
    type: bool
    default: false
attributes:
  check_mode:
    support: full
    description: Reports, and does not write the files.
  diff_mode:
    support: none
    description: The differences are the report.
  platform:
    support: full
    platforms: cumulus, eos, nxos
    description: The operating systems of the switches.
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
seealso:
  - module: lossless.fabric.switch_config
  - module: lossless.fabric.fabric_verify
"""

EXAMPLES = r"""
- name: Compare each switch with its intended configuration
  lossless.fabric.switch_config:
    model: "{{ switch }}"
  check_mode: true
  register: switch_plan
  failed_when: false # a switch that cannot be compared is in the report

- name: Report the drift
  lossless.fabric.drift_report:
    switches: "{{ ansible_play_hosts_all }}"
    report: "{{ inventory_dir }}/reports/drift.json"
    metrics: /var/lib/node_exporter/textfile/lossless_drift.prom
  run_once: true
"""

RETURN = r"""
msg:
  description: The result in one line. The report is printed as text before it.
  returned: always
  type: str
  sample: Drift on 1 of 6 switches
summary:
  description: Figures of this run.
  returned: always
  type: dict
  contains:
    switches:
      description: Switches that were looked at.
      type: int
      sample: 6
    in_sync:
      description: Switches that are as intended.
      type: int
      sample: 5
    drift:
      description: Switches that differ.
      type: int
      sample: 1
    not_compared:
      description: Switches that could not be read or whose plan failed.
      type: int
      sample: 0
    lines:
      description: Configuration lines that differ.
      type: int
      sample: 2
report:
  description: The JSON file.
  returned: always
  type: str
  sample: inventories/lab/reports/drift.json
switches:
  description: Every switch, by name.
  returned: when the task does not fail; otherwise they are in O(report)
  type: list
  elements: dict
  contains:
    name:
      description: Inventory name.
      type: str
      sample: leaf01
    state:
      description: V(in_sync), V(drift), V(failed) or V(unreachable).
      type: str
      sample: drift
    release:
      description: Software release of the switch.
      type: str
      sample: 4.32.2F
    lines:
      description: Configuration lines that differ.
      type: int
      sample: 2
    sections:
      description: What differs, as M(lossless.fabric.switch_config) returns it.
      type: list
      elements: dict
      sample: [{"concern": "ports", "path": ["interface Ethernet1/1"], "before": ["mtu 1500"], "after": ["mtu 9214"]}]
    disruptions:
      description: Parts of the correction that may drop traffic or flap a link.
      type: list
      elements: dict
      sample: []
    message:
      description: Why the switch could not be compared.
      type: str
      sample: ""
"""
