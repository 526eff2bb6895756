# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the NIC modules end: findings that are errors become one line."""

from __future__ import annotations


def finish(module, result, errors):
    """Leave the module with ``result``; with errors (findings) it fails and names all of them."""
    if not errors:
        module.exit_json(**result)
    lines = [
        f"{e['nic']}: {e['key']}: expected {e['expected']}, found {e['actual']} ({e['where']}; {e['remedy']})"
        for e in errors
    ]
    module.fail_json(msg="; ".join(lines), **result)
