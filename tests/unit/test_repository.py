# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Promises of the repository's layout that are easy to break without noticing."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FARM = ROOT / "collections" / "ansible_collections" / "lossless" / "fabric"
ROLES = sorted(p.name for p in (ROOT / "roles").iterdir() if p.is_dir())
ACTIONS = sorted(p.stem for p in (ROOT / "plugins" / "action").glob("*.py") if p.stem != "__init__")


def test_the_collection_resolves_through_links_that_cannot_loop():
    assert sorted(p.name for p in FARM.iterdir()) == ["galaxy.yml", "meta", "playbooks", "plugins", "roles"]
    for link in FARM.iterdir():
        assert link.is_symlink()
        assert link.resolve() == ROOT / link.name


@pytest.mark.parametrize("role", ROLES)
def test_defaults_and_argument_specs_name_the_same_variables(role):
    specs = yaml.safe_load((ROOT / "roles" / role / "meta" / "argument_specs.yml").read_text())["argument_specs"]
    defaults = yaml.safe_load((ROOT / "roles" / role / "defaults" / "main.yml").read_text()) or {}
    specified: dict[str, object] = {}
    for entry in specs.values():
        for name, option in entry["options"].items():
            assert option.get("description"), f"{role}: {name} has no description"
            if "default" in option:
                assert specified.setdefault(name, option["default"]) == option["default"], f"{role}: {name} differs"
    assert specified == defaults


@pytest.mark.parametrize("action", ACTIONS)
def test_action_options_are_those_of_the_documentation(action):
    """The module of an action plugin is documentation only; both describe the same options."""
    module = importlib.import_module(f"ansible_collections.lossless.fabric.plugins.modules.{action}")
    plugin = importlib.import_module(f"ansible_collections.lossless.fabric.plugins.action.{action}")
    documented = yaml.safe_load(module.DOCUMENTATION)["options"]
    for option in documented.values():
        option.pop("description", None)
    assert documented == plugin.ActionModule.OPTIONS


def test_every_python_file_names_its_licence():
    files = [p for folder in ("plugins", "lab", "tests") for p in (ROOT / folder).rglob("*.py") if p.stat().st_size]
    missing = [str(p.relative_to(ROOT)) for p in files if "GNU General Public License v3.0+" not in p.read_text()[:400]]
    assert [p for p in missing if not p.endswith("__init__.py")] == []
