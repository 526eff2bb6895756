# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Role and module through ansible-playbook: check, run with confirmation, second run, absent, errors."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.doc_fragments.folders import ModuleDocFragment
from ansible_collections.lossless.fabric.plugins.modules import host_network
from tests.unit.host_network.standins.host import Host
from tests.unit.nic.playbook import play

MODEL = {
    "networks": ["10.100.0.0/16"],
    "nics": [
        {"name": "rail0", "pci_address": "0000:01:00.0", "mtu": 9000, "address": "10.100.0.1/28", "gateway": None},
        {
            "name": "rail1",
            "mtu": 9000,
            "vlans": [7],
            "native_vlan": None,
            "tagged": [{"vlan": 7, "address": "10.7.0.1/24"}],
        },
    ],
}


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path / "host")


def variables(host, **other):
    found = {"host_network_root": str(host.root), "host_network_path": [str(host.bin), "/usr/bin", "/bin"]}
    return {"host": MODEL, "host_network_devices": {"rail1": "ens2f0np0"}, **found, **other}


def role(**apply):
    return {"ansible.builtin.include_role": {"name": "lossless.fabric.host_network", "apply": apply}}


def test_role_checks_runs_confirms_and_repeats(host, tmp_path):
    name = "host_network_result"
    results, out = play(tmp_path, [(name, role(check_mode=True))], variables(host))
    predicted = results[name]
    assert predicted["changed"] and not predicted["on_trial"] and host.timer is None and not host.at("/etc").exists()
    assert "+Address=10.100.0.1/28" in out and "+ens1f0np0: mtu: 9000" in out
    results, out = play(tmp_path, [(name, role())], variables(host))
    done = results[name]
    assert done["changed"] and done["on_trial"] and "Keep the change" in out
    assert (done["files"], done["differences"]) == (predicted["files"], predicted["differences"])
    assert host.timer is None and not host.at("/var/lib/lossless-fabric").exists()
    assert host.kernel["links"]["rail1.7"]["addresses"] == ["10.7.0.1/24"]
    results, out = play(tmp_path, [(name, role())], variables(host))
    assert not results[name]["changed"] and results[name]["diff"] == [] and "Keep the change" not in out
    results, _ = play(tmp_path, [(name, role())], variables(host, host_network_state="absent"))
    assert results[name]["changed"] and host.files() == {}


def task(host, **options):
    nics = [{"name": "rail0", "device": "0000:01:00.0", "mtu": 9000}]
    where = {"root": str(host.root), "path": [str(host.bin), "/usr/bin", "/bin"]}
    return {"lossless.fabric.host_network": {"nics": nics, **where, **options}}


def test_errors_say_what_is_expected(host, tmp_path):
    nic = {"name": "rail0", "device": "0000:01:00.0", "mtu": 9000}
    host.put("/etc/systemd/network/50-mine.network", "[Match]\nName=ens1f0np0\n[Network]\nDHCP=yes\n")
    steps = [
        ("mtu", task(host, nics=[{**nic, "mtu": 90000}])),
        ("vlan", task(host, nics=[{**nic, "vlans": [4095]}])),
        ("neighbours", task(host, neighbours=[3, 2, 1])),
        ("foreign", task(host)),
        ("confirm", task(host, state="confirm")),
    ]
    results, _ = play(tmp_path, steps)
    assert results["mtu"]["msg"] == "expected mtu of rail0 from 1280 to 9216, found 90000 (correct it)"
    assert results["vlan"]["msg"] == "expected vlan of rail0 from 1 to 4094, found 4095 (correct it)"
    assert "three rising numbers" in results["neighbours"]["msg"]
    assert "/etc/systemd/network/50-mine.network for ens1f0np0" in results["foreign"]["msg"]
    assert not results["foreign"]["changed"] and results["confirm"]["confirmed"] is False


def test_an_interrupted_run_is_undone_before_the_next_one(host, tmp_path):
    from ansible_collections.lossless.fabric.plugins.module_utils.network import apply

    nics = [{"name": "rail0", "address": "10.5.0.1/24", "mtu": 4000}]
    assert apply.carry_out(host.look(nics))
    results, _ = play(tmp_path, [("next", task(host))])
    assert "interrupted" in results["next"]["warnings"][0]
    assert host.kernel["links"]["ens1f0np0"]["addresses"] == [] and host.kernel["links"]["ens1f0np0"]["mtu"] == 9000


def test_documentation_and_arguments_agree():
    def plain(options):
        found = {}
        for name, option in options.items():
            kept = {key: value for key, value in option.items() if key != "description"}
            inner = kept.pop("suboptions", None) or kept.pop("options", None)
            found[name] = {**kept, **({"options": plain(inner)} if inner else {})}
        return found

    documented = yaml.safe_load(host_network.DOCUMENTATION)["options"]
    documented |= yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["options"]
    assert plain(documented) == plain(host_network.options())


def test_the_code_of_the_host_is_python_3_8():
    folder = Path(host_network.__file__).parents[1] / "module_utils" / "network"
    for place in [Path(host_network.__file__), *folder.glob("*.py")]:
        ast.parse(place.read_text(), feature_version=(3, 8))
