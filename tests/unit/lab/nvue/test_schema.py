# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the emulated NVUE takes and refuses, by release."""

from __future__ import annotations

import copy

import pytest

from lab.nvue.ranges import RangeError, compress, expand
from lab.nvue.schema import Invalid, minor, normalise, schema
from lab.nvue.tree import at
from tests.unit.lab.nvue.trees import device, leaf, qos

OLD, NEW = range(9, 15), range(15, 19)


@pytest.mark.parametrize("release", [*OLD, *NEW])
def test_leaf_is_accepted_in_its_dialect_and_rejected_in_the_other(release):
    own, other = leaf(old=release <= 14), leaf(old=release > 14)
    assert normalise(schema(release), own) == own
    with pytest.raises(Invalid):
        normalise(schema(release), other)


@pytest.mark.parametrize("branch", ["router", "vrf", "interface", "system"])
@pytest.mark.parametrize("release", [14, 15])
def test_every_branch_tells_the_dialects_apart(release, branch):
    with pytest.raises(Invalid):
        normalise(schema(release), {branch: leaf(old=release > 14)[branch]})


@pytest.mark.parametrize("release", [*OLD, *NEW])
def test_explicit_qos_is_the_same_in_all_releases(release):
    assert normalise(schema(release), {"qos": qos()}) == {"qos": qos()}


REFUSED = [
    ("qos mapping default-global dscp 64 switch-priority 3", "dscp out of range"),
    ("qos mapping default-global dscp abc switch-priority 3", "dscp no number"),
    ("qos mapping default-global dscp 26 switch-priority 8", "priority out of range"),
    ("qos mapping default-global dscp 26 traffic-class 3", "wrong key"),
    ("qos mapping default-global trust dscp", "EOS word"),
    ("qos pfc roce switch-priority 9", "priority out of range"),
    ("qos pfc roce switch_priority 3", "underscore"),
    ("qos pfc roce tx on", "on instead of enable"),
    ("qos pfc roce tx enabled", "enabled instead of enable"),
    ("qos pfc roce cable-length 0", "below minimum"),
    ("qos pfc roce cable-length 100001", "above maximum"),
    ("qos pfc roce xoff-threshold 0", "below minimum"),
    ("qos traffic-class 3 pfc mode on", "invented form"),
    ("qos congestion-control default-global traffic-class 9 ecn enable", "class out of range"),
    ("qos congestion-control default-global traffic-class 3 probability 101", "above maximum"),
    ("qos congestion-control default-global traffic-class 3 min-threshold 150kb", "unit"),
    ("qos congestion-control default-global traffic-class 3 ecn on", "on instead of enable"),
    ("qos egress-scheduler roce traffic-class 3 bw-percent 101", "above maximum"),
    ("qos egress-scheduler roce traffic-class 3 mode wrr", "wrong word"),
    ("qos traffic-pool default-lossless memory-percent 0", "below minimum"),
    ("qos pfc-watchdog polling-interval 99", "below minimum"),
    ("qos pfc-watchdog robustness 1001", "above maximum"),
    ("qos pfc-watchdog enable on", "unknown key"),
    ("qos advance-buffer-config default-global ingress-lossless-buffer shared-alpha alpha_3", "no such alpha"),
    ("qos remark r rewrite l4", "wrong word"),
    ("qos remark r switch-priority 0 dscp 64", "dscp out of range"),
    ("qos roce mode lossful", "wrong word"),
    ("interface swp1 link speed 400g", "lower case"),
    ("interface swp1 link speed 400000", "a number"),
    ("interface swp1 link mtu 9217", "above maximum"),
    ("interface swp1 link mtu 551", "below minimum"),
    ("interface swp1 link fec fc", "NX-OS word"),
    ("interface swp1 link state on", "wrong word"),
    ("interface swp1 link auto-negotiate true", "a boolean"),
    ("interface swp1 link breakout 3x", "no such breakout"),
    ("interface swp1 lnk mtu 9000", "unknown key"),
    ("interface Ethernet1 link mtu 9000", "EOS name"),
    ("interface Ethernet1/1 link mtu 9000", "NX-OS name"),
    ("interface swp0 link mtu 9000", "no such port"),
    ("interface swp1s9s1 link mtu 9000", "no such port"),
    ("interface vlan4095 link mtu 9000", "no such VLAN"),
    ("interface swp1 bridge domain br_default access 4095", "no such VLAN"),
    ("interface swp1 bridge domain br_default access none", "only untagged may be none"),
    ("interface swp1 bridge domain br_default vlan 0", "no such VLAN"),
    ("interface swp1 qos pfc-watchdog state on", "on instead of enable"),
    ("interface swp1 qos pfc roce", "profile missing"),
    ("interface swp1 mtu 9000", "not below link"),
    ("bridge domain br_default vlan 4095", "no such VLAN"),
    ("bridge domain br_default type vlan-unaware", "wrong word"),
    ("system hostname leaf_01", "underscore"),
    ("system forwarding ecmp-hash l4-port on", "no such field"),
    ("set interface swp1 link mtu 9000", "set twice"),
    ("interface swp4-1 link mtu 9000", "backward range"),
    ("interface swp1 link mtu", "value missing"),
    ("interface swp1 link mtu 9000 9100", "one value too many"),
    ("interface swp1 description", "value missing"),
    ("router bgp autonomous-system 0", "no such ASN"),
    ("router bgp autonomous-system 4294967296", "no such ASN"),
    ("router bgp router-id 10.0.0.300", "no address"),
    ("vrf default router bgp neighbor swp49 remote-as outside", "wrong word"),
    ("router adaptive-routing enable enabled", "wrong word"),
]


