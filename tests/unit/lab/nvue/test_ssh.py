# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real client (netmiko) against the emulated Cumulus Linux behind SSH."""

from __future__ import annotations

import json

import pytest
from netmiko import ConnectHandler, ReadTimeout

from lab.client import ThreadLab
from lab.nvue import yamltext
from lab.nvue.device import NvueDevice
from lab.server import Clock
from tests.unit.lab.nvue.trees import PORTS, leaf


@pytest.fixture(scope="module")
def lab():
    clock = Clock()
    with ThreadLab([NvueDevice("leaf01", PORTS, clock=clock, release="5.16.0")], clock) as running:
        yield running


def connect(lab, kind):
    return ConnectHandler(
        device_type=kind, host="127.0.0.1", port=lab.ports["leaf01"], username="admin", password="admin", fast_cli=True
    )


@pytest.mark.parametrize("kind", ["linux", "cumulus_linux"])
def test_prompt_and_commands(lab, kind):
    with connect(lab, kind) as conn:
        assert conn.find_prompt() == "admin@leaf01:mgmt:~$"
        assert json.loads(conn.send_command("nv show system -o json"))["version"]["product-release"] == "5.16.0"
        assert conn.send_command("nv config show") == lab.running("leaf01")
        assert conn.send_command("net show system; echo rc=$?").splitlines()[-1] == "rc=127"


def test_transaction_over_two_logins(lab):
    tree = leaf(old=False)
    text = yamltext.dump([{"set": tree}])
    before = lab.running("leaf01")
    with connect(lab, "linux") as conn:
        conn.write_channel(f"umask 077; cat > /tmp/x.yaml <<'EOF'\n{text}\nEOF\n")
        conn.read_until_pattern(r"> EOF\r?\n.*\$ $")
        assert conn.send_command("cat /tmp/x.yaml") == text
        assert conn.send_command("stat -c %a /tmp/x.yaml") == "600"
        assert conn.send_command("nv config patch /tmp/x.yaml; echo rc=$?").splitlines()[-1] == "rc=0"
        assert json.loads(conn.send_command("nv config diff -o json"))[-1]["set"]["qos"] == tree["qos"]
        assert "confirm [rev_id: 1]" in conn.send_command("nv config apply -y --confirm 120s")
        conn.send_command("rm -f /tmp/x.yaml")
    assert lab.startup("leaf01") == before != lab.running("leaf01")
    with connect(lab, "linux") as conn:
        assert conn.send_command("nv config apply 1 --confirm-yes") == "applied_and_saved [rev_id: 1]"
    lab.advance(121)
    assert lab.startup("leaf01") == lab.running("leaf01") != before
    assert lab.leftovers("leaf01") == []


def test_nobody_confirms(lab):
    before = lab.running("leaf01")
    with connect(lab, "linux") as conn:
        conn.send_command("nv set interface swp9 description lost")
        assert "confirm [rev_id:" in conn.send_command("nv config apply -y --confirm 60s")
    assert "lost" in lab.running("leaf01")
    lab.advance(61)
    with connect(lab, "linux") as conn:
        assert conn.send_command("nv config show") == before
    assert lab.leftovers("leaf01") == []


def test_cut_in_the_middle_of_apply(lab):
    before = lab.running("leaf01")
    for moment, changed in (("cut-before", False), ("cut-after", True)):
        lab.fault("leaf01", moment, match="config apply")
        conn = connect(lab, "linux")
        conn.send_command("nv set interface swp9 description cut")
        with pytest.raises((EOFError, OSError, ReadTimeout)):
            conn.send_command("nv config apply -y --confirm 60s", read_timeout=2)
        assert (lab.running("leaf01") != before) is changed
        assert len(lab.leftovers("leaf01")) == 1
        lab.advance(61)
        lab.execute("leaf01", "true")  # any login looks at the timers
        assert lab.running("leaf01") == before
        for revision in lab.execute("leaf01", "nv config detach", "nv config revision -o json", user="admin")[1:]:
            for name, entry in json.loads(revision).items():
                if entry["state"] == "detached":
                    lab.execute("leaf01", f"nv config delete {name}")
        assert lab.leftovers("leaf01") == []
