# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All commands: importing them registers them in the grammar of the shell."""

from __future__ import annotations

from lab.nxos import (
    breakout,
    dlb,
    interfaces,
    lifecycle,
    policy,
    qos,
    routing,
    scheduler,
    show_config,
    show_interfaces,
    show_lldp,
    show_qos,
    show_routing,
    show_switch,
    system,
    vpc,
)
from lab.nxos.shell import NxosShell

MODULES = (
    *(system, breakout, dlb, interfaces, policy, routing, vpc, qos, scheduler, lifecycle),
    *(show_config, show_switch, show_interfaces, show_lldp, show_qos, show_routing),
)

__all__ = ["MODULES", "NxosShell"]
