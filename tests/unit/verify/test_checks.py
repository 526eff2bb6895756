# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every check is seen to find what it is there for, and to keep quiet otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import Neighbor, Pfc, PortFacts, Watchdog
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.finding import Finding
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.runner import discover, verify
from tests.unit.verify.healthy import Site, healthy, roce


@dataclass(frozen=True)
class Case:
    """One thing that is broken, and all that may be found: (severity, check, device, port, expected, found)."""

    name: str
    breaks: Callable[[Site], None]
    finds: tuple[tuple[str, str, str, str, str, str], ...]


def port(device: str, name: str, **values: object) -> Callable[[Site], None]:
    """Change facts of one port; ``pfc_...`` goes to its PFC."""

    def breaks(site: Site) -> None:
        facts = site.port(device, name)
        for key, value in values.items():
            target, attribute = (facts.pfc, key[4:]) if key.startswith("pfc_") else (facts, key)
            assert hasattr(target, attribute)
            setattr(target, attribute, value)

    return breaks


def model(device: str, name: str, **values: object) -> Callable[[Site], None]:
    """Change the model of one port."""
    return lambda site: site.model_port(device, name).update(values)


def both(*steps: Callable[[Site], None]) -> Callable[[Site], None]:
    """Do several things."""

    def breaks(site: Site) -> None:
        for step in steps:
            step(site)

    return breaks


def hears(device: str, name: str, *heard: tuple[str, str]) -> Callable[[Site], None]:
    """Change the LLDP neighbours of one port."""
    return port(device, name, neighbors=tuple(Neighbor(*pair) for pair in heard))


def nic(name: str, **values: object) -> Callable[[Site], None]:
    """Change facts of one NIC of gpu01."""

    def breaks(site: Site) -> None:
        assert set(values) <= set(site.nics[name])
        site.nics[name].update(values)

    return breaks


def dscp(device: str, **changes: int) -> Callable[[Site], None]:
    """Change the DSCP map in force; a negative priority removes the entry."""

    def breaks(site: Site) -> None:
        told = site.facts[device].dscp_to_priority
        told.update({int(key[1:]): value for key, value in changes.items()})
        for key in [k for k, v in told.items() if v < 0]:
            del told[key]

    return breaks


def unreachable(site: Site) -> None:
    site.facts["leaf02"] = "connection refused"


def rename(site: Site) -> None:
    """The host name of a switch is left alone, so LLDP may say another name than the inventory."""
    site.facts["spine01"].hostname = "dc7-r3-u40"
    hears("leaf01", "Ethernet49/1", ("dc7-r3-u40", "swp1"))(site)
    hears("leaf01", "Ethernet50/1", ("dc7-r3-u40", "swp2"))(site)


def swap_on_leaf(site: Site) -> None:
    """The plugs of both uplinks of leaf01 exchanged: all four ends hear someone else."""
    for device, name, far in (
        ("leaf01", "Ethernet49/1", ("spine01", "swp2")),
        ("leaf01", "Ethernet50/1", ("spine01", "swp1")),
        ("spine01", "swp1", ("leaf01", "Ethernet50/1")),
        ("spine01", "swp2", ("leaf01", "Ethernet49/1")),
    ):
        hears(device, name, far)(site)


def swap_on_spine(site: Site) -> None:
    """One cable of each leaf exchanged at the spine: the pair on one device is named, once."""
    for device, name, far in (
        ("leaf01", "Ethernet49/1", ("spine01", "swp3")),
        ("leaf02", "Ethernet1/49", ("spine01", "swp1")),
        ("spine01", "swp1", ("leaf02", "Ethernet1/49")),
        ("spine01", "swp3", ("leaf01", "Ethernet49/1")),
    ):
        hears(device, name, far)(site)


