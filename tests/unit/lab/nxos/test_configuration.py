# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How typed lines are printed back: order, hidden defaults, compressed lists, replacement in place."""

from __future__ import annotations

import random

import pytest


def test_the_whole_policy_in_printed_order(roce):
    wanted = """\
class-map type qos match-any CNP
  match dscp 48
class-map type qos match-any ROCEv2
  match dscp 26
policy-map type qos QOS
  class ROCEv2
    set qos-group 3
  class CNP
    set qos-group 7
  class class-default
    set qos-group 0
policy-map type queuing OUT
  class type queuing c-out-8q-q3
    bandwidth remaining percent 50
    random-detect minimum-threshold 150 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn
  class type queuing c-out-8q-q7
    priority level 1
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 50
policy-map type network-qos NQ
  class type network-qos c-8q-nq3
    pause pfc-cos 3
    mtu 9216
  class type network-qos c-8q-nq-default
    mtu 9216
system qos
  service-policy type queuing output OUT
  service-policy type network-qos NQ
"""
    assert wanted in roce.device.running()
    assert roce.section("interface Ethernet1/1") == [
        "no switchport",
        "priority-flow-control mode on",
        "priority-flow-control watch-dog-interval on",
        "mtu 9216",
        "service-policy type qos input QOS",
        "ip address 10.0.0.0/31",
        "no shutdown",
    ]


@pytest.mark.parametrize(("release", "order"), [("9.3(9)", ["mtu", "pause"]), ("10.4(3)F", ["pause", "mtu"])])
def test_order_in_a_network_class_depends_on_the_release(make_bench, release, order):
    bench = make_bench(release)
    bench.configure("policy-map type network-qos N\nclass type network-qos c-8q-nq3\npause pfc-cos 3\nmtu 9216")
    lines = bench.device.policy("network-qos", "N")["c-8q-nq3"]
    assert [line.split()[0] for line in lines] == order


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("mtu 1500", []),
        ("speed auto\nfec auto", []),
        ("speed 100000\nno speed", []),
        ("switchport mode access\nswitchport access vlan 1", []),
        ("switchport trunk allowed vlan 1-4094", []),
        ("switchport trunk allowed vlan all", []),
        ("switchport trunk allowed vlan 20,10,11,12", ["switchport trunk allowed vlan 10-12,20"]),
        (
            "switchport trunk allowed vlan 10\nswitchport trunk allowed vlan add 11-12,5",
            ["switchport trunk allowed vlan 5,10-12"],
        ),
        (
            "switchport trunk allowed vlan 10-12\nswitchport trunk allowed vlan remove 11",
            ["switchport trunk allowed vlan 10,12"],
        ),
        ("switchport trunk allowed vlan except 5-4094", ["switchport trunk allowed vlan 1-4"]),
        ("switchport trunk allowed vlan none", ["switchport trunk allowed vlan none"]),
        ("switchport trunk allowed vlan 10\nno switchport trunk allowed vlan", []),
        ("priority-flow-control mode auto\npriority-flow-control watch-dog-interval off", []),
        ("priority-flow-control mode on\nno priority-flow-control mode", []),
        ("no shutdown", []),
        ("shutdown", ["shutdown"]),
        ("shutdown\nno shutdown", []),
        ("no switchport", ["no switchport"]),
        ("no switchport\nno shutdown", ["no switchport", "no shutdown"]),
        ("no switchport\nno shutdown\nshutdown", ["no switchport"]),
        ("no switchport\nmtu 9000\nswitchport", []),
        ("switchport access vlan 10\nmtu 9216\nno switchport", ["no switchport", "mtu 9216"]),
        ("no lldp transmit", ["no lldp transmit"]),
        ("no lldp transmit\nlldp transmit", []),
        ("description  two  blanks ", ["description two  blanks"]),
        ("no switchport\nip address 10.0.0.1 255.255.255.0", ["no switchport", "ip address 10.0.0.1/24"]),
        (
            "no switchport\nip address 10.0.0.1/24\nip address 10.0.1.1/24 secondary\nip address 10.0.2.1/24",
            ["no switchport", "ip address 10.0.2.1/24", "ip address 10.0.1.1/24 secondary"],
        ),
        ("no switchport\nip address 10.0.0.1/24\nno ip address 10.0.0.1/24", ["no switchport"]),
    ],
)
def test_lines_of_a_port(bench, lines, expected):
    bench.configure("feature lldp\ninterface Ethernet1/5\n" + lines)
    assert bench.section("interface Ethernet1/5") == expected


def test_ports_that_are_routed_from_the_start(bench):
    bench.configure("no system default switchport")
    assert bench.device.port("Ethernet1/5").routed
    bench.configure("interface Ethernet1/5\nno switchport\nno shutdown")
    assert bench.section("interface Ethernet1/5") == ["no shutdown"]
    bench.configure("interface Ethernet1/5\nswitchport\nswitchport access vlan 10")
    assert bench.section("interface Ethernet1/5") == ["switchport", "switchport access vlan 10"]
    bench.configure("system default switchport")
    assert "no system default switchport" not in bench.top()


