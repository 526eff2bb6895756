# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The peer from the community package: the QoS lines of our intent through arista.eos and cisco.nxos, network_cli.

It gets the QoS lines only; ours looks at everything that the model holds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.site import plan_site
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render
from tests.bench.fabric import PASSWORD, USER, BenchSwitch
from tests.bench.lab_site import Site

PLATFORMS = {"eos": ("arista.eos.eos", "arista.eos.eos_config"), "nxos": ("cisco.nxos.nxos", "cisco.nxos.nxos_config")}


def write(folder: Path, site: Site, switches: Sequence[BenchSwitch]) -> tuple[Path, Path]:
    """Inventory and playbook (JSON, which is YAML)."""
    models = plan_site(str(site.inventory)).switches
    folder.mkdir(parents=True, exist_ok=True)
    groups: dict[str, dict[str, dict[str, str | int]]] = {name: {} for name in PLATFORMS}
    for switch in switches:
        lines = folder / f"{switch.name}.cfg"
        lines.write_text(render(models[switch.name])["qos"])
        groups[switch.platform][switch.name] = {"ansible_port": switch.port, "qos": str(lines)}
    common = {
        "ansible_connection": "ansible.netcommon.network_cli",
        "ansible_host": "127.0.0.1",
        "ansible_user": USER,
        "ansible_password": PASSWORD,
    }
    children = {
        name: {"hosts": hosts, "vars": {"ansible_network_os": PLATFORMS[name][0]}} for name, hosts in groups.items()
    }
    inventory, playbook = folder / "hosts.yml", folder / "push.yml"
    inventory.write_text(json.dumps({"all": {"vars": common, "children": children}}))
    plays = [
        {
            "name": name,
            "hosts": name,
            "gather_facts": False,
            "tasks": [{"name": "QoS lines", module: {"src": "{{ qos }}"}}],
        }
        for name, (_, module) in PLATFORMS.items()
    ]
    playbook.write_text(json.dumps(plays))
    return inventory, playbook


def write_config(folder: Path, forks: int) -> Path:
    """As many forks as ours; host keys are not checked, which is in its favour."""
    path = folder / "ansible.cfg"
    path.write_text(f"[defaults]\nforks = {forks}\nhost_key_checking = False\n")
    return path
