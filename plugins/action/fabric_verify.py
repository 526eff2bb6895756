# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lossless.fabric.fabric_verify: runs once, on the control node; see the module of that name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleActionFail

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.load import ModelError, load_host, load_switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.action import ReportAction, as_json
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.fabric import Fabric
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.facts import FactsError
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.hosts import HostState
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.report import document, headline, summary, text
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.runner import verify

# What makes the task fail, per value of fail_on.
FAILS = {"error": ("error",), "warning": ("error", "warning"), "never": ()}


class ActionModule(ReportAction):
    """Hold facts against models."""

    OPTIONS = {
        "switches": {"type": "list", "elements": "str"},
        "facts_var": {"type": "str", "default": "switch_state"},
        "hosts": {"type": "list", "elements": "str", "default": []},
        "host_facts_var": {"type": "str", "default": "host_state"},
        "report": {"type": "path"},
        "fail_on": {"type": "str", "default": "error", "choices": list(FAILS)},
    }

    def work(self, args: dict[str, Any]) -> dict[str, Any]:
        """Findings as result, file and table."""
        entries = {name: (self._model(name), self._facts(name, args["facts_var"])) for name in self.switches(args)}
        hosts = {name: self._host(name, args["host_facts_var"]) for name in self.known("hosts", args["hosts"])}
        try:
            fabric = Fabric.build(entries, self._host_mtus(model for model, _ in entries.values()), hosts)
        except FactsError as error:
            raise AnsibleActionFail(str(error)) from None
        verdict = verify(fabric)
        self.write(args["report"], as_json(document(fabric, verdict, self.generated)))
        self.show(text(fabric, verdict, self.shown(args["report"])))
        result = {
            "msg": headline(fabric, verdict),
            "report": args["report"],
            "summary": summary(fabric, verdict),
        }
        if any(finding.severity in FAILS[args["fail_on"]] for finding in verdict.findings):
            return result | {"failed": True}  # Ansible prints the whole result: the findings are in the file
        return result | {"findings": [finding.as_dict() for finding in verdict.findings]}

    def _model(self, name: str) -> Switch:
        try:
            return load_switch(self.variable(name, "switch"), name)
        except ModelError as error:
            raise AnsibleActionFail(str(error)) from None

    def _facts(self, name: str, variable: str) -> Mapping[str, Any] | str:
        """Facts, or why there are none."""
        result = self.registered(name, variable)
        if result is None:
            return f"no facts were read (host variable {variable} is not set)"
        facts = result.get("facts")
        return facts if isinstance(facts, Mapping) else str(result.get("msg") or "switch_facts returned no facts")

    def _host(self, name: str, variable: str) -> HostState:
        """A host and what was read of it."""
        try:
            model = load_host(self.variable(name, "host"), name)
        except ModelError as error:
            raise AnsibleActionFail(str(error)) from None
        result = self.registered(name, variable)
        if result is None:
            return HostState.build(model, f"no facts were read (host variable {variable} is not set)")
        told = (result.get("facts") or {}).get("nics")
        if not isinstance(told, Mapping):
            told = str(result.get("msg") or "host_facts returned no NICs (give it nics)")
        return HostState.build(model, told)

    def _host_mtus(self, models: Any) -> dict[str, dict[str, int]]:
        """MTU of the NICs of every host that a switch port leads to, where the inventory has a model of the host."""
        hosts = {p.peer.device for m in models for p in m.ports if p.peer is not None and p.peer.kind == "host"}
        mtus = {}
        for host in sorted(h for h in hosts if h in self.task_vars["hostvars"]):
            model = self.variable(host, "host")
            if isinstance(model, Mapping):
                mtus[host] = {nic["name"]: nic["mtu"] for nic in model.get("nics", ()) if nic.get("mtu")}
        return mtus
