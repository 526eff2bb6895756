# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lossless.fabric.preflight: reads the host with one module call, checks on the control node; see the module."""

from __future__ import annotations

import datetime
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.host import Host
from ansible_collections.lossless.fabric.plugins.plugin_utils.model.load import ModelError, load_host
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight import links
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.report import (
    document,
    headline,
    summary,
    text,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.runner import Verdict, examine
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import FactsError, View
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.waivers import WaiverError
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.files import write_text

FAILS = {"error": ("error",), "warning": ("error", "warning"), "never": ()}


class ActionModule(ActionBase):
    """Facts in, verdict out."""

    TRANSFERS_FILES = False
    OPTIONS: dict[str, Any] = {
        "model": {"type": "dict"},
        "hardware": {"type": "dict"},
        "facts": {"type": "dict"},
        "root": {"type": "path", "default": "/"},
        "waivers": {"type": "list", "elements": "dict", "default": []},
        "skip": {"type": "list", "elements": "str", "default": []},
        "report": {"type": "path"},
        "fail_on": {"type": "str", "default": "error", "choices": list(FAILS)},
        "fail_unknown": {"type": "bool", "default": False},
        "show_all": {"type": "bool", "default": False},
        "mlxlink": {"type": "bool", "default": False},
    }

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Validate, read, check, report."""
        result = super().run(tmp, task_vars)
        self.task_vars = task_vars or {}
        self.name = str(self.task_vars.get("inventory_hostname", "localhost"))
        _, args = self.validate_argument_spec(argument_spec=self.OPTIONS)
        host = self._host(args)
        facts = args["facts"]
        if facts is None:
            asked = {"root": args["root"], "mlxlink": args["mlxlink"]}
            answer = self._execute_module(
                module_name="lossless.fabric.host_facts", module_args=asked, task_vars=self.task_vars
            )
            if answer.get("failed") or "facts" not in answer:
                return answer  # unreachable, no Python, no sys: Ansible's own words
            facts = answer["facts"]
        try:
            view = View(facts, host)
            verdict = examine(view, [_plain(item) for item in args["waivers"]], skip=args["skip"])
        except (FactsError, WaiverError) as error:
            raise AnsibleActionFail(str(error)) from None
        report = document(self.name, view, verdict, _now())
        self._write(args["report"], report)
        if args["show_all"]:
            self._display.display(f"RDMA ports of {self.name}\n{links.table(report['links'])}\n")
        self._display.display(text(self.name, verdict, everything=args["show_all"]))
        result.update(changed=False, msg=headline(self.name, verdict), summary=summary(verdict))
        result["report"] = args["report"] or ""
        result["ansible_facts"] = {"host_facts": facts}
        result["findings"] = [o.as_dict() for o in verdict.outcomes if o.status in ("fail", "waived", "unknown")]
        if self._bad(verdict, args):
            # Ansible prints the whole result of a task that fails: the table and the report have the rest.
            result.pop("ansible_facts")
            result.pop("findings")
            result["failed"] = True
        return result

    @staticmethod
    def _bad(verdict: Verdict, args: dict[str, Any]) -> bool:
        failed = any(verdict.select("fail", severity) for severity in FAILS[args["fail_on"]])
        return failed or (args["fail_unknown"] and bool(verdict.select("unknown")))

    def _host(self, args: dict[str, Any]) -> Host | None:
        """The model with the expected hardware; a site without model gives the hardware alone."""
        data = args["model"] if args["model"] is not None else self._variable("host")
        if args["hardware"] is not None:
            data = dict(data) if data is not None else _BARE | {"name": self.name}
            data["hardware"] = args["hardware"]
        if data is None:
            return None
        try:
            return load_host(data, self.name)
        except ModelError as error:
            raise AnsibleActionFail(str(error)) from None

    def _variable(self, name: str) -> Any:
        value = self.task_vars.get(name)
        return self._templar.template(value) if value is not None else None

    def _write(self, path: str | None, data: dict[str, Any]) -> None:
        if path and not self._task.check_mode:
            try:
                write_text(Path(path), json.dumps(data, indent=2, ensure_ascii=False) + "\n")
            except OSError as error:
                raise AnsibleActionFail(f"{path} cannot be written: {error.strerror or error}") from None


# What the model needs and preflight does not look at.
_BARE: dict[str, Any] = {
    "nics": (),
    "roce": {"profile": "none", "trust": "dscp", "priority": 3, "dscp": (26,), "cnp_priority": 6, "cnp_dscp": (48,)},
}


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _plain(value: Any) -> Any:
    """YAML reads 2027-03-31 as a date; Ansible's own types are not Python's."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value) if isinstance(value, str) else value
