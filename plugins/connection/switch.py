# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# ruff: noqa: E402 - DOCUMENTATION precedes imports by Ansible's convention
"""Connection plugin: the settings of the login on a switch."""

from __future__ import annotations

DOCUMENTATION = r"""
name: switch
short_description: Settings of the login on a switch
description:
  - Holds address, user and credentials of a switch for the actions M(lossless.fabric.switch_config) and
    M(lossless.fabric.switch_facts), which open their own SSH session.
  - The options are named and set as those of P(ansible.builtin.ssh#connection), as far as they mean something here.
    The actions also work with that plugin. This one has a quarter of its options, which Ansible resolves anew for every
    switch and task.
  - No module runs on a switch. One that is asked to fails and says so.
author:
  - lossless.fabric contributors (@lossless)
version_added: 0.1.0
options:
  host:
    description: Address of the switch.
    default: inventory_hostname
    type: string
    vars:
      - name: inventory_hostname
      - name: ansible_host
      - name: ansible_ssh_host
  port:
    description: TCP port of its SSH server; 22 when not set.
    type: int
    ini:
      - {section: defaults, key: remote_port}
    env:
      - name: ANSIBLE_REMOTE_PORT
    vars:
      - name: ansible_port
      - name: ansible_ssh_port
    keyword:
      - name: port
  remote_user:
    description: User to log in as.
    type: string
    ini:
      - {section: defaults, key: remote_user}
    env:
      - name: ANSIBLE_REMOTE_USER
    vars:
      - name: ansible_user
      - name: ansible_ssh_user
    cli:
      - {name: user, option: --user}
    keyword:
      - name: remote_user
  password:
    description: Password of the user.
    type: string
    vars:
      - name: ansible_password
      - name: ansible_ssh_pass
      - name: ansible_ssh_password
  private_key_file:
    description: File with the private key of the user.
    type: string
    ini:
      - {section: defaults, key: private_key_file}
    env:
      - name: ANSIBLE_PRIVATE_KEY_FILE
    vars:
      - name: ansible_private_key_file
      - name: ansible_ssh_private_key_file
    cli:
      - {name: private_key_file, option: --private-key}
  host_key_checking:
    description: Whether a switch with an unknown host key is refused. One whose host key has changed always is.
    type: boolean
    default: true
    ini:
      - {section: defaults, key: host_key_checking}
    env:
      - name: ANSIBLE_HOST_KEY_CHECKING
      - name: ANSIBLE_SSH_HOST_KEY_CHECKING
    vars:
      - name: ansible_host_key_checking
      - name: ansible_ssh_host_key_checking
  timeout:
    description: Seconds to wait for the connection, and for the output of a quick command.
    type: int
    default: 10
    ini:
      - {section: defaults, key: timeout}
    env:
      - name: ANSIBLE_TIMEOUT
      - name: ANSIBLE_SSH_TIMEOUT
    vars:
      - name: ansible_timeout
      - name: ansible_ssh_timeout
    cli:
      - {name: timeout, option: --timeout}
"""

from typing import NoReturn

from ansible.errors import AnsibleError
from ansible.plugins.connection import ConnectionBase


class Connection(ConnectionBase):
    """Opens nothing."""

    transport = "lossless.fabric.switch"

    def _connect(self) -> Connection:
        return self

    def exec_command(self, cmd: str, in_data: bytes | None = None, sudoable: bool = True) -> NoReturn:
        """A module or a raw command."""
        raise AnsibleError(
            f"{self.get_option('host')}: expected lossless.fabric.switch_config or switch_facts, found a module that"
            " has to run on the switch, which none can; give the task another ansible_connection, or delegate it"
        )

    def put_file(self, in_path: str, out_path: str) -> NoReturn:
        """Part of running a module."""
        self.exec_command("")

    def fetch_file(self, in_path: str, out_path: str) -> NoReturn:
        """Part of M(ansible.builtin.fetch)."""
        self.exec_command("")

    def close(self) -> None:
        """Nothing is open."""
