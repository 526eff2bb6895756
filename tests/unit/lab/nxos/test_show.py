# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show commands: text and structured, from configuration and port state."""

from __future__ import annotations

import json
import re

import pytest


@pytest.fixture
def busy(roce):
    """Traffic, pauses, errors, neighbours."""
    port = roce.device.ports["Ethernet1/1"]
    port.peer = ("spine01", "Ethernet1/7")
    port.speed = 400_000
    port.rx_packets, port.tx_packets, port.rx_bytes, port.tx_bytes = 11, 22, 1100, 2200
    port.rx_errors, port.tx_errors, port.crc_errors, port.rx_discards, port.tx_discards = 5, 6, 4, 3, 2
    queue = port.classes[3]
    queue.tx_packets, queue.tx_bytes, queue.drops, queue.ecn_marked = 12, 1200, 1, 9
    queue.pause_rx, queue.pause_tx, queue.depth_bytes = 8, 7, 416
    queue.watchdog_detected, queue.watchdog_restored = 2, 1
    roce.device.ports["Ethernet1/2"].peer = ("gpu-host-with-a-rather-long-name", "rail0")
    roce.device.ports["Ethernet1/4"].link = False
    return roce


def data(bench, command: str) -> dict:
    return json.loads(bench.shell.run(f"{command} | json"))


def row(rows: list[dict], name: str, key: str = "interface") -> dict:
    return next(r for r in rows if r[key] == name)


def test_version(bench):
    text = bench.shell.run("show version")
    assert " NXOS: version 10.4(3)F\n" in text
    assert "  cisco Nexus9000 C9332D-GX2B Chassis \n" in text
    assert data(bench, "show version")["nxos_ver_str"] == "10.4(3)F"
    assert data(bench, "show version")["host_name"] == "leaf01"


def test_status(busy):
    rows = data(busy, "show interface status")["TABLE_interface"]["ROW_interface"]
    assert row(rows, "Ethernet1/1") | {"type": ""} == {
        "interface": "Ethernet1/1",
        "state": "connected",
        "vlan": "routed",
        "duplex": "full",
        "speed": "400G",
        "type": "",
    }
    assert row(rows, "Ethernet1/2")["name"] == "gpu01 rail0"
    assert row(rows, "Ethernet1/2")["vlan"] == "trunk"
    assert (row(rows, "Ethernet1/4")["state"], row(rows, "Ethernet1/4")["speed"]) == ("notconnect", "auto")
    lines = busy.shell.run("show interface status").split("\n")
    assert lines[1].split() == ["Port", "Name", "Status", "Vlan", "Duplex", "Speed", "Type"]
    assert "Eth1/2        gpu01 rail0        connected trunk     full    400G    QSFP-DD-400G" in lines


def test_one_row_is_an_object_several_are_a_list(busy):
    one = data(busy, "show interface Ethernet1/1 status")["TABLE_interface"]["ROW_interface"]
    assert one["interface"] == "Ethernet1/1"
    two = data(busy, "show interface Ethernet1/1-2 status")["TABLE_interface"]["ROW_interface"]
    assert [r["interface"] for r in two] == ["Ethernet1/1", "Ethernet1/2"]


def test_interface(busy):
    r = data(busy, "show interface ethernet 1/1")["TABLE_interface"]["ROW_interface"]
    assert (r["state"], r["admin_state"], r["eth_mtu"], r["eth_mode"]) == ("up", "up", "9216", "routed")
    assert (r["eth_ip_addr"], r["eth_ip_mask"]) == ("10.0.0.0", 31)
    assert (r["eth_inerr"], r["eth_outerr"], r["eth_crc"], r["eth_outdiscard"]) == ("5", "6", "4", "2")
    assert (r["eth_inpkts"], r["eth_outbytes"], r["eth_speed"]) == ("11", "2200", "400 Gb/s")
    text = busy.shell.run("show interface Ethernet1/4")
    assert text.startswith("Ethernet1/4 is down (Link not connected)\nadmin state is up, Dedicated Interface\n")
    assert "MTU 1500 bytes" in text


