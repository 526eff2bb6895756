# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An intent file of any number of switches, in a folder of its own: one spine for eight leafs.

A leaf has 56 ports to hosts (seven hosts of eight NICs) and 8 to spines, each to another one where there are so many; a
spine has 64 ports to leafs. So nearly every switch has 64 ports in its model. EOS, NX-OS and Cumulus take turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from itertools import cycle
from pathlib import Path

LEAFS = 8  # per spine
NICS = 8
HOSTS = 7  # per leaf
USER, PASSWORD = "bench", "emulator-only"

_HEAD = """\
plugin: lossless.fabric.fabric
fabric: bench
policy: {speed: 400G, fec: rs, mtu: 9214}
vlans:
  100: {name: rail}
  200: {name: storage}
switch_profiles:
  eos: {platform: eos, asic: tomahawk4, release: 4.32.2F}
  nxos: {platform: nxos, asic: cloudscale, release: 10.4(3)}
  nvue: {platform: nvue, asic: spectrum4, release: "5.14"}
host_profiles:
  gpu: {nics: {NICS}}
switches:
""".replace("NICS", ", ".join(f"rail{n}: {{vlan: 100}}" for n in range(NICS)))

_PORTS = {"eos": "Ethernet{}/1", "nxos": "Ethernet1/{}", "nvue": "swp{}"}

_LOGIN = f"""\
# Of the emulated switches of the bench, which listen on 127.0.0.1 only: no secret.
ansible_user: {USER}
ansible_password: {PASSWORD}
"""


@dataclass(frozen=True)
class BenchSwitch:
    """What a program needs to log in."""

    name: str
    platform: str
    port: int


def _port(platform: str, number: int | str) -> str:
    return _PORTS[platform].format(number)


def write_site(folder: Path, count: int, first_port: int) -> list[BenchSwitch]:
    """Write fabric.yml and group_vars of ``count`` switches; they listen on consecutive TCP ports."""
    spine_count = -(-count // (LEAFS + 1))
    names = [f"spine{n:03}" for n in range(1, spine_count + 1)]
    names += [f"leaf{n:03}" for n in range(1, count - spine_count + 1)]
    platforms = cycle(_PORTS)
    switches = [BenchSwitch(name, next(platforms), first_port + n) for n, name in enumerate(names)]
    spines, leafs = switches[:spine_count], switches[spine_count:]
    lines, links, hosts, attachments = [], [], [], []
    for switch in switches:
        role, rack = ("spine", "core") if switch in spines else ("leaf", f"r{switch.name[-3:]}")
        lines.append(
            f"  {switch.name}: {{role: {role}, profile: {switch.platform}, address: 127.0.0.1, port: {switch.port}, "
            f"pod: 1, rack: {rack}}}\n"
        )
    for index, leaf in enumerate(leafs):
        for uplink in range(NICS):
            number = index * NICS + uplink
            spine = spines[number % spine_count]
            here = _port(leaf.platform, HOSTS * NICS + 1 + uplink)
            there = _port(spine.platform, number // spine_count + 1)
            subnet = ip_address("10.128.0.0") + 2 * number
            links.append(f"  - {{a: '{leaf.name}:{here}', b: '{spine.name}:{there}', subnet: {subnet}/31}}\n")
        for number in range(HOSTS):
            host, first = f"gpu{leaf.name[-3:]}{number + 1}", number * NICS + 1
            ports = _port(leaf.platform, f"{first}..{first + NICS - 1}")
            hosts.append(f"  {host}: {{profile: gpu, pod: 1, rack: r{leaf.name[-3:]}}}\n")
            attachments.append(f"  - {{host: '{host}:rail0..{NICS - 1}', switch: '{leaf.name}:{ports}'}}\n")
    body = [*lines, "links:\n", *links, "hosts:\n", *hosts, "attachments:\n", *attachments]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fabric.yml").write_text(_HEAD + "".join(body))
    (folder / "group_vars").mkdir(exist_ok=True)
    (folder / "group_vars" / "all.yml").write_text(_LOGIN + f"switch_known_hosts: {folder / 'known_hosts'}\n")
    return switches
