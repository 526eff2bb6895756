# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan as files, on the lab site."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.site import plan_site
from ansible_collections.lossless.fabric.plugins.plugin_utils.report import data, picture
from ansible_collections.lossless.fabric.plugins.plugin_utils.report.plan import files

LAB = Path(__file__).parents[3] / "inventories" / "lab" / "fabric.yml"


@pytest.fixture(scope="module")
def plan():
    return plan_site(str(LAB))


def test_every_cable_is_listed_once_and_agrees_with_both_ends(plan):
    rows = data.cables(plan)
    ends = [(c.a_device, c.a_port) for c in rows] + [(c.b_device, c.b_port) for c in rows]
    assert len(ends) == len(set(ends))
    cabled = {(n, p.name) for n, s in plan.switches.items() for p in s.ports if p.peer and p.peer.port}
    cabled |= {(n, nic.name) for n, h in plan.hosts.items() for nic in h.nics if nic.peer}
    assert set(ends) == cabled
    for cable in rows:
        assert cable.a_device in plan.hosts or plan.switches[cable.a_device].role == "leaf"
        port = next(p for p in plan.switches[cable.b_device].ports if p.name == cable.b_port)
        assert (port.peer.device, port.peer.port) == (cable.a_device, cable.a_port)
        assert cable.length == port.cable_length


def test_the_bill_counts_what_the_plan_has(plan):
    bill = data.bill(plan)
    assert sum(i.count for i in bill if i.what.startswith("switch ")) == len(plan.switches)
    assert sum(i.count for i in bill if i.what.startswith("host ")) == len(plan.hosts)
    assert sum(i.count for i in bill if i.what.startswith("cable ")) == len(data.cables(plan))


def test_files_are_the_same_each_time_and_readable_by_machines(plan):
    made = files(plan)
    assert made == files(plan_site(str(LAB)))
    rows = list(csv.DictReader(io.StringIO(made["cabling.csv"])))
    assert len(rows) == len(data.cables(plan))
    assert {"a_device", "a_port", "b_device", "b_port", "length", "label"} <= set(rows[0])
    topology = yaml.safe_load(made["topology.clab.yml"])["topology"]
    assert set(topology["nodes"]) == set(plan.switches) | set(plan.hosts)
    for link in topology["links"]:
        for end in link["endpoints"]:
            assert end.split(":")[0] in topology["nodes"]


def test_the_page_holds_everything_it_needs(plan):
    page = files(plan)["plan.html"]
    assert not re.search(r'(?:src|href)="(?!#)', page), "the page must load nothing"
    tables = json.loads(re.search(r'<script id="tables" type="application/json">(.*?)</script>', page, re.S)[1])
    assert len(tables["cables"]["rows"]) == len(data.cables(plan))
    assert len(tables["addresses"]["rows"]) == len(data.addresses(plan))


def test_names_cannot_break_the_page(plan):
    port = plan.switches["leaf01"].ports[0]
    odd = port.model_copy(update={"description": "</script><b>&", "address": "10.0.0.1/31", "mode": "routed"})
    leaf = plan.switches["leaf01"].model_copy(update={"ports": (odd, *plan.switches["leaf01"].ports[1:])})
    page = files(replace(plan, switches=plan.switches | {"leaf01": leaf}))["plan.html"]
    assert "</script><b>" not in page


def test_the_picture_draws_every_device_or_its_group(plan):
    root = ET.fromstring(picture.svg(plan))
    names = {t.text for t in root.iter("{http://www.w3.org/2000/svg}text")}
    assert set(plan.switches) <= names
    assert set(plan.hosts) <= names
    lines = list(root.iter("{http://www.w3.org/2000/svg}line"))
    assert len(lines) == len({(c.a_device, c.b_device) for c in data.cables(plan)})


def test_the_report_shows_designs_checks_and_numbers_with_their_origin(plan):
    made = files(plan)
    chosen = [d for d in data.designs(plan) if d.chosen]
    assert len(chosen) == 1
    assert chosen[0].switches == plan.topology.switches
    rows = data.numbers(plan)
    assert {"headroom"} <= {n.name.split()[0] for n in rows}, {n.name for n in rows}
    assert all(n.value and n.formula and n.source for n in rows)
    for finding in plan.findings:
        assert finding.text in made["plan.md"]
