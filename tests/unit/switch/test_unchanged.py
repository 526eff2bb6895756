# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is remembered about a switch counts only as long as nothing, nothing at all, is different."""

from __future__ import annotations

import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.load import load_switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch import unchanged
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.platforms import driver_for
from tests.integration.support import model_data

RUNNING = "!Time: Sun Nov 29 18:00:00 2026\nversion 10.4(3)\nhostname leaf01\nusername admin password 5 $5$secret\n"


def driver(platform="nxos", release="10.4(3)", **changes):
    made = driver_for(load_switch(model_data(platform) | changes, "test"))
    made.running_release = release
    return made


@pytest.fixture
def folder(tmp_path):
    """The memory of a run that found the switch as intended."""
    (tmp_path / "templates" / "nxos").mkdir(parents=True)
    (tmp_path / "templates" / "nxos" / "ecmp.j2").write_text("")
    memory(tmp_path).remember(RUNNING)
    return tmp_path


def memory(folder, made=None):
    return unchanged.Unchanged(folder / "memory", made or driver(), [str(folder / "templates")])


def test_the_same_is_known(folder):
    assert memory(folder).knows(RUNNING)


def test_the_clock_of_the_switch_does_not_matter(folder):
    assert memory(folder).knows(RUNNING.replace("18:00:00", "18:07:21"))


@pytest.mark.parametrize("at", range(RUNNING.index("\n") + 1, len(RUNNING)))
def test_one_other_character_is_unknown(folder, at):
    assert not memory(folder).knows(RUNNING[:at] + "~" + RUNNING[at + 1 :])


def test_another_model_is_unknown(folder):
    ports = model_data("nxos")["ports"]
    ports[0]["description"] = "moved"
    assert not memory(folder, driver(ports=ports)).knows(RUNNING)


def test_another_release_is_unknown(folder):
    assert not memory(folder, driver(release="10.4(4)")).knows(RUNNING)


def test_another_template_of_the_user_is_unknown(folder):
    (folder / "templates" / "nxos" / "ecmp.j2").write_text("ip load-sharing address\n")
    assert not memory(folder).knows(RUNNING)


def test_other_code_is_unknown(folder, monkeypatch):
    monkeypatch.setattr(unchanged, "own_code", lambda: "another release of the collection")
    assert not memory(folder).knows(RUNNING)


@pytest.mark.parametrize("place", ["PLUGIN_UTILS", "TEMPLATES"])
def test_code_is_every_file_of_the_collection_that_decides(folder, place, monkeypatch):
    monkeypatch.setattr(unchanged, place, folder)
    unchanged.own_code.cache_clear()
    before = unchanged.own_code()
    (folder / "new.py").write_text("x = 1\n")
    unchanged.own_code.cache_clear()
    after = unchanged.own_code()
    unchanged.own_code.cache_clear()
    assert before != after


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"0" * 64])
def test_a_broken_memory_knows_nothing(folder, content):
    (folder / "memory" / driver().model.name).write_bytes(content)
    assert not memory(folder).knows(RUNNING)


def test_without_memory_nothing_is_known(tmp_path):
    assert not unchanged.Unchanged(tmp_path, driver()).knows(RUNNING)


def test_only_a_hash_is_kept_and_only_for_the_user(folder):
    path = folder / "memory" / driver().model.name
    assert len(path.read_text()) == 64
    int(path.read_text(), 16)
    assert path.stat().st_mode & 0o777 == 0o600
