# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Show commands of the configuration."""

from __future__ import annotations

import re

from lab.nxos.device import NxosDevice, Port
from lab.nxos.grammar import Match, Reject
from lab.nxos.shell import GRAMMAR, NxosShell


def _header(shell: NxosShell, command: str) -> str:
    device = shell.device
    return (
        f"\n!Command: {command}\n!Running configuration last done at: {device.date(device.changed_at)}\n"
        f"!Time: {device.date(device.clock())}\n"
    )


def _printed(text: str) -> str:
    """The terminal adds the newline that ends the last line."""
    return text[:-1] if text.endswith("\n") else text


@GRAMMAR.command("exec", "show running-config", "show running-config exclude security")
def show_running(shell: NxosShell, match: Match) -> str:
    return _header(shell, match.line) + _printed(shell.device.running())


@GRAMMAR.command("exec", "show startup-config")
def show_startup(shell: NxosShell, match: Match) -> str:
    device = shell.device
    saved = f"!Startup config saved at: {device.date(device.changed_at)}\n"
    return _header(shell, match.line) + saved + _printed(device.startup())


def _version_line(device: NxosDevice) -> str:
    return next((n.raw for n in device.config.children if n.text.startswith("version ")), f"version {device.release}")


@GRAMMAR.command("exec", "show running-config interface [<names:ifaces>] [all]")
def show_running_interface(shell: NxosShell, match: Match) -> str:
    device = shell.device
    parts = []
    for name in match.get("names") or [n for n in device.interfaces() if device.port(n).node]:
        port = device.port(name)
        if port.node is None and name not in device.ports:
            raise Reject(f"ERROR: Interface {name} does not exist")
        lines = [child.raw for child in port.node.walk()] if port.node else []
        if "all" in match:
            lines += [f"  {line}" for line in _hidden(port)]
        parts.append("\n".join([f"interface {name}", *lines]))
    return _header(shell, match.line) + f"\n{_version_line(device)}\n\n" + "\n\n".join(parts)


def _hidden(port: Port) -> list[str]:
    """Lines that are in force and only ``all`` prints."""
    defaults = {"mtu": "1500"}
    if port.kind == "Ethernet":
        defaults |= {
            "priority-flow-control mode": "auto",
            "priority-flow-control watch-dog-interval": "off",
            "speed": "auto",
            "fec": "auto",
            "flowcontrol receive": "off",
            "flowcontrol send": "off",
        }
    if not port.routed:
        defaults |= {
            "switchport mode": "access",
            "switchport access vlan": "1",
            "switchport trunk allowed vlan": "1-4094",
        }
    found = [f"{key} {value}" for key, value in defaults.items() if not port.value(key)]
    return found + (
        [] if any("shutdown" in ln for ln in port.lines) else ["no shutdown" if port.admin_up else "shutdown"]
    )


@GRAMMAR.command("exec", "show running-config all")
def show_running_all(shell: NxosShell, match: Match) -> str:
    device = shell.device
    parts: list[str] = []
    for node in device.config.children:
        parts += [node.raw, *(child.raw for child in node.walk())]
        if node.text.startswith("interface ") and node.text[10:] in device.interfaces():
            parts += [f"  {line}" for line in _hidden(device.port(node.text[len("interface ") :]))]
    return _header(shell, match.line) + _printed("\n".join(parts))


_SECTIONS = {
    "ipqos": r"class-map|policy-map|system qos|priority-flow-control",
    "vlan": r"vlan ",
    "lldp": r"feature lldp|(no )?lldp ",
    "scheduler": r"feature scheduler|scheduler ",
}


@GRAMMAR.command("exec", *(f"show running-config {name}" for name in _SECTIONS))
def show_running_section(shell: NxosShell, match: Match) -> str:
    name = match.words[2]
    parts = [_version_line(shell.device)]
    for node in shell.device.config.children:
        if re.match(_SECTIONS[name], node.text):
            parts += [node.raw, *(child.raw for child in node.walk())]
        elif name == "ipqos" and node.text.startswith("interface "):
            lines = [c.raw for c in node.children if re.match(r"service-policy|priority-flow-control", c.text)]
            parts += ["", node.raw, *lines] if lines else []
    return _header(shell, match.line) + "\n" + "\n".join(parts)
