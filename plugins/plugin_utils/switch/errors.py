# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong with a switch. Messages say expected, actual, where and what to do; none carries a secret."""

from __future__ import annotations


class SwitchError(Exception):
    """Base of all errors that name one switch."""


class Unreachable(SwitchError):
    """No session: refused, timed out, host key or credentials not accepted."""

    def __init__(self, message: str, *, permanent: bool = False) -> None:
        super().__init__(message)
        self.permanent = permanent  # trying again cannot help


class SessionLost(SwitchError):
    """An open session ended or fell silent."""


class Refused(SwitchError):
    """The switch rejected a command."""

    def __init__(self, message: str, command: str = "", answer: str = "") -> None:
        super().__init__(message)
        self.command = command
        self.answer = answer


class Busy(SwitchError):
    """The switch is locked by another user or has no room for a transaction."""


class Unreadable(SwitchError):
    """Output that we do not understand."""


class ConsentMissing(SwitchError):
    """The change may drop traffic or flap a link, and nobody allowed it."""


class Mismatch(SwitchError):
    """The switch accepted everything and is not what was predicted."""
