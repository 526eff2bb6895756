#!/usr/bin/python
# Copyright: lossless.fabric contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lossless.fabric.host_facts: everything of a GPU host in one call."""

from __future__ import annotations

DOCUMENTATION = r"""
module: host_facts
short_description: Read everything that matters to RDMA and GPUs on a host in one call
version_added: 0.1.0
description:
  - Reads kernel, firmware, IOMMU, Secure Boot, memory lock limits, kernel modules, PCI links, ACS, BARs, SR-IOV, NUMA nodes, GPUs,
    Fabric Manager, RDMA devices with their GIDs and counters, network devices with DCB, ECN and counters per priority.
  - Only reads. A tool that is not installed is a fact (C(not_read.missing_tools)), not a failure. A value that could not be read is
    null.
  - PCI capabilities are read from configuration space, which needs root; without it links come from sysfs and ACS is null.
  - Serial numbers are not read; values of kernel arguments whose names speak of secrets are hidden.
author:
  - lossless.fabric contributors (@lossless)
options:
  root:
    description: Folder that holds the machine. Another one than C(/) is a recorded tree with C(sys), C(proc), C(etc) and C(commands.json).
    type: path
    default: /
  nics:
    description:
      - NICs of the model (C(host.nics)), to read them under their names in C(facts.nics). Each has C(name) and may have C(pci_address) or
        C(device) (network interface or PCI address); without either, the name is the interface.
    type: list
    elements: dict
    default: []
  subset:
    description: V(nics) reads nothing but O(nics), which is quick and short, and sets no C(ansible_facts).
    type: str
    choices: [all, nics]
    default: all
  drivers:
    description: Drivers whose NICs are asked for their QoS settings.
    type: list
    elements: str
    default: [mlx5_core]
  mlxlink:
    description: Also ask C(mlxlink) or C(mstlink) about every RDMA NIC, which takes a second or two for each.
    type: bool
    default: false
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
  facts:
    support: full
    description: The facts are also set as C(ansible_facts.host_facts).
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
  - ansible.builtin.action_common_attributes.facts
seealso:
  - module: lossless.fabric.preflight
  - module: lossless.fabric.nccl_config
"""

EXAMPLES = r"""
- name: Read the host
  lossless.fabric.host_facts:
  register: state

- name: Show the PCIe link of every GPU
  ansible.builtin.debug:
    msg: "{{ state.facts.pci | selectattr('kind', 'eq', 'gpu') | map(attribute='link') }}"
"""

