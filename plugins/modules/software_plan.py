#!/usr/bin/python
# Copyright: lossless.fabric contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: software_plan
short_description: Plan what to install on a GPU host, and refuse what does not go together
version_added: 0.1.0
description:
  - Reads the host with one call of M(lossless.fabric.software_facts), checks the versions of the whole stack against the compatibility
    matrix, and plans what differs from the wanted state. Contacts no repository and changes nothing; the roles carry the plan out.
  - Versions come from the variables of the roles C(rdma_stack), C(nvidia_driver), C(cuda) and C(gpudirect) as far as the play has them,
    otherwise from what is installed; so a conflict is found by the first role, before anything is installed.
  - In check mode RV(ignore:changed) says whether the roles would change something, and the diff shows what.
author:
  - lossless.fabric contributors (@lossless)
options:
  component:
    description: Part of the stack.
    type: str
    required: true
    choices: [rdma_stack, nvidia_driver, cuda, gpudirect]
  settings:
    description: Settings of that part, as its role gives them.
    type: dict
    required: true
  matrix:
    description: Rows that are added to the compatibility matrix or replace rows of the same name; C(docs/hosts/software.md) describes them.
    type: list
    elements: dict
    default: []
  expect:
    description:
      - After carrying out the plan, what must be so; otherwise the task fails and names what is left.
      - V(installed) is everything but modules and services that a reboot would start, V(running) is everything.
    type: str
    choices: [anything, installed, running]
    default: anything
  allow_reboot:
    description:
      - Whether the role may reboot the host. Without it, what waits for a reboot is a warning, and no change that check mode predicts.
    type: bool
    default: false
  root:
    description: Folder that holds the machine; see M(lossless.fabric.host_facts).
    type: path
    default: /
attributes:
  check_mode:
    support: full
    description: Predicts the changes of the role.
  diff_mode:
    support: full
    description: Files as they will be, and packages.
  platform:
    support: full
    platforms: linux
    description: Ubuntu 22.04 and 24.04, Debian 12, Red Hat Enterprise Linux 8 and 9 and rebuilds.
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
seealso:
  - module: lossless.fabric.software_facts
  - module: lossless.fabric.software_files
"""

EXAMPLES = r"""
- name: Plan CUDA and NCCL
  lossless.fabric.software_plan:
    component: cuda
    settings:
      version: "13.0"
      toolkit: true
      nccl_version: 2.28.9
      hold: true
      repository:
        url: http://mirror.example.org/cuda/{platform}/{architecture}/
        apt_key_url: http://mirror.example.org/cuda/key.pub
        apt_fingerprints: [EB693B3035CD5710E231E123A4B469963BF863CC]
        dnf_key_url: http://mirror.example.org/cuda/key.pub
        dnf_fingerprints: [610C7B14E068A878070DA4E99CD0A493D42D0685]
"""

RETURN = r"""
check_mode:
  description: Whether this was check mode; then C(changed) says whether the role would change something.
  returned: always
  type: bool
msg:
  description: The steps in one line, or that everything is as wanted, or why nothing is wanted on this host.
  returned: always
  type: str
  sample: "trust the key of repository cuda; install cuda-toolkit-13-0"
notes:
  description: Choices that were made for this host, with reasons.
  returned: always
  type: list
  elements: str
  sample: ["GPUDirect RDMA by dmabuf: kernel 6.8.0-48-generic is 5.12 or newer ..."]
plan:
  description: What differs, per kind of step; C(steps) has all of it as text, C(reboot) why a reboot is needed.
  returned: always
  type: dict
  sample: {"packages": [{"name": "cuda-toolkit-13-0", "spec": "cuda-toolkit-13-0"}], "steps": ["install cuda-toolkit-13-0"], "reboot": []}
"""
