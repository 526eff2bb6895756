# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs against a host of stand-ins: converge, drift, removal, names, files of others, the way to the host, trial."""

from __future__ import annotations

import pytest

from ansible_collections.lossless.fabric.plugins.module_utils.network import apply, change, netplan, revert, sysctl
from ansible_collections.lossless.fabric.plugins.module_utils.nic.system import Problem
from tests.unit.host_network.standins.host import Host

NICS = [
    {"name": "rail0", "address": "10.100.0.1/28", "gateway": "10.100.0.14"},
    {"name": "rail1", "address": "10.101.0.1/28", "gateway": "10.101.0.14"},
]
NETWORKS = ["10.100.0.0/16", "10.101.0.0/16"]
TRUNK = [
    {"name": "rail0", "vlans": [100, 200], "native_vlan": 100, "tagged": [{"vlan": 200, "address": "10.2.0.1/24"}]}
]
BOND = [
    {"name": "rail0", "bond": 1, "address": "10.100.0.1/24", "vlans": [200]},
    {"name": "rail1", "bond": 1, "vlans": [200]},
]
RAIL0, RAIL1 = "ens1f0np0", "ens2f0np0"
NETWORK0 = "/etc/systemd/network/10-lossless-rail0.network"


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path)


def keys(found):
    return sorted((one.interface, one.key) for one in found.differences)


@pytest.mark.parametrize("nics", [NICS, TRUNK, BOND, []], ids=["dual", "trunk", "bond", "none"])
def test_first_run_converges_and_the_second_changes_nothing(host, nics):
    first = host.look(nics, networks=NETWORKS)
    assert first.needed == bool(nics)
    untouched = host.kernel["links"]["mgmt0"]
    host.run(nics, networks=NETWORKS)
    host.calls()
    again = host.run(nics, networks=NETWORKS)
    assert not again.needed and not again.touched and not again.findings
    assert [call for call in host.calls() if not call.startswith(("ip -json", "systemctl is-active"))] == []
    assert host.kernel["links"]["mgmt0"] == untouched


def test_what_the_kernel_has_then(host):
    host.run(NICS, networks=NETWORKS)
    kernel = host.kernel
    assert kernel["links"][RAIL0]["mtu"] == 9000 and kernel["links"][RAIL0]["addresses"] == ["10.100.0.1/28"]
    assert {"priority": 1000, "from": "10.100.0.1", "table": 1000} in kernel["rules"]
    assert {"priority": 1100, "from": "10.101.0.1", "table": 1100} in kernel["rules"]
    through = {(r["to"], r["table"], r["via"]) for r in kernel["routes"] if r["dev"] == RAIL0}
    assert through == {
        ("10.100.0.0/28", 1000, None),
        ("10.100.0.0/16", 1000, "10.100.0.14"),
        ("10.101.0.0/16", 1000, "10.100.0.14"),
        ("10.100.0.0/16", 254, "10.100.0.14"),
    }
    assert host.at(f"/proc/sys/net/ipv4/conf/{RAIL0}/arp_ignore").read_text() == "1"
    assert host.at("/proc/sys/net/ipv4/conf/mgmt0/arp_ignore").read_text() == "0\n"
    assert host.at("/proc/sys/net/ipv4/neigh/default/gc_thresh3").read_text() == "16384"


def test_check_writes_nothing_and_predicts_the_run(host):
    before = host.files() if host.at("/etc").exists() else {}
    found = host.look(NICS, networks=NETWORKS)
    predicted = [(one["path"], one["after"]) for one in found.files]
    assert (host.files() if host.at("/etc").exists() else {}) == before and host.timer is None
    assert ("ens1f0np0", "mtu") in keys(found) and ("ens2f0np0", "rule") in keys(found)
    done = host.run(NICS, networks=NETWORKS)
    assert [(one["path"], one["after"]) for one in done.files] == predicted
    assert all(host.at(path).read_text() == after for path, after in predicted)


