# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Of a known hosts file a session takes the keys of its own switch, and no others."""

from __future__ import annotations

from pathlib import Path

import paramiko
import pytest

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import Unreachable
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import Target, _add_host_keys

KEYS = [paramiko.ECDSAKey.generate() for _ in range(2)]
LINES = [f"{key.get_name()} {key.get_base64()}" for key in KEYS]


def known(tmp_path: Path, text: str, port: int = 22) -> paramiko.HostKeys:
    file = tmp_path / "known_hosts"
    file.write_text(text)
    keys = paramiko.HostKeys()
    _add_host_keys(keys, Target("leaf01", "192.0.2.11", port, known_hosts=str(file)))
    return keys


@pytest.mark.parametrize(("name", "port"), [("192.0.2.11", 22), ("[192.0.2.11]:2201", 2201)])
def test_the_key_of_the_switch_is_found_by_name_and_port(tmp_path, name, port):
    keys = known(tmp_path, f"# comment\n\nother {LINES[1]}\nalias,{name} {LINES[0]}\n", port)
    assert keys.check(name, KEYS[0])
    assert not keys.check(name, KEYS[1])


def test_hashed_names_count(tmp_path):
    hashed = paramiko.HostKeys.hash_host("192.0.2.11")
    assert known(tmp_path, f"{hashed} {LINES[0]}\n").check("192.0.2.11", KEYS[0])


def test_another_switch_is_not_trusted_for_this_one(tmp_path):
    text = f"192.0.2.1 {LINES[0]}\n192.0.2.111 {LINES[0]}\n[192.0.2.11]:2201 {LINES[0]}\n"
    assert known(tmp_path, text).lookup("192.0.2.11") is None


def test_of_two_keys_of_a_kind_the_first_counts(tmp_path):
    keys = known(tmp_path, f"192.0.2.11 {LINES[0]}\n192.0.2.11 {LINES[1]}\n")
    assert keys.check("192.0.2.11", KEYS[0])
    assert not keys.check("192.0.2.11", KEYS[1])


def test_commented_lines_give_no_trust(tmp_path):
    assert known(tmp_path, f"#192.0.2.11 {LINES[0]}\n  # 192.0.2.11 {LINES[0]}\n").lookup("192.0.2.11") is None


def test_a_revoked_key_is_not_trusted_because_it_is_also_listed(tmp_path):
    with pytest.raises(Unreachable, match="line 2"):
        known(tmp_path, f"192.0.2.11 {LINES[0]}\n@revoked 192.0.2.11 {LINES[0]}\n")
