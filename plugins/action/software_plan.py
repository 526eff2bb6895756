# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lossless.fabric.software_plan: reads the host with one module call, plans on the control node; see the module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

from ansible_collections.lossless.fabric.plugins.plugin_utils.software.decision import BUILDERS, Decision, decide
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.matrix import MatrixError
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.plan import differences
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.stack import EARLY, VARIABLES
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.versions import RangeError
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.wanted import NotSupported


class ActionModule(ActionBase):
    """Facts in, plan out."""

    TRANSFERS_FILES = False
    OPTIONS: dict[str, Any] = {
        "component": {"type": "str", "required": True, "choices": list(BUILDERS)},
        "settings": {"type": "dict", "required": True},
        "matrix": {"type": "list", "elements": "dict", "default": []},
        "expect": {"type": "str", "choices": ["anything", "installed", "running"], "default": "anything"},
        "allow_reboot": {"type": "bool", "default": False},
        "root": {"type": "path", "default": "/"},
    }

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Read, decide, report."""
        result = super().run(tmp, task_vars)
        self.task_vars = task_vars or {}
        _, args = self.validate_argument_spec(argument_spec=self.OPTIONS)
        answer = self._execute_module(
            module_name="lossless.fabric.software_facts", module_args={"root": args["root"]}, task_vars=self.task_vars
        )
        if answer.get("failed") or "facts" not in answer:
            return answer  # unreachable, no Python: Ansible's own words
        facts = answer["facts"]
        try:
            decision = decide(args["component"], args["settings"], self._variables(), facts, args["matrix"])
        except (NotSupported, MatrixError, RangeError) as error:
            raise AnsibleActionFail(str(error)) from None
        if errors := decision.messages("error"):
            raise AnsibleActionFail(f"{decision.wanted.what}: nothing was installed. {'; '.join(errors)}")
        if left := decision.left(args["expect"]):
            raise AnsibleActionFail(
                f"{decision.wanted.what}: not as wanted, and no step of the role mends it: {'; '.join(left)}"
            )
        result.update(self._report(decision, facts, args["allow_reboot"]))
        return result

    def _variables(self) -> dict[str, Any]:
        """Those of all four roles, as far as the play has them."""
        present = {part: self.task_vars.get(name) for part, name in (VARIABLES | EARLY).items()}
        return {part: self._templar.template(value) for part, value in present.items() if value is not None}

    def _report(self, decision: Decision, facts: Mapping[str, Any], allow_reboot: bool) -> dict[str, Any]:
        wanted, plan = decision.wanted, decision.plan
        ahead, warnings = plan.installation, decision.messages("warning")
        reasons = "; ".join(plan.reboot)
        if not reasons:
            ahead = plan.steps
        elif allow_reboot:
            ahead = [*ahead, f"reboot, because {reasons}"]
        elif not ahead:  # with something to install, the next plan says so
            waiting = f"; waiting for it: {', '.join(plan.starts)}" if plan.starts else ""
            warnings.append(f"{wanted.what}: a reboot is needed (allow it with hosts_allow_reboot): {reasons}{waiting}")
        as_wanted = f"{wanted.what}: {'waits for a reboot' if reasons else 'as wanted'}"
        return {
            "changed": bool(self._task.check_mode and ahead),
            "check_mode": bool(self._task.check_mode),
            "msg": wanted.skip or "; ".join(ahead) or as_wanted,
            "notes": wanted.notes,
            "plan": plan.as_dict(),
            "warnings": warnings,
            "diff": differences(plan, facts),
        }
