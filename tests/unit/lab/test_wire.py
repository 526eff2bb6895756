# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames on one switch of every platform: what its configuration lets through, and what its own commands show."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from lab.client import LabError
from lab.wire import frames
from tests.unit.lab.wire import GATEWAYS, HOSTS, Bench, bench

# Two hosts in VLAN 100 and one on a trunk, by platform.
PLATFORMS = {"eos": ("e1", "e2", "e3"), "nxos": ("x1", "x2", "x3"), "nvue": ("n1", "n2", "n3")}
UNMATCHED = "class-map type qos match-any ROCE\nno match dscp 26"
QUEUES = "qos egress-queue-mapping default-global"
PORTS = {name: port for name, (_, port, _) in HOSTS.items()}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """For tests that leave the configuration as it is."""
    with bench(tmp_path_factory.mktemp("w")) as running:
        yield running


@pytest.fixture
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with bench(tmp_path_factory.mktemp("w")) as running:
        yield running


@pytest.fixture(params=PLATFORMS)
def trio(request: pytest.FixtureRequest) -> tuple[str, str, str]:
    return PLATFORMS[request.param]


# -- within a VLAN ---------------------------------------------------------------------------------------------
def test_frames_reach_the_host_that_was_heard_and_nobody_else(shared: Bench, trio: tuple[str, str, str]) -> None:
    one, two, three = (shared.hosts[name] for name in trio)
    shared.learn(*trio)
    frame = one.frame(two.mac, one.udp(two, size=4000))
    one.send(frame)
    assert two.receive() == frame
    assert three.waiting() == []


def test_frames_for_an_unknown_address_go_everywhere(shared: Bench, trio: tuple[str, str, str]) -> None:
    one, two, three = (shared.hosts[name] for name in trio)
    frame = one.frame(b"\x02\x99\x00\x00\x00\x01", one.udp(two))
    one.send(frame)
    assert (two.receive(), three.receive()) == (frame, frame)


def test_a_trunk_carries_tags_and_its_native_vlan_without(shared: Bench, trio: tuple[str, str, str]) -> None:
    one, _, three = (shared.hosts[name] for name in trio)
    shared.learn(*trio)
    three.send(three.frame(one.mac, three.udp(one), vlan=100))
    assert one.receive() == three.frame(one.mac, three.udp(one))
    before = shared.port(three.name).rx_discards
    three.send(three.frame(frames.BROADCAST, three.udp(one), vlan=200))  # allowed, but nobody else is in it
    three.send(three.frame(frames.BROADCAST, three.udp(one), vlan=300))  # not allowed
    assert shared.port(three.name).rx_discards == before + 1
    assert one.waiting() == []


def test_an_access_port_takes_no_other_vlan(shared: Bench, trio: tuple[str, str, str]) -> None:
    one, two, _ = (shared.hosts[name] for name in trio)
    shared.learn(*trio)
    before = shared.port(one.name).rx_discards
    one.send(one.frame(two.mac, one.udp(two), vlan=200))
    assert shared.port(one.name).rx_discards == before + 1
    assert two.waiting() == []


# -- what the platform shows -----------------------------------------------------------------------------------
def test_counters_by_class_in_the_words_of_the_platform(own: Bench) -> None:
    for one, two, _ in PLATFORMS.values():
        own.learn(one, two)
        sender = own.hosts[one]
        for dscp, count in ((26, 5), (0, 2)):
            for _n in range(count):
                sender.send(sender.frame(own.hosts[two].mac, sender.udp(own.hosts[two], size=1000, dscp=dscp)))
    eos = json.loads(own.show("leaf01", "show interfaces Ethernet2/1 counters queue detail | json"))
    queues = eos["egressQueueCounters"]["interfaces"]["Ethernet2/1"]["ucastQueues"]["trafficClasses"]
    assert queues["TC3"]["dropPrecedences"]["DP0"]["enqueuedPackets"] == 5
    assert queues["TC3"]["dropPrecedences"]["DP0"]["enqueuedBytes"] == 5 * 1014
    nvue = json.loads(own.show("spine01", "nv show interface swp2 counters qos -o json"))
    assert nvue["egress-queue-stats"]["3"]["tx-frames"] == 5
    ingress = json.loads(own.show("spine01", "nv show interface swp1 counters qos -o json"))
    assert ingress["ingress-buffer-stats"]["3"]["rx-frames"] == 5
    nxos = json.loads(own.show("leaf02", "show queuing tabular interface ethernet 1/2 | json"))
    row = nxos["TABLE_queuing_interface"]["ROW_queuing_interface"]
    row = row[0] if isinstance(row, list) else row
    assert (row["tx_uc_pkt_qos_3"], row["tx_uc_byte_qos_3"]) == ("5", "5070")


