#!/usr/bin/python
# Copyright: lossless.fabric contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lossless.fabric.nccl_config: /etc/nccl.conf from the RDMA devices of the host and the policy of the fabric."""

from __future__ import annotations

DOCUMENTATION = r"""
module: nccl_config
short_description: Write /etc/nccl.conf from the RDMA devices of a host and the policy of the fabric
version_added: 0.1.0
description:
  - Finds the RDMA port of every NIC of the model by PCI address, IPv4 address or order, and writes what NCCL has to be told, each line
    explained by a comment.
  - NCCL 2.21 and later select the GID by address and version. The module does that selection itself on the GID table and fails if
    another GID than that of the rail's address would be taken. C(NCCL_IB_GID_INDEX) is written for older versions only.
  - With link layer InfiniBand the settings of RoCE are left out, with the reason.
  - In check mode, NICs or GIDs that are not there yet are a warning and count as a change, because the tasks before this one did
    nothing; without check mode they are an error.
author:
  - lossless.fabric contributors (@lossless)
options:
  nics:
    description: C(nics) of the model of the host; C(name), C(rail), C(pci_address), C(address) and C(bond) are used.
    type: list
    elements: dict
    default: []
  dscp:
    description: DSCP of RoCE data.
    type: int
  control_dscp:
    description: DSCP of NCCL's control messages. The default is that of RoCE data.
    type: int
  ect:
    description: Say ECN-capable (ECT 0) in the traffic classes; the same as O(lossless.fabric.nic_qos#module:ect).
    type: bool
    default: true
  socket_ifname:
    description: Interfaces for bootstrap and TCP. The default is that of the default route.
    type: list
    elements: str
    default: []
  addr_range:
    description: IPv4 network of the addresses of all rails. The default is the smallest that holds those of this host.
    type: str
  version:
    description: Oldest NCCL that jobs on this host use. The default is 2.22.3 or later.
    type: str
  debug:
    description: Value of C(NCCL_DEBUG).
    type: str
    default: WARN
    choices: [VERSION, WARN, INFO, ABORT, TRACE]
  debug_subsys:
    description: Values of C(NCCL_DEBUG_SUBSYS).
    type: list
    elements: str
    default: []
  min_nchannels:
    description: Least number of channels.
    type: int
  max_nchannels:
    description: Greatest number of channels.
    type: int
  topology:
    description: Topology file on the host; it has to be there.
    type: path
  extra:
    description: Further NCCL variables.
    type: dict
    default: {}
  path:
    description: The file.
    type: path
    default: /etc/nccl.conf
  profile:
    description:
      - Drop-in for login shells with the same policy for UCX and NVSHMEM, which read no file of NCCL. None by default.
    type: path
  profile_nccl:
    description: Also export the NCCL variables there, for containers that do not see O(path).
    type: bool
    default: false
  root:
    description: Folder that holds the machine; see M(lossless.fabric.host_facts). O(path) and O(profile) are not below it.
    type: path
    default: /
attributes:
  check_mode:
    support: full
    description: Predicts the change.
  diff_mode:
    support: full
    description: Shows the change of each file.
  platform:
    support: full
    platforms: linux
    description: Hosts with Linux.
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
seealso:
  - module: lossless.fabric.host_facts
"""

EXAMPLES = r"""
- name: Configure NCCL
  lossless.fabric.nccl_config:
    nics: "{{ host.nics }}"
    dscp: "{{ host.roce.dscp | first }}"
    min_nchannels: 16
"""

RETURN = r"""
settings:
  description: What the file sets.
  returned: success
  type: dict
  sample: {"NCCL_IB_HCA": "=mlx5_0:1,mlx5_1:1", "NCCL_IB_TC": "106"}
left_out:
  description: What it does not set, and why.
  returned: success
  type: dict
  sample: {"NCCL_IB_GID_INDEX": "an index is not stable and would switch off the selection by address"}
devices:
  description: The RDMA port of every NIC with the GID that NCCL takes.
  returned: success
  type: list
  elements: dict
  sample: [{"nic": "rail0", "device": "mlx5_0", "port": 1, "pci": "0000:1a:00.0", "address": "10.1.0.1", "gid_index": 3}]
"""

