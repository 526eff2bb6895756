# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lossless.fabric.software_plan: reads the host with one module call, plans on the control node; see the module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

from ansible_collections.lossless.fabric.plugins.plugin_utils.software import (
    cuda,
    gpudirect,
    matrix,
    nvidia_driver,
    plan,
    rdma_stack,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.stack import VARIABLES, stack_of
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.versions import RangeError
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.wanted import NotSupported, Platform, Wanted

BUILDERS = {
    "rdma_stack": rdma_stack.build,
    "nvidia_driver": nvidia_driver.build,
    "cuda": cuda.build,
    "gpudirect": gpudirect.build,
}


class ActionModule(ActionBase):
    """Facts in, plan out."""

    TRANSFERS_FILES = False
    OPTIONS: dict[str, Any] = {
        "component": {"type": "str", "required": True, "choices": list(BUILDERS)},
        "settings": {"type": "dict", "required": True},
        "matrix": {"type": "list", "elements": "dict", "default": []},
        "expect": {"type": "str", "choices": ["anything", "installed", "running"], "default": "anything"},
        "root": {"type": "path", "default": "/"},
    }

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Read, check, plan."""
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
            platform = Platform.of(facts)
            stack, reason = stack_of(self._variables(), facts, platform)
            settings = dict(args["settings"])
            if args["component"] == "gpudirect":
                settings |= {"choice": stack.get("gpudirect", ("none",))[0], "reason": reason}
            wanted = BUILDERS[args["component"]](settings, platform, facts)
            rows = matrix.load(args["matrix"])
            findings = [] if wanted.skip else list(matrix.conflicts(rows, stack))
        except (NotSupported, matrix.MatrixError, RangeError) as error:
            raise AnsibleActionFail(str(error)) from None
        steps = plan.Plan(manager=platform.data["manager"]) if wanted.skip else plan.make(wanted, facts, platform)
        findings += plan.refusals(wanted, facts, steps)
        self._refuse(wanted, findings)
        self._expect(wanted, steps, args["expect"])
        result.update(self._report(wanted, steps, facts, [f for f in findings if f.severity == "warning"]))
        return result

    def _variables(self) -> dict[str, Any]:
        """Those of all four roles, as far as the play has them."""
        names = VARIABLES.values()
        present = {name: self.task_vars[name] for name in names if self.task_vars.get(name) is not None}
        values = {name: self._templar.template(value) for name, value in present.items()}
        return {part: values.get(name) for part, name in VARIABLES.items()}

    @staticmethod
    def _refuse(wanted: Wanted, findings: list[matrix.Conflict]) -> None:
        errors = [str(finding) for finding in findings if finding.severity == "error"]
        if errors:
            raise AnsibleActionFail(f"{wanted.what}: nothing was installed. " + "; ".join(errors))

    @staticmethod
    def _expect(wanted: Wanted, steps: plan.Plan, expected: str) -> None:
        """After the steps were carried out."""
        data = steps.as_dict()
        left: list[str] = []
        if expected != "anything" and data["install"]:
            left += steps.steps
        if expected != "anything":
            left += steps.problems
        if expected == "running" and data["start"]:
            left += steps.steps
        if left:
            found = "; ".join(dict.fromkeys(left))
            raise AnsibleActionFail(f"{wanted.what}: expected nothing left to do afterwards, found: {found}")

    def _report(
        self, wanted: Wanted, steps: plan.Plan, facts: Mapping[str, Any], findings: list[matrix.Conflict]
    ) -> dict[str, Any]:
        warnings = [str(finding) for finding in findings]
        waits = f"{wanted.what}: a reboot is needed: {'; '.join(steps.reboot)} (allow it with hosts_allow_reboot)"
        if steps.reboot and not steps.steps:
            warnings.append(waits)
        return {
            "changed": bool(self._task.check_mode and steps.steps),
            "msg": wanted.skip or "; ".join(steps.steps) or f"{wanted.what}: as wanted",
            "notes": wanted.notes,
            "plan": steps.as_dict(),
            "warnings": warnings,
            "diff": plan.differences(steps, facts),
        }
