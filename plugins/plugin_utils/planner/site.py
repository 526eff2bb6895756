# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One call for everybody who has a file: load, validate, plan.

The measures of a design that is built stand in ``fabric.lock.yml`` next to the intent. Reading never writes it:

    PYTHONPATH=collections python -m ansible_collections.lossless.fabric.plugins.plugin_utils.planner.site FILE [--lock]

prints what the plan adds to or changes in what is committed (git HEAD), and with --lock writes the lock file.
"""

from __future__ import annotations

import argparse
import gc
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.document import Document
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.load import load, validate
from ansible_collections.lossless.fabric.plugins.plugin_utils.intent.problems import IntentError, Problem, dotted
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.checks import PlanError
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.delta import delta
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.design.measures import (
    Measures,
    as_text,
    from_data,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.findings import errors
from ansible_collections.lossless.fabric.plugins.plugin_utils.planner.plan import Plan, plan

LOCK = "fabric.lock.yml"


def plan_site(path: str, *, strict: bool = True) -> Plan:
    """The plan of an intent file. IntentError holds one line per problem, each with file and line.

    strict: errors that the checks of the whole fabric found are problems too. Otherwise they are in ``findings``.
    """
    with collector_paused():
        return _plan(load(path), read_lock(path), strict)


def _plan(intent, lock: Measures | None, strict: bool) -> Plan:
    document = intent.document
    try:
        planned = plan(intent.fabric, lock)
    except PlanError as error:
        raise IntentError([_problem(document, *problem) for problem in error.problems]) from None
    found = errors(planned.findings) if strict else []
    if found:
        problems = []
        for finding in found:
            section = "switches" if finding.device in planned.switches else "hosts"
            path = (section, finding.device) if finding.device else ()
            text = f"{finding.port}: {finding.text}" if finding.port else finding.text
            problems.append(_problem(document, path, f"{finding.check}: {text}"))
        raise IntentError(problems)
    return planned


def _problem(document: Document, path: tuple, text: str) -> Problem:
    """A problem of a generated device stands at the design."""
    data = document.data
    if (
        "design" in data
        and len(path) > 1
        and path[1] not in (data.get(path[0]) or ())
        and path[0] in ("switches", "hosts")
    ):
        return document.problem(("design",), f"{dotted(path)}: {text}")
    return document.problem(path, text)


def read_lock(path: str) -> Measures | None:
    """Measures of the fabric that is built; None without a lock file."""
    file = Path(path).with_name(LOCK)
    if not file.exists():
        return None
    document = Document.read(str(file))
    if document.problems:
        raise IntentError(document.problems)
    try:
        return from_data(document.data)
    except ValueError as error:
        raise IntentError([Problem(document.name, 1, "", str(error))]) from None


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


# -- command line -----------------------------------------------------------------------------------------------------


def _committed(path: Path) -> Plan | None:
    """The plan of what git has at HEAD; None for a new file."""

    def show(name: str) -> str | None:
        run = subprocess.run(
            ["git", "show", f"HEAD:./{name}"], cwd=path.parent, capture_output=True, text=True, check=False
        )
        return run.stdout if run.returncode == 0 else None

    text = show(path.name)
    if text is None:
        return None
    lock = show(LOCK)
    measures = from_data(Document(lock, LOCK).data) if lock is not None else None
    return _plan(validate(Document(text, f"HEAD:{path.name}")), measures, strict=False)


def main() -> int:
    """Show the delta; write the lock file when asked."""
    parser = argparse.ArgumentParser(description="What a plan changes in what is committed.")
    parser.add_argument("file", type=Path, help="inventories/SITE/fabric.yml")
    parser.add_argument("--lock", action="store_true", help=f"write {LOCK} next to it")
    arguments = parser.parse_args()
    path = arguments.file.resolve()
    try:
        planned = plan_site(str(path))
        old = _committed(path)
    except IntentError as error:
        print(error, file=sys.stderr)
        return 1
    print(delta(old, planned) if old is not None else f"{planned.fabric}: nothing is committed yet")
    for finding in planned.findings:
        print(finding)
    if arguments.lock and planned.measures is not None:
        path.with_name(LOCK).write_text(as_text(planned.measures))
        print(f"written: {LOCK}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
