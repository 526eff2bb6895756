# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The machine owner key among the variables of a firmware, and signatures of modules."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest

from lab.hosts.needs import HostsError
from lab.hosts.secure_boot import Key, with_owner_key

VOLUME = 72  # bytes of the head of a firmware volume with one kind of blocks
STORE = 28
SHIM = bytes.fromhex("50ab5d6046e00043abb63dd810dd8b23")
X509 = bytes.fromhex("a159c0a5e494a74a87b5ab155c2bf072")


def variable(name: str, content: bytes, state: int = 0x3F) -> bytes:
    """As in EDK II's AuthenticatedVariableFormat.h, filled up to whole words."""
    text = (name + "\0").encode("utf-16-le")
    head = struct.pack("<HBBIQ16xIII16x", 0x55AA, state, 0, 7, 0, 0, len(text), len(content))
    body = head + text + content
    return body + b"\xff" * (-len(body) % 4)


def firmware(*variables: bytes, size: int = 4096) -> bytes:
    """A volume with a store of this size, and what follows the store."""
    volume = bytearray(VOLUME)
    volume[48:50] = VOLUME.to_bytes(2, "little")
    store = bytes(16) + struct.pack("<IBBHI", size, 0x5A, 0xFE, 0, 0) + b"".join(variables)
    return bytes(volume) + store.ljust(size, b"\xff") + b"spare" * 10


def test_the_key_is_one_more_variable() -> None:
    there = [variable("PK", b"owner"), variable("db", b"x" * 7), variable("gone", b"1", state=0x3C)]
    before = firmware(*there)
    after = with_owner_key(before, b"certificate")
    start = VOLUME + STORE + sum(map(len, there))
    assert start % 4 == 0
    name = "MokList\0".encode("utf-16-le")
    content = X509 + struct.pack("<III", 55, 0, 27) + SHIM + b"certificate"
    head = struct.pack("<HBBIQ16xIII", 0x55AA, 0x3F, 0, 3, 0, 0, len(name), len(content)) + SHIM
    added = head + name + content
    assert after[start : start + len(added)] == added
    assert after[:start] + before[start : start + len(added)] + after[start + len(added) :] == before


def test_no_room_for_the_key() -> None:
    with pytest.raises(HostsError, match="no room for a certificate of 4000 bytes"):
        with_owner_key(firmware(variable("PK", b"owner")), b"c" * 4000)


def test_a_new_key_signs_under_its_name(tmp_path: Path) -> None:
    """The kernel's sign-file gets what it asks for: digest, key, certificate, module."""
    program = tmp_path / "kernel-sign-file"
    program.write_text("#!/bin/sh\nopenssl dgst -$1 -sign $2 -out $4.signature $4 && cp $3 $4.certificate\n")
    program.chmod(0o755)
    key, module = Key(tmp_path / "key"), tmp_path / "lab_nic.ko"
    module.write_bytes(b"module")
    key.make("Lab key", program)
    key.sign(module)
    subject = ["openssl", "x509", "-noout", "-subject", "-pubkey", "-in", f"{module}.certificate"]
    said = subprocess.run(subject, check=True, capture_output=True, text=True).stdout
    assert "CN = Lab key" in said or "CN=Lab key" in said
    (tmp_path / "public").write_text(said.partition("\n")[2])
    verify = ["openssl", "dgst", "-sha256", "-verify", tmp_path / "public", "-signature", f"{module}.signature", module]
    subprocess.run(verify, check=True, capture_output=True)
    assert key.private.stat().st_mode & 0o077 == 0
