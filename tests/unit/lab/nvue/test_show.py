# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operational state that the emulated NVUE shows."""

from __future__ import annotations

import json

import pytest

from lab.nvue import yamltext
from lab.nvue.table import humanised
from tests.unit.lab.nvue.trees import device


def show(dev, what):
    return json.loads(dev.shell("cumulus").run(f"nv show {what} -o json"))


def configure(dev, *commands):
    shell = dev.shell("cumulus")
    for command in commands:
        assert "Error" not in shell.run(f"nv set {command}")
    assert "applied" in shell.run("nv config apply -y")


@pytest.mark.parametrize("release", ["5.9.2", "5.14.0"])
def test_system_up_to_5_14(release):
    assert show(device(release), "system")["product-release"] == release


def test_system_from_5_15():
    dev = device("5.16.0")
    assert show(dev, "system")["version"] == {"product-release": "5.16.0"}
    assert show(dev, "system version")["product-release"] == "5.16.0"
    assert show(dev, "system")["hostname"] == "leaf01"


def test_link():
    dev = device()
    configure(dev, "interface swp1 link mtu 9000", "interface swp1 link speed 200G", "interface swp2 link state down")
    dev.ports["swp3"].link = False
    dev.ports["swp4"].speed = 100000
    link = show(dev, "interface swp1 link")
    assert (link["admin-status"], link["oper-status"], link["mtu"], link["speed"]) == ("up", "up", 9000, "200G")
    assert link["state"] == {"up": {}}
    assert [show(dev, f"interface swp{n} link")["admin-status"] for n in (2, 3)] == ["down", "up"]
    assert [show(dev, f"interface swp{n} link")["oper-status"] for n in (2, 3)] == ["down", "down"]
    assert "speed" not in show(dev, "interface swp3 link")
    assert show(dev, "interface swp4 link speed") == "100G"
    assert list(show(dev, "interface swp1-2")) == ["swp1", "swp2"]


def test_all_interfaces():
    dev = device()
    everything = show(dev, "interface")
    assert {"eth0", "lo", "swp1", "swp64"} <= set(everything)
    assert everything["eth0"]["ip"]["vrf"] == "mgmt"
    assert everything["swp64"]["link"]["oper-status"] == "up"
    text = dev.shell("cumulus").run("nv show interface")
    assert text.splitlines()[0].split("  ")[0] == "Interface"
    assert len(text.splitlines()) == 68


def test_lldp():
    dev = device()
    dev.ports["swp1"].peer = ("spine01", "swp5")
    dev.ports["swp2"].peer = ("spine02", "swp5")
    dev.ports["swp2"].link = False
    neighbors = show(dev, "interface lldp")
    assert neighbors["swp1"]["lldp"]["neighbor"]["spine01"]["port"]["name"] == "swp5"
    assert neighbors["swp1"]["lldp"]["neighbor"]["spine01"]["chassis"]["system-name"] == "spine01"
    assert neighbors["swp2"] == {}
    assert show(dev, "interface --view=lldp") == neighbors
    rows = dev.shell("cumulus").run("nv show interface lldp").splitlines()
    assert rows[0].split() == ["Interface", "Speed", "Type", "Remote", "Host", "Remote", "Port"]
    assert rows[2].split() == ["swp1", "400G", "swp", "spine01", "swp5"]
    configure(dev, "service lldp state disabled")
    assert show(dev, "interface lldp")["swp1"] == {}


def fill(dev):
    c = dev.ports["swp1"].classes[3]
    c.tx_packets, c.tx_bytes, c.drops, c.ecn_marked, c.pause_rx, c.pause_tx = 10, 150000, 4, 7, 5, 6


@pytest.mark.parametrize("release", ["5.11.0", "5.14.0", "5.18.0"])
def test_qos_counters_of_new_releases_are_integers(release):
    dev = device(release)
    fill(dev)
    counters = show(dev, "interface swp1 counters qos")
    assert counters["egress-queue-stats"]["3"] == {
        "tx-bytes": 150000,
        "tx-frames": 10,
        "tx-uc-buffer-discards": 4,
        "wred-discards": 0,
        "ecn-marked-frames": 7,
    }
    assert counters["pfc-stats"]["3"]["rx-pause-frames"] == 5
    assert counters["pfc-stats"]["3"]["tx-pause-frames"] == 6
    assert counters["qos-port-stats"]["ecn-marked-packets"]["transmit"] == 7
    assert list(counters["egress-queue-stats"]) == [str(n) for n in range(8)]
    assert show(dev, "interface swp1 counters qos pfc-stats") == counters["pfc-stats"]


