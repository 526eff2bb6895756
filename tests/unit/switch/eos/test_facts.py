# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One reader per show command against raw/parsed pairs (fixtures/<command>/*.raw and *.yml), then the whole batch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.eos import facts as eos
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import Unreadable
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import Facts
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import Target
from tests.underlay import with_underlay

FIXTURES = Path(__file__).parent / "fixtures"
READERS = dict((*eos.JSON, *eos.UNDERLAY, *eos.BONDS, *eos.PAIR, *eos.TEXT, *eos.QUEUES.values()))
TEXT = {reader for _, reader in eos.TEXT}


def folder(command: str) -> Path:
    """Where the fixtures of a command are."""
    return FIXTURES / command.replace(" ", "_").replace("-", "_")


def known(value: Any) -> Any:
    """What was learned: without None and empty parts."""
    if isinstance(value, dict):
        pruned = {k: known(v) for k, v in value.items()}
        return {k: v for k, v in pruned.items() if v not in (None, "", [], {})}
    return [known(v) for v in value] if isinstance(value, list) else value


PAIRS = [(command, raw) for command in READERS for raw in sorted(folder(command).glob("*.raw"))]


@pytest.mark.parametrize(("command", "raw"), PAIRS, ids=[f"{c}-{r.stem}" for c, r in PAIRS])
def test_reader(command, raw):
    reader, text = READERS[command], raw.read_text()
    facts = Facts(hostname="", platform="", release="")
    if reader in TEXT:
        reader(facts, text)
    elif text.lstrip().startswith("{"):
        reader(facts, json.loads(text))
    else:
        eos.TEXT_INSTEAD[reader](facts, text)
    assert known(facts.as_dict()) == known(yaml.safe_load(raw.with_suffix(".yml").read_text()))


def test_every_command_has_a_pair():
    assert {command for command, _ in PAIRS} == set(READERS)


class Terminal:
    """A session that answers from a table; what is not in it is an unknown command."""

    target = Target(name="leaf01", host="192.0.2.11")

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def send(self, command: str, *, timeout: float | None = None, check: bool = True) -> str:
        self.asked.append(command)
        return self.answers.get(command, "% Invalid input")


def answers(queues: str) -> dict[str, str]:
    """A switch that knows every command, but the other family's queue counters."""
    table = {}
    for command, reader in READERS.items():
        if command.startswith("show interfaces counters queue") and not command.endswith(queues):
            continue
        pairs = [raw for c, raw in PAIRS if c == command]
        raw = next((r for r in pairs if r.stem == "leaf"), pairs[0])
        table[command if reader in TEXT else f"{command} | json"] = raw.read_text()
    return table


def test_batch(example, switch):
    model = switch(example)
    terminal = Terminal(answers("detail"))
    facts = eos.gather(terminal, model)
    assert (facts.hostname, facts.platform, facts.release) == ("leaf01", "eos", "4.32.2F")
    port = facts.ports["Ethernet1/1"]
    assert (port.mode, port.vlan, port.speed, port.mtu, port.trust) == ("access", 100, 400000, 9214, "dscp")
    assert (port.pfc.enabled, port.pfc.priorities, port.pfc.rx_total) == (True, (3,), 12)
    assert (port.queues[3].drops, port.queues[3].ecn_marked) == (5, 4711)
    assert (port.watchdog[3].detected, port.watchdog[3].restored) == (2, 1)
    # PFC is on and the watchdog names no event: none happened.
    assert facts.ports["Ethernet2/1"].watchdog[3].detected == 0
    assert facts.dscp_to_priority[26] == 5
    assert not [name for name in facts.ports if not name.startswith("Ethernet")]
    assert len(terminal.asked) == len(set(terminal.asked)) == len(eos.JSON) + len(eos.TEXT) + 1
    json.dumps(facts.as_dict())


def test_routing_is_asked_for_when_the_model_has_it(example, switch):
    terminal = Terminal(answers("detail"))
    facts = eos.gather(terminal, switch(with_underlay(example)))
    assert facts.bgp["Ethernet50/1"].established
    assert facts.paths == {"10.0.0.12/32": 2, "10.10.7.0/24": 1}
    assert facts.bonds[10].members == {"Ethernet1/1": True, "Ethernet2/1": False}
    assert (facts.pair.primary, facts.pair.bonds) == (False, {10: True, 11: False})
    assert len(terminal.asked) == len(READERS) - 1  # the other family's queue counters are not asked for
    json.dumps(facts.as_dict())


def test_commands_that_a_switch_does_not_have_leave_none(example, switch):
    have = {c: a for c, a in answers("detail").items() if c in ("show version | json", "show interfaces | json")}
    facts = eos.gather(Terminal(have), switch(example))
    port = facts.ports["Ethernet1/1"]
    assert (port.mtu, port.pfc.enabled, port.trust, port.queues, port.watchdog) == (9214, None, None, {}, {})
    assert (facts.hostname, facts.dscp_to_priority) == ("leaf01", {})


def test_text_where_there_is_no_json(example, switch):
    table = answers("detail")
    del table["show priority-flow-control counters | json"]
    table["show priority-flow-control counters"] = (
        folder("show priority-flow-control counters") / "text.raw"
    ).read_text()
    facts = eos.gather(Terminal(table), switch(example))
    assert facts.ports["Ethernet1/1"].pfc.rx_total == 12


def test_voq_switches_are_asked_for_their_queues(example, switch):
    terminal = Terminal(answers("drops"))
    facts = eos.gather(terminal, switch(example | {"asic": "jericho2"}))
    assert facts.ports["Ethernet3/1/1"].queues[3].drops == 8
    assert "show interfaces counters queue detail | json" not in terminal.asked


def test_what_must_be_there(example, switch):
    with pytest.raises(Unreadable, match="'show interfaces' did not answer with JSON but with 'an error'"):
        eos.gather(Terminal({"show version | json": "{}"}), switch(example))
