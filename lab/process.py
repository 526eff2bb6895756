# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes of the lab: start a daemon and wait until it says that it is ready, end a process and wait until it has."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]


def start(module: str, folder: Path, log: Path, text: str) -> str:
    """Run ``python -m MODULE FOLDER DESCRIPTOR`` in a session of its own and return what it says.

    ``text`` goes to its standard input, never to disk. The daemon writes ``ready`` to the descriptor, or why not;
    nothing is returned when it ends without a word.
    """
    told, tell = os.pipe()
    with log.open("ab") as log_file:
        process = subprocess.Popen(
            [sys.executable, "-m", module, str(folder), str(tell)],
            cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=log_file, stderr=log_file,
            pass_fds=[tell], start_new_session=True,
        )  # fmt: skip
    os.close(tell)
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):  # it ended at once; the answer says so
        process.stdin.write(text.encode())
        process.stdin.close()
    with os.fdopen(told) as answer:
        return answer.read()


def end(pid: int, seconds: float, ask: Callable[[], None] | None = None) -> bool:
    """Ask a process to end, with SIGTERM unless there is another way, and tell whether it did so in time."""
    watch = os.pidfd_open(pid)
    try:
        if ask is None:
            signal.pidfd_send_signal(watch, signal.SIGTERM)
        else:
            ask()
        ended, _, _ = select.select([watch], [], [], seconds)
    finally:
        os.close(watch)
    return bool(ended)
