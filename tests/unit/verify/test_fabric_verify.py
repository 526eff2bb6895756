# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""fabric_verify through ansible-playbook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.unit.verify.conftest import Play
from tests.unit.verify.healthy import Site, healthy

VERIFY = {
    "name": "Verify",
    "lossless.fabric.fabric_verify": {"switches": "{{ ansible_play_hosts_all }}", "report": "reports/verify.json"},
    "run_once": True,
    "register": "verdict",
}
HOSTS = {"gpu01": {"host": {"name": "gpu01", "nics": [{"name": f"rail{n}", "mtu": 9000} for n in range(3)]}}}


def variables(site: Site) -> dict[str, Any]:
    """Host variables as the inventory and a task with switch_facts leave them."""
    return {
        name: {"switch": model, "switch_state": {"changed": False, "facts": site.facts[name].as_dict()}}
        for name, model in site.models.items()
    }


def report(tmp_path: Path) -> dict[str, Any]:
    return json.loads((tmp_path / "reports/verify.json").read_text(encoding="utf-8"))


def test_healthy_fabric_passes_and_says_so(play: Play, tmp_path: Path) -> None:
    run = play([VERIFY], variables(healthy()), hosts=HOSTS)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "0 errors, 0 warnings on 3 switches and 13 ports" in run.stdout
    written = report(tmp_path)
    assert written["schema"] == {"name": "lossless.fabric/verify", "version": 1}
    assert written["findings"] == []
    assert written["summary"]["not_checked"] == 0
    assert next(c for c in written["checks"] if c["name"] == "mtu_host")["checked"] == 3
    assert "changed=0" in run.stdout


def test_errors_fail_with_a_table_and_a_stable_file(play: Play, tmp_path: Path) -> None:
    site = healthy()
    site.port("leaf01", "Ethernet49/1").speed = 100000
    site.port("spine01", "swp3").mtu = 1500
    hosts = variables(site)
    unread = [
        {
            "name": "A switch that cannot be read",
            "ansible.builtin.fail": {"msg": "leaf02: 192.0.2.12 port 22: connection refused"},
            "when": "inventory_hostname == 'leaf02'",
            "register": "read",
            "failed_when": False,
        },
        {"name": "Judge what was read", **VERIFY},
    ]
    unread[1]["lossless.fabric.fabric_verify"] = VERIFY["lossless.fabric.fabric_verify"] | {"facts_var": "read"}
    run = play([VERIFY], hosts)
    assert run.returncode == 2, run.stdout + run.stderr
    assert "Ethernet49/1  speed  400G        100G" in run.stdout
    assert "swp3          mtu    9214 bytes  1500 bytes" in run.stdout
    assert "To do: check optics, cable, breakout and auto-negotiation" in " ".join(run.stdout.split())
    first = report(tmp_path)
    assert [(f["device"], f["port"], f["check"]) for f in first["findings"]] == [
        ("leaf01", "Ethernet49/1", "speed"),
        ("spine01", "swp3", "mtu"),
    ]
    play([VERIFY], dict(reversed(hosts.items())))
    second = report(tmp_path)
    assert first.pop("generated") and second.pop("generated")
    assert json.dumps(first) == json.dumps(second)

    run = play(unread, hosts)
    assert run.returncode == 2, run.stdout + run.stderr
    unreachable = {f["device"]: f["actual"] for f in report(tmp_path)["findings"]}
    assert unreachable["leaf02"] == "leaf02: 192.0.2.12 port 22: connection refused"
    assert report(tmp_path)["summary"]["unreachable"] == ["leaf01", "leaf02", "spine01"]


def test_warnings_fail_only_when_asked_to(play: Play) -> None:
    site = healthy()
    site.port("leaf01", "Ethernet1/1").neighbors = ()
    check = [
        VERIFY,
        {
            "name": "Findings are data",
            "ansible.builtin.assert": {"that": ["verdict.findings[0].check == 'lldp_missing'"]},
            "run_once": True,
        },
    ]
    run = play(check, variables(site))
    assert run.returncode == 0, run.stdout + run.stderr
    assert "lldp_missing  gpu01 rail0  no LLDP neighbour" in run.stdout
    strict = {**VERIFY, "lossless.fabric.fabric_verify": {"fail_on": "warning"}}
    assert play([strict], variables(site)).returncode == 2


