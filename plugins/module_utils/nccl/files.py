# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text of /etc/nccl.conf and of the profile drop-in, and what else on the host sets the same variables."""

from __future__ import annotations

import re
import shlex
import textwrap

WIDTH = 100
OURS = "# Managed by Ansible (role lossless.fabric.nccl): changes are overwritten."


def configuration(plan):
    """/etc/nccl.conf. Lines are NAME, the sign, VALUE without quotes; NCCL before 2.26 takes a comment with that sign
    for a variable, so comments have none."""
    lines = [OURS]
    lines += _comment("Every process that uses NCCL reads this file. Its environment and ~/.nccl.conf take precedence.")
    for name, value, comment in plan.settings:
        lines += ["", *_comment(comment), f"{name}={value}"]
    if plan.skipped:
        lines += ["", *_comment("Not set:")]
        reasons = {}
        for name, reason in plan.skipped:
            reasons.setdefault(reason, []).append(name)
        for reason, names in reasons.items():
            lines += _comment(f"{', '.join(names)}: {reason}.")
    return "\n".join(lines) + "\n"


def profile(plan, with_nccl):
    """Drop-in for login shells; None when there is nothing to say."""
    entries = list(plan.others)
    if with_nccl:
        entries = [(name, value, comment) for name, value, comment in plan.settings] + entries
    if not entries:
        return None
    lines = [OURS]
    lines += _comment("For login shells, and what they start: what is set already stays.")
    for name, value, comment in entries:
        lines += ["", *_comment(comment), f'[ -n "${{{name}+set}}" ] || export {name}={shlex.quote(value)}']
    return "\n".join(lines) + "\n"


def _comment(text):
    if "=" in text:
        text = text.replace("=", " is ")
    return textwrap.wrap(text, WIDTH, initial_indent="# ", subsequent_indent="# ")


def overrides(machine, values, own):
    """Warnings about other files that set what this host's file sets: the environment wins over nccl.conf."""
    warnings = []
    folder = "/etc/profile.d"
    paths = ["/etc/environment", *(f"{folder}/{n}" for n in machine.listdir(folder) if n.endswith(".sh"))]
    for path in paths:
        if machine.at(path) == own:
            continue
        for line in machine.lines(path):
            found = re.match(r"^\s*(?:export\s+)?(NCCL_[A-Z0-9_]+)=(.*)$", line)
            if not found:
                continue
            name, value = found.group(1), found.group(2).strip().strip("\"'")
            if name == "NCCL_IB_GID_INDEX" and name not in values:
                warnings.append(f"{path} sets {name}: NCCL then does not select the GID by address (remove the line)")
            elif name in values and value != values[name]:
                warnings.append(f"{path} sets {name} to another value, and wins over nccl.conf (remove the line)")
    return warnings
