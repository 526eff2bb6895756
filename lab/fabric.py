# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the devices of a lab from the host variables that Ansible would use.

The inventory is read by ``ansible-inventory`` in a process of its own: the lab knows nothing of the product's plugins,
only the documented model (docs/model-example.yml).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.device import Device, PortState

if TYPE_CHECKING:
    from lab.server import Endpoint

# platform: (module, class, release when the inventory names none)
PLATFORMS = {
    "eos": ("lab.eos.device", "EosDevice", "4.32.2F"),
    "nxos": ("lab.nxos.device", "NxosDevice", "10.4(3)F"),
    "nvue": ("lab.nvue.device", "NvueDevice", "5.14.0"),
}
PANEL_SIZE = 64
REPOSITORY = Path(__file__).parents[1]


class InventoryError(Exception):
    """The inventory does not describe a lab."""


@dataclass
class SwitchSpec:
    """One switch of a lab."""

    name: str
    platform: str
    address: str = "127.0.0.1"
    port: int = 0  # TCP; 0: any
    users: dict[str, str] = field(default_factory=lambda: {"admin": "admin"}, repr=False)
    public_keys: list[str] = field(default_factory=list)
    release: str | None = None
    asic: str | None = None
    ports: list[str] = field(default_factory=list)
    peers: dict[str, tuple[str, str]] = field(default_factory=dict)  # port: (system, port) at the far end
    kinds: dict[str, str] = field(default_factory=dict)  # port: "switch" or "host" at the far end
    breakouts: dict[str, int] = field(default_factory=dict)  # front port: parts; the switch is delivered without
    startup: str | None = None  # configuration to boot with; None: factory state


def as_json(specs: Iterable[SwitchSpec]) -> str:
    return json.dumps([asdict(s) for s in specs])


def from_json(text: str) -> list[SwitchSpec]:
    specs = [SwitchSpec(**item) for item in json.loads(text)]
    for spec in specs:
        spec.peers = {port: (peer[0], peer[1]) for port, peer in spec.peers.items()}
    return specs


# -- inventory -------------------------------------------------------------------------------------------------
def read_inventory(path: Path) -> dict[str, dict[str, Any]]:
    """The variables of every host of an inventory."""
    tool = Path(sys.executable).with_name("ansible-inventory")
    command = [str(tool) if tool.exists() else "ansible-inventory", "-i", str(Path(path).resolve()), "--list"]
    try:
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    except FileNotFoundError as exc:
        raise InventoryError("ansible-inventory is not installed beside this python") from exc
    if done.returncode:
        raise InventoryError(f"ansible-inventory cannot read {path}:\n{done.stderr.strip()}")
    hostvars = json.loads(done.stdout).get("_meta", {}).get("hostvars", {})
    if not any("switch" in v for v in hostvars.values()):
        hint = done.stderr.strip()
        raise InventoryError(f"{path}: no host has the variable 'switch'" + (f"\n{hint}" if hint else ""))
    return hostvars


def switches(hostvars: Mapping[str, Mapping[str, Any]]) -> list[SwitchSpec]:
    """Every host that has the variable ``switch``."""
    return [spec_of(name, v) for name, v in sorted(hostvars.items()) if "switch" in v]


def spec_of(name: str, hostvars: Mapping[str, Any]) -> SwitchSpec:
    """One switch from its host variables."""
    switch = hostvars["switch"]
    platform = switch.get("platform")
    if platform not in PLATFORMS:
        raise InventoryError(f"{name}: switch.platform is {platform!r}, expected one of {', '.join(PLATFORMS)}")
    ports = switch.get("ports", [])
    peers = {p["name"]: p["peer"] for p in ports if p.get("peer")}
    return SwitchSpec(
        name=str(switch.get("name", name)),
        platform=platform,
        address=_plain(name, hostvars, "ansible_host", "127.0.0.1"),
        port=int(_plain(name, hostvars, "ansible_port", "0")),
        users=_users(name, hostvars),
        public_keys=_public_keys(name, hostvars),
        release=switch.get("release"),
        asic=switch.get("asic"),
        ports=[p["name"] for p in ports],
        peers={port: (peer["device"], peer.get("port") or "") for port, peer in peers.items()},
        kinds={port: peer.get("kind", "switch") for port, peer in peers.items()},
        breakouts={b["port"]: b["parts"] for b in switch.get("breakouts") or []},
    )


