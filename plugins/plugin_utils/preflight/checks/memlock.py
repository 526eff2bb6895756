# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory lock limits."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.check import Check
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.outcome import Outcome
from ansible_collections.lossless.fabric.plugins.plugin_utils.preflight.view import View


class Memlock(Check):
    """Logins and services may lock enough memory."""

    name = "memlock"
    reads = "limit of this login (/proc/self/limits) and systemd's default for services"
    why = "RDMA registers memory by locking it: ibv_reg_mr fails with ENOMEM, NCCL falls back or aborts"
    remedy = (
        "set memlock unlimited for * and root in /etc/security/limits.d and DefaultLimitMEMLOCK=infinity in systemd"
    )

    def examine(self, view: View) -> Iterator[Outcome]:
        limits = view.facts["memlock"]
        # The kernel asks for the soft limit; few programs raise it to the hard one.
        yield self._one(view, "login", limits["session_soft"])
        if limits["services"] is None:
            yield self.skip("systemd does not tell its default", "services")
        else:
            yield self._one(view, "services", limits["services"])

    def _one(self, view: View, subject: str, limit: int | None) -> Outcome:
        wanted = view.hardware.memlock
        expected = "unlimited" if wanted is None else f"{wanted >> 20} MiB or more"
        if limit is None:
            return self.answer(subject, expected, "not readable", None)
        good = limit == -1 or (wanted is not None and limit >= wanted)
        return self.answer(subject, expected, "unlimited" if limit == -1 else f"{limit >> 10} KiB", good)
