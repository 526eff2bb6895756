# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration of a switch that was unpacked, named, and given a management address."""

from __future__ import annotations

import re

_HEAD = """
version {version} Bios:version 05.48
hostname {name}
vdc {name} id 1
  limit-resource vlan minimum 16 maximum 4094
  limit-resource vrf minimum 2 maximum 4096
  limit-resource port-channel minimum 0 maximum 511

feature nxapi
feature privilege
cfs eth distribute

no password strength-check
username admin password 5 $5$LABLAB$NotAPasswordHash  role network-admin
username noc password 5 $5$LABLAB$NotAPasswordHash  role network-operator
no ip domain-lookup
ip access-list MGMT-IN
  10 permit tcp 192.0.2.0/24 any eq 22
  20 deny ip any any log
copp profile strict
snmp-server location lab rack B1
rmon event 1 description FATAL(1) owner PMON@FATAL
rmon event 2 description CRITICAL(2) owner PMON@CRITICAL
ntp server 192.0.2.123 use-vrf management

vlan 1,999
vlan 999
  name PARKING

vrf context management
  ip route 0.0.0.0/0 192.0.2.1
"""

_TAIL = """
interface mgmt0
  vrf member management
  ip address 192.0.2.10/24
line console
line vty
boot nxos bootflash:/nxos64-cs.{image}.bin
no logging console
"""


def factory_text(name: str, release: str, ports: list[str]) -> str:
    """Printed configuration; ``release`` in the form 10.4(3)F or 10.4(3)."""
    version = re.sub(r"[A-Z]$", "", release)
    image = release.replace("(", ".").replace(")", ".").rstrip(".")
    head = _HEAD.format(version=version, name=name)
    interfaces = "".join(f"\ninterface {port}\n" for port in ports)
    return head + interfaces + _TAIL.format(image=image)