def test_errors(busy):
    rows = data(busy, "show interface counters errors")["TABLE_interface"]["ROW_interface"]
    mine = [r for r in rows if r["interface"] == "Ethernet1/1"]
    assert len(mine) == 4
    assert mine[0]["eth_fcs_err"] == "4"
    assert mine[3]["eth_indisc"] == "3"
    lines = busy.shell.run("show interface counters errors").split("\n")
    assert lines[1].split() == ["Port", "Align-Err", "FCS-Err", "Xmit-Err", "Rcv-Err", "UnderSize", "OutDiscards"]
    assert lines[3].split() == ["mgmt0", "--", "--", "--", "--", "--", "--"]
    assert lines[4].split() == ["Eth1/1", "0", "4", "6", "5", "0", "2"]


def test_pfc(busy):
    lines = busy.shell.run("show interface priority-flow-control").split("\n")
    assert lines[1] == "Port               Mode Oper(VL bmap)  RxPPP      TxPPP"
    assert lines[4].split() == ["Ethernet1/1", "On", "On", "(8)", "8", "7"]
    assert next(line for line in lines if "Ethernet1/3" in line).split() == ["Ethernet1/3", "Auto", "Off", "0", "0"]
    module = data(busy, "show interface priority-flow-control")["TABLE_module"]["ROW_module"]
    rows = module["TABLE_pfc_interface"]["ROW_pfc_interface"]
    assert row(rows, "Ethernet1/1", "if_name_str") == {
        "if_name_str": "Ethernet1/1",
        "admin": "On",
        "oper": "On  (8)",
        "rx-stats": "8",
        "tx-stats": "7",
    }


def test_pfc_needs_a_class_without_drop(busy):
    busy.configure("system qos\nno service-policy type network-qos NQ")
    line = next(ln for ln in busy.shell.run("show interface priority-flow-control").split("\n") if "Ethernet1/1 " in ln)
    assert line.split() == ["Ethernet1/1", "On", "Off", "8", "7"]


def test_pfc_bitmap_is_hexadecimal(busy):
    busy.configure("policy-map type network-qos NQ\nclass type network-qos c-8q-nq7\npause pfc-cos 7")
    line = next(ln for ln in busy.shell.run("show interface priority-flow-control").split("\n") if "Ethernet1/1 " in ln)
    assert "(88)" in line


def box(text: str, group: int) -> list[list[str]]:
    """Rows of the box of one qos-group."""
    part = text.partition(f"QOS GROUP {group} ")[2].partition("QOS GROUP")[0]
    return [[cell.strip() for cell in ln.strip("|").split("|")] for ln in part.split("\n") if ln.startswith("|")]


@pytest.mark.parametrize(
    ("release", "rows"),
    [
        ("7.0(3)I7(10)", [["Tx Pkts", "12", "0", "0"], ["Dropped Pkts", "1", "0", "0"]]),
        ("9.3(9)", [["Dropped Pkts", "1", "0"], ["Ecn Marked Pkts", "9", "0"], ["Q Depth Byts", "416", "0"]]),
        ("10.4(3)F", [["WRED/AFD & Tail Drop Pkts", "1", "0"], ["ECN Pkts", "9", "0"], ["Q Depth Byts", "416", "0"]]),
    ],
)
def test_queues_text(busy, release, rows):
    busy.device.release = release
    text = busy.shell.run("show queuing interface ethernet 1/1")
    assert "Egress Queuing for Ethernet1/1 [System]" in text
    shown = box(text, 3)
    for expected in rows:
        assert expected in shown
    assert re.search(r"TxPPP: +7, RxPPP: +8\n", text)
    assert ["3", "3", "3", "Active", "7", "Active", "8"] in [line.split() for line in text.split("\n")]
    assert ["3", "50", "-", "-", "-", "-", "9(D)"] in [line.split() for line in text.split("\n")]
    assert ["7", "-", "1", "-", "-", "-", "9(D)"] in [line.split() for line in text.split("\n")]
    assert "Ingress MMU Drop Pkts                   3" in text


