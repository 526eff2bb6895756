# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The committed reference pages are those of the code, and every field is described."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent import docs
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.host import Host
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent


@pytest.mark.parametrize("path", docs.pages(), ids=lambda p: p.name)
def test_pages_are_current(path: Path):
    assert path.read_text() == docs.pages()[path], f"{path.name} is stale; run: {docs.COMMAND}"


@pytest.mark.parametrize("root", [Fabric, Switch, Host])
def test_every_field_says_what_it_is(root: type):
    silent = [
        f"{model.__name__}.{name}"
        for model, _ in docs._models(root, "x")
        for name, field in model.model_fields.items()
        if not field.description
    ]
    assert silent == []
    assert all(model.__doc__ for model, _ in docs._models(root, "x"))


@pytest.mark.parametrize("site", ["inventories/lab", "inventories/lab-hosts", "inventories/example"])
def test_editors_accept_what_we_accept(site: str):
    data = json.loads(json.dumps(yaml.safe_load((ROOT / site / "fabric.yml").read_text())))
    jsonschema.Draft202012Validator(docs.schema()).validate(data)


@pytest.mark.parametrize("file", sorted((HERE / "malformed").glob("schema-*.yml")), ids=lambda f: f.stem)
def test_editors_reject_mistakes_of_form(file: Path):
    """What a JSON Schema can express; checks across fields are left to the loader."""
    beyond = {
        "schema-address",
        "schema-subnet-host-bits",
        "schema-mode-fields",
        "schema-dscp-twice",
        "schema-ecn-order",
        "schema-weights",
        "schema-vlan-range",
        "schema-reserved",
    }
    data = json.loads(json.dumps(yaml.safe_load(file.read_text())))
    errors = list(jsonschema.Draft202012Validator(docs.schema()).iter_errors(data))
    assert bool(errors) == (file.stem not in beyond)