import os
import re
import tempfile
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.lossless.fabric.plugins.module_utils.host.machine import Machine
from ansible_collections.lossless.fabric.plugins.module_utils.nccl import files
from ansible_collections.lossless.fabric.plugins.module_utils.nccl.plan import plan

ARGUMENTS = {
    "nics": {"type": "list", "elements": "dict", "default": []},
    "dscp": {"type": "int"},
    "control_dscp": {"type": "int"},
    "ect": {"type": "bool", "default": True},
    "socket_ifname": {"type": "list", "elements": "str", "default": []},
    "addr_range": {"type": "str"},
    "version": {"type": "str"},
    "debug": {"type": "str", "default": "WARN", "choices": ["VERSION", "WARN", "INFO", "ABORT", "TRACE"]},
    "debug_subsys": {"type": "list", "elements": "str", "default": []},
    "min_nchannels": {"type": "int"},
    "max_nchannels": {"type": "int"},
    "topology": {"type": "path"},
    "extra": {"type": "dict", "default": {}},
    "path": {"type": "path", "default": "/etc/nccl.conf"},
    "profile": {"type": "path"},
    "profile_nccl": {"type": "bool", "default": False},
    "root": {"type": "path", "default": "/"},
}


def main():
    """Run."""
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)
    want = module.params
    check_arguments(module, want)
    machine = Machine(want["root"])
    result = plan(machine, want)
    if result.wrong or (result.missing and not module.check_mode):
        module.fail_json(msg="; ".join(result.wrong + result.missing), devices=result.devices)
    answer = {"settings": result.values, "left_out": dict(result.skipped), "devices": result.devices}
    if result.missing:
        text = "the content cannot be predicted until the host is set up: " + "; ".join(result.missing)
        module.warn(text)
        module.exit_json(changed=True, diff=[{"prepared": f"{want['path']}: {text}\n"}], **answer)
    for text in result.warnings + files.overrides(machine, result.values, want["profile"]):
        module.warn(text)
    wanted = [(want["path"], files.configuration(result))]
    if want["profile"]:
        wanted.append((want["profile"], files.profile(result, want["profile_nccl"])))
    changed, diffs = False, []
    for path, text in wanted:
        one, diff = bring(module, Path(path), text)
        changed = changed or one
        diffs += [diff] if diff else []
    module.exit_json(changed=changed, diff=diffs, **answer)


def check_arguments(module, want):
    """What an argument specification cannot say."""
    for name in ("dscp", "control_dscp"):
        if want[name] is not None and not 0 <= want[name] <= 63:
            module.fail_json(msg=f"{name}: expected 0 to 63, found {want[name]}")
    if want["version"] and not re.match(r"^\d+\.\d+(\.\d+)?$", want["version"]):
        module.fail_json(msg=f"version: expected a version such as 2.28.9, found {want['version']}")
    for index, nic in enumerate(want["nics"]):
        if not nic.get("name"):
            module.fail_json(msg=f"nics[{index}]: expected a name, found none")


def bring(module, path, text):
    """One file to its content and mode 0644; None: absent, if it is ours. Changed, and the diff."""
    before = read(module, path)
    if text is None:
        if before is None or not before.startswith(files.OURS):
            return False, None
        if not module.check_mode:
            path.unlink()
        return True, {"before_header": str(path), "after_header": str(path), "before": before, "after": ""}
    changed, diff = False, None
    if before != text:
        changed = True
        diff = {"before_header": str(path), "after_header": str(path), "before": before or "", "after": text}
        if not path.parent.is_dir():
            module.fail_json(msg=f"expected the folder {path.parent}, found none (create it, or change the path)")
        if not module.check_mode:
            write(module, path, text)
    if path.exists():
        changed = module.set_mode_if_different(str(path), "0644", changed)
    return changed, diff


def read(module, path):
    """Content, or None where there is no file."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        module.fail_json(msg=f"{path} cannot be read: {error.strerror}")


def write(module, path, text):
    """In one step: a job that starts now reads the old file or the new one."""
    handle, name = tempfile.mkstemp(dir=module.tmpdir)
    os.close(handle)
    temporary = Path(name)
    temporary.write_text(text, encoding="utf-8")
    temporary.chmod(0o644)
    module.atomic_move(name, str(path))
    if read(module, path) != text:
        module.fail_json(
            msg=f"{path}: expected the file as it was written, found another content (who else writes it?)"
        )


if __name__ == "__main__":
    main()