def test_queues_structured(busy):
    module = data(busy, "show queuing interface Ethernet1/1")["TABLE_module"]["ROW_module"]
    out, into = module["TABLE_queuing_interface"]["ROW_queuing_interface"]
    assert (out["dir"], into["dir"], out["if_name_str"]) == ("Egress", "Ingress", "Ethernet1/1")
    stats = row(out["TABLE_qosgrp_egress_stats"]["ROW_qosgrp_egress_stats"], "3", "eq-qosgrp")
    entries = {
        (e["eq-stat-type"], e["eq-stat-units"]): e["eq-uc-stat-value"]
        for e in stats["TABLE_qosgrp_egress_stats_entry"]["ROW_qosgrp_egress_stats_entry"]
    }
    assert entries == {
        ("Tx", "Pkts"): "12",
        ("Tx", "Byts"): "1200",
        ("WRED/AFD & Tail Drop", "Pkts"): "1",
        ("WRED/AFD & Tail Drop", "Byts"): "1024",
        ("ECN", "Pkts"): "9",
        ("ECN", "Byts"): "9216",
        ("Q Depth", "Byts"): "416",
    }
    assert (into["tx-ppp"], into["rx-ppp"]) == ("7", "8")
    pause = row(into["TABLE_pfc_stats"]["ROW_pfc_stats"], "3", "cos")
    assert (pause["pfc-qosgrp"], pause["tx-pause-count"], pause["rx-pause-count"]) == ("3", "7", "8")


def test_tabular(busy):
    r = data(busy, "show queuing tabular interface Ethernet1/1")["TABLE_queuing_interface"]["ROW_queuing_interface"]
    assert (r["tx_uc_pkt_qos_3"], r["tx_uc_ecn_pkt_qos_3"], r["pfc_rx_qos_3"], r["pfc_tx_qos_3"]) == (
        "12",
        "9",
        "8",
        "7",
    )
    assert "Interface Ethernet1/1" in busy.shell.run("show queuing tabular interface Ethernet1/1")


def test_watchdog(busy):
    module = data(busy, "show queuing pfc-queue interface Ethernet1/1 detail")["TABLE_module"]["ROW_module"]
    assert (module["glb-wd-status"], module["glb-wd-timer"]) == ("Enabled", "100")
    r = module["TABLE_queuing_interface"]["ROW_queuing_interface"]
    assert (r["if_name_str"], r["wd-status"], r["vl-bmp"]) == ("Ethernet1/1", "Enabled", "0x8")
    stats = r["TABLE_qosgrp_stats"]["ROW_qosgrp_stats"]
    assert (stats["eq-qosgrp"], stats["eq-qosgrp-state"]) == ("3", "Shutdown")
    numbers = {k: v for e in stats["TABLE_qosgrp_stats_entry"]["ROW_qosgrp_stats_entry"] for k, v in e.items()}
    assert (numbers["q-shutdown"], numbers["q-restored"]) == ("2", "1")
    text = busy.shell.run("show queuing pfc-queue interface Ethernet1/1 detail")
    assert "Global watch-dog interval [Enabled]" in text
    assert "Ethernet1/1 Interface PFC watchdog: [Enabled]" in text
    assert "| QOS GROUP 3 [Shutdown] PFC [YES] PFC-COS [3]" in text
    line = next(ln for ln in busy.shell.run("show queuing pfc-queue").split("\n") if ln.startswith("Ethernet1/2 "))
    assert line.split() == ["Ethernet1/2", "Disabled", "(0x8)", "-", "-", "-", "-", "Y", "-", "-", "-"]


def test_watchdog_of_old_releases_names_ports_by_heading(busy):
    busy.device.release = "9.3(9)"
    module = data(busy, "show queuing pfc-queue interface Ethernet1/1 detail")["TABLE_module"]["ROW_module"]
    name = module["TABLE_queuing_interface"]["ROW_queuing_interface"]["if_name_str"]
    assert name == "Ethernet1/1 Interface PFC watchdog: [Enabled]"


def test_lldp(busy):
    rows = data(busy, "show lldp neighbors detail")["TABLE_nbor_detail"]["ROW_nbor_detail"]
    assert [(r["l_port_id"], r["sys_name"], r["port_id"]) for r in rows] == [
        ("Eth1/1", "spine01", "Ethernet1/7"),
        ("Eth1/2", "gpu-host-with-a-rather-long-name", "rail0"),
    ]
    lines = busy.shell.run("show lldp neighbors").split("\n")
    assert "spine01              Eth1/1          120        BR          Ethernet1/7" in lines
    at = lines.index("gpu-host-with-a-rather-long-name")
    assert lines[at + 1].split() == ["Eth1/2", "120", "BR", "rail0"]
    assert lines[-1] == "Total entries displayed: 2"
    text = busy.shell.run("show lldp neighbors detail")
    assert "\nLocal Port id: Eth1/1\nPort Description: Ethernet1/7\nSystem Name: spine01\n" in text
    busy.configure("interface Ethernet1/2\nno lldp receive\ninterface Ethernet1/1\nshutdown")
    assert data(busy, "show lldp neighbors")["neigh_count"] == 0
    busy.configure("lldp timer 10")
    assert data(busy, "show lldp timers")["tx_interval"] == "10"


