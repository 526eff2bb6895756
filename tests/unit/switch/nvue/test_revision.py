# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof before an apply: what ``nv config diff`` reports against what was planned; what is said otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import Busy, Mismatch, Refused
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.driver import NvueChange, NvueDriver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.revision import Revisions, apply_report
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.nvue.tree import nest, read_config

GOLDEN = Path(__file__).parents[3] / "golden" / "nvue"
RUNNING = """\
- set:
    interface:
      swp1: {type: swp, link: {mtu: 1500, state: {up: {}}}, qos: {link-pause: {profile: p}}}
    system: {snmp-server: {readonly-community: {s3cret: {access: {any: {}}}}}}
"""


class Script:
    """A session that answers from a table."""

    target = SimpleNamespace(where="leaf01 (192.0.2.1:22)", timeout=1.0)

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers = answers
        self.sent: list[str] = []

    def send(self, command: str, *, timeout: float | None = None, check: bool = True) -> str:
        self.sent.append(command)
        answer = next((a for start, a in self.answers.items() if command.startswith(start)), "")
        if check and answer.startswith("Error"):
            raise Refused(f"{self.target.where}: {command!r} was refused: {answer}", command, answer)
        return answer


def driver() -> NvueDriver:
    data = yaml.safe_load((GOLDEN / "model.yml").read_text())["switch"]
    return NvueDriver(Switch.model_validate(data, strict=False))


def change(d: NvueDriver) -> NvueChange:
    """MTU set, link pause removed."""
    running = d.parse(RUNNING)
    intended = d.owned(running) | {("interface", "swp1", "link", "mtu"): "9000"}
    del intended["interface", "swp1", "qos", "link-pause", "profile"]
    return d.plan(running, intended)


def prove(report: Any) -> Script:
    d = driver()
    session = Script({"nv config diff": json.dumps(report)})
    Revisions()._prove(session, "7", change(d), d.ownership)
    return session


SET = {"set": {"interface": {"swp1": {"link": {"mtu": 9000}}}}}


@pytest.mark.parametrize(
    "report",
    [
        [{"unset": {"interface": {"swp1": {"qos": None}}}}, SET],
        [{"unset": {"interface": {"swp1": {"qos": {"link-pause": None}}}}}, SET],
        [{"unset": {"interface": {"swp1": {"qos": {"link-pause": {"profile": {}}}}}}}, SET],
        [SET, {"unset": {"interface": {"swp1": {"qos": {"link-pause": {"profile": "p"}}}}}}],
        {"unset": {"interface": {"swp1": {"qos": None}}}, "set": {"interface": {"swp1": {"link": {"mtu": "9000"}}}}},
    ],
)
def test_however_the_switch_reports_the_planned_change(report: Any) -> None:
    assert prove(report).sent == ["nv config diff applied 7 -o json"]


@pytest.mark.parametrize(
    ("report", "expected", "found"),
    [
        ([SET], "expected nothing more", "found in addition interface swp1 qos link-pause profile"),
        (
            [{"unset": {"interface": {"swp1": {"qos": None}}}}],
            "expected interface swp1 link mtu",
            "found in addition nothing",
        ),
        (
            [
                {"unset": {"interface": {"swp1": {"qos": None}}}},
                SET,
                {"set": {"system": {"aaa": {"user": {"eve": {"hashed-password": "$6$x"}}}}}},
            ],
            "expected nothing more",
            "found in addition system aaa",
        ),
        (
            [{"unset": {"interface": {"swp1": {"qos": None}}, "system": {"snmp-server": None}}}, SET],
            "expected system snmp-server",
            "found in addition nothing",
        ),
    ],
)
def test_anything_else_stops_it_without_a_secret(report: Any, expected: str, found: str) -> None:
    with pytest.raises(Mismatch) as caught:
        prove(report)
    message = str(caught.value)
    assert "leaf01 (192.0.2.1:22): the pending revision 7 is not the planned change" in message
    assert expected in message
    assert found in message
    for secret in ("s3cret", "$6$x", "eve"):
        assert secret not in message


def test_what_the_switch_adds_by_itself_is_no_surprise() -> None:
    prove(
        [
            {"unset": {"interface": {"swp1": {"qos": None}}}},
            SET,
            {"set": {"bridge": {"domain": {"br_default": {"type": "vlan-aware"}}}}},
        ]
    )


def test_setting_one_member_of_a_choice_replaces_the_other() -> None:
    d = driver()
    running = dict(change(d).running)
    after = apply_report([{"set": {"interface": {"swp1": {"link": {"state": {"down": {}}}}}}}], running, d.ownership)
    assert nest(after)["interface"]["swp1"]["link"]["state"] == {"down": {}}


def test_nothing_is_applied_without_a_revision_of_our_own() -> None:
    d = driver()
    session = Script({"mktemp": "/tmp/lossless-1.abcdefgh", "nv config attach": "Not possible"})
    with pytest.raises(Refused, match=r"expected a new revision .* found 'Not possible'"):
        Revisions().apply(session, change(d), "lossless-1", 60, d.ownership)
    assert not any("patch" in command or "apply" in command.split("applied")[0] for command in session.sent)


@pytest.mark.parametrize("text", ["Error: another user holds the lock", "Error: too many revisions"])
def test_busy_is_not_refused(text: str) -> None:
    d = driver()
    session = Script({"mktemp": "/tmp/lossless-1.abcdefgh", "nv config attach": text})
    with pytest.raises(Busy, match="run again later"):
        Revisions().apply(session, change(d), "lossless-1", 60, d.ownership)


def test_a_revision_that_fails_to_apply() -> None:
    """The switch says nothing wrong and yet the revision is not in force."""
    d = driver()
    session = Script(
        {
            "mktemp": "/tmp/lossless-1.abcdefgh",
            "nv config attach": "attached [rev_id: 7]",
            "nv config diff": json.dumps([{"unset": {"interface": {"swp1": {"qos": None}}}}, SET]),
            "nv config revision": json.dumps({"7": {"state": "ays_fail"}, "applied": {"state": "applied"}}),
        }
    )
    with pytest.raises(Refused, match="revision 7 was not applied: expected state confirm, found ays_fail"):
        Revisions().apply(session, change(d), "lossless-1", 60, d.ownership)
    uploads = [command for command in session.sent if command.startswith("cat >")]
    trees = [yaml.safe_load(upload.split("\n", 1)[1].removesuffix("END-OF-PATCH")) for upload in uploads]
    assert trees == [
        [{"unset": {"interface": {"swp1": {"qos": None}}}}],
        [{"set": {"interface": {"swp1": {"link": {"mtu": 9000}}}}}],
    ]
    assert all("# revision 7\n" in upload for upload in uploads)


def test_secrets_stay_in_the_configuration() -> None:
    d = driver()
    assert "s3cret" in str(read_config(RUNNING, "x"))
    assert "s3cret" not in d.dump(d.owned(d.parse(RUNNING))) + repr(change(d))