@pytest.mark.parametrize("release", ["5.9.1", "5.14.0", "5.15.0", "5.18.0"])
@pytest.mark.parametrize(("command", "why"), REFUSED, ids=[why + ": " + command for command, why in REFUSED])
def test_refused(command, why, release):
    dev = device(release)
    before, shell = dev.running(), dev.shell("cumulus")
    assert shell.run(f"nv set {command}").startswith("Error: Invalid Command: set ")
    assert shell.run("echo $?") == "1"
    assert dev.leftovers() == []
    assert dev.running() == before


# (first release, last release, command): accepted there, refused in all other releases of the tables.
BOUND = [
    (9, 14, "qos roce enable on"),
    (15, 18, "qos roce state enabled"),
    (12, 18, "qos roce mode lossless-single-ipool"),
    (14, 18, "qos roce mode lossy-multi-tc"),
    (18, 18, "qos roce mode dci-1"),
    (9, 14, "interface swp1 ip address 10.0.0.0/31"),
    (15, 18, "interface swp1 ipv4 address 10.0.0.0/31"),
    (15, 18, "interface swp1 ipv6 address 2001:db8::/127"),
    (9, 14, "interface eth0 ip vrf mgmt"),
    (15, 18, "interface eth0 vrf mgmt"),
    (9, 14, "interface eth0 ip address dhcp"),
    (15, 18, "interface eth0 ipv4 dhcp-client state enabled"),
    (9, 14, "interface swp1 link auto-negotiate off"),
    (15, 18, "interface swp1 link auto-negotiate disabled"),
    (9, 14, "router adaptive-routing link-utilization-threshold on"),
    (15, 18, "router adaptive-routing link-utilization-threshold enabled"),
    (9, 13, "router adaptive-routing profile profile-1"),
    (9, 18, "router adaptive-routing profile profile-custom"),
    (9, 14, "system forwarding ecmp-hash source-port on"),
    (15, 18, "system forwarding ecmp-hash source-port enabled"),
    (9, 14, "service ptp 1 enable on"),
    (15, 18, "service ptp 1 state enabled"),
    (11, 14, "service lldp state enabled"),
    (15, 18, "system lldp state enabled"),
    (9, 14, "service lldp tx-interval 30"),
    (15, 18, "system lldp tx-interval 30"),
    (13, 18, "system gnmi-server state enabled"),
    (14, 18, "system forwarding packet-trim state enabled"),
    (9, 9, "system config auto-save enable off"),
    (10, 18, "system config auto-save state disabled"),
    (9, 10, "service snmp-server enable on"),
    (11, 18, "system snmp-server state enabled"),
    (9, 12, "service syslog mgmt server 192.0.2.5"),
    (13, 18, "system syslog server 192.0.2.5"),
    (9, 14, "system timezone Etc/UTC"),
    (15, 18, "system date-time timezone Etc/UTC"),
    (9, 14, "service dns mgmt server 192.0.2.53"),
    (11, 18, "system dns server 192.0.2.53"),
    (15, 18, "router bfd state enabled"),
    (11, 18, "system sflow state enabled"),
    (16, 18, "interface swp1 qos headroom lossy extra-threshold 192"),
    (17, 18, "interface swp1 qos shared-headroom-pool enabled"),
    (17, 18, "qos congestion-control p traffic-class 3 mode relative"),
    (17, 18, "qos pfc roce small-packet-probability 50"),
    (9, 10, "qos advance-buffer-config default-global ingress-pool 0 mode dynamic"),
    (11, 18, "qos advance-buffer-config default-global ingress-service-pool 0 mode dynamic"),
    (9, 18, "interface swp1 link fec rs"),
    (9, 18, "interface swp1 link fec off"),
    (9, 18, "interface swp1 link breakout 2x lanes-per-port 4"),
    (9, 18, "interface swp1 router adaptive-routing link-utilization-threshold 50"),
    (9, 18, "qos link-pause lp tx enable"),
]


