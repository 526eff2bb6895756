# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration sessions of EOS: candidates, commit with a timer, abort."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lab.eos.tree import Tree

MAX_PENDING = 5
FULL = (
    "% Maximum number of pending sessions has been reached. "
    "Please commit or abort previous sessions before creating a new one."
)


class SessionError(Exception):
    """What EOS prints when a session cannot do what was asked."""


@dataclass
class Session:
    """One candidate configuration."""

    name: str
    tree: Tree
    user: str
    state: str = "pending"  # pending, pendingCommitTimer, completed
    before: Tree | None = None  # running configuration to return to when the timer runs out
    deadline: float = 0.0
    completed: float = 0.0


class Sessions:
    """All sessions of one switch."""

    def __init__(
        self,
        running: Callable[[], Tree],
        replace: Callable[[Tree], None],
        clock: Callable[[], float],
        modern: Callable[[], bool],
    ) -> None:
        self._running = running
        self._replace = replace
        self._clock = clock
        self._modern = modern  # EOS 4.32 and later tell a running commit timer in another way
        self._sessions: dict[str, Session] = {}
        self._number = 0

    def pending(self) -> list[Session]:
        return [s for s in self._sessions.values() if s.state == "pending"]

    def waiting(self) -> Session | None:
        """The session whose commit timer runs."""
        return next((s for s in self._sessions.values() if s.state == "pendingCommitTimer"), None)

    def get(self, name: str) -> Session | None:
        return self._sessions.get(name)

    def clear(self) -> None:
        self._sessions.clear()

    def open(self, name: str | None, user: str) -> Session:
        """Enter a pending session, or make a new one from the running configuration."""
        if name is None:
            self._number += 1
            name = f"sess--{self._number}"
        session = self._sessions.get(name)
        if session is not None:
            if session.state != "pending":
                raise SessionError(f"% Cannot enter session {name} (already completed). Please create a new session.")
            return session
        if len(self.pending()) >= MAX_PENDING:
            raise SessionError(FULL)
        session = Session(name, self._running().copy(), user)
        self._sessions[name] = session
        return session

    def commit(self, session: Session, timer: float | None) -> None:
        """Put a candidate into force, start or restart its timer, or (without timer) confirm it."""
        waiting = self.waiting()
        if waiting is not None and waiting is not session:
            raise SessionError(
                f"% Cannot commit session {session.name}: session {waiting.name} is pending commit timer confirmation."
            )
        if session.state == "completed":
            raise SessionError(f"% Session {session.name} is already completed.")
        if session.state == "pending":
            session.before = self._running()
            self._replace(session.tree.copy())
        if timer is not None:
            session.state, session.deadline = "pendingCommitTimer", self._clock() + timer
            return
        session.state, session.before, session.completed = "completed", None, self._clock()
        for other in [s for s in self._sessions.values() if s.state == "completed" and s is not session]:
            del self._sessions[other.name]

    def abort(self, session: Session) -> None:
        if session.state == "completed":
            raise SessionError(f"% Session {session.name} is already completed.")
        if session.state == "pendingCommitTimer":
            assert session.before is not None
            self._replace(session.before)
        del self._sessions[session.name]

    def tick(self) -> None:
        waiting = self.waiting()
        if waiting is not None and self._clock() >= waiting.deadline:
            self.abort(waiting)

    # -- show configuration sessions ---------------------------------------------------------------------------
    def as_json(self) -> dict[str, Any]:
        modern = self._modern()
        waiting = self.waiting()
        result: dict[str, Any] = {
            "maxSavedSessions": 1,
            "maxOpenSessions": MAX_PENDING,
            "mergeOnCommit": False,
            "saveToStartupConfigOnCommit": False,
            "sessions": {
                s.name: {
                    "state": "committed" if modern and s is waiting else s.state,
                    "commitUser": "" if s.state == "pending" else s.user,
                    "description": "",
                    "instances": {},
                }
                for s in self._sessions.values()
            },
        }
        if waiting is not None:
            if modern:
                result["commitTimerSessionName"] = waiting.name
                result["commitTimerExpireTime"] = waiting.deadline
            else:
                result["sessions"][waiting.name]["commitTimeLeft"] = waiting.deadline - self._clock()
        return result

    def as_text(self) -> str:
        lines = [
            "Maximum number of completed sessions: 1",
            f"Maximum number of pending sessions: {MAX_PENDING}",
            "Merge on commit is disabled",
            "Autosave to startup-config on commit is disabled",
            "",
            f"   {'Name':<24} {'State':<22} {'User':<12} Commit Time Left",
            f"   {'-' * 24} {'-' * 22} {'-' * 12} ----------------",
        ]
        for s in self._sessions.values():
            left = f"{s.deadline - self._clock():.0f} s" if s.state == "pendingCommitTimer" else ""
            lines.append(f"   {s.name:<24} {s.state:<22} {s.user:<12} {left}".rstrip())
        return "\n".join(lines)