def change_priority(*devices: str) -> Callable[[Site], None]:
    """A lossless priority 4 in the intent of these switches (and of the host), and in force there."""

    def breaks(site: Site) -> None:
        for device in devices:
            if device == "gpu01":
                site.host["roce"]["priority"] = 4
                for facts in site.nics.values():
                    facts["pfc"] = [4]
                    facts["dscp_to_priority"]["26"] = 4
                continue
            site.models[device]["roce"]["classes"][1]["priority"] = 4
            site.facts[device].dscp_to_priority[26] = 4
            for facts in site.facts[device].ports.values():
                if facts.pfc.enabled:
                    facts.pfc.priorities = (4,)

    return breaks


def session(device: str, address: str, **changes: object) -> Callable[[Site], None]:
    """Change the state of a BGP session; established None takes it away."""

    def breaks(site: Site) -> None:
        sessions = site.facts[device].bgp
        if changes.get("established", True) is None:
            del sessions[address]
        else:
            sessions[address] = replace(sessions[address], **changes)

    return breaks


def paths(device: str, loopback: str, number: int) -> Callable[[Site], None]:
    """Change the number of next hops to a loopback."""
    return lambda site: site.facts[device].paths.update({loopback: number})


UPLINK = ("leaf01", "Ethernet49/1")
HOST = ("leaf01", "Ethernet1/1")
TRUNK = ("leaf01", "Ethernet9/1")
ENDS = "the same {} at both ends"

