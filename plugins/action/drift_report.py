# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lossless.fabric.drift_report: runs once, on the control node; see the module of that name."""

from __future__ import annotations

from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.action import ReportAction, as_json
from ansible_collections.lossless.fabric.plugins.plugin_utils.verify.drift import Drift


class ActionModule(ReportAction):
    """Collect the plans of all switches."""

    OPTIONS = {
        "switches": {"type": "list", "elements": "str"},
        "results_var": {"type": "str", "default": "switch_plan"},
        "report": {"type": "path"},
        "metrics": {"type": "path"},
        "corrected": {"type": "bool", "default": False},
    }

    def work(self, args: dict[str, Any]) -> dict[str, Any]:
        """Drift as result, files and text."""
        corrected = args["corrected"]
        drift = Drift({name: self.registered(name, args["results_var"]) for name in self.switches(args)})
        self.write(args["report"], as_json(drift.document(self.generated, corrected)))
        self.write(args["metrics"], drift.metrics(self.now))
        self.show(drift.text(corrected, self.shown(args["report"])))
        result = {"msg": drift.headline(), "report": args["report"], "summary": drift.summary()}
        if drift.not_compared or (drift.drifted and not corrected):
            return result | {"failed": True}  # Ansible prints the whole result: the sections are in the file
        return result | {"switches": [switch.as_dict() for switch in drift.switches]}
