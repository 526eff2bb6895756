#!/usr/bin/python
# Copyright: lossless.fabric contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fabric_plan
short_description: Write the plan of a fabric as report, cabling list, address list and picture
version_added: 0.1.0
description:
  - Plans the fabric of an intent file and writes C(plan.md), C(plan.html) (one self-contained page with the topology),
    C(cabling.csv) (both ends, length, label), C(addresses.csv) and C(topology.clab.yml) (for containerlab).
  - The files are deterministic, so that a change of the intent can be reviewed as their diff. Contacts nothing.
author:
  - lossless.fabric contributors (@lossless)
options:
  intent:
    description: The intent file.
    type: path
    required: true
  dest:
    description: Folder for the files.
    type: path
    required: true
attributes:
  check_mode:
    support: full
    description: Says which files would change and writes none.
  diff_mode:
    support: full
    description: Shows the difference of each file but the HTML page.
  platform:
    support: full
    platforms: posix
    description: Runs on the control node.
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
"""

EXAMPLES = r"""
- name: Write the plan
  lossless.fabric.fabric_plan:
    intent: inventories/example/fabric.yml
    dest: inventories/example/plan
"""

RETURN = r"""
files:
  description: The files of the plan.
  returned: success
  type: list
  elements: str
  sample: [inventories/example/plan/plan.md]
"""