@pytest.mark.parametrize(("first", "last", "command"), BOUND, ids=[b[2] for b in BOUND])
def test_release_bounds(first, last, command):
    accepted = []
    for release in range(9, 19):
        answer = device(f"5.{release}.0").shell("cumulus").run(f"nv set {command}")
        # "ip" is short for both ipv4 and ipv6 where it does not exist.
        assert answer == "created [rev_id: 1]" or answer.startswith(("Error: Invalid", "Error: Ambiguous"))
        if answer.startswith("created"):
            accepted.append(release)
    assert accepted == list(range(first, last + 1))


def test_ranges_are_expanded():
    dev = device()
    dev.shell("cumulus").run("nv set interface swp1-2,5,bond1 qos mapping profile default-global")
    ports = dev.find("pending", "cumulus")["interface"]
    assert {n for n in ports if "qos" in ports[n]} == {"swp1", "swp2", "swp5", "bond1"}
    dev.shell("cumulus").run("nv set qos mapping default-global dscp 24-26,48 switch-priority 3")
    dscp = at(dev.find("pending", "cumulus"), ("qos", "mapping", "default-global", "dscp"))
    assert list(dscp) == ["24", "25", "26", "48"]


@pytest.mark.parametrize("text", ["", "swp3-1", "1,,2", "1-99999"])
def test_no_range(text):
    with pytest.raises(RangeError):
        expand(text)


def test_compress_is_the_inverse_of_expand():
    names = ["swp1", "swp2", "swp3", "swp7", "swp10", "swp11"]
    assert compress(reversed(names)) == "swp1-3,7,10-11"
    assert expand(compress(names)) == names
    assert compress(["peerlink.4094", "lo"]) == "lo,peerlink.4094"


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (("qos", "pfc-watchdog", "robustness"), "3", "'3' is not of type 'integer'"),
        (("qos", "pfc-watchdog", "robustness"), True, "True is not of type 'integer'"),
        (("qos", "pfc", "roce", "tx"), True, "True is not one of ['enable', 'disable']"),
        (("interface", "swp1", "link", "mtu"), 9217, "9217 is greater than the maximum of 9216"),
        (("interface", "swp1", "link", "mtu"), 551, "551 is less than the minimum of 552"),
        (("interface", "swp1", "link", "breakout"), "4x10G", "'4x10G' is not of type 'object'"),
        (("interface", "swp1", "lnk"), {}, "Additional properties are not allowed ('lnk' was unexpected)"),
        (("interface", "swp1", "bridge", "domain", "br_default", "access"), "10", "is not valid under any of"),
        (("set",), {}, "('set' was unexpected)"),
    ],
)
def test_messages_are_those_of_a_schema_checker(path, value, reason):
    tree = value
    for name in reversed(path):
        tree = {name: tree}
    with pytest.raises(Invalid) as caught:
        normalise(schema(14), tree)
    assert reason in str(caught.value)


def test_number_keys_become_strings():
    assert normalise(schema(14), {"bridge": {"domain": {"br_default": {"vlan": {10: {}}}}}}) == {
        "bridge": {"domain": {"br_default": {"vlan": {"10": {}}}}}
    }


def test_normalise_leaves_its_argument_alone():
    tree = leaf(old=True)
    before = copy.deepcopy(tree)
    normalise(schema(14), tree)
    assert tree == before


@pytest.mark.parametrize(
    ("text", "expected"), [("5.9.2", 9), ("5.14.0", 14), ("5.18", 18), ("5.3.1", 9), ("5.22.0", 18)]
)
def test_minor(text, expected):
    assert minor(text) == expected
