#!/usr/bin/python
# Copyright: lossless.fabric contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lossless.fabric.software_facts: the installed software stack of a GPU host in one call."""

from __future__ import annotations

DOCUMENTATION = r"""
module: software_facts
short_description: Read the RDMA and GPU software stack of a host in one call
version_added: 0.1.0
description:
  - Reads distribution, kernels and headers, packages of the stack with versions and holds, repositories, keys and pins that the roles
    wrote, DKMS, kernel modules as loaded and as installed, Secure Boot, services, GPUs, NVSwitches and NICs.
  - Only reads, and contacts no repository. Needs nothing but Python.
author:
  - lossless.fabric contributors (@lossless)
options:
  root:
    description: Folder that holds the machine. Another one than C(/) is a recorded tree; see M(lossless.fabric.host_facts).
    type: path
    default: /
attributes:
  check_mode:
    support: full
    description: Only reads.
  diff_mode:
    support: none
    description: Nothing is changed.
  platform:
    support: full
    platforms: linux
    description: Hosts with Linux.
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
seealso:
  - module: lossless.fabric.software_plan
"""

EXAMPLES = r"""
- name: Read the software stack
  lossless.fabric.software_facts:
  register: software

- name: Show modules that run in another version than installed
  ansible.builtin.debug:
    msg: "{{ software.facts.modules.nvidia }}"
"""

RETURN = r"""
facts:
  description: The software stack as data. Null means that a value could not be read.
  returned: always
  type: dict
  contains:
    distribution:
      description: C(id), C(version), C(name) and C(key), the name under which packages are built for it.
      type: dict
      sample: {"id": "rocky", "version": "9.5", "name": "Rocky Linux 9.5 (Blue Onyx)", "key": "rhel9"}
    architecture:
      description: Architecture of the kernel.
      type: str
      sample: x86_64
    kernel:
      description: C(running), all C(installed), and whether C(headers) and C(initramfs) of the running one are there.
      type: dict
      sample: {"running": "6.8.0-48-generic", "installed": ["6.8.0-48-generic"], "headers": true, "initramfs": true}
    packages:
      description: Installed packages of the stack.
      type: dict
      sample: {"nvidia-open": {"version": "580.126.20-1ubuntu1", "held": true}}
    streams:
      description: Enabled module streams of dnf.
      type: dict
      sample: {"nvidia-driver": "580-open"}
    locks:
      description: The version locks of dnf as text.
      type: str
      sample: "nvidia-open-580.126.20-*"
    files:
      description: Files that the roles wrote.
      type: dict
      sample: {"/etc/modprobe.d/lossless-nouveau.conf": "blacklist nouveau"}
    keys:
      description: Repository keys that the roles wrote, with their fingerprints.
      type: dict
      sample: {"/etc/apt/keyrings/lossless-cuda.gpg": {"fingerprints": ["EB693B3035CD5710E231E123A4B469963BF863CC"], "sha256": "0c3e"}}
    services:
      description: The services of the stack.
      type: dict
      sample: {"nvidia-persistenced": {"exists": true, "active": true, "enabled": true}}
    dkms:
      description: What DKMS knows.
      type: list
      elements: dict
      sample: [{"module": "nvidia", "version": "580.126.20", "kernel": "6.8.0-48-generic", "state": "installed"}]
    modules:
      description: Kernel modules of the stack, loaded against installed; see M(lossless.fabric.host_facts).
      type: dict
      sample: {"nvidia": {"loaded": true, "version_loaded": "580.126.20", "version_installed": "580.126.20"}}
    nouveau_loaded:
      description: Whether nouveau has the GPUs.
      type: bool
      sample: false
    secure_boot:
      description: As of M(lossless.fabric.host_facts), and whether the C(machine_owner_key) is enrolled.
      type: dict
      sample: {"enabled": true, "machine_owner_key": false}
    nvidia:
      description: The running driver.
      type: dict
      sample: {"version": "580.126.20", "open": true}
    rdma_stack:
      description: What C(ofed_info) says; null with the inbox stack.
      type: str
      sample: OFED-internal-25.10-1.7.1
    peer_memory_api:
      description: Whether a module of the running kernel has the interface for nvidia-peermem.
      type: bool
      sample: true
    gpus:
      description: Device numbers of the GPUs; C(nvswitches) and C(nics) likewise.
      type: list
      elements: str
      sample: ["2335", "2335"]
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.lossless.fabric.plugins.module_utils.host.machine import Machine
from ansible_collections.lossless.fabric.plugins.module_utils.software.facts import gather


def main():
    """Run."""
    module = AnsibleModule(argument_spec={"root": {"type": "path", "default": "/"}}, supports_check_mode=True)
    machine = Machine(module.params["root"])
    if not machine.exists("/etc/os-release"):
        module.fail_json(
            msg=f"expected the file etc/os-release in {machine.root}, found none (give the folder of a machine as root)"
        )
    module.exit_json(changed=False, facts=gather(machine))


if __name__ == "__main__":
    main()
