# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What configurations of each platform mean for packets."""

from __future__ import annotations

import pytest

from lab.eos.device import EosDevice
from lab.forwarding import SwitchForwarding
from lab.nvue.device import NvueDevice
from lab.nxos.device import NxosDevice
from lab.server import Clock

BY_EIGHT = [n // 8 for n in range(64)]


def eos(text: str = "") -> SwitchForwarding:
    device = EosDevice("leaf01", ["Ethernet1/1", "Ethernet2/1"], clock=Clock())
    return typed(device, ["enable", "configure", *text.strip().splitlines()])


def nxos(text: str = "") -> SwitchForwarding:
    device = NxosDevice("leaf01", ["Ethernet1/1", "Ethernet1/2"], clock=Clock())
    return typed(device, ["configure terminal", *text.strip().splitlines()])


def nvue(text: str = "", release: str = "5.14.0") -> SwitchForwarding:
    device = NvueDevice("leaf01", ["swp1", "swp2"], clock=Clock(), release=release)
    lines = [f"nv set {line}" for line in text.strip().splitlines()]
    return typed(device, [*lines, "nv config apply -y"] if lines else [])


def typed(device: EosDevice | NxosDevice | NvueDevice, lines: list[str]) -> SwitchForwarding:
    shell = device.shell("admin")
    for line in lines:
        answer = shell.run(line)
        assert not answer.lstrip().startswith(("%", "ERROR", "Error", "Invalid")), f"{line}: {answer}"
    found = device.forwarding(list(device.ports))
    assert SwitchForwarding.from_json(found.as_json()) == found
    return found


# -- as delivered ----------------------------------------------------------------------------------------------
def test_as_delivered() -> None:
    one, two, three = eos().ports["Ethernet1/1"], nxos().ports["Ethernet1/1"], nvue().ports["swp1"]
    assert (one.up, one.mtu, one.routed, one.untagged, one.tagged) == (True, 9214, False, 1, [])
    assert (two.up, two.mtu, two.routed, two.untagged, two.tagged) == (True, 1500, False, 1, [])
    assert (three.up, three.mtu, three.routed, three.untagged, three.tagged) == (True, 9216, True, None, [])
    # EOS and Cumulus Linux trust CoS on such a port; class 1 is what EOS makes of CoS 0.
    assert (one.classes.dscp, one.classes.cos, one.classes.default) == (None, [1, 0, 2, 3, 4, 5, 6, 7], 1)
    assert (two.classes.dscp, two.classes.cos, two.classes.default) == ([0] * 64, None, 0)
    assert (three.classes.dscp, three.classes.cos, three.classes.default) == (None, list(range(8)), 0)
    assert not any(p.ecn or p.no_drop or p.adjacent for p in (one, two, three))
    assert len({f("").mac for f in (eos, nxos, nvue)}) == 1  # by name


# -- EOS -------------------------------------------------------------------------------------------------------
def test_eos_routed_ports_trust_dscp_and_have_the_configured_mtu() -> None:
    port = eos("interface Ethernet1/1\nno switchport\nmtu 4000\nip address 10.0.0.0/31").ports["Ethernet1/1"]
    assert (port.routed, port.mtu, port.addresses, port.untagged) == (True, 4000, ["10.0.0.0/31"], None)
    assert port.classes.dscp == [1] * 8 + [0] * 8 + BY_EIGHT[16:]


def test_eos_vlans_that_do_not_exist_carry_nothing() -> None:
    trunk = "interface Ethernet1/1\nswitchport mode trunk\nswitchport trunk allowed vlan 10-20\nvlan 12,30"
    port = eos(trunk).ports["Ethernet1/1"]
    assert (port.untagged, port.tagged) == (None, [12])  # the native VLAN 1 is not allowed
    assert eos("interface Ethernet1/1\nswitchport access vlan 10").ports["Ethernet1/1"].untagged is None


def test_eos_gateways() -> None:
    found = eos("""
vlan 10,20
interface Ethernet1/1
switchport access vlan 10
interface Vlan10
ip address 10.10.0.2/24
ip virtual-router address 10.10.0.1
interface Vlan20
ip address 10.20.0.2/24
interface Loopback0
ip address 10.254.0.1/32
""")
    # No port is in VLAN 20, so its interface is down.
    assert list(found.gateways) == [10]
    assert found.gateways[10].addresses == ["10.10.0.2/24", "10.10.0.1/24"]
    assert (found.gateways[10].mtu, found.loopbacks, found.routing) == (1500, ["10.254.0.1/32"], True)
    assert not eos("no ip routing").routing


# -- NX-OS -----------------------------------------------------------------------------------------------------
def test_nxos_system_policy_counts_where_the_port_has_none() -> None:
    policy = "class-map type qos match-any R\nmatch dscp 24-26\npolicy-map type qos P\nclass R\nset qos-group 4\n"
    found = nxos(policy + "system qos\nservice-policy type qos input P")
    assert [n for n, group in enumerate(found.ports["Ethernet1/2"].classes.dscp) if group == 4] == [24, 25, 26]


def test_nxos_gateways() -> None:
    found = nxos("""
feature interface-vlan
feature hsrp
vlan 10,20
interface Vlan10
no shutdown
ip address 10.10.0.2/24
hsrp 1
ip 10.10.0.1
interface Vlan20
ip address 10.20.0.2/24
interface loopback0
ip address 10.254.0.1/32
""")
    # Vlan20 is shut down, as every new one is.
    assert list(found.gateways) == [10]
    assert found.gateways[10].addresses == ["10.10.0.2/24", "10.10.0.1/24"]
    assert found.loopbacks == ["10.254.0.1/32"]


# -- NVUE ------------------------------------------------------------------------------------------------------
def test_nvue_macro() -> None:
    found = nvue("qos roce")
    classes = found.ports["swp1"].classes
    assert {dscp: queue for dscp, queue in enumerate(classes.dscp) if queue} == {
        **dict.fromkeys(range(24, 32), 3),
        **dict.fromkeys(range(48, 56), 6),
    }
    assert classes.cos == [0, 0, 0, 3, 0, 0, 6, 0]
    assert (found.ports["swp1"].ecn, found.ports["swp1"].no_drop) == ([0, 3], [3])


def test_nvue_trust_and_default_of_a_port() -> None:
    mapping = "qos mapping P trust port\nqos mapping P port-default-sp 5\ninterface swp1 qos mapping profile P"
    found = nvue(mapping)
    classes = found.ports["swp1"].classes
    assert (classes.dscp, classes.cos, classes.default) == (None, None, 5)
    assert found.ports["swp2"].classes.cos == list(range(8))


@pytest.mark.parametrize(
    ("membership", "untagged", "tagged"),
    [
        ("", 1, [1, 10, 20, 999]),
        (" access 10", 10, []),
        (" access 30", None, []),
        (" vlan 20,30", 1, [20]),
        (" untagged 10", 10, [1, 10, 20, 999]),
        (" untagged none", None, [1, 10, 20, 999]),
    ],
)
def test_nvue_bridge_membership(membership: str, untagged: int | None, tagged: list[int]) -> None:
    # VLAN 999 is there from the beginning.
    bridge = f"bridge domain br_default vlan 10,20\ninterface swp1 bridge domain br_default{membership}"
    port = nvue(bridge).ports["swp1"]
    assert not port.routed
    assert (port.untagged, port.tagged) == (untagged, tagged)


@pytest.mark.parametrize(("release", "family"), [("5.14.0", "ip"), ("5.15.0", "ipv4")])
def test_nvue_gateways(release: str, family: str) -> None:
    found = nvue(
        f"""
bridge domain br_default vlan 10
interface vlan10 {family} address 10.10.0.2/24
interface vlan10 {family} vrr address 10.10.0.1/24
interface vlan10 link mtu 4000
interface lo {family} address 10.254.0.1/32
""",
        release,
    )
    assert list(found.gateways) == [10]
    assert found.gateways[10].addresses == ["10.10.0.2/24", "10.10.0.1/24"]
    assert (found.gateways[10].mtu, found.loopbacks) == (4000, ["10.254.0.1/32"])
