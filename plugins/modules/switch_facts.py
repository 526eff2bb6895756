#!/usr/bin/python
# Copyright: lossless.fabric contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: switch_facts
short_description: Read the operational state of a switch as platform-neutral data
version_added: 0.1.0
description:
  - Reads port status and speed, error counters, PFC pause counters, ECN marks, queue drops and depth, PFC watchdog events and
    LLDP neighbours of a switch, the same structure on NVIDIA Cumulus Linux (NVUE), Arista EOS and Cisco NX-OS.
  - Works over one SSH session from the control node; counters are never cleared.
author:
  - lossless.fabric contributors (@lossless)
options:
  model:
    description: The model of the switch. The default is the host variable C(switch).
    type: dict
  known_hosts:
    description:
      - File with the host keys of the switches. The default is the host variable C(switch_known_hosts), else the known hosts of
        the user and the system.
    type: path
attributes:
  check_mode:
    support: full
    description: Only reads.
  diff_mode:
    support: none
    description: Nothing is changed.
  platform:
    support: full
    platforms: cumulus, eos, nxos
    description: The operating systems of the switches.
  facts:
    support: full
    description: The facts are also set as C(ansible_facts.switch_facts).
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
  - ansible.builtin.action_common_attributes.facts
seealso:
  - module: lossless.fabric.switch_config
"""

EXAMPLES = r"""
- name: Read the state of the switch
  lossless.fabric.switch_facts:
  register: state

- name: Show the pause frames that one port received in priority 3
  ansible.builtin.debug:
    msg: "{{ state.facts.ports['Ethernet1/1'].pfc.rx['3'] }}"
"""

RETURN = r"""
facts:
  description: The state of the switch. A value that the platform does not tell is null.
  returned: always
  type: dict
  contains:
    hostname:
      description: Name of the switch.
      type: str
      sample: leaf01
    platform:
      description: One of eos, nxos, nvue.
      type: str
      sample: eos
    release:
      description: Software release.
      type: str
      sample: 4.32.2F
    model:
      description: Hardware model.
      type: str
      sample: DCS-7060DX5-64S
    dscp_to_priority:
      description: DSCP map in force, where the platform shows it.
      type: dict
      sample: {"26": 3}
    reload_pending:
      description: Lines that wait for a reload of the switch; asked on NX-OS where the model wants adaptive routing.
      type: list
      elements: str
      sample: ["hardware profile dlb ; dlb-interface Eth1/49,Eth1/50"]
    ports:
      description:
        - Per port C(admin_up), C(oper_up), C(speed) (Mb/s), C(mtu) (bytes of IP packet), C(fec), C(description), C(mode), C(vlan), C(vlans),
          C(native_vlan), C(addresses), C(trust), packet, byte, error and discard counters, C(pfc) (C(enabled), C(operational),
          C(priorities), C(rx), C(tx), C(rx_total), C(tx_total)), C(queues) (C(tx_packets), C(tx_bytes), C(drops), C(ecn_marked),
          C(depth_bytes), C(max_depth_bytes)), C(watchdog) (C(stuck), C(detected), C(restored)) and C(neighbors) (C(device), C(port)).
      type: dict
      sample: {"Ethernet1/1": {"oper_up": true, "speed": 400000, "mtu": 9214}}
"""
