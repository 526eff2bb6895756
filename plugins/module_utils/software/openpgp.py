# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fingerprints of OpenPGP public keys, without gnupg: a repository key is trusted by its fingerprint alone."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re

PUBLIC_KEY = 6  # packet tag of a primary key; subkeys (14) are bound to it by signatures that apt and rpm check


class NotAKey(ValueError):
    """The data is not an OpenPGP public key."""


def binary(data):
    """The key in binary form: ASCII armour is taken off."""
    begin = data.find(b"-----BEGIN PGP PUBLIC KEY BLOCK-----")
    if begin < 0:
        return data
    blocks = []
    for block in re.findall(
        rb"-----BEGIN PGP PUBLIC KEY BLOCK-----(.*?)-----END PGP PUBLIC KEY BLOCK-----", data[begin:], re.S
    ):
        # Armour headers end at the first empty line; the checksum line starts with "=".
        lines = block.strip(b"\r\n \t").splitlines()
        empty = [number for number, line in enumerate(lines) if not line.strip()]
        body = lines[empty[0] + 1 :] if empty else lines
        text = b"".join(line.strip() for line in body if not line.startswith(b"="))
        try:
            blocks.append(base64.b64decode(text, validate=True))
        except binascii.Error:
            raise NotAKey("its ASCII armour is damaged") from None
    if not blocks:
        raise NotAKey("its ASCII armour has no end")
    return b"".join(blocks)


def fingerprints(data):
    """Fingerprints of all primary keys, in upper case and in order."""
    found = [_fingerprint(body) for tag, body in _packets(binary(data)) if tag == PUBLIC_KEY]
    if not found:
        raise NotAKey("it holds no OpenPGP public key")
    return found


def _fingerprint(body):
    if not body or body[0] != 4:
        raise NotAKey("only version 4 keys are supported")
    return hashlib.sha1(b"\x99" + len(body).to_bytes(2, "big") + body).hexdigest().upper()


def _packets(data):
    at = 0
    while at < len(data):
        header = data[at]
        at += 1
        if not header & 0x80:
            raise NotAKey("it is not OpenPGP data")
        try:
            if header & 0x40:
                tag, (length, at) = header & 0x3F, _new_length(data, at)
            else:
                tag, size = (header >> 2) & 0x0F, (1, 2, 4)[header & 3]
                length, at = int.from_bytes(data[at : at + size], "big"), at + size
        except IndexError:
            raise NotAKey("it ends too early or uses packets without length") from None
        if at + length > len(data):
            raise NotAKey("it ends too early")
        yield tag, data[at : at + length]
        at += length


def _new_length(data, at):
    first = data[at]
    if first < 192:
        return first, at + 1
    if first < 224:
        return ((first - 192) << 8) + data[at + 1] + 192, at + 2
    if first == 255:
        return int.from_bytes(data[at + 1 : at + 5], "big"), at + 5
    raise IndexError


def trusted(found, expected):
    """Whether there is a key, and every key is one of the expected. Short ones count from the end."""
    ends = tuple(fingerprint.replace(" ", "").upper() for fingerprint in expected)
    return bool(found) and all(one.endswith(ends) for one in found)
