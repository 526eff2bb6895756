# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packets from one leaf over the spine to another, every switch of another platform."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab.device import PortState
from lab.wire import frames
from tests.unit.lab.wire import Bench, bench, ip

UPLINKS = ("Ethernet7/1", "Ethernet8/1")  # of leaf01; both lead to the spine


@pytest.fixture
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """``e1`` on the EOS leaf and ``x1`` on the NX-OS leaf, known to their gateways."""
    with bench(tmp_path_factory.mktemp("w")) as running:
        running.learn("e1", "x1")
        yield running


def port(lab: Bench, switch: str, name: str) -> PortState:
    return lab.lab.call("port", name=switch, port=name)


def send(lab: Bench, packet: bytes) -> None:
    """From ``e1`` to its gateway."""
    lab.e1.send(lab.e1.frame(lab.e1.resolve(lab.e1.gateway), packet))


def complaint(lab: Bench) -> tuple[int, int, int, bytes]:
    """The ICMP error that ``e1`` gets: type, code, MTU, sender; its checksums hold."""
    answer = lab.e1.receive(frames.IPV4)[14:]
    assert answer[9] == 1 and frames.checksum(answer[:20]) == frames.checksum(answer[20:]) == 0
    return answer[20], answer[21], answer[26] << 8 | answer[27], answer[12:16]


def test_a_path_over_three_switches(own: Bench) -> None:
    packet = own.e1.udp(own.x1, size=9000)
    send(own, packet)
    frame = own.x1.receive(frames.IPV4)
    assert (frame[:6], frame[6:12]) == (own.x1.mac, own.x1.resolve(own.x1.gateway))
    got = frame[14:]
    assert (got[8], got[:8], got[12:]) == (64 - 3, packet[:8], packet[12:])
    assert frames.checksum(got[:20]) == 0
    # Class 3 at every hop, in and out.
    lengths = [(s.classes[3].rx_bytes, s.classes[3].tx_bytes) for s in (own.port("e1"), own.port("x1"))]
    assert lengths == [(9014, 0), (0, 9014)]
    assert sum(port(own, "leaf01", name).classes[3].tx_packets for name in UPLINKS) == 1
    assert sum(port(own, "spine01", name).classes[3].rx_packets for name in ("swp7", "swp8")) == 1
    assert port(own, "spine01", "swp9").classes[3].tx_packets == 1
    assert port(own, "leaf02", "Ethernet1/8").classes[3].rx_packets == 1


def test_the_far_host_is_asked_for_its_address_first(own: Bench) -> None:
    packet = own.e1.udp(own.x2)
    send(own, packet)
    own.x2.answer_arp()
    assert own.x2.receive(frames.IPV4)[14 + 20 :] == packet[20:]


def test_each_hop_sorts_by_its_own_map(own: Bench) -> None:
    own.type("spine01", "nv set qos mapping ROCE dscp 26 switch-priority 5\nnv config apply -y")
    own.type("leaf02", "interface Ethernet1/8\nno service-policy type qos input IN")
    send(own, own.e1.udp(own.x1))
    own.x1.receive(frames.IPV4)
    assert sum(port(own, "leaf01", name).classes[3].tx_packets for name in UPLINKS) == 1
    assert port(own, "spine01", "swp9").classes[5].tx_packets == 1
    assert port(own, "leaf02", "Ethernet1/8").classes[0].rx_packets == 1
    assert (own.port("x1").classes[3].tx_packets, own.port("x1").classes[0].tx_packets) == (
        0,
        2,
    )  # with the answer of the gateway


def test_flows_use_all_equal_paths_and_stay_on_theirs(own: Bench) -> None:
    for source in range(50000, 50032):
        for _n in range(2):
            send(own, own.e1.udp(own.x1, source=source))
            own.x1.receive(frames.IPV4)
    counts = [port(own, "leaf01", name).classes[3].tx_packets for name in UPLINKS]
    assert sum(counts) == 64
    assert all(count % 2 == 0 and count >= 16 for count in counts), counts


@pytest.mark.parametrize("end", ["leaf01", "spine01"])
def test_a_link_that_goes_down_moves_its_flows(own: Bench, end: str) -> None:
    if end == "leaf01":
        own.type("leaf01", "interface Ethernet7/1\nshutdown")
    else:
        own.lab.set_port("spine01", "swp7", link=False)
    own.learn("e1")
    for source in range(50000, 50008):
        send(own, own.e1.udp(own.x1, source=source))
        own.x1.receive(frames.IPV4)
    assert [port(own, "leaf01", name).classes[3].tx_packets for name in UPLINKS] == [0, 8]


