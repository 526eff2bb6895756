# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A containerlab topology of the plan, for people who have the vendors' images. Written from containerlab's public
documentation of kinds and interface names; not run here.
"""

from __future__ import annotations

import re

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.plan import Plan
from ansible_collections.lossless.fabric.plugins.plugin_utils.report.data import cables

# platform: (kind, image). The images are the user's own.
KINDS = {
    "eos": ("arista_ceos", "ceos:latest"),
    "nxos": ("cisco_n9kv", "vrnetlab/cisco_n9kv:latest"),
    "nvue": ("cumulus_cvx", "networkop/cx:latest"),
}
HOST = ("linux", "alpine:latest")


def topology(plan: Plan) -> str:
    """YAML for ``containerlab deploy -t``."""
    lines = [
        f"# Topology of fabric {plan.fabric} for containerlab. Replace the images by those you have.",
        "---",
        f"name: {re.sub(r'[^a-z0-9-]', '-', plan.fabric.lower())}",
        "topology:",
        "  nodes:",
    ]
    for name, switch in plan.switches.items():
        kind, image = KINDS[switch.platform]
        lines.append(f"    {name}: {{kind: {kind}, image: {image}}}")
    lines += [f"    {name}: {{kind: {HOST[0]}, image: {HOST[1]}}}" for name in plan.hosts]
    lines.append("  links:")
    ports = _host_ports(plan)
    for cable in cables(plan):
        ends = [
            f"{device}:{ports.get((device, port)) or _interface(plan, device, port)}"
            for device, port in ((cable.a_device, cable.a_port), (cable.b_device, cable.b_port))
        ]
        lines.append(f'    - endpoints: ["{ends[0]}", "{ends[1]}"]')
    return "\n".join(lines) + "\n"


def _interface(plan: Plan, device: str, port: str) -> str:
    """Ethernet1/1 is eth1_1 on cEOS and Ethernet1/1 on N9Kv; swp1 is the same on Cumulus."""
    if plan.switches[device].platform == "eos":
        return port.replace("Ethernet", "eth").replace("/", "_")
    return port


def _host_ports(plan: Plan) -> dict[tuple[str, str], str]:
    """Containers have eth1, eth2 ...; eth0 is management."""
    return {
        (name, nic.name): f"eth{number}"
        for name, host in plan.hosts.items()
        for number, nic in enumerate(host.nics, start=1)
    }