@pytest.mark.parametrize(
    ("platform", "change", "queue"),
    [
        ("eos", "interface Ethernet1/1\nno qos trust", 0),  # CoS 0 then, which the configuration maps to class 0
        ("eos", "qos map dscp 26 to traffic-class 5", 5),
        ("nxos", "interface Ethernet1/1\nno service-policy type qos input IN", 0),
        ("nxos", "policy-map type qos IN\nclass class-default\nset qos-group 2\n" + UNMATCHED, 2),
        ("nvue", "nv unset interface swp1 qos mapping\nnv config apply -y", 0),
        ("nvue", "nv set qos mapping ROCE dscp 26 switch-priority 4\nnv config apply -y", 4),
        ("nvue", f"nv set {QUEUES} switch-priority 3 traffic-class 1\nnv config apply -y", 1),
    ],
)  # fmt: skip
def test_classes_follow_the_map(own: Bench, platform: str, change: str, queue: int) -> None:
    one, two, _ = (own.hosts[name] for name in PLATFORMS[platform])
    own.learn(one.name, two.name)
    before = own.port(two.name).classes[3].tx_packets
    own.type(HOSTS[one.name][0], change)
    one.send(one.frame(two.mac, one.udp(two)))
    two.receive()
    classes = own.port(two.name).classes
    assert classes[3].tx_packets == before
    assert classes[queue].tx_bytes >= 114


# -- limits ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("platform", "change"),
    [
        ("eos", "interface Ethernet1/1\nl2 mtu 1500"),
        ("nxos", "interface Ethernet1/1\nmtu 1500"),
        ("nvue", "nv set interface swp1 link mtu 1500\nnv config apply -y"),
    ],
)
def test_frames_longer_than_the_mtu_are_lost_and_counted(own: Bench, platform: str, change: str) -> None:
    one, two, _ = (own.hosts[name] for name in PLATFORMS[platform])
    own.learn(one.name, two.name)
    own.type(HOSTS[one.name][0], change)
    own.learn(one.name, two.name)
    one.send(one.frame(two.mac, one.udp(two, size=1501)))
    two.send(two.frame(one.mac, two.udp(one, size=1501)))
    fits = one.frame(two.mac, one.udp(two, size=1500))
    one.send(fits)
    assert two.receive() == fits
    state = own.port(one.name)
    assert (state.rx_errors, state.tx_discards, state.classes[3].drops) == (1, 1, 1)
    assert one.waiting() == []


def test_an_eos_mtu_is_for_routed_ports_only(own: Bench) -> None:
    own.type("leaf01", "interface Ethernet1/1\nmtu 1500")
    own.learn("e1", "e2")
    frame = own.e1.frame(own.e2.mac, own.e1.udp(own.e2, size=9000))
    own.e1.send(frame)
    assert own.e2.receive() == frame


@pytest.mark.parametrize(
    ("platform", "change", "back"),
    [
        ("eos", "interface Ethernet1/1\nshutdown", "interface Ethernet1/1\nno shutdown"),
        ("nxos", "interface Ethernet1/1\nshutdown", "interface Ethernet1/1\nno shutdown"),
        (
            "nvue",
            "nv set interface swp1 link state down\nnv config apply -y",
            "nv set interface swp1 link state up\nnv config apply -y",
        ),
    ],
)
def test_a_port_that_is_shut_down_carries_nothing(own: Bench, platform: str, change: str, back: str) -> None:
    one, two, _ = (own.hosts[name] for name in PLATFORMS[platform])
    switch = HOSTS[one.name][0]
    own.learn(one.name, two.name)
    own.type(switch, change)
    before = own.port(one.name).rx_packets
    one.send(one.frame(two.mac, one.udp(two)))
    two.send(two.frame(one.mac, two.udp(one)))
    assert own.port(one.name).rx_packets == before
    assert (one.waiting(), two.waiting()) == ([], [])
    own.type(switch, back)
    own.learn(one.name, two.name)
    one.send(one.frame(two.mac, one.udp(two)))
    two.receive()


def test_a_link_without_light_carries_nothing(own: Bench) -> None:
    own.learn("e1", "e2")
    own.lab.set_port("leaf01", "Ethernet1/1", link=False)
    own.e1.send(own.e1.frame(own.e2.mac, own.e1.udp(own.e2)))
    assert own.port("e1").classes[3].rx_packets == 0
    assert own.e2.waiting() == []


