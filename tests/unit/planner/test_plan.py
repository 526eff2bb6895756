# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of a small fabric, value by value, and the effect of each kind of override."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Port
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import PlanError
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.plan import Plan
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.site import plan_site
from tests.unit.planner.conftest import build

ROOT = Path(__file__).parents[3]


def port(plan: Plan, switch: str, name: str) -> Port:
    return next(p for p in plan.switches[switch].ports if p.name == name)


def cls(plan: Plan, switch: str, name: str) -> Any:
    return next(c for c in plan.switches[switch].roce.classes if c.name == name)


def problems(change: Any) -> list[tuple]:
    with pytest.raises(PlanError) as caught:
        build(change)
    return list(caught.value.problems)


# -- cables -----------------------------------------------------------------------------------------------------------


def test_ranges_pair_up_and_take_one_31_after_the_other(planned: Plan):
    seen = [
        (p.name, p.address, p.peer.device, p.peer.port) for p in planned.switches["leaf01"].ports if p.mode == "routed"
    ]
    assert seen == [
        ("Ethernet49/1", "10.0.0.0/31", "spine01", "Ethernet1/1"),
        ("Ethernet50/1", "10.0.0.2/31", "spine01", "Ethernet1/2"),
    ]
    assert port(planned, "spine01", "Ethernet1/2").address == "10.0.0.3/31"


def test_a_30_gives_its_two_usable_addresses(planned: Plan):
    assert port(planned, "leaf02", "Ethernet1/49").address == "10.0.0.5/30"
    assert port(planned, "spine02", "swp1").address == "10.0.0.6/30"


def test_access_port_has_the_vlan_of_the_nic(planned: Plan):
    seen = port(planned, "leaf01", "Ethernet2/1")
    assert (seen.mode, seen.vlan, seen.description, seen.peer.kind) == ("access", 100, "gpu02 rail0", "host")
    assert [v.id for v in planned.switches["leaf01"].vlans] == [100]  # 200 is not used there


def test_ports_are_in_natural_order(planned: Plan):
    assert [p.name for p in planned.switches["leaf01"].ports] == [
        "Ethernet1/1",
        "Ethernet2/1",
        "Ethernet49/1",
        "Ethernet50/1",
    ]


def test_trunk_and_routed_attachment():
    def change(data: dict) -> None:
        data["attachments"][0] = {
            "host": "gpu01:rail0",
            "switch": "leaf01:Ethernet1/1",
            "mode": "trunk",
            "vlans": [200, 100],
            "native_vlan": 100,
        }
        data["attachments"][1] = {
            "host": "gpu01:rail1",
            "switch": "leaf02:Ethernet1/1",
            "mode": "routed",
            "subnet": "10.2.0.0/31",
        }

    plan = build(change)
    trunk = port(plan, "leaf01", "Ethernet1/1")
    assert (trunk.mode, trunk.vlans, trunk.native_vlan) == ("trunk", (100, 200), 100)
    assert port(plan, "leaf02", "Ethernet1/1").address == "10.2.0.0/31"
    first, second = plan.hosts["gpu01"].nics
    assert (first.mode, first.vlans, first.native_vlan) == ("trunk", (100, 200), 100)
    assert (second.address, second.peer.address) == ("10.2.0.1/31", "10.2.0.0/31")
    assert plan.hosts["gpu02"].nics[0].peer is None  # not cabled


def test_trunk_link_between_leafs():
    def change(data: dict) -> None:
        data["links"].append(
            {"a": "leaf01:Ethernet56/1", "b": "leaf02:Ethernet1/56", "mode": "trunk", "vlans": [100, 200]}
        )

    plan = build(change)
    a, b = port(plan, "leaf01", "Ethernet56/1"), port(plan, "leaf02", "Ethernet1/56")
    assert (a.mode, a.vlans, b.vlans) == ("trunk", (100, 200), (100, 200))
    assert (a.mtu, b.mtu) == (9214, 9216)  # layer 2 on NX-OS knows nothing between 1500 and 9216


# -- MTU --------------------------------------------------------------------------------------------------------------


def test_mtu_of_a_link_is_the_largest_that_both_ends_take(planned: Plan):
    assert port(planned, "leaf01", "Ethernet49/1").mtu == 9214  # EOS
    assert port(planned, "spine01", "Ethernet1/1").mtu == 9214  # NX-OS at the other end of it
    assert port(planned, "leaf02", "Ethernet1/49").mtu == 9216  # NX-OS to Cumulus


def test_mtu_is_never_above_policy():
    plan = build(lambda d: d["policy"].update(mtu=9100))
    assert port(plan, "leaf02", "Ethernet1/49").mtu == 9100
    assert port(plan, "leaf01", "Ethernet1/1").mtu == 9100
    assert port(plan, "leaf02", "Ethernet1/1").mtu == 9216  # access port of NX-OS


