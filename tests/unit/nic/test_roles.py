# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The roles with a host of the model."""

from __future__ import annotations

import pytest

from tests.unit.nic.playbook import play
from tests.unit.nic.standins.host import Host

MODEL = {
    "name": "gpu01",
    "nics": [
        {"name": "rail0", "pci_address": "0000:1a:00.0", "mtu": 9000, "cable_length": 3},
        {"name": "ens2f0np0", "mtu": 9000, "cable_length": None},
    ],
    "roce": {"profile": "ROCE", "trust": "dscp", "priority": 4, "dscp": [34], "cnp_priority": 7, "cnp_dscp": [56]},
}


def role(name, **apply):
    return {"ansible.builtin.include_role": {"name": f"lossless.fabric.{name}", "apply": apply}}


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path, tools=("ethtool", "mlnx_qos", "mlxconfig", "mlxfwreset"))


def variables(host, **other):
    found = {"host": MODEL, **other}
    for name in ("nic_qos", "nic_firmware"):
        found[f"{name}_root"], found[f"{name}_path"] = str(host.root), [str(host.bin)]
    return found


def test_without_consent_no_link_drops_and_no_nic_is_reset(host, tmp_path):
    results, out = play(tmp_path, [("nic_qos_result", role("nic_qos", ignore_errors=True))], variables(host))
    assert results["nic_qos_result"]["failed"] and "allow_link_flap" in results["nic_qos_result"]["msg"]
    assert host.port()["link_flaps"] == 0
    assert '"nics": []' in host.at("/etc/lossless-fabric/nic-qos.json").read_text(), "boot does not do it either"
    results, out = play(tmp_path, [("nic_firmware_result", role("nic_firmware"))], variables(host))
    assert results["nic_firmware_result"]["reset_needed"] == ["rail0", "ens2f0np0"]
    assert "skipping: [localhost]" in out, "no reboot"
    assert not any("mlxfwreset" in call for call in host.calls())


def test_the_policy_of_the_model_reaches_both_nics(host, tmp_path):
    consent = {"nic_qos_allow_link_flap": True, "nic_firmware_allow_reset": True}
    steps = [("nic_firmware_result", role("nic_firmware")), ("nic_qos_result", role("nic_qos"))]
    results, _ = play(tmp_path, steps, variables(host, **consent))
    assert not results["nic_qos_result"].get("failed"), results["nic_qos_result"].get("msg")
    assert results["nic_firmware_result"]["nics"]["rail0"]["reset_done"]
    for interface in ("ens1f0np0", "ens2f0np0"):
        port = host.port(interface)
        assert port["pfc"] == [0, 0, 0, 0, 1, 0, 0, 0] and port["hw_map"][34] == 4 and port["hw_map"][56] == 7
    assert host.text("/sys/class/infiniband/mlx5_0/tc/1/traffic_class") == str(34 * 4 + 2)
    again, _ = play(tmp_path, steps, variables(host, **consent))
    assert not again["nic_qos_result"]["changed"] and not again["nic_firmware_result"]["changed"]
    assert host.port()["link_flaps"] == 1
