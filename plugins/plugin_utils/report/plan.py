# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan as files: Markdown, one self-contained HTML page, CSV, a containerlab topology. Deterministic."""

from __future__ import annotations

import json
from dataclasses import astuple, fields
from functools import cache
from pathlib import Path

import jinja2

from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.plan import Plan
from ansible_collections.lossless.fabric.plugins.plugin_utils.report import containerlab, data, picture

FOLDER = Path(__file__).parent / "templates"


@cache
def _environment() -> jinja2.Environment:
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        undefined=jinja2.StrictUndefined,
        autoescape=jinja2.select_autoescape(["html.j2"], default=False),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters["gigabits"] = data.gigabits
    return env


def files(plan: Plan) -> dict[str, str]:
    """File name -> text."""
    cables = data.cables(plan)
    addresses = data.addresses(plan)
    context = {
        "plan": plan,
        "roles": _roles(plan),
        "bill": data.bill(plan),
        "designs": data.designs(plan),
        "numbers": data.numbers(plan),
        "cable_count": len(cables),
        "address_count": len(addresses),
        "classes": next(iter(plan.switches.values())).roce.classes if plan.switches else (),
        "roce": next(iter(plan.switches.values())).roce if plan.switches else None,
        "picture": picture.svg(plan),
        "tables": _json(
            {
                "cables": {"head": [f.name for f in fields(data.Cable)], "rows": [astuple(c) for c in cables]},
                "addresses": {
                    "head": [f.name for f in fields(data.AddressRow)],
                    "rows": [astuple(a) for a in addresses],
                },
            }
        ),
    }
    env = _environment()
    return {
        "plan.md": env.get_template("plan.md.j2").render(context),
        "plan.html": env.get_template("plan.html.j2").render(context),
        "cabling.csv": data.as_csv(cables),
        "addresses.csv": data.as_csv(addresses),
        "topology.clab.yml": containerlab.topology(plan),
    }


def _roles(plan: Plan) -> dict[str, int]:
    counts: dict[str, int] = {}
    for switch in plan.switches.values():
        counts[switch.role] = counts.get(switch.role, 0) + 1
    return counts


def _json(value: object) -> str:
    """JSON that may stand inside <script>."""
    return json.dumps(value, separators=(",", ":")).replace("</", "<\\/")
