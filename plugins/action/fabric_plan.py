# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lossless.fabric.fabric_plan: runs on the control node; see the module of that name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.plugins.action import ActionBase

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import IntentError
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.site import plan_site
from ansible_collections.lossless.fabric.plugins.plugin_utils.report.plan import files
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.files import write_text


class ActionModule(ActionBase):
    """Write the plan of a fabric to files."""

    TRANSFERS_FILES = False
    OPTIONS = {"intent": {"type": "path", "required": True}, "dest": {"type": "path", "required": True}}

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Plan, compare with the files that are there, write what differs."""
        result = super().run(tmp, task_vars)
        _, args = self.validate_argument_spec(argument_spec=self.OPTIONS)
        try:
            wanted = files(plan_site(args["intent"]))
        except IntentError as error:
            return result | {"failed": True, "changed": False, "msg": str(error)}
        folder = Path(args["dest"])
        diff, changed = [], False
        for name, text in wanted.items():
            path = folder / name
            before = path.read_text(encoding="utf-8") if path.is_file() else ""
            if before == text:
                continue
            if not self._task.check_mode:
                write_text(path, text)
            if not name.endswith(".html"):  # a page that is made from the same data: its diff tells nothing more
                diff.append({"before_header": str(path), "after_header": str(path), "before": before, "after": text})
            changed = True
        return result | {"changed": changed, "diff": diff, "files": [str(folder / name) for name in wanted]}
