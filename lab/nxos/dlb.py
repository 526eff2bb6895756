# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dynamic load balancing: ``hardware profile dlb``, which comes into force with a reload (NX-OS 10.5(1)F and later).

Interfaces add up over several ``dlb-interface`` lines (published examples) and are printed as one list, as
``show system config reload-pending`` does.
"""

from __future__ import annotations

import re

from lab.nxos import values
from lab.nxos.device import NxosDevice
from lab.nxos.grammar import Match, Reject
from lab.nxos.shell import GRAMMAR, Context, NxosShell, setting

_SECTION = "hardware profile dlb"
_RULE = "=" * 54


def _known(device: NxosDevice, ctx: Context) -> bool:
    return [int(part) for part in re.findall(r"\d+", device.release or "")[:2]] >= [10, 5]


@GRAMMAR.command("config", _SECTION, f"no {_SECTION}", when=_known)
def profile(shell: NxosShell, match: Match) -> None:
    if match.negated:
        shell.drop(_SECTION)
        return
    shell.put(_SECTION)
    shell.enter("config-dlb", (_SECTION,))


@GRAMMAR.command("config-dlb", "dlb-interface <names:ifaces>", "no dlb-interface [<names:ifaces>]")
def interfaces(shell: NxosShell, match: Match) -> None:
    now = _listed(shell.lines())
    named = match.get("names") or now
    for name in named:
        if values.kind_of(name) != "Ethernet" or not shell.device.port(name).routed:
            raise Reject(f"ERROR: {name}: DLB is supported on layer 3 physical interfaces only")
        if match.negated and name not in now:
            raise Reject(f"ERROR: {name} is not a DLB interface")
    wanted = [n for n in now if n not in named] if match.negated else [*now, *named]
    shell.drop("dlb-interface")
    if wanted:
        shell.put(f"dlb-interface {_short(wanted)}", "dlb-interface")


def _listed(lines: list[str]) -> list[str]:
    found = next((line.split()[1] for line in lines if line.startswith("dlb-interface ")), "")
    return values.interface_range(found) or []


def _short(names: list[str]) -> str:
    return ",".join(values.short_name(name) for name in sorted(set(names), key=values.natural))


setting("config-dlb", "mode {flowlet|per-packet|policy-driven {flowlet|per-packet}}", "mode", "mode flowlet")
setting("config-dlb", "flowlet-aging <microseconds:1-2000000>", "flowlet-aging", "flowlet-aging 500")
setting("config-dlb", "mac-address <mac:word>", "mac-address", "mac-address 00:cc:cc:cc:cc:cc")


@GRAMMAR.command("exec", "show system config reload-pending")
def show_reload_pending(shell: NxosShell, match: Match) -> str:
    device = shell.device
    now, booted = device.dlb(), device.booted_dlb
    pending = [line for line in now if line not in booted] + [f"no {line}" for line in booted if line not in now]
    if not pending:
        return "No configuration pending reload"
    rows = [f"{number:<8}{line}" for number, line in enumerate(pending)]
    return "\n".join(["Following config commands require copy r s + reload :", _RULE, *rows, _RULE])
