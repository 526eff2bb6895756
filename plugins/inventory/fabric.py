# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# ruff: noqa: E402 - DOCUMENTATION precedes imports by Ansible's convention
"""Inventory plugin: fabric.yml -> hosts, groups and the model of every switch and host."""

from __future__ import annotations

DOCUMENTATION = r"""
name: fabric
short_description: A lossless RoCEv2 fabric from one intent file
description:
  - Reads C(inventories/SITE/fabric.yml), validates it, plans the fabric and gives every switch and GPU host its
    complete model as a host variable.
  - With O(design) the planner sizes, cables and addresses the fabric. A C(fabric.lock.yml) next to the file keeps what
    exists as it is (C(docs/planning.md)).
  - The whole fabric is checked; errors stop the inventory, warnings are shown with C(-vv) and stand in the plan.
  - The file is not templated and holds no secrets. Credentials belong into C(group_vars) next to it.
  - Every problem of the file is reported as one line with file, line, path, expected, found and what to do.
  - C(docs/intent.md) describes the file, C(docs/model.md) the resulting variables, C(docs/intent.schema.json) is for
    editors.
author:
  - lossless.fabric maintainers
requirements:
  - pydantic >= 2
notes:
  - Switches get the host variables C(ansible_host), C(ansible_port), C(ansible_connection), C(switch) and
    C(switch_wave); hosts get C(ansible_host), C(ansible_port) and C(host).
  - C(ansible_connection) of a switch is P(lossless.fabric.switch#connection), which holds the settings of the login.
    The switch actions of this collection run on the control node and open their own session.
  - The groups C(rollout_canary), C(rollout_a), C(rollout_b) and C(rollout_hosts) are empty; a playbook fills them while
    it runs.
options:
  plugin:
    description: Says that the file is for this plugin.
    type: str
    required: true
    choices: [lossless.fabric.fabric]
  fabric:
    description: Name of the fabric.
    type: str
    required: true
  policy:
    description: What the whole fabric agrees on, such as DSCP, priorities, ECN and MTU.
    type: dict
    default: {}
  vlans:
    description: VLANs by number.
    type: dict
    default: {}
  switch_profiles:
    description: What switches of one kind have in common.
    type: dict
    required: true
  design:
    description: What is wanted, such as a number of nodes; switches, links and hosts are generated from it.
    type: dict
  underlay:
    description: eBGP between the switches. Absent, routing is not touched.
    type: dict
  switches:
    description: Switches by name; with a design, what pins the generated ones.
    type: dict
    default: {}
  links:
    description: Cables between switches.
    type: list
    elements: dict
    default: []
  host_profiles:
    description: What hosts of one kind have in common.
    type: dict
    default: {}
  hosts:
    description: GPU hosts by name.
    type: dict
    default: {}
  attachments:
    description: Cables between hosts and switches.
    type: list
    elements: dict
    default: []
"""

EXAMPLES = r"""
# inventories/site/fabric.yml; inventories/example has a commented one
plugin: lossless.fabric.fabric
fabric: small
vlans:
  100: {name: rail0}
switch_profiles:
  leaf: {platform: eos, speed: 400G, fec: rs}
  spine: {platform: nxos, speed: 400G, fec: rs}
switches:
  leaf01: {role: leaf, profile: leaf, address: 192.0.2.11}
  spine01: {role: spine, profile: spine, address: 192.0.2.1}
links:
  - {a: leaf01:Ethernet33..34/1, b: spine01:Ethernet1/1..2, subnet: 10.255.0.0/30}
host_profiles:
  gpu: {nics: {rail0: {vlan: 100}}}
hosts:
  gpu01..16: {profile: gpu}
attachments:
  - {host: gpu01..16:rail0, switch: leaf01:Ethernet1..16/1}
"""

from typing import Any

from ansible import constants as C  # noqa: N812 - Ansible's own name for it
from ansible.errors import AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin
from ansible.template import trust_as_template

try:
    from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import IntentError
    from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.plan import Plan
    from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.site import collector_paused, plan_site
except ImportError as error:
    MISSING: ImportError | None = error
else:
    MISSING = None


_REPORTED: set[str] = set()


class InventoryModule(BaseInventoryPlugin):
    """lossless.fabric.fabric"""

    NAME = "lossless.fabric.fabric"

    def verify_file(self, path: str) -> bool:
        """Whether the file is for us, by its name."""
        return super().verify_file(path) and path.endswith(("fabric.yml", "fabric.yaml"))

    def parse(self, inventory: Any, loader: Any, path: str, cache: bool = True) -> None:
        """Plan the fabric, then fill the inventory. Nothing is added when there is a problem."""
        super().parse(inventory, loader, path, cache)
        self._texts: dict[str, Any] = {}
        if MISSING is not None:
            raise AnsibleParserError(
                f"{path}: expected the Python package {MISSING.name}, found none (pip install pydantic)"
            )
        try:
            plan = plan_site(path)
        except IntentError as error:
            self._report(error)
            count = len(error.problems)
            raise AnsibleParserError(
                f"{path}: {count} problem{'s' if count > 1 else ''} in the intent, listed above"
            ) from None
        for finding in plan.findings:
            self.display.vv(f"{path}: {finding}")
        with collector_paused():
            self._fill(plan)

    def _report(self, error: IntentError) -> None:
        """One line each, once. Ansible would repeat them for every plugin that tries the file."""
        for problem in error.problems:
            line = str(problem)
            if line not in _REPORTED:
                _REPORTED.add(line)
                self.display.display(line, color=C.COLOR_ERROR, stderr=True)

    def _fill(self, plan: Plan) -> None:
        for parent, children in plan.children.items():
            self.inventory.add_group(parent)
            for child in children:
                self.inventory.add_group(child)
                self.inventory.add_child(parent, child)
        # New texts, made in one go, lie side by side. Ansible touches the names of all hosts for every task, and the
        # first touch of a page that is shared with a worker copies it.
        names = [bytes(name, "utf-8").decode() for name in (*plan.switches, *plan.hosts)]
        for name in names:
            self.inventory.add_host(name)
        for name in names:
            self._set(name, "ansible_host", plan.access[name].address)
            self._set(name, "ansible_port", plan.access[name].port)
        for name, switch in plan.switches.items():
            self._set(name, "ansible_connection", "lossless.fabric.switch")
            self._set(name, "switch", switch.model_dump(mode="json"))
            self._set(name, "switch_wave", plan.waves[name])
        for name, host in plan.hosts.items():
            self._set(name, "host", host.model_dump(mode="json"))
        for group, members in plan.groups.items():
            for name in members:
                self.inventory.add_child(group, name)

    def _set(self, name: str, variable: str, value: Any) -> None:
        # The wrapper that Ansible puts around its inventory would visit and tag every value once more, which takes ten
        # times as long as planning. What the tag says we know: the intent holds no template, and the file is named.
        inventory = getattr(self.inventory, "__wrapped__", self.inventory)
        inventory.set_variable(name, variable, self._trusted(value))

    def _trusted(self, value: Any) -> Any:
        """Plain data with its texts marked as our own; otherwise every text is shown as ``__ansible_unsafe``."""
        if type(value) is dict:
            return {key: self._trusted(item) for key, item in value.items()}
        if type(value) is list:
            return [self._trusted(item) for item in value]
        if type(value) is str:
            known = self._texts.get(value)
            if known is None:
                known = self._texts[value] = trust_as_template(value)
            return known
        return value
