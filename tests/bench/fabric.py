# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An intent file of any number of switches, in a folder of its own: pods of one spine and eight leafs.

A leaf has 56 ports to hosts (seven hosts of eight NICs) and 8 to its spine, a spine 64 ports to its leafs: every switch
of a full pod has 64 ports in its model. EOS, NX-OS and Cumulus take turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

LEAFS = 8  # per spine
NICS = 8
HOSTS = 7  # per leaf
USER, PASSWORD = "bench", "emulator-only"

_HEAD = """\
plugin: lossless.fabric.fabric
fabric: bench
policy: {speed: 400G, fec: rs}
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
switch_known_hosts: "{{{{ inventory_dir }}}}/known_hosts"
"""


@dataclass(frozen=True)
class BenchSwitch:
    """What a program needs to log in."""

    name: str
    platform: str
    port: int


def _range(platform: str, first: int, count: int) -> str:
    return _PORTS[platform].format(f"{first}..{first + count - 1}")


def write_site(folder: Path, count: int, first_port: int) -> list[BenchSwitch]:
    """Write fabric.yml and group_vars of ``count`` switches; they listen on consecutive TCP ports."""
    platforms = cycle(_PORTS)
    switches: list[BenchSwitch] = []
    lines, links, hosts, attachments = [], [], [], []

    def add(name: str, role: str, pod: int, rack: str) -> str:
        switch = BenchSwitch(name, next(platforms), first_port + len(switches))
        switches.append(switch)
        lines.append(
            f"  {name}: {{role: {role}, profile: {switch.platform}, address: 127.0.0.1, port: {switch.port}, "
            f"pod: {pod}, rack: {rack}}}\n"
        )
        return switch.platform

    pod = 0
    while len(switches) < count:
        pod += 1
        spine = f"spine{pod:03}"
        above = add(spine, "spine", pod, "core")
        for number in range(min(LEAFS, count - len(switches))):
            rack = f"r{pod:03}_{number + 1}"
            leaf = f"leaf{pod:03}-{number + 1}"
            below = add(leaf, "leaf", pod, rack)
            up, down = _range(below, HOSTS * NICS + 1, NICS), _range(above, number * NICS + 1, NICS)
            links.append(f"  - {{a: '{leaf}:{up}', b: '{spine}:{down}', subnet: 10.{128 + pod}.{number}.0/28}}\n")
            for index in range(HOSTS):
                host = f"gpu{pod:03}-{number + 1}{index + 1}"
                hosts.append(f"  {host}: {{profile: gpu, pod: {pod}, rack: {rack}}}\n")
                attachments.append(
                    f"  - {{host: '{host}:rail0..{NICS - 1}', "
                    f"switch: '{leaf}:{_range(below, index * NICS + 1, NICS)}'}}\n"
                )
    body = [*lines, "links:\n", *links, "hosts:\n", *hosts, "attachments:\n", *attachments]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fabric.yml").write_text(_HEAD + "".join(body))
    (folder / "group_vars").mkdir(exist_ok=True)
    (folder / "group_vars" / "all.yml").write_text(_LOGIN)
    return switches