def test_a_port_of_infiniband_is_left_alone_with_a_reason(host):
    host.put(f"/sys/class/net/{RAIL1}/type", "32\n")
    done = host.run(NICS, networks=NETWORKS)
    assert [(f["severity"], f["key"], f["actual"], f["where"]) for f in done.findings] == [
        ("warning", "link_layer", "InfiniBand on rail1", RAIL1)
    ]
    assert host.kernel["links"][RAIL1] == Host(host.folder / "other").kernel["links"][RAIL1]
    assert host.kernel["links"][RAIL0]["mtu"] == 9000
    again = host.run(NICS, networks=NETWORKS)
    assert not again.needed and len(again.findings) == 1


DRIFT = {
    "mtu": (("ip", "link", "set", RAIL0, "mtu", "1500"), [(RAIL0, "mtu")]),
    "down": (("ip", "link", "set", RAIL0, "down"), [(RAIL0, "state")]),
    "other address": (("ip", "address", "replace", "10.9.9.9/24", "dev", RAIL0), [(RAIL0, "address")]),
    "no rule": (("ip", "rule", "del", "priority", "1000"), [(RAIL0, "rule")]),
    "other rule": (
        ("ip", "rule", "add", "priority", "1000", "from", "10.1.1.1", "table", "1000"),
        [("rules", "rule")],
    ),
    "default route": (
        ("ip", "route", "replace", "0.0.0.0/0", "via", "10.100.0.14", "dev", RAIL0, "metric", "5", "table", "254"),
        [(RAIL0, "route")],
    ),
    "no routes": (("ip", "route", "flush", "table", "1000"), [(RAIL0, "route")] * 3),
    "route of another": (
        ("ip", "route", "replace", "10.3.0.0/24", "dev", "mgmt0", "metric", "5", "table", "1100"),
        [("routes", "route")],
    ),
}


@pytest.mark.parametrize("name", DRIFT)
def test_what_was_typed_is_drift_and_is_corrected_without_touching_the_other_nic(host, name):
    command, expected = DRIFT[name]
    host.run(NICS, networks=NETWORKS)
    good = host.kernel
    host.tool(*command)
    host.calls()
    found = host.run(NICS, networks=NETWORKS)
    assert keys(found) == expected and found.files == []
    assert not any(f"reconfigure {RAIL1}" in call or "systemd-run" in call for call in host.calls())
    assert normal(host.kernel) == normal(good)
    assert not host.look(NICS, networks=NETWORKS).needed


def normal(kernel):
    return {
        "links": {n: {k: v for k, v in link.items() if v is not None} for n, link in kernel["links"].items()},
        "routes": sorted(map(str, (sorted(r.items(), key=str) for r in kernel["routes"]))),
        "rules": sorted(map(str, kernel["rules"])),
    }


def test_a_sysctl_that_was_typed_is_corrected_alone(host):
    host.run(NICS, networks=NETWORKS)
    host.put(f"/proc/sys/net/ipv4/conf/{RAIL1}/arp_ignore", "0\n")
    host.calls()
    found = host.run(NICS, networks=NETWORKS)
    assert list(found.settings) == [f"net/ipv4/conf/{RAIL1}/arp_ignore"] and not found.differences and not found.files
    assert found.told() == [{"interface": RAIL1, "key": "arp_ignore", "expected": "1", "actual": "0"}]
    assert not any("network" in call for call in host.calls() if "is-active" not in call)
    assert host.at(f"/proc/sys/net/ipv4/conf/{RAIL1}/arp_ignore").read_text() == "1"


def test_a_later_sysctl_file_that_wins_is_named(host):
    host.put("/etc/sysctl.d/99-other.conf", f"# x\nnet.ipv4.conf.{RAIL0}.arp_ignore=0\nnet.ipv4.conf.all.rp_filter=1\n")
    host.put("/etc/sysctl.d/10-early.conf", f"net.ipv4.conf.{RAIL0}.arp_ignore=0\n")
    (finding,) = host.run(NICS, networks=NETWORKS).findings
    assert finding["where"] == "/etc/sysctl.d/99-other.conf" and finding["actual"] == "0"


