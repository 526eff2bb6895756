# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every malformed intent gives exactly the one line that its first comment promises."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import pytest
import yaml

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.document import Document
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.load import validate
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import IntentError
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import PlanError
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.plan import plan
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.site import plan_site

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
VALID = (HERE / "valid.yml").read_text()
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
FILES = sorted((HERE / "malformed").glob("*.yml"))


def expected_line(file: Path) -> str:
    return file.read_text().split("\n", 1)[0].removeprefix("# expect: ")


def attempt(text: str) -> list[str]:
    """Lines about a text; anything but our own errors is a failure of the test."""
    try:
        plan(validate(Document(text, "fabric.yml")).fabric)
    except IntentError as error:
        return [str(p) for p in error.problems]
    except PlanError as error:
        return [text for _, text in error.problems]
    return []


def test_there_are_enough():
    assert len(FILES) >= 40
    assert plan_site(str(HERE / "valid.yml")).fabric == "test"


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_one_clear_line(file: Path):
    with pytest.raises(IntentError) as caught:
        plan_site(str(file))
    assert str(caught.value) == f"{file.relative_to(Path.cwd())}:{expected_line(file)}"
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["yaml-duplicate-key", "yaml-vault", "secret-password", "schema-mtu-text", "fabric-port-twice"]
)
def test_ansible_inventory_says_the_same_and_fails(name: str, tmp_path: Path):
    file = HERE / "malformed" / f"{name}.yml"
    site = tmp_path / "fabric.yml"
    shutil.copy(file, site)
    run = subprocess.run(
        [Path(sys.executable).parent / "ansible-inventory", "-i", site, "--list"],
        cwd=ROOT,
        env={**os.environ, "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "1", "ANSIBLE_NOCOLOR": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lines = run.stderr.splitlines()
    assert run.returncode != 0
    assert lines.count(f"{site}:{expected_line(file)}") == 1
    assert "Traceback" not in run.stderr + run.stdout
    assert "hunter2" not in run.stderr + run.stdout
    assert "leaf01" not in run.stdout
    assert [p.name for p in tmp_path.iterdir()] == ["fabric.yml"]


def test_all_problems_of_a_file_at_once():
    text = VALID.replace("dscp: 26", "dscp: 99").replace("role: spine", "role: core").replace("pair: r1}", "pear: r1}")
    text = text.replace("speed: 400G", "speed: 400G\n  lldp: {enabled: on}")
    assert len(attempt(text)) == 4


def test_all_problems_of_a_fabric_at_once():
    text = VALID.replace("b: spine01:Ethernet1/2", "b: spine09:Ethernet1/2").replace("gpu02:rail0", "gpu02:rail7")
    text = text.replace("address: 192.0.2.12", "address: 192.0.2.11").replace("{vlan: 100}", "{vlan: 101}")
    assert len(attempt(text)) == 4


def test_a_file_cut_anywhere_never_gives_a_traceback():
    for end in range(len(VALID)):
        attempt(VALID[:end])


def test_any_value_of_another_kind_never_gives_a_traceback():
    """Replace every node of the file by values of every kind."""
    data = yaml.safe_load(VALID)
    paths: list[tuple] = []

    def walk(value: object, path: tuple) -> None:
        paths.append(path)
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, child in items:
            walk(child, (*path, key))

    walk(data, ())
    for path in paths[1:]:
        for strange in (None, True, -1, 10**30, 1.5, "", "x" * 5000, "a..b", "é\n", [], [[]], {}, {"x": {}}, {1: 2}):
            copy = deepcopy(data)
            here = copy
            for step in path[:-1]:
                here = here[step]
            here[path[-1]] = strange
            for line in attempt(yaml.dump(copy, Dumper=DUMPER, allow_unicode=True)):
                assert "\n" not in line
                assert len(line) < 400


def test_random_damage_never_gives_a_traceback():
    rng = random.Random(1)
    pieces = ["{", "}", "[", "]", ":", ",", "'", '"', "#", "|", ">", "?", "é", "0", "\x00"]
    pieces += [": ", "- ", "\n", "  ", "&a ", "*a", "!!str ", "<<: ", "? ", "| "]
    for _ in range(1500):
        text = VALID
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice(pieces) + text[at + rng.randint(0, 2) :]
        attempt(text)


def test_alias_bomb_and_recursion_are_cheap():
    names = "abcdefghijklmnopqrstuvwxyz"
    bomb = "a: &a [x, x]\n" + "".join(f"{c}: &{c} [*{p}, *{p}]\n" for p, c in itertools.pairwise(names))
    assert attempt(VALID + bomb)
    assert attempt(VALID + "loop: &loop [*loop]\n")
    assert attempt("plugin: " + "[" * 500 + "]" * 500)
    assert attempt("plugin: " + "[" * 100000)