CASES = [
    Case("nothing", lambda site: None, ()),
    Case(
        "switch unreachable",
        unreachable,
        (("error", "unreachable", "leaf02", "", "facts of the switch", "connection refused"),),
    ),
    Case(
        "port does not exist",
        lambda site: site.facts["spine01"].ports.pop("swp4") and None,
        (("error", "port_absent", "spine01", "swp4", "a port of this name", "no such port"),),
    ),
    Case(
        "port down",
        port(*UPLINK, oper_up=False, speed=10, neighbors=()),
        (("error", "port_down", *UPLINK, "up", "down"),),
    ),
    Case(
        "port disabled in the intent and down",
        both(model(*TRUNK, enabled=False), port(*TRUNK, admin_up=False, oper_up=False, mtu=1500, neighbors=())),
        (),
    ),
    Case(
        "disabled by hand, so the far end is down",
        both(
            port(*UPLINK, admin_up=False, oper_up=False, neighbors=()),
            port("spine01", "swp1", oper_up=False, neighbors=()),
        ),
        (
            ("error", "admin_state", *UPLINK, "enabled", "disabled"),
            ("error", "port_down", "spine01", "swp1", "up", "down"),
        ),
    ),
    Case(
        "enabled unlike the intent",
        model(*TRUNK, enabled=False),
        (("error", "admin_state", *TRUNK, "disabled", "enabled"),),
    ),
    Case(
        "session down",
        session("leaf01", "10.0.0.0", established=False),
        (("error", "bgp_session", *UPLINK, "session with AS 4200000002, established", "not established"),),
    ),
    Case(
        "session missing",
        session("leaf01", "10.0.0.0", established=None),
        (("error", "bgp_session", *UPLINK, "session with AS 4200000002, established", "no such session"),),
    ),
    Case(
        "session with another AS",
        session("leaf01", "10.0.0.0", asn=65000),
        (("error", "bgp_session", *UPLINK, "session with AS 4200000002, established", "AS 65000"),),
    ),
    Case(
        "one path of two",
        paths("leaf01", "10.254.0.2/32", 1),
        (("warning", "ecmp_paths", "leaf01", "", "2 paths to leaf02 (10.254.0.2/32)", "1 paths"),),
    ),
    Case(
        "no path",
        both(paths("leaf01", "10.254.0.2/32", 0), paths("leaf01", "10.254.0.3/32", 2)),
        (("error", "ecmp_paths", "leaf01", "", "2 paths to leaf02 (10.254.0.2/32)", "no route"),),
    ),
    Case(
        "load balancing that waits for a reload",
        lambda site: setattr(site.facts["leaf02"], "reload_pending", ("hardware profile dlb ; dlb-interface Eth1/49",)),
        (
            (
                "warning",
                "reload_pending",
                "leaf02",
                "",
                "nothing that waits for a reload",
                "hardware profile dlb ; dlb-interface Eth1/49",
            ),
        ),
    ),
    Case("slow port", port(*UPLINK, speed=100000), (("error", "speed", *UPLINK, "400G", "100G"),)),
    Case("fast port", port(*UPLINK, speed=800000), (("error", "speed", *UPLINK, "400G", "800G"),)),
    Case("no planned speed", both(model(*UPLINK, speed=None), port(*UPLINK, speed=100000)), ()),
    Case("MTU of a host port", port(*HOST, mtu=1500), (("error", "mtu", *HOST, "9214 bytes", "1500 bytes"),)),
    Case(
        "MTU at one end",
        port("spine01", "swp1", mtu=9216),
        (("error", "mtu", "spine01", "swp1", "9214 bytes", "9216 bytes"),),
    ),
    Case(
        "MTU differs in the intent",
        both(model(*UPLINK, mtu=9000), port(*UPLINK, mtu=9000)),
        (
            (
                "error",
                "mtu_ends",
                *UPLINK,
                ENDS.format("MTU"),
                "leaf01 Ethernet49/1: 9000 bytes, spine01 swp1: 9214 bytes",
            ),
        ),
    ),
    Case(
        "port below the MTU of the host",
        both(model(*HOST, mtu=4000), port(*HOST, mtu=4000)),
        (("error", "mtu_host", *HOST, "at least the 9000 bytes of gpu01 rail0", "4000 bytes"),),
    ),
    Case("access VLAN", port(*HOST, vlan=200), (("error", "vlan", *HOST, "access VLAN 100", "access VLAN 200"),)),
    Case("mode", port(*HOST, mode="routed", vlan=None), (("error", "vlan", *HOST, "access VLAN 100", "routed"),)),
    Case(
        "allowed VLANs",
        port(*TRUNK, vlans=(100,)),
        (("error", "vlan", *TRUNK, "trunk VLANs 100,200 native 100", "trunk VLANs 100 native 100"),),
    ),
    Case(
        "native VLAN",
        port(*TRUNK, native_vlan=1),
        (("error", "vlan", *TRUNK, "trunk VLANs 100,200 native 100", "trunk VLANs 100,200 native 1"),),
    ),
    Case("native VLAN not told", port(*TRUNK, native_vlan=None), ()),
    Case(
        "default native VLAN",
        both(lambda site: site.model_port(*TRUNK).pop("native_vlan") and None, port(*TRUNK, native_vlan=1)),
        (),
    ),
    Case(
        "native VLAN by hand",
        lambda site: site.model_port(*TRUNK).pop("native_vlan") and None,
        (("error", "vlan", *TRUNK, "trunk VLANs 100,200 native 1", "trunk VLANs 100,200 native 100"),),
    ),
    Case(
        "address",
        port(*UPLINK, addresses=("10.9.9.1/31",)),
        (("error", "address", *UPLINK, "10.0.0.1/31", "10.9.9.1/31"),),
    ),
    Case(
        "prefix length",
        port(*UPLINK, addresses=("10.0.0.1/30",)),
        (("error", "address", *UPLINK, "10.0.0.1/31", "10.0.0.1/30"),),
    ),
    Case(
        "second address",
        port(*UPLINK, addresses=("10.0.0.1/31", "10.9.9.1/31")),
        (("error", "address", *UPLINK, "10.0.0.1/31", "10.0.0.1/31, 10.9.9.1/31"),),
    ),
    Case("no address", port(*UPLINK, addresses=()), (("error", "address", *UPLINK, "10.0.0.1/31", "no address"),)),
    Case("FEC", port(*UPLINK, fec="none"), (("error", "fec", *UPLINK, "rs (Reed-Solomon)", "none"),)),
    Case(
        "FEC of a port without link",
        port(*UPLINK, fec="none", oper_up=False, neighbors=()),
        (("error", "port_down", *UPLINK, "up", "down"),),
    ),
    Case(
        "FEC left to the platform differs",
        both(model(*UPLINK, fec=None), model("spine01", "swp1", fec=None), port(*UPLINK, fec="fc")),
        (
            (
                "error",
                "fec_ends",
                *UPLINK,
                ENDS.format("FEC"),
                "leaf01 Ethernet49/1: fc (FireCode), spine01 swp1: rs (Reed-Solomon)",
            ),
        ),
    ),
    Case(
        "PFC off",
        port(*HOST, pfc_enabled=False, pfc_operational=False, pfc_priorities=()),
        (("error", "pfc_enabled", *HOST, "PFC on, priority 3", "PFC off"),),
    ),
    Case(
        "PFC not operational",
        port(*HOST, pfc_operational=False, pfc_priorities=()),
        (("error", "pfc_operational", *HOST, "PFC operational", "PFC configured, not operational"),),
    ),
    Case(
        "PFC on another priority",
        port(*UPLINK, pfc_priorities=(4,)),
        (("error", "pfc_priorities", *UPLINK, "priority 3", "priority 4"),),
    ),
    Case(
        "PFC on one priority too many",
        port(*UPLINK, pfc_priorities=(3, 4)),
        (("error", "pfc_priorities", *UPLINK, "priority 3", "priority 3-4"),),
    ),
    Case(
        "PFC on no priority",
        port(*UPLINK, pfc_priorities=()),
        (("error", "pfc_priorities", *UPLINK, "priority 3", "priority none"),),
    ),
    Case(
        "lossless priority of one leaf differs in the intent",
        change_priority("leaf02"),
        (
            ("error", "dscp_host", "leaf02", "Ethernet1/1", "DSCP 26 of gpu01 rail2 in priority 3", "in priority 4"),
            (
                "error",
                "nic_pfc_ends",
                "gpu01",
                "rail2",
                "the same lossless priorities at both ends",
                "gpu01 rail2: 3, leaf02 Ethernet1/1: 4",
            ),
            (
                "error",
                "dscp_map_ends",
                "leaf02",
                "",
                "the same priority for each DSCP at both ends",
                "leaf02: DSCP 26 to 4, spine01: DSCP 26 to 3",
            ),
            (
                "error",
                "pfc_ends",
                "leaf02",
                "Ethernet1/49",
                "the same lossless priorities at both ends",
                "leaf02 Ethernet1/49: 4, spine01 swp3: 3",
            ),
            (
                "error",
                "pfc_ends",
                "leaf02",
                "Ethernet1/50",
                "the same lossless priorities at both ends",
                "leaf02 Ethernet1/50: 4, spine01 swp4: 3",
            ),
        ),
    ),
    Case("lossless priority the same everywhere", change_priority("leaf01", "leaf02", "spine01", "gpu01"), ()),
    Case(
        "lossless at one end in the intent",
        both(model(*UPLINK, lossless=False), port(*UPLINK, pfc=Pfc(enabled=False, operational=False))),
        (
            (
                "error",
                "pfc_ends",
                *UPLINK,
                "the same lossless priorities at both ends",
                "leaf01 Ethernet49/1: none, spine01 swp1: 3",
            ),
        ),
    ),
    Case(
        "PFC on a plain port",
        port("leaf02", "Ethernet1/9", pfc_enabled=True, pfc_priorities=(3,)),
        (("error", "pfc_unwanted", "leaf02", "Ethernet1/9", "PFC off", "PFC on, priority 3"),),
    ),
    Case(
        "PFC on a port that is not ours",
        lambda site: site.facts["leaf02"].ports.update(
            {"Ethernet1/33": PortFacts(pfc=Pfc(enabled=True, priorities=(3,)))}
        ),
        (),
    ),
    Case("trust", port(*HOST, trust="cos"), (("error", "trust", *HOST, "trust dscp", "trust cos"),)),
    Case("trust both", port(*HOST, trust="both"), ()),
    Case(
        "RoCE in the default class",
        dscp("spine01", d26=0),
        (("error", "dscp_map", "spine01", "", "DSCP 26 to 3", "DSCP 26 to 0"),),
    ),
    Case(
        "RoCE in no class",
        dscp("spine01", d26=-1),
        (("error", "dscp_map", "spine01", "", "DSCP 26 to 3", "DSCP 26 to no class"),),
    ),
    Case(
        "other traffic in the lossless class",
        dscp("leaf01", d24=3, d25=3),
        (("error", "dscp_map", "leaf01", "", "DSCP 24-25 to 0", "DSCP 24-25 to 3"),),
    ),
    Case(
        "CNP in another class",
        dscp("leaf01", d48=7),
        (("error", "dscp_map", "leaf01", "", "DSCP 48 to 6", "DSCP 48 to 7"),),
    ),
    Case(
        "no neighbour on an uplink",
        hears(*UPLINK),
        (("error", "lldp_missing", *UPLINK, "spine01 swp1", "no LLDP neighbour"),),
    ),
    Case("silent host", hears(*HOST), (("warning", "lldp_missing", *HOST, "gpu01 rail0", "no LLDP neighbour"),)),
    Case(
        "LLDP off in the intent",
        both(lambda site: site.models["leaf01"].update(lldp={"enabled": False}), hears(*UPLINK), hears(*HOST)),
        (),
    ),
    Case(
        "other device",
        hears(*UPLINK, ("spine09", "swp1")),
        (("error", "cabling", *UPLINK, "spine01 swp1", "spine09 swp1"),),
    ),
    Case(
        "other port",
        hears(*UPLINK, ("spine01", "swp30")),
        (("error", "cabling", *UPLINK, "spine01 swp1", "spine01 swp30"),),
    ),
    Case("one of two neighbours is right", hears(*HOST, ("b8:ce:f6:00:00:01", "x"), ("gpu01", "rail0")), ()),
    Case("host says a MAC address", hears(*HOST, ("gpu01", "b8:ce:f6:00:00:01")), ()),
    Case(
        "host says the NIC of another rail",
        hears(*HOST, ("gpu01", "rail2")),
        (("error", "cabling", *HOST, "gpu01 rail0", "gpu01 rail2"),),
    ),
    Case(
        "other host",
        hears(*HOST, ("gpu02", "b8:ce:f6:00:00:01")),
        (("error", "cabling", *HOST, "gpu01 rail0", "gpu02 b8:ce:f6:00:00:01"),),
    ),
    Case(
        "abbreviated port, upper case, full name",
        both(
            hears("spine01", "swp1", ("LEAF01.example.com", "Et49/1")), hears("spine01", "swp3", ("leaf02", "Eth1/49"))
        ),
        (),
    ),
    Case(
        "host name unlike the inventory",
        rename,
        (),
    ),
    Case(
        "swap on a leaf",
        swap_on_leaf,
        (
            (
                "error",
                "cabling",
                "leaf01",
                "Ethernet49/1",
                "leaf01 Ethernet49/1 to spine01 swp1, leaf01 Ethernet50/1 to spine01 swp2",
                "leaf01 Ethernet49/1 to spine01 swp2, leaf01 Ethernet50/1 to spine01 swp1",
            ),
        ),
    ),
    Case(
        "swap on the spine",
        swap_on_spine,
        (
            (
                "error",
                "cabling",
                "spine01",
                "swp1",
                "spine01 swp1 to leaf01 Ethernet49/1, spine01 swp3 to leaf02 Ethernet1/49",
                "spine01 swp1 to leaf02 Ethernet1/49, spine01 swp3 to leaf01 Ethernet49/1",
            ),
        ),
    ),
    Case(
        "swapped rails",
        both(hears("leaf01", "Ethernet1/1", ("gpu01", "rail1")), hears("leaf01", "Ethernet2/1", ("gpu01", "rail0"))),
        (
            (
                "error",
                "cabling",
                "leaf01",
                "Ethernet1/1",
                "leaf01 Ethernet1/1 to gpu01 rail0, leaf01 Ethernet2/1 to gpu01 rail1",
                "leaf01 Ethernet1/1 to gpu01 rail1, leaf01 Ethernet2/1 to gpu01 rail0",
            ),
        ),
    ),
    Case(
        "errors received",
        port(*HOST, rx_packets=1_000_000, rx_errors=11),
        (("error", "errors", *HOST, "at most 0.001 % errors", "0.0011 % of 1000011 packets received"),),
    ),
    Case(
        "errors sent",
        port(*HOST, tx_packets=2_000_000, tx_errors=2000),
        (("error", "errors", *HOST, "at most 0.001 % errors", "0.0999 % of 2002000 packets sent"),),
    ),
    Case("errors at the limit", port(*HOST, rx_packets=999_990, rx_errors=10), ()),
    Case("errors among too few packets", port(*HOST, rx_packets=999_000, rx_errors=100), ()),
    Case(
        "nothing but errors",
        port(*HOST, rx_packets=0, rx_errors=2_000_000),
        (("error", "errors", *HOST, "at most 0.001 % errors", "100 % of 2000000 packets received"),),
    ),
    Case("a CRC error", port(*HOST, crc_errors=1), (("warning", "crc", *HOST, "no CRC errors", "1 CRC error"),)),
    Case(
        "many CRC errors, rx_errors without them",
        port(*HOST, crc_errors=5_000),
        (("error", "errors", *HOST, "at most 0.001 % errors", "0.0999 % of 5005000 packets received"),),
    ),
    Case(
        "drops in the lossless queue",
        lambda site: setattr(site.port(*UPLINK).queues[3], "drops", 7),
        (("error", "lossless_drops", *UPLINK, "no drops in queue 3 (class roce)", "7 packets dropped"),),
    ),
    Case("drops in another queue", lambda site: setattr(site.port(*UPLINK).queues[0], "drops", 7), ()),
    Case(
        "stuck queue",
        port(*HOST, watchdog={3: Watchdog(stuck=True, detected=2, restored=1)}),
        (("error", "watchdog", *HOST, "no PFC watchdog events in queue 3", "queue 3 is stuck, 2 events, 1 restored"),),
    ),
    Case(
        "past watchdog events",
        port(*HOST, watchdog={3: Watchdog(stuck=False, detected=1, restored=1)}),
        (
            (
                "warning",
                "watchdog",
                *HOST,
                "no PFC watchdog events in queue 3",
                "queue 3 was stuck, 1 event, 1 restored",
            ),
        ),
    ),
    Case(
        "host unreachable",
        lambda site: setattr(site, "nics", "timed out"),
        (("error", "host_unreachable", "gpu01", "", "facts of the host", "timed out"),),
    ),
    Case(
        "a NIC is missing",
        lambda site: site.nics.pop("rail1"),
        (("error", "nic_absent", "gpu01", "rail1", "a network interface at rail1", "none"),),
    ),
    Case(
        "a NIC without link",
        nic("rail0", up=False),
        (("error", "nic_down", "gpu01", "rail0", "a link to leaf01 Ethernet1/1", "no link"),),
    ),
    Case(
        "MTU of a NIC and of a VLAN on another",
        both(nic("rail0", mtu=1500), lambda site: site.nics["rail2"]["vlans"]["200"].update(mtu=1500)),
        (
            ("error", "nic_mtu", "gpu01", "rail0", "9000 bytes", "1500 bytes"),
            ("error", "nic_mtu", "gpu01", "rail2", "9000 bytes VLAN 200", "1500 bytes VLAN 200"),
        ),
    ),
    Case(
        "a tagged VLAN is missing",
        nic("rail2", vlans={}),
        (("error", "nic_vlan", "gpu01", "rail2", "an interface in VLAN 200", "VLANs none"),),
    ),
    Case(
        "addresses: none, a second one, another in a VLAN",
        both(
            nic("rail0", addresses=[]),
            nic("rail1", addresses=["10.100.0.2/24", "192.168.1.1/24"]),
            lambda site: site.nics["rail2"]["vlans"]["200"].update(addresses=["10.200.0.9/24"]),
        ),
        (
            ("error", "nic_address", "gpu01", "rail0", "10.100.0.1/24", "no address"),
            ("error", "nic_address", "gpu01", "rail1", "10.100.0.2/24", "10.100.0.2/24, 192.168.1.1/24"),
            ("error", "nic_address", "gpu01", "rail2", "10.200.0.1/24 VLAN 200", "10.200.0.9/24 VLAN 200"),
        ),
    ),
    Case(
        "PFC of NICs: another priority, all of them, and global pause",
        both(
            nic("rail0", pfc=[4]),
            nic("rail1", pfc=[2, 3]),
            nic("rail2", global_pause={"rx": True, "tx": False}),
        ),
        (
            ("error", "nic_pfc", "gpu01", "rail0", "PFC for priority 3", "PFC for priority 4"),
            ("error", "nic_pfc", "gpu01", "rail1", "PFC for priority 3", "PFC for priority 2-3"),
            ("error", "nic_pfc", "gpu01", "rail2", "global pause off", "global pause on (rx)"),
        ),
    ),
    Case(
        "a NIC trusts PCP, so that its DSCP map does not count",
        nic("rail0", trust="pcp", dscp_to_priority={}),
        (("error", "nic_trust", "gpu01", "rail0", "trust dscp", "trust pcp"),),
    ),
    Case(
        "DSCP maps of NICs: the card's own, and a stranger in the lossless priority",
        both(
            nic("rail0", dscp_to_priority={str(d): 0 for d in range(64)}),
            lambda site: site.nics["rail1"]["dscp_to_priority"].update({"24": 3}),
        ),
        (
            ("error", "nic_dscp_map", "gpu01", "rail0", "DSCP 26 to 3, 48 to 6", "DSCP 26,48 to 0"),
            ("error", "nic_dscp_map", "gpu01", "rail1", "DSCP 24 to another", "DSCP 24 to 3"),
        ),
    ),
    Case(
        "cables of a host are swapped, and one NIC hears nobody",
        both(
            nic("rail0", neighbors=[{"device": "leaf01", "port": "Ethernet2/1"}]),
            nic("rail1", neighbors=[]),
        ),
        (
            ("error", "nic_cabling", "gpu01", "rail0", "leaf01 Ethernet1/1", "leaf01 Ethernet2/1"),
            ("warning", "nic_cabling", "gpu01", "rail1", "leaf01 Ethernet2/1", "no LLDP neighbour"),
        ),
    ),
    Case(
        "no DSCP map at the leaf of two NICs: both ports are named",
        lambda site: setattr(site.facts["leaf01"], "dscp_to_priority", {0: 0, 48: 6}),
        (
            ("error", "dscp_map", "leaf01", "", "DSCP 26 to 3", "DSCP 26 to no class"),
            ("error", "dscp_host", "leaf01", "Ethernet1/1", "DSCP 26 of gpu01 rail0 in priority 3", "in priority 0"),
            ("error", "dscp_host", "leaf01", "Ethernet2/1", "DSCP 26 of gpu01 rail1 in priority 3", "in priority 0"),
        ),
    ),
]