def _plain(host: str, hostvars: Mapping[str, Any], key: str, default: str) -> str:
    value = str(hostvars.get(key, default))
    if "{{" in value:
        raise InventoryError(f"{host}: {key} is a template; the lab needs a literal value in its inventory")
    return value


def _users(host: str, hostvars: Mapping[str, Any]) -> dict[str, str]:
    user = _plain(host, hostvars, "ansible_user", "admin")
    keys = ("ansible_password", "ansible_ssh_pass", "ansible_ssh_password")
    key = next((k for k in keys if k in hostvars), None)
    return {user: _plain(host, hostvars, key, "")} if key else {}


def _public_keys(host: str, hostvars: Mapping[str, Any]) -> list[str]:
    private = _plain(host, hostvars, "ansible_ssh_private_key_file", "")
    public = Path(f"{private}.pub").expanduser()
    return [public.read_text().strip()] if private and public.is_file() else []


# -- devices ---------------------------------------------------------------------------------------------------
def build(specs: Iterable[SwitchSpec], clock: Callable[[], float]) -> list[Endpoint]:
    """Devices as delivered (or with their startup configuration), cabled as the specs say."""
    from lab.server import Endpoint  # the command line reads inventories without a server

    endpoints = []
    for spec in specs:
        device = make_device(spec, clock)
        endpoint = Endpoint(device, spec.port, spec.address, dict(spec.users), list(spec.public_keys))
        endpoint.cables = {port: spec.kinds.get(port, "switch") for port in spec.peers}
        endpoints.append(endpoint)
    return endpoints


def make_device(spec: SwitchSpec, clock: Callable[[], float]) -> Device:
    module, cls, release = PLATFORMS[spec.platform]
    parts = {part for front, count in spec.breakouts.items() for part in parts_of(spec.platform, front, count)}
    ports = front_panel(spec.platform, [port for port in spec.ports if port not in parts])
    device: Device = getattr(import_module(module), cls)(spec.name, ports, clock=clock, release=spec.release or release)
    if spec.asic is not None and hasattr(device, "asic"):
        device.asic = spec.asic  # decides which queues and counters the platform has
    device.parts = {port: PortState() for port in spec.ports if port in parts}
    if spec.startup is not None:
        device.load(spec.startup)
    for name, state in {**device.ports, **device.parts}.items():
        state.peer = spec.peers.get(name)
        state.link = not spec.ports or name in spec.ports  # nothing is plugged into ports that the fabric does not know
    return device


def parts_of(platform: str, front: str, count: int) -> list[str]:
    """Ports that are there only while a front port is split. EOS has a port for every lane all the time."""
    if platform == "eos":
        return []
    return [f"{front}/{n}" if platform == "nxos" else f"{front}s{n - 1}" for n in range(1, count + 1)]


def front_panel(platform: str, used: Iterable[str]) -> list[str]:
    """All ports of the front panel: 64, named as the used ones are, and the used ones."""
    used = list(used)
    if platform == "nvue":
        panel = [f"swp{n}" for n in range(1, PANEL_SIZE + 1)]
    elif platform == "nxos":
        panel = [f"Ethernet1/{n}" for n in range(1, PANEL_SIZE + 1)]
    elif used and not any("/" in name for name in used):
        panel = [f"Ethernet{n}" for n in range(1, PANEL_SIZE + 1)]
    else:
        panel = [f"Ethernet{n}/1" for n in range(1, PANEL_SIZE + 1)]
    return sorted({*panel, *used}, key=natural)


def natural(name: str) -> list[tuple[int, str]]:
    """Sort key that puts Ethernet2 before Ethernet10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name) if part]
