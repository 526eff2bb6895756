# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An intent file of any number of switches, in a folder of its own: islands of two spines and up to sixteen leafs.

A leaf has 56 ports to hosts (seven hosts of eight NICs) and 4 to each spine of its island, a spine 4 to each leaf: 64
ports in most models. NICs have other names on every island, because the planner wants a path between NICs of one name.
EOS, NX-OS and Cumulus take turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from itertools import cycle
from pathlib import Path

SPINES = 2  # of an island
LEAFS = 16  # at most
CABLES = 4  # between a leaf and a spine
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
"""

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
    platforms, ports, cables = cycle(_PORTS), iter(range(first_port, first_port + count)), iter(range(count * NICS))
    found: list[BenchSwitch] = []
    profiles, switches, links, hosts, attachments = [], [], [], [], []
    islands = -(-count // (SPINES + LEAFS))
    for island in range(1, islands + 1):
        size = count // islands + (island <= count % islands)
        names = [f"spine{island:02}-{n}" for n in range(1, SPINES + 1)]
        names += [f"leaf{island:02}-{n}" for n in range(1, size - SPINES + 1)]
        made = [BenchSwitch(name, next(platforms), next(ports)) for name in names]
        found += made
        spines, leafs = made[:SPINES], made[SPINES:]
        nics = ", ".join(f"i{island:02}r{n}: {{vlan: 100}}" for n in range(NICS))
        profiles.append(f"  gpu{island:02}: {{nics: {{{nics}}}}}\n")
        for switch in made:
            role, rack = ("spine", "core") if switch in spines else ("leaf", switch.name.replace("-", "_"))
            switches.append(
                f"  {switch.name}: {{role: {role}, profile: {switch.platform}, address: 127.0.0.1, "
                f"port: {switch.port}, pod: {island}, rack: {rack}}}\n"
            )
        for index, leaf in enumerate(leafs):
            for number in range(SPINES * CABLES):
                spine = spines[number // CABLES]
                here = _port(leaf.platform, HOSTS * NICS + 1 + number)
                there = _port(spine.platform, index * CABLES + number % CABLES + 1)
                subnet = ip_address("10.128.0.0") + 2 * next(cables)
                links.append(f"  - {{a: '{leaf.name}:{here}', b: '{spine.name}:{there}', subnet: {subnet}/31}}\n")
            for number in range(HOSTS):
                host, first = f"gpu{leaf.name.removeprefix('leaf')}-{number + 1}", number * NICS + 1
                here = _port(leaf.platform, f"{first}..{first + NICS - 1}")
                rack = leaf.name.replace("-", "_")
                hosts.append(f"  {host}: {{profile: gpu{island:02}, pod: {island}, rack: {rack}}}\n")
                attachments.append(f"  - {{host: '{host}:i{island:02}r0..{NICS - 1}', switch: '{leaf.name}:{here}'}}\n")
    sections = {
        "host_profiles": profiles,
        "switches": switches,
        "links": links,
        "hosts": hosts,
        "attachments": attachments,
    }
    folder.mkdir(parents=True, exist_ok=True)
    text = _HEAD + "".join(f"{name}:\n{''.join(lines)}" for name, lines in sections.items())
    (folder / "fabric.yml").write_text(text)
    (folder / "group_vars").mkdir(exist_ok=True)
    (folder / "group_vars" / "all.yml").write_text(_LOGIN + f"switch_known_hosts: {folder / 'known_hosts'}\n")
    return found