def found(site: Site) -> list[Finding]:
    return list(verify(site.fabric()).findings)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_finds_exactly(case: Case) -> None:
    site = healthy()
    case.breaks(site)
    findings = found(site)
    assert sorted((f.severity, f.check, f.device, f.port, f.expected, f.actual) for f in findings) == sorted(case.finds)
    assert all(f.why and f.remedy for f in findings)


def test_every_check_has_a_case() -> None:
    assert {c.name for c in discover()} == {find[1] for case in CASES for find in case.finds}


def test_every_check_says_what_it_reads() -> None:
    assert [c.name for c in discover() if "Reads:" not in (c.__doc__ or "")] == []


def test_every_check_looks_at_the_healthy_fabric() -> None:
    tallies = verify(healthy().fabric()).tallies
    assert [t.name for t in tallies if not t.checked or t.not_checked] == []


def test_silence_is_counted_and_not_taken_for_health() -> None:
    site = healthy()
    for facts in site.facts.values():
        facts.ports = {name: PortFacts() for name in facts.ports}
        facts.dscp_to_priority, facts.bgp, facts.paths = {}, {}, {}
        facts.reload_pending = None
    site.nics = {name: {"interface": name} for name in site.nics}
    verdict = verify(site.fabric())
    assert verdict.findings == ()
    silent = {t.name for t in verdict.tallies if t.not_checked and not t.checked}
    assert silent == {c.name for c in discover()} - {
        "unreachable",
        "port_absent",
        "host_unreachable",
        "nic_absent",
    }