def test_qos_counters_of_old_releases_are_humanised():
    dev = device("5.9.2")
    fill(dev)
    queue = show(dev, "interface swp1 counters qos")["egress-queue-stats"]["3"]
    assert queue["tx-bytes"] == "146.48 KB"
    assert "ecn-marked-frames" not in queue


def test_qos_counters_as_text():
    dev = device()
    fill(dev)
    lines = dev.shell("cumulus").run("nv show interface swp1 counters qos").splitlines()
    heads = ["Ingress Buffer Statistics", "Egress Queue Statistics", "PFC Statistics", "Qos Port Statistics"]
    assert [line for line in lines if line in heads] == heads
    assert "    3              10         150000    4                      0              7" in lines


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 Bytes"), (1023, "1023 Bytes"), (150000, "146.48 KB"), (1500000, "1.43 MB")]
)
def test_humanised(count, text):
    assert humanised(count) == text


def test_watchdog():
    dev = device()
    assert show(dev, "interface swp1 qos pfc-watchdog") == {"state": "disable"}
    configure(dev, "interface swp1 qos pfc-watchdog")
    dev.ports["swp1"].classes[3].watchdog_detected = 2
    dev.ports["swp1"].classes[4].watchdog_detected = dev.ports["swp1"].classes[4].watchdog_restored = 1
    found = show(dev, "interface swp1 qos pfc-watchdog")["status"]
    assert found["3"] == {"deadlock-count": 2, "status": "DEADLOCK"}
    assert found["4"] == {"deadlock-count": 1, "status": "OK"}
    shell = dev.shell("cumulus")
    assert "    3              DEADLOCK  2" in shell.run("nv show interface swp1 qos pfc-watchdog")
    assert shell.run("nv action clear interface swp1 qos pfc-watchdog deadlock-count") == "Action succeeded"
    assert show(dev, "interface swp1 qos pfc-watchdog")["status"]["3"]["status"] == "OK"


def test_clear_counters():
    dev = device()
    fill(dev)
    dev.ports["swp1"].crc_errors = 9
    shell = dev.shell("cumulus")
    assert shell.run("nv action clear interface swp1 counters") == "Action succeeded"
    assert dev.ports["swp1"].classes[3].tx_packets == 0
    assert dev.ports["swp1"].crc_errors == 0
    assert shell.run("nv action clear interface swp999 counters").startswith("Error: Invalid Command")


def test_roce_macro_expands_in_state_only():
    dev = device()
    assert show(dev, "qos roce") == {"enable": "off"}
    configure(dev, "qos roce")
    assert dev.applied["qos"] == {"roce": {"enable": "on"}}
    assert "mapping" not in dev.running()
    state = show(dev, "qos roce")
    assert state["mode"] == "lossless"
    assert state["pfc"]["pfc-priority"] == 3
    assert state["congestion-control"]["min-threshold"] == 150000
    assert show(dev, "interface swp1 qos roce status")["tc-map"]["roce"]["traffic-class"] == 3


def test_port_counters():
    dev = device()
    s = dev.ports["swp1"]
    s.rx_packets, s.rx_errors, s.crc_errors = 100, 3, 2
    assert show(dev, "interface swp1 link stats")["in-errors"] == 3
    assert show(dev, "interface swp1 counters errors")["fcs-errors"]["receive"] == 2
    assert show(dev, "interface --view=counters")["swp1"]["counters"]["netstat"]["rx-ok"] == 100


def test_configuration_of_a_revision():
    dev = device()
    shell = dev.shell("cumulus")
    shell.run("nv set interface swp1 link mtu 9000")
    assert show(dev, "interface swp1 link --pending") == {"mtu": 9000}
    assert show(dev, "interface swp1 link --rev=applied") == {}
    assert show(dev, "bridge domain br_default vlan") == {"999": {}}


@pytest.mark.parametrize("what", ["frobnicate", "interface swp99", "interface swp1 frob", "interface swp1 link frob"])
def test_nothing_of_that_name(what):
    shell = device().shell("cumulus")
    assert shell.run(f"nv show {what} -o json") == "Error: The requested item does not exist."
    assert shell.run("echo $?") == "1"


def test_narrow_terminals_cut_tables_but_not_json():
    dev = device()
    dev.ports["swp1"].peer = ("a-spine-with-a-rather-long-name", "swp5")
    shell = dev.shell("cumulus")
    shell.run("stty cols 40")
    assert max(map(len, shell.run("nv show interface lldp").splitlines())) <= 40
    assert "rather-long-name" in shell.run("nv show interface lldp -o json")


def test_yaml_output():
    dev = device()
    text = dev.shell("cumulus").run("nv show interface swp1 link -o yaml")
    assert yamltext.load(text) == show(dev, "interface swp1 link")
