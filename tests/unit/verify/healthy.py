# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small healthy fabric: two leafs, one spine, a host with three NICs. Tests break one thing at a time."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.load import load_host, load_switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import (
    BgpPeer,
    Facts,
    Neighbor,
    Pfc,
    PortFacts,
    Queue,
    Watchdog,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.hosts import HostState

# (switch, port, far device, far port, mode)
CABLES = [
    ("leaf01", "Ethernet49/1", "spine01", "swp1"),
    ("leaf01", "Ethernet50/1", "spine01", "swp2"),
    ("leaf02", "Ethernet1/49", "spine01", "swp3"),
    ("leaf02", "Ethernet1/50", "spine01", "swp4"),
]
HOST_PORTS = [
    ("leaf01", "Ethernet1/1", "rail0"),
    ("leaf01", "Ethernet2/1", "rail1"),
    ("leaf02", "Ethernet1/1", "rail2"),
]
PLATFORMS = {"leaf01": "eos", "leaf02": "nxos", "spine01": "nvue"}


def roce(cnp_queue: int = 6) -> dict[str, Any]:
    """The policy of the fabric; queue numbers are those of the platform."""
    return {
        "classes": [
            {"name": "default", "priority": 0, "queue": 0, "scheduler": {"type": "ets", "weight": 50}},
            {
                "name": "roce",
                "priority": 3,
                "queue": 3,
                "dscp": [26],
                "lossless": True,
                "scheduler": {"type": "ets", "weight": 50},
            },
            {"name": "cnp", "priority": 6, "queue": cnp_queue, "dscp": [48], "scheduler": {"type": "strict"}},
        ]
    }


@dataclass
class Site:
    """Models as plain data, facts as dataclasses; a string instead of facts is why there are none."""

    models: dict[str, dict[str, Any]] = field(default_factory=dict)
    facts: dict[str, Facts | str] = field(default_factory=dict)
    hosts: dict[str, dict[str, int]] = field(default_factory=lambda: {"gpu01": {f"rail{n}": 9000 for n in range(3)}})

    host: dict[str, Any] = field(default_factory=dict)  # model of gpu01
    nics: dict[str, Any] | str = field(default_factory=dict)  # facts of its NICs

    def fabric(self) -> Fabric:
        """What the checks get, by way of plain data as in a run."""
        return Fabric.build(
            {
                name: (load_switch(model, name), told if isinstance(told := self.facts[name], str) else told.as_dict())
                for name, model in self.models.items()
            },
            self.hosts,
            {"gpu01": HostState.build(load_host(self.host, "gpu01"), self.nics)},
        )

    def port(self, device: str, name: str) -> PortFacts:
        """Facts of one port."""
        return self.facts[device].ports[name]

    def model_port(self, device: str, name: str) -> dict[str, Any]:
        """Model of one port."""
        return next(p for p in self.models[device]["ports"] if p["name"] == name)


def _facts(model: dict[str, Any], neighbor: Neighbor) -> PortFacts:
    return PortFacts(
        admin_up=True,
        oper_up=True,
        speed=model["speed"],
        mtu=model["mtu"],
        fec=model["fec"],
        mode=model["mode"],
        vlan=model.get("vlan"),
        vlans=tuple(model.get("vlans", ())),
        native_vlan=model.get("native_vlan"),
        addresses=(model["address"], "fe80::1/64") if "address" in model else (),
        trust="dscp",
        rx_packets=5_000_000,
        tx_packets=5_000_000,
        rx_errors=0,
        tx_errors=0,
        crc_errors=0,
        pfc=Pfc(enabled=True, operational=True, priorities=(3,)),
        queues={queue: Queue(tx_packets=1000, drops=0) for queue in range(8)},
        watchdog={3: Watchdog(stuck=False, detected=0, restored=0)},
        neighbors=(neighbor,),
    )