@pytest.mark.parametrize(
    ("platform", "change"),
    [
        ("eos", "interface Ethernet2/1\nswitchport access vlan 200"),
        ("nxos", "interface Ethernet1/2\nswitchport access vlan 200"),
        ("nvue", "nv set interface swp2 bridge domain br_default access 200\nnv config apply -y"),
    ],
)
def test_another_vlan_parts_two_hosts(own: Bench, platform: str, change: str) -> None:
    one, two, three = (own.hosts[name] for name in PLATFORMS[platform])
    own.type(HOSTS[one.name][0], change)
    one.send(one.frame(frames.BROADCAST, one.udp(two)))
    assert three.receive()
    own.lab.status()  # whatever was sent has been forwarded by now
    assert two.waiting() == []
    two.send(two.frame(frames.BROADCAST, two.udp(three)))
    assert three.receive()[12:16] == frames.VLAN + b"\x00\xc8"  # tagged 200 on the trunk


# -- flow control and congestion -------------------------------------------------------------------------------
def test_pauses_are_sent_on_request_and_counted_both_ways(own: Bench, trio: tuple[str, str, str]) -> None:
    host = own.hosts[trio[0]]
    switch, port, _ = HOSTS[host.name]
    own.lab.call("wire", action="pause", switch=switch, port=port, priority=3, count=4)
    frame = host.receive(frames.FLOW_CONTROL)
    assert (frame[:6], frame[14:18]) == (bytes.fromhex("0180c2000001"), b"\x01\x01\x00\x08")
    for _n in range(2):
        host.send(frames.pause(host.mac, 5))
    classes = own.port(host.name).classes
    assert (classes[3].pause_tx, classes[5].pause_rx, classes[3].pause_rx) == (4, 2, 0)
    assert all(c.tx_packets == 0 for n, c in classes.items() if n == 3)


def test_marks_where_ecn_is_configured(own: Bench, trio: tuple[str, str, str]) -> None:
    one, two, _ = (own.hosts[name] for name in trio)
    switch, port, _ = HOSTS[two.name]
    own.learn(one.name, two.name)
    for queue in (0, 3):
        own.lab.call("wire", action="mark", switch=switch, port=port, queue=queue, share=1.0)
    for ecn, dscp in ((2, 26), (1, 26), (0, 26), (2, 0)):
        one.send(one.frame(two.mac, one.udp(two, dscp=dscp, ecn=ecn)))
    got = [two.receive() for _n in range(4)]
    # Only class 3 marks, and only packets that say they understand it.
    assert [frame[15] & 3 for frame in got] == [3, 3, 0, 2]
    assert all(frames.checksum(frame[14:34]) == 0 for frame in got)
    classes = own.port(two.name).classes
    assert (classes[3].ecn_marked, classes[0].ecn_marked) == (2, 0)


def test_broken_frames_do_no_harm(shared: Bench, caplog: pytest.LogCaptureFixture) -> None:
    shared.learn("e1", "e2")
    mac = shared.e1.resolve(shared.e1.gateway)
    to_router = shared.e1.frame(mac, shared.e1.udp(shared.e1, size=60))
    shared.lab.call("wire", action="mark", switch="leaf01", port="Ethernet2/1", queue=3, share=1.0)
    before = shared.port("e1").rx_errors
    for length in range(1, 80):
        shared.e1.send(to_router[:length])
        shared.e1.send((shared.e2.mac + shared.e1.mac + frames.VLAN + b"\0\0" + to_router[12:])[:length])
        shared.e1.send((frames.LLDP_ADDRESS + shared.e1.mac + frames.LLDP + b"\x02\x07\x05\x05" * 20)[:length])
        shared.e1.send(frames.pause(shared.e1.mac, 3)[:length])
    for first in range(256):  # version and header length
        for target in (mac, shared.e2.mac):
            shared.e1.send(target + to_router[6:14] + bytes((first,)) + b"\x6a\0\x2e" + to_router[18:60])
    assert shared.port("e1").rx_errors > before
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    shared.lab.call("wire", action="mark", switch="leaf01", port="Ethernet2/1", queue=3, share=0.0)
    shared.e2.waiting()


