# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One change on one switch: wholly done and proven, or wholly undone.

    clean up after an interrupted run -> read -> plan            (the caller may stop here: check mode)
    apply under a timer -> NEW session -> read back -> confirm -> save

Until the confirm is sent the switch undoes the change by itself. Whatever fails, we try to undo it at once over a new
session; the error then says what the switch is now: as before, or changed.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.driver import Change, Driver
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.errors import (
    Mismatch,
    SessionLost,
    SwitchError,
    Unreachable,
)
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import Session
from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.unchanged import Unchanged

NAME = "lossless-"  # every session, revision, checkpoint, job and file of ours on a switch starts with it
GRACE = 30.0  # seconds that a switch may take to undo a change after the timer
RETRY_PAUSE = 1.0  # seconds between two attempts to reach a switch that refused a connection


@dataclass
class Outcome:
    """What :func:`bring_to` found and did."""

    before: Any  # owned configuration as it was; None when it was not looked at because it is known to be as intended
    change: Change
    applied: bool = False
    saved: bool = False
    notes: list[str] = field(default_factory=list)


class Transaction:
    """The state of one change: enough to undo it from a new session."""

    def __init__(
        self,
        driver: Driver,
        connect: Callable[[], AbstractContextManager[Session]],
        *,
        timer: int = 300,
        save: bool = True,
        confirmed: Callable[[Outcome], None] = lambda outcome: None,
        unchanged: Unchanged | None = None,
    ) -> None:
        """``confirmed`` is called when a change is permanent, before it is saved, which may fail.

        ``unchanged`` answers for a configuration that it knows to be as intended, when nothing would be applied anyway.
        """
        self.driver = driver
        self.connect = connect
        self.timer = timer
        self.save = save
        self.confirmed = confirmed
        self.unchanged = unchanged
        self.name = NAME + secrets.token_hex(4)

    def bring_to(
        self,
        intended: Callable[[Driver], Any],
        *,
        permit: Callable[[Change], None] | None = None,
    ) -> Outcome:
        """Read the switch, plan, and unless ``permit`` is None or raises, apply.

        ``intended`` is asked after the switch was read, because the driver then knows the release.
        """
        driver = self.driver
        with self.connect() as session:
            removed = driver.clean(session) if permit else []
            text = driver.read(session)
            if not driver.running_release:
                driver.release(session)
            if self.unchanged and permit is None and self.unchanged.knows(text):
                return Outcome(None, Change())
            running = driver.parse(text)
            before = driver.owned(running)
            change = driver.plan(running, intended(driver))
            if self.unchanged and not change:
                self.unchanged.remember(text)
            outcome = Outcome(before, change, notes=[f"removed what an interrupted run had left: {r}" for r in removed])
            if not change or permit is None:
                return outcome
            permit(change)
            try:
                driver.apply(session, change, self.name, self.timer)
            except SessionLost as error:
                session.close()
                raise self._undo(error, before, change) from error
            except SwitchError as error:
                raise self._undo(error, before, change, session) from error
        self._confirm(before, change)
        outcome.applied = True
        self.confirmed(outcome)
        if self.save:
            self._save(outcome)
        return outcome

    # -- the second half ----------------------------------------------------------------------------------------
    def _confirm(self, before: Any, change: Change) -> None:
        """Reach the switch anew, see that it is what was planned, keep it."""
        driver = self.driver
        try:
            with self._reach() as session:
                now = driver.owned(driver.parse(driver.read(session)))
                if now != change.predicted:
                    raise Mismatch(
                        f"{session.target.where}: the switch accepted the change but reads back differently: "
                        + _first_difference(driver.dump(change.predicted), driver.dump(now))
                    )
                driver.confirm(session, self.name)
        except SwitchError as error:
            failure = self._undo(error, before, change)
            if isinstance(failure, _KeptError):
                return  # the confirm had arrived; only its answer was lost
            raise failure from error

    def _save(self, outcome: Outcome) -> None:
        for attempt in (1, 2):
            try:
                with self._reach() as session:
                    self.driver.save(session)
                outcome.saved = True
                return
            except SwitchError as error:
                if attempt == 2:
                    raise SwitchError(
                        f"{error}. The change is in force and confirmed but not saved for the next boot: "
                        "save it on the switch"
                    ) from error

    def _undo(self, error: SwitchError, before: Any, change: Change, session: Session | None = None) -> SwitchError:
        """Roll back, look at the switch, and return the error to raise."""
        driver = self.driver
        try:
            if session is not None:
                driver.roll_back(session, self.name)
                return self._verdict(error, session, before, change)
        except SwitchError:
            session.close()  # it broke as well: try a new one
        try:
            with self._reach() as fresh:
                driver.roll_back(fresh, self.name)
                return self._verdict(error, fresh, before, change)
        except SwitchError as second:
            return type(error)(
                f"{error}. Rolling back was not possible either ({second}). "
                f"The switch undoes the change by itself {self.timer} s after it was applied; run again then"
            )

    def _verdict(self, error: SwitchError, session: Session, before: Any, change: Change) -> SwitchError:
        driver = self.driver
        now = driver.owned(driver.parse(driver.read(session)))
        if now == before:
            return type(error)(f"{error}. The switch is as before, nothing is left behind")
        if now == change.predicted:
            return _KeptError(f"{error}. The change is in force and confirmed")
        return Mismatch(
            f"{error}. After the rollback the switch is not as before: "
            + _first_difference(driver.dump(before), driver.dump(now))
        )

    @contextmanager
    def _reach(self) -> Iterator[Session]:
        """A new session; keeps trying until the switch must have undone the change and be reachable again."""
        deadline = time.monotonic() + self.timer + GRACE
        with ExitStack() as opened:
            while True:
                try:
                    session = opened.enter_context(self.connect())
                    break
                except Unreachable as error:
                    if error.permanent or time.monotonic() > deadline:
                        raise
                    time.sleep(RETRY_PAUSE)  # the event to wait for is the switch answering; only asking again tells
            yield session


class _KeptError(SwitchError):
    """The failure hit after the change had become permanent."""


def _first_difference(expected: str, actual: str) -> str:
    """The first line that differs, for a message."""
    left, right = expected.splitlines(), actual.splitlines()
    missing = [line.strip() for line in left if line not in right]
    extra = [line.strip() for line in right if line not in left]
    return f"expected {missing[:3] or 'no more lines'}, found {extra[:3] or 'nothing instead'}"