def test_vlans(bench):
    bench.configure("vlan 10,20-22\nvlan 20\nname rail0\nvlan 21\nname VLAN0021")
    running = bench.device.running()
    assert "\nvlan 1,10,20-22,999\nvlan 20\n  name rail0\nvlan 999\n  name PARKING\n\n" in running
    bench.configure("no vlan 20")
    assert "\nvlan 1,10,21-22,999\nvlan 999\n  name PARKING\n\n" in bench.device.running()
    bench.configure("vlan 999\nno name")
    assert "\nvlan 1,10,21-22,999\n\nvrf context" in bench.device.running()


def test_vlan_names_are_unique(bench):
    bench.type("configure terminal\nvlan 30")
    assert bench.shell.run("name PARKING") == "ERROR: VLAN name PARKING is already used by vlan 999"


def test_a_value_is_replaced_in_place(roce):
    before = roce.device.running()
    curve = "random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn"
    roce.configure(f"policy-map type queuing OUT\nclass type queuing c-out-8q-q3\n{curve}")
    assert roce.device.running() == before.replace("minimum-threshold 150 kbytes", "minimum-threshold 950 kbytes")


def test_a_second_match_stands_beside_the_first(bench):
    bench.configure("class-map type qos match-any R\nmatch dscp 24\nmatch dscp af31")
    assert bench.section("class-map type qos match-any R") == ["match dscp 24", "match dscp 26"]
    bench.configure("class-map type qos match-any R\nno match dscp 24")
    assert bench.section("class-map type qos match-any R") == ["match dscp 26"]


def test_short_forms_of_headers_mean_the_same_object(bench):
    bench.configure("class-map match-any R\nmatch dscp 26\npolicy-map P\nclass R\nset qos-group 3")
    bench.configure("policy-map type qos P\nclass type qos R\nset qos-group 4")
    assert [line for line in bench.top() if line.startswith(("class-map", "policy-map"))] == [
        "class-map type qos match-any R",
        "policy-map type qos P",
    ]
    assert bench.device.policy("qos", "P") == {"R": ["set qos-group 4"]}


def test_class_default_stays_last(roce):
    roce.configure("class-map type qos match-any X\nmatch dscp 8\npolicy-map type qos QOS\nclass X\nset qos-group 1")
    assert list(roce.device.policy("qos", "QOS")) == ["ROCEv2", "CNP", "X", "class-default"]


def test_global_defaults_are_hidden(bench):
    before = bench.device.running()
    bench.configure("""
        feature lldp
        lldp timer 30
        lldp holdtime 120
        lldp tlv-select system-name
        priority-flow-control watch-dog interval 100
        priority-flow-control watch-dog shutdown-multiplier 1
        priority-flow-control auto-restore multiplier 10
        ip load-sharing address source-destination port source-destination
        ip load-sharing address source-destination port source-destination rotate 32
        port-channel load-balance src-dst ip-l4port
        system jumbomtu 9216
        priority-flow-control watch-dog-interval on
        no priority-flow-control watch-dog-interval on
        no feature lldp""")
    assert bench.device.running() == before


def test_a_feature_takes_its_lines_with_it(bench):
    before = bench.device.running()
    bench.configure("feature lldp\nlldp timer 10\ninterface Ethernet1/1\nno lldp receive\nfeature scheduler")
    bench.configure("scheduler job name J\nshow clock\nexit\nscheduler schedule name S\njob name J\ntime start +01:00")
    bench.configure("no feature scheduler\nno feature lldp")
    assert bench.device.running() == before
    assert sorted(bench.device.checkpoints) == ["system-fm-lldp", "system-fm-scheduler"]
    assert bench.device.leftovers() == []


def test_features_stand_in_the_order_of_the_switch(bench):
    bench.configure("feature lldp\nfeature ptp\nfeature interface-vlan\nfeature bgp")
    assert [line for line in bench.top() if line.startswith("feature ")] == [
        "feature nxapi",
        "feature privilege",
        "feature bgp",
        "feature interface-vlan",
        "feature ptp",
        "feature lldp",
    ]


def test_the_system_policy_goes_away_with_its_last_line(roce):
    roce.configure(
        "system qos\nno service-policy type network-qos NQ\nservice-policy type queuing output default-8q-out-policy"
    )
    assert "system qos" not in roce.top()
    assert roce.device.system_policy("network-qos") == "default-8q-nq-policy"


def test_a_port_range_changes_every_port(bench):
    bench.configure("interface Ethernet1/2-3,Ethernet1/5\nswitchport access vlan 7\nshutdown")
    for port in ("Ethernet1/2", "Ethernet1/3", "Ethernet1/5"):
        assert bench.section(f"interface {port}") == ["switchport access vlan 7", "shutdown"]
    assert bench.section("interface Ethernet1/4") == []