def test_mtu_of_one_end_lowers_the_other():
    plan = build(lambda d: d["switches"]["leaf02"].update(ports={"Ethernet1/49": {"mtu": 9000}}))
    assert port(plan, "spine02", "swp1").mtu == 9000


def test_mtu_of_a_layer_2_port_of_nxos_must_be_possible():
    found = problems(lambda d: d["switches"]["leaf02"].update(ports={"Ethernet1/1": {"mtu": 9100}}))
    assert found[0][0] == ("switches", "leaf02", "ports", "Ethernet1/1", "mtu")
    assert "expected 1500 or 9216" in found[0][1]


def test_host_needs_room():
    found = problems(lambda d: d["host_profiles"]["gpu"].update(mtu=9200))
    assert found == [
        (
            ("host_profiles", "gpu", "mtu"),
            (
                "expected at least 9250 on ports of hosts (host MTU 9200 + 50 overhead), found 9214 "
                "(raise mtu or lower the host MTU)"
            ),
        ),
        (
            ("host_profiles", "gpu", "mtu"),
            (
                "expected at least 9250 on ports of hosts (host MTU 9200 + 50 overhead), found 9216 "
                "(raise mtu or lower the host MTU)"
            ),
        ),
    ]


# -- overrides --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "levels, wanted",
    [
        ((), 5),
        (("policy",), 10),
        (("policy", "profile"), 20),
        (("policy", "profile", "switch"), 30),
        (("policy", "profile", "switch", "cable"), 40),
        (("policy", "profile", "switch", "cable", "port"), 50),
        (("policy", "port"), 50),
    ],
)
def test_the_nearest_wins(levels: tuple[str, ...], wanted: int):
    def change(data: dict) -> None:
        places = {
            "policy": data["policy"],
            "profile": data["switch_profiles"]["eos"],
            "switch": data["switches"]["leaf01"],
            "cable": data["attachments"][0],
            "port": data["switches"]["leaf01"].setdefault("ports", {}).setdefault("Ethernet1..2/1", {}),
        }
        for number, (name, place) in enumerate(places.items(), 1):
            if name in levels:
                place["cable_length"] = number * 10

    assert port(build(change), "leaf01", "Ethernet1/1").cable_length == wanted


def test_a_cable_has_one_length():
    def change(data: dict) -> None:
        data["switch_profiles"]["nvue"]["cable_length"] = 40

    plan = build(change)
    assert port(plan, "leaf02", "Ethernet1/49").cable_length == port(plan, "spine02", "swp1").cable_length == 40
    assert port(plan, "leaf02", "Ethernet1/1").cable_length == 5


def test_sections_are_inherited_field_by_field_but_ecn_as_a_whole():
    def change(data: dict) -> None:
        data["policy"].update(pfc_watchdog={"action": "notify", "restore_ms": 2000}, ecn={"profile": "pfc-only"})
        data["switches"]["leaf01"].update(
            pfc_watchdog={"restore_ms": 3000}, ecn={"min": 1000, "max": 2000, "probability": 10}
        )

    plan = build(change)
    watchdog = plan.switches["leaf01"].roce.pfc_watchdog
    assert (watchdog.action, watchdog.restore_ms, watchdog.detect_ms) == ("notify", 3000, 200)
    assert cls(plan, "leaf01", "roce").ecn.model_dump() == {"min": 1000, "max": 2000, "probability": 10}
    assert cls(plan, "leaf02", "roce").ecn is None


def test_port_overrides():
    def change(data: dict) -> None:
        data["switches"]["leaf01"]["ports"] = {
            "Ethernet2/1": {"enabled": False, "description": "spare", "fec": "rs", "headroom": 90000, "lossless": False}
        }

    seen = port(build(change), "leaf01", "Ethernet2/1")
    assert (seen.enabled, seen.description, seen.fec, seen.headroom, seen.lossless) == (
        False,
        "spare",
        "rs",
        90000,
        False,
    )


# -- queues and ECN ---------------------------------------------------------------------------------------------------


def test_cnp_queue_by_platform(planned: Plan):
    queues = {n: cls(planned, n, "cnp").queue for n in planned.switches}
    assert queues == {"leaf01": 6, "leaf02": 7, "spine01": 7, "spine02": 6}
    assert {cls(planned, n, "cnp").priority for n in planned.switches} == {6}


def test_cnp_queue_can_be_chosen():
    assert cls(build(lambda d: d["switch_profiles"]["nxos"].update(cnp_queue=6)), "leaf02", "cnp").queue == 6


def test_policy_reaches_switches_and_hosts():
    def change(data: dict) -> None:
        data["policy"].update(roce={"dscp": [24, 26], "priority": 4}, cnp={"dscp": 40}, profile="AI", trust="cos")

    plan = build(change)
    roce = cls(plan, "leaf01", "roce")
    assert (roce.dscp, roce.priority, roce.queue, roce.cos, roce.lossless) == ((24, 26), 4, 4, (4,), True)
    host = plan.hosts["gpu01"].roce
    assert (host.dscp, host.priority, host.cnp_dscp, host.trust) == ((24, 26), 4, (40,), "cos")
    assert plan.switches["leaf01"].roce.profile == host.profile == "AI"


