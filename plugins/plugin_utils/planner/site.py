# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One call for everybody who has a file: load, validate, plan."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.load import load
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import IntentError
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import PlanError
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.plan import Plan, plan


def plan_site(path: str) -> Plan:
    """The plan of an intent file. IntentError holds one line per problem, each with file and line."""
    with collector_paused():
        intent = load(path)
        try:
            return plan(intent.fabric)
        except PlanError as error:
            raise IntentError([intent.document.problem(*problem) for problem in error.problems]) from None


@contextmanager
def collector_paused() -> Iterator[None]:
    """A large site is a million live objects without cycles: looking for garbage among them doubles the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
