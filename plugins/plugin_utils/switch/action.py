# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the switch actions share: options, the connection's settings, errors as task failures.

The work is done in the Ansible worker itself; no module is sent anywhere and no process is started.
"""

from __future__ import annotations

import gc
from abc import abstractmethod
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from ansible.plugins.action import ActionBase
from ansible.plugins.loader import connection_loader, filter_loader, shell_loader

from ansible_collections.lossless.fabric.plugins.plugin_utils.model.load import ModelError, load_switch
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import Driver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import SwitchError
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.platforms import driver_for, preload
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import Session, Target, connect
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.unchanged import own_code
from ansible_collections.lossless.fabric.plugins.plugin_utils.variables import may_be_template

# Ansible imports action plugins before it forks its workers: load here, once, what every worker would otherwise load
# anew for its one switch. That is netmiko and the drivers, and the plugins that hold the settings of the connection
# and the filters of our tasks, whose long documentation Ansible parses.
preload()
own_code()
connection_loader.get("lossless.fabric.switch", class_only=True)
shell_loader.get("sh", class_only=True)
filter_loader.get("default")
# What exists now lives as long as the run. Without this the garbage collector of every worker visits all of it, the
# inventory of the whole site included, and so copies the memory that the workers share.
gc.freeze()

# Options that a task need not give, and the host variables that are their defaults (the model: ``switch``).
VARIABLES = {
    "templates": "switch_templates",
    "allow_disruptive": "switch_allow_disruptive",
    "known_hosts": "switch_known_hosts",
    "cache": "switch_cache",
}


class SwitchAction(ActionBase):
    """Base of the actions that speak to one switch."""

    TRANSFERS_FILES = False
    OPTIONS: ClassVar[dict[str, Any]] = {}
    REQUIRED_IF: ClassVar[list[Any]] = []

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Validate the options, do the work, turn what can go wrong into one message."""
        result = super().run(tmp, task_vars)
        self.task_vars = task_vars or {}
        self.host = self.task_vars.get("inventory_hostname", "")
        for option, variable in VARIABLES.items():
            if option in self.OPTIONS and option not in self._task.args and variable in self.task_vars:
                self._task.args[option] = self._variable(variable)
        _, args = self.validate_argument_spec(argument_spec=self.OPTIONS, required_if=self.REQUIRED_IF)
        if args["model"] is None:
            args["model"] = self._variable("switch")
        try:
            result.update(self.work(args))
        except (SwitchError, ModelError) as error:
            # Returned, not raised: a raised error ignores failed_when, and drift.yml wants it as a line of its report.
            result.update(failed=True, changed=False, msg=str(error))
        return result

    @abstractmethod
    def work(self, args: dict[str, Any]) -> dict[str, Any]:
        """The task result."""

    def _variable(self, name: str) -> Any:
        """A host variable. As an argument of the task it would be compiled, templated and copied for every switch."""
        value = self.task_vars.get(name)
        return self._templar.template(value) if may_be_template(value) else value

    def driver(self, model: dict[str, Any]) -> Driver:
        """The driver for a model that came as plain data."""
        return driver_for(load_switch(model, f"host variable switch of {self.host}"))

    def connect(self, driver: Driver, args: dict[str, Any]) -> AbstractContextManager[Session]:
        """A session with the settings that Ansible has for this host (variables, -u, -k, --private-key)."""
        option = self._connection.get_option
        target = Target(
            name=self.host,
            host=str(option("host")),
            port=int(option("port") or 22),
            user=str(option("remote_user") or ""),
            password=option("password") or None,
            key_file=option("private_key_file") or None,
            known_hosts=args["known_hosts"],
            check_host_key=bool(option("host_key_checking")),
            timeout=float(option("timeout")),
        )
        return connect(target, driver.dialect)
