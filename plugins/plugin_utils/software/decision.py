# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From facts and settings to a plan, or to the reasons why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.software import (
    cuda,
    gpudirect,
    matrix,
    nvidia_driver,
    plan,
    rdma_stack,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.stack import stack_of
from ansible_collections.lossless.fabric.plugins.plugin_utils.software.wanted import Platform, Wanted

BUILDERS = {
    "rdma_stack": rdma_stack.build,
    "nvidia_driver": nvidia_driver.build,
    "cuda": cuda.build,
    "gpudirect": gpudirect.build,
}


@dataclass
class Decision:
    """What is wanted, what differs, and what speaks against it."""

    wanted: Wanted
    plan: plan.Plan
    findings: list[matrix.Conflict]

    def messages(self, severity: str) -> list[str]:
        """Findings as text."""
        return [str(finding) for finding in self.findings if finding.severity == severity]

    def left(self, expected: str) -> list[str]:
        """What is not so and no step would mend. ``installed``: the steps were carried out, modules and services may
        still wait for a reboot; ``running``: nothing waits."""
        plan = self.plan
        if expected == "anything":
            return [] if plan.installation else list(plan.problems)
        steps = plan.installation or (expected == "running" and plan.starts)
        return [*plan.problems, *(plan.steps if steps else [])]


def decide(
    component: str,
    settings: Mapping[str, Any],
    variables: Mapping[str, Any],
    facts: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]] = (),
) -> Decision:
    """``variables``: the parts of the stack that roles of the play want, by name of the part; and EARLY."""
    platform = Platform.of(facts)
    gpus = bool(facts["gpus"] or settings.get("without_gpu"))
    stack, reason = stack_of(variables, facts, platform, gpus=gpus)
    if component == "gpudirect":
        settings = {**settings, "choice": stack.get("gpudirect", ("none",))[0], "reason": reason}
    wanted = BUILDERS[component](settings, platform, facts)
    if wanted.skip:
        return Decision(wanted, plan.Plan(manager=platform.data["manager"]), [])
    steps = plan.make(wanted, facts, platform)
    findings = [*matrix.conflicts(matrix.load(rows), stack), *plan.refusals(wanted, facts, steps)]
    if facts["gpus"] and gpudirect.lacks_repository(variables) and gpudirect.NO_REPOSITORY not in findings:
        findings.append(gpudirect.NO_REPOSITORY)
    return Decision(wanted, steps, findings)