def test_requests_that_make_no_sense(shared: Bench) -> None:
    with pytest.raises(LabError, match="no port 'Ethernet9/9' on the wire; there are: Ethernet7/1"):
        shared.lab.call("wire", action="pause", switch="leaf01", port="Ethernet9/9", priority=3)
    with pytest.raises(LabError, match="priorities and classes are 0-7, not 8"):
        shared.lab.call("wire", action="mark", switch="leaf01", port="Ethernet1/1", queue=8, share=1.0)
    with pytest.raises(LabError, match="priority 4 is not under flow control"):
        shared.lab.call("wire", action="pause", switch="leaf01", port="Ethernet1/1", priority=4)
    with pytest.raises(LabError, match="no switch 'leaf09'"):
        shared.lab.call("wire", action="pause", switch="leaf09", port="Ethernet1/1", priority=3)


# -- LLDP ------------------------------------------------------------------------------------------------------
def tlvs(frame: bytes) -> dict[tuple[int, bytes], bytes]:
    """Contents by type; organisationally specific ones also by their first four bytes."""
    found, start = {}, 14
    while start < len(frame):
        kind, length = frame[start] >> 1, (frame[start] & 1) << 8 | frame[start + 1]
        value = frame[start + 2 : start + 2 + length]
        key, value = ((kind, value[:4]), value[4:]) if kind == 127 else ((kind, b""), value)
        found[key] = value
        start += 2 + length
    return found


def test_lldp_tells_names_vlan_and_frame_size(own: Bench, trio: tuple[str, str, str]) -> None:
    host = own.hosts[trio[0]]
    switch, port, _ = HOSTS[host.name]
    told = tlvs(host.everything()[-1])  # of the configuration that was typed last
    assert told[127, frames.PORT_VLAN] == b"\x00\x64"
    assert told[5, b""] == switch.encode()
    assert told[2, b""] == b"\x05" + port.encode()
    mtu = 9214 if switch == "leaf01" else 9216
    assert told[127, frames.MAXIMUM_FRAME_SIZE] == (mtu + 22).to_bytes(2, "big")
    if switch == "leaf01":
        assert told[4, b""] == b"a host"


@pytest.mark.parametrize(
    ("switch", "change", "host"),
    [
        ("leaf01", "interface Ethernet1/1\nno lldp transmit", "e1"),
        ("leaf02", "no feature lldp", "x1"),
        ("spine01", "nv set interface swp1 lldp state disabled\nnv config apply -y", "n1"),
    ],
)
def test_lldp_that_is_switched_off_is_silent(own: Bench, switch: str, change: str, host: str) -> None:
    own.type(switch, change)
    own.lab.status()
    nic = own.hosts[host]
    nic.everything()
    own.lab.set_port(switch, PORTS[host], link=False)
    own.lab.set_port(switch, PORTS[host], link=True)  # any change is announced at once
    assert nic.everything() == []


def test_a_host_becomes_the_neighbour_of_its_port(own: Bench, trio: tuple[str, str, str]) -> None:
    host = own.hosts[trio[0]]
    switch = HOSTS[host.name][0]
    host.send(frames.lldp(host.mac, "gpu07.example.net", "rail0", "", 9000, None))
    show = {
        "leaf01": "show lldp neighbors | json",
        "leaf02": "show lldp neighbors | json",
        "spine01": "nv show interface swp1 lldp -o json",
    }[switch]
    shown = own.show(switch, show)
    assert "gpu07.example.net" in shown and "rail0" in shown
    assert own.port(host.name).peer == ("gpu07.example.net", "rail0")


# -- gateway of a VLAN -----------------------------------------------------------------------------------------
def test_the_gateway_answers_arp_and_ping(shared: Bench, trio: tuple[str, str, str]) -> None:
    host = shared.hosts[trio[0]]
    mac = host.resolve(host.gateway)
    host.ping(host.gateway, mac)
    assert GATEWAYS[HOSTS[host.name][0]] == host.gateway


@pytest.mark.parametrize(
    ("platform", "change"),
    [
        ("eos", "interface Vlan100\nshutdown"),
        ("nxos", "interface Vlan100\nshutdown"),
        ("nvue", "nv unset interface vlan100\nnv config apply -y"),
    ],
)
def test_a_gateway_that_is_down_answers_nobody(own: Bench, platform: str, change: str) -> None:
    one, two, _ = (own.hosts[name] for name in PLATFORMS[platform])
    own.type(HOSTS[one.name][0], change)
    request = frames.arp(1, one.mac, one.address, b"\0" * 6, one.gateway_address)
    one.send(request)
    assert two.receive(frames.ARP) == request
    own.lab.status()
    assert one.waiting() == []