def test_unreachable_switch_leaves_its_ports_and_links_unchecked() -> None:
    site = healthy()
    unreachable(site)
    tallies = {t.name: t for t in verify(site.fabric()).tallies}
    assert (tallies["mtu"].checked, tallies["mtu"].not_checked) == (9, 4)
    assert (tallies["mtu_ends"].checked, tallies["mtu_ends"].not_checked) == (2, 2)


def test_links_to_switches_outside_the_run_are_not_checked() -> None:
    site = healthy()
    del site.models["spine01"]
    tallies = {t.name: t for t in verify(site.fabric()).tallies}
    assert (tallies["mtu_ends"].checked, tallies["mtu_ends"].not_checked) == (0, 4)
    assert (tallies["cabling"].checked, tallies["cabling"].findings) == (7, 0)


def test_the_far_end_is_named_where_it_helps() -> None:
    site = healthy()
    port(*UPLINK, mtu=1500, pfc_priorities=(4,))(site)
    port("leaf01", "Ethernet50/1", admin_up=False, oper_up=False, neighbors=())(site)
    port("spine01", "swp2", oper_up=False, neighbors=())(site)
    by_check = {f.check: f for f in found(site)}
    assert by_check["mtu"].why.endswith("the far end, spine01 swp1, has 9214")
    assert by_check["pfc_priorities"].why.endswith("the far end, spine01 swp1, pauses 3")
    nic("rail0", mtu=1500)(site)
    port("leaf01", "Ethernet2/1", mtu=1500)(site)
    by_place = {(f.device, f.port): f for f in found(site) if f.check in ("mtu", "nic_mtu")}
    assert by_place["gpu01", "rail0"].why.endswith("the switch port, leaf01 Ethernet1/1, has 9214")
    assert by_place["leaf01", "Ethernet2/1"].why.endswith("the far end, gpu01 rail1, has 9000")
    assert by_check["port_down"].remedy == "enable the far end, leaf01 Ethernet50/1: it is disabled"
    assert "leaf01 Ethernet49/1 and leaf01 Ethernet50/1" in _swap_remedy()