def test_a_nic_that_leaves_the_model_is_taken_away(host):
    host.run(NICS, networks=NETWORKS[:1])
    found = host.run(NICS[:1], networks=NETWORKS[:1])
    kernel = host.kernel
    assert kernel["links"][RAIL1] == {**kernel["links"][RAIL1], "mtu": 1500, "addresses": []}
    assert not any(rule["table"] == 1100 for rule in kernel["rules"])
    assert not any(route["dev"] == RAIL1 for route in kernel["routes"])
    assert not host.at("/etc/systemd/network/10-lossless-rail1.network").exists()
    assert [link.label for link in found.touched] == []
    assert not host.look(NICS[:1], networks=NETWORKS[:1]).needed


@pytest.mark.parametrize("nics", [NICS, TRUNK, BOND], ids=["dual", "trunk", "bond"])
def test_absent_leaves_nothing(host, nics):
    before = host.kernel
    host.run(nics, networks=NETWORKS)
    host.run([])
    assert host.files() == {}
    assert set(host.kernel["links"]) == set(before["links"])
    for name, link in host.kernel["links"].items():
        assert link["mtu"] == 1500 and link["addresses"] == before["links"][name]["addresses"]
    assert host.kernel["rules"] == before["rules"] and host.kernel["routes"] == before["routes"]


def test_vlan_and_bond_are_made_as_planned(host):
    host.run(TRUNK)
    vlan = host.kernel["links"]["rail0.200"]
    assert (vlan["link"], vlan["data"]["id"], vlan["mtu"], vlan["addresses"]) == (RAIL0, 200, 9000, ["10.2.0.1/24"])
    assert "rail0.100" not in host.kernel["links"], "the native VLAN is untagged"
    host.run(BOND)
    links = host.kernel["links"]
    assert "rail0.200" not in links and links[RAIL0]["master"] == links[RAIL1]["master"] == "bond1"
    assert links["bond1"]["data"]["xmit_hash_policy"] == "layer3+4" and links["bond1.200"]["link"] == "bond1"


def test_a_bond_with_other_parameters_is_made_again_with_its_vlans(host):
    host.run(BOND)
    kernel = host.kernel
    kernel["links"]["bond1"]["data"]["ad_lacp_rate"] = "slow"
    host.kernel = kernel
    found = host.run(BOND)
    assert keys(found) == [("bond1", "lacp_rate")]
    assert host.kernel["links"]["bond1"]["data"]["ad_lacp_rate"] == "fast"
    assert not host.look(BOND).needed


def test_a_bond_of_somebody_else_with_the_same_name_is_not_touched(host):
    kernel = host.kernel
    kernel["links"]["bond1"] = {"mtu": 1500, "up": True, "addresses": [], "kind": "bond", "data": {}}
    kernel["links"]["mgmt0"]["master"] = "bond1"
    host.kernel = kernel
    with pytest.raises(Problem, match="no other interface bond1, found a bond of mgmt0"):
        host.run(BOND)
    assert host.kernel == kernel


# -- names ----------------------------------------------------------------------------------------------------------
def test_renaming_needs_consent_and_then_happens_now(host):
    first = host.run(NICS, networks=NETWORKS, names="model")
    assert [f["actual"] for f in first.findings] == [RAIL0, RAIL1] and "allow_rename" in first.findings[0]["remedy"]
    assert RAIL0 in host.kernel["links"] and not list(host.at("/etc/systemd/network").glob("*.link"))
    host.run(NICS, networks=NETWORKS, names="model", allow_rename=True)
    assert {"rail0", "rail1"} <= set(host.kernel["links"]) and RAIL0 not in host.kernel["links"]
    assert "Name=rail0" in host.at("/etc/systemd/network/10-lossless-rail0.link").read_text()
    assert host.at("/proc/sys/net/ipv4/conf/rail0/arp_ignore").read_text() == "1"
    again = host.run(NICS, networks=NETWORKS, names="model")
    assert not again.needed and not again.findings


def test_a_rename_that_is_not_confirmed_is_taken_back(host):
    before = normal(host.kernel)
    found = host.look(NICS, networks=NETWORKS, names="model", allow_rename=True)
    assert apply.carry_out(found)
    host.fire()
    assert set(host.kernel["links"]) == {"mgmt0", RAIL0, RAIL1}
    assert host.files() == {} and normal(host.kernel)["rules"] == before["rules"]


