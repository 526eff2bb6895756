#!/usr/bin/python
# Copyright: lossless.fabric contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lossless.fabric.repository_key: a repository key is written only when it is the expected one."""

from __future__ import annotations

DOCUMENTATION = r"""
module: repository_key
short_description: Fetch the key of a package repository and keep it if its fingerprint is the expected one
version_added: 0.1.0
description:
  - Fetches a key, compares the fingerprints of all keys in it with those expected, and only then writes the file. A wrong key is never
    written, and one that was there stays.
  - Does not contact the server when the file already holds an expected key.
author:
  - lossless.fabric contributors (@lossless)
options:
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
attributes:
  check_mode:
    support: full
    description: Fetches nothing and says whether a key would be written.
  diff_mode:
    support: none
    description: A key is nothing to read.
  platform:
    support: full
    platforms: linux
    description: Hosts with Linux.
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
"""

EXAMPLES = r"""
- name: Trust NVIDIA's key for its repository
  lossless.fabric.repository_key:
    url: https://developer.download.nvidia.com/compute/cuda/repos/debian12/x86_64/3bf863cc.pub
    path: /etc/apt/keyrings/lossless-cuda.gpg
    fingerprints: [EB693B3035CD5710E231E123A4B469963BF863CC]
    binary: true
"""

RETURN = r"""
fingerprints:
  description: Fingerprints of the keys in the file.
  returned: when not in check mode or when the file is as expected
  type: list
  elements: str
  sample: ["EB693B3035CD5710E231E123A4B469963BF863CC"]
"""

import os
import tempfile
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.urls import fetch_url

from ansible_collections.lossless.fabric.plugins.module_utils.software import openpgp

LARGEST = 1 << 20  # of a key file


def main():
    """Run."""
    module = AnsibleModule(
        argument_spec={
            "path": {"type": "path", "required": True},
            "url": {"type": "str", "required": True},
            "fingerprints": {"type": "list", "elements": "str", "required": True, "no_log": False},
            "binary": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    path, expected = module.params["path"], [f.replace(" ", "").upper() for f in module.params["fingerprints"]]
    short = [f for f in expected if len(f) < 16]
    if short or not expected:
        module.fail_json(
            msg=f"expected fingerprints of 16 to 40 hexadecimal digits for {path}, found {', '.join(short) or 'none'}"
        )
    try:
        found = openpgp.fingerprints(Path(path).read_bytes())
        if openpgp.trusted(found, expected):
            module.exit_json(changed=False, fingerprints=found)
    except (OSError, openpgp.NotAKey):
        pass  # no key yet, or none that can be read: it is fetched
    if module.check_mode:
        module.exit_json(changed=True)
    data = fetch(module)
    try:
        found = openpgp.fingerprints(data)
    except openpgp.NotAKey as error:
        module.fail_json(
            msg=f"{module.params['url']}: expected an OpenPGP public key, found something else: {error} (check the URL)"
        )
    if not openpgp.trusted(found, expected):
        module.fail_json(
            msg=f"{module.params['url']}: expected the key {' or '.join(expected)}, found {', '.join(found)}; it was not written "
            "(ask the vendor whether the key changed; then change the fingerprint variable)"
        )
    write(module, path, openpgp.binary(data) if module.params["binary"] else data)
    module.exit_json(changed=True, fingerprints=found)


def fetch(module):
    """The key as the server has it."""
    response, info = fetch_url(module, module.params["url"], timeout=30)
    if response is None or info["status"] not in (200, None, -1) or (info["status"] == -1 and not response):
        module.fail_json(
            msg=f"{module.params['url']}: expected a key, found no answer: {info['msg']} (check URL, mirror and network)"
        )
    return response.read(LARGEST)


def write(module, path, data):
    """All of it or nothing."""
    Path(path).parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=module.tmpdir)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    Path(temporary).chmod(0o644)
    module.atomic_move(temporary, path)


if __name__ == "__main__":
    main()
