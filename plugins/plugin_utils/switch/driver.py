# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a platform has to provide: one subclass of :class:`Driver` per platform.

The upper half is pure (text in, data out) and tested without a device. The lower half speaks to one open
:class:`~.session.Session`. ``transaction`` decides the order and what happens when something fails; a driver never
reconnects, retries or sleeps.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from ansible_collections.lossless.fabric.plugins.plugin_utils.model.switch import Switch
    from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.facts import Facts
    from ansible_collections.lossless.fabric.plugins.plugin_utils.switch.session import Dialect, Session

# The concerns, in the order of rendering and of reports. A template of that name exists per platform.
CONCERNS = ("vlans", "qos", "ports", "lldp", "ecmp", "bonds", "underlay")


@dataclass(frozen=True)
class SectionDiff:
    """One section of the configuration that differs: owned lines only."""

    concern: str
    path: tuple[str, ...]  # ("interface Ethernet1/1",); () for lines at the top level
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class Disruption:
    """A change that may drop traffic or flap a link, and why."""

    kind: str  # key of the platform's disruption table: "network-qos", "port-speed" ...
    where: str  # port or object
    reason: str  # one sentence


@dataclass(frozen=True)
class Change:
    """Everything that one transaction will do. Empty ``diffs`` means: nothing to do, nothing will be sent."""

    diffs: tuple[SectionDiff, ...] = ()
    commands: tuple[str, ...] = ()  # exactly what is sent, in order
    disruptions: tuple[Disruption, ...] = ()
    predicted: Any = field(default=None, compare=False)  # owned configuration afterwards; equals read-back of owned()

    def __bool__(self) -> bool:
        return bool(self.diffs)


class Driver(ABC):
    """One platform. Instances are cheap and belong to one switch."""

    platform: ClassVar[str]
    dialect: ClassVar[Dialect]  # prompt, error texts and terminal setup for the session
    clock: ClassVar[re.Pattern[str] | None] = None  # what read() shows that differs from one reading to the next

    def __init__(self, model: Switch) -> None:
        self.model = model
        self.running_release = ""  # what the switch runs, "4.32.2F"; set by read() where it shows it, else by release()

    @property
    def dialect_release(self) -> tuple[int, int] | None:
        """(major, minor) to render for: what the switch runs, else what the model expects, else None."""
        found = re.match(r"(\d+)\.(\d+)", self.running_release or self.model.release or "")
        return (int(found[1]), int(found[2])) if found else None

    # -- pure ---------------------------------------------------------------------------------------------------
    def steady(self, running: str) -> str:
        """A running configuration less the time at which it was read."""
        return self.clock.sub("", running) if self.clock else running

    @abstractmethod
    def parse(self, running: str) -> Any:
        """Normalised structure of a whole running configuration, unowned parts included."""

    @abstractmethod
    def owned(self, config: Any) -> Any:
        """The part of a parsed configuration that the model owns, normalised so that == means equal on the device."""

    @abstractmethod
    def intended(self, rendered: Mapping[str, str]) -> Any:
        """The owned configuration that the templates describe: concern -> rendered text. Same structure as owned()."""

    @abstractmethod
    def plan(self, running: Any, intended: Any) -> Change:
        """The one change that brings owned(running) to intended. ``running`` is what parse() returned."""

    @abstractmethod
    def dump(self, owned: Any) -> str:
        """Owned configuration as reviewable text (CLI lines, or YAML for trees). Equal text means a == b."""

    @abstractmethod
    def load(self, text: str) -> Any:
        """Inverse of dump(); also reads hand-written files of the same form."""

    # -- on a session -------------------------------------------------------------------------------------------
    @abstractmethod
    def release(self, session: Session) -> str:
        """Software release, "4.32.2F"; also stored in ``running_release``, since rendering may depend on it."""

    @abstractmethod
    def read(self, session: Session) -> str:
        """The running configuration as text for parse(). One command; sets ``running_release`` if the text names it."""

    @abstractmethod
    def clean(self, session: Session) -> list[str]:
        """Remove what an interrupted run of ours left behind (pending: roll back). Returns what was removed."""

    @abstractmethod
    def apply(self, session: Session, change: Change, name: str, timer: int) -> None:
        """Bring ``change`` into force under transaction ``name`` with automatic rollback after ``timer`` seconds.

        Raises Refused when the switch rejects a line, Busy when it is locked or full; nothing is in force then, or
        roll_back(name) undoes it.
        """

    @abstractmethod
    def confirm(self, session: Session, name: str) -> None:
        """Keep the change: stop the timer of ``name``. Called on a session opened after apply()."""

    @abstractmethod
    def roll_back(self, session: Session, name: str) -> None:
        """Undo ``name`` at once, whatever state it is in; succeeds when there is nothing to undo."""

    @abstractmethod
    def save(self, session: Session) -> None:
        """Make the running configuration the one of the next boot."""

    @abstractmethod
    def read_facts(self, session: Session) -> Facts:
        """Operational state of the switch, platform-neutral."""