def test_fec_and_trunks(busy):
    busy.configure("interface Ethernet1/1\nfec rs-fec\nspeed 400000")
    r = data(busy, "show interface Ethernet1/1 fec")["TABLE_interface"]["ROW_interface"]
    assert (r["admin_fec"], r["oper_fec"]) == ("rs-fec", "rs-fec")
    shown = data(busy, "show interface trunk")
    assert shown["TABLE_allowed_vlans"]["ROW_allowed_vlans"] == {"interface": "Ethernet1/2", "allowedvlans": "10,20"}


def test_vlans(busy):
    busy.configure("vlan 10\nname rail0\ninterface Ethernet1/5\nswitchport access vlan 10")
    rows = data(busy, "show vlan brief")["TABLE_vlanbriefxbrief"]["ROW_vlanbriefxbrief"]
    r = row(rows, "10", "vlanshowbr-vlanid")
    assert (r["vlanshowbr-vlanname"], r["vlanshowplist-ifidx"]) == ("rail0", "Ethernet1/2,Ethernet1/5")


def test_policies(busy):
    text = busy.shell.run("show policy-map type queuing OUT")
    assert "    class type queuing c-out-8q-q7\n      priority level 1" in text
    system = busy.shell.run("show policy-map system type network-qos")
    assert (
        "    class type network-qos c-8q-nq3\n      match qos-group 3\n      mtu 9216\n      pause pfc-cos 3" in system
    )
    assert "    class type network-qos c-8q-nq1\n      match qos-group 1\n      mtu 1500" in system


def test_parts_of_the_configuration(busy):
    text = busy.shell.run("show running-config interface Ethernet1/1")
    assert text.split("\n")[1] == "!Command: show running-config interface Ethernet1/1"
    assert "\n\nversion 10.4(3) Bios:version 05.48\n\ninterface Ethernet1/1\n  no switchport\n" in text
    everything = busy.shell.run("show running-config interface e1/3 all")
    for line in ("priority-flow-control mode auto", "mtu 1500", "speed auto", "fec auto", "no shutdown"):
        assert f"\n  {line}" in everything
    assert "policy-map type network-qos NQ" in busy.shell.run("show running-config ipqos")
    assert "vlan" not in busy.shell.run("show running-config ipqos")
    assert busy.shell.run("show running-config | section system").split("\n") == [
        "system qos",
        "  service-policy type queuing output OUT",
        "  service-policy type network-qos NQ",
    ]
    assert busy.shell.run("show running-config | include ^feature").split("\n") == [
        "feature nxapi",
        "feature privilege",
        "feature lldp",
    ]


def test_addresses_and_features(busy):
    r = data(busy, "show ip interface brief")["TABLE_intf"]["ROW_intf"]
    assert (r["intf-name"], r["prefix"], r["link-state"]) == ("Eth1/1", "10.0.0.0", "up")
    rows = data(busy, "show feature")["TABLE_cfcFeatureCtrl2Table"]["ROW_cfcFeatureCtrl2Table"]
    assert row(rows, "lldp", "cfcFeatureName2")["cfcFeatureCtrlOpStatus2"] == "enabled"
    assert row(rows, "ptp", "cfcFeatureName2")["cfcFeatureCtrlOpStatus2"] == "disabled"


INTERFACE_COMMANDS = """
status
brief
description
counters
counters errors
fec
trunk
flowcontrol
priority-flow-control
"""
COMMANDS = """
show interface
show queuing
show queuing interface
show queuing tabular
show queuing pfc-queue detail
show class-map
show policy-map
show policy-map system
show vlan
show inventory
show clock
show hostname
show users
show system config reload-pending
show running-config all
show running-config vlan
show feature
"""


@pytest.mark.parametrize(
    "command", [*COMMANDS.split("\n")[1:-1], *(f"show interface {c}" for c in INTERFACE_COMMANDS.split("\n")[1:-1])]
)
def test_every_command_copes_with_every_kind_of_interface(busy, command):
    busy.configure(
        "feature interface-vlan\ninterface Vlan10\ninterface loopback0\ninterface port-channel1\nswitchport mode trunk"
    )
    answer = busy.shell.run(command)
    assert len(answer) > 5
    assert not re.search(r"(?m)^(%|ERROR)", answer), answer
