# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of the three managers: golden texts, and what netplan and systemd-networkd themselves say about them."""

from __future__ import annotations

import os
import subprocess
from collections import Counter

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.module_utils.network import (
    foreign,
    keyfile,
    manager,
    netplan,
    networkd,
)
from tests.unit.host_network.cases import CASES, GOLDEN, build, text


@pytest.mark.parametrize("name", manager.NAMES)
@pytest.mark.parametrize("case", CASES)
def test_golden(case, name):
    assert text(case, name) == (GOLDEN / f"{case}.{name}.txt").read_text()


def test_golden_names():
    found = networkd.names(build(*CASES["dual"], names="model"))
    said = "".join(f"### {path}\n{content}\n" for path, content in found.items())
    assert said == (GOLDEN / "dual.names.txt").read_text()


def generated(tmp_path, interfaces, renderer):
    """What netplan makes of our file, by name."""
    for path, content in netplan.files(interfaces).items():
        place = tmp_path / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
        place.chmod(0o600)
    chosen = tmp_path / "etc/netplan/01-renderer.yaml"
    chosen.write_text(f"network: {{version: 2, renderer: {renderer}}}\n")
    chosen.chmod(0o600)
    done = subprocess.run(
        ["netplan", "generate", "--root-dir", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    folder = {"networkd": "run/systemd/network", "NetworkManager": "run/NetworkManager/system-connections"}[renderer]
    return {place.name: place.read_text() for place in (tmp_path / folder).iterdir()}


def blocks(content):
    """A file as sections in any order, each a set of keys and values in any order."""
    found, last = [], None
    for line in content.splitlines():
        if line.startswith("["):
            last = []
            found.append((line, last))
        elif "=" in line and not line.startswith("#"):
            last.append(tuple(line.split("=", 1)))
    return Counter((name, frozenset(pairs)) for name, pairs in found)


@pytest.mark.parametrize("case", CASES)
def test_netplan_makes_the_same_networkd_files(case, tmp_path):
    interfaces = build(*CASES[case])
    theirs = generated(tmp_path, interfaces, "networkd")
    for path, content in networkd.files(interfaces).items():
        link = next(one for one in interfaces if path.endswith((f"-{one.label}.network", f"-{one.label}.netdev")))
        other = theirs.pop(f"10-netplan-{link.name}.{path.rpartition('.')[2]}")
        # netplan knows no match by path and leaves out what is the default of networkd.
        ours = content.replace(f"Path={link.path}\n", f"Name={link.name}\n").replace("DHCP=no\n", "")
        assert blocks(ours) == blocks(other)
    assert all(name.endswith(".link") for name in theirs), "nothing that we do not have"


@pytest.mark.parametrize("case", CASES)
def test_netplan_makes_profiles_of_the_same_meaning(case, tmp_path):
    """But for rules, which it leaves out: why hosts with NetworkManager get profiles from us and not from netplan."""
    interfaces = build(*CASES[case])
    theirs = generated(tmp_path, interfaces, "NetworkManager")
    for link in interfaces:
        ours = meaning(keyfile.files(interfaces)[keyfile.path_of(link)])
        other = meaning(theirs.pop(f"netplan-{link.name}.nmconnection"))
        assert ours == other
    assert theirs == {}


def meaning(content):
    """Of a profile what decides about traffic. Names, UUIDs and how the device is found differ by design."""
    values = {(section, key): value for section, key, value in foreign.sections(content)}
    routes = set()
    for (section, key), value in values.items():
        if section == "ipv4" and key.startswith("route") and key[5:].isdigit():
            to, hop, metric = [*value.split(","), "", ""][:3]
            options = frozenset(values.get((section, f"{key}_options"), "").split(","))
            routes.add((to, hop.replace("0.0.0.0", ""), metric, options))
    method = values.get(("ipv4", "method"), "disabled")
    return {
        "type": values["connection", "type"],
        "bond": values.get(("connection", "slave-type")),
        "address": values.get(("ipv4", "address1")),
        "method": "disabled" if method == "link-local" else method,
        "mtu": values.get(("ethernet", "mtu")),
        "vlan": values.get(("vlan", "id")),
        "mode": {key: value for (section, key), value in values.items() if section == "bond"},
        "routes": routes,
    }


@pytest.mark.parametrize("case", CASES)
def test_networkd_itself_has_no_complaint(case, tmp_path):
    """The daemon, in a network and a file system of its own, reads the files and says when it is through."""
    for path, content in networkd.files(build(*CASES[case])).items():
        (tmp_path / path.rpartition("/")[2]).write_text(content)
    lines = read_by_networkd(tmp_path)
    about = [line for line in lines if "10-lossless" in line]
    assert about == []
    assert sum("loaded" in line for line in lines) == len(list(tmp_path.glob("*.netdev")))


def test_networkd_would_complain(tmp_path):
    (tmp_path / "10-lossless-x.network").write_text("[Match]\nName=x\n[Network]\nAddres=10.0.0.1/24\n")
    assert any("Unknown key 'Addres'" in line for line in read_by_networkd(tmp_path))


def read_by_networkd(folder):
    """What systemd-networkd says while it reads a folder."""
    script = (
        f"mount -t tmpfs tmpfs /etc/systemd/network && cp {folder}/* /etc/systemd/network && mount -t tmpfs tmpfs /run"
        " && mkdir -p /run/systemd/netif/links && exec /lib/systemd/systemd-networkd"
    )
    environment = {**os.environ, "SYSTEMD_LOG_LEVEL": "debug", "SYSTEMD_LOG_TARGET": "console"}
    command = ["unshare", "--mount", "--net", "sh", "-c", script]
    lines = []
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            lines.append(line.rstrip())
            if "Enumeration completed" in line:
                process.kill()
                return lines
    raise AssertionError("networkd ended early: " + "\n".join(lines))


@pytest.mark.parametrize("case", CASES)
def test_what_we_write_is_yaml_and_says_no_renderer(case):
    (content,) = netplan.files(build(*CASES[case])).values()
    network = yaml.safe_load(content)["network"]
    assert "renderer" not in network and network["version"] == 2


def test_any_plain_value_comes_back_from_yaml():
    values = ["yes", "802.3ad", "1e3", "layer3+4", "a: b", 'say "so"', "back\\slash", "10.0.0.1/31", "0x1", "-", "+1a"]
    data = {"a": {value: value for value in values}, "b": [{"c": 1, "d": True}, "off"], "e": [], "f": {}}
    assert yaml.safe_load(netplan.dump(data)) == data