def test_a_session_that_is_not_configured_makes_no_path(own: Bench) -> None:
    own.type("leaf02", "router bgp 65002\nno neighbor 10.0.0.5")
    send(own, own.e1.udp(own.x1))
    assert complaint(own)[:2] == (frames.UNREACHABLE, 0)


@pytest.mark.parametrize(
    ("switch", "change", "place", "sender"),
    [
        ("spine01", "nv set interface swp9 link mtu 1500\nnv config apply -y", ("spine01", "swp9"), None),
        ("leaf02", "interface Vlan100\nmtu 1500", ("leaf02", "Ethernet1/1"), "10.0.0.4"),
    ],
)
def test_a_packet_too_big_for_a_hop_is_lost_there(
    own: Bench, switch: str, change: str, place: tuple[str, str], sender: str | None
) -> None:
    own.type(switch, change)
    own.learn("e1", "x1")
    send(own, own.e1.udp(own.x1, size=1500))
    assert len(own.x1.receive(frames.IPV4)) == 1514
    send(own, own.e1.udp(own.x1, size=1501))
    kind, code, mtu, address = complaint(own)
    assert (kind, code, mtu) == (frames.UNREACHABLE, frames.FRAGMENTATION_NEEDED, 1500)
    assert sender is None or address == bytes(map(int, sender.split(".")))
    send(own, own.e1.udp(own.x1, size=1501, df=False))  # lost as well, but nobody is told
    state = port(own, *place)
    assert (state.classes[3].drops, state.tx_discards) == (2, 2)
    assert own.e1.waiting() == [] and own.x1.waiting() == []


def test_ingress_of_a_routed_port_has_a_limit_too(own: Bench) -> None:
    own.type("leaf02", "interface Ethernet1/8\nmtu 1500")
    send(own, own.e1.udp(own.x1, size=1501))
    assert port(own, "leaf02", "Ethernet1/8").rx_errors == 1
    assert own.x1.waiting() == []


def test_the_last_hop_of_a_packet(own: Bench) -> None:
    send(own, own.e1.udp(own.x1, ttl=3))
    kind, code, _, _ = complaint(own)
    assert (kind, code) == (frames.TIME_EXCEEDED, 0)
    send(own, own.e1.udp(own.x1, ttl=4))
    assert own.x1.receive(frames.IPV4)[14 + 8] == 1


@pytest.mark.parametrize("address", ["10.1.0.254", "10.0.0.0", "10.0.0.1", "10.0.0.4", "10.2.0.254", "10.3.0.254"])
def test_every_address_of_the_fabric_answers_pings(own: Bench, address: str) -> None:
    own.e1.ping(address, own.e1.resolve(own.e1.gateway), size=1000)


def test_hosts_ping_each_other(own: Bench) -> None:
    request = frames.icmp(frames.ECHO, 0, b"\0\1\0\1", b"")
    send(own, ip(own.e1.address, own.x1.address, 1, request))
    got = own.x1.receive(frames.IPV4)
    own.x1.send(got[6:12] + got[:6] + frames.IPV4 + frames.echo_reply(got[14:], own.x1.address))
    assert own.e1.receive(frames.IPV4)[34] == frames.ECHO_REPLY


def test_a_switch_that_does_not_route_still_answers_for_itself(own: Bench) -> None:
    own.type("leaf01", "no ip routing")
    own.e1.ping(own.e1.gateway, own.e1.resolve(own.e1.gateway))
    send(own, own.e1.udp(own.x1))
    own.lab.status()
    assert own.e1.waiting() == own.x1.waiting() == []


def test_an_address_of_nobody(own: Bench) -> None:
    send(own, ip(own.e1.address, 0xC0000201, 17, b"\0" * 8))
    assert complaint(own) == (frames.UNREACHABLE, 0, 0, bytes((10, 1, 0, 254)))


def test_between_two_vlans_of_one_switch(own: Bench) -> None:
    own.type("leaf01", "interface Ethernet2/1\nno switchport\nip address 10.1.2.0/31")
    own.learn("e1")
    own.e2.address = 0x0A010201
    assert own.e2.resolve("10.1.2.0") == own.e1.resolve("10.1.0.254")
    send(own, own.e1.udp(own.e2))
    assert own.e2.receive(frames.IPV4)[14 + 8] == 63
    own.e2.send(own.e2.frame(own.e2.resolve("10.1.2.0"), own.e2.udp(own.x1)))
    own.x1.receive(frames.IPV4)
