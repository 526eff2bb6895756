# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The BGP speaker of an emulated Cumulus switch, for the route exchange of the lab."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from lab.exchange import Session, Speaker
from lab.nvue.device import NvueDevice
from lab.nvue.routing import Routing
from lab.nvue.routing import Session as Neighbor


def speaker(device: NvueDevice) -> Speaker | None:
    routing = Routing(device)
    if routing.asn is None:
        return None
    sessions = {
        s.port: Session(_expected(s), _filter(routing, s, "inbound"), _filter(routing, s, "outbound"))
        for s in routing.sessions().values()
        if s.established and s.port is not None
    }
    return Speaker(routing.asn, tuple(routing.originated()), sessions)


def _expected(session: Neighbor) -> int | None:
    """A number; or a word, which leaves it open."""
    return session.asn if isinstance(session.settings.get("remote-as"), int) else None


def _filter(routing: Routing, session: Neighbor, direction: str) -> Callable[[str], bool]:
    return cache(lambda prefix: routing.passes(session.settings, direction, prefix))
