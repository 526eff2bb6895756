# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the two reporting actions share: variables of other hosts, files, the time."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.files import write_text
from ansible_collections.lossless.fabric.plugins.plugin_utils.variables import may_be_template


class ReportAction(ActionBase):
    """Base of actions that run once and look at the variables of many hosts."""

    TRANSFERS_FILES = False
    OPTIONS: dict[str, Any] = {}

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Validate the options, then do the work."""
        result = super().run(tmp, task_vars)
        self.task_vars = task_vars or {}
        _, args = self.validate_argument_spec(argument_spec=self.OPTIONS)
        self.now = int(time.time())
        result.update({"changed": False} | self.work(args))
        return result

    def work(self, args: dict[str, Any]) -> dict[str, Any]:
        """The task result."""
        raise NotImplementedError

    @property
    def generated(self) -> str:
        """The time of this run as reports write it."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.now))

    def switches(self, args: dict[str, Any]) -> list[str]:
        """The switches to report on: as given, else the group ``switches``."""
        names = args["switches"]
        if names is None:
            names = self.task_vars.get("groups", {}).get("switches", [])
        if not names and not args.get("hosts"):
            raise AnsibleActionFail(
                "expected at least one switch, found none: give switches, or put them into the group switches"
            )
        return self.known("switches", names)

    def known(self, option: str, names: Sequence[str]) -> list[str]:
        """Names of an option, each once; all of them have to be in the inventory."""
        unknown = [name for name in names if name not in self.task_vars["hostvars"]]
        if unknown:
            raise AnsibleActionFail(f"expected hosts of the inventory in {option}, found {', '.join(unknown)}")
        return list(dict.fromkeys(names))

    def registered(self, host: str, variable: str) -> Mapping[str, Any] | None:
        """The result that ``host`` registered as ``variable``: data of ours, so nothing in it is a template."""
        value = self.task_vars["hostvars"].raw_get(host).get(variable)
        return value if isinstance(value, Mapping) else None

    def variable(self, host: str, name: str) -> Any:
        """A host variable as that host sees it."""
        value = self.task_vars["hostvars"].raw_get(host).get(name)
        return self.task_vars["hostvars"][host][name] if may_be_template(value) else value

    def write(self, path: str | None, text: str) -> None:
        """Write a report, unless nothing may be written."""
        if path and not self._task.check_mode:
            try:
                write_text(Path(path), text)
            except OSError as error:
                raise AnsibleActionFail(f"{path} cannot be written: {error.strerror or error}") from None

    def shown(self, path: str | None) -> str:
        """How messages name a report file."""
        return f"{path} (not written in check mode)" if path and self._task.check_mode else path or ""

    def show(self, text: str) -> None:
        """Print a report. Not as the message of the task: Ansible prints that only when it fails, and then twice."""
        self._display.display(text)


def as_json(document: dict[str, Any]) -> str:
    """Deterministic text of a report."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