def test_the_hostname_is_in_the_prompt(bench):
    bench.type("configure terminal\nhostname spine9")
    assert bench.shell.prompt == "spine9(config)# "
    assert "hostname spine9" in bench.top()


def test_factory_state_has_things_of_its_own(bench):
    running = bench.device.running()
    for line in (
        "username noc password",
        "ntp server 192.0.2.123",
        "snmp-server location",
        "vlan 1,999",
        "ip access-list",
    ):
        assert line in running
    assert "feature lldp" not in running
    assert running.count("\ninterface Ethernet1/") == 8


PRINTABLE = (
    "feature l",
    "class-map",
    "policy-map",
    "system qos",
    "priority",
    "lldp",
    "vlan",
    "interface Eth",
    "ip load",
)


def printed_sections(text: str) -> list[str]:
    """Lines of the sections that the emulator understands."""
    kept, inside = [], False
    for line in text.split("\n"):
        if line and not line.startswith(" "):
            inside = line.startswith(PRINTABLE)
        if inside and line:
            kept.append(line)
    return kept


def test_what_is_printed_can_be_typed(roce, make_bench):
    roce.configure("""
        vlan 10,20
        vlan 20
        name rail1
        interface Ethernet1/3
        switchport access vlan 20
        speed 200000
        fec rs-fec
        mtu 9216
        shutdown
        lldp timer 10
        ip load-sharing address source-destination port source-destination universal-id 7
        priority-flow-control watch-dog interval 200""")
    lines = "\n".join(printed_sections(roce.device.running()))
    before = roce.device.running()
    roce.configure(lines)
    assert roce.device.running() == before
    other = make_bench()
    other.configure(lines)
    assert other.device.running() == before


COMMANDS = [
    ("", "vlan {n}"),
    ("", "no vlan {n}"),
    ("vlan {n}", "name v{n}"),
    ("", "feature lldp"),
    ("", "no feature lldp"),
    ("", "feature scheduler"),
    ("", "no feature scheduler"),
    ("", "snmp-server location {n}"),
    ("", "ntp server 192.0.2.{n}"),
    ("", "no ntp server 192.0.2.123 use-vrf management"),
    ("ip access-list MGMT-IN", "{n} permit ip any any"),
    ("interface Ethernet1/{p}", "mtu 9216"),
    ("interface Ethernet1/{p}", "no mtu"),
    ("interface Ethernet1/{p}", "no switchport"),
    ("interface Ethernet1/{p}", "switchport"),
    ("interface Ethernet1/{p}", "switchport access vlan {n}"),
    ("interface Ethernet1/{p}", "switchport trunk allowed vlan add {n}"),
    ("interface Ethernet1/{p}", "switchport trunk allowed vlan remove {n}"),
    ("interface Ethernet1/{p}", "description d{n}"),
    ("interface Ethernet1/{p}", "shutdown"),
    ("interface Ethernet1/{p}", "no shutdown"),
    ("interface Ethernet1/{p}", "priority-flow-control mode off"),
    ("interface Ethernet1/{p}", "no service-policy type qos input QOS"),
    ("interface Ethernet1/{p}", "ip address 10.0.{n}.1/24"),
    ("", "no interface loopback1"),
    ("interface loopback1", "ip address 10.255.0.{n}/32"),
    ("", "default interface Ethernet1/{p}"),
    ("class-map type qos match-any ROCEv2", "match dscp {n}"),
    ("class-map type qos match-any ROCEv2", "no match dscp 26"),
    ("policy-map type qos QOS", "no class CNP"),
    ("policy-map type queuing OUT|class type queuing c-out-8q-q3", "bandwidth remaining percent {n}"),
    ("policy-map type queuing OUT|class type queuing c-out-8q-q3", "no random-detect"),
    ("policy-map type network-qos NQ|class type network-qos c-8q-nq3", "no pause"),
    ("system qos", "no service-policy type queuing output"),
    ("", "no policy-map type queuing OUT"),
]


@pytest.mark.parametrize("seed", range(50))
def test_random_changes(roce, make_bench, seed):
    """Whatever is typed: a reboot prints the same, typing it back changes nothing, rollback restores every byte."""
    dice = random.Random(seed)
    before = roce.device.running()
    roce.shell.run("checkpoint BEFORE")
    for _ in range(20):
        path, command = dice.choice(COMMANDS)
        values = {"n": dice.randint(2, 60), "p": dice.randint(1, 4)}
        for line in ("configure terminal", *filter(None, path.split("|")), command):
            roce.shell.run(line.format(**values))
    after = roce.device.running()
    other = make_bench()
    other.device.load(after)
    assert other.device.running() == after
    roce.configure("\n".join(printed_sections(after)))
    assert roce.device.running() == after
    assert roce.shell.run("rollback running-config checkpoint BEFORE").endswith("successfully.")
    assert roce.device.running() == before