# -- files of somebody else -----------------------------------------------------------------------------------------
FOREIGN = {
    "by name": ("/etc/systemd/network/50-mine.network", f"[Match]\nName={RAIL0}\n[Network]\nDHCP=yes\n", True),
    "earlier, by pattern": ("/etc/systemd/network/05-all.network", "[Match]\nName=ens1*\n[Network]\nDHCP=yes\n", True),
    "by path": ("/etc/systemd/network/50-p.network", "[Match]\nPath=pci-0000:01:00.0\n[Network]\nDHCP=yes\n", True),
    "by MAC": ("/etc/systemd/network/50-m.network", "[Match]\nMACAddress=02:00:00:00:01:01\n", True),
    "also management": ("/etc/systemd/network/05-all.network", f"[Match]\nName={RAIL0} mgmt0\n", False),
    "netplan": ("/etc/netplan/50-cloud.yaml", f"network: {{ethernets: {{{RAIL0}: {{dhcp4: true}}}}}}\n", True),
    "netplan, also others": (
        "/etc/netplan/50-cloud.yaml",
        f"network: {{ethernets: {{{RAIL0}: {{dhcp4: true}}, mgmt0: {{dhcp4: true}}}}}}\n",
        False,
    ),
    "netplan by match": (
        "/etc/netplan/50-cloud.yaml",
        "network: {ethernets: {x: {match: {macaddress: '02:00:00:00:01:01'}, dhcp4: true}}}\n",
        True,
    ),
    "ifupdown": ("/etc/network/interfaces.d/rail", f"auto {RAIL0}\niface {RAIL0} inet dhcp\n", True),
    "the one file of ifupdown": ("/etc/network/interfaces", f"iface {RAIL0} inet dhcp\n", False),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_of_somebody_else_for_a_nic_is_refused_and_named(host, name):
    path, text, movable = FOREIGN[name]
    host.put(path, text)
    before = host.kernel
    with pytest.raises(Problem) as error:
        host.run(NICS, networks=NETWORKS, manager="networkd")
    assert f"{path} for {RAIL0}" in str(error.value)
    assert ("host_network_take_over" in str(error.value)) == movable
    assert host.kernel == before and host.files() == {path.lstrip("/"): text}
    if not movable:
        with pytest.raises(Problem):
            host.run(NICS, networks=NETWORKS, manager="networkd", take_over=True)
        assert host.files() == {path.lstrip("/"): text}
        return
    host.run(NICS, networks=NETWORKS, manager="networkd", take_over=True)
    folder, _, name = path.rpartition("/")
    assert host.at(f"{folder}/.{name}.before-lossless").read_text() == text and not host.at(path).exists()
    assert not host.look(NICS, networks=NETWORKS, manager="networkd").needed


NM_MADE = "autoconnect-priority=-999\n\n[.nmmeta]\nnm-generated=true\n"
HARMLESS = {
    "later, by pattern": ("/etc/systemd/network/99-all.network", "[Match]\nName=*\n[Network]\nDHCP=yes\n"),
    "another": ("/etc/systemd/network/05-m.network", "[Match]\nName=mgmt0\n[Network]\nDHCP=yes\n"),
    "not this": ("/etc/systemd/network/05-m.network", "[Match]\nName=!ens*\n[Network]\nDHCP=yes\n"),
    "another driver": ("/etc/systemd/network/05-m.network", "[Match]\nDriver=virtio_net\n[Network]\nDHCP=yes\n"),
    "wireless": ("/etc/systemd/network/05-m.network", "[Match]\nType=wlan\n[Network]\nDHCP=yes\n"),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_a_file_for_others_is_left_alone(host, name):
    path, text = HARMLESS[name]
    host.put(path, text)
    host.run(NICS, networks=NETWORKS)
    assert host.at(path).read_text() == text and host.kernel["links"][RAIL0]["mtu"] == 9000


def test_a_profile_of_somebody_is_refused_and_one_that_networkmanager_made_itself_is_not(host):
    text = f"[connection]\nid=x\ntype=ethernet\ninterface-name={RAIL0}\n"
    host.put("/run/NetworkManager/system-connections/Wired connection 1.nmconnection", text + NM_MADE)
    found = host.look(NICS, networks=NETWORKS, manager="NetworkManager", apply=False)
    assert not found.findings and not any(entry["path"].startswith("/run") for entry in found.files)
    host.put("/etc/NetworkManager/system-connections/mine.nmconnection", text)
    with pytest.raises(Problem, match=f"mine.nmconnection for {RAIL0}"):
        host.look(NICS, networks=NETWORKS, manager="NetworkManager", apply=False)
    host.run(NICS, networks=NETWORKS, manager="NetworkManager", apply=False, take_over=True)
    profiles = sorted(place.name for place in host.at("/etc/NetworkManager/system-connections").iterdir())
    # NetworkManager reads every file that is not hidden.
    assert profiles == [
        ".mine.nmconnection.before-lossless", "lossless-rail0.nmconnection", "lossless-rail1.nmconnection"
    ]  # fmt: skip
    assert not host.look(NICS, networks=NETWORKS, manager="NetworkManager", apply=False, take_over=True).needed


# -- the way to the host --------------------------------------------------------------------------------------------
def test_a_nic_with_the_default_route_is_refused_unless_named(host):
    host.tool("ip", "route", "replace", "0.0.0.0/0", "via", "10.1.0.1", "dev", RAIL0, "metric", "9", "table", "254")
    with pytest.raises(Problem, match=f"{RAIL0} not to be touched.*host_network_management"):
        host.run(NICS, networks=NETWORKS)
    assert not host.at("/etc/systemd").exists()
    host.run(NICS, networks=NETWORKS, management=["rail0"])
    assert host.kernel["links"][RAIL0]["mtu"] == 9000


def test_a_nic_that_carries_the_session_is_refused(host, monkeypatch):
    monkeypatch.setenv("SSH_CONNECTION", "198.51.100.7 50000 203.0.113.5 22")
    host.tool("ip", "address", "replace", "203.0.113.5/24", "dev", RAIL1)
    with pytest.raises(Problem, match=f"{RAIL1} not to be touched"):
        host.run(NICS, networks=NETWORKS)


def test_a_nic_under_the_bond_with_the_default_route_is_refused(host):
    kernel = host.kernel
    kernel["links"]["bond9"] = {"mtu": 1500, "up": True, "addresses": [], "kind": "bond", "data": {}}
    kernel["links"][RAIL0]["master"] = "bond9"
    kernel["routes"][0]["dev"] = "bond9"
    host.kernel = kernel
    with pytest.raises(Problem, match=f"{RAIL0} not to be touched"):
        host.run(NICS, networks=NETWORKS)


# -- trial ----------------------------------------------------------------------------------------------------------
def test_a_change_is_on_trial_until_confirmed(host):
    found = host.look(NICS, networks=NETWORKS)
    assert apply.carry_out(found)
    assert "--on-active=120" in host.timer["options"] and "--unit=lossless-host-network-revert" in host.timer["options"]
    assert revert.confirm(host.system)
    assert host.timer is None and not host.at("/var/lib/lossless-fabric").exists()
    assert not revert.confirm(host.system), "nothing is on trial any more"
    assert host.kernel["links"][RAIL0]["mtu"] == 9000


@pytest.mark.parametrize("start", [[], NICS, TRUNK], ids=["virgin", "dual", "trunk"])
@pytest.mark.parametrize("goal", [NICS, TRUNK, BOND, []], ids=["dual", "trunk", "bond", "none"])
def test_what_is_not_confirmed_is_undone(host, start, goal):
    host.tool("ip", "address", "replace", "10.5.5.5/24", "dev", RAIL1) if not start else None
    host.run(start, networks=NETWORKS)
    files, kernel = host.files() if host.at("/etc").exists() else {}, normal(host.kernel)
    found = host.look(goal, networks=NETWORKS[:1])
    if not found.needed:
        return
    assert apply.carry_out(found)
    host.fire()
    assert host.files() == files
    assert normal(host.kernel) == kernel
    with pytest.raises(Problem, match="the change was undone"):
        revert.confirm(host.system)
    assert not host.at("/var/lib/lossless-fabric").exists()


@pytest.mark.parametrize("command", ["networkctl reload", "ip link set ens1f0np0 name"])
def test_a_command_that_fails_undoes_everything_at_once(host, command):
    before = normal(host.kernel)
    host.breaks(command)
    with pytest.raises(Problem, match="everything is as it was before"):
        host.run(NICS, networks=NETWORKS, names="model", allow_rename=True)
    assert host.files() == {} and host.timer is None
    after = normal(host.kernel)
    assert after["rules"] == before["rules"] and after["routes"] == before["routes"]


def test_a_kernel_that_does_not_follow_undoes_everything_and_says_what_is_missing(host):
    host.breaks("networkctl reconfigure", "networkctl reload x")
    kernel = host.kernel
    kernel["loaded"] = {}
    host.kernel = kernel
    host.at("/etc/systemd/network").mkdir(parents=True)
    (host.bin / "networkctl").unlink()
    (host.bin / "networkctl").symlink_to("/bin/true")
    with pytest.raises(Problem) as error:
        host.run(NICS, networks=NETWORKS)
    assert "ens1f0np0: mtu: expected 9000, found 1500" in str(error.value)
    assert "everything is as it was before" in str(error.value) and host.files() == {}


def test_a_timer_that_cannot_be_armed_changes_nothing(host):
    host.breaks("systemd-run")
    before = host.kernel
    with pytest.raises(Problem, match="a timer of systemd"):
        host.run(NICS, networks=NETWORKS)
    assert host.kernel == before and not host.at("/etc").exists() and not host.at("/var/lib/lossless-fabric").exists()


# -- managers -------------------------------------------------------------------------------------------------------
def test_netplan_is_found_and_used(host):
    host.put("/etc/netplan/01-base.yaml", "network: {version: 2, ethernets: {mgmt0: {dhcp4: true}}}\n")
    host.at("/etc/netplan/01-base.yaml").chmod(0o600)
    found = host.run(NICS, networks=NETWORKS)
    assert found.manager.name == "netplan" and host.at(netplan.PATH).stat().st_mode & 0o777 == 0o600
    assert host.kernel["links"][RAIL0]["addresses"] == ["10.100.0.1/28"]
    assert not host.look(NICS, networks=NETWORKS).needed
    host.at(netplan.PATH).chmod(0o644)
    assert [one["path"] for one in host.look(NICS, networks=NETWORKS).files] == [netplan.PATH]


def test_a_change_of_manager_takes_the_files_of_the_old_one_away(host):
    host.run(NICS, networks=NETWORKS)
    host.put("/etc/netplan/01-base.yaml", "network: {version: 2}\n")
    host.at("/etc/netplan/01-base.yaml").chmod(0o600)
    host.run(NICS, networks=NETWORKS)
    assert not host.at(NETWORK0).exists() and host.at(netplan.PATH).exists()
    assert host.kernel["links"][RAIL0]["addresses"] == ["10.100.0.1/28"]


@pytest.mark.parametrize("active", [[], ["systemd-networkd.service", "NetworkManager.service"]])
def test_no_manager_and_two_managers_have_to_be_chosen(host, active):
    host.kernel = {**host.kernel, "active": active}
    with pytest.raises(Problem, match=r"one manager of the network.*host_network_manager"):
        host.look(NICS)


def test_netplan_with_network_manager_gives_profiles(host):
    host.put("/etc/netplan/01-base.yaml", "network: {version: 2, renderer: NetworkManager}\n")
    host.at("/etc/netplan/01-base.yaml").chmod(0o600)
    found = host.look(NICS, networks=NETWORKS, apply=False)
    assert found.manager.name == "NetworkManager"
    with pytest.raises(Problem, match="set host_network_manager to NetworkManager"):
        host.look(NICS, networks=NETWORKS, manager="netplan")


def test_an_image_gets_files_only(host):
    host.calls()
    host.run(NICS, networks=NETWORKS, apply=False, manager="networkd")
    assert host.calls() == [] and host.at(NETWORK0).exists() and host.at(sysctl.PATH).exists()
    assert host.at(change.STATE).exists() and not host.look(NICS, networks=NETWORKS, apply=False).needed


def test_a_nic_that_is_not_there_is_named(host):
    with pytest.raises(Problem, match=r"a network interface of 0000:09:00.0 \(rail0\), found none"):
        host.look([{**NICS[0], "device": "0000:09:00.0"}])