@pytest.mark.parametrize(
    "profile, wanted",
    [
        ("nvidia", {"min": 150000, "max": 1500000, "probability": 100}),
        ("shallow", {"min": 300000, "max": 600000, "probability": 5}),  # 6 us at 400 Gb/s
        ("hpcc", {"min": 1600000, "max": 6400000, "probability": 20}),  # 4 and 16 kB per Gb/s
        ("pfc-only", None),
    ],
)
def test_ecn_profiles(profile: str, wanted: dict | None):
    plan = build(lambda data: data["policy"].update(ecn={"profile": profile}))
    ecn = cls(plan, "leaf02", "roce").ecn
    assert (ecn.model_dump() if ecn else None) == wanted


def test_ecn_vendor_default_is_by_platform():
    plan = build(lambda data: data["policy"].update(ecn={"profile": "vendor-default"}))
    seen = {name: cls(plan, name, "roce").ecn.max for name in ("leaf01", "leaf02", "spine02")}
    assert (seen["leaf02"], seen["spine02"]) == (3000000, 1500000)  # Cisco's examples, Cumulus' RoCE defaults
    assert plan.numbers["leaf01"].switch.ecn.max.value == seen["leaf01"]


def test_ecn_profile_by_speed_needs_a_speed():
    def change(data: dict) -> None:
        data["policy"] = {"ecn": {"profile": "hpcc"}}

    assert problems(change)[0][0] == ("policy", "ecn")


# -- hosts ------------------------------------------------------------------------------------------------------------


def test_hosts_of_a_range(planned: Plan):
    assert list(planned.hosts) == ["gpu01", "gpu02"]
    nic = planned.hosts["gpu02"].nics[1]
    assert (nic.name, nic.rail, nic.mtu, nic.speed, nic.vlan) == ("rail1", 1, 9000, 400000, 100)
    assert (nic.peer.switch, nic.peer.port, nic.peer.address) == ("leaf02", "Ethernet1/2", None)


def test_nic_speed_becomes_port_speed_when_nothing_else_states_one():
    def change(data: dict) -> None:
        data["policy"] = {}
        data["host_profiles"]["gpu"]["nics"]["rail0..1"]["speed"] = "200G"

    plan = build(change)
    assert port(plan, "leaf01", "Ethernet1/1").speed == 200000
    assert port(plan, "leaf01", "Ethernet49/1").speed is None


# -- whole sites ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("site", ["lab", "lab-hosts", "example"])
def test_sites_are_consistent_at_both_ends(site: str):
    plan = plan_site(str(ROOT / "inventories" / site / "fabric.yml"))
    ends = 0
    for name, switch in plan.switches.items():
        for here in switch.ports:
            if here.peer.kind == "host":
                nic = next(n for n in plan.hosts[here.peer.device].nics if n.name == here.peer.port)
                assert (nic.peer.switch, nic.peer.port) == (name, here.name)
                assert (nic.speed, nic.vlan, nic.vlans) == (here.speed, here.vlan, here.vlans)
                assert here.mtu >= nic.mtu + 50
            else:
                there = port(plan, here.peer.device, here.peer.port)
                assert (there.peer.device, there.peer.port) == (name, here.name)
                for field in ("mtu", "speed", "fec", "cable_length", "mode", "lossless"):
                    assert getattr(there, field) == getattr(here, field), (name, here.name, field)
                ends += 1
    assert ends == 2 * sum(cable.kind != "host" for cable in plan.cables) > 0


def test_the_lab_has_what_the_lab_needs():
    plan = plan_site(str(ROOT / "inventories" / "lab" / "fabric.yml"))
    roles = sorted((s.role, s.platform) for s in plan.switches.values())
    assert roles == sorted(
        [("spine", p) for p in ("eos", "nxos", "nvue")] + [("leaf", p) for p in ("eos", "nxos", "nvue")] * 2
    )
    assert {a.address for a in plan.access.values()} == {"127.0.0.1"}
    ports = [a.port for n, a in plan.access.items() if n in plan.switches]
    assert ports == list(range(2201, 2210))
    for platform in ("eos", "nxos", "nvue"):
        modes = {
            p.mode for s in plan.switches.values() if s.platform == platform for p in s.ports if p.peer.kind == "host"
        }
        assert modes == {"access", "trunk", "routed"}


def test_planning_twice_gives_the_same():
    path = str(ROOT / "inventories" / "lab" / "fabric.yml")
    first, second = plan_site(path), plan_site(path)
    assert [s.model_dump_json() for s in first.switches.values()] == [
        s.model_dump_json() for s in second.switches.values()
    ]
    assert first.groups == second.groups
    assert list(first.groups) == list(second.groups)