def healthy() -> Site:
    """A fabric without findings."""
    site = Site()
    for name, platform in PLATFORMS.items():
        site.models[name] = {
            "name": name,
            "platform": platform,
            "role": "spine" if name.startswith("spine") else "leaf",
            "vlans": [{"id": 100, "name": "rails"}, {"id": 200, "name": "storage"}],
            "ports": [],
            "roce": roce(7 if platform == "nxos" else 6),
        }
        site.facts[name] = Facts(hostname=name, platform=platform, release="1.0", dscp_to_priority={0: 0, 26: 3, 48: 6})

    def add(device: str, model: dict[str, Any], neighbor: Neighbor) -> None:
        model = {"speed": 400000, "fec": "rs", "mtu": 9214, "mode": "routed"} | model
        if PLATFORMS[device] == "nxos" and model["mode"] != "routed":
            model["mtu"] = 9216  # all that a switched port of NX-OS takes beside 1500
        site.models[device]["ports"].append(model)
        site.facts[device].ports[model["name"]] = _facts(model, neighbor)

    for number, (leaf, port, spine, far) in enumerate(CABLES):
        for address, (device, name, to, far_port) in enumerate(((spine, far, leaf, port), (leaf, port, spine, far))):
            model = {"name": name, "address": f"10.0.{number}.{address}/31", "peer": {"device": to, "port": far_port}}
            add(device, model, Neighbor(to, far_port))
    for leaf, port, nic in HOST_PORTS:
        model = {"name": port, "mode": "access", "vlan": 100, "peer": {"device": "gpu01", "port": nic, "kind": "host"}}
        if nic == "rail2":
            model |= {"mode": "trunk", "vlan": None, "vlans": [100, 200], "native_vlan": 100}
        add(leaf, model, Neighbor("gpu01.example.com", nic))
    _host(site)
    trunk = {"name": "Ethernet9/1", "mode": "trunk", "vlans": [100, 200], "native_vlan": 100}
    add("leaf01", trunk, Neighbor("storage01", "eth0"))
    plain = {"name": "Ethernet1/9", "mode": "access", "vlan": 200, "lossless": False}
    add("leaf02", plain, Neighbor("bastion", "eth0"))
    site.port("leaf02", "Ethernet1/9").pfc = Pfc(enabled=False, operational=False)
    _underlay(site)
    return copy.deepcopy(site)


def _host(site: Site) -> None:
    """gpu01, whose NICs are as they should be, by way of plain data as host_facts returns them."""
    policy = {"profile": "ROCE", "trust": "dscp", "priority": 3, "dscp": [26], "cnp_priority": 6, "cnp_dscp": [48]}
    site.host = {"name": "gpu01", "managed": True, "roce": policy, "nics": []}
    for number, (leaf, port, nic) in enumerate(HOST_PORTS):
        address = f"10.100.0.{number + 1}/24"
        model = {"name": nic, "mtu": 9000, "address": address, "peer": {"switch": leaf, "port": port}}
        facts = {
            "interface": nic,
            "up": True,
            "mtu": 9000,
            "addresses": [address],
            "vlans": {},
            "pfc": [3],
            "trust": "dscp",
            "dscp_to_priority": {str(d): {26: 3, 48: 6}.get(d, 0) for d in range(64)},
            "global_pause": {"rx": False, "tx": False},
            "neighbors": [{"device": f"{leaf}.example.com", "port": port}],
        }
        if nic == "rail2":
            model["tagged"] = [{"vlan": 200, "address": "10.200.0.1/24"}]
            facts["vlans"] = {"200": {"interface": "rail2.200", "mtu": 9000, "addresses": ["10.200.0.1/24"]}}
        site.host["nics"].append(model)
        site.nics[nic] = facts


def _underlay(site: Site) -> None:
    """eBGP over every cable between switches, every session up, every leaf reached over all uplinks."""
    asns = {name: 4200000000 + number for number, name in enumerate(PLATFORMS)}
    ids = {name: f"10.254.0.{number}" for number, name in enumerate(PLATFORMS, start=1)}
    for name in PLATFORMS:
        neighbors = []
        for port in site.models[name]["ports"]:
            far = port.get("peer", {})
            if far.get("device") not in PLATFORMS:
                continue
            address = next(
                p["address"].split("/")[0] for p in site.models[far["device"]]["ports"] if p["name"] == far["port"]
            )
            neighbors.append({"port": port["name"], "address": address, "asn": asns[far["device"]]})
            site.facts[name].bgp[address] = BgpPeer(established=True, asn=asns[far["device"]], received=3)
        own = {"asn": asns[name], "router_id": ids[name], "neighbors": neighbors, "adaptive_routing": True}
        site.models[name]["underlay"] = own
        site.facts[name].reload_pending = ()
        if name.startswith("leaf"):
            for other in PLATFORMS:
                if other != name and other.startswith("leaf"):
                    site.facts[name].paths[f"{ids[other]}/32"] = len(neighbors)