def test_check_mode_writes_no_file(play: Play, tmp_path: Path) -> None:
    run = play([VERIFY], variables(healthy()), "--check")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "Report: reports/verify.json (not written in check mode)" in run.stdout
    assert not (tmp_path / "reports").exists()


def test_models_may_hold_templates(play: Play, tmp_path: Path) -> None:
    hosts = variables(healthy())
    hosts["leaf01"]["my_mtu"] = 1500
    hosts["leaf01"]["switch"]["ports"][0]["mtu"] = "{{ my_mtu }}"
    hosts["leaf02"]["model"] = hosts["leaf02"].pop("switch")
    hosts["leaf02"]["switch"] = "{{ model }}"
    run = play([VERIFY], hosts)
    assert run.returncode == 2, run.stdout + run.stderr
    assert [(f["check"], f["expected"]) for f in report(tmp_path)["findings"]] == [("mtu", "1500 bytes")]


def test_what_is_wrong_with_the_call_is_said(play: Play) -> None:
    hosts = variables(healthy())
    hosts["leaf01"]["switch"]["role"] = "leave"
    run = play([VERIFY], hosts)
    assert run.returncode == 2
    assert "leaf01: switch.role" in run.stdout + run.stderr and "Traceback" not in run.stdout + run.stderr
    hosts = variables(healthy())
    hosts["leaf01"]["switch_state"]["facts"]["ports"]["Ethernet1/1"]["colour"] = "green"
    run = play([VERIFY], hosts)
    assert run.returncode == 2
    assert "leaf01: expected facts as switch_facts returns them" in run.stdout + run.stderr


WITH_HOSTS = {
    "name": "Verify",
    "lossless.fabric.fabric_verify": {"hosts": ["gpu01"], "report": "reports/verify.json"},
    "run_once": True,
}


def test_hosts_are_held_against_their_switch_ports(play: Play, tmp_path: Path) -> None:
    site = healthy()
    site.port("leaf01", "Ethernet1/1").mtu = 1500
    site.nics["rail2"]["pfc"] = []
    gpu01 = {"host": site.host, "host_state": {"changed": False, "facts": {"schema": 1, "nics": site.nics}}}
    run = play([WITH_HOSTS], variables(site), hosts={"gpu01": gpu01})
    assert run.returncode == 2, run.stdout + run.stderr
    assert "2 errors, 0 warnings on 3 switches and 13 ports, 1 host and 3 NICs" in run.stdout
    written = report(tmp_path)
    assert [(f["device"], f["port"], f["check"]) for f in written["findings"]] == [
        ("gpu01", "rail2", "nic_pfc"),
        ("leaf01", "Ethernet1/1", "mtu"),
    ]
    assert written["findings"][1]["why"].endswith("the far end, gpu01 rail0, has 9000")
    assert (written["summary"]["hosts"], written["summary"]["unreachable_hosts"]) == (1, [])


def test_a_host_that_cannot_be_read_is_a_finding(play: Play, tmp_path: Path) -> None:
    site = healthy()
    for state, words in (
        ({"unreachable": True, "msg": "Failed to connect to the host via ssh"}, "Failed to connect to the host"),
        (None, "no facts were read"),
        ({"facts": {"schema": 1}}, "host_facts returned no NICs"),
    ):
        gpu01 = {"host": site.host} | ({"host_state": state} if state else {})
        run = play([WITH_HOSTS], variables(site), hosts={"gpu01": gpu01})
        assert run.returncode == 2, run.stdout + run.stderr
        (finding,) = report(tmp_path)["findings"]
        assert (finding["check"], finding["device"]) == ("host_unreachable", "gpu01")
        assert words in finding["actual"]
