# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts as the model may have them. ``python -m tests.unit.host_network.cases`` writes the golden files anew."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.lossless.fabric.plugins.module_utils.network import manager, networkd, plan, sysctl

GOLDEN = Path(__file__).parent / "golden"
NETWORKS = ["10.100.0.0/16", "10.101.0.0/16"]
CASES = {
    "access": (
        [{"name": "rail0", "address": "10.100.0.1/28", "gateway": "10.100.0.14", "vlans": [], "native_vlan": None}],
        NETWORKS,
    ),
    "trunk": (
        [
            {
                "name": "rail0",
                "address": "10.100.0.1/28",
                "gateway": "10.100.0.14",
                "vlans": [100, 200, 300],
                "native_vlan": 100,
                "tagged": [{"vlan": 200, "address": "10.200.0.11/24", "gateway": "10.200.0.1"}],
            }
        ],
        [*NETWORKS, "10.200.0.0/16"],
    ),
    "routed": ([{"name": "rail0", "address": "10.102.0.1/31", "gateway": "10.102.0.0"}], ["10.102.0.0/16"]),
    "bond": (
        [
            {"name": "rail0", "bond": 1, "vlans": [200], "address": "10.100.0.1/24"},
            {"name": "rail1", "bond": 1, "vlans": [200], "tagged": [{"vlan": 200, "address": "10.200.0.11/24"}]},
        ],
        NETWORKS,
    ),
    "dual": (
        [
            {"name": "rail0", "address": "10.100.0.1/28", "gateway": "10.100.0.14"},
            {"name": "rail1", "address": "10.101.0.1/28", "gateway": "10.101.0.14"},
        ],
        [*NETWORKS, "10.110.0.0/16"],
    ),
    "bare": ([{"name": "rail0"}], []),  # no address: MTU only
}


def build(nics, networks, names="kernel"):
    """The plan; NIC n is ens(n+1)f0np0 at bus n+1."""
    devices = {}
    for number, nic in enumerate(nics, 1):
        kernel = f"ens{number}f0np0"
        devices[nic["name"]] = plan.Device(
            kernel, kernel if names == "kernel" else nic["name"], f"pci-0000:{number:02x}:00.0"
        )
    return plan.build([{"mtu": 9000, **nic} for nic in nics], devices, networks)


def text(case, name):
    """All files of a case for a manager as one text."""
    interfaces = build(*CASES[case])
    files = next(one for one in manager.ALL if one.name == name).files(interfaces)
    if name == "networkd":
        files[sysctl.PATH] = sysctl.render(sysctl.wanted(interfaces, (4096, 8192, 16384)))
    return "".join(f"### {path}\n{content}\n" for path, content in sorted(files.items()))


def main():
    """Write the golden files."""
    for case in CASES:
        for name in manager.NAMES:
            (GOLDEN / f"{case}.{name}.txt").write_text(text(case, name))
    interfaces = build(*CASES["dual"], names="model")
    (GOLDEN / "dual.names.txt").write_text("".join(f"### {p}\n{t}\n" for p, t in networkd.names(interfaces).items()))


if __name__ == "__main__":
    main()
