# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every emulated switch is: a configuration, shells that change it, ports with state, and faults.

A platform is one folder with a subclass of :class:`Device` (its stateful configuration, sessions and timers) and a
subclass of :class:`Shell` (its command grammar). Everything here is synchronous and free of I/O; ``lab.server`` puts it
behind SSH, applies the faults of the wire (delay, cut) and calls :meth:`Device.tick` before each command.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.exchange import Exchange, Speaker
    from lab.forwarding import SwitchForwarding
    from lab.wire.link import WireLink


class Logout(Exception):
    """Raised by a shell when the user left it (``exit``, ``quit``)."""


@dataclass
class ClassCounters:
    """Counters of one priority or queue of one port."""

    tx_packets: int = 0
    tx_bytes: int = 0
    rx_packets: int = 0
    rx_bytes: int = 0
    drops: int = 0
    ecn_marked: int = 0
    pause_rx: int = 0
    pause_tx: int = 0
    depth_bytes: int = 0
    max_depth_bytes: int = 0
    watchdog_detected: int = 0
    watchdog_restored: int = 0


@dataclass
class PortState:
    """Operational state of one port, as far as it is not configuration. Tests and the wire change it."""

    link: bool = True  # light on the cable; oper state also needs the port to be administratively up
    speed: int | None = None  # Mb/s the link came up with; None: as configured
    peer: tuple[str, str] | None = None  # (system name, port) that LLDP of the far end sends
    peer_mtu: int = 9216
    peer_asn: int | None = None  # AS number of the BGP speaker at the far end; None: the one that is configured here
    announces: tuple[str, ...] = ()  # IPv4 prefixes that it announces
    rx_packets: int = 0
    rx_bytes: int = 0
    tx_packets: int = 0
    tx_bytes: int = 0
    rx_errors: int = 0
    tx_errors: int = 0
    crc_errors: int = 0
    rx_discards: int = 0
    tx_discards: int = 0
    fec_corrected: int = 0
    fec_uncorrected: int = 0
    classes: dict[int, ClassCounters] = field(default_factory=lambda: {n: ClassCounters() for n in range(8)})


@dataclass
class Fault:
    """Something that goes wrong. ``count`` is how often it strikes; 0 means always.

    kinds of the wire (applied by lab.server):
      cut-before / cut-after   close the TCP connection before / after the command that matches has run
      slow                     wait ``seconds`` before the output of the command that matches
      log-lines                syslog lines of the platform appear inside the output of the command that matches
      unreachable              refuse every new connection (for ``seconds`` if given)
    kinds of the platform (applied by the Shell):
      refuse                   the command that matches answers with the platform's error text
      sessions-full            no room for another configuration session / checkpoint / revision
      locked                   another user holds the configuration
    """

    kind: str
    match: str = ""  # regular expression, searched in the command; empty: every command
    skip: int = 0  # let that many matching commands pass first
    count: int = 1
    seconds: float = 0.0

    def strikes(self, command: str) -> bool:
        """Whether the fault hits this command; counts down."""
        if self.count < 0 or not re.search(self.match, command):
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        if self.count > 0:
            self.count -= 1
            if self.count == 0:
                self.count = -1  # spent
        return True


class Shell(ABC):
    """One login on one device: the current mode and the grammar of what may be typed in it."""

    def __init__(self, device: Device, user: str) -> None:
        self.device = device
        self.user = user

    @property
    @abstractmethod
    def prompt(self) -> str:
        """The prompt of the current mode, as the platform prints it, without newline."""

    @abstractmethod
    def run(self, line: str) -> str:
        """Run one typed line and return what the platform prints (lines joined by newline, no trailing prompt)."""

    def close(self) -> None:  # noqa: B027 - platforms that free nothing need none
        """The connection ended (politely or not): free what the platform frees then."""


class Device(ABC):
    """One emulated switch."""

    platform: str
    mtu_default: int = 1500

    def __init__(self, name: str, ports: list[str], *, clock: Callable[[], float], release: str | None = None) -> None:
        self.name = name
        self.clock = clock  # seconds; tests advance it
        self.release = release
        self.ports: dict[str, PortState] = {port: PortState() for port in ports}
        self.unsplit = list(ports)  # the ports that there are while no front port is split
        self.parts: dict[str, PortState] = {}  # what is plugged into ports that are not there now
        self.faults: list[Fault] = []
        self.wire: WireLink | None = None  # the data plane, while one is attached
        self.exchange: Exchange | None = None  # with the other switches of the lab, while there is one
        self.banner = ""  # shown before the password
        self.motd = ""  # shown after login

    @abstractmethod
    def shell(self, user: str) -> Shell:
        """A new login."""

    @abstractmethod
    def load(self, text: str) -> None:
        """Become a device with this running configuration (as the platform prints or saves it), as if booted with it.

        Lines outside the grammar of the emulator are kept and printed back where they stood.
        """

    @abstractmethod
    def running(self) -> str:
        """The running configuration, byte for byte as ``show running-config`` prints it, less volatile header lines."""

    @abstractmethod
    def startup(self) -> str:
        """The saved configuration, in the same form."""

    @abstractmethod
    def leftovers(self) -> list[str]:
        """Names of pending sessions, revisions, checkpoints, timers, jobs and files, without the platform's own."""

    def split(self, fronts: Mapping[str, Sequence[str]]) -> None:
        """These front ports are split into these parts, all others are whole. Every port keeps its cable."""
        names = [part for port in self.unsplit for part in fronts.get(port, [port])]
        known = {**self.parts, **self.ports}
        self.ports.clear()
        self.ports.update({name: known.pop(name, None) or PortState(link=False) for name in names})
        self.parts = known

    def configuration(self) -> object:
        """Something that differs from what it was when the configuration in force has changed."""
        return self.running()

    def forwarding(self, ports: list[str]) -> SwitchForwarding:
        """What this switch does with packets on these ports."""
        raise NotImplementedError(f"{self.platform} does not forward packets")

    def speaker(self) -> Speaker | None:
        """What this switch brings into the route exchange; None: it runs no BGP."""
        return None

    def look(self, line: str) -> None:
        """A command is about to run that may show what other switches say."""
        if self.exchange is not None:
            self.exchange.look(line)

    @contextmanager
    def live(self) -> Iterator[None]:
        """Around whatever reads or changes the device: with a wire, counters are current and changes reach it."""
        if self.wire is not None:
            self.wire.before()
        try:
            yield
        finally:
            if self.wire is not None:
                if self.exchange is not None:
                    self.exchange.refresh()
                self.wire.after(self)

    def tick(self) -> None:  # noqa: B027 - platforms without timers need none
        """Do what is due by now (commit timers, scheduled jobs)."""

    def fault(self, kind: str, command: str = "") -> Fault | None:
        """The first fault of this kind that strikes this command."""
        return next((f for f in self.faults if f.kind == kind and f.strikes(command)), None)
