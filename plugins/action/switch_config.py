# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lossless.fabric.switch_config: runs inside the Ansible worker on the control node; see the module of that name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch import history
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.action import SwitchAction
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import Change, Driver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import ConsentMissing
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.files import write_text
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.render import render
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.report import (
    change_result,
    disruption_error,
    text_diff,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.transaction import Outcome, Transaction
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.unchanged import Unchanged


class ActionModule(SwitchAction):
    """Bring a switch to its intended configuration."""

    OPTIONS = {
        "model": {"type": "dict"},
        "state": {
            "type": "str",
            "default": "replaced",
            "choices": ["replaced", "planned", "rolled_back", "rendered", "gathered", "parsed"],
        },
        "running_config": {"type": "str"},
        "dest": {"type": "path"},
        "templates": {"type": "list", "elements": "path"},
        "allow_disruptive": {"type": "bool"},
        "confirm_timeout": {"type": "int", "default": 300},
        "save": {"type": "bool", "default": True},
        "history": {"type": "path"},
        "known_hosts": {"type": "path"},
        "cache": {"type": "bool"},
    }
    REQUIRED_IF = [("state", "parsed", ["running_config"]), ("state", "rolled_back", ["history"])]

    def work(self, args: dict[str, Any]) -> dict[str, Any]:
        """One of the states."""
        driver = self.driver(args["model"])
        return getattr(self, f"_{args['state']}")(driver, args)

    # -- without a switch ---------------------------------------------------------------------------------------
    def _rendered(self, driver: Driver, args: dict[str, Any]) -> dict[str, Any]:
        text = driver.dump(_intended(args)(driver))
        result: dict[str, Any] = {"changed": False, "rendered": text}
        if args["dest"]:
            path = Path(args["dest"])
            before = path.read_text(encoding="utf-8") if path.is_file() else ""
            result["changed"] = before != text
            result["diff"] = text_diff(before, text, str(path))
            if result["changed"] and not self._task.check_mode:
                write_text(path, text)
        return result

    def _parsed(self, driver: Driver, args: dict[str, Any]) -> dict[str, Any]:
        return {"changed": False, "parsed": driver.dump(driver.owned(driver.parse(args["running_config"])))}

    # -- reading only -------------------------------------------------------------------------------------------
    def _gathered(self, driver: Driver, args: dict[str, Any]) -> dict[str, Any]:
        with self.connect(driver, args) as session:
            owned = driver.owned(driver.parse(driver.read(session)))
        return {"changed": False, "gathered": driver.dump(owned)}

    def _planned(self, driver: Driver, args: dict[str, Any]) -> dict[str, Any]:
        """Work out what would be done. A switch that needs a change joins the group that is rolled out."""
        outcome = self._transaction(driver, args, unchanged=self._unchanged(driver, args)).bring_to(_intended(args))
        result = change_result(driver, outcome, self.host)
        if outcome.change:
            if not self._task.check_mode:
                _permit(driver, args)(outcome.change)  # before any switch is touched
            wave = str(self.task_vars.get("switch_wave", "a"))
            # Counted and shown by the task that does it, or in check mode predicts it.
            result |= {"changed": False, "diff": [], **self._join(f"rollout_{wave}")}
        return result

    def _unchanged(self, driver: Driver, args: dict[str, Any]) -> Unchanged | None:
        folder = self.task_vars.get("inventory_dir")
        if not args["cache"] or not folder:
            return None
        return Unchanged(Path(folder, ".state", "unchanged"), driver, args["templates"] or ())

    def _join(self, group: str) -> dict[str, Any]:
        """Put this host into a group for the next plays. ansible-core 2.21 has a call for it, 2.19 reads the result."""
        if hasattr(self, "add_group"):
            self.add_group(group, parent_group_names=["all"])
            return {}
        return {"add_group": group, "parent_groups": ["all"]}

    # -- changing -----------------------------------------------------------------------------------------------
    def _replaced(self, driver: Driver, args: dict[str, Any]) -> dict[str, Any]:
        permit = None if self._task.check_mode else _permit(driver, args)

        def record(outcome: Outcome) -> None:
            if args["history"]:
                history.record(Path(args["history"]), driver, outcome)

        outcome = self._transaction(driver, args, confirmed=record).bring_to(_intended(args), permit=permit)
        return change_result(driver, outcome, self.host)

    def _rolled_back(self, driver: Driver, args: dict[str, Any]) -> dict[str, Any]:
        entry = history.latest(Path(args["history"]), driver.model.name)
        if entry is None:
            return {
                "changed": False,
                "msg": f"{driver.model.name} was not changed by the last run: nothing to roll back",
            }
        driver = self.driver(entry.model)  # what was owned then decides what is given back
        before = driver.load(entry.before)
        permit = None if self._task.check_mode else _permit(driver, args)
        outcome: Outcome = self._transaction(driver, args).bring_to(lambda _: before, permit=permit)
        if not self._task.check_mode:
            history.forget(entry)
        return change_result(driver, outcome, self.host) | {"generation": entry.time}

    def _transaction(self, driver: Driver, args: dict[str, Any], **hooks: Any) -> Transaction:
        return Transaction(
            driver, lambda: self.connect(driver, args), timer=args["confirm_timeout"], save=args["save"], **hooks
        )


def _intended(args: dict[str, Any]) -> Any:
    folders = tuple(args["templates"] or ())

    def intended(driver: Driver) -> Any:
        return driver.intended(render(driver.model, driver.dialect_release, folders))

    return intended


def _permit(driver: Driver, args: dict[str, Any]) -> Any:
    def permit(change: Change) -> None:
        if change.disruptions and not args["allow_disruptive"]:
            raise ConsentMissing(disruption_error(driver.model.name, change))

    return permit
