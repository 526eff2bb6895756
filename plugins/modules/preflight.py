#!/usr/bin/python
# Copyright: lossless.fabric contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: preflight
short_description: Check whether a GPU host is fit for the fabric before anything is installed
version_added: 0.1.0
description:
  - Reads the host with one call of M(lossless.fabric.host_facts) and holds it against what its server type promises. Each finding says
    expected, actual, why it matters and what to do.
  - Checked are GPU and NIC number, PCIe width and generation, ACS, IOMMU and C(iommu=pt), SR-IOV, Above-4G decoding, memory lock
    limits, driver and Fabric Manager, module versions and signatures, DKMS, NUMA placement, NIC firmware, BIOS, read request size,
    link state and GPUDirect. C(docs/hosts/preflight.md) has the list.
  - A value that could not be read is reported as unknown, never as good.
  - Only reads. Prints a table; the complete result is in O(report).
author:
  - lossless.fabric contributors (@lossless)
options:
  model:
    description: The model of the host; C(docs/model.md) describes it. The default is the host variable C(host), where there is one.
    type: dict
  hardware:
    description: What is expected of the server type, in place of C(hardware) of the model.
    type: dict
  facts:
    description: Facts that were read before; without them the host is read.
    type: dict
  root:
    description: Folder that holds the machine; see M(lossless.fabric.host_facts).
    type: path
    default: /
  waivers:
    description:
      - Findings to live with. Each has C(check), C(reason), C(until) (the last day, YYYY-MM-DD) and optionally C(subject), with wildcards.
      - After its last day a waiver has no effect; one that matches nothing is reported.
    type: list
    elements: dict
    default: []
  skip:
    description: Names of checks that are not made.
    type: list
    elements: str
    default: []
  report:
    description: JSON file that is written on the control node. Not written in check mode.
    type: path
  fail_on:
    description: The lowest severity that makes the task fail.
    type: str
    default: error
    choices: [error, warning, never]
  fail_unknown:
    description: Also fail when a value could not be read.
    type: bool
    default: false
  show_all:
    description: Print also what passed, and a table of the RDMA ports (C(links) of the report).
    type: bool
    default: false
  mlxlink:
    description: Also ask C(mlxlink) or C(mstlink) about every RDMA NIC, which takes a second or two for each; its answers are in the report.
    type: bool
    default: false
attributes:
  check_mode:
    support: full
    description: Checks, and does not write the report.
  diff_mode:
    support: none
    description: Nothing is changed.
  platform:
    support: full
    platforms: linux
    description: Hosts with Linux.
  facts:
    support: full
    description: The facts are also set as C(ansible_facts.host_facts).
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
  - ansible.builtin.action_common_attributes.facts
seealso:
  - module: lossless.fabric.host_facts
"""

EXAMPLES = r"""
- name: Check the host
  lossless.fabric.preflight:
    report: "{{ inventory_dir }}/reports/preflight/{{ inventory_hostname }}.json"
    waivers:
      - check: pcie_width
        subject: "NIC 0000:5e:00.0*"
        reason: riser ordered, ticket 4711
        until: "2027-03-31"
"""

RETURN = r"""
msg:
  description: The result in one line, with the first finding. The table is printed before it.
  returned: always
  type: str
  sample: "gpu01: 1 error, 0 warnings, 0 waived, 41 passed, 2 could not be read; first: acs bridge 0000:17:01.0: expected off, found ReqRedir+ (...)"
summary:
  description: C(errors), C(warnings), C(waived), C(unknown), C(skipped) and C(passed).
  returned: always
  type: dict
  sample: {"errors": 1, "warnings": 0, "waived": 0, "unknown": 2, "skipped": 3, "passed": 41}
report:
  description: The file with all results; empty when none was asked for.
  returned: always
  type: str
  sample: inventories/lab/reports/preflight/gpu01.json
findings:
  description: What failed, is waived or could not be read.
  returned: when the task does not fail; otherwise they are in O(report) and in the table
  type: list
  elements: dict
  contains:
    check:
      description: Name of the check.
      type: str
      sample: pcie_width
    severity:
      description: V(error) or V(warning).
      type: str
      sample: error
    status:
      description: V(fail), V(waived) or V(unknown).
      type: str
      sample: fail
    subject:
      description: Device or part of the host; empty for the whole host.
      type: str
      sample: NIC 0000:5e:00.0 (mlx5_4)
    expected:
      description: As it should be.
      type: str
      sample: x16
    actual:
      description: As it is.
      type: str
      sample: x8
    why:
      description: Why it matters.
      type: str
      sample: half the lanes are half the bandwidth between GPU, NIC and memory
    remedy:
      description: What to do.
      type: str
      sample: reseat the card or riser and clean its contacts
    waiver:
      description: Reason and last day of the waiver.
      type: str
      sample: riser ordered, ticket 4711 (until 2027-03-31)
"""