def _swap_remedy() -> str:
    site = healthy()
    swap_on_leaf(site)
    return found(site)[0].remedy


def test_queue_numbers_are_those_of_the_platform() -> None:
    site = healthy()
    for device in site.models:
        site.models[device]["roce"] = roce()
    site.models["leaf01"]["roce"]["classes"][1]["queue"] = 5
    site.port(*UPLINK).queues[5].drops = 9
    site.port(*UPLINK).watchdog = {5: Watchdog(stuck=False, detected=0)}
    assert [(f.check, f.expected) for f in found(site)] == [("lossless_drops", "no drops in queue 5 (class roce)")]


def test_findings_come_in_the_order_of_people() -> None:
    order = [
        Finding("mtu", severity, device, name, "", "", "", "")
        for severity, device, name in (
            ("error", "leaf2", "Ethernet1/1"),
            ("error", "leaf2", "Ethernet2/1"),
            ("error", "leaf2", "Ethernet10/1"),
            ("error", "leaf10", ""),
            ("warning", "leaf1", ""),
        )
    ]
    assert sorted((order[n] for n in (4, 2, 0, 3, 1)), key=lambda f: f.order) == order
    assert str(replace(order[0], expected="9214", actual="1500", why="lost", remedy="fix it")) == (
        "error: leaf2 Ethernet1/1: mtu: expected 9214, found 1500; lost; fix it"
    )
