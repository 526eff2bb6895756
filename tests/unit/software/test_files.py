# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module software_files, run as Ansible runs it on a host."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.software.keys import FIXTURES, KEYS

ROOT = Path(__file__).parents[3]
MODULE = "ansible_collections.lossless.fabric.plugins.modules.software_files"


def run(check=False, **arguments):
    """One execution: rc and result."""
    arguments = {"ANSIBLE_MODULE_ARGS": {**arguments, "_ansible_check_mode": check, "_ansible_remote_tmp": "/tmp"}}
    done = subprocess.run(
        [sys.executable, "-m", MODULE],
        input=json.dumps(arguments),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "collections")},
        check=False,
    )
    return json.loads(done.stdout)


def key(path, **changed):
    entry = {
        "name": "cuda",
        "path": str(path),
        "url": (FIXTURES / "rsa.asc").as_uri(),
        "fingerprints": [KEYS["rsa"].fingerprint],
    }
    return {**entry, **changed}


def test_a_key_is_fetched_once(tmp_path):
    path = tmp_path / "new" / "cuda.asc"
    assert run(check=True, keys=[key(path)])["changed"] is True
    assert not path.exists()
    assert run(keys=[key(path)])["written"] == [str(path)]
    assert path.read_bytes() == KEYS["rsa"].data and path.stat().st_mode & 0o777 == 0o644
    # The second time nobody is asked: the URL leads nowhere.
    assert run(keys=[key(path, url="file:///nowhere")])["changed"] is False


def test_without_armour_for_apt(tmp_path):
    path = tmp_path / "cuda.gpg"
    run(keys=[key(path, binary=True)])
    assert path.read_bytes()[:1] == b"\x98" or path.read_bytes()[0] & 0x80
    assert run(keys=[key(path, binary=True)])["changed"] is False


def test_a_wrong_key_is_not_written_and_neither_is_anything_else(tmp_path):
    path, file = tmp_path / "cuda.asc", tmp_path / "cuda.sources"
    path.write_bytes(KEYS["rsa"].data)
    other = key(path, url=(FIXTURES / "ed25519.asc").as_uri(), fingerprints=["0" * 40])
    result = run(keys=[other], files=[{"path": str(file), "content": "Types: deb\n"}])
    assert result["failed"]
    assert f"expected the key {'0' * 40}, found {KEYS['ed25519'].fingerprint}; it was not written" in result["msg"]
    assert path.read_bytes() == KEYS["rsa"].data and not file.exists()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"fingerprints": ["3BF863CC"]}, "expected fingerprints of 16 to 40 hexadecimal digits, found 3BF863CC"),
        ({"fingerprints": []}, "found none"),
        ({"url": "file:///nowhere/key"}, "expected a key, found no answer"),
        ({"url": Path(__file__).as_uri()}, "expected an OpenPGP public key, found something else"),
    ],
)
def test_what_is_wrong_is_said(changed, words, tmp_path):
    result = run(keys=[key(tmp_path / "cuda.asc", **changed)])
    assert result["failed"] and words in result["msg"]


def test_files_are_written_where_they_differ(tmp_path):
    path = tmp_path / "lossless-cuda.sources"
    wanted = [{"path": str(path), "content": "Types: deb\n"}]
    predicted = run(check=True, files=wanted)
    assert predicted["changed"] and predicted["diff"][0]["after"] == "Types: deb\n" and not path.exists()
    assert run(files=wanted)["diff"] == predicted["diff"]
    assert path.read_text() == "Types: deb\n"
    assert run(files=wanted)["changed"] is False
