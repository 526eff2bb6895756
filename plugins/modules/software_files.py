#!/usr/bin/python
# Copyright: lossless.fabric contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lossless.fabric.software_files: keys and definitions of package repositories, pins and module configuration."""

from __future__ import annotations

DOCUMENTATION = r"""
module: software_files
short_description: Write repository keys and configuration files, keys only with the expected fingerprint
version_added: 0.1.0
description:
  - Fetches keys, compares the fingerprints of all keys in each with those expected, and only then writes anything. A wrong key is never
    written, and one that was there stays.
  - Does not contact the server of a key when its file already holds an expected key.
  - Files are compared as a whole and written as a whole, owned by root.
author:
  - lossless.fabric contributors (@lossless)
options:
  keys:
    description: Repository keys.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: Name of the repository, for messages.
        type: str
        required: true
      path:
        description: File of the key on the host.
        type: path
        required: true
      url:
        description: Where to fetch it; also C(file://).
        type: str
        required: true
      fingerprints:
        description:
          - Fingerprints of keys that may be in it; every key in it has to be among them. Spaces do not matter.
          - At least the last 16 digits; 40 digits are better.
        type: list
        elements: str
        required: true
      binary:
        description: Write without ASCII armour, as apt wants it in a C(.gpg) file.
        type: bool
        default: false
  files:
    description: Files with their content.
    type: list
    elements: dict
    default: []
    suboptions:
      path:
        description: The file.
        type: path
        required: true
      content:
        description: All of its content.
        type: str
        required: true
attributes:
  check_mode:
    support: full
    description: Fetches and writes nothing, and says what would be written.
  diff_mode:
    support: full
    description: Shows files; a key is nothing to read.
  platform:
    support: full
    platforms: linux
    description: Hosts with Linux.
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
"""

EXAMPLES = r"""
- name: Trust NVIDIA's key for its repository
  lossless.fabric.software_files:
    keys:
      - name: cuda
        url: https://developer.download.nvidia.com/compute/cuda/repos/debian12/x86_64/3bf863cc.pub
        path: /etc/apt/keyrings/lossless-cuda.gpg
        fingerprints: [EB693B3035CD5710E231E123A4B469963BF863CC]
        binary: true
"""

RETURN = r"""
written:
  description: Files that were written, or would be in check mode.
  returned: always
  type: list
  elements: str
  sample: ["/etc/apt/keyrings/lossless-cuda.gpg"]
"""

import os
import tempfile
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.urls import fetch_url

from ansible_collections.lossless.fabric.plugins.module_utils.software import openpgp

LARGEST = 1 << 20  # of a key file
KEY = {
    "name": {"type": "str", "required": True},
    "path": {"type": "path", "required": True},
    "url": {"type": "str", "required": True},
    "fingerprints": {"type": "list", "elements": "str", "required": True},
    "binary": {"type": "bool", "default": False},
}
FILE = {"path": {"type": "path", "required": True}, "content": {"type": "str", "required": True}}


def main():
    """Run."""
    module = AnsibleModule(
        argument_spec={
            "keys": {"type": "list", "elements": "dict", "default": [], "options": KEY, "no_log": False},
            "files": {"type": "list", "elements": "dict", "default": [], "options": FILE},
        },
        supports_check_mode=True,
    )
    changes = []  # path, data, diff: everything is known before anything is written
    for key in module.params["keys"]:
        if not has(module, key):
            data = b"" if module.check_mode else fetch(module, key)
            changes.append((key["path"], data, {"prepared": f"key of repository {key['name']}\n"}))
    for file in module.params["files"]:
        before = read(file["path"])
        data = file["content"].encode()
        if before != data:
            diff = {"before": (before or b"").decode("utf-8", "replace"), "after": file["content"]}
            changes.append((file["path"], data, {**diff, "before_header": file["path"], "after_header": file["path"]}))
    if not module.check_mode:
        for path, data, _diff in changes:
            write(module, path, data)
    module.exit_json(
        changed=bool(changes), written=[change[0] for change in changes], diff=[change[2] for change in changes]
    )


def has(module, key):
    """Whether the file holds an expected key already."""
    expected = key["fingerprints"]
    short = [f for f in expected if len(f.replace(" ", "")) < 16]
    if short or not expected:
        found = ", ".join(short) or "none"
        module.fail_json(
            msg=f"repository {key['name']}: expected fingerprints of 16 to 40 hexadecimal digits, found {found}"
        )
    try:
        return openpgp.trusted(openpgp.fingerprints(read(key["path"]) or b""), expected)
    except openpgp.NotAKey:
        return False


def fetch(module, key):
    """The key as the server has it, if it is the expected one."""
    url = key["url"]
    response, info = fetch_url(module, url, timeout=30)
    if response is None or info["status"] not in (200, None):
        module.fail_json(msg=f"{url}: expected a key, found no answer: {info['msg']} (check URL, mirror and network)")
    data = response.read(LARGEST)
    try:
        found = openpgp.fingerprints(data)
    except openpgp.NotAKey as error:
        module.fail_json(msg=f"{url}: expected an OpenPGP public key, found something else: {error} (check the URL)")
    if not openpgp.trusted(found, key["fingerprints"]):
        module.fail_json(
            msg=f"{url}: expected the key {' or '.join(key['fingerprints'])}, found {', '.join(found)}; it was not written "
            "(ask the vendor whether the key changed; then change the fingerprint variable)"
        )
    return openpgp.binary(data) if key["binary"] else data


def read(path):
    """Content, or None."""
    try:
        return Path(path).read_bytes()
    except OSError:
        return None


def write(module, path, data):
    """All of it or nothing."""
    Path(path).parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=module.tmpdir)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    module.atomic_move(temporary, path)
    Path(path).chmod(0o644)


if __name__ == "__main__":
    main()
