# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fingerprints against those that gpg shows."""

from __future__ import annotations

import pytest

from ansible_collections.lossless.fabric.plugins.module_utils.software import openpgp
from tests.unit.software.keys import KEYS


@pytest.mark.parametrize("name", KEYS)
def test_armoured_and_binary(name):
    key = KEYS[name]
    assert openpgp.fingerprints(key.data) == [key.fingerprint]
    assert openpgp.fingerprints(openpgp.binary(key.data)) == [key.fingerprint]


def test_two_keys_in_one_file():
    both = KEYS["rsa"].data + KEYS["ed25519"].data
    assert openpgp.fingerprints(both) == [KEYS["rsa"].fingerprint, KEYS["ed25519"].fingerprint]
    assert openpgp.trusted(openpgp.fingerprints(both), [KEYS["rsa"].fingerprint]) is False, "one was smuggled in"


def test_a_changed_key_has_another_fingerprint():
    data = bytearray(openpgp.binary(KEYS["rsa"].data))
    data[40] ^= 1
    assert openpgp.fingerprints(bytes(data)) != [KEYS["rsa"].fingerprint]


def test_short_fingerprints_count_from_the_end():
    found = [KEYS["rsa"].fingerprint]
    assert openpgp.trusted(found, [found[0][-16:]])
    assert not openpgp.trusted(found, [found[0][:16]])
    assert not openpgp.trusted([], [found[0]])


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"<html>404</html>", "not OpenPGP"),
        (b"", "no OpenPGP public key"),
        (b"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n!!!\n-----END PGP PUBLIC KEY BLOCK-----", "damaged"),
        (b"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQ==\n", "no end"),
        (openpgp.binary(KEYS["rsa"].data)[:100], "too early"),
    ],
)
def test_what_is_not_a_key_is_refused(data, why):
    with pytest.raises(openpgp.NotAKey, match=why):
        openpgp.fingerprints(data)
