# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lossless.fabric.switch_facts: runs inside the Ansible worker on the control node; see the module of that name."""

from __future__ import annotations

from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.action import SwitchAction


class ActionModule(SwitchAction):
    """Read the operational state of a switch."""

    OPTIONS = {"model": {"type": "dict"}, "known_hosts": {"type": "path"}}

    def work(self, args: dict[str, Any]) -> dict[str, Any]:
        """Facts as plain data. Nothing is changed on the switch, in check mode or not."""
        driver = self.driver(args["model"])
        with self.connect(driver, args) as session:
            facts = driver.read_facts(session).as_dict()
        return {"changed": False, "facts": facts, "ansible_facts": {"switch_facts": facts}}
