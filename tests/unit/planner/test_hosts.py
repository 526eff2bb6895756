# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the plan tells a GPU host about itself: cards, addresses, gateways, networks, expectations."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.host import Host, Nic
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.load import load_host
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.plan import Plan
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.site import plan_site
from tests.unit.planner.conftest import build
from tests.unit.planner.designs import intent, planned

ROOT = Path(__file__).parents[3]


def nic(host: Host, name: str) -> Nic:
    return next(n for n in host.nics if n.name == name)


@pytest.fixture(scope="module")
def site() -> Plan:
    return plan_site(str(ROOT / "inventories" / "lab-hosts" / "fabric.yml"))


def test_pci_address_of_the_profile_unless_the_host_states_its_own():
    def change(data: dict) -> None:
        data["host_profiles"]["gpu"]["nics"] = {
            "rail0": {"vlan": 100, "pci_address": "0000:1a:00.0"},
            "rail1": {"vlan": 100},
        }
        data["hosts"] = {
            "gpu01": {"profile": "gpu"},
            "gpu02": {"profile": "gpu", "nics": {"rail0": {"pci_address": "0000:2a:00.0"}}},
        }

    hosts = build(change).hosts
    assert [nic(hosts[h], "rail0").pci_address for h in ("gpu01", "gpu02")] == ["0000:1a:00.0", "0000:2a:00.0"]
    assert nic(hosts["gpu01"], "rail1").pci_address is None


def test_hosts_are_left_alone_unless_managed():
    def change(data: dict) -> None:
        data["hosts"] = {"gpu01": {"profile": "gpu", "managed": True}, "gpu02": {"profile": "gpu"}}

    plan = build(change)
    assert (plan.groups["managed_hosts"], plan.groups["gpu_hosts"]) == (["gpu01"], ["gpu01", "gpu02"])
    assert plan.children["gpu_hosts"] == ["managed_hosts"]

    def all_but_one(data: dict) -> None:
        data["host_profiles"]["gpu"]["managed"] = True
        data["hosts"] = {"gpu01": {"profile": "gpu"}, "gpu02": {"profile": "gpu", "managed": False}}

    assert build(all_but_one).groups["managed_hosts"] == ["gpu01"]
    assert build().groups["managed_hosts"] == []


def test_gateway_is_the_leaf_or_what_the_pair_answers_for():
    def change(data: dict) -> None:
        data["switches"]["leaf01"]["gateways"] = {100: {"address": "10.100.0.251/24"}}
        data["switches"]["leaf02"]["gateways"] = {100: {"address": "10.100.0.252/24", "virtual": "10.100.0.254"}}

    host = build(change).hosts["gpu01"]
    assert (nic(host, "rail0").gateway, nic(host, "rail1").gateway) == ("10.100.0.251", "10.100.0.254")
    assert host.networks == ("10.100.0.0/24",)  # nothing is routed beyond the leaf
    assert nic(build().hosts["gpu01"], "rail0").gateway is None


def test_gateway_of_a_routed_cable_is_its_far_end():
    host = planned(intent(8, hosts="routed")).hosts["gpu01"]
    assert host.networks == ("10.0.0.0/9",)
    first = host.nics[0]
    assert (first.address, first.gateway, first.peer.address) == ("10.0.0.1/31", "10.0.0.0", "10.0.0.0/31")


def test_networks_are_what_the_underlay_announces_without_loopbacks(site: Plan):
    assert site.hosts["gpu01"].networks == ("10.110.0.0/16", "10.111.0.0/16")


def test_tagged_vlans_of_a_trunk(site: Plan):
    rail1 = nic(site.hosts["gpu01"], "rail1")
    assert (rail1.address, rail1.native_vlan, rail1.gateway) == ("10.111.1.1/24", 101, "10.111.1.254")
    assert [(t.vlan, t.address, t.gateway) for t in rail1.tagged] == [(200, "10.120.0.1/24", None)]
    assert nic(site.hosts["gpu01"], "rail0").tagged == ()


def test_hardware_reaches_the_host(site: Plan):
    hardware = site.hosts["gpu02"].hardware
    assert (hardware.nics.count, hardware.nics.device_ids, hardware.gpus.count) == (2, ("15b3:1021",), 2)


def test_a_host_by_hand_and_its_plan_are_the_same_kind_of_thing():
    """The example of the documentation loads, and what the plan makes loads as host variables."""
    example = yaml.safe_load((ROOT / "docs" / "model-example-host.yml").read_text())
    host = load_host(example["host"], "gpu01")
    assert host.hardware.gpus.device_ids == ("10de:2335",)
    assert load_host(host.model_dump(mode="json"), "gpu01") == host