RETURN = r"""
facts:
  description: The host as data. Null means that a value could not be read.
  returned: always
  type: dict
  contains:
    kernel:
      description: C(release), C(version), C(cmdline) and whether C(headers) of the running kernel are installed.
      type: dict
      sample: {"release": "6.8.0-48-generic", "cmdline": ["iommu=pt"], "headers": true}
    hardware:
      description: Vendor, product, board and BIOS.
      type: dict
      sample: {"vendor": "Supermicro", "bios_version": "1.4a"}
    virtual:
      description: Whether this is a virtual machine.
      type: bool
      sample: false
    memory:
      description: C(total_bytes), C(nodes) and C(pci_window_above_4g).
      type: dict
      sample: {"total_bytes": 2164000000000, "pci_window_above_4g": true}
    iommu:
      description: C(units), and the type of every group in C(groups).
      type: dict
      sample: {"units": ["dmar0"], "groups": {"0": "identity"}}
    secure_boot:
      description: C(efi), C(enabled), C(lockdown), C(signatures_enforced) and C(keys) of the kernel.
      type: dict
      sample: {"efi": true, "enabled": false}
    memlock:
      description: Limits in bytes, -1 for unlimited; C(session_soft), C(session_hard), C(services) and the entries of limit C(files).
      type: dict
      sample: {"session_soft": -1, "session_hard": -1, "services": -1}
    modules:
      description: Kernel modules of the stack, loaded against installed, with signer.
      type: dict
      sample: {"nvidia": {"loaded": true, "version_loaded": "580.95.05", "version_installed": "580.95.05"}}
    dkms:
      description: Modules that DKMS knows, with kernel and state.
      type: list
      elements: dict
      sample: [{"module": "nvidia", "version": "580.95.05", "kernel": "6.8.0-48-generic", "state": "installed"}]
    pci:
      description:
        - GPUs, NICs, NVSwitches and bridges. C(link) has C(speed) in GT/s and C(width), as they are and at most; C(bars), C(acs), C(sriov),
          C(numa_node), C(iommu_group), C(parents) and C(fallen), for a device that fell off the bus.
      type: list
      elements: dict
      sample: [{"address": "0000:1b:00.0", "kind": "gpu", "link": {"speed": 32.0, "width": 16, "max_speed": 32.0, "max_width": 16}}]
    gpus:
      description: What nvidia-smi says about each GPU.
      type: list
      elements: dict
      sample: [{"index": 0, "name": "NVIDIA H200", "address": "0000:1b:00.0"}]
    nvidia:
      description: C(version) of the driver, whether it is C(open), C(fabric_manager) and C(peer_memory).
      type: dict
      sample: {"version": "580.95.05", "open": true, "fabric_manager": {"version": "580.95.05", "state": "active"}}
    rdma:
      description: RDMA devices with firmware and ports; each port with state, rate, link layer, netdev, GIDs and counters.
      type: list
      elements: dict
      sample: [{"name": "mlx5_0", "pci": "0000:1a:00.0", "firmware": "28.42.1000"}]
    netdevs:
      description: Network devices with MTU, state and addresses; those under RDMA devices with C(dcb), C(ecn), C(qos) and C(counters).
      type: list
      elements: dict
      sample: [{"name": "ens1f0np0", "mtu": 9000, "state": "up"}]
    nics:
      description:
        - NICs of the model by name. C(interface), C(up), C(mtu), C(speed), C(bond), C(addresses), C(vlans) by number, C(neighbors) (LLDP),
          and what decides about loss, C(pfc), C(trust), C(dscp_to_priority) and C(global_pause). C(not_told) says why a value is null.
      type: dict
      sample: {"rail0": {"interface": "ens1f0np0", "up": true, "mtu": 9000, "pfc": [3], "neighbors": [{"device": "leaf01", "port": "swp1"}]}}
    mst:
      description: Rows of C(mst status -v).
      type: list
      elements: dict
      sample: [{"type": "ConnectX7(rev:0)", "mst": "/dev/mst/mt4129_pciconf0", "pci": "1a:00.0", "rdma": "mlx5_0"}]
    mlxlink:
      description: What C(mlxlink) says of each RDMA NIC, by PCI address. Only with O(mlxlink).
      type: dict
      sample: {"0000:1a:00.0": {"State": "Active", "Speed": "400G", "Recommendation": "No issue was observed"}}
    default_interfaces:
      description: Interfaces of the default route, the preferred one first.
      type: list
      elements: str
      sample: ["eno1"]
    rdma_stack:
      description: What C(ofed_info -s) says; null with the inbox stack.
      type: str
      sample: OFED-internal-25.10-1.7.1
    nccl_libraries:
      description: Versions of NCCL in the system's library folders.
      type: list
      elements: str
      sample: ["2.28.9"]
    nearest_gpu:
      description: For each RDMA device the nearest GPU, and how near, in the words of nvidia-smi topo.
      type: dict
      sample: {"mlx5_0": {"gpu": "0000:1b:00.0", "relation": "PIX"}}
    not_read:
      description: C(missing_tools), C(failed_commands) and C(denied_files).
      type: dict
      sample: {"missing_tools": ["mst"], "failed_commands": {}, "denied_files": []}
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.lossless.fabric.plugins.module_utils.host.facts import SCHEMA, gather
from ansible_collections.lossless.fabric.plugins.module_utils.host.machine import Machine
from ansible_collections.lossless.fabric.plugins.module_utils.host.nics import nics
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import System


def main():
    """Run."""
    module = AnsibleModule(
        argument_spec={
            "root": {"type": "path", "default": "/"},
            "nics": {"type": "list", "elements": "dict", "default": []},
            "subset": {"type": "str", "choices": ["all", "nics"], "default": "all"},
            "drivers": {"type": "list", "elements": "str", "default": ["mlx5_core"]},
            "mlxlink": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    p = module.params
    machine = Machine(p["root"])
    if not machine.exists("/sys") or not machine.exists("/proc"):
        module.fail_json(
            msg=f"expected the folders sys and proc in {machine.root}, found none (give the folder of a recorded machine as root)"
        )
    nameless = [number for number, nic in enumerate(p["nics"]) if not nic.get("name")]
    if nameless:
        module.fail_json(msg=f"nics[{nameless[0]}]: expected a name, found none (give host.nics of the model)")
    own = nics(System(p["root"]), p["nics"], p["drivers"])
    if p["subset"] == "nics":
        module.exit_json(changed=False, facts={"schema": SCHEMA, "nics": own})
    facts = dict(gather(machine, with_mlxlink=p["mlxlink"]), nics=own)
    module.exit_json(changed=False, facts=facts, ansible_facts={"host_facts": facts})


if __name__ == "__main__":
    main()
